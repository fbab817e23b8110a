"""Calls the standard functions on small arrays, so that a run on a GPU needs their kernels: with WEFT_KERNEL_SOURCES set to a folder, it
writes the sources that python/bundle.sh packs. The results do not matter.

Each call runs alone: its kernel is the one that a program needs which reads the result, or whose next call cannot share a kernel with it.
"""

import sys
import warnings

import numpy
import weft
import weft.numpy as np

FLOATS = ["float64", "float32"]
NUMBERS = [*FLOATS, "int64"]
COUNT = 4100

ARITHMETIC = [np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.power]
COMPARISONS = [np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal]
FUNCTIONS = [
    np.negative, np.absolute, np.sign, np.square, np.sqrt, np.exp, np.log, np.sin, np.cos, np.tanh, np.floor, np.isnan, np.isfinite, np.log1p, np.expm1,
]  # fmt: skip
FOLDS = ["sum", "prod", "max", "min", "argmax", "argmin", "mean", "std", "any", "all"]


def values(dtype, *shape):
    """An array of numbers from 1 to 17, dense and as a program makes it."""
    return np.asarray((numpy.arange(numpy.prod(shape)) % 17 + 1).reshape(shape).astype(dtype))


def elementwise(dtype):
    x, y, i = values(dtype, COUNT), values(dtype, COUNT), values("int64", COUNT)
    mask = values("int64", COUNT) > 8
    for function in ARITHMETIC:
        yield lambda: function(x, y)
        yield lambda: function(x, 3)
        yield lambda: function(2, x)
    yield lambda: x // y
    yield lambda: x % y
    for function in COMPARISONS:
        yield lambda: function(x, y)
        yield lambda: function(x, 3)
    for function in FUNCTIONS:
        yield lambda: function(x)
    yield lambda: x**2
    yield lambda: np.where(mask, x, y)
    yield lambda: np.where(mask, x, 0)
    yield lambda: np.where(x > 3, x, y)
    yield lambda: np.clip(x, 2, 9)
    yield lambda: x.copy()
    yield lambda: np.full(COUNT, 3, dtype)
    yield lambda: np.arange(COUNT, dtype=dtype)
    for other in [*NUMBERS, "bool", "int32"]:
        yield lambda: x.astype(other)
    for place in ("+=", "-=", "*="):
        yield lambda: in_place(x.copy(), place, y)
        yield lambda: in_place(x.copy(), place, 2)
    yield lambda: x + i
    yield lambda: 0.2 * (x + y + x * y)
    yield lambda: np.exp(np.sin(x))


def in_place(x, operator, y):
    weft.wait()
    if operator == "+=":
        x += y
    elif operator == "-=":
        x -= y
    else:
        x *= y
    return x


def tables(dtype):
    """Arrays of two axes."""
    a, b, row = values(dtype, 70, 90), values(dtype, 70, 90), values(dtype, 90)
    column = values(dtype, 70, 1)
    for function in (np.add, np.subtract, np.multiply, np.divide):
        yield lambda: function(a, row)
        yield lambda: function(a, column)
        yield lambda: function(a.T, b.T)
        yield lambda: function(a[1:-1, 1:-1], b[1:-1, 1:-1])
    yield lambda: np.ascontiguousarray(a.T)
    yield lambda: a[1:-1, 1:-1].copy()
    yield lambda: a[::2].copy()
    yield lambda: np.concatenate([a, b])
    yield lambda: np.concatenate([a, b], axis=1)
    yield lambda: np.stack([a, b])
    yield lambda: np.roll(a, 7, axis=1)
    yield lambda: np.pad(a, 1)
    yield lambda: np.tril(a)
    yield lambda: np.triu(a)
    yield lambda: np.diff(row)
    yield lambda: np.outer(row, row)
    yield lambda: np.eye(70, dtype=dtype)
    yield lambda: np.diagonal(a).copy()
    yield lambda: a.reshape(-1) @ b.reshape(-1)
    yield lambda: a @ row
    yield lambda: a.T @ values(dtype, 70)
    yield lambda: np.einsum("ij,ij->i", a, b)
    grid = values(dtype, 72, 92)
    yield lambda: 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
    yield lambda: filled(grid)


def filled(grid):
    grid[0, :] = 100
    grid[:, 0] = 0
    grid[1:-1, 1:-1] = grid[2:, 1:-1]
    grid.fill(0)
    return grid


