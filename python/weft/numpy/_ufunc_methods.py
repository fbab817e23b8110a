"""The methods of universal functions: `reduce`, `accumulate`, `reduceat`, `outer` and `at`.

What Weft has no kernel for is done in whole-array steps: associative functions by halves, the others element after element along the axis,
for all lines at once.
"""


import numpy as _np

from .. import _core
from . import _errors, _fallback, _join, _reduce, _shape
from ._arguments import is_new_array, keeps_axes, whole_axes
from ._array import array_type, cast, float64, from_host, held, host, int64, is_held, is_number, is_taken_over, make, ndarray, to_host, written
from ._ufunc import check_mask, mask_of, used
from ._whole import whole

#: Functions that a reduction of Weft computes.
_KNOWN = {
    "add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "logical_and": "all", "logical_or": "any", "fmin": "fmin",
    "fmax": "fmax",
}  # fmt: skip

_REORDERABLE = {
    "add", "multiply", "bitwise_and", "bitwise_or", "bitwise_xor", "fmax", "fmin", "gcd", "hypot", "logaddexp",
    "logaddexp2", "maximum", "minimum", "logical_and", "logical_or", "logical_xor",
}  # fmt: skip


#: Steps of a function that is not associative: more are left to NumPy.
_STEPS = 256

#: Functions whose reduction of one element is its absolute value, since the reduction begins with 0.
_OF_SIZES = {"hypot", "gcd"}

#: Functions whose repeated application to one place is one application of another function's results.
_FOLDED_BY = {"subtract": "add", "divide": "multiply"}


def _peer(of):
    return getattr(_np, of.__name__)


def _check_binary(of, method):
    if of.nin != 2 or of.nout != 1:
        raise ValueError(f"{method} only supported for binary functions")
    if _peer(of).signature is not None:
        raise RuntimeError(f"Reduction not defined on ufunc with signature {_peer(of).signature}")


def _single(out):
    if is_new_array(out):
        return None
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError("The 'out' tuple must have exactly one entry")
        (out,) = out
    if out is not None and not isinstance(out, (array_type, _np.ndarray)):
        raise TypeError("output must be an array")
    return out


def _foreign(of, method, args, out, **kwargs):
    """NumPy's method on elements that Weft's arrays cannot hold."""
    kwargs = {name: value for name, value in kwargs.items() if value is not _np._NoValue}
    if out is not None:
        kwargs["out"] = out
    return _fallback.call(f"{of.__name__}.{method}", getattr(_peer(of), method), args, kwargs)


def _dtypes(of, array, dtype, out, method="reduce"):
    """The dtypes of a reduction's operands and of its result, as NumPy resolves them."""
    peer = _peer(of)
    kinds = (None if out is None else out.dtype, array.dtype, None)
    if dtype is None and of.__name__ in ("add", "multiply") and out is None:
        wide = _reduce._sum_dtype(array.dtype)
        return wide, wide
    more = {} if dtype is None else {"signature": (_np.dtype(dtype), None, None)}
    found = peer.resolve_dtypes(kinds, reduction=True, casting="unsafe", **more)
    if found[0] != found[2] or (method != "reduce" and found[1] != found[2]):
        raise TypeError(f"the resolved dtypes are not compatible with {of.__name__}.{method}. Resolved {tuple(found)}")
    return found[1], found[2]


