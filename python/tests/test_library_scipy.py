"""SciPy with arrays of Weft: by default, and with the array API (SCIPY_ARRAY_API=1), where results are arrays of Weft."""

import os
import subprocess
import sys

import numpy
import pytest
import weft.numpy as np

scipy = pytest.importorskip("scipy", reason="SciPy is not installed: pip install scipy")
import scipy.fft  # noqa: E402
import scipy.integrate  # noqa: E402
import scipy.interpolate  # noqa: E402
import scipy.io.wavfile  # noqa: E402
import scipy.linalg  # noqa: E402
import scipy.ndimage  # noqa: E402
import scipy.optimize  # noqa: E402
import scipy.signal  # noqa: E402
import scipy.sparse  # noqa: E402
import scipy.sparse.linalg  # noqa: E402
import scipy.spatial  # noqa: E402
import scipy.special  # noqa: E402
import scipy.stats  # noqa: E402


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


#: Calls with a matrix `A`, a vector `b`, many numbers `x` and a mask `m`.
CALLS = [
    "linalg.solve(A, b)", "linalg.inv(A)", "linalg.det(A)", "linalg.lu(A)[2]", "linalg.qr(A)[1]", "linalg.svd(A)[1]",
    "linalg.eigh(A)[0]", "linalg.cholesky(A)", "linalg.expm(A)", "linalg.norm(A)", "linalg.lstsq(A, b)[0]", "linalg.pinv(A)",
    "linalg.solve_triangular(A, b)", "linalg.block_diag(A, A)", "linalg.toeplitz(b)",
    "fft.fft(x)", "fft.rfft(x)", "fft.irfft(fft.rfft(x))", "fft.fft2(A)", "fft.dct(x)", "fft.dctn(A)", "fft.fftshift(x)",
    "ndimage.gaussian_filter(A, 1)", "ndimage.convolve(A, A)", "ndimage.median_filter(A, 2)", "ndimage.label(A > 2)[0]",
    "ndimage.zoom(A, 2)", "ndimage.sobel(A)", "ndimage.binary_dilation(A > 3)", "ndimage.distance_transform_edt(A > 2)",
    "stats.zscore(x)", "stats.skew(x)", "stats.kurtosis(x)", "stats.gmean(x + 1)", "stats.rankdata(x)", "stats.iqr(x)",
    "stats.ttest_ind(x, x + 1).pvalue", "stats.pearsonr(x, x * x).statistic", "stats.norm.pdf(x)", "stats.norm.fit(x)[1]",
    "stats.linregress(x, x * x).slope", "stats.gaussian_kde(x)(b)", "stats.ks_2samp(x, x + 0.1).pvalue", "stats.entropy(x)",
    "stats.multivariate_normal(mean=b, cov=A).pdf(b)", "stats.f_oneway(x, x + 0.1).pvalue",
    "special.erf(x)", "special.gamma(x + 1)", "special.jv(1, x)", "special.logsumexp(x)", "special.softmax(x)", "special.xlogy(x, x)",
    "special.betainc(x + 1, x + 1, 0.5)", "special.log1p(x)",
    "integrate.trapezoid(x)", "integrate.simpson(x)", "integrate.cumulative_trapezoid(x)",
    "interpolate.interp1d(x, x * x)(x[:5])", "interpolate.CubicSpline(x, x * x)(x[:5])", "interpolate.make_interp_spline(x, x)(x[:5])",
    "signal.convolve(x, x)", "signal.fftconvolve(x, x)", "signal.lfilter(b, b, x)", "signal.find_peaks(x * (1 - x))[0]",
    "signal.savgol_filter(x, 5, 2)", "signal.welch(x, nperseg=16)[1]", "signal.convolve2d(A, A)", "signal.hilbert(x)",
    "spatial.distance.cdist(A, A)", "spatial.cKDTree(A).query(b)[0]", "spatial.distance.pdist(A)",
    "optimize.nnls(A, b)[0]", "optimize.linear_sum_assignment(A)[1]", "optimize.linprog(b, A_ub=-A, b_ub=-b).x",
]  # fmt: skip


def operands(convert):
    return {"A": convert([[4.0, 1.0], [1.0, 3.0]]), "b": convert([1.0, 2.0]), "x": convert(numpy.linspace(0.0, 1.0, 50))}


@pytest.mark.parametrize("text", CALLS)
def test_functions_match_numpy(text):
    made = eval(text, vars(scipy), operands(np.array))
    expected = eval(text, vars(scipy), operands(numpy.array))
    assert numpy.allclose(numpy.asarray(made), expected, rtol=1e-9, atol=1e-12)


#: Calls that mix a result without axes, which is a number of NumPy's classes, with arrays of Weft without axes.
MIXED = ["stats.pearsonr(x, x * x).statistic"]


