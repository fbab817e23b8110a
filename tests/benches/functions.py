"""Every function of NumPy that takes arrays, by Weft and by NumPy in turn: `python3 tests/benches/functions.py [--size N] [--json FILE] [--page] [NAME...]`.

Needs the package of `PROFILE=python python/package.sh` on PYTHONPATH. Each call is timed at 100, 10 thousand and 3 million elements, and at one million
elements with other dtypes, strides and shapes. Both libraries run in one process and take turns. The least of all rounds counts: wall time on all
workers, and processor time. `--page` writes docs/functions.md. With names only calls of functions whose names contain one of them are timed.
"""

import argparse
import json
import math
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "python"))
CORES = len(os.sched_getaffinity(0))

import numpy  # noqa: E402
import weft  # noqa: E402
import weft.numpy  # noqa: E402
from declaring import table  # noqa: E402

SIZES = [100, 10_000, 3_000_000]
#: The size of the calls with other dtypes, strides and shapes.
VARIED = 1_000_000
#: Matrices of decompositions have this many rows at most.
ROWS = 400
ROUNDS = 5
#: NumPy's time of one round, and of all rounds, at least; in seconds.
ROUND, ENOUGH = 2e-3, 0.02

#: Functions that are not timed, and why.
LEFT_OUT = {
    "einsum_path": "computes nothing", "asarray": "copies nothing", "asanyarray": "copies nothing", "array": "as copy", "asarray_chkfinite": "as isfinite", "ascontiguousarray": "copies nothing",
    "asfortranarray": "as copy", "require": "copies nothing", "arange": "takes no array", "empty": "takes no array", "eye": "takes no array",
    "fromfunction": "takes no array", "full": "takes no array", "geomspace": "takes no array", "identity": "takes no array", "indices": "takes no array",
    "linspace": "takes no array", "logspace": "takes no array", "ones": "takes no array", "tri": "takes no array", "zeros": "takes no array",
    "fft.fftfreq": "takes no array", "fft.rfftfreq": "takes no array", "empty_like": "computes nothing", "isnat": "takes dates",
    "apply_along_axis": "runs the program's own function", "apply_over_axes": "runs the program's own function", "piecewise": "runs the program's own functions",
}  # fmt: skip

