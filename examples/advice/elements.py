"""A loop over elements, or a slice.

The fix: one operation on the whole array.
"""

from _pair import main


def before(np, n):
    x = np.linspace(0.0, 1.0, n)
    y = np.zeros(n)
    for i in range(1, n):
        y[i] = x[i] - x[i - 1]
    return y.sum()


def after(np, n):
    x = np.linspace(0.0, 1.0, n)
    y = np.zeros(n)
    y[1:] = x[1:] - x[:-1]
    return y.sum()


main(before, after, 20_000)
