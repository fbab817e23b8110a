"""Operations on an array that is too small to be divided by default.

The fix: `--min-cpu-chunk 8192`, which gives each worker a part.
"""

from _pair import main


def before(np, n):
    x = np.linspace(0.0, 1.0, n)
    total = np.zeros(n)
    for _ in range(300):
        total = np.exp(np.sin(total) + x) * np.cos(x)
    return total.sum()


main(before, before, 30_000)
