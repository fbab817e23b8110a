"""Functions of elements that are not universal functions, differences and comparisons."""

import operator as _operator

import numpy as _np

from .. import _core
from . import _caller, _fallback
from ._arguments import unwrap_out
from ._array import array, array_type, asarray, cast, check_device, dtype_of, float64, host, int64, is_held, is_number
from ._array import make, ndarray, operand, result_type, shared, weak
from ._create import zeros
from ._reduce import all as _all
from ._reduce import any as _any
from ._reduce import sum as _sum
from ._shape import axis_of, ravel, reshape
from ._ufunc import deliver as _deliver
from ._ufunc import get
from ._whole import whole


def astype(x, dtype, /, *, copy=True, device=None):
    """The elements as another dtype."""
    check_device(device)
    return x.astype(dtype, copy=copy)


def where(condition, x=_np._NoValue, y=_np._NoValue, /):
    """Elements of one array if a condition holds, otherwise of another; or the indices at which it holds."""
    if (made := _core.selected(condition, x, y)) is not None:
        return made
    condition = make(condition)
    if x is _np._NoValue and y is _np._NoValue:
        return nonzero(condition)
    if y is _np._NoValue:
        raise ValueError("either both or neither of x and y should be given")
    x, y = operand(x), operand(y)
    if any(isinstance(one, _np.ndarray) for one in (condition, x, y)):
        return _fallback.call("where", _np.where, (condition, x, y), {})
    dtype = _weak_type(x, y)
    x, y = (_wrapped(one, dtype) for one in (x, y))
    if condition.dtype.kind != "b":
        condition = condition != 0
    if weak(x) and weak(y) or not any(isinstance(one, ndarray) and one.ndim for one in (x, y)):
        # A value of the result's dtype on one side is enough.
        x = _core.full((), x, dtype) if weak(x) else x
    shape = _np.broadcast_shapes(condition.shape, _np.shape(x) if weak(x) else x.shape, () if weak(y) else y.shape)
    if condition.shape != shape:
        condition = _core.broadcast_to(condition, shape)
    return _core.as_array(_core.select(condition, x, y, dtype))


def _wrapped(value, dtype):
    """Converts a Python integer as functions of choice do: to its own dtype first, and then to the result's."""
    if type(value) is not int or dtype.kind not in "iu":
        return value
    return int(_np.asarray(value).astype(dtype))


def _weak_type(*values):
    return _np.result_type(*(value if weak(value) else value.dtype for value in values))


def nonzero(a):
    """The places of nonzero elements: one array for each axis."""
    if (made := _core.nonzero_plain(a)) is not None:
        return made
    a = make(a)
    if not isinstance(a, ndarray):
        return _np.nonzero(a)
    if a.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead. "
            "If the context of this error is of the form `arr[nonzero(cond)]`, just use `arr[cond]`."
        )
    return tuple(_core.nonzero(a))


def flatnonzero(a):
    """The places of nonzero elements, among all elements."""
    a = make(a)
    if a.ndim == 1:
        return nonzero(a)[0]
    return nonzero(ravel(a))[0]


def argwhere(a):
    """The places of nonzero elements, one in each row."""
    a = make(a)
    if a.ndim == 0:
        return zeros((int(bool(a)), 0), int64)
    return _core.argwhere(a) if isinstance(a, ndarray) else make(_np.argwhere(a))


