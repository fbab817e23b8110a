"""Numbers: scalar results behave as NumPy's scalars, whether their values are known at once or computed later."""

import copy
import datetime
import decimal
import fractions
import functools
import json
import math
import numbers
import operator
import os
import pickle
import random
import statistics
import struct
import subprocess
import sys
import time

import numpy
import pytest

import weft.numpy as np
from profiled import database
from test_calls import CALLS, arrays

#: Sums of this number of elements are computed later.
MANY = 100_000


def make_number(value, dtype, is_deferred):
    """A sum with a value: of a few elements, or of many, whose sum is computed later."""
    count = MANY if is_deferred else 3
    array = np.zeros(count, dtype)
    array[1] = value
    return np.any(array) if dtype == "?" else array.max() if value > 0 else array.min()


@pytest.fixture(params=[False, True], ids=["known", "deferred"])
def number(request):
    """Makes a number of a value and a dtype; of float64 and int64 if none is given."""

    def make(value, dtype=None):
        return make_number(value, dtype or ("i8" if isinstance(value, int) else "f8"), request.param)

    return make


def test_in_place_operators_rebind_scalars(number):
    e = number(3.0)
    log = [e]
    e -= 0.5
    log.append(e)
    assert [float(one) for one in log] == [3.0, 2.5]
    s = number(6)
    s /= 4
    assert s == 1.5 and s.dtype == numpy.float64
    s = number(6)
    s += 2.5
    assert s == 8.5
    s = number(6)
    s += np.ones(2)
    assert isinstance(s, np.ndarray) and s.tolist() == [7.0, 7.0]
    s = number(3.0, "f4")
    s += numpy.float64(1)
    assert s.dtype == numpy.float64
    for op in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow"):
        kept = number(6)
        assert getattr(operator, op)(kept, 4) == getattr(operator, op)(6, 4)
        assert kept == 6
    for op in ("iand", "ior", "ixor", "ilshift", "irshift"):
        assert getattr(operator, op)(number(6), 1) == getattr(operator, op)(6, 1)


