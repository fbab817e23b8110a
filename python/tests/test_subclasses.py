"""Arrays of subclasses of NumPy's compute by themselves, so masks, units and operators are kept."""

import warnings

import numpy
import pytest

import weft.numpy as wnp


class Named(numpy.ndarray):
    """Returns the name of the function that an expression calls."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc.__name__

    def __array_function__(self, function, types, args, kwargs):
        return function.__name__


class Scaled(numpy.ndarray):
    """An array with a scale, which views and results inherit."""

    def __array_finalize__(self, source):
        self.scale = getattr(source, "scale", 1)


def masked(m):
    return numpy.ma.masked_array([[1.0, 2, 9], [4, 5, 6]], mask=[[0, 1, 0], [1, 0, 0]])


def matrix(m):
    return numpy.matrix([[1, 2], [3, 4]])


def plain(m):
    return m.array([[1.5, 2, 3], [4, 5, 6]])


CALLS = [
    *(f"m.{name}(masked(m))" for name in (
        "sum prod mean std var max min ptp cumsum cumprod any all sort argsort argmax argmin median average nansum nanmean nanmax nanstd "
        "unique diff round count_nonzero nonzero ravel transpose copy squeeze trace abs sqrt isnan flatnonzero argwhere flip real cov "
        "ediff1d gradient zeros_like ones_like asarray asanyarray array ascontiguousarray"
    ).split()),
    "m.sum(masked(m), axis=0)", "m.mean(masked(m), 1, keepdims=True)", "m.clip(masked(m), 2, 5)", "m.where(masked(m) > 2, masked(m), 0)",
    "m.take(masked(m), [0, 2], 1)", "m.repeat(masked(m), 2)", "m.roll(masked(m), 1)", "m.concatenate([masked(m), plain(m)])",
    "m.vstack([plain(m), masked(m)])", "m.add(masked(m), plain(m))", "m.add(plain(m), masked(m))", "masked(m) + plain(m)", "plain(m) * masked(m)",
    "plain(m) < masked(m)", "m.dot(masked(m), plain(m).T)", "m.array(masked(m), subok=True)", "m.full_like(masked(m), 7)", "m.zeros_like(masked(m), subok=False)",
    "matrix(m) * m.array([[1], [2]])", "m.array([[1, 2]]) * matrix(m)", "matrix(m) + m.array([[1, 2]])", "m.array([[1, 2]]) - matrix(m)", "matrix(m) ** 2",
    "m.array([[1, 2]]) @ matrix(m)", "matrix(m) @ m.array([[1], [2]])", "m.dot(m.array([[1, 2]]), matrix(m))", "m.array([[1, 2]]).dot(matrix(m))",
    "m.sum(matrix(m), 0)", "m.matmul(matrix(m), matrix(m))", "m.linalg.inv(matrix(m))", "m.sqrt(matrix(m))", "m.asarray(matrix(m)) * 2", "m.mean(matrix(m), axis=1)",
]  # fmt: skip


def kind(made):
    """The class of a result: arrays of Weft count as NumPy's."""
    if isinstance(made, (tuple, list)):
        return [kind(one) for one in made]
    is_array = isinstance(made, (wnp.ndarray, numpy.ndarray, numpy.generic))
    return type(made).__name__ if is_array and isinstance(made, numpy.ndarray) and type(made) is not numpy.ndarray else "array"


def text(made):
    """The elements of a result, masked ones as `--`."""
    if isinstance(made, (tuple, list)):
        return [text(one) for one in made]
    return str(made if isinstance(made, (numpy.ndarray, numpy.generic)) else numpy.asarray(made))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_calls_match_numpy(call):
    theirs, ours = (eval(call, {"m": m, "masked": masked, "matrix": matrix, "plain": plain}) for m in (numpy, wnp))
    assert (kind(ours), text(ours)) == (kind(theirs), text(theirs))


