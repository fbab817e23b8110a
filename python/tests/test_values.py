"""Results that were once wrong, compared with NumPy's: values, dtypes and signs at the edges, and reductions of empty arrays."""

import numpy
import pytest
import weft.numpy as np
from compared import check

INTEGERS = ["i1", "i2", "i4", "i8"]

EMPTY = ["m.zeros(0)", "m.zeros((0, 3))", "m.zeros((3, 0))", "m.zeros((2, 0, 3))", "m.zeros(0, 'i1')", "m.zeros((0, 0), bool)"]
REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "mean", "nansum", "nanmax", "ptp", "argmax", "median", "count_nonzero", "std"]
UFUNCS = ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "bitwise_and", "hypot", "gcd", "subtract", "fmax", "logaddexp"]
ORDERS = ["None", "1", "2", "-1", "-2", "0", "3", "np.inf", "-np.inf", "'fro'", "'nuc'"]


@pytest.mark.parametrize("array", EMPTY)
def test_reductions_of_empty_arrays_match_numpy(array):
    axes = ["None", "0", "-1", "()", "1", "(0, 1)"]
    # NumPy cannot reshape such an array for a median along no axes.
    codes = [f"m.{name}({array}, axis={axis})" for name in REDUCTIONS for axis in axes if (name, axis) != ("median", "()")]
    more = ["", ", initial=None", ", initial=1", ", where=False", ", initial=2, where=False", ", keepdims=True"]
    codes += [f"m.{name}.reduce({array}, axis={axis}{one})" for name in UFUNCS for axis in axes for one in more]
    codes += [f"m.{name}({array}, axis={axis}{one})" for name in ("sum", "prod", "max", "min") for axis in axes for one in more[1:5]]
    codes += [f"m.{name}.{method}({array})" for name in UFUNCS for method in ("accumulate", "reduce")]
    codes += [f"m.{name}.reduceat({array}, [])" for name in UFUNCS]
    check(codes)


@pytest.mark.parametrize("order", ORDERS)
def test_norms_of_empty_arrays_match_numpy(order):
    arrays = ["m.zeros(0)", "m.zeros((0, 3))", "m.zeros((3, 0))", "m.zeros((0, 0))", "m.zeros((2, 0, 3))", "m.zeros((0, 2, 3))", "m.zeros(0, complex)"]
    axes = ["None", "0", "-1", "(0, 1)", "(-2, -1)"]
    codes = [f"m.linalg.norm({array}, {order}, axis={axis}{more})" for array in arrays for axis in axes for more in ("", ", keepdims=True")]
    codes += [f"m.linalg.vector_norm({array}, ord={order}, axis={axis})" for array in arrays for axis in ("None", "0", "-1")]
    codes += [f"m.linalg.matrix_norm({array}, ord={order})" for array in arrays[1:]]
    check(codes)


def test_empty_sum_without_initial_raises():
    for code in ("m.add.reduce([], initial=None)", "m.sum([], initial=None)", "m.prod([[], []], axis=1, initial=None)"):
        with pytest.raises(ValueError, match="zero-size array to reduction operation"):
            eval(code, {"m": np})


@pytest.mark.parametrize("dtype", INTEGERS)
def test_least_integers_match_numpy(dtype):
    least = int(numpy.iinfo(dtype).min)
    numbers = [least, least + 1, -7, -2, -1, 0, 1, 2, 7, -(least + 1)]
    codes = [f"m.{name}(m.array({numbers}, '{dtype}'), m.array({other}, '{dtype}'))" for name in (
        "fmod", "remainder", "floor_divide", "gcd", "lcm", "maximum", "multiply", "bitwise_xor", "divmod") for other in numbers]  # fmt: skip
    codes += [f"m.{name}(m.array({numbers}, '{dtype}'))" for name in ("absolute", "negative", "sign", "bitwise_count", "square")]
    check(codes)


