#!/usr/bin/env python3
"""Writes runtime/array/tests/numpy/tables/*.txt: NumPy's results for every function of docs/numpy.md, every dtype and special values.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 && venv/bin/python runtime/array/tests/numpy/tables.py

Each file has lines of two kinds. Arrays are written as `dtype[shape]hex`: the bits of all elements in row-major order, with the
real part of complex numbers first.

    in NAME ARRAY         an input; the names are those of `inputs` below
    do NAME DTYPE ARRAY*  the results of a case on the inputs of a dtype, or `error` if NumPy raises

The cases have the same names in runtime/array/tests/numpy/tables/, where each calls Weft.
"""

import pathlib
import warnings

import numpy as np

OUT = pathlib.Path(__file__).resolve().parent / "tables"
DTYPES = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "complex64", "complex128"]
NUMPY = {d: np.dtype(d if d in ("bool", "complex64", "complex128") else f"{d[0]}{int(d[1:]) // 8}") for d in DTYPES}
NAMES = {v: k for k, v in NUMPY.items()}

INTS = [d for d in DTYPES if d[0] in "iu"]
SIGNED = [d for d in DTYPES if d[0] == "i"]
FLOATS = ["f16", "f32", "f64"]
COMPLEX = ["complex64", "complex128"]
REAL = INTS + FLOATS
NUMBER = REAL + COMPLEX
INEXACT = FLOATS + COMPLEX
ORDERED = ["bool"] + REAL
LINEAR = ["f32", "f64"] + COMPLEX


