"""A chain of elementwise operations that is interrupted by a read of a value in between, or not.

The fix: read the value once before the chain.
"""

from _pair import main


def before(np, n):
    x = np.linspace(0.0, 1.0, n)
    for _ in range(100):
        y = x * 0.5
        if float(y[0]) < 0:
            break
        y = y + 0.25
        if float(y[1]) < 0:
            break
        y = y * y
        if float(y[2]) < 0:
            break
        x = y + 0.125
    return x.sum()


def after(np, n):
    x = np.linspace(0.0, 1.0, n)
    for _ in range(100):
        y = x * 0.5
        y = y + 0.25
        y = y * y
        x = y + 0.125
    return x.sum()


main(before, after, 200_000)
