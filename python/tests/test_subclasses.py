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
