"""Packing bits, against NumPy."""

import numpy
import pytest
import weft.numpy as np


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def same(left, right):
    assert left.dtype == right.dtype and left.shape == right.shape
    numpy.testing.assert_array_equal(numpy.asarray(left), right)


SHAPES = [(3,), (5, 4), (0,), (1, 0), (), (2, 9, 3)]


def axes(shape):
    return [None, *range(-len(shape), len(shape))]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["?", "u1", "i4"])
@pytest.mark.parametrize("order", ["big", "little"])
def test_packbits_matches_numpy(shape, dtype, order):
    x = numpy.random.default_rng(1).integers(0, 2, shape).astype(dtype)
    for axis in axes(shape):
        same(np.packbits(np.array(x), axis=axis, bitorder=order), numpy.packbits(x, axis=axis, bitorder=order))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("count", [None, 0, -2, 3, 9, 20])
def test_unpackbits_matches_numpy(shape, order, count):
    x = numpy.asarray(numpy.random.default_rng(1).integers(0, 256, shape)).astype("u1")
    if x.size == 0 and count is not None and count > 0:
        pytest.skip("NumPy leaves memory as it was")
    for axis in axes(shape):
        try:
            expected = numpy.unpackbits(x, axis=axis, bitorder=order, count=count)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error)):
                np.unpackbits(np.array(x), axis=axis, bitorder=order, count=count)
            continue
        same(np.unpackbits(np.array(x), axis=axis, bitorder=order, count=count), expected)


def test_packbits_rejects_invalid_inputs():
    with pytest.raises(TypeError, match="integer or boolean"):
        np.packbits(np.ones(3))
    with pytest.raises(TypeError, match="unsigned byte"):
        np.unpackbits(np.ones(3, int))
    with pytest.raises(ValueError, match="'little' or 'big'"):
        np.packbits(np.ones(3, bool), bitorder="BIG")
