"""Borders of arrays, against NumPy."""

import numpy
import pytest
import weft.numpy as np


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def same(made, expected):
    assert isinstance(made, np.ndarray)
    assert made.dtype == expected.dtype and made.shape == expected.shape
    if expected.dtype.kind in "fc":
        numpy.testing.assert_allclose(numpy.asarray(made), expected, rtol=1e-6)
    else:
        numpy.testing.assert_array_equal(numpy.asarray(made), expected)


def twice(vector, widths, axis, keywords):
    if widths[0]:
        vector[: widths[0]] = keywords.get("value", 7)
    if widths[1]:
        vector[-widths[1] :] = 2 * vector[-widths[1] - 1]


MODES = [
    ("constant", {}), ("constant", {"constant_values": 3}), ("constant", {"constant_values": ((1, 2), (3, 4))}), ("edge", {}),
    ("linear_ramp", {}), ("linear_ramp", {"end_values": ((5, -4), (3, 9))}), ("maximum", {}), ("minimum", {"stat_length": 2}),
    ("mean", {}), ("mean", {"stat_length": ((1, 2), (3, 9))}), ("median", {}), ("reflect", {}), ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {}), ("symmetric", {"reflect_type": "odd"}), ("wrap", {}), (twice, {"value": 5}),
]  # fmt: skip


@pytest.mark.parametrize("mode, keywords", MODES)
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
@pytest.mark.parametrize("shape", [(3, 4), (1, 5), (2, 1)])
@pytest.mark.parametrize("widths", [0, 2, (1, 3), ((0, 2), (7, 0)), ((9, 9), (1, 1))])
def test_pad_matches_numpy(mode, keywords, dtype, shape, widths):
    x = (numpy.arange(numpy.prod(shape)).reshape(shape) ** 2 % 7 * 3).astype(dtype)
    same(np.pad(np.array(x), widths, mode, **keywords), numpy.pad(x, widths, mode, **keywords))


def test_pad_rejects_invalid_borders():
    x = np.zeros((0, 3))
    assert np.pad(x, 1).shape == (2, 5)
    with pytest.raises(ValueError, match="can't extend empty axis 0"):
        np.pad(x, 1, "edge")
    with pytest.raises(ValueError, match="is not supported"):
        np.pad(np.ones(3), 1, "nearest")
    with pytest.raises(ValueError, match="unsupported keyword"):
        np.pad(np.ones(3), 1, "edge", constant_values=1)
    with pytest.raises(TypeError, match="integral"):
        np.pad(np.ones(3), 1.5)
    with pytest.raises(ValueError, match="stat_length of 0"):
        np.pad(np.ones(3), 1, "maximum", stat_length=0)
