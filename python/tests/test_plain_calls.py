"""Calls that go to the core at once, compared with NumPy: values, dtypes, classes, views and errors."""

import itertools

import numpy
import pytest

import weft.numpy as np

DTYPES = ["?", "i1", "i4", "i8", "u1", "u8", "f2", "f4", "f8", "c8", "c16"]
SHAPES = [(0,), (1,), (7,), (0, 3), (1, 4), (3, 4), (2, 1, 3), (1, 1)]
AXES = [None, 0, -1, 1, 5, (0,), (), True, 1.0, numpy.int64(0)]


def arrays(shape, dtype):
    """An array of NumPy and one of Weft with the same elements, with NaN, infinities and zeros of both signs among floats."""
    count = int(numpy.prod(shape))
    values = (numpy.arange(count) * 7 % 11 - 4).astype(dtype)
    if values.dtype.kind in "fc" and count > 2:
        values.flat[1], values.flat[2] = -0.0, numpy.nan
    values = values.reshape(shape)
    return values, np.array(values)


def outcome(call, *operands):
    """What a call returns, as plain data, or the class and text of its error."""
    try:
        with numpy.errstate(all="ignore"):
            made = call(*operands)
            # Some errors are raised when values are read.
            host = numpy.asarray(made)
    except Exception as error:  # noqa: BLE001 - any error is compared
        return type(error).__name__
    is_array = isinstance(made, (numpy.ndarray, np.ndarray))
    return is_array, host.dtype.str, host.shape, host.tobytes() if host.dtype.kind not in "fc" else repr(host.tolist())


def compare(function, shape, dtype):
    theirs, ours = arrays(shape, dtype)
    expected = outcome(lambda a: function(numpy, a), theirs)
    assert outcome(lambda a: function(np, a), ours) == expected


REDUCTIONS = "sum prod min max all any argmin argmax count_nonzero cumsum cumprod cumulative_sum cumulative_prod".split()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_match_numpy(name, dtype):
    for shape, axis in itertools.product(SHAPES, AXES):
        if name.startswith("cumulative"):
            compare(lambda m, a: getattr(m, name)(a, axis=axis), shape, dtype)
        elif dtype in ("f2", "c8", "c16") and name in ("sum", "prod", "cumsum", "cumprod"):
            continue  # Rounded in another order.
        else:
            compare(lambda m, a: getattr(m, name)(a, axis), shape, dtype)
            if not name.startswith("cum"):
                compare(lambda m, a: getattr(m, name)(a, axis, keepdims=True), shape, dtype)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype not in ("f2", "c8", "c16")])
@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_means_match_numpy_in_value_and_class(name, dtype):
    axes = [axis for axis in AXES if axis is not True]
    for shape, axis, ddof in itertools.product(SHAPES, axes, [0, 1, 50]):
        more = {} if name == "mean" else {"ddof": ddof}
        more |= {"keepdims": True} if ddof == 1 else {}
        theirs, ours = arrays(shape, dtype)
        with numpy.errstate(all="ignore"):
            try:
                expected = getattr(numpy, name)(theirs, axis, **more)
            except Exception as error:  # noqa: BLE001 - any error is compared
                with pytest.raises(type(error)):
                    getattr(np, name)(ours, axis, **more)
                continue
            made = getattr(np, name)(ours, axis, **more)
        assert isinstance(made, np.ndarray) == isinstance(expected, numpy.ndarray)
        assert made.dtype == expected.dtype and made.shape == expected.shape
        numpy.testing.assert_allclose(numpy.asarray(made), expected, rtol=1e-5, atol=1e-6)


