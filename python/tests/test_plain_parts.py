"""Functions that move, mark, join and compare elements, with drawn arguments, compared with NumPy: values, dtypes, shapes and errors."""

import numpy
import pytest

import weft.numpy as np

DTYPES = ["?", "i1", "i4", "i8", "u1", "u8", "f2", "f4", "f8", "c16"]
SEEDS = range(6)
#: Beyond this many elements, operations instead of direct calls.
LARGE = 70_000


class Drawn:
    """Arguments of a call, the same for both libraries."""

    def __init__(self, seed):
        self.of = numpy.random.default_rng(seed)

    def one(self, *choices):
        return choices[self.of.integers(len(choices))]

    def shape(self, least=0, most=3):
        if least < 2 and self.of.integers(12) == 0:
            return (LARGE,)
        return tuple(int(self.of.integers(1 if self.of.integers(9) else 0, 7)) for _ in range(self.of.integers(least, most + 1)))

    def array(self, shape, dtype, low=-3, high=4):
        """Elements in row-major order, reversed, every other, or transposed; floats with NaN, infinities and zeros of both signs."""
        dtype = numpy.dtype(dtype)
        kind = self.of.integers(5)
        wide = list(shape)
        if shape and kind == 1:
            wide[-1] *= 2
        low = max(low, 0) if dtype.kind == "u" else low
        values = self.of.integers(low, high, wide).astype(dtype)
        if dtype.kind in "fc" and high == 4 and values.size > 3 and self.of.integers(2):
            values.flat[self.of.integers(values.size, size=3)] = [numpy.nan, -0.0, self.one(numpy.inf, -numpy.inf)]
        if shape and kind == 1:
            values = values[..., ::2]
        elif kind == 2:
            values = values[tuple(slice(None, None, -1) for _ in shape)]
        elif kind == 3:
            values = numpy.array(values.T, order="C").T
        return numpy.asarray(values)

    def places(self, shape, length, low=None):
        """Indices into an axis, rarely out of bounds."""
        length = max(length, 1)
        over = 1 if self.of.integers(9) == 0 else 0
        return self.of.integers(-length - over if low is None else low, length + over, shape).astype(self.one("i8", "i8", "i8", "i4", "u1"))


def argument(m, value):
    """A value as an argument for a library: arrays as its own, with the memory order of the drawn one."""
    if isinstance(value, numpy.ndarray):
        if m is numpy:
            return value.copy("K")
        made = np.empty(value.shape, value.dtype)
        order = numpy.argsort([-abs(step) for step in value.strides], kind="stable")
        if list(order) != sorted(order):
            back = numpy.argsort(order)
            made = np.empty([value.shape[at] for at in order], value.dtype).transpose(*back)
        made[...] = value
        return made
    if isinstance(value, (list, tuple)):
        return type(value)(argument(m, one) for one in value)
    return value


def plain(made):
    """A result as comparable data."""
    if isinstance(made, (list, tuple)):
        return [plain(one) for one in made]
    host = numpy.asarray(made)
    return isinstance(made, (numpy.ndarray, np.ndarray)), host.dtype.str, host.shape, repr(host.tolist()) if host.dtype.kind in "fc" else host.tobytes()


def outcome(m, call, given):
    given = [argument(m, one) for one in given]
    try:
        with numpy.errstate(all="ignore"):
            made = call(m, *given)
            made = given[0] if made is None else made
            return plain(made)
    except Exception as error:  # noqa: BLE001 - any error is compared
        return type(error).__name__


def widths(draw, ndim):
    two = lambda: (int(draw.of.integers(4)), int(draw.of.integers(4)))  # noqa: E731
    return draw.one(int(draw.of.integers(4)), two(), [two() for _ in range(ndim)], (two(),), -1, 1.5)


def bits(draw):
    return draw.array(draw.shape(), draw.one(*DTYPES)), draw.one(None, 0, -1, 1), draw.one("big", "little", "big", "other")


