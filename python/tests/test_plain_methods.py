"""Methods of arrays with a shortcut for plain calls have NumPy's results, errors and effects, with and without the shortcut."""

import numpy
import pytest
import weft.numpy as np

DTYPES = ["f8", "f4", "f2", "i8", "i4", "u1", "?", "c16"]
SHAPES = [(), (0,), (1,), (7,), (3, 4), (2, 1, 3), (0, 3)]

#: Calls on an array `x`, which may change it; `m` is the library.
CALLS = [
    "x.item()", "x.item(0)", "x.item(-1)", "x.item(5)", "x.item(99)", "x.item(True)", "x.item(1, 2)", "x.item((1, 2))", "x.item(1.5)",
    "x.tolist()", "x.T.tolist()", "x[::-1].tolist()", "x.fill(1)", "x.fill(2.5)", "x.fill(True)", "x.fill(-1)", "x.fill(1e300)", "x.fill(300)",
    "x.fill(m.float64(3))", "x[1:].fill(1)", "x.fill('a')", "x.flatten()", "x.T.flatten()", "x.flatten('F')", "x[::-1].flatten()",
    "x.transpose()", "x.transpose(1, 0)", "x.transpose((1, 0))", "x.transpose(-1, 0)", "x.transpose(None)", "x.transpose(0)", "x.transpose(0, 0)",
    "x.transpose(2, 0, 1)", "x.transpose([0, 2, 1])", "x.swapaxes(0, 1)", "x.swapaxes(0, -1)", "x.swapaxes(0, 5)",
    "x.sort()", "x.sort(0)", "x.sort(axis=-1)", "x.sort(axis=5)", "x.sort(axis=None)", "x.sort(kind='stable')", "x[::-1].sort()", "x.T.sort()",
    "x.argsort()", "x.argsort(0)", "x.argsort(axis=None)", "x.argsort(kind='stable')", "m.argsort(x, stable=True)", "x.nonzero()", "x.T.nonzero()",
    "x.round()", "x.round(1)", "x.round(-1)", "x.round(decimals=2)", "x.clip(0, 1)", "x.clip(min=0.5)", "x.clip(0.1, 0.8)", "x.cumsum()", "x.cumprod()",
    "x.take([0, 1])", "x.take([0, -1])", "x.take([])", "x.take([0, 9])", "x.take([[0], [0]])", "x.take([0.5])", "x.take([True, False])", "x.take((0, 0))",
    "x[[0, 0]]", "x[[0, 5]]", "x[[-1]]", "x[[[0, 0]]]", "x[[]]", "x[[True]]", "m.full((2, 3), 2.5)", "m.full(3, 2)", "m.full(3, 2.5, 'i4')", "m.full(-1, 2.5)",
]  # fmt: skip


def outcome(call, m, x):
    """The value of a call and the array after it, or the kind of error."""
    try:
        value = eval(call, {"m": m, "x": x})
    except Exception as error:
        # NumPy's errors of functions are classes below Python's.
        return type(error).__name__.removeprefix("UFunc"), [], numpy.asarray(x)
    is_listed = isinstance(value, (list, tuple, int, float, complex, bool, type(None)))
    parts = [numpy.asarray(one) for one in value] if isinstance(value, tuple) else [] if is_listed else [numpy.asarray(value)]
    return repr(value) if is_listed and not isinstance(value, tuple) else "arrays", parts, numpy.asarray(x)


def same(got, wanted):
    return got.dtype == wanted.dtype and got.shape == wanted.shape and numpy.array_equal(got, wanted, equal_nan=wanted.dtype.kind in "fc")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_method_matches_numpy(shape, dtype):
    rng = numpy.random.default_rng(len(shape))
    # Integers are distinct, since NumPy's order of equal elements depends on the machine.
    count = int(numpy.prod(shape))
    values = rng.normal(size=shape) * 4 if numpy.dtype(dtype).kind in "fc" else rng.permutation(count).reshape(shape)
    values = numpy.asarray(values).astype(dtype)
    for call in CALLS:
        theirs, ours = numpy.array(values), np.array(values)
        wanted, got = outcome(call, numpy, theirs), outcome(call, np, ours)
        assert got[0] == wanted[0], (call, got[0], wanted[0])
        assert len(got[1]) == len(wanted[1]) and all(map(same, got[1], wanted[1])), (call, got, wanted)
        assert same(got[2], wanted[2]), (call, "the array", got[2], wanted[2])


def test_written_views_and_locked_arrays():
    x = np.arange(12.0).reshape(3, 4)
    x[1].fill(-1.0)
    x[:, 0].sort()
    assert x.tolist() == [[-1.0, 1.0, 2.0, 3.0], [0.0, -1.0, -1.0, -1.0], [8.0, 9.0, 10.0, 11.0]]
    x.transpose()[0].fill(5.0)
    assert x[:, 0].tolist() == [5.0, 5.0, 5.0]
    x.flatten().fill(0.0)
    assert x[2, 3].item() == 11.0 and x.item(11) == 11.0
    x.flags.writeable = False
    for call in (lambda: x.fill(1.0), lambda: x.sort()):
        with pytest.raises(ValueError, match="read-only"):
            call()
