"""The CG example as a NumPy user writes it: `cg.py SIZE` prints the elapsed milliseconds of the solution."""

import sys
import time

import numpy as np


def poisson(n):
    d = n * n
    a = 4.0 * np.eye(d)
    i = np.arange(d - 1)
    i = i[(i + 1) % n != 0]
    a[i, i + 1] = a[i + 1, i] = -1.0
    i = np.arange(d - n)
    a[i, i + n] = a[i + n, i] = -1.0
    return a


def main(n):
    a = poisson(n)
    b = np.random.default_rng(0).random(n * n)
    start = time.perf_counter()
    x = np.zeros(n * n)
    r = b - a.dot(x)
    p = r.copy()
    rsold = r.dot(r)
    for i in range(n * n):
        ap = a.dot(p)
        alpha = rsold / p.dot(ap)
        x = x + alpha * p
        r = r - alpha * ap
        rsnew = r.dot(r)
        if (i + 1) % 25 == 0 and rsnew < 1e-10:
            break
        p = r + rsnew / rsold * p
        rsold = rsnew
    residual = b - a.dot(x)
    np.sqrt(residual.dot(residual))
    print(f"Elapsed Time: {(time.perf_counter() - start) * 1e3:.3f} ms")


main(int(sys.argv[1]))