def test_functions_match_numpy_with_the_array_api():
    text = f"""
import os, warnings
warnings.simplefilter("error")
import numpy, scipy, weft.numpy as np
from scipy import fft, integrate, interpolate, linalg, ndimage, optimize, signal, spatial, special, stats
own = 0
for text in {[call for call in CALLS if call not in MIXED]!r}:
    made, expected = (eval(text, vars(scipy), dict(A=m.array([[4.0, 1.0], [1.0, 3.0]]), b=m.array([1.0, 2.0]), x=m.linspace(0.0, 1.0, 50)))
                      for m in (np, numpy))
    assert numpy.allclose(numpy.asarray(made), expected, rtol=1e-9, atol=1e-12), text
    # Arrays and numbers of Weft have their own classes.
    own += type(made) is not type(expected)
print(own)
"""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "WEFT_FALLBACK": "error"}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=200, env=environment)
    assert done.returncode == 0, done.stderr
    # Some modules of SciPy return NumPy's arrays for all inputs.
    assert int(done.stdout) >= 40


def test_sparse_matrices_share_array_memory():
    values, rows, starts = np.arange(1.0, 4.0), np.arange(3, dtype="i4"), np.arange(4, dtype="i4")
    matrix = scipy.sparse.csr_array((values, rows, starts))
    for one, other in ((matrix.data, values), (matrix.indices, rows), (matrix.indptr, starts)):
        assert numpy.shares_memory(one, numpy.asarray(other))
    values *= 2
    assert matrix.toarray().tolist() == [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]


def test_sparse_products_match_numpy():
    dense, vector = np.array([[4.0, 1.0], [0.0, 3.0]]), np.array([1.0, 2.0])
    matrix = scipy.sparse.csr_array(dense)
    assert (matrix @ vector).tolist() == matrix.dot(vector).tolist() == [6.0, 6.0]
    assert (vector @ matrix).tolist() == [4.0, 7.0]
    assert (matrix @ dense).tolist() == (dense @ matrix).tolist() == [[16.0, 7.0], [0.0, 9.0]]
    assert (matrix * dense).toarray().tolist() == (dense * matrix).toarray().tolist() == [[16.0, 1.0], [0.0, 9.0]]
    coordinates = scipy.sparse.coo_array((vector, (np.array([0, 1]), np.array([1, 0]))), shape=(2, 2))
    assert coordinates.toarray().tolist() == [[0.0, 1.0], [2.0, 0.0]]
    assert numpy.allclose(scipy.sparse.linalg.spsolve(matrix.tocsc(), vector), [1 / 12, 2 / 3])
    operator = scipy.sparse.linalg.LinearOperator((2, 2), matvec=lambda v: dense @ v, dtype=float)
    assert numpy.allclose(scipy.sparse.linalg.gmres(operator, vector)[0], [1 / 12, 2 / 3])


@pytest.mark.parametrize("method", ["BFGS", "CG", "Nelder-Mead", "Powell", "SLSQP", "TNC", "COBYLA", "L-BFGS-B", "trust-constr"])
def test_minimize_finds_the_minimum(method):
    target = np.array([1.0, 2.0])
    found = scipy.optimize.minimize(lambda v: ((np.asarray(v) - target) ** 2).sum(), np.zeros(2), method=method)
    assert numpy.allclose(found.x, [1.0, 2.0], atol=1e-3)


@pytest.mark.parametrize("method", ["BFGS", "CG", "L-BFGS-B", "trust-constr"])
def test_minimize_accepts_gradients(method):
    target = np.array([1.0, 2.0])

    def value(v):
        rest = np.asarray(v) - target
        return (rest**2).sum(), numpy.asarray(2 * rest)

    found = scipy.optimize.minimize(value, np.zeros(2), jac=True, method=method)
    assert numpy.allclose(found.x, [1.0, 2.0], atol=1e-5)


def test_other_solvers_accept_arrays():
    matrix, vector = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0])
    expected = numpy.linalg.solve(matrix.tolist(), vector.tolist())
    for solve in (scipy.optimize.root, scipy.optimize.least_squares):
        assert numpy.allclose(numpy.asarray(solve(lambda v: matrix @ v - vector, np.zeros(2)).x), expected)
    x = np.linspace(0.0, 1.0, 20)
    assert numpy.allclose(scipy.optimize.curve_fit(lambda t, p, q: p * t + q, x, 2 * x + 1)[0], [2.0, 1.0])
    end = scipy.integrate.solve_ivp(lambda t, y: -np.asarray(y), (0, 1), vector, rtol=1e-8).y[:, -1]
    assert numpy.allclose(numpy.asarray(end), numpy.exp(-1) * numpy.array([1.0, 2.0]), rtol=1e-4)
    assert abs(scipy.integrate.quad(lambda t: np.sin(t), 0, 1)[0] - (1 - numpy.cos(1))) < 1e-12


def test_writes_results_to_given_memory(tmp_path):
    x = np.linspace(0.0, 1.0, 5)
    expected = scipy.special.erf(numpy.asarray(x))
    assert scipy.special.erf(x, out=x) is x and numpy.allclose(numpy.asarray(x), expected)
    image = np.ones((4, 4))
    out = np.zeros((4, 4))
    scipy.ndimage.gaussian_filter(image, 1, output=numpy.asarray(out))
    assert numpy.allclose(numpy.asarray(out), 1.0)
    scipy.io.wavfile.write(tmp_path / "a.wav", 8000, np.array([1, 2, 3], dtype="i2"))
    assert scipy.io.wavfile.read(tmp_path / "a.wav")[1].tolist() == [1, 2, 3]
