"""Functions that make arrays."""

import operator as _operator

import numpy as _np

from .. import _core
from . import _array, _caller
from ._arguments import c_int, check_new_order, check_order
from ._array import MOST_AXES, MemoryRefused, array, array_type, cast, check_device, dtype_of, from_host, int64, is_guest, is_held, make, ndarray, result_type, weak
from ._shape import expand_dims, moveaxis, reshape, shape_of
from ._ufunc import get


def _checked(shape):
    shape = shape_of(shape)
    if any(length < 0 for length in shape):
        raise ValueError("negative dimensions are not allowed")
    return shape


def _is_unified(memory):
    """Whether `memory` asks for unified memory."""
    if memory is not None and memory != "unified":
        raise MemoryRefused(f'memory must be None or "unified", not {memory!r}')
    return memory is not None


def _full(shape, value, dtype, memory=None):
    shape = _checked(shape)
    if is_held(dtype) and len(shape) <= MOST_AXES:
        return _core.full(shape, value, dtype, _is_unified(memory))
    if _is_unified(memory):
        what = f"more than {MOST_AXES} axes" if is_held(dtype) else dtype
        raise MemoryRefused(f"arrays of {what} are NumPy's own and not in unified memory")
    return _np.full(shape, value, dtype)


def zeros(shape, dtype=float, order="C", *, device=None, memory=None, like=None):
    """An array of zeros. With memory="unified" its pages move between the GPUs and main memory as they are used."""
    if dtype is float and device is None and memory is None and order == "C" and (made := _core.zeros(shape)) is not None:
        return made
    check_device(device)
    check_new_order(order)
    dtype = dtype_of(dtype)
    # NumPy creates the zeros of strings and records, which are empty.
    return _full(shape, 0, dtype, memory) if is_held(dtype) or _is_unified(memory) else _np.zeros(_checked(shape), dtype)


def ones(shape, dtype=None, order="C", *, device=None, memory=None, like=None):
    """An array of ones. With memory="unified" its pages move between the GPUs and main memory as they are used."""
    if dtype is None and device is None and memory is None and order == "C" and (made := _core.zeros(shape, True, 1.0)) is not None:
        return made
    check_device(device)
    check_new_order(order)
    return _full(shape, 1, dtype_of(dtype), memory)


def empty(shape, dtype=float, order="C", *, device=None, memory=None, like=None):
    """An array to be written before it is read. Large arrays have arbitrary contents, small ones zeros. With memory="unified" its pages move between the GPUs and main memory as they are used."""
    if dtype is float and device is None and memory is None and order == "C" and (made := _core.zeros(shape, False)) is not None:
        return made
    check_device(device)
    check_new_order(order)
    shape, dtype = _checked(shape), dtype_of(dtype)
    if _is_unified(memory):
        # With GPUs, empty arrays are zeros.
        return _full(shape, 0, dtype, memory)
    return _core.empty(shape, dtype) if is_held(dtype) and len(shape) <= MOST_AXES else _np.empty(shape, dtype)


def full(shape, fill_value, dtype=None, order="C", *, device=None, memory=None, like=None):
    """An array filled with one value. With memory="unified" its pages move between the GPUs and main memory as they are used."""
    check_device(device)
    check_new_order(order)
    if isinstance(fill_value, (bool, int, float, complex)):
        dtype = _np.asarray(fill_value).dtype if dtype is None else dtype_of(dtype)
        if is_held(dtype):
            value = fill_value
            if isinstance(value, complex) and dtype.kind in "iuf":
                _caller.warn_of_complex()
            if dtype.kind == "b":
                # Raises an error if an integer does not fit in 64 bits.
                value = bool(_np.full((), fill_value, dtype))
            if dtype.kind in "iu" and isinstance(value, (float, complex)):
                # NumPy casts any object.
                with _np.errstate(invalid="ignore"):
                    value = int(_np.full((), value, dtype))
            return _full(shape, value, dtype, memory)
    value = make(fill_value, None if dtype is None else dtype_of(dtype))
    made = _full(shape, 0, value.dtype, memory)
    made[...] = value
    return made


def _like(a, dtype, shape, order, subok):
    check_order(order)
    if type(subok) is not bool:
        c_int(subok)
    if subok and is_guest(a):
        raise TypeError(f"arrays like one of {type(a).__name__} are NumPy's")
    a = make(a)
    return (a.shape if shape is None else shape_of(shape)), (a.dtype if dtype is None else dtype_of(dtype))


def _is_plain(dtype, order, subok, shape, device):
    """Whether a call creates an array like another one without other options."""
    return dtype is None and order == "K" and subok is True and shape is None and device is None


def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of zeros with the shape of another array."""
    if _is_plain(dtype, order, subok, shape, device) and (made := _core.full_like_plain(a, 0)) is not None:
        return made
    shape, dtype = _like(a, dtype, shape, order, subok)
    return zeros(shape, dtype, device=device)


def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of ones with the shape of another array."""
    if _is_plain(dtype, order, subok, shape, device) and (made := _core.full_like_plain(a, 1)) is not None:
        return made
    shape, dtype = _like(a, dtype, shape, order, subok)
    return ones(shape, dtype, device=device)


