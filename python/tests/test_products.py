"""Products of every shape, dtype and layout against NumPy's."""

import numpy
import pytest

import weft.numpy as np

DTYPES = ["f8", "f4", "f2", "c16", "c8", "i8", "i4", "i1", "?"]
LENGTHS = [0, 1, 2, 3, 7, 16, 33, 100]
PRODUCTS = [
    lambda np, a, b, v: a @ b,
    lambda np, a, b, v: a @ v,
    lambda np, a, b, v: v @ b,
    lambda np, a, b, v: np.dot(v, v),
    lambda np, a, b, v: np.dot(a, b),
    lambda np, a, b, v: np.vecdot(a, v),
    lambda np, a, b, v: np.inner(a, v),
]


def drawn(random, shape, dtype):
    """Small integers, whose products are exact in every dtype, in a random layout."""
    made = random.integers(0, 2, shape).astype(bool) if dtype == "?" else random.integers(-4, 5, shape).astype(dtype)
    layout = random.integers(4)
    if layout == 1:
        return made[::-1]
    if layout == 2 and made.ndim > 1:
        return numpy.asfortranarray(made)
    return numpy.repeat(made, 2, axis=-1)[..., ::2] if layout == 3 else made


def same(random, dtype, m, k, n, stack):
    a, b = drawn(random, (*stack, m, k), dtype), drawn(random, (*stack, k, n), dtype)
    v = drawn(random, (k,), dtype)
    for product in PRODUCTS:
        expected = product(numpy, a, b, v)
        found = numpy.asarray(product(np, *map(np.asarray, (a, b, v))))
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        numpy.testing.assert_allclose(found, expected, rtol=2e-2 if dtype == "f2" else 1e-5, atol=1e-9)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_of_any_shape_match_numpy(dtype):
    random = numpy.random.default_rng(DTYPES.index(dtype))
    for _ in range(25):
        m, k, n = random.choice(LENGTHS, 3)
        stack = [(), (), (3,), (2, 35)][random.integers(4)]
        same(random, dtype, m, k, n, stack)


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8"])
@pytest.mark.parametrize("terms", [1500, 70_001])
def test_few_results_of_many_terms_match_numpy(dtype, terms):
    random = numpy.random.default_rng(terms)
    for m, n in ((1, 3), (5, 1), (32, 8)):
        same(random, dtype, m, terms, n, ())