def bytes_of(draw):
    of = draw.array(draw.shape(), draw.one("u1", "u1", "u1", "i4"), 0, 256)
    # NumPy returns memory that was never written for a count beyond no bytes.
    return of, draw.one(None, 0, -1, 1), draw.one(None, None, 5, -3, 100) if of.size else None, draw.one("big", "little")


def to_put(draw):
    to = draw.array(draw.shape(), draw.one(*DTYPES))
    at = draw.places(draw.shape(), to.size, 0)
    return to, numpy.minimum(at.astype("i8"), max(to.size - 1, 0)).astype(at.dtype), values(draw, to.dtype, at.size)


def values(draw, dtype, count):
    # Negative floats have no value in unsigned integers.
    several = draw.array((draw.one(count, count, 1, 3, count + 2),), draw.one(dtype, dtype, "f8"), 0 if dtype.kind == "u" else -3, 3)
    return draw.one(several, several, 2, 1.5, True, 300)


def masked(draw):
    to = draw.array(draw.shape(), draw.one(*DTYPES))
    mask = draw.array(draw.one(to.shape, to.shape, to.shape, (to.size,)), draw.one("?", "?", "i4"))
    return to, mask, draw.one(draw.array(to.shape, to.dtype), values(draw, to.dtype, to.size), 3)


def lines(draw):
    of = draw.array(draw.shape(1), draw.one(*DTYPES))
    axis = int(draw.of.integers(-of.ndim, of.ndim))
    shape = list(of.shape)
    shape[axis] = int(draw.of.integers(6))
    return of, numpy.clip(draw.places(shape, of.shape[axis]), -of.shape[axis], max(of.shape[axis] - 1, 0)).astype("i8"), axis


def lines_to_put(draw):
    of, at, axis = lines(draw)
    return of, at, draw.one(draw.array(at.shape, of.dtype), 2, 1.5, draw.array((1,) * at.ndim, "i4")), axis


def some_places(draw, of, axis, more):
    length = of.size if axis is None else of.shape[axis] if -of.ndim <= axis < of.ndim else 3
    count = int(draw.of.integers(1, 9))
    several = draw.of.integers(-length, max(length, 1) + more + (draw.of.integers(9) == 0), count)
    return draw.one(several, several, several.tolist(), int(several[0]), slice(1, None, 2), several.astype("i4"), several[:1])


def to_delete(draw):
    of, axis = draw.array(draw.shape(1), draw.one(*DTYPES)), draw.one(None, None, 0, -1, 1)
    return of, some_places(draw, of, axis, 0), axis


def to_insert(draw):
    of, axis = draw.array(draw.shape(1), draw.one(*DTYPES)), draw.one(None, None, 0, -1, 1)
    at = some_places(draw, of, axis, 1)
    return of, at, values(draw, of.dtype, numpy.size(at) if not isinstance(at, slice) else 2), axis


def numbered(draw):
    shape = draw.one(tuple(int(one) for one in draw.of.integers(1, 6, draw.of.integers(1, 4))), 7, [3, 4])
    return draw.places(draw.shape(), int(numpy.prod(shape)), 0), shape, draw.one("C", "F", "C", "K")


def indexed(draw):
    dims = tuple(int(one) for one in draw.of.integers(1, 6, draw.of.integers(1, 4)))
    shape = draw.shape()
    return tuple(draw.of.integers(0, length + (draw.of.integers(9) == 0), shape) for length in dims), dims, draw.one("C", "F")


def pair(draw):
    one = draw.array(draw.shape(), draw.one("f4", "f8", "f8", "i4", "c16"))
    other = draw.one(one + draw.one(0, 0, 1e-9, 1e-3), draw.array(one.shape, one.dtype), draw.array(one.shape, "f8"), one.reshape(-1)[:1])
    return one, other.astype(one.dtype) if draw.of.integers(3) else other


