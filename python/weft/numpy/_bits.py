"""Bits of integers: packed eight to a byte, and unpacked."""

import operator as _operator

import numpy as _np

from .. import _core
from ._arguments import whole_axis
from ._array import make, ndarray
from ._shape import axis_of, moveaxis, ravel, reshape

_BYTE = _np.dtype("u1")


def _is_big(bitorder):
    """Whether the first of eight elements is the highest bit of a byte."""
    if not isinstance(bitorder, str):
        raise TypeError(f"argument 'bitorder' must be str, not {type(bitorder).__name__}")
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    return bitorder == "big"


def _line(a, axis):
    """The array and the axis to work along, which is the last one."""
    axis = whole_axis(axis)
    if axis is None or a.ndim == 0:
        axis = 0 if axis is None else axis_of(axis, 1)
        return reshape(ravel(a), (-1,)) if a.size else reshape(a, (0,)), 0
    axis = axis_of(axis, a.ndim)
    return moveaxis(a, axis, -1), axis


def _padded(a, length):
    """The array with its last axis filled with zeros up to a length."""
    rest = length - a.shape[-1]
    if rest == 0:
        return a
    return _core.concatenate([a, _core.full([*a.shape[:-1], rest], 0, a.dtype)], a.ndim - 1)


def packbits(a, /, axis=None, bitorder="big"):
    """Eight elements packed into one byte, with a bit set for each nonzero element."""
    if (made := _core.packbits_plain(a, axis, bitorder)) is not None:
        return made
    a, is_big = make(a), _is_big(bitorder)
    if not isinstance(a, ndarray) or a.dtype.kind not in "bui":
        raise TypeError("Expected an input array of integer or boolean data type")
    line, axis = _line(a, axis)
    return moveaxis(_core.packbits(line, is_big), -1, axis)


def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """The bits of bytes, one for each element."""
    if count is None and (made := _core.unpackbits_plain(a, axis, bitorder)) is not None:
        return made
    a = make(a)
    if not isinstance(a, ndarray) or a.dtype != _BYTE:
        raise TypeError("Expected an input array of unsigned byte data type")
    is_big = _is_big(bitorder)
    line, axis = _line(a, axis)
    total = 8 * line.shape[-1]
    length = total if count is None else _operator.index(count)
    if length < 0:
        length += total
        if length < 0:
            raise ValueError("-count larger than number of elements")
    if 0 in line.shape:
        return moveaxis(_core.full((*line.shape[:-1], length), 0, _BYTE), -1, axis)
    bits = _core.unpackbits(line, is_big)
    bits = bits[..., :length] if length < total else _padded(bits, length)
    return moveaxis(bits, -1, axis)
