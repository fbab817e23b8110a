"""Functions, dtypes, views and indices, against NumPy."""

import numpy
import pytest
import weft.numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from weft.numpy import _fallback

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def same(left, right, exact=False):
    """The same shape, dtype and values; within some units in the last place if not exact."""
    assert isinstance(left, (np.ndarray, numpy.generic)), type(left)
    if isinstance(right, (numpy.ndarray, numpy.generic)):
        assert isinstance(left, numpy.generic) == isinstance(right, numpy.generic), type(left)
    right = numpy.asarray(right)
    assert left.shape == right.shape
    assert left.dtype == right.dtype
    host = numpy.asarray(left)
    if exact or right.dtype.kind in "biu":
        numpy.testing.assert_array_equal(host, right)
    else:
        eps = numpy.finfo(right.dtype).eps
        numpy.testing.assert_allclose(host, right, rtol=64 * eps, atol=64 * eps)


def values(dtype, shape=(3, 4)):
    numbers = numpy.arange(1, 1 + int(numpy.prod(shape))).reshape(shape)
    return (numbers % 5 + (1.5 if dtype in ("f2", "f4", "f8") else 1)).astype(dtype)


UNARY = [
    "absolute", "negative", "sqrt", "exp", "log", "sin", "cos", "tanh", "square", "sign", "floor", "ceil", "rint", "isnan",
    "isfinite", "logical_not", "invert", "conjugate", "reciprocal", "log1p", "expm1", "arctan", "positive", "signbit", "trunc",
    "cbrt", "degrees", "radians", "fabs", "modf", "exp2", "log2", "log10",
]  # fmt: skip
BINARY = [
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power", "maximum", "minimum", "less", "equal",
    "greater_equal", "not_equal", "logical_and", "logical_xor", "bitwise_and", "bitwise_or", "left_shift", "hypot", "arctan2",
    "copysign", "fmax", "fmin", "fmod", "divmod", "float_power", "logaddexp", "heaviside",
]  # fmt: skip


def test_only_zero_dimensional_arrays_convert_to_numbers():
    assert int(np.array(2.5)) == 2 and float(np.array(2)) == 2.0 and complex(np.array(1j)) == 1j and bool(np.array([1]))
    for convert in (int, float, complex):
        with pytest.raises(TypeError, match="0-dimensional"):
            convert(np.array([2]))


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: np.linalg.inv(np.zeros((2, 2))), "Singular matrix"),
        (lambda: np.linalg.solve(np.zeros((2, 2)), np.ones(2)), "Singular matrix"),
        (lambda: np.linalg.cholesky(-np.eye(2)), "Matrix is not positive definite"),
        (lambda: np.linalg.eig(np.full((2, 2), np.nan)), "infs or NaNs"),
    ],
)
def test_singular_matrices_raise_at_the_call(call, text):
    with pytest.raises(numpy.linalg.LinAlgError, match=text):
        call()


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 4, 4), (2, 0, 0), (30, 30)])
def test_eigenvalues_match_numpy(dtype, shape):
    random = numpy.random.default_rng(1)
    x = random.random(shape) * 10 - 5
    x = (x + 1j * random.random(shape) if dtype[0] == "c" else x).astype(dtype)
    expected = numpy.linalg.eig(x)
    values, vectors = np.linalg.eig(np.array(x))
    assert (values.dtype, vectors.dtype) == (expected[0].dtype, expected[1].dtype)
    assert (values.shape, vectors.shape) == (expected[0].shape, expected[1].shape)
    alone = np.linalg.eigvals(np.array(x))
    assert alone.dtype == expected[0].dtype
    values, vectors, alone = numpy.asarray(values), numpy.asarray(vectors), numpy.asarray(alone)
    bound = 1e-3 if dtype in ("f4", "c8") else 1e-9
    numpy.testing.assert_allclose(x @ vectors, vectors * values[..., None, :], atol=bound)
    sizes = [numpy.sort(abs(one), -1) for one in (values, alone, expected[0])]
    numpy.testing.assert_allclose(sizes[0], sizes[2], atol=bound)
    numpy.testing.assert_allclose(sizes[1], sizes[2], atol=bound)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", DTYPES)
def test_unary_functions_match_numpy(name, dtype):
    x = values(dtype)
    try:
        with numpy.errstate(all="ignore"):
            expected = getattr(numpy, name)(x)
    except TypeError:
        with pytest.raises(TypeError):
            getattr(np, name)(np.asarray(x))
        return
    made = getattr(np, name)(np.asarray(x))
    for left, right in zip(made, expected) if isinstance(expected, tuple) else [(made, expected)]:
        same(left, right)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("left", ["?", "i1", "u2", "i8", "f4", "f8", "c8"])
