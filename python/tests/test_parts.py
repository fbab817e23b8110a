"""Functions of floats' parts, neighbours and scales, of quotients and divisors: as NumPy's, bit by bit."""

import numpy
import pytest
import weft.numpy as np

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
DTYPES = ["bool", *INTEGERS, *FLOATS]


def edges(dtype):
    """Values where rules change, and others."""
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        return numpy.array([False, True])
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        values = [0, 1, 2, 3, 7, 12, 100, info.max, info.max - 1, info.max // 2 + 1, info.min, info.min + 1]
        values += [-1, -2, -12, -100] if dtype.kind == "i" else []
        values += [2**51 - 1, 2**51, 2**53 + 1, 10**15, 10**18] if dtype.itemsize == 8 else []
        return numpy.array(values, dtype)
    info = numpy.finfo(dtype)
    values = [0, 0.5, 1, 1.5, 2, 3, 3.7, 0.1, 100, 1000.25, info.max, info.smallest_normal, info.smallest_subnormal, info.eps, numpy.inf]
    values = numpy.array([dtype.type(value) for value in values], dtype)
    more = numpy.array([numpy.nextafter(info.smallest_normal, dtype.type(0)), 5 * info.smallest_subnormal, numpy.nan], dtype)
    return numpy.concatenate([values, -values, more, -more])


def many(dtype):
    """As many values as are not computed at once."""
    dtype = numpy.dtype(dtype)
    draw = numpy.random.default_rng(3)
    if dtype.kind == "f":
        bits = draw.integers(0, 2 ** (8 * dtype.itemsize), 40_000, dtype=f"u{dtype.itemsize}").view(dtype)
        return numpy.concatenate([bits, (draw.standard_normal(40_000) * 100).astype(dtype)])
    if dtype.kind == "b":
        return draw.random(80_000) < 0.5
    info = numpy.iinfo(dtype)
    near = draw.integers(max(-50, info.min), 100, 40_000).astype(dtype)
    return numpy.concatenate([draw.integers(info.min, info.max, 40_000, dtype=dtype, endpoint=True), near])


def same(ours, theirs):
    ours = ours if isinstance(ours, tuple) else (ours,)
    theirs = theirs if isinstance(theirs, tuple) else (theirs,)
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs):
        one = numpy.asarray(one)
        assert one.dtype == other.dtype and one.shape == numpy.shape(other)
        numpy.testing.assert_array_equal(one, other)
        if one.dtype.kind == "f":
            number = ~numpy.isnan(one)
            numpy.testing.assert_array_equal(numpy.signbit(one)[number], numpy.signbit(other)[number])


def both(name, *inputs, **more):
    """Both results, or that both refuse."""
    with numpy.errstate(all="ignore"):
        try:
            theirs = getattr(numpy, name)(*inputs, **more)
        except TypeError as error:
            with pytest.raises(TypeError) as raised:
                getattr(np, name)(*(np.asarray(one) for one in inputs), **more)
            assert str(raised.value) == str(error)
            return
    same(getattr(np, name)(*(np.asarray(one) for one in inputs), **more), theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["modf", "frexp", "spacing", "bitwise_count", "fabs"])
def test_functions_of_one_element(name, dtype):
    for values in (edges(dtype), many(dtype), edges(dtype)[::2], many(dtype)[::-3], edges(dtype)[:0]):
        both(name, values)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "name", ["fmod", "remainder", "floor_divide", "divmod", "nextafter", "heaviside", "gcd", "lcm", "copysign"]
)
def test_functions_of_two_elements(name, dtype):
    few, more = edges(dtype), many(dtype)
    both(name, few[:, None], few)
    both(name, more, numpy.roll(more, 7))
    both(name, more[::2], more[1::2])
    for value in (few[3 % few.size], few[-1], few[0]):
        both(name, more, value)
        both(name, value, more)


@pytest.mark.parametrize("dtype", FLOATS)
def test_long_quotients(dtype):
    values = many(dtype)
    with numpy.errstate(all="ignore"):
        scaled = values * numpy.array(3e-4, dtype)
    for name in ("fmod", "remainder", "floor_divide", "divmod"):
        both(name, values, scaled)
        both(name, scaled, values)


