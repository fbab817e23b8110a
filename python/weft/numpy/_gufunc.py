"""The keywords of universal functions of vectors and matrices: `out`, `dtype`, `axes`, `axis`, `keepdims`."""

import operator as _operator

import numpy as _np

from .. import _core
from . import _fallback
from ._arguments import check_order, check_subok, is_new_array, keeps_axes, unwrap_out, whole_axis
from ._array import cast, is_taken_over, make, ndarray, result_type, to_host
from ._shape import axis_of, moveaxis, reshape
from ._whole import whole

#: How many axes of each operand and of the result are one vector or matrix.
_CORES = {"matmul": (2, 2, 2), "matvec": (2, 1, 1), "vecdot": (1, 1, 0), "vecmat": (1, 2, 1)}


def _signature(name):
    return f"gufunc signature {getattr(_np, name).signature}"


def applied(name, compute, x1, x2, out, kwargs):
    """The result of `compute` for two arrays of one dtype whose last axes are vectors or matrices, with the keywords applied."""
    if is_new_array(out):
        return _core.as_array(applied(name, compute, x1, x2, None, kwargs))
    if is_taken_over((x1, x2), out):
        # NumPy hands the call over, and arrays of Weft in it come back here.
        return getattr(_np, name)(x1, x2, **(kwargs if out is None else {**kwargs, "out": out}))
    with whole(out):
        return _applied(name, compute, x1, x2, out, kwargs)


def _applied(name, compute, x1, x2, out, kwargs):
    how = dict(kwargs)
    dtype = how.pop("dtype", None)
    signature, casting = how.pop("signature", how.pop("sig", None)), how.pop("casting", "same_kind")
    if "axis" in how and how["axis"] is None:
        raise TypeError("'NoneType' object cannot be interpreted as an integer")
    axes, axis, keepdims = how.pop("axes", None), how.pop("axis", None), how.pop("keepdims", False)
    check_order(how.pop("order", None))
    check_subok(how.pop("subok", True))
    if how:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(how))}'")
    arrays = [make(x1), make(x2)]
    out = unwrap_out(out)
    if signature is not None or not all(isinstance(one, ndarray) for one in arrays):
        given = dict(kwargs) if out is None else {**kwargs, "out": out}
        return _fallback.call(name, getattr(_np, name), (x1, x2), given)
    cores = [1 if name == "matmul" and one.ndim == 1 else core for one, core in zip(arrays, _CORES[name])]
    for at, (one, core) in enumerate(zip(arrays, cores)):
        needed = 1 if name == "matmul" else core
        if one.ndim < needed:
            raise ValueError(
                f"{name}: Input operand {at} does not have enough dimensions (has {one.ndim}, {_signature(name)} requires {needed})"
            )
    keepdims = keepdims if keepdims is False else keeps_axes(keepdims)
    places = _places(name, axes, axis, keepdims, cores)
    arrays = [_to_the_end(one, place) for one, place in zip(arrays, places)]
    common = result_type(*arrays) if dtype is None else _np.dtype(dtype)
    for at, one in enumerate(arrays):
        if not _np.can_cast(one.dtype, common, casting):
            raise _np._core._exceptions._UFuncInputCastingError(getattr(_np, name), casting, one.dtype, common, at)
    made = compute(*(cast(one, common) for one in arrays))
    if name == "vecdot" and keepdims:
        made = reshape(made, (*made.shape, 1))
    if places[2] is not None and any(place != at - len(places[2]) for at, place in enumerate(places[2])):
        made = moveaxis(made, tuple(range(-len(places[2]), 0)), places[2])
    return _delivered(name, made, out, casting)


def _places(name, axes, axis, keepdims, cores):
    """The axes that are vectors and matrices, of each operand and of the result; `None` for the last ones."""
    is_single = name == "vecdot"
    for given, text in ((axis is not None, "axis"), (keepdims is not False, "keepdims")):
        if given and not is_single:
            raise TypeError(
                f"{name} does not support {text}: its signature {getattr(_np, name).signature} requires multiple core dimensions."
            )
    if axis is not None:
        if axes is not None:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        place = (_operator.index(whole_axis(axis)),)
        return place, place, place if keepdims else None
    if axes is None:
        return None, None, None
    if not isinstance(axes, list):
        raise TypeError("axes should be a list")
    result = int(keepdims) if is_single else sum(cores) - 2
    if len(axes) not in ((2, 3) if result == 0 else (3,)):
        raise ValueError(f"axes should be a list with an entry for all 3 inputs and outputs; has {len(axes)} entries")
    made = []
    for place, core in zip(axes + [()] * (3 - len(axes)), (*cores, result)):
        place = place if isinstance(place, tuple) else (_operator.index(place),)
        if len(place) != core:
            raise ValueError(f"{name}: operand {len(made)} has {core} core dimensions, but {len(place)} dimensions are specified by axes tuple.")
        made.append(tuple(map(_operator.index, place)))
    return made


def _to_the_end(array, places):
    if places is None:
        return array
    places = [axis_of(place, array.ndim) for place in places]
    if len(set(places)) != len(places):
        raise ValueError("axes tuple has duplicate entries")
    return moveaxis(array, places, range(-len(places), 0))


def _delivered(name, made, out, casting):
    if out is None:
        return made
    if not isinstance(out, (ndarray, _np.ndarray)):
        raise TypeError("return arrays must be of ArrayType")
    if not _np.can_cast(made.dtype, out.dtype, casting):
        raise _np._core._exceptions._UFuncOutputCastingError(getattr(_np, name), casting, made.dtype, out.dtype, 0)
    core = min(_CORES[name][2], made.ndim)
    try:
        fits = _np.broadcast_shapes(made.shape, out.shape) == out.shape and made.shape[made.ndim - core :] == out.shape[len(out.shape) - core :]
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"{name}: Output operand 0 has a mismatch: shape {out.shape} does not take a result of shape {made.shape}, {_signature(name)}")
    if isinstance(out, ndarray):
        _core.assign(out, cast(_core.broadcast_to(made, out.shape), out.dtype))
    else:
        out[...] = to_host(made)
    return out
