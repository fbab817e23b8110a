"""Tasks of every kind, called by many threads at once."""

import numpy
import pytest
import weft
import weft.numpy as np
from test_threads import THREADS, at_once, frequent_turns  # noqa: F401  The fixture is used by its name.
from weft.tasks import ADD, Communicator, In, Out, TaskContext, Unbound, align, image

ROUNDS = 5


@weft.task(align("x", "y"))
def doubled(x: In, y: Out):
    y[:] = 2 * x


@weft.task(align("x", "y"), nested=True)
def shifted(x: In, y: Out):
    part = np.array(x)
    twice = np.empty_like(part)
    doubled(part, twice)
    y[:] = twice - part + float(np.ones(len(x)).sum()) / len(x)


@weft.task(align("x", "y"), concurrent=True)
def prefix(x: In, y: Out, every: Communicator):
    sums = every.all_gather(x.sum())
    y[:] = numpy.cumsum(x) + sum(sums[: every.tile])
    assert every.all_reduce(x.sum(), ADD) == sum(sums)


@weft.task
def above(x: In["i8", 1], limit: int, found: Unbound["i8"], ctx: TaskContext):
    found.extend(numpy.flatnonzero(x > limit) + ctx.ranges_of("x")[0].start)


@weft.task(align("y", "at"), image("at", "x", "coordinates", exact=True))
def gathered(ctx: TaskContext, at: In, x: In, y: Out):
    y[:] = x[at - ctx.ranges_of("x")[0].start]


def test_each_thread_gets_its_own_results():
    def work(number):
        random = numpy.random.default_rng(number)
        for _ in range(ROUNDS):
            a = random.integers(0, 1000, 50_000)
            at = random.integers(0, len(a), 20_000)
            x = np.asarray(a)
            one, sums, picked = np.empty_like(x), np.empty_like(x), np.empty(len(at), a.dtype)
            shifted(x, one)
            prefix(x, sums)
            found = above(x, 900)
            gathered(np.asarray(at), x, picked)
            assert numpy.array_equal(one, a + 1)
            assert numpy.array_equal(sums, numpy.cumsum(a))
            assert numpy.array_equal(found, numpy.flatnonzero(a > 900))
            assert numpy.array_equal(picked, a[at])
        return ROUNDS

    assert at_once(work) == [ROUNDS] * THREADS


@pytest.mark.parametrize("kind", ["nested", "concurrent"])
def test_body_error_reaches_the_calling_thread(kind):
    @weft.task(align("x", "y"), **{kind: True})
    def picky(x: In, y: Out, number: int):
        if number % 2:
            raise ValueError(f"from {number}")
        y[:] = x + number

    def work(number):
        x = np.zeros(10_000)
        y = np.empty_like(x)
        picky(x, y, number)
        if number % 2 == 0:
            return float(y.max())
        with pytest.raises(RuntimeError) as raised:
            y.tolist()
        return str(raised.value.__cause__)

    assert at_once(work) == [f"from {number}" if number % 2 else float(number) for number in range(THREADS)]
