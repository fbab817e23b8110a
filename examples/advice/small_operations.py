"""Rows of a matrix one by one, or all of them at once.

The fix: one operation on the whole matrix.
"""

from _pair import main

ROUNDS = 10
COLUMNS = 500


def before(np, rows):
    a = np.linspace(0.0, 1.0, rows * COLUMNS).reshape(rows, COLUMNS)
    b = np.zeros((rows, COLUMNS))
    for _ in range(ROUNDS):
        for i in range(rows):
            b[i] = a[i] * 2.0 + 1.0
    return b.sum()


def after(np, rows):
    a = np.linspace(0.0, 1.0, rows * COLUMNS).reshape(rows, COLUMNS)
    b = np.zeros((rows, COLUMNS))
    for _ in range(ROUNDS):
        b[:] = a * 2.0 + 1.0
    return b.sum()


main(before, after, 600)
