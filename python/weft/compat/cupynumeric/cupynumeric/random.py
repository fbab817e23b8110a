"""Random numbers: those of `weft.numpy.random`. As in cuPyNumeric, distributions take a dtype, also those of a generator."""

import functools as _functools

from weft.numpy import asarray as _asarray
from weft.numpy import random as _random


#: Distributions, with cuPyNumeric's names of parameters and NumPy's where they differ, and the places of those before the dtype.
_TYPED = {
    "beta": 3, "binomial": 3, "chisquare": 2, "exponential": 2, "f": 3, "gamma": 3, "geometric": 2, "gumbel": 3, "hypergeometric": 4, "laplace": 3,
    "logistic": 3, "lognormal": 3, "logseries": 2, "negative_binomial": 3, "noncentral_chisquare": 3, "noncentral_f": 4, "normal": 3, "pareto": 2,
    "poisson": 2, "power": 2, "random_integers": 3, "random_sample": 1, "rayleigh": 2, "standard_cauchy": 1, "standard_t": 2, "triangular": 4,
    "uniform": 3, "vonmises": 3, "wald": 3, "weibull": 2, "zipf": 2,
}  # fmt: skip


def _drawn(draw, place, args, kwargs):
    """What a distribution draws, in a dtype if one is given: by name or at its place."""
    dtype = kwargs.pop("dtype", None)
    if len(args) > place:
        args, dtype = args[:place], args[place]
    if "ntrials" in kwargs:
        kwargs["n"] = kwargs.pop("ntrials")
    made = draw(*args, **kwargs)
    if dtype is None:
        return made
    return made.astype(dtype) if hasattr(made, "astype") else _asarray(made, dtype)


def _typed(name, place):
    def typed(*args, **kwargs):
        # Looked up at each call: `seed` and `set_state` may change what draws.
        return _drawn(getattr(_random, name), place, args, kwargs)

    typed.__name__ = typed.__qualname__ = name
    return typed


def _method(draw, place):
    @_functools.wraps(draw)
    def typed(self, *args, **kwargs):
        return _drawn(_functools.partial(draw, self), place, args, kwargs)

    return typed


def seed(init=None, **given):
    """Restarts the stream of random numbers."""
    return _random.seed(given.get("seed", init))


for _name, _place in _TYPED.items():
    globals()[_name] = _typed(_name, _place)
    if hasattr(_random.Generator, _name):
        setattr(_random.Generator, _name, _method(getattr(_random.Generator, _name), _place))


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'cupynumeric.random' has no attribute '{name}'")
    return getattr(_random, name)


def __dir__():
    return sorted({*dir(_random), *(name for name in globals() if not name.startswith("_"))})
