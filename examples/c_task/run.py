"""Heat flow in a rod, whose steps are tasks in C: `make`, then `weft run -- python run.py [library]`."""

import pathlib
import sys

import weft
import weft.numpy as np
from weft.tasks import ADD, In, Out, Reduce, align, halo

LIBRARY = sys.argv[1] if len(sys.argv) > 1 else str(pathlib.Path(__file__).with_name("libheat.so"))


@weft.task(align("x", "y"), halo("x", 1), body=weft.foreign(LIBRARY, "heat"))
def heat(x: In["f8", 1], y: Out["f8", 1], rate: float): ...


@weft.task(align("x"), body=weft.foreign(LIBRARY, "total"))
def total(x: In["f8", 1], sum: Reduce[ADD, "f8", 0]): ...


x, y = np.zeros(100_000), np.empty(100_000)
x[40_000:60_000] = 1.0
before, after = np.zeros(()), np.zeros(())
total(x, before)
for _ in range(50):
    heat(x, y, 0.25)
    heat(y, x, 0.25)
total(x, after)
print(f"heat {float(before):.6f} before, {float(after):.6f} after, {int((x > 0).sum())} of {len(x)} warm")
