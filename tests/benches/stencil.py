"""The stencil example as a NumPy user writes it: `stencil.py SIZE ITERATIONS` prints the elapsed milliseconds."""

import sys
import time

import numpy as np


def main(n, iterations):
    start = time.perf_counter()
    grid = np.zeros((n + 2, n + 2))
    grid[:, 0] = -273.15
    grid[:, -1] = -273.15
    grid[-1, :] = -273.15
    grid[0, :] = 40.0
    center = grid[1:-1, 1:-1]
    north = grid[0:-2, 1:-1]
    east = grid[1:-1, 2:]
    west = grid[1:-1, 0:-2]
    south = grid[2:, 1:-1]
    for _ in range(iterations):
        average = center + north + east + west + south
        average = 0.2 * average
        center[:] = average
    grid.sum()
    print(f"Elapsed Time: {(time.perf_counter() - start) * 1e3:.3f} ms")


main(int(sys.argv[1]), int(sys.argv[2]))