#: Calls with other arguments than one or two arrays. `x`, `y`, `z` have one axis, `X`, `Y` two; `mask` and `at` belong to `x`.
CALLS = {
    "arccosh": "m.arccosh(x + 1)", "copyto": "m.copyto(out, x)", "fill_diagonal": "m.fill_diagonal(X, 1)", "place": "m.place(out, mask, y)",
    "put": "m.put(out, at, y)", "put_along_axis": "m.put_along_axis(X, order, Y, 1)", "putmask": "m.putmask(out, mask, y)", "full_like": "m.full_like(x, 3)",
    "meshgrid": "m.meshgrid(line, line)", "tril": "m.tril(X)", "triu": "m.triu(X)", "vander": "m.vander(line, 5)", "ldexp": "m.ldexp(x, few)",
    "left_shift": "m.left_shift(i, few)", "right_shift": "m.right_shift(i, few)", "power": "m.power(x, y)", "choose": "m.choose(mask, [x, y])",
    "clip": "m.clip(x, 0.2, 0.7)", "compress": "m.compress(mask, x)", "extract": "m.extract(mask, x)", "interp": "m.interp(x, edges, edges)",
    "select": "m.select([mask, x < 0.2], [x, y])", "take_along_axis": "m.take_along_axis(X, order, 1)", "where": "m.where(mask, x, y)",
    "astype": "m.astype(x, 'f4')", "diag_indices_from": "m.diag_indices_from(S)", "ravel_multi_index": "m.ravel_multi_index((row, row), (1000, 1000))",
    "tril_indices_from": "m.tril_indices_from(S)", "triu_indices_from": "m.triu_indices_from(S)", "unravel_index": "m.unravel_index(at, (x.size // 10, 10))",
    "cross": "m.cross(T, T)", "linalg.cross": "m.linalg.cross(T, T)", "linalg.lstsq": "m.linalg.lstsq(A, v)", "linalg.solve": "m.linalg.solve(A, v)",
    "linalg.matrix_power": "m.linalg.matrix_power(A, 3)", "linalg.multi_dot": "m.linalg.multi_dot([A, A, A])", "linalg.norm": "m.linalg.norm(x)",
    "linalg.vector_norm": "m.linalg.vector_norm(x)", "linalg.diagonal": "m.linalg.diagonal(X)", "linalg.trace": "m.linalg.trace(X)",
    "linalg.matmul": "m.linalg.matmul(A, A)", "linalg.outer": "m.linalg.outer(line, line)", "linalg.tensordot": "m.linalg.tensordot(A, A, axes=1)",
    "linalg.tensorinv": "m.linalg.tensorinv(A, 1)", "linalg.tensorsolve": "m.linalg.tensorsolve(A, v)", "linalg.vecdot": "m.linalg.vecdot(X, Y)",
    "linalg.matrix_transpose": "m.linalg.matrix_transpose(X)", "linalg.cholesky": "m.linalg.cholesky(P)", "linalg.eigh": "m.linalg.eigh(P)",
    "linalg.eigvalsh": "m.linalg.eigvalsh(P)", "poly": "m.poly(roots)", "polyadd": "m.polyadd(x, y)", "polyder": "m.polyder(x)", "polydiv": "m.polydiv(x[:1000], x[:3])",
    "polyfit": "m.polyfit(x, y, 1)", "polyint": "m.polyint(x)", "polymul": "m.polymul(x, x[:9])", "polysub": "m.polysub(x, y)",
    "polyval": "m.polyval(roots, x)", "roots": "m.roots(roots)", "convolve": "m.convolve(x, x[:9])", "corrcoef": "m.corrcoef(Q)", "correlate": "m.correlate(x, x[:9])",
    "cov": "m.cov(Q)", "dot": "m.dot(x, y)", "einsum": "m.einsum('ij,ij->i', X, Y)", "inner": "m.inner(x, y)", "kron": "m.kron(line, line)",
    "matmul": "m.matmul(A, A)", "matvec": "m.matvec(X, wide)", "outer": "m.outer(line, line)", "tensordot": "m.tensordot(X, Y, 2)", "vdot": "m.vdot(x, y)",
    "vecdot": "m.vecdot(X, Y)", "vecmat": "m.vecmat(high, X)", "trace": "m.trace(X)", "append": "m.append(x, y)", "array_split": "m.array_split(x, 7)",
    "block": "m.block([[X, Y], [Y, X]])", "broadcast_to": "m.broadcast_to(x, (3, x.size))", "broadcast_arrays": "m.broadcast_arrays(X, wide)",
    "column_stack": "m.column_stack((x, y, z))", "concatenate": "m.concatenate((x, y, z))", "delete": "m.delete(x, at[:9])", "diag": "m.diag(S)",
    "diagflat": "m.diagflat(line)", "diagonal": "m.diagonal(X)", "dsplit": "m.dsplit(x.reshape(-1, 5, 4), 2)", "dstack": "m.dstack((x, y, z))",
    "expand_dims": "m.expand_dims(x, 0)", "fliplr": "m.fliplr(X)", "flipud": "m.flipud(X)", "hsplit": "m.hsplit(X, 2)", "hstack": "m.hstack((X, Y))",
    "insert": "m.insert(x, at[:9], 1)", "matrix_transpose": "m.matrix_transpose(X)", "moveaxis": "m.moveaxis(X, 0, 1)", "pad": "m.pad(X, 2)",
    "repeat": "m.repeat(x, 3)", "reshape": "m.reshape(x, (-1, 10))", "resize": "m.resize(x, x.size + 7)", "roll": "m.roll(x, 7)", "rollaxis": "m.rollaxis(X, 1)",
    "rot90": "m.rot90(X)", "split": "m.split(x, 5)", "squeeze": "m.squeeze(x[None])", "stack": "m.stack((x, y, z))", "swapaxes": "m.swapaxes(X, 0, 1)",
    "take": "m.take(x, at)", "tile": "m.tile(x, 3)", "transpose": "m.transpose(X)", "unpackbits": "m.unpackbits(bytes)", "unstack": "m.unstack(Q)",
    "vsplit": "m.vsplit(S, 2)", "vstack": "m.vstack((X, Y))", "argpartition": "m.argpartition(x, x.size // 2)", "partition": "m.partition(x, x.size // 2)",
    "bincount": "m.bincount(few)", "digitize": "m.digitize(x, edges)", "histogram": "m.histogram(x, 50)", "histogram2d": "m.histogram2d(x, y)",
    "histogramdd": "m.histogramdd((x, y))", "intersect1d": "m.intersect1d(i, j)", "isin": "m.isin(i, few[:50])", "lexsort": "m.lexsort((few, i))",
    "nanpercentile": "m.nanpercentile(holes, [5, 50])", "nanquantile": "m.nanquantile(holes, 0.3)", "percentile": "m.percentile(x, [5, 50])",
    "quantile": "m.quantile(x, 0.3)", "searchsorted": "m.searchsorted(edges, x)", "setdiff1d": "m.setdiff1d(i, j)", "setxor1d": "m.setxor1d(i, j)",
    "union1d": "m.union1d(i, j)", "sort_complex": "m.sort_complex(c)", "trim_zeros": "m.trim_zeros(x)", "array_equal": "m.array_equal(x, out)",
    "array_equiv": "m.array_equiv(x, out)", "allclose": "m.allclose(x, out)", "isclose": "m.isclose(x, y)", "ix_": "m.ix_(at, at)",
    "unique": "m.unique(few)", "unique_all": "m.unique_all(few)", "unique_counts": "m.unique_counts(few)", "unique_inverse": "m.unique_inverse(few)",
    "unique_values": "m.unique_values(few)", "nonzero": "m.nonzero(mask)", "argwhere": "m.argwhere(mask)", "flatnonzero": "m.flatnonzero(mask)",
    "count_nonzero": "m.count_nonzero(mask)", "all": "m.all(mask | ~mask)", "any": "m.any(mask & ~mask)", "copy": "m.copy(x)",
    "average": "m.average(x, weights=y)", "packbits": "m.packbits(mask)", "fix": "m.fix(x)", "real": "m.real(c)", "imag": "m.imag(c)", "angle": "m.angle(c)",
    "conjugate": "m.conjugate(c)", "iscomplex": "m.iscomplex(c)", "isreal": "m.isreal(c)", "real_if_close": "m.real_if_close(c)", "gradient": "m.gradient(X)",
    "trapezoid": "m.trapezoid(x)", "round": "m.round(x, 2)", "i0": "m.i0(x)",
    "fft.ifft": "m.fft.ifft(c)", "fft.irfft": "m.fft.irfft(c)", "fft.hfft": "m.fft.hfft(c)", "fft.fft2": "m.fft.fft2(X)", "fft.ifft2": "m.fft.ifft2(X)",
    "fft.fftn": "m.fft.fftn(X)", "fft.ifftn": "m.fft.ifftn(X)", "fft.rfft2": "m.fft.rfft2(X)", "fft.rfftn": "m.fft.rfftn(X)", "fft.irfft2": "m.fft.irfft2(X)",
    "fft.irfftn": "m.fft.irfftn(X)",
}  # fmt: skip

