"""The cost of ranks: `python3 tests/benches/ranks.py [ROUNDS]`, after tests/install-mpi.sh.

Prints medians over the rounds: the exchange of a mebibyte compared with MPI's own; weak scaling of the stencil over 1, 2 and 4 ranks with a
worker each, compared with as many single programs at the same time, which share the machine's cores and memory and exchange nothing; and
the part of the time of 2 ranks in which their workers did not work. Builds the programs with cargo for the MPI that MPI names: openmpi, or mpich.
"""

import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
MPI = os.environ.get("MPI", "openmpi")
COLUMNS, ROWS, ITERATIONS = 2000, 1000, 100


def environment(config):
    extra = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {**os.environ, **extra, "WEFT_CONFIG": config}


def launch(ranks):
    line = [f"mpirun.{MPI}", "-n", str(ranks)]
    return line + (["--oversubscribe", "--bind-to", "none"] if MPI == "openmpi" else [])


def build():
    parts = ["-p", "weft-array", "-p", "weft-tools", "-p", "weft-features", "-p", "weft-example-stencil", "--features", "weft/mpi"]
    names = ["--bin", "weft", "--bin", "stencil", "--example", "exchange"]
    env = {**os.environ, "MPICC": f"mpicc.{MPI}"}
    subprocess.run(["cargo", "build", "--release", *parts, *names], cwd=ROOT, env=env, check=True)


def output(line, config, **options):
    process = subprocess.run(line, env=environment(config), capture_output=True, text=True, check=True, **options)
    return process.stdout


def exchange(config):
    """Microseconds of MPI's exchange, and of a round of the program with one and without."""
    text = output([*launch(2), BINARIES / "examples" / "exchange", "1000"], config)
    found = dict(re.findall(r"^(mpi|exchange|copy) ([\d.]+)$", text, re.M))
    return {name: float(value) for name, value in found.items()}


def stencil(rows):
    return [BINARIES / "stencil", "-n", str(COLUMNS), "--rows", str(rows), "-i", str(ITERATIONS), "-t"]


def elapsed(text):
    """The slowest of the ranks, in milliseconds."""
    return max(float(value) for value in re.findall(r"Elapsed Time: ([\d.]+) ms", text))


def on_ranks(ranks, more=""):
    return elapsed(output([*launch(ranks), *stencil(ROWS * ranks)], f"--cpus 1 --gpus 0 {more}"))


def apart(count):
    """Runs this number of programs at the same time."""
    env = environment("--cpus 1 --gpus 0")
    running = [subprocess.Popen(stencil(ROWS), env=env, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    return max(elapsed(process.communicate()[0]) for process in running)


def not_working(ranks):
    """The part of the time, up to the sum of the grid, in which workers ran nothing."""
    with tempfile.TemporaryDirectory() as folder:
        config = f"--cpus 1 --gpus 0 --profile --force --logdir {folder}"
        output([*launch(ranks), *stencil(ROWS * ranks)], config)
        profiles = sorted(Path(folder).glob("weft_*.prof"))
        joined = Path(folder) / "joined.sqlite"
        subprocess.run([BINARIES / "weft", "export", "sqlite", *profiles, "-o", joined], check=True, capture_output=True)
        database = sqlite3.connect(joined)
        rows = database.execute(
            """SELECT p.sourceId, MIN(l.start), MAX(l.end), SUM(l.end - l.start)
               FROM WEFT_LAUNCH l JOIN WEFT_PROCESSOR p ON p.sourceId = l.sourceId AND p.id = l.processorId
               WHERE p.name LIKE 'CPU %' AND l.uid NOT IN (
                   SELECT x.launchUid FROM WEFT_LAUNCH_TASK x JOIN WEFT_TASK t ON t.uid = x.taskUid WHERE t.name = 'read')
               GROUP BY p.sourceId"""
        ).fetchall()
        return statistics.mean(1 - busy / (end - start) for _, start, end, busy in rows)


def main(rounds):
    build()
    found = {}

    def add(name, value):
        found.setdefault(name, []).append(value)

    for _ in range(rounds):
        for name, value in exchange("--cpus 1 --gpus 0 --fusion=false").items():
            add(name, value)
        add("fused exchange", exchange("--cpus 1 --gpus 0")["exchange"])
        for count in (1, 2, 4):
            add(f"apart {count}", apart(count))
            add(f"ranks {count}", on_ranks(count))
        add("idle", not_working(2))
    median = {name: statistics.median(values) for name, values in found.items()}
    print(f"1 MiB both ways, MPI alone     {median['mpi']:8.1f} us")
    print(f"a round with an exchange       {median['exchange']:8.1f} us, {median['fused exchange']:.1f} us with fusion")
    print(f"a round without                {median['copy']:8.1f} us")
    ratio = statistics.median((a - b) / c for a, b, c in zip(found["exchange"], found["copy"], found["mpi"]))
    print(f"the exchange relative to MPI's {ratio:8.2f}")
    for count in (1, 2, 4):
        ratio = statistics.median(a / b for a, b in zip(found[f"apart {count}"], found[f"ranks {count}"]))
        text = f"{median[f'ranks {count}']:8.0f} ms; as many programs apart {median[f'apart {count}']:.0f} ms, ratio {ratio:.2f}"
        print(f"stencil on {count} ranks             {text}")
    print(f"workers of 2 ranks not working {median['idle'] * 100:8.1f} %")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