@pytest.mark.parametrize("right", ["?", "u1", "i4", "f2", "f8", "c16"])
def test_binary_functions_match_numpy(name, left, right):
    x, y = values(left), values(right, (4,))
    try:
        with numpy.errstate(all="ignore"):
            expected = getattr(numpy, name)(x, y)
    except TypeError:
        with pytest.raises(TypeError):
            getattr(np, name)(np.asarray(x), np.asarray(y))
        return
    made = getattr(np, name)(np.asarray(x), np.asarray(y))
    for one, other in zip(made, expected) if isinstance(expected, tuple) else [(made, expected)]:
        same(one, other)


@pytest.mark.parametrize("dtype", DTYPES)
def test_python_numbers_are_weakly_typed(dtype):
    x = values(dtype)
    for number in (2, 2.5, 1j, True):
        same(np.asarray(x) + number, x + number)
        same(number * np.asarray(x), number * x)
    same(np.asarray(x) + numpy.float32(3), x + numpy.float32(3))


def test_out_of_range_numbers_raise():
    x = np.asarray(values("u1"))
    with pytest.raises(OverflowError, match="300"):
        x + 300
    same(x < 300, numpy.ones((3, 4), bool))


REDUCTIONS = ["sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "argmax", "argmin", "cumsum", "ptp", "count_nonzero"]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["?", "i2", "u4", "i8", "f4", "f8"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_match_numpy(name, dtype, axis, keepdims):
    x = values(dtype, (2, 3, 4))
    kwargs = {"axis": axis}
    if name != "cumsum":
        kwargs["keepdims"] = keepdims
    try:
        expected = getattr(numpy, name)(x, **kwargs)
    except TypeError:
        with pytest.raises(TypeError):
            getattr(np, name)(np.asarray(x), **kwargs)
        return
    same(getattr(np, name)(np.asarray(x), **kwargs), expected)


KEYS = [
    0, -1, slice(1, None), slice(None, None, -2), (1, 2), (slice(None), 1), (..., 0), None, (0, ..., None), [0, 2], ([0, 1], [2, 3]),
    (slice(None), [3, 0]), ([0], slice(None), [1]), (0, slice(None), [1, 2]), [True, False, True], numpy.array([[0, 1], [2, 0]]),
    (..., [1]), (slice(1, 1),), True, False, (numpy.array([True, False, True]), 1),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=[str(key) for key in KEYS])
def test_indexing_matches_numpy(key):
    x = numpy.arange(60.0).reshape(3, 4, 5)
    same(np.asarray(x)[key], x[key], exact=True)
    own = np.asarray(x)
    own[key] = -1
    x[key] = -1
    same(own, x, exact=True)
    part = numpy.arange(x[key].size, dtype=float).reshape(x[key].shape)
    own[key] = part
    x[key] = part
    same(own, x, exact=True)


def test_masks_match_numpy():
    x = numpy.arange(12.0).reshape(3, 4)
    own = np.asarray(x)
    same(own[own > 5], x[x > 5], exact=True)
    own[own > 5] *= 2
    x[x > 5] *= 2
    same(own, x, exact=True)


def test_views_share_their_elements():
    x, own = numpy.zeros((4, 6)), np.zeros((4, 6))
    for of in (x, own):
        of[::2].T[1] = 5
        of.reshape(24)[::7] += 1
        of[::-1, 1:][0] = 2
        of.ravel()[3] = 9
        of.diagonal()
        of[1:, 1:] += of[:-1, :-1]
    same(own, x, exact=True)
    assert own[1:].base is own
    assert np.shares_memory(own, own[1:]) and not np.shares_memory(own[:1], own[1:])


def test_out_and_where_match_numpy():
    x, y = numpy.arange(6.0), numpy.full(6, 2.0)
    mask = x > 2
    out = np.zeros(6)
    assert np.add(np.asarray(x), y, out=out) is out
    same(out, x + y)
    np.multiply(np.asarray(x), 10, out=out, where=np.asarray(mask))
    same(out, numpy.where(mask, x * 10, x + y))
    with pytest.raises(TypeError, match="same_kind"):
        np.add(np.asarray(x), y, out=np.zeros(6, "i8"))


def test_linear_algebra_matches_numpy():
    rng = numpy.random.default_rng(1)
    a, b = rng.random((5, 5)) + 5 * numpy.eye(5), rng.random((5, 3))
    for made, expected in [
        (np.asarray(a) @ b, a @ b),
        (np.linalg.solve(a, b), numpy.linalg.solve(a, b)),
        (np.linalg.inv(a), numpy.linalg.inv(a)),
        (np.linalg.det(a), numpy.linalg.det(a)),
        (np.einsum("ij,jk->ki", a, b), numpy.einsum("ij,jk->ki", a, b)),
        (np.tensordot(a, b, 1), numpy.tensordot(a, b, 1)),
        (np.linalg.norm(a), numpy.linalg.norm(a)),
    ]:
        numpy.testing.assert_allclose(numpy.asarray(made), expected, rtol=1e-12)
    with pytest.raises(numpy.linalg.LinAlgError):
        numpy.asarray(np.linalg.inv(np.zeros((3, 3))))


def test_transforms_match_numpy():
    x = numpy.random.default_rng(2).random((4, 6))
    for name in ("fft", "ifft", "rfft", "fft2", "fftn", "irfft", "hfft"):
        expected = getattr(numpy.fft, name)(x)
        numpy.testing.assert_allclose(numpy.asarray(getattr(np.fft, name)(x)), expected, atol=1e-12)


def test_seeds_repeat_random_numbers():
    first, second = np.random.default_rng(5), np.random.default_rng(5)
    for name in ("random", "standard_normal", "exponential"):
        same(getattr(first, name)((3, 4)), numpy.asarray(getattr(second, name)((3, 4))), exact=True)
    numbers = numpy.asarray(first.integers(3, 9, 1000))
    assert numbers.min() == 3 and numbers.max() == 8
    order = numpy.asarray(first.permutation(100))
    assert sorted(order) == list(range(100)) and list(order) != list(range(100))


SHAPES = st.sampled_from([(), (0,), (3,), (2, 3), (3, 0, 2), (2, 1, 3)])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_random_programs_match_numpy(data):
    """A few steps of views, universal functions and assignments on arrays of any dtype and shape."""
    dtype = data.draw(st.sampled_from(["?", "i4", "u1", "f4", "f8", "c16"]))
    shape = data.draw(SHAPES)
    theirs = numpy.asarray(values(dtype, shape) if shape else values(dtype, (1,))[0])
    own = np.asarray(theirs)
    for _ in range(data.draw(st.integers(1, 5))):
        step = data.draw(st.sampled_from(["add", "slice", "flip", "reduce", "where", "reshape", "assign", "stack", "sort"]))
        with numpy.errstate(all="ignore"):
            if step == "add":
                other = data.draw(st.sampled_from([1, 2.5, numpy.int8(3), True]))
                theirs, own = numpy.asarray(theirs + other), np.asarray(own + other)
            elif step == "slice" and theirs.ndim:
                key = data.draw(st.sampled_from([slice(1, None), slice(None, None, -1), slice(0, 1), slice(None, None, 2)]))
                theirs, own = theirs[key], own[key]
            elif step == "flip":
                theirs, own = numpy.flip(theirs), np.flip(own)
            elif step == "reduce" and theirs.ndim:
                theirs, own = numpy.asarray(theirs.sum(axis=0)), np.asarray(own.sum(axis=0))
            elif step == "where":
                mask = numpy.ones(theirs.shape, bool)
                theirs, own = numpy.where(mask, theirs, 0), np.where(np.asarray(mask), own, 0)
            elif step == "reshape":
                theirs, own = theirs.reshape(-1), own.reshape(-1)
            elif step == "assign" and theirs.ndim and theirs.flags.writeable:
                theirs, own = theirs.copy(), own.copy()
                theirs[...], own[...] = 1, 1
            elif step == "stack" and theirs.ndim < 4:
                theirs, own = numpy.stack([theirs, theirs]), np.stack([own, own])
            elif step == "sort" and theirs.ndim:
                theirs, own = numpy.sort(theirs, axis=0), np.sort(own, axis=0)
    same(own, theirs)


def test_fallbacks_are_counted_and_named(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "warn")
    before = _fallback.counts.get("asmatrix", 0)
    with pytest.warns(_fallback.FallbackWarning, match="asmatrix") as caught:
        np.asmatrix(np.asarray([1, 0, 1]))
    assert _fallback.counts["asmatrix"] == before + 1
    assert caught[0].filename == __file__
    monkeypatch.setenv("WEFT_FALLBACK", "error")
    with pytest.raises(_fallback.FallbackError, match="test_numpy.py"):
        np.asmatrix(np.asarray([1, 0, 1]))
