"""Weft's examples beside the same programs on NumPy, in turn on one machine: `python3 benches/peers.py [ROUNDS]`.

Prints a table with the medians of the elapsed times that the programs print, and the medians of the ratios, pair by
pair. Builds the examples with cargo; needs NumPy.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = [
    ("stencil n=2000 i=100", ["stencil", "-n", "2000", "-i", "100", "-t"], ["stencil.py", "2000", "100"]),
    ("cg n=100", ["cg", "-n", "100", "-t"], ["cg.py", "100"]),
]


def elapsed(command, **more):
    out = subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout
    return float(re.search(r"Elapsed Time: ([\d.]+) ms", out).group(1))


def main():
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("peers: NumPy is not here; pip install numpy. Nothing was measured.")
        return
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    build = ["cargo", "build", "--release", "-p", "weft-example-stencil", "-p", "weft-example-cg"]
    subprocess.run(build, check=True, cwd=ROOT)
    binaries = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
    print(f"{'':24} {'weft':>10} {'profiled':>10} {'numpy':>10}   weft/numpy  profiled/weft")
    for name, weft, numpy in PEERS:
        rows = []
        with tempfile.TemporaryDirectory() as logdir:
            profiled = dict(os.environ, WEFT_CONFIG=f"--profile --logdir {logdir}")
            for _ in range(rounds):
                program = [str(binaries / weft[0]), *weft[1:]]
                rows.append((
                    elapsed(program),
                    elapsed(program, env=profiled),
                    elapsed([sys.executable, str(ROOT / "benches" / numpy[0]), *numpy[1:]]),
                ))
        medians = [statistics.median(column) for column in zip(*rows)]
        against = statistics.median(row[0] / row[2] for row in rows)
        cost = statistics.median(row[1] / row[0] for row in rows)
        times = " ".join(f"{value:7.0f} ms" for value in medians)
        print(f"{name:24} {times}   {against:10.2f}  {cost:13.3f}")


main()
