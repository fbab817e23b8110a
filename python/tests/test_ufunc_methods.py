"""`reduce`, `accumulate`, `reduceat`, `outer` and `at` of universal functions, against NumPy; none may fall back."""

import numpy
import pytest
import weft.numpy as np


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


# Not `power` and `arctan2`, whose reductions NumPy 2.4 computes wrong on processors with AVX-512.
BINARY = [
    "add", "subtract", "multiply", "divide", "floor_divide", "maximum", "minimum", "fmax", "fmin", "logical_and",
    "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "hypot", "logaddexp", "remainder",
    "left_shift", "equal", "greater",
]  # fmt: skip
DTYPES = ["?", "i2", "u4", "i8", "f4", "f8", "c16"]


def values(dtype, shape=(4, 3)):
    return (numpy.arange(1, 1 + int(numpy.prod(shape))).reshape(shape) % 4 + 1).astype(dtype)


def agree(of, *args):
    """The same result, or an error of the same kind."""
    try:
        with numpy.errstate(all="ignore"):
            expected = of(numpy, *args)
    except (TypeError, ValueError, IndexError) as error:
        with pytest.raises(type(error)):
            of(np, *(np.asarray(one) if isinstance(one, numpy.ndarray) else one for one in args))
        return
    made = of(np, *(np.asarray(one) if isinstance(one, numpy.ndarray) else one for one in args))
    expected = numpy.asarray(expected)
    assert made.dtype == expected.dtype and made.shape == expected.shape
    host = numpy.asarray(made)
    if expected.dtype.kind in "biu":
        numpy.testing.assert_array_equal(host, expected)
    else:
        numpy.testing.assert_allclose(host, expected, rtol={2: 2e-3, 4: 1e-5}.get(expected.dtype.itemsize, 1e-12))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", DTYPES)
def test_methods_match_numpy(name, dtype):
    x = values(dtype)
    for axis in (0, 1, None, (0, 1)):
        agree(lambda of, x: getattr(of, name).reduce(x, axis=axis), x)
        agree(lambda of, x: getattr(of, name).reduce(x, axis=axis, keepdims=True), x)
    for axis in (0, -1):
        agree(lambda of, x: getattr(of, name).accumulate(x, axis=axis), x)
        agree(lambda of, x: getattr(of, name).reduceat(x, [0, 2, 1, 2], axis=axis), x)
    agree(lambda of, x: getattr(of, name).outer(x[0], x[:, 1]), x)
    agree(lambda of, x: getattr(of, name).reduce(x[:0]), x)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "hypot", "logical_xor", "subtract", "fmin"])
def test_where_and_initial_match_numpy(name):
    x, mask = values("f8"), numpy.arange(12).reshape(4, 3) % 3 > 0
    agree(lambda of, x, mask: getattr(of, name).reduce(x, where=mask, initial=2), x, mask)
    agree(lambda of, x, mask: getattr(of, name).reduce(x, where=mask), x, mask)
    agree(lambda of, x: getattr(of, name).reduce(x, axis=1, initial=3), x)
    agree(lambda of, x: getattr(of, name).reduce(x, dtype="f4"), x)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "maximum", "power", "negative", "copysign"])
@pytest.mark.parametrize("dtype", ["i8", "f4", "f8", "c16"])
def test_at_with_repeated_indices_matches_numpy(name, dtype):
    def changed(of, a, b):
        a = a.copy()
        places = [1, 0, 1, 3, 1]
        if name == "negative":
            of.negative.at(a, places)
        else:
            getattr(of, name).at(a, places, b)
        return a

    agree(changed, values(dtype, (5,)), values(dtype, (5,)))
    agree(changed, values(dtype, (5, 2)), values(dtype, (2,)))


def test_at_with_often_repeated_indices_matches_numpy():
    places = numpy.arange(5000) % 7
    for name, start in (("add", 0.0), ("maximum", 0.0), ("subtract", 3.0), ("multiply", 1.0)):
        theirs, own = numpy.full(9, start), np.full(9, start)
        weights = numpy.linspace(0.999, 1.001, 5000)
        getattr(numpy, name).at(theirs, places, weights)
        getattr(np, name).at(own, np.asarray(places), np.asarray(weights))
        numpy.testing.assert_allclose(numpy.asarray(own), theirs, rtol=1e-10)


def test_at_accepts_masks_and_slices():
    for key in (slice(1, None, 2), ([0, 1], [2, 2]), numpy.array([True, False, True, True]), -1):
        theirs, own = values("f8"), np.asarray(values("f8"))
        numpy.add.at(theirs, key, 2.0)
        np.add.at(own, np.asarray(key) if isinstance(key, numpy.ndarray) else key, 2.0)
        numpy.testing.assert_array_equal(numpy.asarray(own), theirs)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "i8", "f4", "f8", "c8", "c16"])
def test_segments_of_every_dtype_length_and_stride(name, dtype):
    drawn = numpy.random.default_rng(11)
    for shape, axis in [((5000,), 0), ((40, 30), 0), ((40, 30), 1), ((7, 5, 60), -1), ((60, 1, 3), 0)]:
        length = shape[axis]
        x = numpy.where(drawn.random(shape) < 0.9, 1, -1) * drawn.integers(1, 3, shape) if name == "multiply" else drawn.integers(-9, 9, shape)
        x = x.astype(dtype)
        # A few long segments and many short ones, in order and not, with repetitions.
        for count in (1, 3, length):
            for places in (numpy.sort(drawn.integers(0, length, count)), drawn.integers(0, length, count)):
                if name == "multiply" and x.dtype.kind in "fc":
                    places = numpy.arange(0, length, 4)
                agree(lambda of, x, at=places, axis=axis: getattr(of, name).reduceat(x, at, axis=axis), x)
                agree(lambda of, x, at=places, axis=axis: getattr(of, name).reduceat(x[::-1].T, at[::2] % x.shape[-1]), x)
        agree(lambda of, x, axis=axis: getattr(of, name).reduceat(x, [], axis=axis), x)
        agree(lambda of, x, axis=axis: getattr(of, name).reduceat(x, [0, 1], axis=axis, dtype="i4"), x)
        agree(lambda of, x, axis=axis, end=length: getattr(of, name).reduceat(x, [0, end], axis=axis), x)


def test_segments_with_nan():
    x = numpy.arange(3000.0)
    x[[5, 700, 2999]] = numpy.nan
    x[[9, 800]] = -numpy.inf
    for name in ("add", "maximum", "minimum"):
        agree(lambda of, x, name=name: getattr(of, name).reduceat(x, [0, 5, 6, 9, 10, 600, 2998]), x)


@pytest.mark.parametrize("name", ["fmin", "fmax"])
@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f2", "f4", "f8"])
def test_bounds_of_numbers_skip_nan(name, dtype):
    drawn = numpy.random.default_rng(12)
    for shape in [(1,), (9,), (3000,), (40, 700), (700, 3)]:
        x = (drawn.random(shape) * 9 - 4).astype("f4").astype(dtype) if dtype[0] != "u" else drawn.integers(0, 200, shape).astype(dtype)
        if x.dtype.kind == "f":
            x[drawn.random(shape) < 0.4] = numpy.nan
            x[..., 0] = numpy.nan
        for axis in (None, 0, -1):
            agree(lambda of, x, axis=axis: getattr(of, name).reduce(x, axis=axis), x)
            agree(lambda of, x, axis=axis: getattr(of, name).reduce(x[::-2].T, axis=axis, keepdims=True), x)
        agree(lambda of, x: getattr(of, name).reduceat(x, [0, x.shape[0] // 2]), x)