#: Names of NaN functions begin so; they get an array with NaN in it.
NAN = "nan"

UNARY = "sqrt exp sin negative absolute isnan rint square".split()
BINARY = "add multiply divide maximum less equal".split()
LINES = "sum mean max argmax std cumsum sort argsort median any diff flip".split()

#: Calls that stand for a kind: a dtype, a stride, a shape. A round has a million elements.
VARIATIONS = [
    *((f"{name}, {dtype}", f"m.{name}(x)", dtype) for dtype in ("f4", "i4", "i8", "c16", "u1") for name in (*UNARY, *LINES[:7]) if not (name in ("rint", "isnan") and dtype == "c16")),
    *((f"{name}, {dtype}", f"m.{name}(x, y)", dtype) for dtype in ("f4", "i4", "i8", "c16", "u1") for name in BINARY),
    *((f"{name}, every other", f"m.{name}(x[::2])", "f8") for name in (*UNARY, *LINES)),
    *((f"{name}, every other", f"m.{name}(x[::2], y[1::2])", "f8") for name in BINARY),
    *((f"{name}, transposed", f"m.{name}(S.T, S)", "f8") for name in BINARY),
    *((f"{name}, long rows, axis {axis}", f"m.{name}(R, axis={axis})", "f8") for axis in (0, 1) for name in LINES),
    *((f"{name}, tall columns, axis {axis}", f"m.{name}(C, axis={axis})", "f8") for axis in (0, 1) for name in LINES),
    *((f"{name}, square, axis {axis}", f"m.{name}(S, axis={axis})", "f8") for axis in (0, 1) for name in LINES),
    *((f"{name}, column and matrix", f"m.{name}(C, C[:, :1])", "f8") for name in BINARY),
    *((f"{name}, row and matrix", f"m.{name}(C, C[0])", "f8") for name in BINARY),
    *((f"{name}, number", f"m.{name}(x, 2)", dtype) for dtype in ("f8",) for name in BINARY),
    ("in place: x += y", "iadd(out, y)", "f8"), ("masked: x[mask] *= -1", "negated(out, mask)", "f8"), ("x[mask]", "x[mask]", "f8"), ("x[at]", "x[at]", "f8"),
    ("X[at_rows]", "S[row]", "f8"), ("x[::2].copy()", "x[::2].copy()", "f8"), ("X.T.copy()", "S.T.copy()", "f8"), ("x.astype(i8)", "x.astype('i8')", "f8"),
    ("x == x, strings of bits", "i & j", "f8"), ("unique with counts", "m.unique(few, return_counts=True)", "f8"), ("bincount with weights", "m.bincount(few, x)", "f8"),
    ("maximum.accumulate", "m.maximum.accumulate(x)", "f8"), ("maximum.accumulate of integers", "m.maximum.accumulate(i)", "f8"), ("add.reduceat", "m.add.reduceat(x, few_sorted)", "f8"),
    ("roll along axis 1", "m.roll(S, 1, 1)", "f8"), ("roll along axis 0", "m.roll(S, 1, 0)", "f8"),
    ("Laplacian by roll", "m.roll(S, 1, 0) + m.roll(S, -1, 0) + m.roll(S, 1, 1) + m.roll(S, -1, 1) - 4 * S", "f8"),
    ("Laplacian by slices", "S[2:, 1:-1] + S[:-2, 1:-1] + S[1:-1, 2:] + S[1:-1, :-2] - 4 * S[1:-1, 1:-1]", "f8"),
    ("x * 2 + y", "x * 2 + y", "f8"), ("sqrt(x * x + y * y)", "m.sqrt(x * x + y * y)", "f8"), ("(x > 0.5).sum()", "(x > 0.5).sum()", "f8"),
    ("standardised columns", "(C - C.mean(0)) / C.std(0)", "f8"), ("softmax of rows", "m.exp(C) / m.exp(C).sum(1, keepdims=True)", "f8"),
    ("nanmean of a mask", "m.nanmean(x[mask])", "f8"), ("searchsorted among a million", "m.searchsorted(sorted_x, y)", "f8"), ("interp among a million", "m.interp(y, sorted_x, x)", "f8"),
]  # fmt: skip


