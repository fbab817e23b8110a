"""Tasks whose bodies start tasks, and tasks whose tiles exchange values."""

import numpy
import profiled
import pytest
import weft
import weft.numpy as np
from weft.tasks import ADD, MAX, Communicator, In, Out, align

RNG = numpy.random.default_rng(11)


@weft.task(align("x", "y"))
def squared(x: In, y: Out):
    y[:] = x * x


@weft.task(align("x", "y"), nested=True)
def centred(x: In, y: Out):
    part = np.array(x)
    squares = np.empty_like(part)
    squared(part, squares)
    y[:] = part - float(squares.sum()) / len(x)


def test_bodies_call_functions_and_tasks_on_their_parts():
    a = RNG.normal(size=100_000)
    x = np.asarray(a)
    results = []
    for _ in range(10):
        y = np.empty_like(x)
        centred(x, y)
        results.append(y)
    first = numpy.asarray(results[0])
    # Each tile has a mean of its own, and they follow each other.
    means = numpy.round(a - first, 9)
    ends = [0, *(numpy.flatnonzero(numpy.diff(means)) + 1), len(a)]
    for begin, end in zip(ends, ends[1:]):
        assert means[begin] == pytest.approx((a[begin:end] ** 2).mean(), abs=1e-8)
    for y in results:
        assert numpy.array_equal(y, first)


def test_an_array_from_outside_is_refused_in_a_body():
    outside = np.ones(10)

    @weft.task(nested=True)
    def wrong(y: Out):
        y[:] = float((outside + 1).sum())

    y = np.empty(10)
    wrong(y)
    with pytest.raises(RuntimeError, match="arrays from outside of it"):
        y.tolist()


def test_other_bodies_still_make_no_calls():
    @weft.task
    def wrong(y: Out):
        y[:] = np.ones(3).sum()

    y = np.empty(10)
    wrong(y)
    with pytest.raises(RuntimeError, match="starts tasks"):
        y.tolist()


@weft.task(align("x", "y"), concurrent=True)
def prefix(x: In, y: Out, every: Communicator):
    sums = every.all_gather(x.sum())
    assert len(sums) == every.tiles
    y[:] = numpy.cumsum(x) + sum(sums[: every.tile])
    most = every.all_reduce(x.max(), MAX)
    assert most >= x.max()
    norms = every.all_reduce(numpy.array([1.0, float(every.tile)]), ADD)
    assert norms.tolist() == [every.tiles, every.tiles * (every.tiles - 1) / 2]
    every.barrier()
    sent = every.all_to_all([(every.tile, other) for other in range(every.tiles)])
    assert sent == [(other, every.tile) for other in range(every.tiles)]


def test_tiles_exchange_values():
    a = RNG.integers(0, 100, size=300_000)
    for _ in range(5):
        y = np.empty(300_000, a.dtype)
        prefix(np.asarray(a), y)
        assert numpy.array_equal(y, numpy.cumsum(a))


def test_a_tile_that_fails_fails_the_call():
    @weft.task(align("x", "y"), concurrent=True)
    def uneven(x: In, y: Out, every: Communicator):
        y[:] = x
        if every.tile == 0:
            raise ValueError("the first tile")
        every.barrier()

    y = np.empty(300_000)
    uneven(np.ones(300_000), y)
    with pytest.raises(RuntimeError, match="the first tile"):
        y.tolist()


PROGRAM = """
import weft
import weft.numpy as np
from weft.tasks import In, Out, align

@weft.task(align("x", "y"), nested=True)
def outer(x: In, y: Out):
    part = np.array(x)
    y[:] = np.sqrt(part) + 1.0

@weft.task(align("x", "y"), nested=True)
def outermost(x: In, y: Out):
    part = np.array(x)
    out = np.empty_like(part)
    outer(part, out)
    y[:] = out

x = np.ones(50_000)
y = np.empty(50_000)
outermost(x, y)
assert y.tolist() == [2.0] * 50_000
"""


def test_what_bodies_ask_for_is_part_of_their_operation_with_lines_of_the_body(tmp_path):
    db = profiled.database(PROGRAM, tmp_path, "--cpus", "2")
    rows = db.execute(
        "SELECT o.name, v.line, p.name FROM WEFT_OPERATION o LEFT JOIN WEFT_PROVENANCE v ON v.id = o.provenanceId "
        "LEFT JOIN WEFT_OPERATION p ON p.uid = o.parentUid"
    ).fetchall()
    found = {(name, parent) for name, _, parent in rows}
    assert ("outermost", None) in found, rows
    assert ("outer", "outermost") in found, rows
    assert ("sqrt", "outer") in found, rows
    lines = {name: line for name, line, _ in rows}
    text = PROGRAM.splitlines()
    assert "np.sqrt" in text[lines["sqrt"] - 1] and "outer(part" in text[lines["outer"] - 1]
    # Each task has its processor, and each kernel its task.
    processors = {name for (name,) in db.execute("SELECT name FROM WEFT_PROCESSOR")}
    assert "CPU 0 level 1" in processors, processors
    assert db.execute("SELECT count(*) FROM WEFT_TASK t WHERE NOT EXISTS (SELECT 1 FROM WEFT_PROCESSOR p WHERE p.id = t.processorId)").fetchone() == (0,)
    unlinked = "SELECT count(*) FROM WEFT_KERNEL WHERE id NOT IN (SELECT kernelId FROM WEFT_KERNEL_TASK)"
    assert db.execute(unlinked).fetchone() == (0,)