def clip(a, a_min=_np._NoValue, a_max=_np._NoValue, out=None, *, min=_np._NoValue, max=_np._NoValue, **kwargs):
    """The elements no smaller than one and no larger than another bound."""
    is_plain = out is None and min is _np._NoValue and max is _np._NoValue and not kwargs
    if is_plain and (made := _core.clip_plain(a, a_min, a_max)) is not None:
        return made
    if a_min is _np._NoValue and a_max is _np._NoValue:
        a_min, a_max = (None if one is _np._NoValue else one for one in (min, max))
    elif a_min is _np._NoValue or a_max is _np._NoValue:
        missing = "a_min" if a_min is _np._NoValue else "a_max"
        raise TypeError(f"clip() missing 1 required positional argument: '{missing}'")
    elif min is not _np._NoValue or max is not _np._NoValue:
        raise ValueError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
    low, high = a_min, a_max
    made = make(a)
    if kwargs.get("dtype") is not None:
        wanted, casting = dtype_of(kwargs["dtype"]), kwargs.get("casting", "same_kind")
        if not _np.can_cast(made.dtype, wanted, casting):
            raise _np._core._exceptions._UFuncInputCastingError(_np._core.umath.clip, casting, made.dtype, wanted, 0)
    given = made
    low, high = (_bound_within(bound, made.dtype, is_low) for bound, is_low in ((low, True), (high, False)))
    is_alike = type(low) is type(high) and weak(low)
    if low is not None and high is not None and not is_alike:
        # NumPy's function of three operands promotes them together.
        dtype = result_type(*(one if weak(one) else make(one) for one in (made, low, high)))
        made = cast(made, dtype) if dtype != made.dtype and is_held(dtype) else made
    # Between two numbers, NumPy keeps an element that is a zero of another sign than the bound.
    is_kept = low is not None and high is not None and made.dtype != _np.float16 and not _np.ndim(low) and not _np.ndim(high)
    is_kept = is_kept and all(isinstance(one, (int, float, complex, _np.generic, ndarray)) for one in (low, high))
    if low is not None:
        made = get("maximum")(low, made) if is_kept else get("maximum")(made, low)
    if high is not None:
        made = get("minimum")(high, made) if is_kept else get("minimum")(made, high)
    if made is given:
        made = get("positive")(made)
    if kwargs.get("dtype") is not None:
        made = cast(made, dtype_of(kwargs["dtype"]))
    if out is Ellipsis:
        return _core.as_array(made)
    return _deliver(made, unwrap_out(out), kwargs.get("casting", "same_kind"), "clip")


def _bound_within(bound, dtype, is_low):
    """A bound; `None` if no integer of the dtype exceeds it."""
    if type(bound) is not int or dtype.kind not in "iu":
        return bound
    info = _np.iinfo(dtype)
    return None if (bound <= info.min if is_low else bound >= info.max) else bound


def round(a, decimals=0, out=None):
    """The elements rounded to a number of decimals; halves to even."""
    if out is None and (made := _core.round_plain(a, decimals)) is not None:
        return made
    a = make(a)
    decimals = _operator.index(decimals)
    if not -(2**31) <= decimals < 2**31:
        raise OverflowError("Python int too large to convert to C int")
    if isinstance(out, (ndarray, _np.ndarray)) and out.size != a.size:
        raise ValueError("invalid output shape")
    if a.dtype.kind in "b":
        if decimals:
            raise TypeError("elements that are true or false have no digits")
        made = cast(a, _np.dtype("f2"))
    elif a.dtype.kind in "iu":
        if decimals >= 0:
            made = a if is_number(a) else _core.copy(a)
        else:
            unit = 10.0**-decimals
            made = cast(get("rint")(cast(a, float64) / unit) * unit, a.dtype)
    elif decimals == 0:
        made = get("rint")(a)
    elif a.dtype.kind == "c":
        made = _core.apply("complex", (round(real_of(a), decimals), round(imag_of(a), decimals)))
    else:
        unit = 10.0 ** abs(decimals)
        made = get("rint")(a * unit) / unit if decimals > 0 else get("rint")(a / unit) * unit
    return _core.as_result(made) if out is None else _deliver(made, out, "same_kind", "rint")


around = round


def fix(x, out=None):
    """The elements without their fraction."""
    return get("trunc")(x) if out is None else get("trunc")(x, out=out)