def vectors(draw):
    shape = (*draw.shape(0, 2), draw.one(3, 3, 3, 2, 1))
    shape = shape if numpy.prod(shape) <= LARGE else (LARGE // 3, shape[-1])
    dtype = draw.one("i4", "f4", "f8", "c16", "?")
    return draw.array(shape, dtype), draw.array(draw.one(shape, shape, shape[-1:]), draw.one(dtype, dtype, "f8"))


def blocks(draw):
    heights, columns = draw.of.integers(0, 4, 2), draw.of.integers(0, 4, 3)
    dtype = draw.one("i4", "f8")
    off = int(draw.of.integers(6) == 0)
    return ([[draw.array((int(high), int(wide) + off * (wide is columns[0])), draw.one(dtype, dtype, dtype, "f4")) for wide in columns] for high in heights],)


def matrix(draw):
    return draw.array(draw.shape(draw.one(1, 2), 3), draw.one(*DTYPES))


CASES = {
    "packbits": (bits, lambda m, a, axis, order: m.packbits(a, axis, order)),
    "unpackbits": (bytes_of, lambda m, a, axis, count, order: m.unpackbits(a, axis, count, order)),
    "put": (to_put, lambda m, a, at, v: m.put(a, at, v)),
    "putmask": (masked, lambda m, a, mask, v: m.putmask(a, mask, v)),
    "place": (masked, lambda m, a, mask, v: m.place(a, mask, v)),
    "take_along_axis": (lines, lambda m, a, at, axis: m.take_along_axis(a, at, axis)),
    "put_along_axis": (lines_to_put, lambda m, a, at, v, axis: m.put_along_axis(a, at, v, axis)),
    "put_along_axis by name": (lines_to_put, lambda m, a, at, v, axis: m.put_along_axis(a, at, v, axis=axis)),
    "delete": (to_delete, lambda m, a, at, axis: m.delete(a, at, axis)),
    "insert": (to_insert, lambda m, a, at, v, axis: m.insert(a, at, v, axis)),
    "unravel_index": (numbered, lambda m, a, shape, order: m.unravel_index(a, shape, order)),
    "ravel_multi_index": (indexed, lambda m, at, dims, order: m.ravel_multi_index(at, dims, order=order)),
    "isclose": (pair, lambda m, a, b: m.isclose(a, b)),
    "isclose with NaN": (pair, lambda m, a, b: m.isclose(a, b, 1e-3, 0, True)),
    "allclose": (pair, lambda m, a, b: m.allclose(a, b)),
    "allclose with NaN": (pair, lambda m, a, b: m.allclose(a, b, equal_nan=True)),
    "array_equal": (pair, lambda m, a, b: m.array_equal(a, b)),
    "cross": (vectors, lambda m, a, b: m.cross(a, b)),
    "linalg.cross": (vectors, lambda m, a, b: m.linalg.cross(a, b)),
    "block": (blocks, lambda m, rows: m.block(rows)),
    "pad": (lambda draw: (a := matrix(draw), widths(draw, a.ndim), draw.one("constant", "edge", "reflect", "symmetric", "wrap")), lambda m, a, w, mode: m.pad(a, w, mode)),
    "tril": (lambda draw: (draw.array(draw.shape(2), draw.one(*DTYPES)), int(draw.of.integers(-9, 9))), lambda m, a, k: m.tril(a, k)),
    "triu": (lambda draw: (draw.array(draw.shape(2), draw.one(*DTYPES)), int(draw.of.integers(-9, 9))), lambda m, a, k: m.triu(a, k)),
    "roll": (lambda draw: (matrix(draw), draw.one(3, -4, 100, 0, (1, 2)), draw.one(None, 0, -1, 1, (0, 1))), lambda m, a, by, axis: m.roll(a, by, axis)),
    "diff": (lambda draw: (matrix(draw), draw.one(1, 1, 2, 9, 0, -1), draw.one(-1, 0, 1)), lambda m, a, n, axis: m.diff(a, n, axis)),
    "ediff1d": (lambda draw: (matrix(draw),), lambda m, a: m.ediff1d(a)),
    "gradient": (lambda draw: (draw.array(draw.shape(1, 2), draw.one("i4", "f4", "f8")), draw.one(1.0, 0.5, 3)), lambda m, a, by: m.gradient(a, by)),
    "choose": (lambda draw: (a := draw.array(draw.shape(), draw.one("?", "?", "i4"), 0, 2), [draw.array(a.shape, draw.one("i4", "f8")) for _ in range(2)]), lambda m, a, c: m.choose(a, c)),
    "fill_diagonal": (lambda draw: (draw.array(draw.shape(2, 2), draw.one(*DTYPES)), draw.one(3, 1.5, True, 300)), lambda m, a, v: m.fill_diagonal(a, v)),
    "append": (lambda draw: (matrix(draw), matrix(draw)), lambda m, a, b: m.append(a, b)),
    "argmax": (lambda draw: (matrix(draw), draw.one(None, 0, -1)), lambda m, a, axis: m.argmax(a, axis)),
    "argmin": (lambda draw: (matrix(draw), draw.one(None, 0, -1)), lambda m, a, axis: m.argmin(a, axis)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_drawn_calls_match_numpy(name):
    drawn, call = CASES[name]
    for seed in SEEDS:
        for round in range(25):
            given = drawn(Drawn(1000 * seed + round))
            expected = outcome(numpy, call, given)
            assert outcome(np, call, given) == expected, (seed, round, given)


LONG = {
    "packbits": lambda m, x, at, mask: [m.packbits(mask), m.packbits(mask[:-3], bitorder="little"), m.packbits(mask.reshape(8, -1), 0), m.packbits(mask.reshape(1000, -1), 1)],
    "unpackbits": lambda m, x, at, mask: [m.unpackbits(at.astype("u1")), m.unpackbits(at.astype("u1").reshape(100, -1), 1, bitorder="little")],
    "take_along_axis": lambda m, x, at, mask: [m.take_along_axis(x, at, 0), m.take_along_axis(x.reshape(-1, 1000), at.reshape(-1, 1000) % 1000, 1), m.take_along_axis(x.reshape(1000, -1), at.reshape(1000, -1) % 1000, 0)],
    "put_along_axis": lambda m, x, at, mask: [m.put_along_axis(x.reshape(-1, 1000), at.reshape(-1, 1000) % 1000, 2.0, 1), m.put_along_axis(x.reshape(1000, -1), at[:5400].reshape(9, -1) % 1000, 3.0, 0), m.put_along_axis(x, at, x[::-1], 0)],
    "place": lambda m, x, at, mask: [m.place(x, mask, m.arange(7.0)), m.place(x.reshape(1000, -1).T, mask.reshape(-1, 1000), m.arange(5.0)), m.place(x, mask, x[:99].copy())],
    "put": lambda m, x, at, mask: [m.put(x, at, x[::-1]), m.put(x, at[:1000], 3.0)],
    "putmask": lambda m, x, at, mask: [m.putmask(x, mask, x[::-1]), m.putmask(x, ~mask, 1.0)],
    "delete": lambda m, x, at, mask: [m.delete(x, at[:9]), m.delete(x.reshape(1000, -1), at[:9] % 200, 1), m.delete(x, at[:3000])],
    "insert": lambda m, x, at, mask: [m.insert(x, at[:9], 1), m.insert(x.reshape(1000, -1), at[:9] % 200, 1, 1), m.insert(x, at[:9], x[:9])],
    "pad": lambda m, x, at, mask: [m.pad(x.reshape(1000, -1), ((1, 2), (3, 0))), m.pad(x, 1000, "reflect")],
    "block": lambda m, x, at, mask: [m.block([[x.reshape(1000, -1), x.reshape(1000, -1)[:, :3]], [m.ones((5, 600)), m.zeros((5, 3))]])],
    "argmax": lambda m, x, at, mask: [m.argmax(x), m.argmin(x), m.argmax(x.reshape(1000, -1), 0), m.argmin(x.reshape(1000, -1), 1), m.argmax(mask)],
    "isclose": lambda m, x, at, mask: [m.isclose(x, x[::-1], 0.5), m.allclose(x, x + 1e-12), m.array_equal(x, x.copy())],
    "gradient": lambda m, x, at, mask: [*m.gradient(x.reshape(1000, -1)), m.diff(x, 2), m.ediff1d(x), m.cross(x.reshape(-1, 3), x.reshape(-1, 3)[::-1])],
    "tril": lambda m, x, at, mask: [m.tril(x.reshape(1000, -1), 7), m.triu(x.reshape(1000, -1), -7), m.roll(x, 9), m.roll(x.reshape(1000, -1), -3, 1)],
    "unravel_index": lambda m, x, at, mask: [*m.unravel_index(at, (1000, at.size // 1000 + 1)), m.ravel_multi_index((at % 1000, at % 77), (1000, 77))],
}


@pytest.mark.parametrize("name", LONG)
def test_long_arrays_in_several_tiles_match_numpy(name):
    draw = numpy.random.default_rng(5)
    given = draw.random(600_000), draw.integers(0, 600_000, 600_000), draw.random(600_000) < 0.4
    results = []
    for m in (numpy, np):
        x, at, mask = (m.array(one) for one in given)
        results.append([numpy.asarray(one) for one in [*(one for one in LONG[name](m, x, at, mask) if one is not None), x]])
    for expected, made in zip(*results, strict=True):
        assert made.dtype == expected.dtype
        numpy.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_first_of_equal_extremes_is_found_in_long_lines(name):
    for count in (15, 16, 511, 512, 513, 2000):
        for values in ([0.0], [-0.0, 0.0], [1.0, 2.0, 2.0, 1.0], [numpy.nan, 1.0], [3.0] * 700 + [numpy.nan]):
            given = numpy.resize(values, (2, count))
            for axis in (None, 0, 1):
                expected = getattr(numpy, name)(given, axis)
                assert (numpy.asarray(getattr(np, name)(np.array(given), axis)) == expected).all(), (count, values, axis)


def test_writes_to_views_and_parts_reach_the_whole():
    for m in (numpy, np):
        whole = m.zeros((4, 6), "c16")
        m.putmask(whole.real[1:3], m.ones((2, 6), "?"), 5.0)
        m.put(whole[3], m.array([0, -1]), m.array([1j, 2j]))
        m.fill_diagonal(whole[:, ::2], 9)
        m.put_along_axis(whole.imag, m.array([[2]] * 4), 7.0, axis=1)
        made = numpy.asarray(whole)
        if m is numpy:
            expected = made
    assert (made == expected).all()


@pytest.mark.parametrize("code", ["m.put(a, m.array([1]), 1.0)", "m.putmask(a, a > 0, 1.0)", "m.place(a, a > 0, m.ones(1))", "m.copyto(a, m.ones(3))", "m.put_along_axis(a, m.array([0]), 1.0, 0)"])
def test_arrays_that_may_not_be_written_are_refused(code):
    for m in (numpy, np):
        a = m.ones(3)
        a.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            exec(code, {"m": m, "a": a})


@pytest.mark.parametrize("indices", [[True, False], [False, False], [True, True, False]])
def test_put_casts_booleans_to_indices(indices):
    ours, theirs = np.zeros(4), numpy.zeros(4)
    np.put(ours, np.array(indices), np.array([7.0, 8.0]))
    numpy.put(theirs, numpy.array(indices), numpy.array([7.0, 8.0]))
    assert numpy.array_equal(numpy.asarray(ours), theirs)