VIEWS = [
    lambda m, a: m.reshape(a, -1),
    lambda m, a: m.reshape(a, (-1, 1)),
    lambda m, a: m.reshape(a, [1, -1]),
    lambda m, a: m.reshape(a, (2, -1)),
    lambda m, a: m.reshape(a, (-1, -1)),
    lambda m, a: m.reshape(a, (3, 4)),
    lambda m, a: m.reshape(a, (-2, 7)),
    lambda m, a: m.reshape(a, (True, -1)),
    lambda m, a: m.reshape(a, ()),
    lambda m, a: a.reshape(1, -1),
    lambda m, a: a.reshape((a.size, 1)),
    lambda m, a: a.reshape(),
    lambda m, a: m.reshape(a.T, -1),
    lambda m, a: m.ravel(a),
    lambda m, a: m.ravel(a.T),
    lambda m, a: m.ravel(a[::2]),
    lambda m, a: m.squeeze(a),
    lambda m, a: m.squeeze(a, 0),
    lambda m, a: m.flip(a),
    lambda m, a: m.flip(a, 0),
    lambda m, a: m.flip(a, -1),
    lambda m, a: m.flip(a, (0,)),
    lambda m, a: m.flip(a, 3),
    lambda m, a: m.flipud(a),
    lambda m, a: m.fliplr(a),
    lambda m, a: m.expand_dims(a, 0),
    lambda m, a: m.expand_dims(a, -1),
    lambda m, a: m.expand_dims(a, (0, 2)),
    lambda m, a: m.expand_dims(a, 9),
    lambda m, a: m.diagonal(a),
    lambda m, a: m.diagonal(a, 1),
    lambda m, a: m.diagonal(a, -9),
    lambda m, a: m.diagonal(a, 0, 1, 0),
]


@pytest.mark.parametrize("number", range(len(VIEWS)))
def test_views_match_numpy_in_values_and_memory(number):
    view = VIEWS[number]
    for shape in SHAPES:
        compare(view, shape, "f8")
        theirs, ours = arrays(shape, "f8")
        try:
            expected, made = view(numpy, theirs), view(np, ours)
        except Exception:  # noqa: BLE001 - errors are compared above
            continue
        assert made.flags.writeable == expected.flags.writeable
        if expected.size:
            assert np.shares_memory(made, ours) == numpy.shares_memory(expected, theirs)


COPIES = [
    lambda m, a: m.copy(a),
    lambda m, a: m.copy(a, "F"),
    lambda m, a: m.zeros_like(a),
    lambda m, a: m.ones_like(a),
    lambda m, a: m.zeros_like(a, "i2"),
    lambda m, a: m.full_like(a, 3),
    lambda m, a: m.full_like(a, 3.7),
    lambda m, a: m.full_like(a, -1),
    lambda m, a: m.full_like(a, True),
    lambda m, a: m.full_like(a, 2**70),
    lambda m, a: m.full_like(a, 300),
    lambda m, a: m.full_like(a, numpy.float32(0.1)),
    lambda m, a: m.repeat(a, 2),
    lambda m, a: m.repeat(a, 3, 0),
    lambda m, a: m.repeat(a, 2, -1),
    lambda m, a: m.repeat(a, 0),
    lambda m, a: m.repeat(a, -1),
    lambda m, a: m.repeat(a, [2], 0),
    lambda m, a: m.tile(a, 2),
    lambda m, a: m.tile(a, (2, 3)),
    lambda m, a: m.tile(a, [1, 1, 2]),
    lambda m, a: m.tile(a, 0),
    lambda m, a: m.tile(a, True),
    lambda m, a: m.stack([a, a]),
    lambda m, a: m.stack((a, a), -1),
    lambda m, a: m.stack([a, a], 9),
    lambda m, a: m.stack([a, a + 1], axis=1),
    lambda m, a: m.stack([]),
]


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f8", "c16"])
@pytest.mark.parametrize("number", range(len(COPIES)))
def test_copies_match_numpy(number, dtype):
    for shape in SHAPES:
        compare(COPIES[number], shape, dtype)