def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=_np._NoValue, where=True):
    """The function of all elements along axes."""
    is_plain = dtype is None and out is None and type(keepdims) is bool and initial is _np._NoValue and where is True
    if is_plain and not _errors.watch.is_on and (name := _KNOWN.get(self.__name__)) is not None:
        if (made := _core.reduce_plain(array, name, axis, keepdims)) is not None:
            return made
    if out is Ellipsis:
        return _core.as_array(reduce(self, array, axis, dtype, None, keepdims, initial, where))
    if is_taken_over((array,), out):
        given = {"out": out, "where": where, "initial": initial}
        given = {key: value for key, value in given.items() if value is not None and value is not _np._NoValue and value is not True}
        return _peer(self).reduce(array, axis, dtype, keepdims=keepdims, **given)
    is_checked = _errors.watch.is_on and _errors.is_asked()
    _check_binary(self, "reduce")
    name, out = self.__name__, _single(out)
    array = make(array)
    if not isinstance(array, ndarray) or (dtype is not None and not is_held(_np.dtype(dtype))):
        return _foreign(self, "reduce", (array, axis, dtype), out, keepdims=keepdims, initial=initial, where=where)
    axis, keepdims = whole_axes(axis), keeps_axes(keepdims)
    if axis is None:
        axes = None
    elif array.ndim == 0 and axis in (0, -1):
        axes = ()
    else:
        axes = _axes(axis, array.ndim)
    masked = where is not True
    # NumPy takes `None` for false.
    where = False if where is None else where
    mask = where if masked else _np._NoValue
    known = _KNOWN.get(name)
    if known in ("sum", "prod") and (out is None or dtype is not None or out.dtype == _reduce._sum_dtype(array.dtype)):
        return getattr(_reduce, known)(array, axes, dtype, out, keepdims, initial, mask)
    if known in ("min", "max") and dtype is None and initial is not None:
        return getattr(_reduce, known)(array, axes, out, keepdims, initial, mask)
    if known in ("all", "any") and dtype is None and initial is _np._NoValue:
        return getattr(_reduce, known)(array, axes, out, keepdims, where=mask)
    operand, result = _dtypes(self, array, dtype, out)
    if not is_held(operand) or not is_held(result) or (operand != result and name == "ldexp"):
        return _host_reduce(self, array, axis, dtype, out, keepdims, initial, where)
    array = cast(array, operand)
    if initial is None and array.size == 0:
        _reduce._check_filled(name, array, axes)
    every = tuple(range(array.ndim)) if axes is None else axes
    if len(every) > 1 and name not in _REORDERABLE:
        raise ValueError(f"reduction operation '{name}' is not reorderable, so at most one axis may be specified")
    if is_checked and not masked and array.size:
        _errors.check_steps(self, _lines(array, every, [at for at in range(array.ndim) if at not in every]))
    if name == "lcm" and _reduce._reduced_length(array, axes) > _STEPS:
        return _host_reduce(self, array, axis, dtype, out, keepdims, initial, where)
    made = _reduced(self, array, every, initial, where if masked else None, keepdims, result)
    return _reduce.deliver(made, out, "unsafe")


