"""Shapes, joining and splitting."""
# Made by python/declare.py from python/declared/shapes.toml.

from .._bits import packbits as _bits_packbits, unpackbits as _bits_unpackbits
from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign
from .._join import (
    append as _join_append, array_split as _join_array_split, block as _join_block, column_stack as _join_column_stack,
    concatenate as _join_concatenate, delete as _join_delete, dsplit as _join_dsplit, dstack as _join_dstack, hsplit as _join_hsplit,
    hstack as _join_hstack, insert as _join_insert, repeat as _join_repeat, resize as _join_resize, roll as _join_roll,
    split as _join_split, stack as _join_stack, tile as _join_tile, unstack as _join_unstack, vsplit as _join_vsplit, vstack as _join_vstack,
)
from .._pad import pad as _pad_pad
from .._shape import (
    atleast_1d as _shape_atleast_1d, atleast_2d as _shape_atleast_2d, atleast_3d as _shape_atleast_3d,
    broadcast_arrays as _shape_broadcast_arrays, broadcast_to as _shape_broadcast_to, diag as _shape_diag, diagflat as _shape_diagflat,
    diagonal as _shape_diagonal, expand_dims as _shape_expand_dims, flip as _shape_flip, fliplr as _shape_fliplr, flipud as _shape_flipud,
    matrix_transpose as _shape_matrix_transpose, moveaxis as _shape_moveaxis, ndim as _shape_ndim, ravel as _shape_ravel,
    reshape as _shape_reshape, rollaxis as _shape_rollaxis, rot90 as _shape_rot90, shape as _shape_shape, size as _shape_size,
    squeeze as _shape_squeeze, swapaxes as _shape_swapaxes, take as _shape_take, transpose as _shape_transpose,
    trim_zeros as _shape_trim_zeros,
)
from .._whole import whole as _whole

__all__ = [
    "append", "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "block", "broadcast_arrays", "broadcast_to", "column_stack",
    "concat", "concatenate", "delete", "diag", "diagflat", "diagonal", "dsplit", "dstack", "expand_dims", "flip", "fliplr", "flipud",
    "hsplit", "hstack", "insert", "matrix_transpose", "moveaxis", "ndim", "packbits", "pad", "permute_dims", "ravel", "repeat", "reshape",
    "resize", "roll", "rollaxis", "rot90", "row_stack", "shape", "size", "split", "squeeze", "stack", "swapaxes", "take", "tile",
    "transpose", "trim_zeros", "unpackbits", "unstack", "vsplit", "vstack",
]

# The module of a function is the public one.
__name__ = "weft.numpy"


def append(arr, values, axis=None):
    """An array with values appended."""
    try:
        return _join_append(arr, values, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arr", "values"):
            raise
    return _elsewhere(append, given)


def array_split(ary, indices_or_sections, axis=0):
    """Splits an array into parts of nearly equal length."""
    try:
        return _join_array_split(ary, indices_or_sections, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "ary", "indices_or_sections"):
            raise
    return _elsewhere(array_split, given)


def atleast_1d(*arys):
    """Arrays with at least one axis."""
    try:
        return _shape_atleast_1d(*arys)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arys"):
            raise
    return _elsewhere(atleast_1d, given)


def atleast_2d(*arys):
    """Arrays with at least two axes."""
    try:
        return _shape_atleast_2d(*arys)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arys"):
            raise
    return _elsewhere(atleast_2d, given)


def atleast_3d(*arys):
    """Arrays with at least three axes."""
    try:
        return _shape_atleast_3d(*arys)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arys"):
            raise
    return _elsewhere(atleast_3d, given)


def block(arrays):
    """Assembles an array from nested lists of blocks."""
    try:
        return _join_block(arrays)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arrays"):
            raise
    return _elsewhere(block, given)


def broadcast_arrays(*args, subok=False):
    """Arrays, broadcast to a common shape."""
    try:
        return _shape_broadcast_arrays(*args, subok=subok)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "args"):
            raise
    return _elsewhere(broadcast_arrays, given)


def broadcast_to(array, shape, subok=False):
    """A read-only view, broadcast to a shape."""
    try:
        return _shape_broadcast_to(array, shape, subok)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "array"):
            raise
    return _elsewhere(broadcast_to, given)


