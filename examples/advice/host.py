"""A program that computes in Python before each call, or once before the loop.

The fix: hoist what does not change.
"""

from _pair import main


def weights():
    return [((i * 7919) % 1000) / 1000.0 for i in range(3000)]


def before(np, n):
    x = np.linspace(0.0, 1.0, n)
    for _ in range(100):
        scale = sum(weights()) / 3000
        x = x * scale + 0.5
    return x.sum()


def after(np, n):
    x = np.linspace(0.0, 1.0, n)
    scale = sum(weights()) / 3000
    for _ in range(100):
        x = x * scale + 0.5
    return x.sum()


main(before, after, 60_000)
