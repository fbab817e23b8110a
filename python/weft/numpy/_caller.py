"""The user's line: the source of calls, and the location in warnings."""

import os as _os
import sys as _sys
import types as _types
import warnings as _warnings

import numpy as _np

_PACKAGE = _os.path.join(_os.path.dirname(_os.path.dirname(__file__)), "")


def _frame():
    """The innermost frame outside of the package; the outermost frame if there is none."""
    frame = _sys._getframe(2)
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _call(function, args, kwargs): return function(*args, **kwargs)  # fmt: skip


#: The codes of users' lines. The runtime caches places by code, so a line keeps its code as long as
#: it is here.
_MADE = {}

#: Lines that are remembered: a program that runs generated code has any number of them.
_MOST = 4096


def _made(frame):
    of, line = frame.f_code, frame.f_lineno
    # Code objects with equal contents are equal, even from different files.
    key = of.co_filename, of, line
    code = _MADE.get(key)
    if code is None:
        if len(_MADE) >= _MOST:
            _MADE.clear()
        code = _call.__code__.replace(co_filename=of.co_filename, co_firstlineno=line, co_name=of.co_name, co_qualname=of.co_qualname)
        _MADE[key] = code
    return _types.FunctionType(code, frame.f_globals)


def call(function, args, kwargs):
    """Calls as if the user's line did: warnings of the function that name their caller name that line."""
    return _made(_frame())(function, args, kwargs)


def warn(message, category=None, stacklevel=1, source=None, **_):
    """Warns at the user's line; the stack level is ignored."""
    _made(_frame())(_warnings.warn, (message, category), {"source": source})


def warn_of_complex():
    """Warns that a cast keeps only the real parts."""
    warn("Casting complex values to real discards the imaginary part", _np.exceptions.ComplexWarning)


class _Warnings(_types.ModuleType):
    """The module `warnings` for NumPy's own code that computes on Weft's arrays."""

    warn = staticmethod(warn)

    def __getattr__(self, name):
        return getattr(_warnings, name)


WARNINGS = _Warnings("warnings")
