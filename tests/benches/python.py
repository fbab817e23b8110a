"""The cost of the Python front end, compared with NumPy, Rust and cuPyNumeric: `python3 tests/benches/python.py [ROUNDS] [NAME...]`.

Every row is measured in turn by all, in their own processes. For programs the least time of the rounds is printed: where a virtual
machine's memory is touched for the first time, single runs take several times as long. Of calls it is the median. With names only rows that contain one of them are measured. Builds the package and the programs in release; needs
NumPy. CUPYNUMERIC names a Python interpreter that has cuPyNumeric: its column is empty without one.
"""

import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "python"
BINARIES = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
CORES = len(os.sched_getaffinity(0))

#: Each time includes the start of the runtime (about 20 ms) if the program creates its arrays within the measured time. Examples at sizes that take NumPy a second or more, and arguments of the Rust program that does the same.
PROGRAMS = {
    "stencil": (["-n", "2000", "-i", "100"], ["-n", "2000", "-i", "100"]),
    "black_scholes": (["-n", "10000000"], ["-n", "10000000"]),
    "channel": (["-n", "500"], None),
    "cg": (["-n", "80"], None),
    "power": (["-n", "5000", "-i", "150"], None),
    "kmeans": (["-n", "1000000"], None),
}

ADDS = """
import sys, time, importlib
np = importlib.import_module(sys.argv[1])
one, total, count, best = np.ones(100), np.zeros(100), 20000, float("inf")
for _ in range(15):
    start = time.perf_counter()
    for _ in range(count):
        total = total + one
    assert float(total[0]) > 0
    best = min(best, time.perf_counter() - start)
print(best / count * 1e9)
"""

IMPORTS = """
import time
import numpy
start = time.perf_counter()
import weft.numpy
print((time.perf_counter() - start) * 1e3)
"""


def printed(command, **environment):
    """The last number before `ms`, or the only one, that a command prints."""
    environment = {**os.environ, **environment}
    # Compiled bytecode is what an installed package has.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    out = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    found = re.findall(r"([\d.]+) ms", out) or out.split()
    return float(found[-1])


def ours(*arguments):
    return printed([sys.executable, *map(str, arguments)], WEFT_FALLBACK="error")


def cupynumeric(name, arguments):
    """Milliseconds with cuPyNumeric on all cores; `None` without it."""
    if "CUPYNUMERIC" not in os.environ:
        return None
    command = [os.environ["CUPYNUMERIC"], str(EXAMPLES / f"{name}.py"), *arguments, "--package", "cupynumeric"]
    return printed(command, LEGATE_CONFIG=f"--cpus {CORES} --gpus 0")


def adds(rounds):
    """Nanoseconds of an add of 100 elements: Weft's, and the difference from Rust."""
    bench = ["cargo", "bench", "--quiet", "-p", "weft-array", "-p", "weft-tools", "-p", "weft-features", "--bench", "overhead", "--", "adds"]
    rows = []
    for _ in range(rounds):
        python, numpy = (ours("-c", ADDS, module) for module in ("weft.numpy", "numpy"))
        out = subprocess.run(bench, check=True, capture_output=True, text=True, cwd=ROOT).stdout
        rust = float(re.search(r"add of 100 elements +([\d.]+)", out)[1])
        rows.append((python, numpy, rust, python - rust))
    python, numpy, rust, more = map(statistics.median, zip(*rows))
    print(f"add of 100 elements: {python:.0f} ns; NumPy {numpy:.0f} ns; Rust {rust:.0f} ns; {more:.0f} ns more than Rust (limit 500)", flush=True)


def imports(rounds):
    """The time in milliseconds that the import takes longer than NumPy's."""
    ours("-c", IMPORTS)
    times = [ours("-c", IMPORTS) for _ in range(3 * rounds)]
    print(f"import of weft.numpy, beyond NumPy's: {statistics.median(times):.0f} ms, at most {max(times):.0f} ms (limit 80)", flush=True)


def program(name, rounds):
    """A row of the table."""
    arguments, rust_arguments = PROGRAMS[name]
    path, rows = EXAMPLES / f"{name}.py", []
    for _ in range(rounds):
        weft = ours(path, *arguments)
        numpy = ours(path, *arguments, "--package", "numpy")
        rust = printed([str(BINARIES / name), *rust_arguments, "-t"]) if rust_arguments else None
        rows.append((weft, numpy, rust, cupynumeric(name, arguments)))
    times = [min(column) if column[0] else None for column in zip(*rows)]
    ratios = [other / times[0] if other else None for other in times[1:]]
    cells = [f"{time:.0f} ms" if time else "" for time in times] + [f"{ratio:.2f}" if ratio else "" for ratio in ratios]
    print(f"| {name} {' '.join(arguments)} | {' | '.join(cells)} |", flush=True)
    return ratios[0]


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    names = sys.argv[2:]
    wanted = lambda title: not names or any(name in title for name in names)  # noqa: E731
    environment = dict(os.environ, PROFILE="python")
    package = subprocess.run([ROOT / "python" / "package.sh"], check=True, capture_output=True, text=True, env=environment).stdout.strip()
    os.environ["PYTHONPATH"] = package
    if wanted("add of 100 elements"):
        adds(rounds)
    if wanted("import"):
        imports(rounds)
    programs = [name for name in PROGRAMS if wanted(name)]
    if programs:
        bins = [f"--bin={name}" for name in programs if PROGRAMS[name][1]]
        if bins:
            examples = [f"-pweft-example-{one.removeprefix('--bin=')}" for one in bins]
            subprocess.run(["cargo", "build", "--quiet", "--release", *examples], check=True, cwd=ROOT)
        print("| program | Weft | NumPy | Rust | cuPyNumeric | NumPy/Weft | Rust/Weft | cuPyNumeric/Weft |")
        print("|---|---|---|---|---|---|---|---|")
        ratios = [program(name, rounds) for name in programs]
        print(f"geometric mean of NumPy/Weft: {statistics.geometric_mean(ratios):.2f}; least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
