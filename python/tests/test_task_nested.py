"""Tasks whose bodies start tasks, and tasks whose tiles exchange values."""

import subprocess
import sys

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
    # Each tile has its own mean, and they follow each other.
    means = numpy.round(a - first, 9)
    ends = [0, *(numpy.flatnonzero(numpy.diff(means)) + 1), len(a)]
    for begin, end in zip(ends, ends[1:]):
        assert means[begin] == pytest.approx((a[begin:end] ** 2).mean(), abs=1e-8)
    for y in results:
        assert numpy.array_equal(y, first)


def test_body_rejects_arrays_from_outside():
    outside = np.ones(10)

    @weft.task(nested=True)
    def wrong(y: Out):
        y[:] = float((outside + 1).sum())

    y = np.empty(10)
    wrong(y)
    with pytest.raises(RuntimeError, match="arrays from outside of it"):
        y.tolist()


def test_rejects_arrays_left_by_another_body_with_their_line():
    left = []

    @weft.task(nested=True, whole=True)
    def leaves(y: Out):
        left.append(np.ones(10))
        y[:] = 0

    y = np.empty(10)
    leaves(y)
    assert y.sum() == 0

    for use in [lambda x: x + 1, numpy.asarray, lambda x: x[3].item(), lambda x: x.tolist()]:

        @weft.task(nested=True, whole=True)
        def finds(y: Out):
            use(left[0])
            y[:] = 1

        y = np.empty(10)
        finds(y)
        with pytest.raises(RuntimeError, match=r"test_task_nested.py:\d+ is of another body"):
            y.tolist()


def test_unnested_bodies_cannot_make_calls():
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


def test_failing_tile_fails_the_call():
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


def test_nested_operations_have_parent_and_body_lines(tmp_path):
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
    # A body's waits are those of its task, on its processor; others are the program's.
    waits = db.execute(
        "SELECT o.name, p.name FROM WEFT_WAIT w JOIN WEFT_PROCESSOR p ON p.id = w.processorId "
        "LEFT JOIN WEFT_TASK t ON t.uid = w.taskUid LEFT JOIN WEFT_OPERATION o ON o.uid = t.opUid"
    ).fetchall()
    assert {name for name, _ in waits} == {None, "outer", "outermost"}, waits
    assert all((name is None) == (processor == "Program") for name, processor in waits), waits
    unlinked = "SELECT count(*) FROM WEFT_KERNEL WHERE id NOT IN (SELECT kernelId FROM WEFT_KERNEL_TASK)"
    assert db.execute(unlinked).fetchone() == (0,)


def run(program, tmp_path, *flags):
    path = tmp_path / "prog.py"
    path.write_text(program)
    command = [profiled.COMMAND, "run", *flags, "--", sys.executable, str(path)]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)


def test_running_bodies_complete_at_program_exit(tmp_path):
    program = """
import time
import weft.numpy as np, weft
from weft.tasks import InOut, Out

@weft.task(whole=True)
def inner(y: InOut):
    y += 1

@weft.task(nested=True, whole=True)
def outer(y: Out):
    time.sleep(0.3)
    part = np.zeros(len(y))
    for _ in range(5):
        inner(part)
    y[:] = part
    print("done", y.sum())

outer(np.empty(10))
"""
    done = run(program, tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "done 50.0"), done.stderr


def test_arrays_kept_by_a_body_stay_valid_with_verify(tmp_path):
    program = """
import weft.numpy as np, weft
from weft.tasks import In, Out, align
kept = []

@weft.task(align("x", "y"), whole=True)
def keeps(x: In, y: Out):
    kept.append(x)
    y[:] = x

x, y = np.arange(1000.0), np.empty(1000)
keeps(x, y)
assert y.sum() == 499500.0
more = [np.ones(1000) for _ in range(50)]
assert all(float(one[999]) == 999.0 for one in kept), [one[999] for one in kept]
print(len(kept))
"""
    done = run(program, tmp_path, "--verify")
    assert (done.returncode, done.stdout.strip()) == (0, "4"), done.stderr


def test_rejects_invalid_nested_and_concurrent_definitions():
    with pytest.raises(TypeError, match="use concurrent=True"):

        @weft.task
        def alone(y: Out, every: Communicator): ...

    with pytest.raises(TypeError, match="by its name alone"):

        @weft.task
        def named(y: Out, *, n: int = 4): ...

    with pytest.raises(TypeError, match="do not get"):

        @weft.task(concurrent=True, compiler="numba")
        def compiled(y: Out, every: Communicator): ...


def test_rejects_arrays_of_both_levels_in_one_call():
    outside = np.ones(10)

    @weft.task(nested=True)
    def mixed(y: Out):
        y[:] = np.ones(10) + outside

    y = np.empty(10)
    mixed(y)
    with pytest.raises(RuntimeError, match="arrays from outside of it"):
        y.tolist()


NESTED = """
import weft, weft.numpy as np
from weft.tasks import In, Out, align

@weft.task(align("x", "y"), nested=True)
def doubled(x: In, y: Out):
    y[:] = np.array(x) * 2

x = np.ones(100_000)
y = np.empty_like(x)
doubled(x, y)
print(float(y.sum()))
"""


def test_programs_with_nested_tasks_end_without_a_message(tmp_path):
    (tmp_path / "program.py").write_text(NESTED)
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "200000.0\n", "")