def real(val):
    """Real parts."""
    if isinstance(val, (int, float, complex, _np.generic)):
        return val.real
    return make(val).real


def real_of(array):
    """Real parts of an array, as a copy that does not follow it; the array itself if its elements are real."""
    return _core.apply("real", (array,)) if array.dtype.kind == "c" else array


def imag(val):
    """Imaginary parts."""
    if isinstance(val, (int, float, complex, _np.generic)):
        return val.imag
    return make(val).imag


def imag_of(array):
    """Imaginary parts of an array, as a copy that does not follow it."""
    return _core.apply("imag", (array,)) if array.dtype.kind == "c" else zeros(array.shape, array.dtype)


def angle(z, deg=False):
    """The angles of complex numbers."""
    z = make(z)
    made = get("arctan2")(imag_of(z), real_of(z)) if z.dtype.kind == "c" else get("arctan2")(0, z)
    return made * (180 / _np.pi) if deg else made


def iscomplex(x):
    """Whether imaginary parts are not zero."""
    x = make(x)
    if not isinstance(x, ndarray):
        return _fallback.call("iscomplex", _np.iscomplex, (x,), {})
    return imag_of(x) != 0 if x.dtype.kind == "c" else _core.as_result(zeros(x.shape, bool))


def isreal(x):
    """Whether imaginary parts are zero."""
    x = make(x)
    if not isinstance(x, ndarray):
        return _fallback.call("isreal", _np.isreal, (x,), {})
    return ~iscomplex(x)


def iscomplexobj(x):
    """Whether the dtype is complex."""
    return make(x).dtype.kind == "c"


def isrealobj(x):
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)


def real_if_close(a, tol=100):
    """Real parts, if all imaginary ones are close to zero."""
    a = make(a)
    if a.dtype.kind != "c":
        return _core.as_array(a) if is_number(a) else a
    if tol > 1:
        tol = float(_np.finfo(a.dtype).eps) * tol
    return real(a) if not bool(_any(abs(imag_of(a)) >= tol)) else a


def isposinf(x, out=None):
    """Whether elements are positive infinity."""
    x = make(x)
    if not isinstance(x, ndarray):
        return _fallback.call("isposinf", _np.isposinf, (x, out), {})
    if x.dtype.kind == "c":
        raise TypeError("This operation is not supported for complex128 values because it would be ambiguous.")
    made = get("equal")(x, _np.inf) if x.dtype.kind == "f" else _core.as_result(zeros(x.shape, bool))
    return _deliver(made, out, "same_kind", "logical_and")


def isneginf(x, out=None):
    """Whether elements are negative infinity."""
    x = make(x)
    if not isinstance(x, ndarray):
        return _fallback.call("isneginf", _np.isneginf, (x, out), {})
    if x.dtype.kind == "c":
        raise TypeError("This operation is not supported for complex128 values because it would be ambiguous.")
    made = get("equal")(x, -_np.inf) if x.dtype.kind == "f" else _core.as_result(zeros(x.shape, bool))
    return _deliver(made, out, "same_kind", "logical_and")


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """The elements with numbers in place of NaN and infinities."""
    is_plain = copy is True and type(nan) is float and str(nan) == "0.0" and posinf is neginf is None
    if is_plain and (made := _core.nan_to_num_plain(x)) is not None:
        return made
    x = make(x) if copy or copy is None or isinstance(x, (ndarray, _np.ndarray)) else array(x, copy=copy)
    with whole(None if copy else x):
        made = _to_numbers(x, copy, nan, posinf, neginf)
    return made[()] if isinstance(made, array_type) and made.ndim == 0 else made


