"""Distributions against those of NumPy, by their quantiles; none may fall back."""

import numpy
import pytest
import weft.numpy as np

COUNT = 20_000

DISTRIBUTIONS = {
    "standard_gamma": (0.4,), "gamma": (2.5, 3.0), "chisquare": (3.0,), "noncentral_chisquare": (3.0, 2.0), "f": (5.0, 9.0),
    "noncentral_f": (5.0, 9.0, 2.0), "standard_t": (7.0,), "beta": (0.5, 2.0), "wald": (2.0, 3.0), "vonmises": (1.0, 2.0),
    "geometric": (0.3,), "poisson": (300.0,), "binomial": (40, 0.3), "negative_binomial": (4.0, 0.4), "logseries": (0.7,),
    "zipf": (4.5,), "hypergeometric": (20, 30, 15), "triangular": (0.0, 1.0, 3.0), "laplace": (1.0, 2.0), "logistic": (1.0, 2.0),
    "gumbel": (1.0, 2.0), "rayleigh": (2.0,), "weibull": (2.0,), "pareto": (5.0,), "power": (2.0,), "lognormal": (0.0, 0.5),
    "exponential": (2.0,), "normal": (1.0, 2.0), "uniform": (1.0, 3.0), "standard_cauchy": (),
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def near(made, expected):
    """How far apart the distribution functions of two samples are, by the law of Kolmogorov and Smirnov."""
    made, expected = numpy.sort(numpy.asarray(made).ravel()), numpy.sort(expected.ravel())
    points = numpy.concatenate([made, expected])
    parts = [numpy.searchsorted(one, points, side="right") / one.size for one in (made, expected)]
    assert numpy.abs(parts[0] - parts[1]).max() < 2.2 * numpy.sqrt(2 / COUNT)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(name):
    own, theirs = np.random.default_rng(11), numpy.random.default_rng(12)
    args = DISTRIBUTIONS[name]
    expected = getattr(theirs, name)(*args, size=COUNT)
    made = getattr(own, name)(*args, size=COUNT)
    assert made.dtype == expected.dtype
    near(made, expected)
    if args:
        near(getattr(own, name)(*(np.full(COUNT, one) for one in args)), expected)
    assert getattr(own, name)(*args).shape == ()
    assert getattr(own, name)(*args, size=(2, 0)).shape == (2, 0)


@pytest.mark.parametrize("mean", [0.3, 9.0, 1e6, 1e13])
def test_poisson_of_all_means(mean):
    own, theirs = np.random.default_rng(1), numpy.random.default_rng(2)
    near(own.poisson(mean, COUNT), theirs.poisson(mean, COUNT))
    near(own.poisson(np.full(COUNT, mean)), theirs.poisson(mean, COUNT))


@pytest.mark.parametrize("n, p", [(3, 0.5), (100, 0.01), (10**6, 0.7), (10**12, 0.2)])
def test_binomial_of_all_sizes(n, p):
    own, theirs = np.random.default_rng(1), numpy.random.default_rng(2)
    near(own.binomial(n, p, COUNT), theirs.binomial(n, p, COUNT))
    near(own.binomial(np.full(COUNT, n), p), theirs.binomial(n, p, COUNT))


def test_vectors():
    own = np.random.default_rng(5)
    counts = numpy.asarray(own.multinomial(100, [0.2, 0.3, 0.5], size=4000))
    assert (counts.sum(-1) == 100).all()
    numpy.testing.assert_allclose(counts.mean(0), [20, 30, 50], rtol=0.03)
    parts = numpy.asarray(own.dirichlet([1.0, 2.0, 3.0], size=4000))
    numpy.testing.assert_allclose(parts.sum(-1), 1)
    numpy.testing.assert_allclose(parts.mean(0), [1 / 6, 1 / 3, 1 / 2], rtol=0.05)
    balls = numpy.asarray(own.multivariate_hypergeometric([10, 20, 30], 12, size=4000))
    assert (balls.sum(-1) == 12).all()
    numpy.testing.assert_allclose(balls.mean(0), [2, 4, 6], rtol=0.05)
    cov = [[2.0, 0.5], [0.5, 1.0]]
    for method in ("svd", "eigh", "cholesky"):
        made = numpy.asarray(own.multivariate_normal([1.0, 2.0], cov, size=20_000, method=method))
        numpy.testing.assert_allclose(numpy.cov(made.T), cov, atol=0.1)


def test_choices():
    own = np.random.default_rng(6)
    found = numpy.bincount(numpy.asarray(own.choice(3, 20_000, p=[0.1, 0.2, 0.7])))
    numpy.testing.assert_allclose(found / 20_000, [0.1, 0.2, 0.7], atol=0.02)
    some = numpy.asarray(own.choice(np.asarray([4, 5, 6, 7]), 3, replace=False, p=[0.4, 0.0, 0.3, 0.3]))
    assert sorted(some) == [4, 6, 7]
    bounds = numpy.asarray(own.integers([1, 50], [3, 70], size=(1000, 2)))
    assert bounds.min(0).tolist() == [1, 50] and bounds.max(0).tolist() == [2, 69]
    for wrong in ([0.5, 0.6], [-0.1, 1.1], [numpy.nan, 0.5], [0.2, 0.3, 0.5]):
        with pytest.raises(ValueError):
            own.choice(2, 5, p=wrong)


def test_wrong_parameters():
    own = np.random.default_rng(7)
    for name, args in {
        "exponential": (-1.0,), "gamma": (-1.0,), "beta": (0.0, 1.0), "binomial": (5, 1.5), "poisson": (-1.0,), "zipf": (1.0,),
        "geometric": (0.0,), "logseries": (1.0,), "hypergeometric": (2, 3, 9), "triangular": (2.0, 1.0, 3.0), "standard_t": (0.0,),
        "negative_binomial": (1.0, -0.5), "multinomial": (5, [0.9, 0.9, 0.1]), "vonmises": (0.0, -1.0), "wald": (0.0, 1.0),
    }.items():  # fmt: skip
        with pytest.raises(ValueError):
            getattr(own, name)(*args)
        if name not in ("multinomial", "hypergeometric"):
            with pytest.raises(ValueError):
                getattr(own, name)(*(np.asarray([one]) for one in args))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8"])
@pytest.mark.parametrize("endpoint", [False, True])
def test_integers_between_arrays_of_bounds(dtype, endpoint):
    rng = np.random.default_rng(1)
    info = numpy.iinfo(dtype)
    for low, high in ([info.min, np.array([info.max])], [np.array([info.min]), info.max], [np.array([3]), np.array([4])], [[3], [[4], [9]]]):
        made = rng.integers(low, high, dtype=dtype, endpoint=endpoint)
        host, bounds = numpy.asarray(made), numpy.broadcast_arrays(numpy.asarray(low, object), numpy.asarray(high, object))
        assert made.dtype == dtype and made.shape == bounds[0].shape
        assert (host >= bounds[0]).all() and (host <= bounds[1] - (not endpoint)).all()
