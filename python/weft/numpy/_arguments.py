"""NumPy's conversions of single arguments: integers of C, flags, orders of memory, outputs."""

import operator as _operator

import numpy as _np


def c_int(value):
    """An integer that fits C's `int`."""
    value = _operator.index(value)
    if not -(2**31) <= value < 2**31:
        raise OverflowError("Python int too large to convert to C int")
    return value


def c_long(value):
    """An integer that fits C's `long`."""
    value = _operator.index(value)
    if not -(2**63) <= value < 2**63:
        raise OverflowError("Python int too large to convert to C long")
    return value


def whole_axis(axis):
    """The axis of a function that accepts neither booleans nor lists; `None` unchanged."""
    if axis is None or (type(axis) is int and -64 <= axis < 64):
        return axis
    if axis is True or axis is False:
        raise TypeError("an integer is required for the axis")
    axis = c_long(axis)
    if not -(2**31) <= axis < 2**31:
        raise ValueError("integer won't fit into a C int")
    return axis


def whole_axes(axis):
    """The axis, or the tuple of axes, of a reduction."""
    if not isinstance(axis, tuple):
        return whole_axis(axis)
    if None in axis:
        raise TypeError("'NoneType' object cannot be interpreted as an integer")
    return tuple(map(whole_axis, axis))


def keeps_axes(keepdims):
    """Whether a reduction keeps its axes with length 1."""
    if keepdims is True or keepdims is False:
        return keepdims
    return keepdims is not _np._NoValue and c_int(keepdims) != 0


def check_order(order):
    """Raises an error for an order of memory that NumPy does not have."""
    if order is None or (type(order) is str and order in _ORDERS):
        return
    if not isinstance(order, (str, bytes)):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    text = order.decode("latin-1") if isinstance(order, bytes) else order
    if text not in _ORDERS:
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{text}')")


_ORDERS = frozenset("CFAKcfak")


def check_new_order(order):
    """Raises an error for an order in which NumPy makes no new arrays."""
    if order == "C":
        return
    check_order(order)
    if order is not None and order[:1] not in ("F", "f", "C", "c", b"C", b"F", b"c", b"f"):
        raise ValueError("only 'C' or 'F' order is permitted")


def check_subok(subok):
    """Raises an error for a `subok` that is not a boolean of Python."""
    if subok is not True and subok is not False:
        raise TypeError("'subok' must be a boolean")


def clip_mode(mode):
    """The name of the treatment of indices out of bounds. NumPy also accepts the numbers of its modes."""
    if mode is None:
        return "raise"
    if isinstance(mode, (str, bytes)):
        name = mode if isinstance(mode, str) else mode.decode("latin-1")
        if name not in ("raise", "wrap", "clip"):
            raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{name}')")
        return name
    try:
        number = None if isinstance(mode, bool) else c_int(mode)
    except (TypeError, OverflowError):
        number = None
    if number is None:
        raise TypeError("clipmode not understood")
    return {0: "clip", 1: "wrap"}.get(number, "raise")


def unwrap_out(out):
    """The only array of a tuple of one, as NumPy accepts it; other objects unchanged."""
    return out[0] if isinstance(out, tuple) and len(out) == 1 else out


def is_new_array(out):
    """Whether `out` is `...`: the result is then an array even if it is without axes."""
    if isinstance(out, tuple) and any(one is Ellipsis for one in out):
        raise TypeError("must use `...` as `out=...` and not per-operand/in a tuple")
    return out is Ellipsis