def empty_like(prototype, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An uninitialized array with the shape of another one."""
    shape, dtype = _like(prototype, dtype, shape, order, subok)
    return empty(shape, dtype, device=device)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array filled with one value, with the shape of another array."""
    if _is_plain(dtype, order, subok, shape, device) and (made := _core.full_like_plain(a, fill_value)) is not None:
        return made
    shape, dtype = _like(a, dtype, shape, order, subok)
    return full(shape, fill_value, dtype, device=device)


def copy(a, order="K", subok=False):
    """A separate array with the same elements."""
    if order == "K" and type(a) is array_type:
        return _core.copy(a)
    check_order(order)
    if is_guest(a):
        return array(a, order=order, subok=subok)
    made = make(a)
    return _core.copy(made) if isinstance(made, ndarray) else made.copy()


def _number(value):
    if isinstance(value, ndarray) or isinstance(value, _np.ndarray):
        return value.item()
    return value.item() if isinstance(value, _np.generic) else value


def arange(start=_np._NoValue, stop=None, step=1, dtype=None, *, device=None, like=None):
    """Numbers from `start` up to, not including, `stop`."""
    if dtype is None and device is None and (made := _core.arange_plain(start, stop, step)) is not None:
        return made
    check_device(device)
    if start is _np._NoValue:
        if stop is None:
            raise TypeError("arange() requires stop to be specified.")
        start = 0
    elif stop is None:
        start, stop = 0, start
    for one in (start, stop, step):
        if one is not step and one is None:
            raise TypeError("unsupported operand type(s) for -: 'NoneType' and 'int'")
        if isinstance(one, (ndarray, _np.ndarray)) and one.ndim:
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    step = 1 if step is None else step
    if dtype is None and any(type(one) is int and not -(2**63) <= one < 2**63 for one in (start, stop, step)):
        return from_host(_np.arange(start, stop, step))
    # Without a dtype NumPy counts at least in its default integers.
    dtype = result_type(int64, start, stop, step) if dtype is None else dtype_of(dtype)
    if dtype == bool or not is_held(dtype) or dtype.kind == "c":
        return make(_np.arange(start, stop, step, dtype), dtype)
    given = start, stop, step
    start, stop, step = map(_number, given)
    if step == 0:
        if not all(map(weak, given)):
            # Numbers of NumPy divide by 0 without an error.
            raise ValueError("arange: cannot compute length" if start == stop else "Maximum allowed size exceeded")
        raise ZeroDivisionError("division by zero")
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        # NumPy rounds the quotient of large integers to a float.
        is_exact = all(-(2**52) <= one <= 2**52 for one in (start, stop, step))
        count = -((start - stop) // step) if is_exact else int(_np.ceil((stop - start) / step))
    else:
        count = (stop - start) / step
        if count != count:
            raise ValueError("arange: cannot compute length")
        if abs(count) == float("inf"):
            raise ValueError("Maximum allowed size exceeded")
        count = int(_np.ceil(count))
    count = max(count, 0)
    if count >= 2**63:
        raise ValueError("Maximum allowed size exceeded")
    if dtype.kind in "iu" and count:
        # The values that NumPy writes to the first two elements must fit.
        _np.array([int(one) for one in (start, start + step)[:count]], dtype)
    if dtype.kind == "f":
        # NumPy takes the difference of the first two values, as they are in the dtype.
        first = dtype.type(start)
        return _core.arange(first, dtype.type(dtype.type(start + step) - first), count, dtype)
    if not count:
        return _core.arange(0, 1, 0, dtype)
    first, step = int(start), int(int(start + step) - int(start))
    # A step down wraps around in unsigned dtypes.
    return _core.arange(first, step % 2 ** (8 * dtype.itemsize) if dtype.kind == "u" else step, count, dtype)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """Evenly spaced numbers from `start` to `stop`."""
    is_plain = dtype is None and device is None and retstep is False and axis == 0
    if is_plain and (made := _core.linspace_plain(start, stop, num, bool(endpoint))) is not None:
        return made
    check_device(device)
    num = _operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    parts = num - 1 if endpoint else num
    # Python's numbers take the dtype of arrays.
    common = result_type(*(one if weak(one) else make(one) for one in (start, stop)), 1.0)
    begin, end = make(start), make(stop)
    integer = dtype is not None and dtype_of(dtype).kind in "iu"
    dtype = common if dtype is None else dtype_of(dtype)
    begin, end = cast(begin, common), cast(end, common)
    distance = end - begin
    places = reshape(cast(_core.arange(0, 1, num, int64), common), (-1,) + (1,) * distance.ndim) if num else _core.full(
        (0,) + (1,) * distance.ndim, 0, common
    )
    if parts > 0:
        step = distance / parts
        made = places * step if not bool(get("logical_or").reduce(step.ravel() == 0)) else places / parts * distance
    else:
        step = float("nan")
        made = places * distance
    made = made + begin
    if endpoint and num > 1:
        made[-1, ...] = end
    if axis != 0:
        made = moveaxis(made, 0, axis)
    if integer:
        made = get("floor")(made)
    made = cast(made, dtype)
    return (made, step) if retstep else made


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Numbers evenly spaced on a logarithmic scale, given by exponents."""
    if not isinstance(base, (float, int)) and _np.ndim(base):
        start, stop, base = make(start), make(stop), make(base)
        count = len(_np.broadcast_shapes(start.shape, stop.shape, base.shape))
        start, stop, base = (reshape(one, (1,) * (count - one.ndim) + one.shape) for one in (start, stop, base))
        base = expand_dims(base, axis)
    made = get("power")(base, linspace(start, stop, num, endpoint, axis=axis))
    return made if dtype is None else cast(made, dtype_of(dtype))


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """A matrix with ones on a diagonal."""
    check_device(device)
    check_new_order(order)
    dtype = dtype_of(dtype)
    rows, columns = _operator.index(N), _operator.index(N if M is None else M)
    if rows < 0 or columns < 0:
        raise ValueError("negative dimensions are not allowed")
    if dtype.kind == "b":
        return cast(_core.eye(rows, columns, _operator.index(k), _np.dtype("i1")), dtype)
    k = max(-rows - columns, min(_operator.index(k), rows + columns))
    return _core.eye(rows, columns, k, dtype)


def identity(n, dtype=None, *, like=None):
    """A square matrix with ones on its diagonal."""
    return eye(n, dtype=float if dtype is None else dtype)


def tri(N, M=None, k=0, dtype=float, *, like=None):
    """A matrix with ones on and below a diagonal."""
    M = N if M is None else M
    return cast(reshape(arange(N, dtype=int64), (-1, 1)) >= arange(-k, M - k, dtype=int64), dtype_of(dtype))


def _below(rows, columns, k):
    k = max(-rows - columns, min(int(k), rows + columns))
    return reshape(arange(rows), (rows, 1)) + k >= arange(columns)


def _with_axes(m):
    m = make(m)
    if m.ndim == 0:
        raise TypeError("an array without axes has no triangles")
    return m


def tril(m, k=0):
    """An array with zeros above a diagonal of its last two axes."""
    if (made := _core.triangle_plain(m, k, False)) is not None:
        return made
    m = _with_axes(m)
    keep = _below(*(m.shape[-2:] if m.ndim > 1 else (m.shape[-1],) * 2), k)
    return get_where(keep, m)


def triu(m, k=0):
    """An array with zeros below a diagonal of its last two axes."""
    if (made := _core.triangle_plain(m, k, True)) is not None:
        return made
    m = _with_axes(m)
    keep = ~_below(*(m.shape[-2:] if m.ndim > 1 else (m.shape[-1],) * 2), int(k) - 1)
    return get_where(keep, m)


def get_where(mask, values):
    """The values where a mask is set, zeros elsewhere."""
    shape = _np.broadcast_shapes(mask.shape, values.shape)
    return _core.select(_core.broadcast_to(mask, shape), values, 0, values.dtype)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """The coordinates of a grid, an array for each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    count = len(xi)
    arrays = [make(one) for one in xi]
    made = [
        reshape(one, (1,) * at + (one.size,) + (1,) * (count - at - 1)) for at, one in enumerate(arrays)
    ]
    if indexing == "xy" and count > 1:
        made = [one.swapaxes(0, 1) for one in made]
    if not sparse and count:
        shape = _np.broadcast_shapes(*(one.shape for one in made))
        made = [one if one.shape == shape else _core.broadcast_to(one, shape) for one in made]
    # Like NumPy, returns a list if nothing is broadcast or copied.
    return tuple(map(_core.copy, made)) if copy else made if sparse else tuple(made)


def indices(dimensions, dtype=int, sparse=False):
    """The indices of a grid along each axis."""
    dimensions = tuple(dimensions)
    count = len(dimensions)
    each = [
        reshape(arange(length, dtype=dtype), (1,) * at + (length,) + (1,) * (count - at - 1))
        for at, length in enumerate(dimensions)
    ]
    if sparse:
        return tuple(each)
    made = zeros((count, *dimensions), dtype)
    for at, one in enumerate(each):
        made[at] = one
    return made


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """The result of a function of the indices of a grid."""
    grid = indices(shape_of(shape), dtype)
    return function(*(grid[at] for at in range(len(grid))), **kwargs)


def vander(x, N=None, increasing=False):
    """The matrix of powers of a vector."""
    x = make(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    N = len(x) if N is None else _operator.index(N)
    if N < 0:
        raise ValueError("negative dimensions are not allowed")
    dtype = result_type(x.dtype, int)
    if x.dtype.kind == "f" and N > 1 and x.size:
        powers = _core.scan(_core.broadcast_to(cast(x, dtype)[:, None], (x.size, N - 1)), "cumprod", 1)
        made = _core.concatenate([_core.full((x.size, 1), 1, dtype), powers], 1)
        return made if increasing else _core.copy(made[:, ::-1])
    powers = arange(N) if increasing else arange(N)[::-1]
    return get("power")(cast(x, dtype)[:, None], cast(powers, dtype) if dtype.kind != "c" else powers)


array, asarray = _array.array, _array.asarray
