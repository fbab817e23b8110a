"""Functions of NumPy that have no kernel of their own, against NumPy; none may fall back."""

import numpy
import pytest
import weft.numpy as np


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def as_weft(value):
    """The value with arrays of Weft in the place of NumPy's."""
    if isinstance(value, numpy.ndarray):
        return np.asarray(value)
    if isinstance(value, (list, tuple)):
        return type(value)(as_weft(one) for one in value)
    return value


def same(left, right, tolerance=1e-10):
    if isinstance(right, (list, tuple)):
        assert len(left) == len(right)
        for one, other in zip(left, right):
            same(one, other, tolerance)
        return
    right = numpy.asarray(right)
    host = numpy.asarray(left)
    assert host.shape == right.shape and host.dtype == right.dtype, (host.dtype, right.dtype, host.shape, right.shape)
    if right.dtype.kind in "biuSU":
        numpy.testing.assert_array_equal(host, right)
    else:
        numpy.testing.assert_allclose(host, right, rtol=tolerance, atol=tolerance)


A = numpy.arange(24.0).reshape(2, 3, 4) % 7
B = numpy.array([[3.0, 1.0, numpy.nan, 2.0], [5.0, numpy.nan, numpy.nan, 4.0], [9.0, 8.0, 7.0, 6.0]])
I = numpy.array([[3, 1, 2], [0, 2, 1]])
M = numpy.array([[4.0, 1.0, 2.0], [1.0, 3.0, 0.0], [2.0, 0.0, 5.0]])
T = numpy.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0], [2.0, 0.5]])
V = numpy.array([0.5, 2.5, 1.0, 4.0, 3.0])
C = numpy.array([1 + 2j, 3 - 1j, -2 + 0.5j])

