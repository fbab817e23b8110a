"""Results of `np.roll`: views of a copy with margins until the program does more with them than computing."""

import time

import numpy
import pytest
import weft
import weft.numpy as wnp

import emulated

SHAPES = [(200, 300), (40_000,), (20, 50, 60), (190, 200), (5, 7), (3, 20_000)]


def live():
    return sum(pool["live"] for pool in weft.pool_status())


def pair(shape, seed, dtype="f8"):
    values = numpy.random.default_rng(seed).integers(-100, 100, shape).astype(dtype)
    return values.copy(), wnp.array(values)


def equal(ours, theirs):
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert numpy.array_equal(numpy.asarray(ours), theirs)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["f8", "i1", "c8", "?"])
def test_sums_of_rolled_arrays_equal_numpys(shape, dtype):
    theirs, ours = pair(shape, 1, dtype)
    for axis in range(len(shape)):
        for shift in (1, -1, 2, -3, 7, shape[axis] // 2, shape[axis], -5 * shape[axis] - 1, 0):
            equal(wnp.roll(ours, shift, axis) + wnp.roll(ours, -shift, axis), numpy.roll(theirs, shift, axis) + numpy.roll(theirs, -shift, axis))
            equal(wnp.roll(ours, shift, axis), numpy.roll(theirs, shift, axis))
    equal(wnp.roll(ours, 3) * ours, numpy.roll(theirs, 3) * theirs)
    every = tuple(range(len(shape)))
    equal(wnp.roll(ours, (1,) * len(shape), every) + ours, numpy.roll(theirs, (1,) * len(shape), every) + theirs)


def test_rolled_results_roll_again():
    theirs, ours = pair((300, 200), 2)
    for steps in [((1, 0), (1, 1)), ((2, 1), (-1, 0), (3, 1)), ((1, 0),) * 12, ((-1, 1),) * 20, ((5, 0), (-5, 0))]:
        left, right = ours, theirs
        for shift, axis in steps:
            left, right = wnp.roll(left, shift, axis), numpy.roll(right, shift, axis)
            equal(left - ours, right - theirs)
        equal(left, right)


def test_results_keep_elements_from_before_a_write():
    theirs, ours = pair((300, 200), 3)
    left, right = wnp.roll(ours, 1, 0), numpy.roll(theirs, 1, 0)
    ours[5:9] = 7.0
    theirs[5:9] = 7.0
    equal(left + 1, right + 1)
    equal(wnp.roll(ours, 1, 0) + left, numpy.roll(theirs, 1, 0) + right)
    ours += left
    theirs += right
    equal(wnp.roll(ours, -1, 1) + 0, numpy.roll(theirs, -1, 1) + 0)
    view, theirs_view = ours[::2], theirs[::2]
    view *= 2
    theirs_view *= 2
    equal(wnp.roll(ours, -1, 1) + 0, numpy.roll(theirs, -1, 1) + 0)


def test_results_share_no_memory():
    theirs, ours = pair((300, 200), 4)
    first, second = wnp.roll(ours, 1, 0), wnp.roll(ours, 1, 0)
    assert not wnp.shares_memory(first, second)
    assert not wnp.shares_memory(first, ours)
    first[0, 0] = 1000.0
    right = numpy.roll(theirs, 1, 0)
    equal(second + 0, right + 0)
    right[0, 0] = 1000.0
    equal(first + 0, right + 0)
    equal(wnp.roll(ours, 1, 0) + 0, numpy.roll(theirs, 1, 0) + 0)
    third = wnp.roll(ours, 1, 1)
    third += 1
    equal(third, numpy.roll(theirs, 1, 1) + 1)
    equal(wnp.roll(ours, 1, 1) * 1, numpy.roll(theirs, 1, 1))


def test_attributes_are_those_of_a_new_array():
    theirs, ours = pair((300, 200), 5)
    left, right = wnp.roll(ours, 2, 1), numpy.roll(theirs, 2, 1)
    assert (left.shape, left.ndim, left.size, left.dtype, left.nbytes) == (right.shape, right.ndim, right.size, right.dtype, right.nbytes)
    assert left.strides == right.strides
    assert left.base is None and left.flags.owndata and left.flags.writeable and left.flags.c_contiguous


@pytest.mark.parametrize("use", [
    lambda m, x: x[3:50, ::2], lambda m, x: x.T, lambda m, x: x.reshape(-1), lambda m, x: x[x > 0], lambda m, x: m.where(x > 0, x, 0),
    lambda m, x: x.astype("f4"), lambda m, x: x.astype("f8", copy=False), lambda m, x: x.sum(0), lambda m, x: m.stack([x, x]), lambda m, x: m.concatenate([x, x]),
    lambda m, x: x @ x.T, lambda m, x: m.sort(x, 0), lambda m, x: x.copy(), lambda m, x: m.real(x), lambda m, x: m.asarray(x), lambda m, x: m.clip(x, -1, 1),
    lambda m, x: m.add(x, 1, out=x), lambda m, x: m.cumsum(x, 1), lambda m, x: m.maximum(x, m.roll(x, 1, 0)), lambda m, x: m.positive(x), lambda m, x: x.max(),
])  # fmt: skip
def test_every_use_of_a_result_equals_numpys(use):
    theirs, ours = pair((240, 200), 6)
    left, right = wnp.roll(ours, -1, 0), numpy.roll(theirs, -1, 0)
    made = use(wnp, left)
    equal(made, use(numpy, right))
    if getattr(made, "ndim", 0):
        made[...] = 5
    equal(wnp.roll(ours, -1, 0) + 0, numpy.roll(theirs, -1, 0) + 0)


def test_shared_views_of_a_cast_are_independent():
    _, ours = pair((240, 200), 7)
    left = wnp.roll(ours, 1, 0)
    same = left.astype(left.dtype, copy=False)
    same[0] = 3.0
    assert float(left[0, 0]) == 3.0


def test_programs_with_writes_equal_numpys():
    for seed in range(20):
        rng = numpy.random.default_rng(seed)
        theirs, ours = pair((210, 170), seed)
        for _ in range(25):
            shift, axis = int(rng.integers(-10, 11)), int(rng.integers(0, 2))
            match int(rng.integers(0, 5)):
                case 0:
                    ours, theirs = wnp.roll(ours, shift, axis), numpy.roll(theirs, shift, axis)
                case 1:
                    ours, theirs = wnp.roll(ours, shift, axis) - ours, numpy.roll(theirs, shift, axis) - theirs
                case 2:
                    ours[shift % 50 :] += wnp.roll(ours, 1, axis)[shift % 50 :]
                    theirs[shift % 50 :] += numpy.roll(theirs, 1, axis)[shift % 50 :]
                case 3:
                    ours[::3, 1:] = shift
                    theirs[::3, 1:] = shift
                case _:
                    other, others = wnp.roll(ours, shift, axis), numpy.roll(theirs, shift, axis)
                    ours *= 2
                    theirs *= 2
                    ours, theirs = ours % 101 + other, theirs % 101 + others
        equal(ours, theirs)


ON_GPU = """
import numpy
import weft.numpy as wnp


def run(np):
    u = np.array(numpy.random.default_rng(3).random((230, 190)))
    for step in range(4):
        u = u + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u)
        mask = u > 0.6
        u[mask] -= 0.25
        kept = np.roll(u, (2, -1), (0, 1))
        u[mask] *= 1.5
        chosen = u[mask]
        u[step] = 0.5
        u = u + 0.01 * kept
    return u, chosen


for ours, theirs in zip(run(wnp), run(numpy)):
    assert numpy.allclose(numpy.asarray(ours), theirs, rtol=1e-12)
print("all right")
"""


def test_rolls_and_masked_updates_on_gpus_equal_numpys(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(ON_GPU)
    assert emulated.run(path, tmp_path, emulated.environment(tmp_path)) == "all right\n"


def test_copies_with_margins_die_with_their_array():
    ours = wnp.array(numpy.ones((1000, 1000)))
    total = float((wnp.roll(ours, 1, 0) + ours).sum())
    assert total == 2e6
    most = live()
    del ours
    for _ in range(200):
        if most - live() >= 2 * 8_000_000:
            break
        time.sleep(0.05)
    assert most - live() >= 2 * 8_000_000


def test_results_release_the_copy_when_they_get_their_own_memory():
    kept, before = [], live()
    for number in range(4):
        a = wnp.arange(1_000_000.0) + number
        rolled = wnp.roll(a, 1)
        rolled[0] = 5
        kept.append(rolled)
        del a, rolled
    assert [float(one[1]) for one in kept] == [0.0, 1.0, 2.0, 3.0]
    # Operations release their arrays a moment after their end.
    for _ in range(200):
        if live() - before < 5 * 8_000_000:
            break
        time.sleep(0.05)
    assert live() - before < 5 * 8_000_000


def test_rolls_after_a_new_shape_have_it():
    ours, theirs = wnp.arange(40_000.0), numpy.arange(40_000.0)
    equal(wnp.roll(ours, 1) + 0, numpy.roll(theirs, 1) + 0)
    for shape in ((200, 200), (100, 400), (40_000,)):
        ours.shape = theirs.shape = shape
        for axis in range(len(shape)):
            equal(wnp.roll(ours, 1, axis), numpy.roll(theirs, 1, axis))
            equal(wnp.roll(ours, -1, axis) + 0, numpy.roll(theirs, -1, axis) + 0)
