"""Random numbers: functions."""
# Made by python/declare.py from python/declared/random.toml.

import numpy as _np

from .._random import (
    Generator, RandomState, _state, default_rng as _random_default_rng, get_state as _random_get_state, seed as _random_seed,
    set_state as _random_set_state,
)
from .._seeds import MT19937, PCG64, PCG64DXSM, Philox, SFC64, SeedSequence

__all__ = [
    "Generator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "RandomState", "SFC64", "SeedSequence", "beta", "binomial", "bytes",
    "chisquare", "choice", "default_rng", "dirichlet", "exponential", "f", "gamma", "geometric", "get_state", "gumbel", "hypergeometric",
    "laplace", "logistic", "lognormal", "logseries", "multinomial", "multivariate_normal", "negative_binomial", "noncentral_chisquare",
    "noncentral_f", "normal", "pareto", "permutation", "poisson", "power", "rand", "randint", "randn", "random", "random_integers",
    "random_sample", "ranf", "rayleigh", "sample", "seed", "set_state", "shuffle", "standard_cauchy", "standard_exponential",
    "standard_gamma", "standard_normal", "standard_t", "triangular", "uniform", "vonmises", "wald", "weibull", "zipf",
]

# The module of a function is the public one.
__name__ = "weft.numpy.random"


_beta = _state.beta


def beta(a, b, size=None):
    """Samples from the beta distribution."""
    return _beta(a, b, size)


_binomial = _state.binomial


def binomial(n, p, size=None):
    """The number of successes in `n` trials."""
    return _binomial(n, p, size)


_bytes = _state.bytes


def bytes(length):
    """A given number of random bytes."""
    return _bytes(length)


_chisquare = _state.chisquare


def chisquare(df, size=None):
    """Sums of squares of normal numbers."""
    return _chisquare(df, size)


_choice = _state.choice


def choice(a, size=None, replace=True, p=None, axis=0, shuffle=True):
    """Some of the elements, at random."""
    return _choice(a, size, replace, p, axis, shuffle)


def default_rng(seed=None):
    """A generator with this seed."""
    return _random_default_rng(seed)


_dirichlet = _state.dirichlet


def dirichlet(alpha, size=None):
    """Samples from the Dirichlet distribution."""
    return _dirichlet(alpha, size)


_exponential = _state.exponential


def exponential(scale=1.0, size=None):
    """Samples from the exponential distribution."""
    return _exponential(scale, size)


_f = _state.f


def f(dfnum, dfden, size=None):
    """Samples from the F distribution."""
    return _f(dfnum, dfden, size)


_gamma = _state.gamma


def gamma(shape, scale=1.0, size=None):
    """Samples from the gamma distribution."""
    return _gamma(shape, scale, size)


_geometric = _state.geometric


def geometric(p, size=None):
    """The number of trials up to the first success."""
    return _geometric(p, size)


def get_state(legacy=True):
    """The state of the functions of this module."""
    return _random_get_state(legacy)


_gumbel = _state.gumbel


def gumbel(loc=0.0, scale=1.0, size=None):
    """Samples from the Gumbel distribution."""
    return _gumbel(loc, scale, size)


_hypergeometric = _state.hypergeometric


def hypergeometric(ngood, nbad, nsample, size=None):
    """The number of good elements in a sample."""
    return _hypergeometric(ngood, nbad, nsample, size)


_laplace = _state.laplace


def laplace(loc=0.0, scale=1.0, size=None):
    """Samples from the Laplace distribution."""
    return _laplace(loc, scale, size)


_logistic = _state.logistic


def logistic(loc=0.0, scale=1.0, size=None):
    """Samples from the logistic distribution."""
    return _logistic(loc, scale, size)


_lognormal = _state.lognormal


def lognormal(mean=0.0, sigma=1.0, size=None):
    """Samples from the log-normal distribution."""
    return _lognormal(mean, sigma, size)


_logseries = _state.logseries


def logseries(p, size=None):
    """Samples from the logarithmic series distribution."""
    return _logseries(p, size)


_multinomial = _state.multinomial


def multinomial(n, pvals, size=None):
    """The number of times that each outcome occurs in `n` trials."""
    return _multinomial(n, pvals, size)


_multivariate_normal = _state.multivariate_normal


def multivariate_normal(mean, cov, size=None, check_valid='warn', tol=1e-08, *, method='svd'):
    """Samples from the multivariate normal distribution."""
    return _multivariate_normal(mean, cov, size, check_valid, tol, method=method)


_negative_binomial = _state.negative_binomial


def negative_binomial(n, p, size=None):
    """The number of failures before `n` successes."""
    return _negative_binomial(n, p, size)


_noncentral_chisquare = _state.noncentral_chisquare


