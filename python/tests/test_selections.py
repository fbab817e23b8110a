"""Masks, partitions and unique elements: the values, types and errors of NumPy at sizes at which Weft uses different algorithms."""

import numpy
import pytest

import weft.numpy as np

RANDOM = numpy.random.default_rng(11)
SHAPES = [(0,), (1,), (7,), (100,), (10_000,), (40_000,), (3, 5), (60, 70), (4, 0), (2, 3, 4)]
DTYPES = ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c16"]


def drawn(shape, dtype):
    made = RANDOM.integers(-3, 4, shape).astype(dtype)
    if made.dtype.kind in "fc":
        made[RANDOM.random(shape) < 0.1] = numpy.nan
        made[RANDOM.random(shape) < 0.1] = -0.0
    return made


def same(ours, theirs):
    if isinstance(theirs, tuple):
        assert isinstance(ours, tuple) and len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            same(one, other)
        return
    ours = numpy.asarray(ours)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    numpy.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_masks(shape, dtype):
    theirs, mask = drawn(shape, dtype), RANDOM.random(shape) < 0.4
    ours, own = np.array(theirs), np.array(mask)
    for view in (lambda a: a, lambda a: a[::-1], lambda a: a.T, lambda a: a[..., ::2]):
        a, m, b, n = view(ours), view(own), view(theirs), view(mask)
        same(a[m], b[n])
        same(np.nonzero(a), numpy.nonzero(b))
        same(np.flatnonzero(a), numpy.flatnonzero(b))
        same(np.argwhere(m), numpy.argwhere(n))
        same(np.extract(m, a), numpy.extract(n, b))
        assert int(np.count_nonzero(a)) == numpy.count_nonzero(b)
        if a.ndim == 1:
            same(np.compress(m, a), numpy.compress(n, b))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_writes_by_masks(shape, dtype):
    mask = RANDOM.random(shape) < 0.4
    own, count = np.array(mask), int(mask.sum())
    for value in (1, True, drawn((count,), dtype), drawn((count,), "f4") if dtype == "f8" else 0):
        theirs = drawn(shape, dtype)
        ours = np.array(theirs)
        ours[own] = np.array(value) if isinstance(value, numpy.ndarray) else value
        theirs[mask] = value
        same(ours, theirs)
    for length in (1, 3, count + 2):
        values, theirs = drawn((length,), dtype), drawn(shape, dtype)
        ours = np.array(theirs)
        np.place(ours, own, np.array(values))
        numpy.place(theirs, mask, values)
        same(ours, theirs)


def test_values_that_do_not_fit_a_mask():
    ours, theirs = np.arange(5.0), numpy.arange(5.0)
    mask = numpy.array([True, False, True, False, False])
    for value in (numpy.ones(3), numpy.ones((1, 2)), 300, 2.5):
        for dtype in ("f8", "u1"):
            a, b = ours.astype(dtype), theirs.astype(dtype)
            raised = []
            for array, selected, given in ((a, np.array(mask), value), (b, mask, value)):
                try:
                    array[selected] = np.array(given) if array is a and isinstance(given, numpy.ndarray) else given
                    raised.append(None)
                except Exception as error:  # noqa: BLE001  NumPy's, whatever it is
                    raised.append((type(error), str(error)))
            assert raised[0] == raised[1], (value, dtype)
            same(a, b)
    overlapping = np.arange(6.0)
    overlapping[overlapping > 2] = overlapping[:3]
    same(overlapping, numpy.array([0.0, 1.0, 2.0, 0.0, 1.0, 2.0]))


def test_indices_out_of_bounds():
    with pytest.raises(IndexError, match="index 7 is out of bounds for an axis of 5 elements"):
        numpy.asarray(np.arange(5.0)[np.array([1, 7])])
    same(np.arange(5.0)[np.array([1, -1, 4], "i4")], numpy.array([1.0, 4.0, 4.0]))
    same(np.arange(6.0).reshape(3, 2)[np.array([[2, 0]])], numpy.arange(6.0).reshape(3, 2)[numpy.array([[2, 0]])])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape,axis", [((1,), 0), ((9,), 0), ((1000,), -1), ((40_000,), None), ((30, 20), 0), ((30, 20), 1), ((30, 20), None)])