def iadd(out, y):
    out += y
    return out


def negated(out, mask):
    out[mask] *= -1
    return out


class Inputs(dict):
    """The arrays of calls for one module, made when a call names them. All have `size` elements, rounded to fit the shape."""

    def __init__(self, module, size, dtype="f8", is_heavy=False):
        super().__init__(m=module, iadd=iadd, negated=negated)
        self.size, self.dtype, self.is_heavy = size, numpy.dtype(dtype), is_heavy

    def __missing__(self, name):
        drawn = numpy.random.default_rng(sum(name.encode()) * 7919 + self.size)
        if name not in self.makers:
            raise NameError(name)
        made = self.makers[name](self, drawn)
        self[name] = made if self["m"] is numpy else self["m"].asarray(made)
        return self[name]

    def values(self, drawn, shape):
        if self.dtype.kind in "iu":
            return drawn.integers(1, 100, shape).astype(self.dtype)
        found = drawn.random(shape) * 0.9 + 0.05
        if self.dtype.kind == "c":
            found = found + 1j * drawn.random(shape)
        return found.astype(self.dtype)

    def side(self):
        return max(2, math.isqrt(self.size) // 2 * 2)

    def matrix(self, drawn):
        side = min(self.side(), ROWS) if self.is_heavy else self.side()
        return self.values(drawn, (side, side)) + (side * numpy.eye(side)).astype(self.dtype)

    makers = {  # noqa: RUF012 - read only
        **dict.fromkeys(["x", "y", "z", "out"], lambda self, drawn: self.values(drawn, self.size)),
        **dict.fromkeys(["X", "Y"], lambda self, drawn: self.values(drawn, (self.side() // 2, self.side() * 2))),
        "S": lambda self, drawn: self.values(drawn, (self.side(), self.side())),
        "R": lambda self, drawn: self.values(drawn, (8, self.size // 8)),
        "C": lambda self, drawn: self.values(drawn, (self.size // 8, 8)),
        "Q": lambda self, drawn: self.values(drawn, (10, self.size // 10)),
        "T": lambda self, drawn: self.values(drawn, (self.size // 3, 3)),
        "A": matrix,
        "P": lambda self, drawn: (lambda a: a + a.T)(self.matrix(drawn)),
        "v": lambda self, drawn: self.values(drawn, self.matrix(drawn).shape[0]),
        "line": lambda self, drawn: self.values(drawn, self.side()),
        "wide": lambda self, drawn: self.values(drawn, self.side() * 2),
        "high": lambda self, drawn: self.values(drawn, self.side() // 2),
        "roots": lambda self, drawn: self.values(drawn, 8),
        "mask": lambda self, drawn: drawn.random(self.size) < 0.5,
        "at": lambda self, drawn: drawn.integers(0, self.size, self.size),
        "row": lambda self, drawn: drawn.integers(0, self.side(), self.side()) if self.size <= 10_000 or self.size == VARIED else drawn.integers(0, 1000, self.size),
        "i": lambda self, drawn: drawn.integers(1, self.size + 9, self.size),
        "j": lambda self, drawn: drawn.integers(1, self.size + 9, self.size),
        "few": lambda self, drawn: drawn.integers(0, 50, self.size),
        "few_sorted": lambda self, drawn: numpy.sort(drawn.integers(0, self.size, 1000)),
        "bytes": lambda self, drawn: drawn.integers(0, 256, self.size).astype("u1"),
        "c": lambda self, drawn: drawn.random(self.size) + 1j * drawn.random(self.size),
        "holes": lambda self, drawn: numpy.where(drawn.random(self.size) < 0.05, numpy.nan, drawn.random(self.size)),
        "edges": lambda self, drawn: numpy.linspace(0, 1, 101),
        "sorted_x": lambda self, drawn: numpy.sort(drawn.random(self.size)),
        "order": lambda self, drawn: numpy.argsort(drawn.random((self.side() // 2, self.side() * 2)), axis=1),
    }


def names():
    """The functions that are timed: their names below `weft.numpy`, and the rows that declare them."""
    for row in table.load().values():
        is_own = row.is_function and not row.owner and not row.alias and row.module.startswith("weft.numpy") and row.source not in ("-", "hosted", "fallback")
        name = f"{row.module.removeprefix('weft.numpy').removeprefix('.')}.{row.short}".strip(".")
        if is_own and row.dtypes and name not in LEFT_OUT:
            yield name, row


def call_of(name, row):
    """The text of the call of a function."""
    if name in CALLS:
        return CALLS[name]
    takes_integers = "f" not in row.dtypes.split()[0]
    if row.source == "ufunc":
        count = getattr(numpy, name).nin
        return f"m.{name}({', '.join('ij' if takes_integers else 'xy'[:count])})" if count == 2 else f"m.{name}({'i' if takes_integers else 'x'})"
    if name.startswith("linalg."):
        return f"m.{name}(A)"
    if name.startswith(NAN) and name != "nan_to_num":
        return f"m.{name}(holes)"
    return f"m.{name}({'few' if takes_integers else 'x'})"


def wait_numpy():
    pass


def timed(call, count, wait):
    """Wall and processor seconds of one call, by calls that follow each other. The last results are kept, so that none is dropped as unused."""
    kept = [None] * min(count, 8)
    wait()
    cpu, wall = time.process_time(), time.perf_counter()
    for n in range(count):
        kept[n % len(kept)] = call()
    wait()
    return (time.perf_counter() - wall) / count, (time.process_time() - cpu) / count


def measure(text, size, dtype="f8", is_heavy=False):
    """The least times of NumPy and of Weft: wall and processor time of each."""
    code = compile(text, text, "eval")
    scopes = [Inputs(module, size, dtype, is_heavy) for module in (numpy, weft.numpy)]
    calls = [lambda scope=scope: eval(code, scope) for scope in scopes]
    waits = [wait_numpy, weft.wait]
    for call, wait in zip(calls, waits, strict=True):
        call()
        wait()
    once = timed(calls[0], 1, wait_numpy)[0]
    count = max(1, min(2000, int(ROUND / max(once, 1e-7))))
    best = [[math.inf, math.inf], [math.inf, math.inf]]
    started, rounds = time.perf_counter(), 0
    while rounds < ROUNDS or (time.perf_counter() - started < ENOUGH and rounds < 50):
        rounds += 1
        for which in (0, 1):
            for kind, seconds in enumerate(timed(calls[which], count, waits[which])):
                best[which][kind] = min(best[which][kind], seconds)
    return best


def rows(only, sizes):
    """What is timed: a label, the text of the call, elements, dtype, and whether its matrices are limited."""
    for name, row in names():
        if only and not any(one in name for one in only):
            continue
        is_heavy = name.startswith("linalg.") or name == "matmul"
        for size in sizes:
            yield name, call_of(name, row), size, "f8", is_heavy
    for label, text, dtype in VARIATIONS:
        if VARIED in sizes or sizes == SIZES:
            if not only or any(one in label for one in only):
                yield label, text, VARIED, dtype, False


def unit(seconds):
    """Seconds in the unit that reads best."""
    for scale, name in ((1e6, "us"), (1e3, "ms")):
        if seconds * scale < 1000:
            return f"{seconds * scale:.3g} {name}"
    return f"{seconds:.3g} s"


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def summary(results):
    """Lines that say how many rows of each size reach NumPy."""
    for size in sorted({one["size"] for one in results}):
        ratios = [one["wall"] for one in results if one["size"] == size]
        below = sum(ratio < least_ratio(size) for ratio in ratios)
        yield f"{size:,} elements: {len(ratios)} rows, geometric mean {mean(ratios):.2f}, {below} below {least_ratio(size)}."
    dear = sum(one["cpu"] < 1 / 1.6 for one in results)
    yield f"Processor time above 1.6 times NumPy's: {dear} of {len(results)} rows."


def least_ratio(size):
    """The part of NumPy's speed that a row has to reach."""
    return 0.6 if size <= 100 else 1.0


def cell(one):
    """A ratio of a table; bold if it is below the target."""
    if one is None:
        return ""
    return f"**{one['wall']:.2f}**" if one["wall"] < least_ratio(one["size"]) else f"{one['wall']:.2f}"


def workers(one):
    """Processor time by wall time, which is the number of busy cores."""
    return f"{one['weft'][1] / one['weft'][0]:.1f}" if one["weft"][0] > 1e-4 else ""


def processor():
    """The model of the processor, and its widest vectors."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    model = next((line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name")), "an unknown processor")
    vectors = next((name for flag, name in ((" avx512f", "AVX-512"), (" avx2", "AVX2")) if flag in text), "neither AVX2 nor AVX-512")
    return f"{model} with {vectors}"


def page(results):
    """docs/functions.md."""
    found = {(one["label"], one["size"]): one for one in results}
    labels = list(dict.fromkeys(one["label"] for one in results if one["size"] != VARIED))
    lines = [
        "# Functions compared with NumPy", "",
        f"`python3 tests/benches/functions.py --page` measures and writes this page. Last on {CORES} cores of {processor()}, with NumPy {numpy.__version__}.", "",
        "A number is NumPy's wall time divided by Weft's: 2 means that Weft takes half the time. Bold: below 1, or below 0.6 for 100 elements. *Processor* is",
        "the same of processor time. *Cores* is Weft's processor time divided by its wall time: 1 for a function that one thread computes. Both are of 3 million",
        f"elements. Matrices of `linalg` have {ROWS} rows at most.", "", *summary(results), "",
        "| function | call | 100 | 10,000 | 3,000,000 | processor | cores |", "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for label in labels:
        cells = [found.get((label, size)) for size in SIZES]
        some = next(one for one in cells if one)
        large = cells[-1]
        last = [f"{large['cpu']:.2f}", workers(large)] if large else ["", ""]
        lines.append(f"| `{label}` | `{some['call'].replace('|', chr(92) + '|')}` | {' | '.join([*map(cell, cells), *last])} |")
    lines += ["", f"## Other dtypes, strides and shapes ({VARIED:,} elements)", "", "| call | text | NumPy / Weft | processor | cores |", "|---|---|---|---|---|"]
    for one in results:
        if one["size"] == VARIED:
            lines.append(f"| {one['label']} | `{one['call'].replace('|', chr(92) + '|')}` | {cell(one)} | {one['cpu']:.2f} | {workers(one)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--size", type=int, action="append", help="time only this number of elements; may be repeated")
    parser.add_argument("--json", type=pathlib.Path, help="write all times to this file")
    parser.add_argument("--page", action="store_true", help="write docs/functions.md")
    given = parser.parse_args()
    results = []
    print("| call | elements | Weft | NumPy | NumPy / Weft | processor |\n|---|---|---|---|---|---|")
    for label, text, size, dtype, is_heavy in rows(given.names, given.size or SIZES):
        try:
            with numpy.errstate(all="ignore"):
                theirs, ours = measure(text, size, dtype, is_heavy)
        except Exception as error:  # noqa: BLE001 - a failed call becomes a row with the error
            print(f"| {label} | {size} | {type(error).__name__}: {error} | | | |", flush=True)
            results.append({"label": label, "size": size, "error": f"{type(error).__name__}: {error}", "call": text})
            continue
        one = {"label": label, "call": text, "size": size, "dtype": dtype, "numpy": theirs, "weft": ours, "wall": theirs[0] / ours[0], "cpu": theirs[1] / ours[1]}
        results.append(one)
        print(f"| {label} | {size} | {unit(ours[0])} | {unit(theirs[0])} | {one['wall']:.2f} | {one['cpu']:.2f} |", flush=True)
    if given.json:
        given.json.write_text(json.dumps(results, indent=0))
    failed = [one for one in results if "error" in one]
    if given.page and not failed:
        (ROOT / "docs" / "functions.md").write_text(page(results))
    for line in summary([one for one in results if "error" not in one]):
        print(line)
    if failed:
        sys.exit(f"{len(failed)} calls failed: {', '.join(one['label'] for one in failed)}")


if __name__ == "__main__":
    main()
