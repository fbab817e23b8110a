"""What Weft does not have is done by NumPy, and said: once for each name and line."""

import functools as _functools
import os as _os
import warnings as _warnings

import numpy as _np

from .. import _core
from ._array import from_host, ndarray, to_host

LIMIT = int(_os.environ.get("WEFT_FALLBACK_BYTES", 1 << 30))

_said = set()
#: How often each name has been done by NumPy.
counts = {}


class FallbackWarning(UserWarning):
    """A function was computed by NumPy, on one processor, after a copy of its arrays."""


class FallbackError(NotImplementedError):
    """A function that Weft does not have, where WEFT_FALLBACK=error forbids NumPy's."""


def _mode():
    mode = _os.environ.get("WEFT_FALLBACK", "warn")
    if mode not in ("error", "warn", "quiet"):
        raise ValueError(f"WEFT_FALLBACK={mode}: it is error, warn or quiet")
    return mode


def note(name, moved):
    """Says that NumPy computes `name` and that so many bytes are copied for it."""
    counts[name] = counts.get(name, 0) + 1
    file, line, _ = _core.provenance()
    if moved > LIMIT:
        raise FallbackError(
            f"{file}:{line}: {name} is not in Weft, and NumPy's would copy {moved:,} bytes: "
            f"more than WEFT_FALLBACK_BYTES={LIMIT}"
        )
    mode = _mode()
    if mode == "error":
        raise FallbackError(f"{file}:{line}: {name} is not in Weft, and WEFT_FALLBACK=error forbids NumPy's")
    if mode == "warn" and (name, file, line) not in _said:
        _said.add((name, file, line))
        text = f"{name} is not in Weft: NumPy computes it, after a copy of {moved:,} bytes"
        _warnings.warn_explicit(text, FallbackWarning, file, max(line, 1), registry={})


def _each(value, change):
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_each(item, change) for item in value)
    if isinstance(value, dict):
        return {key: _each(item, change) for key, item in value.items()}
    return change(value)


def back(value):
    """NumPy's results as arrays of Weft."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(back(item) for item in value))
    return _each(value, lambda item: from_host(item) if type(item) is _np.ndarray else item)


def call(name, function, args, kwargs):
    """Has NumPy's `function` compute. Arrays that it changes are written back."""
    taken = []

    def host(value):
        if isinstance(value, ndarray):
            copy = to_host(value)
            taken.append((value, copy, copy.copy() if value._writeable and changes else None))
            return copy
        return value

    changes = name in _CHANGES or "out" in kwargs
    total = []
    _each([list(args), kwargs], lambda item: total.append(item.nbytes) if isinstance(item, ndarray) else None)
    note(name, sum(total))
    args, kwargs = _each(tuple(args), host), _each(kwargs, host)
    result = function(*args, **kwargs)
    for array, now, before in taken:
        if before is not None and now.tobytes() != before.tobytes():
            _core.assign(array, from_host(now))
        if result is now:
            return array
    return back(result)


_CHANGES = {"copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "shuffle", "at", "partition", "sort"}


def function(name, of):
    """NumPy's function `of`, as one on arrays of Weft."""

    @_functools.wraps(of)
    def fallback(*args, **kwargs):
        return call(name, of, args, kwargs)

    fallback.__weft_fallback__ = True
    return fallback