def _axes(axis, ndim):
    axes = axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(_shape.axis_of(one, ndim) for one in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes


def _host_reduce(of, array, axis, dtype, out, keepdims, initial, where):
    kwargs = {"axis": axis, "dtype": dtype, "keepdims": keepdims}
    if initial is not _np._NoValue:
        kwargs["initial"] = initial
    if where is not True:
        kwargs["where"] = where
    made = _fallback.call(f"{of.__name__}.reduce", _peer(of).reduce, (array,), kwargs)
    return _reduce.deliver_any(made, out)


def _reduced(of, array, axes, initial, where, keepdims, result):
    """A reduction by steps along axes, of an array in the dtype of the steps."""
    _reduce._check_initial(initial)
    name = of.__name__
    identity = _peer(of).identity
    start = identity if initial is _np._NoValue else initial
    if initial is not _np._NoValue and initial is not None:
        # A value that the dtype cannot hold is an error.
        start = initial = written(initial, result)
    rest = [at for at in range(array.ndim) if at not in axes]
    if where is not None:
        if start is None:
            raise ValueError(
                f"reduction operation '{name}' does not have an identity, so to use a where mask one has to specify 'initial'"
            )
        mask = make(mask_of(where))
        check_mask(mask, array.shape)
        mask = _core.broadcast_to(mask, array.shape)
        mask = _lines(mask, axes, rest)
    shape = tuple(1 if at in axes else n for at, n in enumerate(array.shape)) if keepdims else tuple(array.shape[at] for at in rest)
    lines = _lines(array, axes, rest)
    if start is not None and initial is _np._NoValue:
        start = _np.asarray(start).astype(result).item()
    if lines.shape[0] == 0 and start is None:
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    if where is not None:
        made = _begun(lines, start, result)
        for at in range(lines.shape[0]):
            right = used(name, mask[at], lines[at], lines.dtype)
            made = _core.select(mask[at], cast(of(made, right), result), made, result)
    elif lines.shape[0] == 0:
        made = _begun(lines, start, result)
    else:
        made = cast(_folded(of, lines), result)
        if initial is not _np._NoValue and initial is not None:
            made = cast(of(made, initial) if name in _REORDERABLE else _from(of, lines, initial, result), result)
    return _core.as_result(_shape.reshape(made, shape), array.size)


def _begun(lines, start, dtype):
    """The value that a reduction begins with, for each line."""
    shape = lines.shape[1:]
    return _core.copy(_core.broadcast_to(start, shape)) if isinstance(start, ndarray) else _core.full(shape, start, dtype)


def _lines(array, axes, rest):
    """The array with these axes as one, which is the first."""
    count = 1
    for at in axes:
        count *= array.shape[at]
    return _core.reshape(_core.permute(array, [*sorted(axes), *rest]), [count, *(array.shape[at] for at in rest)])


def _from(of, lines, initial, dtype):
    made = _core.broadcast_to(initial, lines.shape[1:])
    for at in range(lines.shape[0]):
        made = of(made, lines[at])
    return made


def _folded(of, lines):
    """The function of all elements along the first axis."""
    name = of.__name__
    if name in _OF_SIZES and lines.shape[0] == 1:
        return abs(lines[0])
    if name in _REORDERABLE:
        return _reduce.by_halves(of, lines, 0)
    if name in _FOLDED_BY and lines.shape[0] > 64:
        from ._ufunc import get

        return of(lines[0], get(_FOLDED_BY[name]).reduce(lines[1:], 0))
    made = lines[0] if lines.shape[0] > 1 else _core.copy(lines[0])
    for at in range(1, lines.shape[0]):
        made = of(made, lines[at])
    return made


#: Functions whose running results are one operation.
_SCANNED = {"maximum": "cummax", "minimum": "cummin"}


def accumulate(self, array, axis=0, dtype=None, out=None):
    """The function of all elements so far, along an axis."""
    _check_binary(self, "accumulate")
    name, out = self.__name__, _single(out)
    array = held(array)
    if not isinstance(array, ndarray) or (dtype is not None and not is_held(_np.dtype(dtype))):
        return _foreign(self, "accumulate", (array, axis, dtype), out)
    at = _single_axis(array, axis, "accumulate")
    known = {"add": "cumsum", "multiply": "cumprod"}.get(name)
    if known and (out is None or dtype is not None):
        return getattr(_reduce, known)(array, at, dtype, out)
    operand, result = _dtypes(self, array, dtype, out, "accumulate")
    if not is_held(operand) or not is_held(result) or (name == "lcm" and array.shape[at] > _STEPS):
        return _reduce.deliver_any(_fallback.call(f"{name}.accumulate", _peer(self).accumulate, (array, axis, dtype), {}), out)
    if name in _SCANNED and operand.kind != "c":
        made = _core.scan(cast(array, operand), _SCANNED[name], at)
        return _reduce.deliver(cast(made, result), out, "unsafe")
    made = _shape.moveaxis(cast(array, operand), at, 0)
    if name in _REORDERABLE:
        step = 1
        while step < made.shape[0]:
            made = _core.concatenate([made[:step], cast(self(made[:-step], made[step:]), made.dtype)], 0)
            step *= 2
    elif made.shape[0]:
        parts = [made[0]]
        for place in range(1, made.shape[0]):
            parts.append(cast(self(parts[-1], made[place]), operand))
        made = _join.stack(parts)
    made = cast(made, result)
    return _reduce.deliver(_placed(made, at, array), out, "unsafe")


def _single_axis(array, axis, method):
    """The axis of a method that goes along one."""
    axis = whole_axes(axis)
    if axis is None:
        axes = tuple(range(array.ndim))
    else:
        axes = _axes(axis, array.ndim) if array.ndim or axis not in (0, -1) else ()
    if array.ndim == 0:
        raise TypeError(f"cannot {method} on a scalar")
    if len(axes) != 1:
        raise ValueError(f"{method} does not allow multiple axes")
    return axes[0]


def _placed(made, at, given):
    """A result with its first axis at another place: in row-major order, and in memory of its own."""
    placed = _shape.moveaxis(made, 0, at)
    return _core.copy(placed) if at or _core.shares_store(made, given) else made


def reduceat(self, array, indices, axis=0, dtype=None, out=None):
    """The function of the elements between places."""
    _check_binary(self, "reduceat")
    name, out = self.__name__, _single(out)
    array = held(array)
    places = to_host(indices) if isinstance(indices, ndarray) else _np.asarray(indices)
    if not isinstance(array, ndarray) or (dtype is not None and not is_held(_np.dtype(dtype))):
        return _foreign(self, "reduceat", (array, places, axis, dtype), out)
    at = _single_axis(array, axis, "reduceat")
    if places.ndim != 1:
        raise ValueError(f"object {'of too small' if places.ndim == 0 else 'too'} depth for desired array")
    if places.size and not _np.can_cast(places.dtype, _np.int64, "same_kind"):
        raise TypeError(f"Cannot cast array data from {places.dtype!r} to dtype('int64') according to the rule 'safe'")
    places = places.astype(_np.int64)
    length = array.shape[at]
    for place in places[(places < 0) | (places >= length)]:
        raise IndexError(f"index {place} out-of-bounds in {name}.reduceat [0, {length})")
    operand, result = _dtypes(self, array, dtype, out, "reduceat")
    if not is_held(operand) or not is_held(result):
        return _reduce.deliver_any(_fallback.call(f"{name}.reduceat", _peer(self).reduceat, (array, places, at, dtype), {}), out)
    lines = _shape.moveaxis(cast(array, operand), at, 0)
    ends = _np.append(places[1:], length) if places.size else places
    counts = _np.maximum(ends - places, 1)
    made = cast(_segments(self, lines, places, counts), result)
    return _reduce.deliver(_placed(made, at, array), out, "unsafe")


def _segments(of, lines, starts, counts):
    """The function of segments of the first axis, given by their starts and lengths."""
    if starts.size == 0:
        return _core.full((0, *lines.shape[1:]), 0, lines.dtype)
    if (known := _KNOWN.get(of.__name__)) in ("sum", "prod", "min", "max", "fmin", "fmax") and lines.dtype.kind in "iufc":
        if (made := _core.reduce_segments(lines, known, from_host(starts), from_host(counts))) is not None:
            return made
    trailing = (1,) * (lines.ndim - 1)

    def flags(mask):
        return _core.broadcast_to(from_host(mask.reshape((-1, *trailing))), (mask.size, *lines.shape[1:]))

    def chosen(mask, yes, no):
        return _core.select(flags(mask), cast(yes, no.dtype), no, no.dtype)

    if of.__name__ not in _REORDERABLE:
        made = _core.take(lines, from_host(starts), 0)
        for step in range(1, int(counts.max())):
            at = _np.minimum(starts + step, lines.shape[0] - 1)
            right = used(of.__name__, flags(step < counts), _core.take(lines, from_host(at), 0), lines.dtype)
            made = chosen(step < counts, of(made, right), made)
        return made
    # Neighbours in pairs, until each segment is one element.
    offsets = _np.cumsum(counts) - counts
    at = _np.arange(int(counts.sum())) - _np.repeat(offsets - starts, counts)
    is_whole = at.size == lines.shape[0] and (at == _np.arange(at.size)).all()
    made = lines if is_whole else _core.take(lines, from_host(at), 0)
    while counts.max() > 1:
        halves = (counts + 1) // 2
        new = _np.cumsum(halves) - halves
        within = _np.arange(int(halves.sum())) - _np.repeat(new, halves)
        even = _np.repeat(offsets, halves) + 2 * within
        has_odd = 2 * within + 1 < _np.repeat(counts, halves)
        left = _core.take(made, from_host(even), 0)
        right = _core.take(made, from_host(_np.minimum(even + 1, made.shape[0] - 1)), 0)
        made = chosen(has_odd, of(left, right), left)
        counts, offsets = halves, new
    return made


def outer(self, A, B, /, **kwargs):
    """The function of all pairs of elements."""
    if self.nin != 2:
        raise ValueError("outer product only supported for binary functions")
    if _peer(self).signature is not None:
        raise TypeError("method outer is not allowed in ufunc with non-trivial signature")
    if is_taken_over((A, B), kwargs.get("out")):
        return _peer(self).outer(A, B, **kwargs)
    # A number of Python counts by its own dtype. As a scalar its value is known to the function, which checks it.
    right = _np.asarray(B)[()] if isinstance(B, (int, float, complex)) else B
    right = right if is_number(right) else make(right)
    A = make(A)
    return self(_shape.reshape(A, (*A.shape, *(1,) * _np.ndim(right))), right, **kwargs)


def at(self, a, indices, b=None, /):
    """Applies the function in place at the given indices; repeated indices count repeatedly."""
    name = self.__name__
    if self.nin > 2 or self.nout != 1:
        raise ValueError("Only single output ufuncs supported at this time" if self.nout != 1 else "Only unary and binary ufuncs supported at this time")
    if self.nin == 2 and b is None:
        raise ValueError("second operand needed for ufunc")
    if self.nin == 1 and b is not None:
        raise ValueError("second operand provided when ufunc is unary")
    if not isinstance(a, (ndarray, _np.ndarray)):
        raise TypeError("first operand must be array")
    if not isinstance(a, ndarray):
        values = () if b is None else (host(b),)
        key = tuple(map(host, indices)) if isinstance(indices, tuple) else indices
        _peer(self).at(a, host(key), *values)
        return
    if not a._writeable:
        raise ValueError("output array is read-only")
    with whole(a):
        _at(self, name, a, indices, b)


def _at(self, name, a, indices, b):
    places = _places(a, indices)
    if b is not None:
        b = make(b)
        if not isinstance(b, ndarray):
            return _fallback.call("at", _peer(self).at, (a, indices, b), {})
        b = _shape.ravel(_shape.broadcast_to(b, places.shape)) if b.shape != places.shape else _shape.ravel(b)
    places = _shape.ravel(places)
    flat = _shape.ravel(a)
    if places.size == 0:
        # An operand that the function does not accept is an error even without places.
        self(flat[:0], *(() if b is None else (b,)))
        return
    if _is_summed(name, flat, b):
        sums = _core.bincount(places, _core.copy(cast(b, float64)), flat.size)
        self(flat, sums, out=flat)
    else:
        _each(self, flat, to_host(places), b)
    if not _core.shares_store(flat, a):
        _core.assign(a, _shape.reshape(flat, a.shape))


def _is_summed(name, flat, b):
    return name in ("add", "subtract") and flat.dtype == float64 and b is not None and b.dtype.kind in "iuf" and flat.size


def _places(a, indices):
    """Which elements, in row-major order, a key names."""
    if isinstance(indices, ndarray) and indices.dtype.kind in "iu" and a.ndim == 1 and indices.size:
        low, high = int(_reduce.min(indices)), int(_reduce.max(indices))
        wrong = low if low < -a.size else high if high >= a.size else None
        if wrong is not None:
            raise IndexError(f"index {wrong} is out of bounds for axis 0 with size {a.size}")
        places = cast(indices, int64)
        return _core.select(places < 0, places + a.size, places, int64)
    return make(_np.arange(a.size).reshape(a.shape)[_hosted(indices)])


def _hosted(key):
    if isinstance(key, ndarray):
        return to_host(key)
    return tuple(map(_hosted, key)) if isinstance(key, tuple) else key


def _each(of, flat, places, b):
    """One application after the other for each place: the first of all places at once, then the second, and so on."""
    order = _np.argsort(places, kind="stable")
    ordered = places[order]
    is_first = _np.append(True, ordered[1:] != ordered[:-1])
    starts = _np.flatnonzero(is_first)
    counts = _np.diff(_np.append(starts, ordered.size))
    unique = from_host(ordered[starts])
    folded_by = of.__name__ if of.__name__ in _REORDERABLE else _FOLDED_BY.get(of.__name__)
    if b is not None and folded_by and counts.max() > 16:
        from ._ufunc import get

        b = _core.take(b, from_host(order), 0)
        b = _segments(get(folded_by), cast(b, _np.result_type(b.dtype, flat.dtype)), starts, counts)
        _apply(of, flat, unique, b)
        return
    for turn in range(int(counts.max())):
        which = starts[counts > turn] + turn
        values = None if b is None else _core.take(b, from_host(order[which]), 0)
        _apply(of, flat, from_host(ordered[which]), values)


def _apply(of, flat, places, values):
    old = _core.take(flat, places, 0)
    new = of(old) if values is None else of(old, values)
    _core.put(flat, places, cast(new, flat.dtype), 0)


_core.ufunc.reduce = reduce
_core.ufunc.accumulate = accumulate
_core.ufunc.reduceat = reduceat
_core.ufunc.outer = outer
_core.ufunc.at = at
for _name in ("__signature__", "types", "ntypes", "identity", "signature", "nargs"):
    setattr(_core.ufunc, _name, property(lambda self, _name=_name: getattr(_peer(self), _name)))
_core.ufunc.resolve_dtypes = lambda self, *args, **kwargs: _peer(self).resolve_dtypes(*args, **kwargs)