def folds(dtype):
    x, a = values(dtype, COUNT), values(dtype, 70, 90)
    tall, wide = values(dtype, 5000, 3), values(dtype, 3, 5000)
    for name in FOLDS:
        yield lambda: getattr(x, name)()
        yield lambda: getattr(a, name)()
        for axis in (0, 1):
            yield lambda: getattr(a, name)(axis=axis)
            if name in ("sum", "max", "mean"):
                yield lambda: getattr(tall, name)(axis=axis)
                yield lambda: getattr(wide, name)(axis=axis)
    yield lambda: np.linalg.norm(x)
    yield lambda: (x * x).sum()
    yield lambda: np.abs(x).max()
    yield lambda: (x > 3).any()
    yield lambda: (x > 3).all()
    yield lambda: np.count_nonzero(x > 3)
    yield lambda: ((x - x.mean()) ** 2).sum()
    yield lambda: np.cumsum(x)
    yield lambda: np.cumsum(a, axis=0)
    yield lambda: np.cumsum(a, axis=1)
    yield lambda: np.maximum.accumulate(x)


def searches(dtype):
    x, a, k = values(dtype, COUNT), values(dtype, 70, 90), values("int64", COUNT)
    line = values(dtype, 60)
    yield lambda: np.sort(x)
    yield lambda: np.argsort(x)
    yield lambda: np.sort(a, axis=1)
    yield lambda: np.argsort(a, axis=1)
    yield lambda: np.unique(x)
    yield lambda: np.unique(x, return_inverse=True, return_counts=True)
    yield lambda: np.nonzero(x > 8)
    yield lambda: np.nonzero(a > 8)
    yield lambda: x[x > 8]
    yield lambda: assigned(x.copy(), x > 8, 3)
    yield lambda: x[k]
    yield lambda: np.take(a, k[:50], axis=0)
    yield lambda: np.take(a, k[:50], axis=1)
    yield lambda: assigned(x.copy(), k, 3)
    yield lambda: assigned(x.copy(), k, x)
    yield lambda: np.searchsorted(np.sort(line), x)
    yield lambda: np.median(x)
    yield lambda: np.percentile(x, 90)
    yield lambda: np.histogram(x, bins=20)
    yield lambda: np.convolve(x, line)


def assigned(x, index, value):
    weft.wait()
    x[index] = value
    return x


def others():
    k, mask = values("int64", COUNT), values("int64", COUNT) > 8
    yield lambda: np.bincount(k)
    yield lambda: np.bincount(k, weights=values("float64", COUNT))
    for function in (np.logical_and, np.logical_or, np.logical_xor, np.equal):
        yield lambda: function(mask, mask)
    yield lambda: ~mask
    yield lambda: mask.sum()
    yield lambda: mask.any()
    yield lambda: mask.all()
    for name in ("float64", "float32", "int64"):
        yield lambda: mask.astype(name)
    generator = np.random.default_rng(1)
    for name in FLOATS:
        yield lambda: generator.random(COUNT, dtype=name)
        yield lambda: generator.standard_normal(COUNT, dtype=name)
    yield lambda: generator.integers(0, 9, COUNT)
    yield lambda: generator.uniform(1, 2, COUNT)
    yield lambda: generator.normal(1, 2, COUNT)
    yield lambda: np.linspace(0, 1, COUNT)
    c = values("complex128", COUNT)
    yield lambda: c + c
    yield lambda: c * c
    yield lambda: c * 2
    yield lambda: np.abs(c)
    yield lambda: c.real.copy()
    yield lambda: c.conj()
    yield lambda: c.sum()
    line = values("complex128", 4, 64)
    yield lambda: np.fft.fft(line)
    yield lambda: np.fft.ifft(line)
    yield lambda: np.fft.rfft(values("float64", 4, 64))
    square = np.asarray(numpy.eye(20) * 40 + numpy.arange(400.0).reshape(20, 20) % 7)
    symmetric = square + square.T
    yield lambda: np.linalg.solve(square, square[:, :3])
    yield lambda: np.linalg.cholesky(symmetric)
    yield lambda: np.linalg.inv(square)
    yield lambda: np.linalg.det(square)
    yield lambda: np.linalg.qr(square)
    yield lambda: np.linalg.eigh(symmetric)
    yield lambda: np.linalg.svd(square)


def run():
    """Runs all calls, each alone; returns their number and the number that failed."""
    called = failed = 0
    kinds = [others()]
    for dtype in NUMBERS:
        kinds += [elementwise(dtype), tables(dtype), folds(dtype), searches(dtype)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for calls in kinds:
            for call in calls:
                called += 1
                try:
                    result = call()
                    weft.wait()
                    del result
                except (TypeError, ValueError, numpy.linalg.LinAlgError) as error:
                    # A function that a dtype does not have.
                    failed += 1
                    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    return called, failed


if __name__ == "__main__":
    print("%d calls, %d failed" % run())
