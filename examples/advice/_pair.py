"""Runs one side of a pair: `python PAIR.py before|after [-n SIZE]`."""

import argparse
import importlib
import time


def main(before, after, size):
    """Runs the requested side, and prints its result and its time in ms."""
    parser = argparse.ArgumentParser()
    parser.add_argument("side", choices=["before", "after"])
    parser.add_argument("-n", type=int, default=size, help=f"the size [default: {size}]")
    parser.add_argument("--package", default="weft.numpy", help="weft.numpy, numpy or cupynumeric")
    args = parser.parse_args()
    np = importlib.import_module(args.package)
    run = {"before": before, "after": after}[args.side]
    start = time.perf_counter()
    result = float(run(np, args.n))
    elapsed = (time.perf_counter() - start) * 1e3
    print(f"{result:.6f} {elapsed:.3f} ms")