def edges(d):
    """Special values: zeros, ones, the ends of the range, subnormal numbers, large integers, infinities and NaN."""
    t = NUMPY[d]
    if d == "bool":
        return np.array([False, True])
    if d in INTS:
        low, high = np.iinfo(t).min, np.iinfo(t).max
        values = {0, 1, 2, 3, 7, 100, low, low + 1, high, high - 1, high // 2 + 1}
        if d in SIGNED:
            values |= {-1, -2, -7, low // 2}
        if t.itemsize == 8:
            values |= {2**53 + 1, 1_700_000_000_000_000_000}
        return np.array(sorted(values), t)
    if d in FLOATS:
        info = np.finfo(t)
        small = [info.smallest_normal, info.smallest_subnormal, info.smallest_subnormal * t.type(5)]
        large = [info.max, t.type(2.0 ** (info.nmant + 1) + 2)]
        plain = [1.0, 0.5, 1.5, 2.5, 3.7, 0.1, 100.0, 0.99, np.pi]
        positive = np.array([0.0, *small, *plain, *large, np.inf], t)
        return np.concatenate([positive, -positive, np.array([np.nan], t)])
    part = np.finfo(t)
    parts = [0.0, -0.0, 1.0, -2.5, 0.1, np.inf, -np.inf, np.nan]
    pairs = [complex(a, b) for a in parts for b in parts]
    pairs += [complex(part.max, 1), complex(1, -part.max), complex(part.smallest_normal, part.smallest_normal), 3 + 4j, 1e-3 + 1e3j]
    out = np.empty(len(pairs), t)
    out.real, out.imag = [p.real for p in pairs], [p.imag for p in pairs]
    return out


def few(d):
    """The special values that are paired."""
    t, e = NUMPY[d], edges(d)
    if d == "bool":
        return e
    if d in INTS:
        info = np.iinfo(t)
        values = [0, 1, 2, 7, info.max, info.max - 1] + ([-1, -7, info.min, info.min + 1] if d in SIGNED else [100])
        return np.array(values, t)
    if d in FLOATS:
        info = np.finfo(t)
        values = [0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 7.0, info.max, info.min, info.smallest_subnormal, np.inf, -np.inf, np.nan]
        return np.array(values, t)
    parts = [(0, 0), (-0.0, 1), (1, 0), (-2.5, 0.5), (0, -3), (np.inf, 0), (1, -np.inf), (np.nan, 0), (0, np.nan), (3, 4)]
    return np.array([complex(*p) for p in parts], t)


NICE = np.array([3, -1, 0, 7, 2, 2, -5, 4, 1, 9, -8, 6]).reshape(3, 4)
LINE = np.array([2, 5, 2, -3, 0, 5, 7])
OTHER = np.array([5, -3, 4])
SQUARE = np.array([4, 1, 0, 1, 5, -2, 0, -2, 6]).reshape(3, 3)


def as_dtype(values, d, part=None):
    """Returns small numbers as a dtype: magnitudes if unsigned, quarters if float, with another part if complex."""
    t = NUMPY[d]
    if d == "bool":
        return (values % 2).astype(bool)
    if d[0] == "u":
        return np.abs(values).astype(t)
    if d in SIGNED:
        return values.astype(t)
    if d in FLOATS:
        return (values / 4).astype(t)
    out = np.empty(values.shape, t)
    out.real, out.imag = values / 4, (values[::-1] - 1) / 8 if part is None else part
    return out


def inputs(d):
    """The inputs of cases."""
    e, f, t = edges(d), few(d), NUMPY[d]
    line = as_dtype(LINE, d)
    hermitian = as_dtype(SQUARE, d)
    if d in COMPLEX:
        above = np.array([[0, 1, -2], [-1, 0, 3], [2, -3, 0]]) / 8
        hermitian = as_dtype(SQUARE, d, above)
    p = f if len(f) <= 8 else f[[0, 2, 3, 5, 7, 8, 9]]
    if d in FLOATS:
        p = f[[0, 1, 2, 5, 7, 9, 10, 11, 12]]
    pairs = np.stack(np.broadcast_arrays(p[:, None], p[None, :]), -1).reshape(-1, 2)
    return {
        "edge": e,
        "few": f,
        "pairs": pairs,
        "nice": as_dtype(NICE, d),
        "line": line,
        "other": as_dtype(OTHER, d),
        "square": hermitian,
        "none": np.zeros(0, t),
        "rows": np.zeros((0, 3), t),
        "one": line[1],
        "special": np.array([np.nan, 1, -np.inf, np.inf, np.nan, -2], t).reshape(2, 3) if d in INEXACT else line[:6].reshape(2, 3),
    }


class Inputs(dict):
    __getattr__ = dict.__getitem__


CASES = []


def case(name, dtypes, call, file="calls"):
    CASES.append((file, name, dtypes, call))


def write(a):
    a = np.asarray(a)
    kind = NAMES[np.dtype(a.dtype).newbyteorder("=")]
    big = a.dtype.newbyteorder(">")
    dims = ",".join(map(str, a.shape))
    return f"{kind}[{dims}]{np.ascontiguousarray(a).astype(big).tobytes().hex()}"


# --- Functions of one element and of two.

UNARY = """negative absolute sign square reciprocal sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos
arctan sinh cosh tanh arcsinh arccosh arctanh floor ceil trunc rint deg2rad rad2deg isnan isinf isfinite signbit logical_not
conjugate real imag angle invert positive spacing bitwise_count""".split()
for name in UNARY:
    def one(x, name=name):
        is_integer = x.edge.dtype.kind in "biu"
        return getattr(np, name)(x.edge[x.edge != 0] if name == "reciprocal" and is_integer else x.edge)
    case(name, DTYPES, one, "unary")

BINARY = """add subtract multiply divide floor_divide remainder power arctan2 hypot copysign minimum maximum fmin fmax equal
not_equal less less_equal greater greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor
left_shift right_shift fmod nextafter heaviside logaddexp logaddexp2 gcd lcm""".split()
# Complex numbers have no order in Weft.
NEEDS_ORDER = """minimum maximum fmin fmax less less_equal greater greater_equal min max argmin argmax median ptp nanmin nanmax
quantile clip""".split()
for name in BINARY:
    def pairwise(x, name=name):
        left, right = x.few[:, None], x.few[None, :]
        if name == "power" and x.few.dtype.kind == "i":
            right = np.where(right < 0, 3, right)  # NumPy raises for negative powers of integers
        return getattr(np, name)(left, right)
    case(name, ORDERED if name in NEEDS_ORDER else DTYPES, pairwise, "binary")

# --- Reductions.

for name in "sum prod min max any all count_nonzero argmin argmax mean var std median ptp".split():
    reduce, dtypes = getattr(np, name), ORDERED if name in NEEDS_ORDER else DTYPES
    case(f"{name} pairs 1", dtypes, lambda x, f=reduce: f(x.pairs, axis=1), "reduce")
    case(f"{name} nice", dtypes, lambda x, f=reduce: f(x.nice), "reduce")
    case(f"{name} nice 0", dtypes, lambda x, f=reduce: f(x.nice, axis=0), "reduce")
    case(f"{name} none", dtypes, lambda x, f=reduce: f(x.none), "reduce")
    case(f"{name} rows 0", dtypes, lambda x, f=reduce: f(x.rows, axis=0), "reduce")
    case(f"{name} rows 1", dtypes, lambda x, f=reduce: f(x.rows, axis=1), "reduce")
    case(f"{name} one", dtypes, lambda x, f=reduce: f(x.one), "reduce")
for name in "min max any all count_nonzero argmin argmax ptp".split():
    case(f"{name} edge", ORDERED if name in NEEDS_ORDER else DTYPES, lambda x, f=getattr(np, name): f(x.edge), "reduce")
for name in "nansum nanprod nanmin nanmax nanmean nanvar nanstd".split():
    reduce, dtypes = getattr(np, name), ORDERED if name in NEEDS_ORDER else DTYPES
    case(f"{name} pairs 1", dtypes, lambda x, f=reduce: f(x.pairs, axis=1), "reduce")
    case(f"{name} nice", dtypes, lambda x, f=reduce: f(x.nice), "reduce")
    case(f"{name} special 0", dtypes, lambda x, f=reduce: f(x.special, axis=0), "reduce")
    case(f"{name} none", dtypes, lambda x, f=reduce: f(x.none), "reduce")
for name in "cumsum cumprod".split():
    scan = getattr(np, name)
    case(f"{name} pairs 1", DTYPES, lambda x, f=scan: f(x.pairs, axis=1), "reduce")
    case(f"{name} nice", DTYPES, lambda x, f=scan: f(x.nice), "reduce")
    case(f"{name} nice 0", DTYPES, lambda x, f=scan: f(x.nice, axis=0), "reduce")
    case(f"{name} none", DTYPES, lambda x, f=scan: f(x.none), "reduce")
for name in "var std".split():
    case(f"{name} ddof nice 1", DTYPES, lambda x, f=getattr(np, name): f(x.nice, axis=1, ddof=1), "reduce")
    case(f"{name} ddof one", DTYPES, lambda x, f=getattr(np, name): f(x.one, ddof=1), "reduce")
for name in "nanvar nanstd".split():
    case(f"{name} ddof special 0", DTYPES, lambda x, f=getattr(np, name): f(x.special, axis=0, ddof=1), "reduce")
case("quantile nice", ORDERED, lambda x: quantiles(x.nice, [0.0, 0.3, 0.5, 1.0]), "reduce")
case("quantile nice 1", ORDERED, lambda x: quantiles(x.nice, [0.25, 0.9], axis=1), "reduce")
case("quantile special", ORDERED, lambda x: quantiles(x.special, [0.5], axis=1), "reduce")
case("quantile large", REAL, lambda x: quantiles(np.array([top(x), top(x)], x.few.dtype), [0.5]), "reduce")
case("median large", REAL, lambda x: np.median(np.array([top(x), top(x)], x.few.dtype)), "reduce")
case("average nice", DTYPES, lambda x: np.average(x.nice, weights=x.nice), "reduce")
case("average nice 1", DTYPES, lambda x: np.average(x.nice, weights=x.line[:4], axis=1), "reduce")


def quantiles(values, q, axis=None):
    """Returns each value separately: a list of them would be an array of f64, and so would the result."""
    return np.stack([np.quantile(values, one, axis=axis) for one in q])


def top(x):
    return np.iinfo(x.few.dtype).max if x.few.dtype.kind in "iu" else np.finfo(x.few.dtype).max


# --- Views and copies, which only move elements.

case("swapaxes", DTYPES, lambda x: np.swapaxes(x.nice, 0, 1))
case("moveaxis", DTYPES, lambda x: np.moveaxis(x.nice, 0, 1))
case("expand_dims", DTYPES, lambda x: np.expand_dims(x.nice, 1))
case("squeeze", DTYPES, lambda x: np.squeeze(x.nice[:1, :]))
case("flip", DTYPES, lambda x: np.flip(x.nice))
case("flip 1", DTYPES, lambda x: np.flip(x.nice, 1))
case("rot90", DTYPES, lambda x: np.rot90(x.nice, 3))
case("ravel", DTYPES, lambda x: np.ravel(x.nice.T))
case("reshape", DTYPES, lambda x: np.reshape(x.nice.T, (2, 6)))
case("transpose", DTYPES, lambda x: np.transpose(x.nice))
case("broadcast_to", DTYPES, lambda x: np.broadcast_to(x.other[:, None], (2, 3, 2)))
case("split", DTYPES, lambda x: np.array_split(x.line, 3))
case("split_at", DTYPES, lambda x: np.split(x.line, [2, 2, 9]))
case("diagonal", DTYPES, lambda x: np.diagonal(x.nice, 1))
case("diag", DTYPES, lambda x: np.diag(x.other, -1))
case("diag 2", DTYPES, lambda x: np.diag(x.nice))
case("triu", DTYPES, lambda x: np.triu(x.nice, 1))
case("tril", DTYPES, lambda x: np.tril(x.nice, -1))
case("trace", DTYPES, lambda x: np.trace(x.nice, 1))
case("concatenate", DTYPES, lambda x: np.concatenate([x.line, x.none, x.other]))
case("stack", DTYPES, lambda x: np.stack([x.line, x.line], 1))
case("vstack", DTYPES, lambda x: np.vstack([x.other, x.other]))
case("hstack", DTYPES, lambda x: np.hstack([x.nice, x.nice]))
case("dstack", DTYPES, lambda x: np.dstack([x.nice, x.nice]))
case("column_stack", DTYPES, lambda x: np.column_stack([x.other, x.other]))
case("tile", DTYPES, lambda x: np.tile(x.other, (2, 2)))
case("tile none", DTYPES, lambda x: np.tile(x.other, (0, 2)))
case("repeat", DTYPES, lambda x: np.repeat(x.nice, 2))
case("repeat 1", DTYPES, lambda x: np.repeat(x.nice, 2, axis=1))
case("roll", DTYPES, lambda x: np.roll(x.nice, 5))
case("roll 1", DTYPES, lambda x: np.roll(x.nice, -1, axis=1))
case("roll none", DTYPES, lambda x: np.roll(x.none, 3))
for mode in "constant edge reflect symmetric wrap".split():
    case(f"pad {mode}", DTYPES, lambda x, mode=mode: np.pad(x.line, (9, 2), mode=mode))
case("meshgrid", DTYPES, lambda x: np.meshgrid(x.line, x.other))
case("full_like", DTYPES, lambda x: np.full_like(x.nice, x.one))
case("zeros_like", DTYPES, lambda x: np.zeros_like(x.nice))
case("ones_like", DTYPES, lambda x: np.ones_like(x.nice))


def changed(array, change):
    array = array.copy()
    change(array)
    return array


# --- Indexing, sorting and counting.

PICK = np.array([2, 0, -1, 2])
GRID = np.array([[1, 0, 2, -1], [3, 3, 0, 1], [0, 1, 2, 3]])
MASK = np.array([[True, False, True, True], [False] * 4, [True, True, False, True]])
case("take", DTYPES, lambda x: np.take(x.nice, PICK))
case("take 1", DTYPES, lambda x: np.take(x.nice, PICK, axis=1))
case("take outside", DTYPES, lambda x: np.take(x.nice, np.array([12])))
case("put", DTYPES, lambda x: changed(x.nice, lambda a: np.put(a, [1, -1, 5], x.other)))
case("take_at", DTYPES, lambda x: x.nice[np.array([0, 2]), np.array([1, -1])])
case("put_at", DTYPES, lambda x: changed(x.nice, lambda a: a.__setitem__((np.array([0, 2, 1]), np.array([1, -1, 0])), x.other)))
case("take_along_axis", DTYPES, lambda x: np.take_along_axis(x.nice, GRID, 1))
case("put_along_axis", DTYPES, lambda x: changed(x.nice, lambda a: np.put_along_axis(a, GRID[:, :1], x.one, 1)))
case("extract", DTYPES, lambda x: np.extract(MASK, x.nice))
case("place", DTYPES, lambda x: changed(x.nice, lambda a: np.place(a, MASK, x.line[:6])))
case("putmask", DTYPES, lambda x: changed(x.nice, lambda a: np.putmask(a, MASK, x.one)))
case("compress", DTYPES, lambda x: np.compress([True, False, True], x.nice, axis=0))
case("where", DTYPES, lambda x: np.where(MASK, x.nice, x.one))
case("nonzero", DTYPES, lambda x: list(np.nonzero(x.nice)))
case("nonzero edge", DTYPES, lambda x: np.flatnonzero(x.edge))
case("argwhere", DTYPES, lambda x: np.argwhere(x.nice))
case("fill_diagonal", DTYPES, lambda x: changed(x.nice, lambda a: np.fill_diagonal(a, x.one)))
case("copyto", DTYPES, lambda x: changed(x.nice, lambda a: np.copyto(a, x.line[:4])))
case("sort", DTYPES, lambda x: np.sort(x.edge, kind="stable"))
case("sort 0", DTYPES, lambda x: np.sort(x.nice, axis=0))
case("argsort", DTYPES, lambda x: np.argsort(x.edge, kind="stable"))
case("argsort 0", DTYPES, lambda x: np.argsort(x.nice, axis=0, kind="stable"))
case("unique", DTYPES, lambda x: np.unique(x.edge))
case("unique_all", DTYPES, lambda x: np.unique(x.line, return_index=True, return_inverse=True, return_counts=True))
case("isin", DTYPES, lambda x: np.isin(x.edge, x.few))
for name in "union1d intersect1d setdiff1d setxor1d".split():
    case(name, DTYPES, lambda x, name=name: getattr(np, name)(x.line, x.other))
for side in "left right".split():
    case(f"searchsorted {side}", DTYPES, lambda x, side=side: np.searchsorted(np.sort(x.few), x.edge, side))
    case(f"digitize {side}", DTYPES, lambda x, side=side: np.digitize(x.line, np.unique(x.other), side == "right"))
    case(f"digitize down {side}", DTYPES, lambda x, side=side: np.digitize(x.line, np.unique(x.other)[::-1], side == "right"))
case("bincount", DTYPES, lambda x: np.bincount(np.abs(x.line)))
case("bincount negative", DTYPES, lambda x: np.bincount(x.line))
case("bincount least", DTYPES, lambda x: np.bincount(x.none, minlength=4))
case("bincount weights", DTYPES, lambda x: np.bincount(np.arange(7) % 3, x.line))
case("histogram", ORDERED, lambda x: np.histogram(x.line, 4))
case("histogram range", ORDERED, lambda x: np.histogram(x.line, 3, (0, 2)))
case("histogram edges", ORDERED, lambda x: np.histogram(x.line, np.unique(x.other)))
case("histogram weights", REAL, lambda x: np.histogram(x.line, 4, weights=np.arange(7.0)))

# --- Equality of arrays.

for name in "equal less".split():
    case(f"{name} unsigned", INTS, lambda x, name=name: getattr(np, name)(x.few[:, None], inputs("u64")["few"]))
    case(f"{name} signed", INTS, lambda x, name=name: getattr(np, name)(x.few[:, None], inputs("i64")["few"]))
case("isclose", DTYPES, lambda x: np.isclose(x.few[:, None], x.few))
case("isclose nan", DTYPES, lambda x: np.isclose(x.few[:, None], x.few, equal_nan=True))
case("isclose wide", DTYPES, lambda x: np.isclose(x.nice[:, :, None], x.other, rtol=0.5, atol=0.25))
case("allclose", DTYPES, lambda x: np.allclose(x.edge, x.edge))
case("array_equal", DTYPES, lambda x: np.array_equal(x.edge, x.edge))
case("array_equiv", DTYPES, lambda x: np.array_equiv(x.nice, x.nice[:1]))

# --- Rounding, bounds and replacement.

for decimals in [-1, 0, 1, 3]:
    case(f"round {decimals}", DTYPES, lambda x, n=decimals: np.round(x.edge, n))
case("clip", ORDERED, lambda x: np.clip(x.edge, x.few[1], x.few[min(2, len(x.few) - 1)]))
case("clip wide", ORDERED, lambda x: np.clip(x.few[:, None], x.few, x.few[::-1]))
case("nan_to_num", DTYPES, lambda x: np.nan_to_num(x.edge))
case("nan_to_num given", DTYPES, lambda x: np.nan_to_num(x.edge, nan=3.0, posinf=5.0, neginf=-5.0))
case("diff", DTYPES, lambda x: np.diff(x.edge))
case("diff 3", DTYPES, lambda x: np.diff(x.nice, 3, axis=1))
case("diff beyond", DTYPES, lambda x: np.diff(x.nice, 9, axis=1))
case("gradient", DTYPES, lambda x: np.gradient(x.nice, 0.5, axis=1))
case("trapezoid", DTYPES, lambda x: np.trapezoid(x.nice, dx=0.5, axis=1))
case("interp", DTYPES, lambda x: np.interp(x.line, [-1.0, 0.5, 2.0, 3.0], [1.0, -2.0, 5.0, 4.0]))
case("interp edge", ORDERED, lambda x: np.interp(x.edge, [-1.0, 0.5, 2.0], [1.0, -2.0, 5.0]))

# --- Products.

case("dot", DTYPES, lambda x: np.dot(x.line, x.line))
case("dot 2", DTYPES, lambda x: np.dot(x.nice, x.line[:4]))
case("matmul", DTYPES, lambda x: np.matmul(x.nice, x.nice.T))
case("matmul vector", DTYPES, lambda x: np.matmul(x.other, x.nice))
case("matmul none", DTYPES, lambda x: np.matmul(x.rows.T, x.rows))
case("matmul one", DTYPES, lambda x: np.matmul(x.one, x.nice))
case("inner", DTYPES, lambda x: np.inner(x.nice, x.nice))
case("vdot", DTYPES, lambda x: np.vdot(x.nice, x.nice[::-1]))
case("outer", DTYPES, lambda x: np.outer(x.line, x.other))
case("kron", DTYPES, lambda x: np.kron(x.nice, x.other))
case("tensordot", DTYPES, lambda x: np.tensordot(x.nice, x.nice, ((0,), (0,))))
case("einsum", DTYPES, lambda x: np.einsum("ij,kj->ik", x.nice, x.nice))
case("einsum diagonal", DTYPES, lambda x: np.einsum("ii->i", x.square))
case("einsum sum", DTYPES, lambda x: np.einsum("ij->j", x.nice))
for mode in "full same valid".split():
    case(f"convolve {mode}", DTYPES, lambda x, mode=mode: np.convolve(x.line, x.other, mode))
    case(f"correlate {mode}", DTYPES, lambda x, mode=mode: np.correlate(x.line, x.other, mode))
    case(f"correlate long {mode}", DTYPES, lambda x, mode=mode: np.correlate(x.other, x.line[:6], mode))
case("cov", DTYPES, lambda x: np.cov(x.nice, ddof=1))
for p in [2.0, 1.0, 0.0, 3.0, np.inf, -np.inf]:
    case(f"norm {p}", DTYPES, lambda x, p=p: np.linalg.norm(x.line, p))
case("norm 1", DTYPES, lambda x: np.linalg.norm(x.nice, axis=1))
for p in ["fro", 1, -1, np.inf, -np.inf]:
    case(f"matrix_norm {p}", DTYPES, lambda x, p=p: np.linalg.norm(x.nice, p))

# --- Linear algebra and Fourier transforms.

case("solve", LINEAR, lambda x: np.linalg.solve(x.square, x.other), "linear")
case("inv", LINEAR, lambda x: np.linalg.inv(x.square), "linear")
case("det", LINEAR, lambda x: np.linalg.det(x.square), "linear")
case("slogdet", LINEAR, lambda x: list(np.linalg.slogdet(x.square)), "linear")
case("slogdet zero", LINEAR, lambda x: list(np.linalg.slogdet(np.zeros_like(x.square))), "linear")
case("cholesky", LINEAR, lambda x: np.linalg.cholesky(x.square), "linear")
case("svdvals", LINEAR, lambda x: np.linalg.svdvals(x.nice), "linear")
case("eigvalsh", LINEAR, lambda x: np.linalg.eigvalsh(x.square), "linear")
case("lstsq", LINEAR, lambda x: np.linalg.lstsq(x.nice.T, x.line[:4])[0], "linear")
for power in [-2, 0, 5]:
    case(f"matrix_power {power}", LINEAR, lambda x, n=power: np.linalg.matrix_power(x.square, n), "linear")
for norm in ["backward", "ortho", "forward"]:
    case(f"fft {norm}", DTYPES, lambda x, norm=norm: np.fft.fft(x.line, norm=norm), "linear")
    case(f"ifft {norm}", DTYPES, lambda x, norm=norm: np.fft.ifft(x.line, norm=norm), "linear")
case("fft 0", DTYPES, lambda x: np.fft.fft(x.nice, n=5, axis=0), "linear")
case("rfft", DTYPES, lambda x: np.fft.rfft(x.line), "linear")
case("irfft", DTYPES, lambda x: np.fft.irfft(x.line), "linear")
case("fftn", DTYPES, lambda x: np.fft.fftn(x.nice), "linear")
case("ifftn", DTYPES, lambda x: np.fft.ifftn(x.nice), "linear")
case("fftshift", DTYPES, lambda x: np.fft.fftshift(x.nice), "linear")
case("ifftshift", DTYPES, lambda x: np.fft.ifftshift(x.nice), "linear")

# --- A single value with an array, inside or outside of the array's range.

SCALARS = [0, 1, -1, 44, 127, 128, -128, -129, 255, 256, 300, 65535, -32769, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, -(2**63)]
for value in SCALARS:
    for name in "add maximum less equal greater_equal not_equal logical_and divide".split():
        if name == "logical_and" and value >= 2**63:
            continue  # NumPy raises
        case(f"scalar {name} {value}", INTS, lambda x, name=name, value=value: getattr(np, name)(x.few, value), "scalar")
    case(f"scalar clip {value}", INTS, lambda x, value=value: np.clip(x.few, -1, value), "scalar")
    case(f"scalar fill {value}", INTS, lambda x, value=value: changed(x.few, lambda a: a.fill(value)), "scalar")
for value in [0.1, 1e6, 1e300, -0.0, float("inf"), float("nan")]:
    for name in "add less multiply".split():
        case(f"scalar {name} {value}", FLOATS + ["i8", "i64"], lambda x, name=name, value=value: getattr(np, name)(x.few, value), "scalar")


def typed(dtype, values):
    """Returns the values as floats of a dtype; integers as Python's, with which NumPy counts steps exactly."""
    return [dtype.type(v) for v in values] if dtype.kind == "f" else values


def step_cases():
    """Returns ranges: start, stop and step as text, for every dtype that can represent them."""
    large = 1_700_000_000_000_000_000
    for start, stop, step in [
        (0, 5, 1), (5, 0, -2), (-3, 4, 2), (0, 0, 1), (5, 0, 1), (0, 7, 3), (100, 127, 9), (large, large + 200, 1),
        (2**53, 2**53 + 3, 1), (-(2**63), 2**63 - 1, 2**62), (0, 2**64 - 1, 2**62), (2**64 - 1, 0, -1), (0, 1, 0.1), (1, 2, 0.3),
        (0.5, -0.5, -0.25),
    ]:
        yield f"{start} {stop} {step}", start, stop, step


for text, start, stop, step in step_cases():
    def fits(d, values=(start, stop, step)):
        if all(isinstance(v, int) for v in values):
            if d in INTS:
                info = np.iinfo(NUMPY[d])
                return all(info.min <= v <= info.max for v in values)
            return max(map(abs, values)) <= 2048
        return d in FLOATS
    case(f"arange {text}", [d for d in REAL if fits(d)],
         lambda x, v=(start, stop, step): np.arange(*typed(x.few.dtype, v), dtype=x.few.dtype), "scalar")
for text, values in {"linspace 0 1 5": (0, 1, 5), "linspace 3 -2 4": (3, -2, 4), "linspace 1 2 1": (1, 2, 1), "linspace 1 2 0": (1, 2, 0)}.items():
    case(text, ["f64"], lambda x, v=values: np.linspace(*v), "scalar")
    case(text.replace("linspace", "linspace_open"), ["f64"], lambda x, v=values: np.linspace(*v, endpoint=False), "scalar")
case("logspace", ["f64"], lambda x: np.logspace(-2, 3, 6), "scalar")
case("geomspace", ["f64"], lambda x: np.geomspace(0.5, 128, 9), "scalar")
case("eye", NUMBER, lambda x: np.eye(3, 4, 1, dtype=x.few.dtype), "scalar")
case("identity", NUMBER, lambda x: np.identity(3, dtype=x.few.dtype), "scalar")
case("tri", NUMBER, lambda x: np.tri(3, 4, 1, dtype=x.few.dtype), "scalar")
case("indices", ["i64"], lambda x: np.indices((2, 3)), "scalar")
case("fftfreq", ["f64"], lambda x: np.fft.fftfreq(7, 0.5), "scalar")
case("rfftfreq", ["f64"], lambda x: np.fft.rfftfreq(8, 0.5), "scalar")


def main():
    warnings.simplefilter("ignore")
    given = {d: Inputs(inputs(d)) for d in DTYPES}
    files = {"inputs": [f"in {name} {write(array)}" for d in DTYPES for name, array in given[d].items()]}
    for file, name, dtypes, call in CASES:
        lines = files.setdefault(file, [])
        for d in dtypes:
            try:
                out = call(given[d])
            except (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError, np.linalg.LinAlgError):
                lines.append(f"do {name.replace(' ', '_')} {d} error")
                continue
            out = out if isinstance(out, (list, tuple)) else [out]
            kept = [a for a in map(np.asarray, out) if np.dtype(a.dtype).newbyteorder("=") in NAMES]
            assert len(kept) == len(out), f"{name} {d}: {[a.dtype for a in map(np.asarray, out)]}"
            lines.append(f"do {name.replace(' ', '_')} {d} " + " ".join(map(write, out)))
    OUT.mkdir(exist_ok=True)
    for file, lines in files.items():
        head = f"# NumPy {np.__version__}; written by tables.py.\n"
        (OUT / f"{file}.txt").write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
