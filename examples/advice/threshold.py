"""Masked updates of one array: many small chunks, or whole arrays.

The fix: work on whole arrays with `putmask`.
"""

from _pair import main

ROUNDS = 20
CHUNK = 4096


def before(np, n):
    z = np.linspace(0.0, 1.3, n)
    for _ in range(ROUNDS):
        for start in range(0, n, CHUNK):
            part = z[start : start + CHUNK]
            above = part > 0.6
            np.putmask(part, above, part - 0.5)
            np.putmask(part, ~above, part + 0.4)
    return z.sum()


def after(np, n):
    z = np.linspace(0.0, 1.3, n)
    for _ in range(ROUNDS):
        above = z > 0.6
        np.putmask(z, above, z - 0.5)
        np.putmask(z, ~above, z + 0.4)
    return z.sum()


main(before, after, 400_000)