PLACES = [
    [0, 2, 1],
    [-1, 0],
    [[0, 1], [2, 0]],
    [],
    numpy.array([1, 0], "i1"),
    numpy.array([1, 0], "u8"),
    numpy.array(1),
    [True, False],
    [0.5],
    [99],
    [-99],
]


@pytest.mark.parametrize("number", range(len(PLACES)))
def test_index_arrays_match_numpy(number):
    def of(m):
        made = m.array(PLACES[number])
        return made.astype(m.int64) if made.size == 0 else made

    for shape, dtype in itertools.product([(3,), (4, 3), (3, 2, 2), (0, 3)], ["i4", "f8", "?"]):
        for axis in (None, 0, -1, 7):
            compare(lambda m, a: m.take(a, of(m), axis), shape, dtype)
        compare(lambda m, a: a[of(m)], shape, dtype)


def test_copyto_matches_numpy():
    for to, source in itertools.product(DTYPES, DTYPES):
        compare(lambda m, a: m.copyto(a, m.arange(12).reshape(3, 4).astype(source)) or a, (3, 4), to)
    compare(lambda m, a: m.copyto(a, a[::-1]) or a, (7,), "f8")
    compare(lambda m, a: m.copyto(a[1:], a[:-1]) or a, (7,), "f8")
    compare(lambda m, a: m.copyto(a, a[:1]) or a, (7,), "f8")
    compare(lambda m, a: m.copyto(m.broadcast_to(a, (2, 7)), m.ones((2, 7))), (7,), "f8")


PRODUCTS = "inner vdot vecdot matvec vecmat outer dot matmul".split()


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_match_numpy(name):
    shapes = [(3,), (4,), (3, 4), (4, 3), (0,), (1,), (2, 3, 4)]
    for left, right, dtype in itertools.product(shapes, shapes, ["?", "i4", "f8", "c16"]):

        def call(m, a):
            return getattr(m, name)(m.arange(int(numpy.prod(left))).reshape(left).astype(dtype), a)

        theirs = (numpy.arange(int(numpy.prod(right))) % 5).astype(dtype).reshape(right)
        expected, made = outcome(lambda a: call(numpy, a), theirs), outcome(lambda a: call(np, a), np.array(theirs))
        assert made == expected, (left, right, dtype)


def test_scalars_and_subclasses_take_the_general_path():
    number = np.ones(9000).sum()
    assert float(np.mean(number)) == 9000 and np.reshape(number, (1, 1)).shape == (1, 1)
    assert isinstance(np.squeeze(number), type(number))
    for name in ("sum", "mean", "cumsum", "ravel", "flip", "squeeze"):
        expected = numpy.asarray(getattr(numpy, name)([3.0, 1.0]))
        assert (numpy.asarray(getattr(np, name)([3.0, 1.0])) == expected).all()