def test_integers_repeat_sequences_and_count(number):
    n = number(6)
    assert [0] * n == n * [0] == [0] * 6
    assert (1,) * n == (1,) * 6 and "ab" * n == n * "ab" == "ab" * 6 and b"x" * n == b"x" * 6
    assert list(range(n)) == list(range(6)) and "abcdefgh"[:n] == "abcdef" and [*"abcdefgh"][n] == "g"
    with pytest.raises(TypeError):
        [0] * number(3.0)
    assert np.zeros(n).shape == (6,) and np.zeros((n, 2)).shape == (6, 2) and random.randrange(n) < 6


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_hashes_and_equality_follow_the_value(number, dtype):
    value = 3 if dtype[0] in "iu" else 2.5
    x = number(value, dtype) if dtype[0] != "c" else number(value, "f" + str(int(dtype[1:]) // 2)) * numpy.dtype(dtype).type(1)
    assert x.dtype == dtype
    theirs = numpy.dtype(dtype).type(value)
    assert hash(x) == hash(theirs) == hash(value)
    assert {x: 1}[value] == {value: 1}[x] == 1 and value in {x} and x in {value, 7} and x in [7, value]
    assert x == value and value == x and x == theirs and not x != value and x != value + 1


def test_odd_values_hash_like_python(number):
    assert hash(number(-1.0) * 0) == hash(-0.0) == hash(0)
    assert hash(number(1.0) * numpy.inf) == hash(math.inf)
    missing = number(1.0) * numpy.nan
    assert missing != missing and missing not in [1.0] and len({missing, missing}) == 1
    assert hash(number(1, "?")) == hash(True) and number(1, "?") in {True}
    assert functools.lru_cache(lambda x: x + 1)(number(2)) == 3


def test_methods_and_attributes_match_scalars(number):
    x, n = number(2.5), number(6)
    assert x.is_integer() is False and x.as_integer_ratio() == (5, 2) and x.hex() == (2.5).hex()
    assert n.bit_count() == 2 and (n.numerator, n.denominator) == (6, 1)
    assert (x.real, x.imag, x.conjugate(), x.conj()) == (2.5, 0.0, 2.5, 2.5)
    assert (x.dtype, x.shape, x.ndim, x.size, x.itemsize, x.nbytes, x.strides) == (numpy.float64, (), 0, 1, 8, 8, ())
    assert type(x.item()) is type(x.tolist()) is float and type(n.item()) is int
    assert x.astype("i4") == 2 and x.astype("i4").dtype == numpy.int32
    assert x.sum() == x.mean() == x.max() == 2.5 and x.round() == 2.0 and x.any() and n.all()
    assert x.reshape(1).tolist() == x.ravel().tolist() == [2.5] and isinstance(x.reshape(1), np.ndarray)
    assert not isinstance(x.reshape(()), np.ndarray) and isinstance(x[...], np.ndarray) and x[()] == 2.5 and x[None].shape == (1,)
    for wrong in ("nonsense", "__wrong__"):
        with pytest.raises(AttributeError):
            getattr(x, wrong)
    for call in (len, iter, list, lambda x: 1 in x, lambda x: x[0], lambda x: x.__setitem__(0, 1), lambda x: operator.setitem(x, (), 1)):
        with pytest.raises((TypeError, IndexError, AttributeError)):
            call(x)
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        operator.index(x)
    view = np.reshape(x, ())
    view[...] = 7
    assert x == 2.5


def test_scalars_print_like_numpy(number):
    x, n = number(2.5), number(6)
    assert (repr(x), str(x), f"{x}", f"{x:.3f}", "%d %s %r" % (n, x, x)) == ("np.float64(2.5)", "2.5", "2.5", "2.500", "6 2.5 np.float64(2.5)")
    assert (repr(n), f"{n:05d}", f"{n:>4}") == ("np.int64(6)", "00006", "   6")
    assert repr(number(2.5, "f4")) == "np.float32(2.5)" and repr(number(1, "?")) == "np.True_"


def test_supports_number_protocols(number):
    x, n = number(2.5), number(6)
    assert (round(x), type(round(x)), round(number(2.25), 1)) == (2, int, 2.2)
    assert (math.floor(x), math.ceil(x), math.trunc(x), math.sqrt(n * 6)) == (2, 3, 2, 6.0)
    assert (math.floor(number(2.5, "f4")), math.ceil(number(2.5, "f4")), math.floor(n)) == (2, 3, 6)
    assert (int(x), float(n), complex(x), bool(n), operator.index(n), not x) == (2, 6.0, 2.5 + 0j, True, 6, False)
    assert divmod(x, 2) == (1.0, 0.5) and divmod(7, n) == (1, 1) and abs(-x) == 2.5 and pow(n, 2) == 36 and 2**n == 64
    with pytest.raises(TypeError):
        pow(n, 2, 5)
    for again in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), pickle.loads(pickle.dumps([x]))[0]):
        assert again == 2.5 and again.dtype == numpy.float64
    assert struct.pack("di", x, n) == struct.pack("di", 2.5, 6) and sorted([3, x, 1]) == [1, 2.5, 3] and sum([x, x]) == 5
    assert fractions.Fraction(x) == fractions.Fraction(5, 2) and x + fractions.Fraction(1, 2) == 3
    assert statistics.mean([x, x]) == 2.5 and math.fsum([x, x]) == 5.0
    random.seed(x)
    day = datetime.timedelta(days=1)
    assert day * x == x * day == datetime.timedelta(days=2.5) and day / x == day / 2.5


def test_scalars_have_number_classes(number):
    x, n, z = number(2.5), number(6), number(2.5) * 1j
    for one, abstract, theirs in ((x, numbers.Real, numpy.float64), (n, numbers.Integral, numpy.int64), (z, numbers.Complex, numpy.complex128)):
        assert isinstance(one, abstract) and isinstance(one, theirs) and isinstance(one, numpy.generic)
        assert not isinstance(one, np.ndarray) and np.isscalar(one) and numpy.isscalar(one)
    assert isinstance(x, float) and not isinstance(n, float) and isinstance(number(1, "?"), numpy.bool_)


def test_json_writes_scalars(number):
    given = {"a": [number(2.5), {"b": number(6)}], "c": number(2.5, "f4")}
    plain = {"a": [2.5, {"b": 6}], "c": 2.5}
    for keywords in ({}, {"indent": 1}, {"indent": 2, "sort_keys": True}, {"separators": (",", ":")}):
        assert json.dumps(given, **keywords) == json.dumps(plain, **keywords)

    class Encoder(json.JSONEncoder):
        def default(self, o):
            return "own" if isinstance(o, set) else super().default(o)

    assert json.dumps([number(6), {1}], cls=Encoder) == '[6, "own"]'
    with pytest.raises(TypeError):
        json.dumps(object())


