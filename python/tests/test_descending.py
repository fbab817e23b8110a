"""Sorting from the largest to the smallest, which NumPy leaves to its users."""

import numpy
import pytest
import weft.numpy as np


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8", "c16"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_descending_sorts_match_flipped_numpy_sorts(dtype, axis):
    x = numpy.random.default_rng(1).integers(0, 4, (6, 9)).astype(dtype)
    expected = numpy.flip(numpy.sort(x, axis), axis)
    numpy.testing.assert_array_equal(numpy.asarray(np.sort(np.array(x), axis, descending=True)), expected)
    order = numpy.asarray(np.argsort(np.array(x), axis, descending=True))
    numpy.testing.assert_array_equal(numpy.take_along_axis(x, order, axis), expected)
    # Equal elements keep their order.
    moved, places = numpy.moveaxis(numpy.take_along_axis(x, order, axis), axis, -1), numpy.moveaxis(order, axis, -1)
    assert ((moved[..., 1:] != moved[..., :-1]) | (places[..., 1:] > places[..., :-1])).all()
    own = np.array(x)
    own.sort(axis, descending=True)
    numpy.testing.assert_array_equal(numpy.asarray(own), expected)