CALLS = {
    "choose": [((I, (numpy.arange(3), 10 + numpy.arange(3), 20 + numpy.arange(3), 30 + numpy.arange(3))), {}), ((I, [1, 2]), {"mode": "clip"})],
    "delete": [((A, [0, 2], 1), {}), ((V, slice(1, 3)), {}), ((V, -1), {}), ((V, []), {}), ((I, numpy.array([True, False]), 0), {})],
    "clip": [((I, -(2**70), 1), {}), ((numpy.arange(5, dtype="u1"), -1, 300), {}), ((V, 1, 3), {}), ((I, 1, None), {})],
    "concatenate": [((([1, 2], ["a"]),), {}), (([[1.5], [2]],), {"dtype": "f4"})],
    "insert": [((V, 2, 9.0), {}), ((A, 1, 5.0, 2), {}), ((V, [1, 1, 4], [7.0, 8.0, 9.0]), {})],
    "lexsort": [(((V, numpy.array([1, 0, 1, 0, 1])),), {})],
    "unravel_index": [((I, (2, 3)), {}), ((5, (2, 3)), {"order": "F"})],
    "ravel_multi_index": [(((numpy.array([1, 0]), numpy.array([2, 1])), (2, 3)), {}), (((numpy.array([1, 5]), numpy.array([2, 1])), (2, 3)), {"mode": "wrap"})],
    "tril_indices": [((3,), {}), ((3, 1, 4), {})],
    "triu_indices": [((3, -1), {})],
    "diag_indices": [((3, 2), {})],
    "mask_indices": [((3, numpy.triu), {})],
    "cross": [((M, M[::-1].copy()), {}), ((T, T[::-1].copy()), {}) if int(numpy.__version__.split(".")[0]) < 2 else ((M, M), {"axis": 0})],
    "nanmedian": [((B,), {}), ((B,), {"axis": 0}), ((B,), {"axis": 1, "keepdims": True}), ((B.astype("f4"),), {"axis": 1})],
    "nanpercentile": [((B, [10, 50, 90]), {"axis": 1}), ((B, 30), {}), ((B, [25, 75]), {"axis": 1, "method": "hazen"})],
    "nanquantile": [((B, 0.4), {"axis": 1, "method": "nearest"}), ((A, [0.1, 0.7]), {"axis": (0, 2)})],
    "median": [((A,), {}), ((A,), {"axis": (0, 1)}), ((I,), {"axis": 0}), ((B,), {"axis": 1}), ((V.astype("f2"),), {}), ((C,), {})],
    "unwrap": [((numpy.arange(0, 30, 2.5) % 6.2,), {}), ((numpy.arange(12).reshape(3, 4) * 100 % 360,), {"period": 360})],
    "gradient": [((V,), {"edge_order": 2}), ((V, numpy.array([0.0, 1.0, 3.0, 4.0, 8.0])), {}), ((A,), {"axis": (0, 2)})],
    "interp": [(([0.5, 7.0, -2.0], [0.0, 1.0, 2.0], [3.0, 5.0, 4.0]), {"period": 3.0}), (([0.5, 1.5], [0.0, 1.0, 2.0], C), {})],
    "histogram2d": [((T[:, 0].copy(), T[:, 1].copy()), {"bins": 3}), ((T[:, 0].copy(), T[:, 1].copy()), {"bins": [2, 3], "density": True})],
    "histogramdd": [((T,), {"bins": (2, 3)}), ((T,), {"weights": numpy.array([1.0, 2.0, 0.5, 1.0])})],
    "poly": [(([1.0, 2.0, -3.0],), {}), ((M,), {})],
    "polyadd": [(([1, 2], [3, 4, 5]), {})],
    "polymul": [(([1, 2], [3, 4, 5]), {})],
    "polydiv": [(([3.0, 5.0, 2.0], [2.0, 1.0]), {})],
    "polyder": [(([1.0, 2.0, 3.0], 1), {})],
    "polyint": [(([1.0, 2.0, 3.0],), {})],
    "polyval": [(([1.0, 2.0, 3.0], V), {})],
    "polyfit": [((V, V**2 + 1, 2), {}), ((V, V**2 + 1, 1), {"w": V})],
    "roots": [(([1.0, -6.0, 11.0, -6.0],), {}), (([1.0, 0.0, 1.0],), {})],
    "i0": [((V,), {})],
    "kaiser": [((7, 14.0), {})],
    "hanning": [((6,), {})],
    "hamming": [((5,), {})],
    "bartlett": [((6,), {})],
    "blackman": [((1,), {}), ((8,), {})],
    "geomspace": [((1, 1000, 4), {}), ((1.0, 256.0), {"num": 9, "endpoint": False})],
    "trim_zeros": [((numpy.array([0, 0, 1, 0, 2, 0]),), {})],
    "piecewise": [((V, [V < 1, V >= 2], [-1, 1]), {})],
    "select": [(([V < 1, V > 2], [V, V**2]), {"default": 7.0})],
    "apply_along_axis": [((lambda line: line * 2, 1, A), {})],
    "kron": [((M, T), {}), ((I, [1, 2]), {})],
    "corrcoef": [((T,), {}), ((T,), {"rowvar": False})],
    "isclose": [((B, B), {"equal_nan": True})],
    "vander": [((V, 3), {}), ((V,), {"increasing": True})],
    "digitize": [((V, [1.0, 2.0, 3.0]), {}), ((V, [3.0, 2.0, 1.0]), {"right": True})],
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_functions_match_numpy(name):
    for args, kwargs in CALLS[name]:
        expected = getattr(numpy, name)(*args, **kwargs)
        given = tuple(one if callable(one) else as_weft(one) for one in args)
        same(getattr(np, name)(*given, **{key: as_weft(value) for key, value in kwargs.items()}), expected)


METHODS = [
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "linear",
    "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "f8"])
def test_quantiles_match_numpy_for_all_methods(method, dtype):
    x = numpy.array([[3, 9, 1, 4, 7], [2, 2, 8, 5, 0]]).astype(dtype)
    for q in (0.3, [0.0, 0.25, 0.5, 1.0], numpy.array([[0.1, 0.9]])):
        for axis in (None, 0, 1, (0, 1)):
            expected = numpy.quantile(x, q, axis=axis, method=method)
            same(np.quantile(np.asarray(x), as_weft(q), axis=axis, method=method), expected, 1e-3 if dtype == "f2" else 1e-6)
    with_nan = x.astype("f8")
    with_nan[0, 1] = numpy.nan
    for of in ("quantile", "nanquantile"):
        expected = getattr(numpy, of)(with_nan, [0.2, 0.6], axis=1, method=method)
        same(getattr(np, of)(np.asarray(with_nan), [0.2, 0.6], axis=1, method=method), expected)


def test_weighted_quantiles_match_numpy():
    x, w = numpy.array([[3.0, 9.0, 1.0], [2.0, 2.0, 8.0]]), numpy.array([[1.0, 0.0, 2.0], [0.5, 3.0, 1.0]])
    for axis in (None, 0, 1):
        expected = numpy.quantile(x, [0.1, 0.5, 1.0], axis=axis, weights=w, method="inverted_cdf")
        same(np.quantile(np.asarray(x), [0.1, 0.5, 1.0], axis=axis, weights=np.asarray(w), method="inverted_cdf"), expected)


@pytest.mark.parametrize("mode", ["constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "wrap"])
def test_pad_matches_numpy(mode):
    for x in (numpy.arange(5.0), numpy.arange(12).reshape(3, 4)):
        same(np.pad(np.asarray(x), 2, mode=mode), numpy.pad(x, 2, mode=mode))
        same(np.pad(np.asarray(x), ((1, 2),) * x.ndim, mode=mode), numpy.pad(x, ((1, 2),) * x.ndim, mode=mode))


def test_grids_and_joins_match_numpy():
    same(np.mgrid[0:3, 1:4], numpy.mgrid[0:3, 1:4])
    same(np.mgrid[-1:1:5j], numpy.mgrid[-1:1:5j])
    same(np.ogrid[0:3, 1:4], numpy.ogrid[0:3, 1:4])
    same(np.r_[1:4, 0, np.arange(2.0)], numpy.r_[1:4, 0, numpy.arange(2.0)])
    same(np.r_["1,2", np.arange(3), [4, 5, 6]], numpy.r_["1,2", numpy.arange(3), [4, 5, 6]])
    same(np.r_["0,3,0", np.arange(3), [4, 5, 6]], numpy.r_["0,3,0", numpy.arange(3), [4, 5, 6]])
    same(np.c_[np.arange(3), [4, 5, 6]], numpy.c_[numpy.arange(3), [4, 5, 6]])
    with pytest.raises(ValueError, match="out of bounds"):
        np.unravel_index([7], (2, 3))


@pytest.mark.parametrize("kind", ["polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e"])
def test_polynomials_match_numpy(kind):
    own, theirs = getattr(np.polynomial, kind), getattr(numpy.polynomial, kind)
    for name in ("add", "mul", "sub"):
        (key,) = [one for one in theirs.__all__ if one.endswith(name)][:1]
        same(getattr(own, key)([1.0, 2.0], [3.0, 4.0, 5.0]), getattr(theirs, key)([1.0, 2.0], [3.0, 4.0, 5.0]))
    (key,) = [one for one in theirs.__all__ if one.endswith("fit")]
    same(getattr(own, key)(np.asarray(V), np.asarray(V**2), 2), getattr(theirs, key)(V, V**2, 2), 1e-8)
    made = np.polynomial.Polynomial([1.0, 2.0, 3.0])
    same(made(np.asarray(V)), numpy.polynomial.Polynomial([1.0, 2.0, 3.0])(V))
    assert isinstance(made.deriv().coef, np.ndarray)


def test_factorizations_match_numpy():
    rng = numpy.random.default_rng(3)
    for shape in ((4, 4), (5, 3), (3, 5), (2, 4, 3)):
        x = rng.random(shape)
        for mode in ("reduced", "complete"):
            q, r = np.linalg.qr(np.asarray(x), mode)
            theirs = numpy.linalg.qr(x, mode)
            assert q.shape == theirs.Q.shape and r.shape == theirs.R.shape
            same(q @ r, x)
        same(np.linalg.pinv(np.asarray(x)), numpy.linalg.pinv(x))
        same(np.linalg.matrix_rank(np.asarray(x)), numpy.linalg.matrix_rank(x))
    x, b = rng.random((5, 3)), rng.random((5, 2))
    for left, right in zip(np.linalg.lstsq(np.asarray(x), np.asarray(b)), numpy.linalg.lstsq(x, b)):
        same(left, right)
    for p in (None, 1, -1, 2, -2, "fro", "nuc", numpy.inf):
        same(np.linalg.cond(np.asarray(M), p), numpy.linalg.cond(M, p))
    u, s, vh = np.linalg.svd(np.asarray(M), hermitian=True)
    same(u * s @ vh, M)
    a = rng.random((2, 3, 6))
    same(np.linalg.tensorsolve(np.asarray(a), np.ones((2, 3))), numpy.linalg.tensorsolve(a, numpy.ones((2, 3))))
    a = rng.random((4, 6, 8, 3))
    same(np.linalg.tensorinv(np.asarray(a)), numpy.linalg.tensorinv(a), 1e-6)
    empty = numpy.zeros((0, 3))
    for name in ("svd", "qr"):
        for left, right in zip(getattr(np.linalg, name)(np.asarray(empty)), getattr(numpy.linalg, name)(empty)):
            same(left, right)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4"])
def test_eigenvalues_match_numpy(dtype):
    rng = numpy.random.default_rng(5)
    for shape in ((4, 4), (2, 3, 3), (0, 0)):
        x = (rng.random(shape) * 9).astype(dtype)
        if dtype.startswith("c"):
            x = x + (rng.random(shape) * 9j).astype(dtype)
        values, vectors = np.linalg.eig(np.asarray(x))
        expected = numpy.linalg.eigvals(x)
        assert values.dtype == expected.dtype and vectors.dtype == expected.dtype
        tolerance = 1e-3 if dtype in ("f4", "c8") else 1e-9
        values, vectors = numpy.asarray(values), numpy.asarray(vectors)
        numpy.testing.assert_allclose(x @ vectors, vectors * values[..., None, :], atol=tolerance * 10)
        for found in (values, numpy.asarray(np.linalg.eigvals(np.asarray(x)))):
            numpy.testing.assert_allclose(numpy.sort_complex(found.ravel()), numpy.sort_complex(expected.ravel()), atol=tolerance * 10)
    symmetric = numpy.linalg.eigvals(M)
    assert np.linalg.eigvals(np.asarray(M)).dtype == symmetric.dtype == numpy.float64
    with pytest.raises(numpy.linalg.LinAlgError):
        np.linalg.eig(np.asarray([[numpy.nan, 1.0], [1.0, 2.0]]))


def test_shape_is_assignable():
    own = np.arange(12)
    own.shape = (3, -1)
    assert own.shape == (3, 4) and own[1, 2].item() == 6
    own.shape = 12
    own[0] = 5
    own.shape = (2, 3, 2)
    same(own, numpy.concatenate([[5], numpy.arange(1, 12)]).reshape(2, 3, 2))
    with pytest.raises(ValueError, match="reshape"):
        own.shape = (5, 2)
    with pytest.raises(AttributeError, match="reshape"):
        own.reshape(3, 4).T.shape = 12


def test_later_writes_keep_read_elements():
    own, theirs = np.arange(4.0), numpy.arange(4.0)
    for of in (own, theirs):
        held = of[0]
        of[0] = of[3]
        of[3] = held
        first = of[1]
        of /= first + 1
        of[2, ...] += 5
        of[()][1] = 9
    same(own, theirs)
    grid = np.zeros((2, 2))
    view, number = grid[1, 1, ...], grid[1, 1]
    grid[1, 1] = 3
    assert view.item() == 3 and number.item() == 0


BINS = numpy.random.default_rng(4).normal(size=120)


@pytest.mark.parametrize("bins", ["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"])
@pytest.mark.parametrize("values", [BINS, BINS.astype("f4"), (BINS * 10).astype(int), BINS[:0], numpy.ones(3)], ids=str)
@pytest.mark.parametrize("bounds", [None, (-1, 1)])
@pytest.mark.filterwarnings("ignore:The number of bins")
def test_estimated_bins_match_numpy(bins, values, bounds):
    made = np.histogram_bin_edges(as_weft(values), bins, bounds)
    assert isinstance(made, np.ndarray)
    same(made, numpy.histogram_bin_edges(values, bins, bounds))
    same(np.histogram(as_weft(values), bins, bounds)[0], numpy.histogram(values, bins, bounds)[0])


def test_complex_histograms_match_numpy():
    weights = BINS + 1j * BINS[::-1]
    same(np.histogram(as_weft(BINS), 5, weights=as_weft(weights)), numpy.histogram(BINS, 5, weights=weights))
    values = numpy.array([1 + 1j, 2, 1j, 3, 0.5, 1])
    same(np.histogram(as_weft(values), [0, 1, 2 + 1j]), numpy.histogram(values, [0, 1, 2 + 1j]))
    with pytest.warns(RuntimeWarning, match="Converting input from bool"):
        same(np.histogram(np.array([True, False, True])), numpy.histogram(numpy.array([1, 0, 1], "u1")))


@pytest.mark.parametrize("side", ["left", "right"])
def test_searches_of_complex_values_match_numpy(side):
    nan = numpy.nan
    values = numpy.array([1, 2 + 1j, 2, 1j, 2, nan, complex(2, nan), complex(nan, 3), -1j, 0, 1])
    wanted = numpy.array([[2, 1j, nan, 3], [complex(2, nan), complex(nan, 1), 1 - 1j, 2 + 1j]])
    known = numpy.sort(values)
    same(np.sort(as_weft(values)), known)
    same(np.searchsorted(as_weft(known), as_weft(wanted), side), numpy.searchsorted(known, wanted, side))
    same(np.searchsorted(as_weft(values), as_weft(wanted), side, as_weft(numpy.argsort(values))), numpy.searchsorted(values, wanted, side, numpy.argsort(values)))
    same(np.searchsorted(as_weft(known[:0]), 2j, side), numpy.searchsorted(known[:0], 2j, side))