def test_known_floats_are_c_floats():
    x = np.array([0.001, 2.5])
    time.sleep(x[0])
    for s in (x[1], x.max(), np.dot(x, [0, 1.0]), np.linalg.norm(x[1:]), np.mean(x[1:]), np.median(x[1:]), x[0] * 0 + 2.5, np.sqrt(x[1] ** 2)):
        assert datetime.timedelta(seconds=s) == datetime.timedelta(seconds=2.5)
        assert decimal.Decimal(s) == decimal.Decimal(2.5)
        assert statistics.mean([s, 2.5]) == 2.5 and statistics.stdev([s, 2.5, 2.5]) == 0
    # An element of an array that is being computed is waited for.
    for _ in range(5):
        y = np.sqrt(np.full(3_000_000, 4.0))
        assert decimal.Decimal(y[7]) == 2


def test_sums_of_many_elements_are_never_c_floats():
    s = np.ones(MANY).sum()
    for one in (s, s + 1, s / s, 2 * s, -s):
        for _ in range(2):
            with pytest.raises(TypeError):
                datetime.timedelta(seconds=one)
            assert datetime.timedelta(seconds=float(one) % 7) is not None


def test_reductions_stay_deferred():
    program = """
import time
import weft
import weft.numpy as np

x = np.ones(2_000_000)
for _ in range(3):
    float((np.sin(x) * x).sum())
begun = time.perf_counter()
for _ in range(40):
    x = np.sin(x) * np.cos(x) + 1
asked = time.perf_counter()
s = x.sum()
t = (s * 2 + s) / x.size - x.max()
y = t * x
made = time.perf_counter() - asked
float(t)
print(made < (time.perf_counter() - begun) / 2, isinstance(t, weft._core.number))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=dict(os.environ, WEFT_CONFIG="--cpus 1"))
    assert done.stdout.split() == ["True", "True"], done.stderr


def test_created_zero_dimensional_arrays_stay_arrays(number):
    x = np.arange(3.0)
    for array in (np.array(1.0), np.zeros(()), x[1, ...], x[:1].reshape(()), x[:1].squeeze(), np.asarray(2.5), np.array(number(2.5)), np.asarray(number(2.5))):
        assert isinstance(array, np.ndarray) and array.shape == ()
        kept = array
        array += 1
        assert kept is array
        array[...] = 9
        assert kept == 9
        with pytest.raises(TypeError):
            hash(array)
        assert not isinstance(array + 1, np.ndarray) and not isinstance(np.sqrt(array), np.ndarray) and isinstance(array.copy(), np.ndarray)
        with pytest.raises(numpy._core._exceptions._UFuncOutputCastingError):
            array += 1j


def test_libraries_accept_scalars(number):
    x = number(2.5)
    assert numpy.asarray(x) == 2.5 and numpy.asarray(x).shape == () and numpy.array([x, x]).tolist() == [2.5, 2.5]
    assert numpy.full(2, x).tolist() == [2.5, 2.5] and numpy.sqrt(x) == numpy.sqrt(2.5) and numpy.add(x, numpy.ones(2)).tolist() == [3.5, 3.5]
    assert (numpy.ones(2) * x).tolist() == (x * numpy.ones(2)).tolist() == [2.5, 2.5] and numpy.float32(2) * x == 5.0
    assert np.array([x, 1]).tolist() == [2.5, 1.0] and np.full(2, x).tolist() == [2.5, 2.5] and np.linspace(0, x, 2).tolist() == [0, 2.5]
    assert np.where(np.array([True, False]), x, 0).tolist() == [2.5, 0.0] and np.clip(np.arange(4), 0, x).tolist() == [0, 1, 2, 2.5]
    y = np.zeros(3)
    y[0] = x
    y[number(1)] = x
    y[number(2) :] = x
    assert y.tolist() == [2.5] * 3 and np.array([1, 2, 3])[number(2)] == 3


FLAGS = ["--profile", "--max-inline-chunk 0", "--cpus 1"]

PROGRAM = """
import json, math, pickle
import numpy
import weft.numpy as np

