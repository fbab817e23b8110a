"""Functions that NumPy composes of its others in Python: the same code, with Weft's functions in place of NumPy's.

NumPy's function is copied with other globals: names that Weft has refer to Weft's objects, and other names of its module are
copied in the same way. So it computes on Weft's arrays, step by step, and nothing is copied to the host.
"""

import os as _os
import sys as _sys
import types as _types
import warnings as _warnings

import numpy as _np

from . import _caller
from ._array import weak

_HERE = _os.path.join(_os.path.dirname(__file__), "")


class Mirror(_types.ModuleType):
    """A module of NumPy with Weft's objects in place of NumPy's where Weft has them."""

    def __init__(self, module):
        super().__init__("weft." + module.__name__, module.__doc__)
        self._module = module
        for name, value in vars(module).copy().items():
            if isinstance(value, _np.ufunc):
                setattr(self, name, _renamed(value))

    def __getattr__(self, name):
        value = getattr(self._module, name)
        value = Mirror(value) if isinstance(value, _types.ModuleType) and value is not _np else _renamed(value)
        # Threads that request the same name at once get one object.
        return vars(self).setdefault(name, value)


class _Converter:
    """The kinds of a NumPy function's arguments, for its result."""

    def __init__(self, *arrays):
        import weft.numpy

        self._given = arrays
        self._arrays = tuple(weft.numpy.asarray(one) for one in arrays)
        self.scalar_input = tuple(_np.isscalar(one) for one in arrays)

    def __getitem__(self, at):
        return self._arrays[at]

    def __len__(self):
        return len(self._arrays)

    def as_arrays(self, subok=True, pyscalars="convert_if_no_array"):
        """The arguments as arrays; Python's numbers unchanged if requested."""
        if pyscalars == "preserve" or (pyscalars == "convert_if_no_array" and any(not weak(one) for one in self._given)):
            return tuple(given if weak(given) else made for given, made in zip(self._given, self._arrays))
        return self._arrays

    def result_type(self, extra_dtype=None, ensure_inexact=False):
        """The common dtype."""
        import weft.numpy

        kinds = [given if weak(given) else made.dtype for given, made in zip(self._given, self._arrays)]
        kinds += [] if extra_dtype is None else [extra_dtype]
        kinds += [1.0] if ensure_inexact else []
        return weft.numpy.result_type(*kinds)

    def wrap(self, made, /, to_scalar=None):
        """The result itself: there are no other kinds of arrays."""
        return made


_CONVERTER = _np._core._multiarray_umath._array_converter
_globals = {}


def _own(name):
    """Weft's object of this name, unless it is NumPy's own."""
    module = _sys.modules["weft.numpy"]
    value = vars(module).get(name)
    return None if value is None or module.status.get(name) == "numpy" else value


def _renamed(value, of=None):
    """The replacement of a NumPy object in a copied function; `of` is the module that is copied."""
    if isinstance(value, _types.ModuleType):
        if value is _warnings:
            return _caller.WARNINGS
        if value is _np:
            return _sys.modules["weft.numpy"]
        if value.__name__ in ("numpy.linalg", "numpy.fft"):
            return _sys.modules["weft." + value.__name__]
        return Mirror(value) if value.__name__.startswith("numpy.") else value
    if value is _CONVERTER:
        return _Converter
    if value is _np.ndarray:
        return _sys.modules["weft.numpy"].ndarray
    if isinstance(value, dict) and of is not None:
        return {key: _renamed(one, of) for key, one in value.items()}
    if isinstance(value, _np.ufunc):
        return _own(value.__name__) or value
    if not callable(value) or isinstance(value, type):
        return value
    name = getattr(value, "__name__", "")
    home = getattr(value, "__module__", None) or ""
    if not home.startswith("numpy"):
        return value
    public = home in ("numpy", "numpy.linalg", "numpy.lib.array_utils")
    if public and getattr(_np, name, None) is value:
        own = _own(name)
        if own is not None:
            return own
    if home == "numpy.linalg":
        return getattr(_sys.modules["weft.numpy.linalg"], name, value)
    plain = getattr(value, "_implementation", value)
    if isinstance(plain, _types.FunctionType) and plain.__module__ != "numpy.lib.array_utils":
        return _Later(plain)
    return value


class _Later:
    """A function that is copied on its first call."""

    def __init__(self, of):
        self._of = of
        self._taken = None
        self.__name__ = of.__name__
        self.__doc__ = of.__doc__

    def __call__(self, *args, **kwargs):
        if self._taken is None:
            self._taken = _taken(self._of)
        return self._taken(*args, **kwargs)


def _placed(code):
    """The code with this package's file, whose frames are skipped when the user's line is determined."""
    parts = tuple(_placed(one) if isinstance(one, _types.CodeType) else one for one in code.co_consts)
    return code.replace(co_filename=_HERE + _os.path.basename(code.co_filename), co_consts=parts)


def _taken(of):
    home = of.__globals__["__name__"]
    if home not in _globals:
        # Copied at once: another thread may import something into NumPy's module meanwhile.
        theirs = of.__globals__.copy()
        renamed = {name: value if name.startswith("__") else _renamed(value, home) for name, value in theirs.items()}
        _globals.setdefault(home, renamed)
    made = _types.FunctionType(_placed(of.__code__), _globals[home], of.__name__, of.__defaults__, of.__closure__)
    made.__kwdefaults__ = of.__kwdefaults__
    return made


def borrow(name):
    """NumPy's function of this name, on Weft's arrays."""
    theirs = getattr(_np, name)
    return _Later(getattr(theirs, "_implementation", theirs))