def column_stack(tup):
    """Vectors as the columns of a matrix."""
    try:
        return _join_column_stack(tup)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "tup"):
            raise
    return _elsewhere(column_stack, given)


def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind'):
    """Joins arrays along an existing axis."""
    try:
        if out is not None:
            with _whole(out):
                return _join_concatenate(arrays, axis, out, dtype=dtype, casting=casting)
        return _join_concatenate(arrays, axis, out, dtype=dtype, casting=casting)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arrays"):
            raise
    return _elsewhere(concatenate, given)


def delete(arr, obj, axis=None):
    """An array without the elements at the given indices."""
    try:
        return _join_delete(arr, obj, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arr", "obj"):
            raise
    return _elsewhere(delete, given)


def diag(v, k=0):
    """A diagonal, or the matrix with this diagonal."""
    try:
        return _shape_diag(v, k)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "v"):
            raise
    return _elsewhere(diag, given)


def diagflat(v, k=0):
    """The matrix with all elements on a diagonal."""
    try:
        return _shape_diagflat(v, k)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "v"):
            raise
    return _elsewhere(diagflat, given)


def diagonal(a, offset=0, axis1=0, axis2=1):
    """The view of a diagonal, as the last axis."""
    try:
        return _shape_diagonal(a, offset, axis1, axis2)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(diagonal, given)


def dsplit(ary, indices_or_sections):
    """Splits an array along the third axis."""
    try:
        return _join_dsplit(ary, indices_or_sections)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "ary", "indices_or_sections"):
            raise
    return _elsewhere(dsplit, given)


def dstack(tup):
    """Joins arrays along the third axis."""
    try:
        return _join_dstack(tup)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "tup"):
            raise
    return _elsewhere(dstack, given)


def expand_dims(a, axis):
    """The view with axes of length 1 inserted at these positions."""
    try:
        return _shape_expand_dims(a, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(expand_dims, given)


def flip(m, axis=None):
    """The view, reversed along axes."""
    try:
        return _shape_flip(m, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "m"):
            raise
    return _elsewhere(flip, given)


def fliplr(m):
    """The view, reversed along the second axis."""
    try:
        return _shape_fliplr(m)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "m"):
            raise
    return _elsewhere(fliplr, given)


def flipud(m):
    """The view, reversed along the first axis."""
    try:
        return _shape_flipud(m)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "m"):
            raise
    return _elsewhere(flipud, given)


def hsplit(ary, indices_or_sections):
    """Splits an array along the second axis, or a vector."""
    try:
        return _join_hsplit(ary, indices_or_sections)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "ary", "indices_or_sections"):
            raise
    return _elsewhere(hsplit, given)


def hstack(tup, *, dtype=None, casting='same_kind'):
    """Joins arrays horizontally."""
    try:
        return _join_hstack(tup, dtype=dtype, casting=casting)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "tup"):
            raise
    return _elsewhere(hstack, given)


