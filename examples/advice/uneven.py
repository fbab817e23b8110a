"""Large arguments, for which a sine takes far longer, all at the end of an array: the tasks there are long.

The fix: spread them over the array in pieces, so that all tasks have their share. Pieces, since a vector unit computes neighbours together.
"""

from _pair import main


def run(np, x):
    for _ in range(8):
        x = x + np.sin(x)
    return np.sin(x).sum()


def before(np, n):
    x = np.linspace(0.0, 1.0, n)
    x[n - n // 8 :] = 1e300
    return run(np, x)


def after(np, n):
    x = np.linspace(0.0, 1.0, n)
    x.reshape(-1, 8192)[:, :1024] = 1e300
    return run(np, x)


main(before, after, 1 << 20)
