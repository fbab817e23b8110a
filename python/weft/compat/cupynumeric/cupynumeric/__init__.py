"""The package cuPyNumeric by Weft: the names of `weft.numpy`, and cuPyNumeric's settings."""

import sys as _sys

import legate as _legate  # Takes LEGATE_CONFIG, before the runtime starts.
import weft as _weft
import weft.numpy as _numpy

__version__ = _legate.__version__

globals().update({_name: _value for _name, _value in vars(_numpy).items() if not _name.startswith("_") and _name != "random"})

from . import _parameters  # noqa: E402

_parameters.extend()
_own = _parameters.functions()
globals().update(_own)

for _name in ("fft", "linalg"):
    _sys.modules[f"{__name__}.{_name}"] = getattr(_numpy, _name)

from . import random  # noqa: E402


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'cupynumeric' has no attribute '{name}'")
    return getattr(_numpy, name)


def __dir__():
    return sorted({*dir(_numpy), "settings"})


__all__ = _numpy.__all__


def _stencil_hint(self, low_offsets, high_offsets):
    """Declares that the array will be read through views shifted by up to these numbers of elements along each axis."""
    _weft.stencil_hint(self, low_offsets, high_offsets)


ndarray.stencil_hint = _stencil_hint  # noqa: F821  Of weft.numpy.
