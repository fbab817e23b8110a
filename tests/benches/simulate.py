#!/usr/bin/env python3
"""How far `weft simulate` is off: `simulate.py [ROUNDS] [MPIRUN]`, after

    MPICC=mpicc.openmpi cargo build --release --features weft/mpi

Each round records a program on one rank of one core, predicts 1, 2 and 4 ranks from that, and runs them. A run's time is from its first
operation to its last task, as its profiles have it. The network is that of the round's run of two ranks. Printed: the medians of the
recorded times, and of the ratios of predicted to recorded time with the least and the greatest.
"""

import csv
import io
import os
import statistics
import subprocess
import sys
import tempfile

RANKS = [1, 2, 4]
PROGRAMS = [
    ["stencil", "-n", "2000", "-i", "50"],
    ["stencil", "-n", "500", "-i", "500"],
    ["cg", "-n", "50", "-m", "100"],
]
target = os.path.join(os.environ.get("CARGO_TARGET_DIR", "target"), "release")
weft = os.path.join(target, "weft")
SPAN = "SELECT (SELECT max(end) FROM WEFT_TASK) - (SELECT min(created) FROM WEFT_OPERATION) AS span"


def told(*arguments):
    done = subprocess.run([weft, *arguments], capture_output=True, text=True, check=True)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def profiles(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".prof"))


def run(program, ranks, folder, launcher):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    flags = ["--ranks-per-node", str(ranks), "--launcher", launcher, "--cpus", "1"]
    flags += ["--profile", "--force", "--profile-operands", "--logdir", folder]
    line = [weft, "run", *flags, os.path.join(target, program[0]), *program[1:]]
    subprocess.run(line, env=environment, check=True, capture_output=True)
    return float(told("query", SPAN, *profiles(folder), "--format", "csv")[0]["span"])


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    launcher = sys.argv[2] if len(sys.argv) > 2 else "mpirun.openmpi"
    cores = os.cpu_count()
    print(f"{cores} cores, {rounds} rounds, {launcher}")
    for program in PROGRAMS:
        times = {ranks: [] for ranks in RANKS}
        ratios = {ranks: [] for ranks in RANKS}
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                real = {ranks: run(program, ranks, os.path.join(folder, str(ranks)), launcher) for ranks in RANKS}
                table = told(
                    "simulate", *profiles(os.path.join(folder, "1")), "--ranks", ",".join(map(str, RANKS)),
                    "--ranks-per-node", str(max(RANKS)), "--cores-per-rank", "1", "--cores-per-node", str(cores),
                    "--format", "csv", "--network", *profiles(os.path.join(folder, "2")),
                )
            for row in table:
                ranks = int(row["ranks"])
                times[ranks].append(real[ranks])
                ratios[ranks].append(float(row["time_ns"]) / real[ranks])
        for ranks in RANKS:
            time, ratio = statistics.median(times[ranks]) / 1e6, ratios[ranks]
            found = f"{statistics.median(ratio):.2f} ({min(ratio):.2f} to {max(ratio):.2f})"
            print(f"{' '.join(program):28} {ranks} ranks: {time:9.1f} ms, predicted / recorded {found}")


main()