def noncentral_chisquare(df, nonc, size=None):
    """Sums of squares of normal numbers whose means are not 0."""
    return _noncentral_chisquare(df, nonc, size)


_noncentral_f = _state.noncentral_f


def noncentral_f(dfnum, dfden, nonc, size=None):
    """Samples from the noncentral F distribution."""
    return _noncentral_f(dfnum, dfden, nonc, size)


_normal = _state.normal


def normal(loc=0.0, scale=1.0, size=None):
    """Samples from the normal distribution."""
    return _normal(loc, scale, size)


_pareto = _state.pareto


def pareto(a, size=None):
    """Samples from the Pareto distribution."""
    return _pareto(a, size)


_permutation = _state.permutation


def permutation(x, axis=0):
    """A randomly permuted copy, or a random permutation of the integers below `x`."""
    return _permutation(x, axis)


_poisson = _state.poisson


def poisson(lam=1.0, size=None):
    """The number of events, given their mean number."""
    return _poisson(lam, size)


_power = _state.power


def power(a, size=None):
    """Samples from a power distribution."""
    return _power(a, size)


_rand = _state.rand


def rand(*shape):
    """Uniformly distributed numbers from 0 up to 1."""
    return _rand(*shape)


_randint = _state.randint


def randint(low, high=None, size=None, dtype=int):
    """Integers from `low` up to, not including, `high`."""
    return _randint(low, high, size, dtype)


_randn = _state.randn


def randn(*shape):
    """Samples from the standard normal distribution."""
    return _randn(*shape)


_random = _state.random


def random(size=None, dtype=_np.float64, out=None):
    """Uniformly distributed numbers from 0 up to 1."""
    return _random(size, dtype, out)


_random_integers = _state.random_integers


def random_integers(low, high=None, size=None):
    """Random integers from `low` to `high`."""
    return _random_integers(low, high, size)


_random_sample = _state.random_sample


def random_sample(size=None):
    """Uniformly distributed numbers from 0 up to 1."""
    return _random_sample(size)


_rayleigh = _state.rayleigh


def rayleigh(scale=1.0, size=None):
    """Samples from the Rayleigh distribution."""
    return _rayleigh(scale, size)


def seed(seed=None):
    """Restarts the stream of this module's functions."""
    return _random_seed(seed)


def set_state(state):
    """Restores a state from `get_state`."""
    return _random_set_state(state)


_shuffle = _state.shuffle


def shuffle(x, axis=0):
    """Shuffles an array."""
    return _shuffle(x, axis)


_standard_cauchy = _state.standard_cauchy


def standard_cauchy(size=None):
    """Samples from the Cauchy distribution."""
    return _standard_cauchy(size)


_standard_exponential = _state.standard_exponential


def standard_exponential(size=None, dtype=_np.float64, method='zig', out=None):
    """Samples from the exponential distribution with mean 1."""
    return _standard_exponential(size, dtype, method, out)


_standard_gamma = _state.standard_gamma


def standard_gamma(shape, size=None, dtype=_np.float64, out=None):
    """Samples from the gamma distribution with scale 1."""
    return _standard_gamma(shape, size, dtype, out)


_standard_normal = _state.standard_normal


def standard_normal(size=None, dtype=_np.float64, out=None):
    """Samples from the standard normal distribution."""
    return _standard_normal(size, dtype, out)


_standard_t = _state.standard_t


def standard_t(df, size=None):
    """Samples from Student's t distribution."""
    return _standard_t(df, size)


_triangular = _state.triangular


def triangular(left, mode, right, size=None):
    """Samples from a triangular distribution."""
    return _triangular(left, mode, right, size)


_uniform = _state.uniform


def uniform(low=0.0, high=1.0, size=None):
    """Uniformly distributed numbers from `low` up to `high`."""
    return _uniform(low, high, size)


_vonmises = _state.vonmises


def vonmises(mu, kappa, size=None):
    """Samples from the von Mises distribution."""
    return _vonmises(mu, kappa, size)


_wald = _state.wald


def wald(mean, scale, size=None):
    """Samples from the inverse Gaussian distribution."""
    return _wald(mean, scale, size)


_weibull = _state.weibull


def weibull(a, size=None):
    """Samples from the Weibull distribution."""
    return _weibull(a, size)


_zipf = _state.zipf


def zipf(a, size=None):
    """Samples from the Zipf distribution."""
    return _zipf(a, size)


ranf = random_sample


sample = random_sample


#: NumPy's own, where the installed NumPy has loaded them.
_SAME = ["BitGenerator"]
_same = {name: vars(_np.random)[name] for name in _SAME if name in vars(_np.random)}
globals().update(_same)
__all__ += _same
