"""Fallbacks: NumPy computes functions that Weft lacks, with a warning for each name and line."""

import functools as _functools
import inspect as _inspect
import sys as _sys
import threading as _threading
import warnings as _warnings

import numpy as _np

from .. import _core, _settings
from . import _caller
from ._array import MOST_AXES, CopyRefused, MemoryRefused, from_host, holds_arrays, is_guest, is_held, ndarray, to_host
from ._whole import whole

LIMIT = _settings.size("WEFT_FALLBACK_BYTES", 1 << 30)

_said = set()
#: The number of fallbacks of each name.
counts = {}
#: Held while a value is read and changed: threads may fall back at the same time.
_lock = _threading.RLock()


class FallbackWarning(UserWarning):
    """A function was computed by NumPy, on one processor, after a copy of its arrays."""


class FallbackError(NotImplementedError):
    """A call of a function that Weft lacks, with WEFT_FALLBACK=error."""


def _mode():
    return _settings.choice("WEFT_FALLBACK", "warn", "error", "quiet")


_mode()


def _is_first(place):
    """Whether no warning was issued for a name and a line."""
    with _lock:
        is_first = place not in _said
        _said.add(place)
    return is_first


def _obstacle(value):
    """A noun for the first argument that only NumPy takes: an array of a subclass, or with many axes; `None` if there is none."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        return next((found for found in map(_obstacle, value) if found is not None), None)
    if is_guest(value):
        return f"an argument of the class {type(value).__name__}"
    if isinstance(value, _np.ndarray) and value.ndim > MOST_AXES:
        return f"an argument with {value.ndim} axes, more than {MOST_AXES}"
    return None


def note(name, moved, obstacle=None):
    """Warns that NumPy computes `name`, and gives the number of bytes copied for it. `obstacle` is a noun for an argument that requires this."""
    with _lock:
        counts[name] = counts.get(name, 0) + 1
    file, line, _ = _core.provenance()
    cause = f"{name} is not in Weft" if obstacle is None else f"{name} has {obstacle}"
    if moved > LIMIT:
        raise FallbackError(
            f"{file}:{line}: {cause}, and NumPy's would copy {moved:,} bytes: "
            f"more than WEFT_FALLBACK_BYTES={LIMIT}"
        )
    mode = _mode()
    if mode == "error":
        raise FallbackError(f"{file}:{line}: {cause}, and WEFT_FALLBACK=error forbids NumPy's")
    if mode == "warn" and _is_first((name, file, line)):
        text = f"{cause}: NumPy computes it, after a copy of {moved:,} bytes"
        ranks = _core.ranks()[1]
        if ranks > 1:
            text += f"; all {ranks} ranks gather the arrays, and each computes the whole"
        _warnings.warn_explicit(text, FallbackWarning, file, max(line, 1), registry={})


def each(value, change):
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(each(item, change) for item in value)
    if isinstance(value, dict):
        return {key: each(item, change) for key, item in value.items()}
    return change(value)


def back(value):
    """NumPy's results converted to arrays of Weft."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(back(item) for item in value))
    return each(value, lambda item: from_host(item) if type(item) is _np.ndarray else item)


def call(name, function, args, kwargs):
    """Calls NumPy's `function`. Arrays that it changes are written back."""
    taken = []

    def host(value):
        if isinstance(value, ndarray):
            copy = to_host(value)
            taken.append((value, copy, copy.copy() if value._writeable and changes else None))
            return copy
        return value

    def size(value, sizes):
        if isinstance(value, ndarray):
            sizes.append(value.nbytes)

    changes = name in _CHANGES or "out" in kwargs
    read, written, work = [], [], None
    each([list(args), kwargs], lambda item: size(item, read))
    if read or not is_foreign((args, kwargs)):
        note(name, sum(read), _obstacle((args, kwargs)))
        work = _core.Fallback()
    changed = () if not changes else kwargs["out"] if kwargs.get("out") is not None else args[:1]
    try:
        with whole(*(changed if isinstance(changed, tuple) else (changed,))):
            args, kwargs = each(tuple(args), host), each(kwargs, host)
            run = (work.run, (function, args, kwargs), {}) if work else (function, args, kwargs)
            result = _caller.call(*run)
            same = None
            for array, now, before in taken:
                if before is not None and now.tobytes() != before.tobytes():
                    _core.assign(array, from_host(now))
                    written.append(now.nbytes)
                if result is now:
                    same = array
        if same is None:
            result = back(result)
            each([result], lambda item: size(item, written))
    finally:
        # In the profile this is an operation `fallback`, and the copies are its children, even if
        # it fails.
        if work:
            work.finish(f"numpy.{name}", sum(read), sum(written))
    return result if same is None else same


