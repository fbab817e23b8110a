"""Heat spreads over a plate: the mean of five neighbours, again and again.

    weft run --profile examples/python/stencil.py -n 2000 -i 100
"""

import argparse
import importlib
import time


def run(np, n, iterations):
    """The plate after some iterations: a border of 100 degrees at the top."""
    grid = np.zeros((n + 2, n + 2))
    grid[0, :] = 100.0
    center = grid[1:-1, 1:-1]
    north, south = grid[:-2, 1:-1], grid[2:, 1:-1]
    west, east = grid[1:-1, :-2], grid[1:-1, 2:]
    for _ in range(iterations):
        average = center + north + east + west + south
        average = 0.2 * average
        center[:] = average
    return grid


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=1000, help="rows and columns of the plate")
    parser.add_argument("-i", "--iterations", type=int, default=100)
    parser.add_argument("--package", default="weft.numpy", help="weft.numpy, numpy or cupynumeric")
    args = parser.parse_args()
    np = importlib.import_module(args.package)
    start = time.perf_counter()
    total = float(run(np, args.n, args.iterations).sum())
    print(f"sum {total:.6f}, {1000 * (time.perf_counter() - start):.1f} ms")


if __name__ == "__main__":
    main()
