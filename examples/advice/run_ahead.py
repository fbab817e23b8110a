"""Small sums that are read one by one, or kept in an array.

The fix: keep the sums as arrays and read them once at the end.
"""

from _pair import main

STEPS = 300


def before(np, n):
    x = np.linspace(0.0, 1.0, n)
    largest = 0.0
    for _ in range(STEPS):
        x = np.sqrt(x * x + 0.5)
        largest = max(largest, float(x.max()))
    return largest


def after(np, n):
    x = np.linspace(0.0, 1.0, n)
    largest = np.zeros(())
    for _ in range(STEPS):
        x = np.sqrt(x * x + 0.5)
        largest = np.maximum(largest, x.max())
    return largest


main(before, after, 60_000)