_CHANGES = {"copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "shuffle", "at", "partition", "sort"}


def is_foreign(value):
    """Whether an object is an array, or is converted to one, whose elements Weft's arrays cannot hold."""
    if isinstance(value, ndarray) or value is None or isinstance(value, (bool, int, float, complex, str, slice)):
        return False
    if isinstance(value, _np.dtype) or (isinstance(value, type) and issubclass(value, _np.generic)):
        return not is_held(_np.dtype(value))
    if isinstance(value, (_np.ndarray, _np.generic)):
        return not is_held(value.dtype) or value.ndim > MOST_AXES or is_guest(value)
    if isinstance(value, dict):
        return any(_names_foreign(one) if key == "dtype" else is_foreign(one) for key, one in value.items())
    if isinstance(value, list) or (isinstance(value, tuple) and not hasattr(value, "_fields")):
        return any(isinstance(one, (str, bytes)) or is_foreign(one) for one in value)
    if callable(value):
        return False
    try:
        return not is_held(_np.asarray(value).dtype)
    except Exception:  # noqa: BLE001 - an object that is not an array has no elements
        return False


def _names_foreign(dtype):
    try:
        return dtype is not None and not is_held(_np.dtype(dtype))
    except TypeError:
        return False


def _is_foreign_array(value):
    """Whether Weft's arrays cannot hold the elements of an array argument."""
    if isinstance(value, ndarray):
        return False
    if isinstance(value, (list, tuple)) and (holds_arrays(value) or any(map(is_guest, value))):
        return any(map(_is_foreign_array, value))
    if is_guest(value):
        return True
    try:
        made = _np.asarray(value)
        return not is_held(made.dtype) or made.ndim > MOST_AXES
    except Exception:  # noqa: BLE001 - arrays of different shapes do not form an array, and other objects have no elements
        return isinstance(value, (list, tuple)) and any(map(_is_foreign_array, value))


def holds_foreign(given, *arrays):
    """Whether an argument, by name, holds elements that Weft's arrays cannot.

    `arrays` names the arguments that are arrays of any object: `name=None` if `None` stands for a missing argument.
    To be called after the call has failed. Errors that NumPy raises, too, are raised again.
    """
    if isinstance(error := _sys.exception(), Refused):
        raise TypeError(*error.args) from None
    if isinstance(error, (CopyRefused, MemoryRefused)):
        raise ValueError(*error.args) from None
    for name, value in given.items():
        if value is _np._NoValue:
            found = False
        elif name in arrays or (value is not None and f"{name}=None" in arrays):
            found = _is_foreign_array(value)
        elif name == "dtype":
            found = _names_foreign(value)
        else:
            found = not isinstance(value, (str, bytes)) and is_foreign(value)
        if found:
            return True
    return False


class Refused(TypeError):
    """An error that NumPy also raises, for any values."""


def elsewhere(of, given, namespace=""):
    """Calls NumPy's function of the same name as `of`, with the arguments of the call by name."""
    args, kwargs, is_skipped = [], {}, False
    for one in _inspect.signature(of).parameters.values():
        value = given[one.name]
        if one.name == "out" and one.kind is one.POSITIONAL_OR_KEYWORD:
            # The output is passed by name.
            is_skipped = True
            if value is not one.default:
                kwargs["out"] = value
        elif one.kind is one.VAR_POSITIONAL:
            args += value
        elif one.kind is one.VAR_KEYWORD:
            kwargs.update(value)
        elif value is one.default:
            is_skipped = True
        elif is_skipped or one.kind is one.KEYWORD_ONLY or (namespace and one.default is not one.empty):
            # Optional arguments are passed by name, the only way for some of NumPy's.
            kwargs[one.name] = value
        else:
            args.append(value)
    name = f"{namespace}.{of.__name__}" if namespace else of.__name__
    theirs = getattr(getattr(_np, namespace) if namespace else _np, of.__name__)
    return call(name, theirs, tuple(args), kwargs)


def on_copies(theirs, *args, **kwargs):
    """Calls NumPy's function on copies of Weft's arrays."""
    return call(theirs.__name__, theirs, args, kwargs)


def function(name, of):
    """A function on Weft's arrays that calls NumPy's function `of`."""

    @_functools.wraps(of)
    def fallback(*args, **kwargs):
        return call(name, of, args, kwargs)

    return fallback
