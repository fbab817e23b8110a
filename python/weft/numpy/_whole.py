"""Calls that compute a result of an array before they write it there: other threads do not write in between."""

import contextlib as _contextlib
import functools as _functools

from .. import _core
from ._array import array_type

_NOTHING = _contextlib.nullcontext()


def whole(*outs):
    """Within `with`, operations of other threads that write to these arrays wait; tuples hold several."""
    own = [one for out in outs for one in (out if isinstance(out, tuple) else (out,)) if isinstance(one, array_type)]
    return _core.Whole(*own) if own else _NOTHING


def with_out(function):
    """A method whose `out` may be the array itself."""
    at = getattr(function, "__wrapped__", function).__code__.co_varnames.index("out") - 1

    @_functools.wraps(function)
    def method(self, *args, **kwargs):
        if not args and not kwargs:
            return function(self)
        out = args[at] if at < len(args) else kwargs.get("out")
        if out is None:
            return function(self, *args, **kwargs)
        with whole(out):
            return function(self, *args, **kwargs)

    return method