def test_comparisons_of_complex_numbers_with_nan_match_numpy():
    parts = ["nan", "0.0", "-0.0", "1.0", "inf", "-inf"]
    numbers = [f"complex({a}, {b})" for a in parts for b in parts]
    array = f"m.array([{', '.join(numbers)}])"
    codes = [f"{array}[:, None] {op} {array}[None, :]" for op in ("<", "<=", ">", ">=", "==", "!=")]
    codes += [f"m.{name}({array}[:, None], {array}[None, :])" for name in ("maximum", "minimum", "fmax", "fmin")]
    codes += [f"m.{name}({array})" for name in ("max", "min", "argmax", "argmin")]
    check(codes)


def test_sinc_of_zeros_matches_numpy():
    check(f"m.sinc(m.array([0, 1, 0.5, -0.0], '{dtype}')[{key}])" for dtype in ("f2", "f4", "f8") for key in ("0", "3", ":1"))


def test_results_have_the_common_dtype():
    dtypes = ["i1", "u1", "i2", "u2", "u4", "i8", "u8", "f4", "f8", "c8"]
    names = ["intersect1d", "union1d", "setdiff1d", "setxor1d", "append"]
    check(f"m.{name}(m.array([1, 2, 3], '{a}'), m.array([2, 3, 4], '{b}'))" for name in names for a in dtypes for b in dtypes)


def test_choices_of_scalars_match_numpy():
    choices = ["[x, 5]", "[x, -5]", "[x, 300]", "[5, 300]", "[x, 2.5]", "[x, 2**63]", "[1, x, 3]", "[True, 5]", "[x, 1j]"]
    check(f"x = m.array([1, 0, 1], '{dtype}'); r = m.choose([0, 1, 0], {one})" for dtype in ("?", "i1", "u1", "i8", "u8", "f4", "c8") for one in choices)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum"])
def test_half_precision_scans_round_at_each_step(name):
    given = numpy.random.default_rng(3).normal(1, 0.2, (3, 300)).astype("f2")
    for axis in (None, 0, 1):
        made = numpy.asarray(getattr(np, name)(np.array(given), axis=axis))
        assert made.tobytes() == getattr(numpy, name)(given, axis=axis).tobytes()


def test_stable_sorts_keep_the_order_of_zeros():
    given = numpy.array([0.0, -0.0, 1.0, -0.0, 0.0, -1.0, 0.0] * 5)
    for dtype in ("f2", "f4", "f8"):
        for how in ({"kind": "stable"}, {"kind": "mergesort"}, {"stable": True}):
            wanted = numpy.sort(given.astype(dtype), **how)
            assert numpy.asarray(np.sort(np.array(given, dtype), **how)).tobytes() == wanted.tobytes()
            array = np.array(given, dtype)
            array.sort(**how)
            assert numpy.asarray(array).tobytes() == wanted.tobytes()


ODD = [
    *(f"a = m.array([1, 0, 3], '{dtype}'); m.putmask(a, [1, 0, 1], {value}); r = a" for dtype in ("?", "i4", "u1", "f4") for value in (
        "np.float64(1.5)", "np.int64(5)", "np.array(1.5)", "np.array([1.5])", "1.5", "True", "np.bool_(1)", "np.uint8(3)", "[1.5]", "300", "np.int64(300)")),
    "m.repeat(m.array(3), 2, axis=-1)", "m.repeat(m.array(3), 2, axis=0)", "m.repeat(m.array(3), 2, axis=1)",
    "m.logical_or(m.array([1, 0], 'u1'), -1, out=m.zeros(2, 'u1'), casting='unsafe')", "m.tile(m.ones((1, 2) * 4) + 1, 0).shape", "m.tile(m.ones((1, 2, 1, 1, 3)) + 1, (2, 1, 2, 3, 2))", "m.tile(m.arange(3) + 1, (1, 2, 0))", "m.tile(m.ones((2,) * 8), (2, 1))",
    "m.sum(m.array([1, 2]), initial=2.7)", "m.sum(m.array([1]), initial=-0.7)", "m.max(m.array([1, 2]), initial=2.7)", "m.where([True, False], m.array([1, 2], 'i1'), 300)",
    "m.tril(m.ones((2, 2)), 2**63 - 1)", "m.roll(m.arange(3), 1, ())", "m.cumulative_sum(3.5)", "m.add.reduceat(m.arange(4), [0, 2], axis=None)",
    "m.interp([1j], [0, 1], [0, 1])", "m.place(m.ones(3), [True], [1])", "m.average(m.zeros((0, 3)), axis=0)", "m.ediff1d(m.array([True, False]))",
    "m.ldexp.accumulate(m.array([1, 2], 'i4'))", "m.clip(m.array([True]), None, None)", "m.round(m.ones(2), 2**70)",
]  # fmt: skip