@pytest.mark.parametrize("integer", INTEGERS[:7] + ["bool"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_ldexp(dtype, integer):
    both("ldexp", edges(dtype)[:, None], edges(integer))
    exponents = numpy.random.default_rng(1).integers(-90, 90, 80_000)
    both("ldexp", many(dtype), exponents.astype(integer))
    both("ldexp", edges(dtype), 3)


def test_ldexp_over_all_exponents():
    for dtype in FLOATS:
        exponents = numpy.arange(-2300, 2300)
        for value in numpy.array([1, 1.25, 3.9, -0.7, 6.1e-5, 1e-4], dtype):
            both("ldexp", numpy.full(exponents.shape, value), exponents)
            both("ldexp", numpy.full(exponents.shape, value), exponents.astype("i4"))


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_logarithms_of_sums(name, dtype):
    few = edges(dtype)
    many_ = (numpy.random.default_rng(5).standard_normal(80_000) * 20).astype(dtype)
    for left, right in ((few[:, None], few), (many_, many_[::-1])):
        with numpy.errstate(all="ignore"):
            theirs = getattr(numpy, name)(left, right)
        ours = numpy.asarray(getattr(np, name)(np.asarray(left), np.asarray(right)))
        assert ours.dtype == theirs.dtype
        unit = numpy.finfo(theirs.dtype).eps
        numpy.testing.assert_allclose(ours, theirs, rtol=4 * unit, atol=4 * unit)


@pytest.mark.parametrize("name", ["float_power"])
@pytest.mark.parametrize("dtype", [*DTYPES, "complex64"])
def test_powers_in_double_precision(name, dtype):
    values = edges(dtype if dtype != "complex64" else "float32").astype(dtype)[:8]
    with numpy.errstate(all="ignore"):
        theirs = numpy.float_power(values, 3)
    ours = numpy.asarray(np.float_power(np.asarray(values), 3))
    assert ours.dtype == theirs.dtype
    numpy.testing.assert_allclose(ours, theirs, rtol=1e-14)


def test_outputs_masks_and_dtypes():
    values = numpy.linspace(-9.5, 9.5, 40)
    mask = numpy.arange(40) % 3 == 0
    for name in ("fmod", "nextafter", "heaviside", "remainder"):
        ours, theirs = np.zeros(40), numpy.zeros(40)
        given = getattr(np, name)(np.asarray(values), 2.5, out=ours, where=mask)
        getattr(numpy, name)(values, 2.5, out=theirs, where=mask)
        assert given is ours
        same(ours, theirs)
        both(name, values, 2.5, dtype="float32", casting="same_kind")
    for name in ("modf", "frexp"):
        ours = np.zeros(40), np.zeros(40)
        theirs = numpy.zeros(40), numpy.zeros(40)
        getattr(np, name)(np.asarray(values), out=ours, where=mask)
        getattr(numpy, name)(values, out=theirs, where=mask)
        same(ours, theirs)
    ours = np.zeros(40), np.zeros(40)
    np.divmod(np.asarray(values), 3, out=ours)
    same(ours, numpy.divmod(values, 3))


def test_python_numbers_and_scalars():
    for name, args in (
        ("divmod", (7, 3)), ("divmod", (-7.5, 2)), ("modf", (-2.75,)), ("frexp", (10.0,)), ("ldexp", (1.5, 4)), ("gcd", (12, 18)),
        ("lcm", (4, 6)), ("spacing", (1.0,)), ("bitwise_count", (255,)), ("fmod", (-7, 3)), ("nextafter", (1.0, 2.0)),
    ):  # fmt: skip
        same(getattr(np, name)(*args), getattr(numpy, name)(*args))
    array = np.asarray(numpy.arange(5, dtype="float32"))
    same(np.ldexp(array, 3), numpy.ldexp(numpy.arange(5, dtype="float32"), 3))
    same(np.fmod(array, 3), numpy.fmod(numpy.arange(5, dtype="float32"), 3))
    same(numpy.frexp(array), numpy.frexp(numpy.arange(5, dtype="float32")))
    same(divmod(array, 2), divmod(numpy.arange(5, dtype="float32"), 2))
    with pytest.raises(TypeError):
        np.ldexp(array, array)
    with pytest.raises(TypeError):
        np.gcd(array, array)
    with pytest.raises(TypeError):
        np.modf(np.asarray([1j]))


def test_errors_are_reported():
    with np.errstate(all="raise"):
        with pytest.raises(FloatingPointError):
            np.fmod(np.asarray([1, 2]), 0)
        with pytest.raises(FloatingPointError):
            np.divmod(np.asarray([1.0, 2.0]), 0.0)
        same(np.modf(np.asarray([1.5, -2.25])), numpy.modf(numpy.array([1.5, -2.25])))
        same(np.frexp(np.asarray([1.5, -2.25])), numpy.frexp(numpy.array([1.5, -2.25])))
