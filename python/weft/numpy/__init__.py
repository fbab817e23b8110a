"""NumPy's interface on Weft's runtime: ``import weft.numpy as np``.

Calls return at once and arrays are computed later; reading a value waits. NumPy computes functions that Weft lacks, with a warning
that names the line (see WEFT_FALLBACK). The tables in `python/declared/` define each name; `_declared` is generated from them.
"""

import types as _types

import numpy as _np
from numpy import _NoValue

from .. import _core as _weft
from . import _array, _borrowed, _fallback, _index, _methods, _numbers, _protocols, _strides, _ufunc, _ufunc_methods
from . import _streams, fft, linalg, random
from ._declared import *  # noqa: F403
from ._declared import names as _names
from ._info import __array_namespace_info__, get_array_wrap

_weft.register(_array.held, _index.getitem, _index.setitem, _ufunc.call, _protocols.array_ufunc, _methods.matmul)

_streams.install(random)
_numbers.hide_array_methods()

#: The implementation of each name of NumPy: `weft`, `numpy` (by a fallback) or `same` (NumPy's own
#: object, which needs no arrays).
status = dict(_names.STATUS)

__array_api_version__ = "2025.12"
__version__ = _np.__version__
__all__ = sorted(name for name in status if name in globals())


def _wrap_plain(module, lead=""):
    """Tries plain calls of functions before their code in Python. Names of one function stay one object."""
    wrapped = {}
    for name in module["__all__"]:
        python = module[name]
        if isinstance(python, _types.FunctionType) and python.__module__ == module["__name__"]:
            if python not in wrapped:
                wrapped[python] = _weft.Function.wrap(lead + python.__name__, python)
            module[name] = wrapped[python]


_wrap_plain(globals())
_wrap_plain(vars(linalg), "linalg.")


def _take_newer():
    """Adds fallbacks for names that the installed NumPy has and the tables lack."""
    for name, theirs in vars(_np).copy().items():
        if name.startswith("_") or name in status:
            continue
        is_plain = callable(theirs) and not isinstance(theirs, type)
        globals()[name] = _fallback.function(name, theirs) if is_plain else theirs
        status[name] = "numpy" if is_plain else "same"


_take_newer()


def __getattr__(name):
    if name in ("polynomial", "testing"):
        # A frame of `importlib` would count as a line of the program.
        return __import__(f"weft.numpy.{name}", fromlist=[name])
    # setdefault: threads that request the same name at once get one object.
    if name == "_core":
        return globals().setdefault(name, _borrowed.Mirror(_np._core))
    if name == "lib":
        value = _borrowed.Mirror(_np.lib)
        value.stride_tricks = _strides
        return globals().setdefault(name, value)
    if name in _names.LATE or (name.startswith("_") and hasattr(_np, name)):
        return globals().setdefault(name, getattr(_np, name))
    raise AttributeError(f"module 'weft.numpy' has no attribute '{name}'")


def __dir__():
    return __all__
