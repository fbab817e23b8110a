"""Two ranks, of which one computes in Python in each iteration before both meet, or both do half of it.

The fix: divide the work among the ranks. `weft run --ranks-per-node 2 -- python skew.py before`
"""

import weft
from _pair import main

STEPS = 60
WORK = 40_000


def prepare(count):
    total = 0
    for i in range(count):
        total += i * i % 7
    return total


def run(np, n, count):
    x = np.linspace(0.0, 1.0, n)
    for _ in range(STEPS):
        prepare(count)
        x = x * 0.999 + 0.001
        if float(x.sum()) < 0:
            break
    return x.sum()


def before(np, n):
    return run(np, n, WORK if weft.rank() == 0 else 0)


def after(np, n):
    return run(np, n, WORK // weft.ranks())


main(before, after, 60_000)
