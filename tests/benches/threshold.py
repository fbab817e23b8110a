"""The threshold example as a NumPy user writes it: `threshold.py inefficient|efficient SIZE` prints the elapsed
milliseconds. Both are the programs of Legate's profiling guide.
"""

import sys
import time

import numpy as np

CHUNK = 4096


def inefficient(n):
    x = np.random.random(n).astype(np.float32)
    y = np.random.random(n).astype(np.float32)
    places = np.nonzero((x < 0.25) & (y > 0.5))
    z = x + y
    instead = x * y + 1.0
    z[places] = instead[places]
    for start in range(0, n, CHUNK):
        part = z[start:start + CHUNK]
        above = part > 1.0
        part[above] = part[above] + 2.0
        part[~above] = part[~above] - 2.0
    return z


def efficient(n):
    rng = np.random.default_rng()
    x = rng.random(n, dtype=np.float32)
    y = rng.random(n, dtype=np.float32)
    z = np.empty_like(x)
    np.add(x, y, out=z)
    overwritten = (x < 0.25) & (y > 0.5)
    np.putmask(z, overwritten, x * y + 1.0)
    above = z > 1.0
    z[above] += 2.0
    z[~above] -= 2.0
    return z


def main(way, n):
    start = time.perf_counter()
    {"inefficient": inefficient, "efficient": efficient}[way](n).sum()
    print(f"Elapsed Time: {(time.perf_counter() - start) * 1e3:.3f} ms")


main(sys.argv[1], int(sys.argv[2]))
