"""A loop that reads a value in each iteration, or in every tenth.

The fix: look at the error less often.
"""

from _pair import main

ITERATIONS = 400


def run(np, n, every):
    x = np.linspace(0.0, 1.0, n)
    for i in range(ITERATIONS):
        x = x * 0.999 + 0.001
        if i % every == every - 1 and float(x.sum()) < 0:
            break
    return x.sum()


def before(np, n):
    return run(np, n, 1)


def after(np, n):
    return run(np, n, 10)


main(before, after, 60_000)
