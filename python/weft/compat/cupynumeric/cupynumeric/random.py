"""Random numbers: those of `weft.numpy.random`. As in cuPyNumeric, distributions of real numbers take a dtype."""

from weft.numpy import asarray as _asarray
from weft.numpy import random as _random


def _typed(name):
    def typed(*args, dtype=None, **kwargs):
        # Looked up at each call: `seed` and `set_state` may change what draws.
        made = getattr(_random, name)(*args, **kwargs)
        if dtype is None:
            return made
        return made.astype(dtype) if hasattr(made, "astype") else _asarray(made, dtype)

    typed.__name__ = typed.__qualname__ = name
    return typed


for _name in (
    "beta", "chisquare", "exponential", "f", "gamma", "gumbel", "laplace", "logistic", "lognormal", "noncentral_chisquare", "noncentral_f",
    "normal", "pareto", "power", "rayleigh", "standard_cauchy", "standard_t", "triangular", "uniform", "vonmises", "wald", "weibull",
):  # fmt: skip
    globals()[_name] = _typed(_name)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'cupynumeric.random' has no attribute '{name}'")
    return getattr(_random, name)


def __dir__():
    return sorted({*dir(_random), *(name for name in globals() if not name.startswith("_"))})
