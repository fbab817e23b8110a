"""The numbers next to others, against NumPy, bit by bit."""

import numpy
import pytest
import weft.numpy as np


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def numbers(dtype):
    """All numbers of 16 bits; for other types, some of each size and those around the places where steps change."""
    bits = numpy.dtype(f"u{numpy.dtype(dtype).itemsize}")
    if dtype == "f2":
        return numpy.arange(65536, dtype=bits).view(dtype)
    random = numpy.random.default_rng(1)
    info = numpy.finfo(dtype)
    powers = (numpy.ldexp(float(info.smallest_subnormal), numpy.arange(0, 120))).astype(dtype)
    ends = numpy.array([0, info.smallest_normal, info.max, numpy.inf, 1, numpy.nan], dtype)
    some = numpy.concatenate([powers, ends])
    with numpy.errstate(all="ignore"):
        some = numpy.concatenate([some, *(numpy.nextafter(some, some.dtype.type(to)) for to in (numpy.inf, -numpy.inf))])
    anywhere = random.integers(0, 1 << 8 * bits.itemsize, 20000, dtype=bits).view(dtype)
    return numpy.concatenate([some, -some, anywhere])


def same(made, expected):
    host = numpy.asarray(made)
    assert host.dtype == expected.dtype
    bits = f"u{expected.itemsize}"
    equal = (host.view(bits) == expected.view(bits)) | (numpy.isnan(host) & numpy.isnan(expected))
    assert equal.all(), (host[~equal][:5], expected[~equal][:5])


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("to", [numpy.inf, -numpy.inf, 0.0, -0.0, 1.5, numpy.nan])
def test_nextafter_matches_numpy(dtype, to):
    x = numbers(dtype)
    to = numpy.full(x.shape, to, dtype)
    with numpy.errstate(all="ignore"):
        expected = numpy.nextafter(x, to)
    same(np.nextafter(np.array(x), np.array(to)), expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_spacing_matches_numpy(dtype):
    x = numbers(dtype)
    with numpy.errstate(all="ignore"):
        expected = numpy.spacing(x)
    same(np.spacing(np.array(x)), expected)
