"""The declared floating-point operations of a task reach the profile."""

import profiled

PROGRAM = """
import weft
import weft.numpy as np
from weft.tasks import In, InOut, align

@weft.task(align("x", "y"), flops=3)
def counted(x: In["f8", 1], y: InOut["f8", 1]):
    y += 2 * x

@weft.task(align("x", "y"))
def uncounted(x: In["f8", 1], y: InOut["f8", 1]):
    y += 2 * x

x, y = np.ones(50_000), np.zeros(50_000)
counted(x, y)
uncounted(x, y)
assert y.sum() == 200_000
"""


def test_counts_declared_floating_point_operations(tmp_path):
    database = profiled.database(PROGRAM, tmp_path, "--gpus", "0")
    of = "SELECT sum(floatOperations) FROM WEFT_TASK WHERE name = ?"
    assert database.execute(of, ["counted"]).fetchone() == (150_000,)
    assert database.execute(of, ["uncounted"]).fetchone() == (None,)
