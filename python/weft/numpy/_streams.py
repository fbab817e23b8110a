"""NumPy's own random numbers: with WEFT_RANDOM=numpy, NumPy draws them on the host, bit for bit those of its seeds.

Without it, ``weft run --compat numpy`` warns once, at the first line with a seed, that Weft's numbers differ.
"""

import functools as _functools
import inspect as _inspect
import os as _os

import numpy as _np

from .. import _core, _settings
from . import _caller, _fallback
from ._array import from_host, ndarray, to_host
from ._whole import whole

_THEIRS = ("Generator", "RandomState")

#: The position of the array that a function writes, if it may be given without its name.
_WRITTEN = {"shuffle": 0, "random": 2, "standard_normal": 2, "standard_exponential": 3, "standard_gamma": 3}
_said = []


def _hosted(value):
    return _fallback.each(value, lambda one: to_host(one) if isinstance(one, ndarray) else one)


def _drawn(name, draw):
    """A function of NumPy that draws random numbers. In the profile it is an operation `fallback`; its result is an array of Weft."""

    at = _WRITTEN.get(name)

    def given_out(args, kwargs):
        return args[at] if at is not None and at < len(args) else kwargs.get("x" if name == "shuffle" else "out")

    @_functools.wraps(draw)
    def drawing(*args, **kwargs):
        out = given_out(args, kwargs)
        work = _core.Fallback()
        written = 0
        try:
            with whole(out):
                # A list is shuffled itself.
                args = tuple(one if one is out and type(one) is list else _hosted(one) for one in args)
                kwargs = {key: one if one is out and type(one) is list else _hosted(one) for key, one in kwargs.items()}
                made = _caller.call(work.run, (draw, args, kwargs), {})
                if isinstance(out, ndarray):
                    out[...] = from_host(given_out(args, kwargs))
                    made = None if made is None else out
                elif isinstance(made, _np.ndarray):
                    made = from_host(made)
            written = getattr(made, "nbytes", 0)
        finally:
            work.finish(f"numpy.random.{name}", 0, written)
        return made

    return drawing


class _Source:
    """One of NumPy's sources of random numbers."""

    def __init__(self, theirs):
        self._theirs = theirs

    def __getattr__(self, name):
        value = getattr(self._theirs, name)
        if not callable(value) or name.startswith("_"):
            return value
        if name in ("seed", "get_state", "set_state", "spawn"):
            return _plain(value)
        return _drawn(name, value)

    def __reduce__(self):
        return _Source, (self._theirs,)

    def __repr__(self):
        return repr(self._theirs)


def _plain(function):
    """A function whose results are not arrays of Weft: states and generators."""

    @_functools.wraps(function)
    def plain(*args, **kwargs):
        made = function(*_hosted(args), **{key: _hosted(one) for key, one in kwargs.items()})
        if isinstance(made, list):
            return [_Source(one) if isinstance(one, _np.random.Generator) else one for one in made]
        return _Source(made) if isinstance(made, (_np.random.Generator, _np.random.RandomState)) else made

    return plain


def _told(function):
    """The function, which warns once that its numbers are not NumPy's."""

    @_functools.wraps(function)
    def telling(*args, **kwargs):
        if (args or kwargs) and not _said:
            _said.append(True)
            text = "random numbers differ from NumPy's for the same seed under --compat numpy; --numpy-random (WEFT_RANDOM=numpy) gives NumPy's own"
            _caller.warn(text, UserWarning)
        return function(*args, **kwargs)

    return telling


def install(module):
    """Installs the functions selected by the environment in the module of random numbers."""
    if _settings.choice("WEFT_RANDOM", "weft", "numpy") == "numpy":
        theirs = _Source(_np.random.mtrand._rand)
        for name in module.__all__:
            of = getattr(_np.random, name, None)
            if name in _THEIRS or name == "default_rng":
                made = _plain(of)
            elif not isinstance(of, type):
                made = getattr(theirs, name) if hasattr(theirs._theirs, name) else _drawn(name, of)
            else:
                continue
            if _inspect.isfunction(made):
                # A pickle names the function.
                made.__module__, made.__qualname__ = module.__name__, name
            setattr(module, name, made)
    elif _os.environ.get("WEFT_COMPAT") == "numpy":
        module.default_rng, module.seed = _told(module.default_rng), _told(module.seed)
        begin = module.RandomState.__init__
        told = _told(lambda *seed, of, **named: begin(of, *seed, **named))

        def __init__(self, *seed, **named):
            told(*seed, of=self, **named) if seed or named else begin(self)

        module.RandomState.__init__ = __init__
