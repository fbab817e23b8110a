"""CPU time of single calls compared with NumPy's: `python3 tests/benches/calls.py [NAME...]`, with the package of `PROFILE=python python/package.sh` on PYTHONPATH.

Both libraries make each call in turn in one process; the minimum of several rounds counts. CPU times can also be compared on a busy machine.
With names, only rows that contain one of them are measured.
"""

import sys
import time

import numpy
import weft
import weft.numpy as np

ROUNDS = 5
RANDOM = numpy.random.default_rng(0)


def least(call, count):
    """Seconds of processor time for a call, the least of all rounds of `count` calls."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(count):
            call()
        weft.wait()
        times.append((time.process_time() - start) / count)
    return min(times)


def assign(module, array):
    """Writes one element of an array to another."""
    array[150, 100] = array[100, 150]


def rows():
    """Name, arrays, how often a round calls, and the call."""
    matrix = RANDOM.random((2000, 2000))
    single = matrix.astype("f4")
    numbers, edges = RANDOM.random(1_000_000) * 100, numpy.linspace(0, 100, 1001)
    places = (numbers * 10).astype(int)
    few = numpy.ones(100)
    yield "product of 2000 by 2000, f64", (matrix,), 1, lambda m, a: a @ a
    yield "product of 2000 by 2000, f32", (single,), 1, lambda m, a: a @ a
    yield "product with the own transpose, f64", (matrix,), 1, lambda m, a: a.T @ a
    yield "searchsorted among 1001 even edges", (edges, numbers), 1, lambda m, a, b: m.searchsorted(a, b, "right")
    yield "histogram of a million, 1000 bins", (numbers,), 1, lambda m, a: m.histogram(a, 1000)
    yield "bincount of a million", (places,), 1, lambda m, a: m.bincount(a)
    yield "take of a million", (edges, places), 1, lambda m, a, b: a[b]
    yield "sort of a million", (numbers,), 1, lambda m, a: m.sort(a)
    yield "argsort of a million", (numbers,), 1, lambda m, a: m.argsort(a)
    yield "min of a million", (numbers,), 1, lambda m, a: a.min()
    yield "sum along axis 0 of 2000 by 2000", (matrix,), 1, lambda m, a: a.sum(0)
    yield "dot of 100", (few,), 3000, lambda m, a: m.dot(a, a)
    yield "x @ x of 100", (few,), 3000, lambda m, a: a @ a
    yield "x.sum() of 100", (few,), 3000, lambda m, a: a.sum()
    yield "x[i, j]", (matrix,), 3000, lambda m, a: a[150, 100]
    yield "difference of two elements", (matrix,), 3000, lambda m, a: a[150, 100] - a[100, 150]
    yield "x[i, j] = x[k, l]", (matrix.copy(),), 3000, assign
    yield "numpy.float64 times 100 elements", (few,), 3000, lambda m, a: numpy.float64(1.5) * a
    yield "where of 100", (few,), 3000, lambda m, a: m.where(a, a, a)


def main():
    names = sys.argv[1:]
    print("| call | Weft | NumPy | NumPy / Weft |")
    print("|---|---|---|---|")
    for name, arrays, count, call in rows():
        if names and not any(one in name for one in names):
            continue
        own = [np.array(one) for one in arrays]
        weft.wait()
        ours, theirs = least(lambda: call(np, *own), count), least(lambda: call(numpy, *arrays), count)
        scale, unit = (1e6, "us") if ours < 1e-3 else (1e3, "ms")
        print(f"| {name} | {ours * scale:.2f} {unit} | {theirs * scale:.2f} {unit} | {theirs / ours:.2f} |", flush=True)


if __name__ == "__main__":
    main()