def _to_numbers(x, copy, nan, posinf, neginf):
    if x.dtype.kind == "c":
        parts = [nan_to_num(part, True, nan, posinf, neginf) for part in (real_of(x), imag_of(x))]
        made = _core.apply("complex", tuple(parts))
    elif x.dtype.kind == "f":
        info = _np.finfo(x.dtype)
        made = _core.select(get("isnan")(x), nan, x, x.dtype)
        made = _core.select(isposinf(x), float(info.max) if posinf is None else posinf, made, x.dtype)
        made = _core.select(isneginf(x), float(info.min) if neginf is None else neginf, made, x.dtype)
    else:
        made = _core.copy(x) if copy else x
    if not copy and made is not x:
        _core.assign(x, made)
        return x
    return _core.as_result(made)


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether elements are close."""
    if type(equal_nan) is bool and (made := _core.isclose_plain(a, b, rtol, atol, equal_nan)) is not None:
        return made
    a, b, atol, rtol = map(operand, (a, b, atol, rtol))
    if weak(b):
        b = float(b) if isinstance(b, int) else b
        # Python's numbers yield to arrays.
        a = make(a) if weak(a) else a
    elif isinstance(b, ndarray):
        b = cast(b, _np.result_type(b.dtype, 1.0))
    for limit in (atol, rtol):
        if not (_np.isfinite(limit) if weak(limit) else bool(_all(get("isfinite")(limit)))):
            text = f"One of rtol or atol is not valid, atol: {atol}, rtol: {rtol}"
            mode = _np.geterr()["invalid"]
            if mode == "raise":
                raise FloatingPointError(text)
            if mode == "warn":
                _caller.warn(text, RuntimeWarning)
    near = get("less_equal")(abs(a - b), atol + rtol * abs(b))
    made = (near & get("isfinite")(b)) | (a == b)
    if equal_nan:
        made = made | (get("isnan")(a) & get("isnan")(b))
    return made


def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether all elements are close."""
    if type(equal_nan) is bool and (are := _core.allclose_plain(a, b, rtol, atol, equal_nan)) is not None:
        return are
    return bool(_all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and all elements are equal."""
    if equal_nan is False and (are := _core.array_equal_plain(a1, a2)) is not None:
        return are
    try:
        a1, a2 = make(a1), make(a2)
    except Exception:  # noqa: BLE001 - an object that is not an array is not equal
        return False
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    if equal_nan and a1.dtype.kind in "fc" and a2.dtype.kind in "fc":
        same = same | (get("isnan")(a1) & get("isnan")(a2))
    return bool(_all(same))


def array_equiv(a1, a2):
    """Whether all elements are equal, if shapes broadcast."""
    try:
        a1, a2 = make(a1), make(a2)
        _np.broadcast_shapes(a1.shape, a2.shape)
    except Exception:  # noqa: BLE001 - an object that is not an array is not equal
        return False
    return bool(_all(a1 == a2))


def sinc(x):
    """sin(pi x) / (pi x)."""
    x = _np.pi * make(x)
    least = float(_np.finfo(x.dtype).eps) if x.dtype.kind == "f" else 1e-20
    y = _core.select(x == 0, least, x, x.dtype)
    return get("sin")(y) / y


def diff(a, n=1, axis=-1, prepend=_np._NoValue, append=_np._NoValue):
    """Differences of adjacent elements."""
    is_plain = prepend is _np._NoValue and append is _np._NoValue
    if is_plain and (made := _core.diff_plain(a, n, axis)) is not None:
        return made
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    n = _operator.index(n)
    a = make(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = axis_of(axis, a.ndim)
    parts = []
    for given, place in ((prepend, 0), (append, 2)):
        if given is not _np._NoValue:
            given = make(given)
            if given.ndim == 0:
                shape = list(a.shape)
                shape[axis] = 1
                given = _core.broadcast_to(given, shape)
            parts.append((place, given))
    if parts:
        from ._join import concatenate

        a = concatenate([one for _, one in sorted([*parts, (1, a)], key=lambda pair: pair[0])], axis)
    front = (slice(None),) * axis
    for _ in range(min(n, a.shape[axis] if a.shape[axis] else 1)):
        late, early = a[(*front, slice(1, None))], a[(*front, slice(None, -1))]
        a = late != early if a.dtype.kind == "b" else late - early
    return a


def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of neighbours of all elements, with given values at the ends."""
    if to_end is None and to_begin is None and (made := _core.ediff1d_plain(ary)) is not None:
        return made
    from ._join import concatenate

    ary = ravel(ary)
    parts = [ary[1:] - ary[:-1]]
    for given, place in ((to_begin, 0), (to_end, len(parts))):
        if given is not None:
            given = ravel(given)
            if not _np.can_cast(given.dtype, ary.dtype, "same_kind"):
                raise TypeError(
                    "dtype of `to_begin` must be compatible with input `ary` under the `same_kind` rule."
                    if place == 0
                    else "dtype of `to_end` must be compatible with input `ary` under the `same_kind` rule."
                )
            parts.insert(place if place == 0 else len(parts), cast(given, ary.dtype))
    return concatenate(parts) if len(parts) > 1 else parts[0]


def _distances(f, axes, varargs):
    """The distance of neighbours for each axis, or an array of distances."""
    if len(varargs) == 0:
        return [1.0] * len(axes)
    if len(varargs) == 1 and _np.ndim(varargs[0]) == 0:
        return [varargs[0]] * len(axes)
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    made = []
    for at, given in zip(axes, varargs):
        if _np.ndim(given) == 0:
            made.append(given)
            continue
        places = make(given)
        if places.ndim != 1:
            raise ValueError("distances must be either scalars or 1d")
        if places.size != f.shape[at]:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        steps = diff(cast(places, float64) if places.dtype.kind in "iu" else places)
        # Equal distances are a number, for which fewer operations are needed.
        made.append(steps[0] if steps.size and bool(get("logical_and").reduce(steps == steps[0])) else steps)
    return made


def _slope(f, step, at, edge_order):
    """Central differences along an axis, one-sided at the ends."""

    def line(*key):
        return f[(*((slice(None),) * at), *key)]

    def aligned(values):
        return reshape(values, (1,) * at + (values.size,) + (1,) * (f.ndim - at - 1)) if _ndim(values) else values

    out = zeros(f.shape, f.dtype)
    put = (slice(None),) * at
    inner, late, early = line(slice(1, -1)), line(slice(2, None)), line(slice(None, -2))
    uniform = _ndim(step) == 0
    if uniform:
        out[(*put, slice(1, -1))] = (late - early) / (2.0 * step)
    else:
        first, second = step[:-1], step[1:]
        a, b = -second / (first * (first + second)), (second - first) / (first * second)
        c = first / (second * (first + second))
        out[(*put, slice(1, -1))] = aligned(a) * early + aligned(b) * inner + aligned(c) * late
    if edge_order == 1:
        out[(*put, 0)] = (line(1) - line(0)) / (step if uniform else step[0])
        out[(*put, -1)] = (line(-1) - line(-2)) / (step if uniform else step[-1])
        return out
    if uniform:
        a, b, c = -1.5 / step, 2.0 / step, -0.5 / step
        last = 0.5 / step, -2.0 / step, 1.5 / step
    else:
        one, two = step[0], step[1]
        a, b, c = -(2.0 * one + two) / (one * (one + two)), (one + two) / (one * two), -one / (two * (one + two))
        one, two = step[-2], step[-1]
        last = two / (one * (one + two)), -(two + one) / (one * two), (2.0 * two + one) / (two * (one + two))
    out[(*put, 0)] = a * line(0) + b * line(1) + c * line(2)
    out[(*put, -1)] = last[0] * line(-3) + last[1] * line(-2) + last[2] * line(-1)
    return out


def _ndim(value):
    """The number of axes of an array or a number."""
    return value.ndim if isinstance(value, ndarray) else _np.ndim(value)


def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences, one-sided at the ends."""
    if axis is None and edge_order == 1 and len(varargs) < 2:
        made = _core.gradient_plain(f, varargs[0] if varargs else 1.0)
        if made is not None:
            return made
    f = make(f)
    if not isinstance(f, ndarray):
        raise TypeError(f"the gradient of {type(f).__name__} is NumPy's")
    axes = tuple(range(f.ndim)) if axis is None else tuple(
        axis_of(one, f.ndim) for one in (axis if isinstance(axis, (tuple, list)) else (axis,))
    )
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis")
    distances = _distances(f, axes, varargs)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.dtype.kind == "b":
        raise TypeError(
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the "
            "logical_xor function instead."
        )
    f = cast(f, float64) if f.dtype.kind in "iu" else f
    made = []
    for at, step in zip(axes, distances):
        if f.shape[at] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required."
            )
        made.append(_slope(f, step, at, edge_order))
    return made[0] if len(made) == 1 else tuple(made)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral by trapezoids."""
    if x is None and axis == -1 and (made := _core.trapezoid_plain(y, dx)) is not None:
        return made
    y = make(y)
    at = axis_of(axis, y.ndim)
    if x is None:
        d = dx
    else:
        x = make(x)
        d = diff(x) if x.ndim == 1 else diff(x, axis=axis)
        if x.ndim == 1:
            d = reshape(d, (1,) * at + (d.size,) + (1,) * (y.ndim - at - 1))
    front = (slice(None),) * at
    # If the places have more axes than the values, the axis counts from the same end.
    return _sum(d * (y[(*front, slice(1, None))] + y[(*front, slice(None, -1))]) / 2.0, axis)


def asarray_chkfinite(a, dtype=None, order=None):
    """Converts to an array, and requires finite elements."""
    made = asarray(a, dtype, order)
    if made.dtype.kind in "fc" and bool(_any(~get("isfinite")(made))):
        raise ValueError("array must not contain infs or NaNs")
    return made


def shares_memory(a, b, /, max_work=-1):
    """Whether two arrays have elements in common."""
    if isinstance(a, ndarray) and isinstance(b, ndarray):
        if not may_share_memory(a, b):
            return False
        parts = [one._part_of for one in (a, b)]
        if parts == [None, None]:
            return bool(_np.shares_memory(_ghost(a), _ghost(b)))
        # In other cases the bytes of parts, which are copies here, are not known: possible sharing
        # counts as sharing.
        return None in parts or parts[0][0] is not parts[1][0] or {part[1] for part in parts} != {real_of, imag_of}
    return bool(_np.shares_memory(*(shared(one) if isinstance(one, ndarray) else one for one in (a, b))))


def may_share_memory(a, b, /, max_work=0):
    """Whether two arrays may have elements in common."""
    if isinstance(a, ndarray) and isinstance(b, ndarray):
        return _core.shares_store(_whole(a), _whole(b))
    return bool(_np.may_share_memory(*(shared(one) if isinstance(one, ndarray) else one for one in (a, b))))


def _whole(array):
    """The array that an array shows a part of, if any."""
    while part := array._part_of:
        array = part[0]
    return array


#: Addresses in place of those of a store; they are never read.
_ADDRESSES = _np.empty(1, _np.uint8)


def _ghost(a):
    """A NumPy array with the memory layout of this one, but without its memory."""
    base = _np.lib.stride_tricks.as_strided(_ADDRESSES, (1 << 40,), (1,))
    start = (1 << 39) + a._offset * a.itemsize
    return _np.lib.stride_tricks.as_strided(base[start : start + a.itemsize].view(a.dtype)[:1], a.shape, a.strides)


class vectorize(_np.vectorize):
    """NumPy's, which calls a function of Python for each element."""

    def __call__(self, *args, **kwargs):
        args = [host(one) for one in args]
        kwargs = {name: host(one) for name, one in kwargs.items()}
        return _fallback.back(super().__call__(*args, **kwargs))
