"""Values that make arrays of objects, texts or long floats within a function: NumPy computes them, as it does with its own arrays."""

import pytest
import weft.numpy as np
from compared import check

FOREIGN = [
    "None", "2**70", "[2**70, 1]", "[None, 1]", "['a', 'b']", "'text'", "D(1)", "[D(1), D(2)]", "F(1, 2)", "[F(1, 2), F(1, 3)]",
    "np.array([1, None], object)", "[1, 'b']", "np.array(['a', 'b'])", "np.longdouble(1)", "np.array([1, 2], 'g')", "[[1], [2, 3]]",
]  # fmt: skip

#: Functions of an array and a value, in both orders.
PAIRS = [
    "append", "union1d", "setdiff1d", "isin", "outer", "dot", "inner", "array_equal", "array_equiv", "convolve", "compress", "extract",
    "tensordot", "kron", "add", "multiply", "maximum", "less", "logical_and", "power", "floor_divide", "digitize", "cross",
]  # fmt: skip

#: Functions of a value.
ALONE = [
    "sum", "prod", "max", "min", "any", "all", "mean", "cumsum", "cumprod", "argmax", "sort", "argsort", "unique", "nonzero", "count_nonzero", "isreal",
    "iscomplex", "isrealobj", "real", "ravel", "squeeze", "atleast_1d", "atleast_2d", "transpose", "copy", "asarray", "array", "ones_like", "diff", "ediff1d",
    "median", "ptp", "flip", "diag", "diagflat", "tril", "triu", "trace", "average", "nansum", "nanmax", "isposinf", "isneginf", "block", "stack", "vstack",
    "hstack", "dstack", "column_stack", "concatenate", "expand_dims", "negative", "absolute", "square", "logical_not", "exp", "isnan",
]  # fmt: skip

#: Code with a value `v` and an array `x` of two integers.
CODE = [
    "m.hstack([x, v])", "m.vstack([x, v])", "m.stack([x, v])", "m.concatenate([x, v])", "m.column_stack([x, v])", "m.block([x, v])",
    "m.select([x > 0], [x], v)", "m.where(x > 0, x, v)", "m.choose(x, [x, v])", "m.insert(x, 0, v)", "m.full(2, v)", "m.clip(x, 0, v)", "m.repeat(v, 2)",
    "m.tile(v, 2)", "m.reshape(v, -1)", "m.diff(x, prepend=v)", "m.interp(v, [0, 1], [1, 2])", "m.average(x, weights=v)", "m.array([x, v])",
    "m.sum(x, initial=v)", "m.max(x, initial=v)", "m.add.reduce(v)", "m.maximum.accumulate(v)", "m.linalg.norm(v)", "m.searchsorted(x, v)",
    "m.broadcast_to(v, (2,))", "x + v", "v + x", "x * v", "x == v", "v == x", "x != v", "x / v", "x ** v", "m.put(x, 0, v); r = x",
    "x[:] = v; r = x", "x[[0]] = v; r = x", "x[x > 0] = v; r = x", "m.putmask(x, x > 0, v); r = x", "m.place(x, x > 0, v); r = x", "x += v; r = x",
    "m.copyto(x, v); r = x", "m.add.outer(x, v)", "m.piecewise(x, [x > 0], [v])", "m.polyadd(x, v)",
]  # fmt: skip

#: Both raise errors, of different kinds.
SKIPPED = {("[[1], [2, 3]]", f"m.{name}(x, initial=v)") for name in ("sum", "max")}


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "quiet")


def statements(value, codes):
    for code in codes:
        if (value, code) not in SKIPPED:
            yield f"x = m.arange(2); v = {value}; " + (code if "r = " in code else f"r = {code}")


@pytest.mark.parametrize("value", FOREIGN)
def test_foreign_values_with_arrays_match_numpy(value):
    pairs = [f"m.{name}({order})" for name in PAIRS for order in ("x, v", "v, x")]
    check(statements(value, [*pairs, *CODE]))


@pytest.mark.parametrize("value", FOREIGN)
def test_foreign_values_alone_match_numpy(value):
    check(statements(value, [f"m.{name}(v)" for name in ALONE]))


class Celsius:
    """An object that takes calls of universal functions, and has no operators."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc.__name__, method, [type(one).__name__ for one in inputs]


class Plain:
    """An object with a priority, to which arrays leave operators."""

    __array_priority__ = 10.0

    def __radd__(self, other):
        return "radd"


def test_operators_dispatch_to_array_ufunc():
    assert (np.ones(3) + Celsius()) == ("add", "__call__", ["ndarray", "Celsius"])
    assert (np.ones(3) < Celsius()) == ("less", "__call__", ["ndarray", "Celsius"])
    assert np.ones(3) + Plain() == "radd"


def test_isreal_accepts_text():
    assert not np.isreal("text")


def test_linalg_functions_of_objects_match_numpy():
    objects = "np.array([[1, 2], [3, 4]], object)"
    check([f"m.linalg.tensordot({one}, {objects}, axes=1)" for one in (objects, "m.ones((2, 2))")] + [
        f"m.linalg.vecdot({objects}, m.ones(2), axis=-1)", f"m.linalg.trace({objects}, offset=1)", f"m.linalg.diagonal({objects}, offset=1)",
        f"m.linalg.vector_norm({objects})", f"m.linalg.matrix_power({objects}, 2)", f"m.linalg.norm({objects}, axis=0)",
    ])  # fmt: skip