def test_odd_calls_match_numpy():
    check(ODD)


def test_convolutions_multiply_only_overlapping_elements():
    vectors = ["[1.0, 2, 3, 4]", "[m.nan, 1]", "[1, m.nan, 2]", "[m.inf, 1, 0]", "[-m.inf, m.inf]", "[m.nan]"]
    modes = ("full", "same", "valid")
    check(
        f"m.{name}(m.array({a}, '{dtype}'), m.array({b}, '{dtype}'), '{mode}')"
        for name in ("convolve", "correlate") for a in vectors for b in vectors for dtype in ("f2", "f4", "f8") for mode in modes
    )  # fmt: skip


def test_convolutions_of_many_windows_with_nan_match_numpy(monkeypatch):
    monkeypatch.setattr("weft.numpy._products._WINDOW_BLOCK", 64)
    random = numpy.random.default_rng(5)
    long, short = random.integers(-9, 9, 200).astype("f8"), random.integers(-9, 9, 17).astype("f8")
    short[[0, 9]] = numpy.nan, numpy.inf
    for mode in ("full", "same", "valid"):
        made = numpy.asarray(np.convolve(np.array(long), np.array(short), mode))
        numpy.testing.assert_array_equal(made, numpy.convolve(long, short, mode))


def test_integer_variances_match_numpy():
    codes = [
        f"m.var(m.array([[3, 1, 4], [1, 5, 9]], '{a}'), axis={axis}, dtype='{dtype}', ddof={ddof})"
        for a in ("i1", "u1", "i8", "f4", "f8") for dtype in ("i1", "u1", "i4", "i8") for axis in (None, 0, 1) for ddof in (0, 1)
    ]  # fmt: skip
    check([*codes, "m.var(m.arange(6), dtype=int)", "m.std(m.arange(6.0), dtype=int)"])


def test_calls_with_empty_arrays_match_numpy():
    check([
        "m.arange(-3, 0, -0.5, dtype='u1')", "m.arange(300, 0, dtype='u1')", "m.arange(300, 302, dtype='u1')",
        "m.tile(m.zeros(0), -1)", "m.tile(m.zeros((0, 3)), (-1, 2))", "m.tile(m.zeros((0, 3)), (1, -2))", "m.tile(m.zeros(3), -1)",
        "m.repeat(m.zeros(0), -1)", "m.repeat(m.zeros((2, 0)), -1, axis=1)", "m.repeat(m.zeros((2, 0)), -1, axis=0)", "m.repeat(m.zeros(3), -1)",
        "m.choose(2, [m.zeros(0), m.zeros(0)])", "m.choose(2, [m.zeros(1), m.zeros(1)])", "m.choose([[2]], [m.zeros((0, 1)), m.zeros((0, 3))])",
        "r = m.arange(4.0); m.copyto(r, r, where=m.ones((2, 4), bool))", "r = m.arange(4.0); m.copyto(r, r + 1, where=m.ones((2, 4), bool))",
    ])  # fmt: skip


def test_quantiles_accept_arrays_of_axes():
    check(
        f"m.{call}, axis={axis})"
        for call in ("median(a", "nanmedian(a", "quantile(a, 0.3", "percentile(a, [20, 70]", "nanquantile(a, 0.3", "nanpercentile(a, 30")
        for axis in ("np.array([0])", "np.array([0, 1])", "np.array(1)", "[0]", "np.array([2])")
        for a in ("m.arange(6.0).reshape(2, 3)",)
        for call in (call.replace("(a", f"({a}"),)
    )  # fmt: skip
