"""Functions with parameters that NumPy lacks, or for which it uses another name or position than cuPyNumeric."""

import functools as _functools
import inspect as _inspect

import weft.numpy as _np
from weft.numpy import linalg as _linalg

#: The parameters of each function: cuPyNumeric's names, and NumPy's.
RENAMED = {
    "array": {"obj": "object"},
    "array_split": {"a": "ary", "indices": "indices_or_sections"},
    "broadcast_to": {"arr": "array"},
    "concatenate": {"inputs": "arrays"},
    "dsplit": {"a": "ary", "indices": "indices_or_sections"},
    "einsum": {"expr": "subscripts"},
    "empty_like": {"a": "prototype"},
    "full": {"value": "fill_value"},
    "full_like": {"value": "fill_value"},
    "histogram2d": {"xcoords": "x", "ycoords": "y"},
    "histogramdd": {"coords": "sample"},
    "hsplit": {"a": "ary", "indices": "indices_or_sections"},
    "isscalar": {"x": "element"},
    "nan_to_num": {"a": "x"},
    "put": {"indices": "ind", "values": "v"},
    "put_along_axis": {"a": "arr"},
    "reshape": {"newshape": "shape"},
    "split": {"a": "ary", "indices": "indices_or_sections"},
    "take_along_axis": {"a": "arr"},
    "vsplit": {"a": "ary", "indices": "indices_or_sections"},
    "where": {"a": "condition"},
}


def renamed(function, names):
    """A function that takes parameters under other names, too."""
    parameters = _inspect.signature(function).parameters.values()
    order = [one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]

    @_functools.wraps(function)
    def call(*args, **kwargs):
        if not names.keys().isdisjoint(kwargs):
            kwargs = {names.get(name, name): value for name, value in kwargs.items()}
            for name in order[len(args) :]:
                if name not in kwargs:
                    break
                args += (kwargs.pop(name),)
        return function(*args, **kwargs)

    return call


def with_out(function):
    """A function of arrays that writes its result to `out`, if given."""

    @_functools.wraps(function)
    def call(*args, out=None, **kwargs):
        made = function(*args, **kwargs)
        if out is None:
            return made
        if tuple(out.shape) != tuple(made.shape):
            raise ValueError(f"{function.__name__}: `out` has shape {out.shape}; give an array of shape {made.shape}")
        _np.copyto(out, made)
        return out

    return call


def array_split(ary, indices_or_sections, axis=0, equal=False):
    """Parts of an array, which must all have one length if `equal` is true."""
    return (_np.split if equal else _np.array_split)(ary, indices_or_sections, axis)


def convolve(a, v, mode="full", method="auto"):
    """The convolution of two arrays. Weft chooses how to compute it; `method` is ignored."""
    if method not in ("auto", "direct", "fft"):
        raise ValueError(f"unknown method {method!r}; use 'auto', 'direct' or 'fft'")
    return _np.convolve(a, v, mode)


def diagonal(a, offset=0, axis1=0, axis2=1, extract=True):
    """The diagonal of a matrix, or of a vector the matrix with this diagonal if `extract` is false."""
    if extract:
        if _np.ndim(a) == 1:
            raise ValueError("a vector has no diagonal; `extract=False` makes a matrix of it")
        return _np.diagonal(a, offset, axis1, axis2)
    if _np.ndim(a) != 1:
        raise ValueError("`extract=False` takes a vector")
    return _np.diag(a, offset)


def histogram(a, bins=10, range=None, weights=None, density=False):
    """The number of elements in each bin, and the edges of the bins."""
    return _np.histogram(a, bins, range, density, weights)


def _extreme(name):
    def extreme(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
        a = _np.asarray(a) if dtype is None else _np.asarray(a, dtype)
        given = {} if initial is None else {"initial": initial}
        if where is not None:
            given["where"] = where
        return getattr(_np, name)(a, axis, out, keepdims, **given)

    extreme.__name__ = extreme.__qualname__ = name
    return extreme


def _logical(name):
    theirs = getattr(_np.ndarray, name)

    @_functools.wraps(theirs)
    def logical(self, axis=None, out=None, keepdims=False, initial=None, where=True):
        made = theirs(self, axis, None, keepdims, where=True if where is None else where)
        if initial is not None:
            made = (_np.logical_and if name == "all" else _np.logical_or)(made, initial)
        if out is None:
            return made
        _np.copyto(out, made, casting="unsafe")
        return out

    return logical


def _put(self, indices, values, mode="raise"):
    """Writes values to flat indices."""
    return _np.put(self, indices, values, mode)


def functions():
    """cuPyNumeric's functions, by name."""
    made = {name: renamed(getattr(_np, name), names) for name, names in RENAMED.items()}
    made["array_split"] = renamed(array_split, RENAMED["array_split"])
    made["histogram"] = renamed(histogram, {"x": "a"})
    made.update(convolve=convolve, diagonal=diagonal)
    made.update({name: with_out(getattr(_np, name)) for name in ("inner", "tensordot", "vdot")})
    for name in ("max", "min"):
        made[name] = made["a" + name] = _extreme(name)
    return made


def extend():
    """Gives methods and functions of `linalg` the parameters of cuPyNumeric's."""
    for name in ("all", "any"):
        setattr(_np.ndarray, name, _logical(name))
    _np.ndarray.diagonal = diagonal
    _np.ndarray.dot = renamed(_np.ndarray.dot, {"rhs": "b"})
    _np.ndarray.put = renamed(_put, {"ind": "indices", "v": "values"})
    _linalg.solve = with_out(_linalg.solve)
