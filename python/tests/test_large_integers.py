"""Python integers that no integer dtype holds, combined with arrays of each dtype, as in NumPy."""

import numpy
import pytest
import weft.numpy as np
from compared import check

LARGE = ["2**63", "2**64 - 1", "2**64", "2**70", "-2**63 - 1", "-2**70", "6*10**23", "10**400", "-10**400"]
DTYPES = ["?", "i1", "i4", "i8", "u1", "u8", "f2", "f4", "f8", "c8", "c16"]
FUNCTIONS = [
    "maximum", "minimum", "fmax", "add", "multiply", "power", "less", "equal", "greater_equal", "arctan2", "hypot", "copysign", "logical_and",
    "heaviside", "nextafter", "float_power", "logaddexp", "fmod", "remainder", "floor_divide", "divmod", "gcd", "ldexp",
]  # fmt: skip

#: Statements with an array `x` and an integer `b`.
STATEMENTS = [
    "x {op}= b; r = x", "x.fill(b); r = x", "x[0] = b; r = x", "x[:] = b; r = x", "x[[0, 1]] = b; r = x", "x[x > 0] = b; r = x", "x[...] = b; r = x",
    "x[0:1] = [b]; r = x", "x[:] = [b, 1, 2]; r = x", "m.putmask(x, x > 0, b); r = x", "m.place(x, x > 0, b); r = x", "m.place(x, x > 0, [b]); r = x",
    "m.put(x, 0, b); r = x", "m.copyto(x, b); r = x", "m.copyto(x, b, where=x > 0); r = x", "x.flat = b; r = x", "x = x[0:1].reshape(()); x[()] = b; r = x",
    "x = m.ones((3, 3), x.dtype); m.fill_diagonal(x, b); r = x", "x = m.ones((2, 3), x.dtype); x[:, 1] = b; r = x", "x.real = b; r = x",
]  # fmt: skip

#: Expressions with an array `x` and an integer `b`.
EXPRESSIONS = [
    "m.full(3, b, x.dtype)", "m.full_like(x, b)", "m.clip(x, 0, b)", "m.clip(x, b, None)", "m.clip(x, -b, b)", "x.clip(max=b)", "m.where(x > 0, x, b)",
    "m.where(x > 0, b, 1.5)", "m.sum(x, initial=b)", "m.prod(x, initial=b)", "m.max(x, initial=b)", "m.min(x, initial=b)", "m.add.reduce(x, initial=b)",
    "m.maximum.reduce(x, initial=b)", "m.isin(x, [b, 1])", "m.isin(b, x)", "m.append(x, b)", "m.insert(x, 1, b)",
    "m.array([b], x.dtype)", "m.allclose(x, b)", "m.array_equal(x, b)", "m.nan_to_num(x, nan=b)",
    "m.choose([0, 1, 0], [x, b])", "m.dot(x, b)", "m.diff(x, prepend=b)", "m.concatenate([x, [b]])", "m.hstack([x, b])", "m.stack([x, [b] * 3])",
    "m.union1d(x, [b])", "m.average(x, weights=[b, 1, 1])", "m.piecewise(x, [x > 0], [b])", "m.interp([1.5], [0, 1, 2], x, right=b)", "m.round(x, b)",
    "m.take(x, b)", "m.roll(x, b)", "m.result_type(x, b)", "m.select([x > 0], [x], b)", "m.add.outer(x, b)",
]  # fmt: skip


def codes_with(dtype, large):
    """Code with an array of a dtype and an integer."""
    start = f"x = m.array([1, 0, 3], '{dtype}'); b = {large}; "
    for op in ["+", "-", "*", "/", "//", "%", "**", "<", "<=", "==", "!=", ">", ">=", "&", "<<"]:
        if not (op == "**" and dtype in ("c8", "c16")):
            # The library determines the power of a complex number that overflows.
            yield f"{start}r = x {op} b"
            yield f"{start}r = b {op} x"
    for name in FUNCTIONS:
        if not (name in ("power", "float_power") and dtype in ("c8", "c16")):
            yield f"{start}r = m.{name}(x, b)"
            yield f"{start}r = m.{name}(b, x)"
    for op in ["+", "*", "-", "/", "//", "&"]:
        yield start + STATEMENTS[0].format(op=op)
    yield from (start + one for one in STATEMENTS[1:])
    yield from (f"{start}r = {one}" for one in EXPRESSIONS)




@pytest.mark.parametrize("dtype", DTYPES)
def test_large_integers_with_arrays_match_numpy(dtype):
    check(code for large in LARGE for code in codes_with(dtype, large))


ALONE = [
    "m.linspace(0, b, 5)", "m.linspace(b, 0, 5)", "m.arange(b, b + 3)", "m.arange(0, b, b)", "m.full(2, b)", "m.array([b, 1.0])", "m.array([b, 1])",
    "m.add(b, 1.0)", "m.add(b, 1)", "m.maximum(b, 1.5)", "m.less(b, 1.0)", "m.equal(b, b)", "m.isreal(b)", "m.iscomplex(b)", "m.real(b)", "m.sum([b, 1])",
    "m.max([b, 1])", "m.mean([b, 1])", "m.sort([b, 1])", "m.unique([b, 1])", "m.ones(3) * [b, 1, 2]", "m.arange(3) * [b, 1, 2]", "m.arange(3) + m.array([b, 1, 2])",
    "m.where(True, b, 1)", "m.clip(5, 0, b)", "m.arange(3)[:b]", "m.eye(3, k=b)", "m.negative(b)", "m.absolute(b)", "m.dot([b], [1])",
    "m.cumsum([b, 1])", "m.median([b, 1])", "m.nan_to_num(m.array([nan, inf]), nan=b, posinf=b)", "m.any([b])", "m.count_nonzero([b, 0])",
    "m.array([1]) < b", "m.float64(2) * b", "m.searchsorted(m.array([1, 2, 3]), b)", "m.histogram([1, 2], [0, 1, b])[0]", "m.einsum('i,i', [b, 1], [1, 2])",
]  # fmt: skip


def test_large_integers_alone_match_numpy():
    check(f"b = {large}; r = {code}" for large in LARGE for code in ALONE)


def test_compares_large_integers_exactly():
    most = numpy.array([2**64 - 1], "u8")
    for large in (2**64, 2**64 + 1, 2**70):
        assert (np.array(most) < large).tolist() == [True]
        assert (np.array(most) == large).tolist() == [False]
    assert (np.array([1.0]) * (6 * 10**23)).tolist() == [6e23]