def insert(arr, obj, values, axis=None):
    """An array with values inserted before the given indices."""
    try:
        return _join_insert(arr, obj, values, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arr", "obj", "values"):
            raise
    return _elsewhere(insert, given)


def matrix_transpose(x, /):
    """The view with its last two axes swapped."""
    try:
        return _shape_matrix_transpose(x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(matrix_transpose, given)


def moveaxis(a, source, destination):
    """The view with axes moved to other positions."""
    try:
        return _shape_moveaxis(a, source, destination)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(moveaxis, given)


def ndim(a):
    """Number of axes."""
    try:
        return _shape_ndim(a)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(ndim, given)


def packbits(a, /, axis=None, bitorder='big'):
    """Eight elements packed into one byte, with a bit set for each nonzero element."""
    try:
        return _bits_packbits(a, axis, bitorder)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(packbits, given)


def pad(array, pad_width, mode='constant', **kwargs):
    """The array with borders."""
    try:
        return _pad_pad(array, pad_width, mode, **kwargs)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "array", "pad_width"):
            raise
    return _elsewhere(pad, given)


def ravel(a, order='C'):
    """All elements as a vector: a view if they are contiguous."""
    try:
        return _shape_ravel(a, order)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(ravel, given)


def repeat(a, repeats, axis=None):
    """Each element repeated."""
    try:
        return _join_repeat(a, repeats, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "repeats"):
            raise
    return _elsewhere(repeat, given)


def reshape(a, /, shape, order='C', *, copy=None):
    """The elements in row-major order with another shape: a view if possible."""
    try:
        return _shape_reshape(a, shape, order, copy=copy)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(reshape, given)


def resize(a, new_shape):
    """The elements in another shape, repeated as needed."""
    try:
        return _join_resize(a, new_shape)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(resize, given)


def roll(a, shift, axis=None):
    """Elements rolled along axes."""
    try:
        return _join_roll(a, shift, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(roll, given)


def rollaxis(a, axis, start=0):
    """The view with an axis moved before another one."""
    try:
        return _shape_rollaxis(a, axis, start)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(rollaxis, given)


def rot90(m, k=1, axes=(0, 1)):
    """The view, rotated by multiples of 90 degrees in the plane of two axes."""
    try:
        return _shape_rot90(m, k, axes)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "m"):
            raise
    return _elsewhere(rot90, given)


def shape(a):
    """Returns the number of elements along each axis."""
    try:
        return _shape_shape(a)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(shape, given)


def size(a, axis=None):
    """The number of elements, of the whole array or along axes."""
    try:
        return _shape_size(a, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(size, given)


def split(ary, indices_or_sections, axis=0):
    """Splits an array; into parts of equal length if their number is given."""
    try:
        return _join_split(ary, indices_or_sections, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "ary", "indices_or_sections"):
            raise
    return _elsewhere(split, given)


def squeeze(a, axis=None):
    """The view without axes of length 1."""
    try:
        return _shape_squeeze(a, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(squeeze, given)


def stack(arrays, axis=0, out=None, *, dtype=None, casting='same_kind'):
    """Joins arrays along a new axis."""
    try:
        if out is not None:
            with _whole(out):
                return _join_stack(arrays, axis, out, dtype=dtype, casting=casting)
        return _join_stack(arrays, axis, out, dtype=dtype, casting=casting)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arrays"):
            raise
    return _elsewhere(stack, given)


def swapaxes(a, axis1, axis2):
    """The view with two axes swapped."""
    try:
        return _shape_swapaxes(a, axis1, axis2)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(swapaxes, given)


def take(a, indices, axis=None, out=None, mode='raise'):
    """The elements at indices along an axis, or among all elements."""
    try:
        if out is not None:
            with _whole(out):
                return _shape_take(a, indices, axis, out, mode)
        return _shape_take(a, indices, axis, out, mode)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "indices"):
            raise
    return _elsewhere(take, given)


def tile(A, reps):
    """The array repeated along each axis."""
    try:
        return _join_tile(A, reps)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "A"):
            raise
    return _elsewhere(tile, given)


def transpose(a, axes=None):
    """The view with its axes reversed, or in this order."""
    try:
        return _shape_transpose(a, axes)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(transpose, given)


def trim_zeros(filt, trim='fb', axis=None):
    """An array without leading and trailing zeros."""
    try:
        return _shape_trim_zeros(filt, trim, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "filt"):
            raise
    return _elsewhere(trim_zeros, given)


def unpackbits(a, /, axis=None, count=None, bitorder='big'):
    """The bits of bytes, one for each element."""
    try:
        return _bits_unpackbits(a, axis, count, bitorder)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(unpackbits, given)


def unstack(x, /, *, axis=0):
    """Splits an array along an axis, and removes that axis."""
    try:
        return _join_unstack(x, axis=axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(unstack, given)


def vsplit(ary, indices_or_sections):
    """Splits an array along the first axis."""
    try:
        return _join_vsplit(ary, indices_or_sections)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "ary", "indices_or_sections"):
            raise
    return _elsewhere(vsplit, given)


def vstack(tup, *, dtype=None, casting='same_kind'):
    """Joins arrays vertically."""
    try:
        return _join_vstack(tup, dtype=dtype, casting=casting)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "tup"):
            raise
    return _elsewhere(vstack, given)


concat = concatenate


permute_dims = transpose


row_stack = vstack
