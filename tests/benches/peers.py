"""The time of programs with Weft, compared with NumPy and with the limits of the machine: `python3 tests/benches/peers.py [ROUNDS] [NAME...]`.

Every row is one program, run in turn by Weft, by Weft with a profile, and by NumPy, with the speed of memory measured in between, so that
each ratio is of one moment of one machine. Prints medians over the rounds, and for each ratio the median of its values round by
round. With names only rows that contain one of them are measured. Builds the programs with cargo; needs NumPy.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

# Before NumPy starts its own threads: memory is measured by one thread per core.
CORES = len(os.sched_getaffinity(0))
try:
    import numpy as np
except ImportError:
    np = None

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
# Elements of the arrays that memory is measured with: far more than caches hold.
ELEMENTS = 32_000_000


class Memory:
    """The bandwidth of all cores in bytes per second: of copies, counting reads and writes, and of reads."""

    def __init__(self):
        self.source, self.target = np.ones(ELEMENTS), np.zeros(ELEMENTS)

    def _rate(self, passes, work):
        parts = [slice(i * ELEMENTS // CORES, (i + 1) * ELEMENTS // CORES) for i in range(CORES)]
        threads = [threading.Thread(target=work, args=(part,)) for part in parts]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return passes * 8 * ELEMENTS / (time.perf_counter() - start)

    def copy(self):
        return max(self._rate(2, lambda part: np.copyto(self.target[part], self.source[part])) for _ in range(3))

    def read(self):
        return max(self._rate(1, lambda part: self.source[part].max()) for _ in range(3))


def stencil_floor(memory, _out):
    """One read and one write of the grid per iteration."""
    return 100 * 2 * 8 * 2002**2 / memory.copy() * 1e3


def cg_floor(n):
    """One read of the matrix per iteration, one before the first and one after the last."""

    def floor(memory, out):
        iterations = int(re.search(r"Iterations: (\d+)", out).group(1))
        return (iterations + 2) * 8 * n**4 / memory.read() * 1e3

    return floor


# Name, package, arguments, the NumPy script with its arguments, the floor in ms and what it is called, limits.
PROGRAMS = [
    ("stencil n=2000 i=100", "stencil", ["-n", "2000", "-i", "100"], ["stencil.py", "2000", "100"], stencil_floor,
     "floor at least 0.6, NumPy/Weft at least 4"),
    ("cg n=100", "cg", ["-n", "100"], ["cg.py", "100"], cg_floor(100), "NumPy/Weft at least 1, floor at least 0.85"),
    ("cg n=60", "cg", ["-n", "60"], ["cg.py", "60"], cg_floor(60), "NumPy/Weft at least 1"),
    # The matrix is 6.5 MB: in the caches of most machines.
    ("cg n=30", "cg", ["-n", "30"], ["cg.py", "30"], None, "NumPy/Weft at least 1"),
    ("threshold inefficient n=10M", "threshold", ["inefficient", "-n", "10000000"],
     ["threshold.py", "inefficient", "10000000"], None, "NumPy/Weft at least 0.33"),
    ("threshold efficient n=10M", "threshold", ["efficient", "-n", "10000000"],
     ["threshold.py", "efficient", "10000000"], None, "NumPy/Weft at least 2"),
    ("black_scholes n=10M", "black_scholes", ["-n", "10000000"], ["black_scholes.py", "10000000"], None,
     "NumPy/Weft at least 3"),
]


def elapsed(command, **more):
    out = subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout
    return float(re.search(r"Elapsed Time: ([\d.]+) ms", out).group(1)), out


def median(values):
    return statistics.median(values) if values else None


def text(value, form="{:.2f}"):
    return form.format(value) if value is not None else ""


def program(row, rounds, memory):
    """The columns of one program's row."""
    _, package, arguments, script, floor, _ = row
    times, ratios = [], {"numpy": [], "floor": [], "profile": []}
    command = [str(BINARIES / package), *arguments, "-t"]
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as logdir:
            profiled = dict(os.environ, WEFT_CONFIG=f"--profile --logdir {logdir}")
            weft, out = elapsed(command)
            with_profile, _ = elapsed(command, env=profiled)
            least = floor(memory, out) if floor else None
        numpy, _ = elapsed([sys.executable, str(ROOT / "benches" / script[0]), *script[1:]])
        times.append((weft, with_profile, numpy, least))
        ratios["numpy"].append(numpy / weft)
        ratios["profile"].append(with_profile / weft)
        if least:
            ratios["floor"].append(least / weft)
    columns = [median([value for value in column if value]) for column in zip(*times)]
    return [text(value, "{:.0f} ms") for value in columns] + [
        text(median(ratios[name]), form)
        for name, form in (("numpy", "{:.2f}"), ("floor", "{:.2f}"), ("profile", "{:.3f}"))
    ]


def numpy_adds():
    """Nanoseconds of an add of 100 elements in NumPy."""
    one, total, count = np.ones(100), np.zeros(100), 200_000
    start = time.perf_counter()
    for _ in range(count):
        total = total + one
    return (time.perf_counter() - start) / count * 1e9


def adds():
    """The same columns for adds of 100 elements, from the bench that measures them with and without a profile."""
    # These packages select the features, and thus the libraries, of `cargo build --release`.
    packages = ["-p", "weft-array", "-p", "weft-tools", "-p", "weft-features"]
    command = ["cargo", "bench", "--quiet", *packages, "--bench", "overhead", "--", "adds"]
    out = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    off, on, ratio = re.search(r"add of 100 elements +([\d.]+) +([\d.]+) ns +([\d.]+)", out).groups()
    numpy = statistics.median(numpy_adds() for _ in range(5))
    return [f"{float(off):.0f} ns", f"{float(on):.0f} ns", f"{numpy:.0f} ns", "", text(numpy / float(off)), "", ratio]


def main():
    if np is None:
        print("peers: NumPy is missing; pip install numpy. Nothing was measured.")
        return
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    names = sys.argv[2:]
    wanted = [row for row in PROGRAMS if not names or any(name in row[0] for name in names)]
    packages = sorted({row[1] for row in wanted})
    if packages:
        named = [f"--bin={package}" for package in packages]
        subprocess.run(["cargo", "build", "--release", *named], check=True, cwd=ROOT)
    print("| program | Weft | profiled | NumPy | floor | NumPy/Weft | floor/Weft | profiled/Weft | limits |")
    print("|---|---|---|---|---|---|---|---|---|")

    def line(name, columns, limits):
        print(f"| {name} | {' | '.join(columns)} | {limits} |", flush=True)

    if not names or any(name in "add of 100 elements" for name in names):
        line("add of 100 elements", adds(), "1.0 us, 1.3 us profiled")
    memory = Memory()
    for row in wanted:
        line(row[0], program(row, rounds, memory), row[5])


if __name__ == "__main__":
    main()
