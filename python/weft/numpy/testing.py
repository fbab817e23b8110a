"""NumPy's assertions: those that would compare two arrays of Weft get NumPy arrays of them."""

import functools as _functools

import numpy.testing as _testing
from numpy.testing import *  # noqa: F403

from ._array import host
from ._fallback import each

__all__ = list(_testing.__all__)


def _on_hosts(function):
    @_functools.wraps(function)
    def on_hosts(*args, **kwargs):
        __tracebackhide__ = True  # as in NumPy's own
        return function(*each(args, host), **each(kwargs, host))

    return on_hosts


assert_equal = _on_hosts(_testing.assert_equal)
assert_almost_equal = _on_hosts(_testing.assert_almost_equal)