BOUNDS = [(0, 2), (-1, 1.5), (0.5, 2), (numpy.nan, 1), (None, 1), (2, None), (3, 1), (-(2**70), 1), (True, 2), (-300, 300)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8", "u8", "f2", "f4", "f8", "c16"])
def test_bounds_and_choices_match_numpy(dtype):
    for shape, (low, high) in itertools.product(SHAPES, BOUNDS):
        compare(lambda m, a: m.clip(a, low, high), shape, dtype)
        compare(lambda m, a: m.where(a > 1, a, low if low is not None else 0), shape, dtype)
        compare(lambda m, a: m.where(a > 1, high if high is not None else 0, a), shape, dtype)


RANGES = [(5,), (0,), (-3,), (2, 9), (9, 2), (9, 2, -2), (0, 10, 3), (0, -10, -3), (1, 2, 0), (2**62, 2**62 + 5), (2**63 - 3, 2**63 - 1), (-(2**63), -(2**63) + 3)]
RANGES += [(-(2**63), 2**63 - 1, 2**63 - 1), (-(2**53) - 1, 2**53 + 1, 2**53), (0, 2**63, 2**62), (1.5, 4), (True,), (numpy.int32(4),), (3, None), (None, 3), (0, 5, None), (-(2**63), 2**63 - 1, 2**62)]


@pytest.mark.parametrize("number", range(len(RANGES)))
def test_ranges_match_numpy(number):
    compare(lambda m, a: m.arange(*RANGES[number]), (1,), "f8")


LINES = [(-0.0, 1, 1), (-0.0, 1, 3), (0, 1), (0, 1, 5), (3, 3, 4), (1, -2.5, 7), (0, 1, 1), (0, 1, 0), (-1e308, 1e308, 3), (-1e308, 1e308, 1), (0, numpy.inf, 3), (0, 1, -1), (0, 1, 5, False), (1, 2, 1, False)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", range(len(LINES)))
def test_lines_match_numpy(number):
    compare(lambda m, a: m.linspace(*LINES[number]), (1,), "f8")


UFUNCS = ["add", "subtract", "greater", "logical_and", "hypot", "power", "bitwise_or", "sqrt", "isnan", "negative", "floor_divide", "copysign"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", UFUNCS)
def test_outputs_match_numpy(name):
    count = getattr(numpy, name).nin

    def written(m, a, out, other):
        kept = getattr(m, name)(*[a, other][:count], out=out)
        assert kept is out
        return out

    for shape, dtype, to in itertools.product([(7,), (3, 4), (0,), ()], ["?", "i4", "f4", "f8"], ["?", "i4", "f4", "f8", "c16"]):
        for other in (lambda m: 2, lambda m: 1.5, lambda m: m.ones(shape, dtype), lambda m: m.ones((2, *shape), dtype), lambda m: [1]):
            compare(lambda m, a: written(m, a, m.zeros(shape, to), other(m)), shape, dtype)
            compare(lambda m, a: written(m, a[::-1], a, other(m)), (7,), dtype)
            compare(lambda m, a: written(m, a[:-1], a[1:], other(m)), (7,), dtype)
    if name != "bitwise_or":
        compare(lambda m, a: written(m, a, m.broadcast_to(m.zeros(7), (3, 7)), 1), (3, 7), "f8")


EXPONENTS = [2, 2.0, 0.5, 1, 1.0, -1, -1.0, 0, 3, True, numpy.float64(2), numpy.int64(2), 2 + 0j]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "f2", "f4", "f8"])
def test_powers_of_simple_exponents_match_numpy(dtype):
    for shape, exponent in itertools.product([(1,), (7,), (3, 4)], EXPONENTS):
        if exponent == 3 or exponent == 0 and dtype != "i8":
            continue  # Rounded otherwise.
        compare(lambda m, a: a**exponent, shape, dtype)
        if exponent == 2:
            compare(lambda m, a: m.power(a, exponent), shape, dtype)

        def in_place(m, a):
            a **= exponent
            return a

        compare(in_place, shape, dtype)


ROOTS = ["m.power(x, 0.5)", "m.power(x, m.float64(0.5))", "x ** m.float64(0.5)", "m.power(x, 0.5, out=m.ones(3, x.dtype))", "m.power(x, m.full(3, 0.5))", "x**2", "m.power(x, 2)", "m.float_power(x, 0.5)"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", ROOTS)
def test_roots_as_powers_match_numpy(code):
    for dtype in ("f2", "f4", "f8"):
        expected, made = (eval(code, {"m": m, "x": m.array([-0.0, -numpy.inf, 4.0], dtype)}) for m in (numpy, np))
        assert repr(numpy.asarray(made).tolist()) == repr(expected.tolist()), dtype


@pytest.mark.parametrize("code", ["a **= 0.5", "b **= -1", "a ** 0.5", "b ** -1"])
def test_simple_powers_report_errors(code):
    for m in (numpy, np):
        with m.errstate(all="raise"), pytest.raises(FloatingPointError):
            exec(code, {"a": m.array([-1.0]), "b": m.array([0.0])})