#: Expressions of an array `w` of Weft or NumPy, and of one `s` of each class.
EXPRESSIONS = [
    "w[s > 2]", "w[i]", "w[i, 1]", "w[:, i]", "w.take(i)", "m.take(w, i)", "m.arange(9.0).searchsorted(s)", "w.sum(where=s > 2)", "w.mean(where=s > 2)", "w.compress(i > 0)",
    "written(w, s > 2, 0.5)", "written(w, i, 5)", "written(w, slice(None), s)", "written(w, [0, 2], s[:2])", "written(w.flat, slice(None), s)", "m.add(w, w, out=w, where=s > 2)",
    "m.add(s, 1, out=w)", "w ** s", "s ** w", "w * s", "s * w", "w / s", "s - w", "w < s", "w == s", "w @ s", "s @ w", "w // s", "-s", "abs(s)", "divmod(w, s)",
    "m.extract(s > 1, s)", "m.take(s, 0)", "m.ravel(s)", "m.nanpercentile(s, 50)", "m.outer(s, s)", "m.polyval(s, 2.0)", "m.tile(s, 2)", "m.resize(s, (2, 2))", "m.require(s)",
    "m.argpartition(s, 1)", "m.isposinf(s)", "m.repeat(s, 2)", "m.trapezoid(s)", "m.average(s, 0)", "m.select([s > 2], [s])", "m.compress([1, 0, 1], s, 0)", "m.histogram(s)",
    "m.kron(s, m.ones((2, 2)))", "m.inner(s, s)", "m.einsum('ij,jk', s, m.ones((3, 3)))", "m.isin(s, [1, 2])", "m.pad(s, 1)", "m.insert(s, 0, 1)", "m.append(s, s)", "m.array_split(s, 2)",
    "m.stack([s, s])", "m.vstack([s, m.ones((1, 3))])", "m.triu(s)", "m.broadcast_to(s, (2, 3, 3))", "m.apply_along_axis(lambda q: q.sum(), 0, s)", "m.fft.fft(s)", "m.linalg.norm(s)",
    "m.linalg.svd(s)[1]", "m.add.reduce(s)", "m.add.accumulate(s)", "m.add.outer(s, m.arange(2))", "m.maximum.reduceat(s, [0, 1])", "m.modf(s)", "m.floor_divide(s, 2)", "w[..., ..., [0]]",
]  # fmt: skip


def written(x, key, value):
    x[key] = value
    return x


@pytest.mark.parametrize("kind_of", [lambda x: numpy.ma.masked_array(x, x == 2), numpy.matrix, lambda x: x.view(Scaled)], ids=["masked", "matrix", "scaled"])
@pytest.mark.filterwarnings("ignore")
def test_expressions_with_subclasses_match_numpy(kind_of):
    for call in EXPRESSIONS:
        made = []
        for m in (numpy, wnp):
            s = kind_of(numpy.array([[3.0, 1, 9], [4, 2, 6], [7, 8, 5]]))
            names = {"m": m, "s": s, "i": numpy.array([2, 0, 1]).view(Scaled), "w": m.arange(9.0).reshape(3, 3), "written": written}
            try:
                found = eval(call, names)
                made.append((kind(found), text(found)))
            except Exception as error:  # noqa: BLE001 - any error is compared
                made.append(type(error).__name__)
        assert made[1] == made[0], (call, kind_of)


@pytest.mark.parametrize("target", [numpy.ma.masked_array([1.0, 2, 3], [0, 1, 0]), numpy.matrix([1.0, 2, 3]), numpy.arange(3.0).view(Scaled)], ids=lambda one: type(one).__name__)
def test_writes_take_the_elements(target):
    for write in (lambda x: x.__setitem__(Ellipsis, target), lambda x: x.__iadd__(target), lambda x: x.__setitem__((slice(None), [2, 0, 1]), target)):
        made = []
        for m in (numpy, wnp):
            x = m.ones((1, 3))
            write(x)
            assert type(x) is type(m.ones(1))
            made.append(numpy.asarray(x))
        numpy.testing.assert_array_equal(*made)


def test_protocols_of_subclasses_are_called():
    q = numpy.arange(3.0).view(Named)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = [wnp.sqrt(q), wnp.arange(3) + q, q + wnp.arange(3), wnp.sum(q), wnp.add(wnp.ones(3), q)]
    assert made == ["sqrt", "add", "add", "sum", "add"]


def test_subclasses_keep_attributes_and_warnings_name_them():
    x = numpy.arange(4.0).view(Scaled)
    x.scale = 3
    assert wnp.sqrt(x).scale == 3 and wnp.sort(x).scale == 3
    with pytest.warns(UserWarning, match="concatenate has an argument of the class Scaled: NumPy computes it, after a copy of 32 bytes"):
        wnp.concatenate([wnp.ones(4), x])


def test_memory_maps_are_arrays_of_their_elements(tmp_path):
    mapped = numpy.memmap(tmp_path / "m", "f8", "w+", shape=(3,))
    mapped[:] = [1, 2, 3]
    assert isinstance(wnp.cumsum(mapped), wnp.ndarray) and isinstance(wnp.ones(3) + mapped, wnp.ndarray)
    assert float(wnp.sum(mapped)) == 6


def test_views_as_other_classes():
    x = wnp.arange(4)
    assert type(x.view(numpy.ndarray)) is type(x) and type(x.view(numpy.matrix)) is numpy.matrix
    x.view(numpy.matrix)[0, 1] = 7
    assert x.tolist() == [0, 7, 2, 3]

    class Own(wnp.ndarray):
        def __new__(cls, values):
            return wnp.asarray(values).view(cls)

    with pytest.raises(TypeError, match="arrays of Weft have no subclasses: Own can be one of numpy.ndarray"):
        Own([1, 2])
