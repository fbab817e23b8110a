"""Conversions of numbers, scalars written to elements, and dtypes of results with numbers, compared with NumPy."""

import inspect
import math
import warnings

import compared
import numpy
import pytest

import weft.numpy as np

#: The number of elements whose reductions are computed later.
MANY = 40_000

DTYPES = ("?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16")


def outcome(function, module):
    """The class, dtype and value of a result, or the class of an exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = function(module)
            if isinstance(made, numpy.generic):
                return "scalar", made.dtype, made.tolist()
            if hasattr(made, "dtype"):
                return "array", made.dtype, made.tolist()
        except Exception as error:  # noqa: BLE001 - compared with that of NumPy
            return next(base for base in type(error).__mro__ if base.__module__ == "builtins")
    return type(made), made


def assert_same(function):
    assert outcome(function, np) == outcome(function, numpy)


def number(module, value, dtype, count):
    """A number with a value: the largest of few elements, or of many."""
    array = module.full(count, value, dtype)
    return module.any(array) if dtype == "?" else array.max()


@pytest.mark.parametrize("count", [3, MANY], ids=["known", "deferred"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "convert",
    [math.ceil, math.floor, math.trunc, round, int, float, lambda x: round(x, 1), lambda x: x.round(), lambda x: x.round(1)],
    ids=["ceil", "floor", "trunc", "round", "int", "float", "round1", "method", "method1"],
)
def test_scalars_convert_like_numpy(count, dtype, convert):
    for value in (1,) if dtype == "?" else (7,) if dtype[0] == "u" else (7, -7) if dtype[0] == "i" else (2.5, -2.75):
        assert_same(lambda module: convert(number(module, value, dtype, count)))


@pytest.mark.parametrize("count", [3, MANY], ids=["known", "deferred"])
@pytest.mark.parametrize("dtype", ["i1", "u8", "f4", "f8"])
@pytest.mark.parametrize("call", ["round", "around", "isposinf", "isneginf"])
def test_functions_of_scalars_return_scalars(count, dtype, call):
    assert_same(lambda module: getattr(module, call)(number(module, 5, dtype, count)))
    assert_same(lambda module: getattr(module, call)(5))
    assert_same(lambda module: hash(getattr(module, call)(number(module, 5, dtype, count))))


def test_in_place_operators_keep_rounded_scalars():
    rounded = np.round(np.arange(30000).max(), 1)
    kept = [rounded]
    rounded += 1
    assert [*kept, rounded] == [29999, 30000]


def test_scalars_lack_array_methods():
    deferred = np.arange(MANY).sum()
    assert not [name for name in ("ptp", "dot", "partition", "argpartition") if hasattr(deferred, name)]


@pytest.mark.parametrize("call", ["asarray_chkfinite", "real_if_close", "broadcast_arrays", "asfortranarray"])
def test_array_functions_of_scalars_return_arrays(call):
    made = getattr(np, call)(np.arange(MANY).sum())
    theirs = getattr(numpy, call)(numpy.arange(MANY).sum())
    made, theirs = (made[0], theirs[0]) if isinstance(made, tuple) else (made, theirs)
    assert isinstance(made, np.ndarray) and made.shape == theirs.shape and made.tolist() == theirs.tolist()


@pytest.mark.parametrize("count", [10, MANY], ids=["known", "deferred"])
def test_parameters_accept_scalars(count):
    for function in (
        lambda module: module.histogram([1, 2, 3], bins=module.arange(count)[7])[0],
        lambda module: module.histogram_bin_edges([1, 2, 3], bins=module.arange(count)[7]),
        lambda module: module.histogram([1, 2, 3], 2, (module.arange(count)[0], module.arange(count)[7]))[1],
        lambda module: module.histogram([1, 2, 3], bins=module.full(count, 2.5).max()),
        lambda module: module.take(module.arange(4.0), module.full(count, 1.5).max()),
        lambda module: module.split(module.arange(6), module.full(count, 2.5).max()),
        lambda module: len(module.split(module.arange(6), module.full(count, 2).max())),
        lambda module: module.arange(0, 0, module.full(count, 0).max()),
        lambda module: module.arange(0, 1, module.full(count, 0).max()),
    ):
        assert_same(function)


@pytest.mark.parametrize("key", [0, (0,), slice(None), slice(0, 1), Ellipsis, [0]], ids=str)
@pytest.mark.parametrize("target", ["i1", "u1", "i8", "u8", "?"])
@pytest.mark.parametrize(
    "value",
    [
        numpy.int64(200), numpy.int64(300), numpy.int16(-1), numpy.uint8(200), numpy.uint64(2**64 - 1), numpy.float64(200), numpy.float64(300),
        numpy.float32(-1), numpy.complex128(200), numpy.bool_(True), 1j, 0j,
    ],
    ids=repr,
)  # fmt: skip
def test_writes_scalars_like_numpy(key, target, value):
    def write(module):
        array = module.zeros(2, target)
        array[key] = value
        return array

    def write_element(module):
        array = module.zeros(2, target)
        array[key] = module.asarray([value, value])[0]
        return array

    assert_same(write)
    if isinstance(value, numpy.generic):
        assert_same(write_element)


@pytest.mark.parametrize("value", [numpy.uint8(200), 200, 5, numpy.int64(-1), 2.75], ids=repr)
def test_pad_constants_match_numpy(value):
    for target in ("i1", "u1", "f4"):
        assert_same(lambda module: module.pad(module.zeros(1, target), 1, constant_values=value))


def test_integer_powers_reject_negative_exponents():
    for function in (
        lambda module: module.power.outer(module.array([2, 3]), -1),
        lambda module: module.power.outer(2, -1),
        lambda module: module.power.outer(module.array([2, 3]), module.full(MANY, -1).max()),
        lambda module: module.power(module.zeros(0, "i8"), -1, casting="same_kind"),
        lambda module: module.power.outer(module.array([2, 3]), 2),
        lambda module: module.add.outer(module.array([1], "i1"), 300),
        lambda module: module.power(module.array([2], "i1"), -1, casting="same_kind"),
        lambda module: module.power(module.array([2], "u1"), -1, casting="same_kind"),
    ):
        assert_same(function)


#: Powers whose exponents are in arrays, elements and results, as text: `n` is `MANY` or 3, and what is below 0 may not be used.
POWERS = [
    "m.array([2,3])**m.array([1,-1])", "m.array([2,3])**m.full(n,-1).max()", "m.array([2,3])**m.full(n,2).max()", "2**m.full(n,-1).max()",
    "m.full(n,2).max()**-1", "m.full(n,2).max()**m.full(n,-1).max()", "m.full(n,2)**m.full(n,-1)", "m.full(n,2)**m.array([-1])", "m.full(n,2)**-m.ones((),int)",
    "m.full(n,2)**m.arange(n)", "1**m.array([-1])", "m.zeros(0,int)**-1", "m.zeros(0,int)**m.array([-1])", "m.zeros(0,int)**m.full(n,-1).max()",
    "m.power(m.zeros((0,3),int),m.array([1,-1,1]))", "m.power(m.zeros(2,int),m.zeros((0,1),int)-1)", "m.array([True])**m.array([-1])", "m.array([True])**m.array([-1],'i1')",
    "m.array([2],'u8')**m.array([-1])", "m.array([2],'u1')**m.array([-1],'i1')", "m.array([2],'i1')**m.array([-1],'i8')", "m.array([2],'i1')**m.array([3],'u8')",
    "m.array([2],'f4')**m.array([-1])", "m.array([2])**m.array([-1.0])", "m.float_power([2],[-1])", "m.pow([1],[-1])", "m.power.outer([2],[-1])", "m.power.outer([2],[3,1])",
    "m.power([1,2],[-1,2],where=[True,False])", "m.power([1,2],[-1,2],where=[False,True],out=m.zeros(2,int))", "m.power([1,2],-1,where=[False,False],out=m.zeros(2,int))",
    "m.power([[1,2]],[[-1],[1]],where=[[False],[True]],out=m.zeros((2,2),int))", "m.power(3,[-1,2],where=m.array([False,True]),out=m.zeros((2,2),int))",
    "m.power(2.5,[-1],dtype=int,casting='unsafe')", "m.power([2],[-1.5],dtype=int,casting='unsafe')", "m.power([2],[1.5],dtype=int,casting='unsafe')",
    "m.power([1],[-1],dtype='u8',casting='unsafe')", "m.power(m.arange(2),m.array([-1,1]),out=m.zeros(2))", "m.power.reduce(m.array([2,-1]))",
    "m.power.reduce(m.array([[2,3],[-1,2]]),axis=0)", "m.power.reduce(m.array([2,3]),initial=-1)", "m.power.reduce(m.array([2,-1]),where=[True,False],initial=1)",
    "m.power.reduce(m.array([2,-1]),where=[True,True],initial=1)", "m.power.accumulate(m.array([2,-1]))", "m.power.accumulate(m.array([-2,3]))",
    "m.power.reduceat(m.array([2,-1]),[0,1])", "m.power.reduceat(m.array([2,-1,3]),[0,1])", "m.power.reduceat(m.array([2,-1]),[0])", "m.linalg.matrix_power(m.eye(2,dtype=int),-1)",
    "r=m.array([1,2]); m.power.at(r,[0],-1)", "r=m.array([1,2]); m.power.at(r,[1,1],m.array([3,2]))", "r=m.arange(1,n); r**=-r", "r=m.arange(1,n); r**=m.full(n,-1).max()",
    "r=m.zeros(0,int); r**=-1", "r=m.zeros(0,int); r**=m.array([-1])", "r=m.arange(6)[::2]; r**=m.array([1,2,3],'i1')", "r=m.arange(3.0); r[1:]**=m.array([-1,-2])",
    "r=m.arange(6).reshape(2,3)[:,1:]; r**=m.array([2,-1])", "m.geomspace(1,8,4,dtype=int)", "m.vander([1,2,3])", "m.logspace(0,2,3,dtype=int)",
]  # fmt: skip


@pytest.mark.parametrize("count", [3, MANY], ids=["few", "many"])
def test_integer_exponents_match_numpy(count):
    compared.check([code.replace("(n", f"({count}").replace(",n)", f",{count})") for code in POWERS])


def test_deferred_negative_exponents_fail_at_their_line():
    x = np.full(MANY, 2)
    for _ in range(3):
        x = x * 1
    exponents = x - np.arange(MANY)
    line, made = inspect.currentframe().f_lineno, x**exponents
    with pytest.raises(ValueError, match=rf"power at .*test_scalar_rules.py:{line} .* failed: integers to negative integer powers are not allowed"):
        (made + 1).tolist()
    with pytest.raises(ValueError):
        float(made.sum())
    assert exponents[1] == 1 and (x**2)[3] == 4


@pytest.mark.parametrize("call", ["hypot", "gcd", "lcm", "fmax", "logaddexp"])
def test_reductions_of_one_element_match_numpy(call):
    dtype = "i8" if call in ("gcd", "lcm") else "f8"
    for values, axis in (([-3], 0), ([[-3]], None), ([[-3, 2]], 0), ([-3, 4], 0)):
        # One function is not exact to the last bit, the other rejects several axes.
        if (values == [-3, 4] and call == "logaddexp") or (axis is None and call == "lcm"):
            continue
        assert_same(lambda module: getattr(module, call).reduce(module.array(values, dtype), axis))


def test_python_numbers_determine_dtypes():
    for function in (
        lambda module: module.union1d(module.array([1.0], "f2"), 0),
        lambda module: module.union1d(module.array([1], "i1"), 300),
        lambda module: module.union1d(1, module.array([1], "i1")),
        lambda module: module.union1d(1, 2.5),
        lambda module: module.clip(module.array([True]), 0, module.array([5], "u1")),
        lambda module: module.clip(module.array([True]), -1, module.array([5], "u1")),
        lambda module: module.clip(module.array([1], "i1"), 300, module.array([5], "u1")),
        lambda module: module.clip(module.array([1], "i1"), -300, 300),
        lambda module: module.ldexp(module.ones(1), 2, casting="unsafe"),
        lambda module: module.ldexp(module.ones(1, "f4"), 2, casting="safe"),
        lambda module: module.logical_xor(module.ones(1, "u8"), 2, casting="equiv"),
        lambda module: module.array_repr(module.asarray([3.0])[0]),
        lambda module: module.array_repr(module.arange(MANY).max()),
    ):
        assert_same(function)


@pytest.mark.parametrize("call", ["sum", "prod", "cumsum", "cumprod", "nansum", "add.reduce"])
@pytest.mark.parametrize("target", ["u8", "i8", "u1"])
def test_integers_wrap_around_in_outputs(call, target):
    def reduce(module):
        array = module.arange(-3, 0, dtype="i1")
        out = module.zeros(3 if call.startswith("cum") else (), target)
        of = module.add.reduce if call == "add.reduce" else getattr(module, call)
        of(array, out=out)
        return out

    assert_same(reduce)


def test_masks_without_values_write_nothing():
    for values in ([], numpy.zeros(0)):

        def put(module):
            array = module.arange(4)
            module.putmask(array, array > 0, module.asarray(values))
            return array

        assert_same(put)