x, k = np.arange(1.0, 6.0), np.arange(4)
e = x.sum()
log = [e]
e -= 0.5
log.append(e)
s = k.sum()
s /= 4
n = k.sum()
print([float(one) for one in log], float(s), [0] * n, hash(e) == hash(14.5), {e: 1}[14.5], x[2] in {3.0}, json.dumps([e, x[0]], indent=1).split())
print(f"{x[1]:.2f} {e!r} {n}", isinstance(e, float), isinstance(n, numpy.integer), isinstance(x[0], np.ndarray), math.floor(e), pickle.loads(pickle.dumps(e)), x[0].is_integer())
x[0] += 2
x[1] *= x[0]
print(x.tolist(), (x[0] * x[1] + x @ x).item(), round(e), divmod(n, 4), [one for one in range(k[2])], int(np.argmax(x)))
"""


@pytest.mark.parametrize("flags", FLAGS)
def test_scalars_do_not_depend_on_run_flags(flags, tmp_path):
    printed = []
    for given in ("", flags):
        environment = dict(os.environ, WEFT_CONFIG=given)
        done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0] == printed[1]


#: Calls in addition to those of `test_calls`, mostly of vectors and single values.
MORE = [
    "np.einsum('i,i',v,u)", "np.vdot(v,u)", "np.tensordot(v,u,1)", "np.take(v,2)", "v[idx[0]]", "a[idx[0],idx[1]]", "np.copy(v[1])", "np.array(v[1])",
    "np.where(v[1]>0,v[1],0)", "np.linalg.cond(s)", "np.linalg.norm(v,1)", "np.average(v,returned=True)", "np.percentile(v,50)", "np.median(v)",
    "np.nanmedian(v)", "np.interp(.5,np.array([0.,1]),np.array([0.,1]))", "np.searchsorted(np.sort(v),1)", "np.digitize(1.5,[0,1,3])", "np.round(z)",
    "np.nan_to_num(z)", "np.full((),2)", "np.zeros(())", "z.copy()", "z[()]", "z[...]", "z.T", "z.reshape(())", "-z", "abs(z)", "np.flip(z)", "z.real",
    "np.add(z,1)", "np.modf(1.5)", "np.linalg.slogdet(s)", "np.linalg.matrix_rank(s)", "np.inner(v,u)", "np.cross(v[:2],u[:2])", "v.flat[2]",
    "v[...,0]", "v.dot(u)", "np.choose(1,[z,z])", "np.gcd.reduce(pos)", "np.squeeze(v[1])", "np.transpose(v[1])", "np.sum(2.5)", "np.sqrt(2.0)",
    "np.max(z,keepdims=True)", "np.all(z,keepdims=True)", "np.count_nonzero(z,keepdims=True)", "np.atleast_1d(v[1])", "np.polyval(v,2.)",
]  # fmt: skip


def kinds(value):
    if isinstance(value, numpy.generic):
        return "number"
    if isinstance(value, (tuple, list)):
        return [kinds(one) for one in value]
    return "array" if isinstance(value, (np.ndarray, numpy.ndarray)) else type(value).__name__


@pytest.mark.filterwarnings("ignore")
def test_functions_return_scalars_like_numpy():
    variants = [call.replace("a,", f"{one},").replace("(a)", f"({one})") for call in CALLS for one in ("a", "v", "z", "a[0,0]")]
    wrong = []
    for call in dict.fromkeys(variants + MORE):
        given = []
        for module in (numpy, np):
            try:
                with numpy.errstate(all="ignore"):
                    given.append(kinds(eval(call, arrays("f8", module))))
            except Exception:  # noqa: BLE001 - a rejected operand has no kind
                given.append(None)
                # A call of Weft that fails later would fail without being read.
                break
        if None not in given and given[0] != given[1]:
            wrong.append((call, *given))
    assert not wrong


def test_scalars_have_equal_types_with_a_profile(tmp_path):
    # Code in C takes objects of the class `float`.
    program = """
        import datetime
        import decimal
        import json
        import statistics
        import time

        import numpy
        import weft.numpy as np

        x = np.arange(3.0) / 1000
        s = x.sum()
        i = np.arange(5).sum()
        time.sleep(x[0])
        time.sleep(s)
        assert decimal.Decimal(s) == decimal.Decimal(float(s))
        assert datetime.timedelta(seconds=x[1]) == datetime.timedelta(seconds=0.001)
        assert json.loads(json.dumps([s, x[2]])) == [0.003, 0.002]
        assert statistics.mean([x[0], x[2]]) == 0.001
        for number in (s, x[0], x.max(), np.dot(x, x), np.linalg.norm(x), x.mean(), x.std(), np.median(x), s + 1, s * x[1], np.sqrt(s)):
            assert issubclass(type(number), numpy.float64) and issubclass(type(number), float), type(number)
        for number in (i, np.argmax(x), i + 1):
            assert issubclass(type(number), numpy.int64), type(number)
        # The sum of many elements is computed later, as without a profile.
        later = np.ones(100_000).sum()
        assert not issubclass(type(later), float)
        assert later == 100_000
    """
    (lines,) = database(program, tmp_path).execute(
        "SELECT count(DISTINCT p.line) FROM WEFT_OPERATION o JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId WHERE p.line IN (12, 13, 14)"
    ).fetchone()
    assert lines == 3, "the operations are in the profile"