def test_partitions(shape, axis, dtype):
    theirs = drawn(shape, dtype)
    ours = np.array(theirs)
    length = theirs.size if axis is None else shape[axis]
    for kth in (0, length // 2, -1, [0, length // 3, length - 1], [length // 2] * 2):
        # NumPy's default sort misorders halves with NaN.
        ordered, made = numpy.sort(theirs, axis, kind="stable"), numpy.asarray(np.partition(ours, kth, axis))
        named = numpy.asarray(np.argpartition(ours, kth, axis))
        by_number = numpy.take_along_axis(theirs.ravel() if axis is None else theirs, named, 0 if axis is None else axis)
        along = 0 if axis is None else axis
        for one in (made, by_number):
            places = numpy.atleast_1d(kth)
            numpy.testing.assert_array_equal(numpy.take(one, places, along), numpy.take(ordered, places, along))
            numpy.testing.assert_array_equal(numpy.sort(one, along, kind="stable"), ordered)
            if theirs.dtype.kind != "c":
                for place in places % length:
                    pivot = numpy.take(ordered, [place], along)
                    below, above = numpy.split(one, [place], along)
                    assert not (below > pivot).any() and not (above < pivot).any()
    with pytest.raises(ValueError, match="out of bounds"):
        np.partition(ours, length, axis)


@pytest.mark.parametrize("dtype", ["?", "i2", "i8", "f4", "f8"])
@pytest.mark.parametrize("shape", [(1,), (2,), (101,), (10_000,), (40_000,), (30, 21)])
def test_medians_and_quantiles(shape, dtype):
    for theirs in (drawn(shape, dtype), RANDOM.integers(-9, 9, shape).astype(dtype)):
        ours = np.array(theirs)
        for axis in (None, 0, -1):
            names = ["median", "nanmedian"]
            with numpy.errstate(all="ignore"), pytest.MonkeyPatch.context():
                for name in names:
                    numpy.testing.assert_array_equal(numpy.asarray(getattr(np, name)(ours, axis)), getattr(numpy, name)(theirs, axis))
                if dtype != "?":
                    for q in (0, 25, 99.5, [0, 10, 50, 100]):
                        for method in ("linear", "nearest", "median_unbiased", "inverted_cdf"):
                            expected = numpy.percentile(theirs, q, axis, method=method)
                            made = numpy.asarray(np.percentile(ours, q, axis, method=method))
                            numpy.testing.assert_allclose(made, expected, rtol=1e-6 if dtype == "f4" else 1e-12)
                            expected = numpy.nanpercentile(theirs, q, axis, method=method)
                            made = numpy.asarray(np.nanpercentile(ours, q, axis, method=method))
                            numpy.testing.assert_allclose(made, expected, rtol=1e-6 if dtype == "f4" else 1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8", "u8", "f4", "f8"])
@pytest.mark.parametrize("count", [0, 1, 50, 10_000, 40_000])
def test_unique(count, dtype):
    for spread in (5, 100_000):
        theirs = RANDOM.integers(-spread, spread, count).astype(dtype)
        if theirs.dtype.kind == "f" and count > 1:
            theirs[::7], theirs[1] = numpy.nan, -0.0
        ours = np.array(theirs)
        same(np.unique(ours), numpy.unique(theirs))
        for flags in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)):
            same(np.unique(ours, *flags), numpy.unique(theirs, *flags))
        same(tuple(np.unique_counts(ours)), tuple(numpy.unique_counts(theirs)))
        other = RANDOM.integers(-spread, spread, 300).astype(dtype)
        mine = np.array(other)
        for name in ("isin", "setdiff1d", "union1d", "intersect1d", "setxor1d"):
            same(getattr(np, name)(ours, mine), getattr(numpy, name)(theirs, other))
    if numpy.dtype(dtype).itemsize == 8 and numpy.dtype(dtype).kind in "iu":
        high = numpy.iinfo(dtype).max
        theirs = numpy.array([high, high - 1, 0, high] * (count // 4), dtype)
        same(np.unique(np.array(theirs), return_counts=True), numpy.unique(theirs, return_counts=True))
        same(np.isin(np.array(theirs), np.array([high, 5], dtype)), numpy.isin(theirs, numpy.array([high, 5], dtype)))
