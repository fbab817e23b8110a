"""Exact images: a tile touches the elements that are named, and `--verify` finds what it reads between them."""

import os
import subprocess
import sys

import numpy
import weft
import weft.legate as lg
import weft.numpy as np
from weft.tasks import In, Out, TaskContext, align, image

COMMAND = os.environ.get("WEFT_COMMAND", "weft")
RNG = numpy.random.default_rng(11)


@weft.task(align("y", "at"), image("at", "x", "coordinates", exact=True))
def gathered(ctx: TaskContext, at: In, x: In, y: Out):
    y[:] = x[at - ctx.ranges_of("x")[0].start]


@lg.task(constraints=(lg.align("y", "at"), lg.image("at", "x", names="coordinates")))
def gathered_without_hint(ctx: lg.TaskContext, at: lg.InputStore, x: lg.InputStore, y: lg.OutputStore):
    y[:] = x[at - ctx.ranges_of("x")[0].start]


def test_image_reads_see_the_latest_writes():
    x = np.asarray(RNG.normal(size=100_000))
    at = RNG.integers(0, 100_000, 30_000)
    y = np.zeros(30_000)
    for task in (gathered, gathered_without_hint):
        for round in range(3):
            x[round::3] = round
            task(at, x, y)
            assert numpy.array_equal(y, numpy.asarray(x)[at])


PROGRAM = """\
import weft
import weft.numpy as np
from weft.tasks import In, Out, TaskContext, align, image

@weft.task(align("y", "at"), image("at", "x", "coordinates"{exact}))
def doubled(ctx: TaskContext, at: In, x: In, y: Out):
    first = ctx.ranges_of("x")[0].start
    y[:] = x[at - first]
    y[0] += x[7 - first]

y = np.zeros(3)
doubled(np.array([3, 900, 5]), np.arange(1000.0), y)
print(y)
"""


def test_verify_reports_reads_of_unnamed_elements(tmp_path):
    program = tmp_path / "prog.py"

    def run(exact):
        program.write_text(PROGRAM.format(exact=exact))
        command = [COMMAND, "run", "--cpus", "1", "--gpus", "0", "--verify", "--", str(program)]
        environment = {**os.environ, "WEFT_PYTHON": sys.executable}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)

    # From the lowest to the highest, all are the tile's.
    done = run("")
    assert (done.returncode, done.stdout, done.stderr) == (0, "[ 10. 900.   5.]\n", "")
    done = run(", exact=True")
    assert done.returncode == 1
    assert "it reads x at [7], which its tile does not have" in done.stderr, done.stderr
    assert "prog.py:12" in done.stderr, done.stderr
