"""Products of matrices and contractions."""

import operator as _operator

import numpy as _np

from .. import _core
from . import _caller, _fallback
from ._array import array_type, cast, float64, is_guest, make, ndarray, result_type
from ._gufunc import applied as _applied
from ._reduce import check_out, deliver
from ._reduce import sum as _sum
from ._shape import axis_of, moveaxis, ravel, reshape, squeeze
from ._ufunc import get


def _common(a, b):
    a, b = make(a), make(b)
    dtype = result_type(a, b)
    return cast(a, dtype), cast(b, dtype)


def _product(a, b):
    """The product of two matrices, or of a matrix and a vector, of one dtype."""
    if a.dtype.kind == "b":
        # A sum of terms of 0 and 1 is 0 if all are, however it is rounded.
        wide = _np.dtype("f4")
        return _product(cast(a, wide), cast(b, wide)) != 0
    if 0 in a.shape or 0 in b.shape:
        shape = a.shape[:-1] + (b.shape[:-2] + b.shape[-1:] if b.ndim > 1 else ())
        made = _core.full(shape, 0, a.dtype)
        # The product of two vectors is a number.
        return made if shape else made[()]
    return _core.matmul(a, b)


def _matmul(a, b):
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with "
            f"gufunc signature (n?,k),(k,m?)->(n?,m?) (size {inner} is different from {a.shape[-1]})"
        )
    if a.ndim > 2 or b.ndim > 2:
        return _stacked(a, b)
    return _product(b.T, a) if a.ndim == 1 and b.ndim == 2 else _product(a, b)


def matmul(x1, x2, /, out=None, **kwargs):
    """The product of matrices, or of stacks of them."""
    if out is None and not kwargs and (made := _core.product(x1, x2)) is not None:
        return made
    return _applied("matmul", _matmul, x1, x2, out, kwargs)


def _stacked(a, b):
    left = reshape(a, (1, *a.shape)) if a.ndim == 1 else a
    right = reshape(b, (*b.shape, 1)) if b.ndim == 1 else b
    lead = _np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    shape = (*lead, left.shape[-2], right.shape[-1])
    if 0 in shape or left.shape[-1] == 0:
        made = _core.full(shape, 0, a.dtype)
    elif right.ndim == 2:
        # One matrix for all: the stack is a taller matrix.
        made = reshape(_product(reshape(left, (-1, left.shape[-1])), right), shape)
    elif a.dtype.kind == "b":
        wide = _np.dtype("f4")
        made = _core.matmul(cast(left, wide), cast(right, wide)) != 0
    else:
        made = _core.matmul(left, right)
    if a.ndim == 1:
        made = made[..., 0, :]
    if b.ndim == 1:
        made = made[..., 0]
    return made


def generalized(name, args, kwargs):
    """Universal functions of vectors and matrices."""
    return {"matmul": matmul, "vecdot": vecdot, "matvec": matvec, "vecmat": vecmat}[name](*args, **kwargs)


def _check_length(name, given, wanted):
    if given != wanted:
        raise ValueError(
            f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {getattr(_np, name).signature} "
            f"(size {given} is different from {wanted})"
        )


def _vecdot(a, b):
    _check_length("vecdot", b.shape[-1], a.shape[-1])
    if a.dtype.kind == "b":
        return _sum(a & b, -1) != 0
    a = get("conjugate")(a) if a.dtype.kind == "c" else a
    if a.ndim == 1 and b.ndim == 1:
        return _product(a, b)
    if max(a.ndim, b.ndim) == 8:
        # Arrays have at most 8 axes, so there may be no room for another one.
        products = a * b
        return _sum(products, -1, products.dtype)
    return _matmul(a[..., None, :], b[..., :, None])[..., 0, 0]


def _matvec(a, b):
    _check_length("matvec", b.shape[-1], a.shape[-1])
    return _matmul(a, reshape(b, (*b.shape, 1)))[..., 0]


def _vecmat(a, b):
    _check_length("vecmat", b.shape[-2], a.shape[-1])
    a = get("conjugate")(a) if a.dtype.kind == "c" else a
    return _matmul(reshape(a, (*a.shape[:-1], 1, a.shape[-1])), b)[..., 0, :]


def vecdot(x1, x2, /, out=None, *, axis=-1, **kwargs):
    """The products of vectors along an axis, the first ones conjugated."""
    if out is None and axis == -1 and not kwargs and (made := _core.vecdot_plain(x1, x2)) is not None:
        return made
    return _applied("vecdot", _vecdot, x1, x2, out, kwargs if axis == -1 else {**kwargs, "axis": axis})


def matvec(x1, x2, /, out=None, **kwargs):
    """The products of matrices and vectors."""
    if out is None and not kwargs and (made := _core.matvec_plain(x1, x2)) is not None:
        return made
    return _applied("matvec", _matvec, x1, x2, out, kwargs)


def vecmat(x1, x2, /, out=None, **kwargs):
    """The products of vectors, conjugated, and matrices."""
    if out is None and not kwargs and (made := _core.vecmat_plain(x1, x2)) is not None:
        return made
    return _applied("vecmat", _vecmat, x1, x2, out, kwargs)


def _text(shape):
    return str(tuple(shape)).replace(" ", "")


def _not_aligned(a, b, axis):
    return ValueError(
        f"shapes {_text(a.shape)} and {_text(b.shape)} not aligned: "
        f"{a.shape[-1]} (dim {a.ndim - 1}) != {b.shape[axis]} (dim {axis})"
    )


def dot(a, b, out=None):
    """The product of vectors or matrices; of arrays with more axes, over the last axis and the last but one."""
    if out is None and (made := _core.product(a, b)) is not None:
        return made
    if is_guest(a) or is_guest(b):
        return _fallback.on_copies(_np.dot, a, b, **({} if out is None else {"out": out}))
    a, b = _common(*_typed_lists(a, b))
    if a.ndim == 0 or b.ndim == 0:
        made = a * b
        _check_out(out, made)
        return deliver(made, out)
    axis = b.ndim - 2 if b.ndim > 1 else 0
    if a.shape[-1] != b.shape[axis]:
        raise _not_aligned(a, b, axis)
    made = matmul(a, b) if a.ndim <= 2 and b.ndim <= 2 else _contract(a, b, [a.ndim - 1], [axis])
    _check_out(out, made)
    return deliver(made, out)


def _typed_lists(a, b):
    """Two operands, of which the second has the dtype of the first if it is a list without elements."""
    is_empty = type(b) in (list, tuple) and _np.size(b) == 0
    return a, make(b, a.dtype) if is_empty and isinstance(a, (ndarray, _np.ndarray)) else b


def _check_out(out, made):
    """Raises an error if a product cannot be written to an array in one piece."""
    check_out(out)
    if out is not None and (out.dtype != made.dtype or out.shape != made.shape or not out.flags.c_contiguous):
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)"
        )


def vdot(a, b, /):
    """The product of all elements, the first ones conjugated."""
    if (made := _core.inner_plain(a, b)) is not None:
        return made
    a, b = _common(*map(ravel, _typed_lists(a, b)))
    if not isinstance(a, ndarray):
        return _np.vdot(a, b)
    return dot(get("conjugate")(a) if a.dtype.kind == "c" else a, b)


def inner(a, b, /):
    """The product over the last axes."""
    if (made := _core.inner_plain(a, b)) is not None:
        return made
    a, b = _common(*_typed_lists(a, b))
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.shape[-1] != b.shape[-1]:
        raise _not_aligned(a, b, b.ndim - 1)
    return _contract(a, b, [a.ndim - 1], [b.ndim - 1])


def outer(a, b, out=None):
    """The outer product of two vectors."""
    if out is None and (made := _core.outer_plain(a, b)) is not None:
        return made
    if out is Ellipsis:
        raise TypeError("out=... is only allowed as a keyword argument of universal functions.")
    left, right = ravel(a)[:, None], ravel(b)[None, :]
    return left * right if out is None else get("multiply")(left, right, out=out)


def _contract(a, b, left, right):
    rest_a = [at for at in range(a.ndim) if at not in left]
    rest_b = [at for at in range(b.ndim) if at not in right]
    shape = [a.shape[at] for at in rest_a] + [b.shape[at] for at in rest_b]
    inner = 1
    for at in left:
        inner *= a.shape[at]
    if inner == 0 or a.size == 0 or b.size == 0:
        return _core.as_result(_core.full(shape, 0, a.dtype))
    left = reshape(_core.permute(a, rest_a + left), (-1, inner))
    right = reshape(_core.permute(b, right + rest_b), (inner, -1))
    return _core.as_result(reshape(_product(left, right), shape), a.size)


def tensordot(a, b, axes=2):
    """The contraction of two arrays over axes."""
    a, b = _common(a, b)
    try:
        left, right = axes
    except TypeError:
        count = _operator.index(axes)
        if count > a.ndim or count > b.ndim:
            raise IndexError("tuple index out of range") from None
        left, right = list(range(a.ndim - count, a.ndim)), list(range(count))
    left, right = (list(one) if isinstance(one, (list, tuple)) else [one] for one in (left, right))
    if len(left) != len(right):
        raise ValueError("shape-mismatch for sum")
    left = [axis_of(one, a.ndim) for one in left]
    right = [axis_of(one, b.ndim) for one in right]
    if any(a.shape[one] != b.shape[two] for one, two in zip(left, right)):
        raise ValueError("shape-mismatch for sum")
    return _core.as_array(_contract(a, b, left, right))


def einsum(subscripts, *operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """The products of arrays, summed over the axes that the result omits."""
    if isinstance(subscripts, str) and out is None and dtype is None and casting == "safe" and " " not in subscripts:
        made = _core.einsum_plain(subscripts, operands)
        if made is not None:
            return made
    if not isinstance(subscripts, str):
        subscripts, operands = _lettered(subscripts, *operands)
    arrays = [make(one) for one in operands]
    if not all(isinstance(one, ndarray) for one in arrays):
        given = {"out": out, "dtype": dtype, "casting": casting}
        given = {name: value for name, value in given.items() if value is not None}
        return _fallback.call("einsum", _np.einsum, (subscripts, *map(_np.asarray, arrays)), given)
    if len(arrays) == 1 and out is None and (made := _view_of(subscripts.replace(" ", ""), arrays[0])) is not None:
        return made if made.ndim else made[()]
    common = result_type(*arrays) if dtype is None else _np.dtype(dtype)
    if any(0 in one.shape for one in arrays):
        # A sum without terms: NumPy determines the shape, and reports errors in the subscripts.
        shape = _np.einsum(subscripts, *(_np.zeros(one.shape, bool) for one in arrays)).shape
        return deliver(_core.full(shape, 0, common), out, casting)
    for one in arrays:
        if not _np.can_cast(one.dtype, common, casting):
            raise TypeError(f"Iterator operand 0 dtype could not be cast from {one.dtype!r} to {common!r} according to the rule '{casting}'")
    wide = _np.dtype("i8") if common.kind == "b" else common
    made = _core.einsum(subscripts.replace(" ", ""), [cast(one, wide) for one in arrays])
    return deliver(made != 0 if common.kind == "b" else cast(made, common), out, casting)


def _view_of(subscripts, array):
    """The view selected by subscripts without a sum; `None` for other or invalid subscripts."""
    given, arrow, wanted = subscripts.partition("->")
    letters = given.replace("...", "")
    if not arrow:
        if len(set(letters)) != len(letters):
            return None
        wanted = "..." * ("..." in given) + "".join(sorted(letters))
    more = array.ndim - len(letters)
    is_plain = all(one.isascii() and one.isalpha() for one in letters) and ("..." in given or more == 0)
    if not is_plain or more < 0 or ("..." in given) != ("..." in wanted) or set(letters) != set(wanted.replace("...", "")):
        return None

    def listed(text):
        front, dots, back = text.partition("...")
        return [*front, *(range(more) if dots else ()), *back]

    lengths, strides = {}, {}
    for label, length, stride in zip(listed(given), array.shape, array.strides):
        if lengths.setdefault(label, length) != length:
            return None
        strides[label] = strides.get(label, 0) + stride // array.itemsize
    wanted = listed(wanted)
    if len(set(wanted)) != len(wanted):
        return None
    return _core.strided(array, [lengths[one] for one in wanted], [strides[one] for one in wanted])


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _lettered(*given):
    """Subscripts as letters, and the operands, of arrays and lists of axes one after the other."""

    def letters(axes):
        return "".join("..." if one is Ellipsis else _LETTERS[_operator.index(one)] for one in axes)

    operands, axes = given[0 : len(given) // 2 * 2 : 2], given[1::2]
    subscripts = ",".join(map(letters, axes))
    return subscripts + (f"->{letters(given[-1])}" if len(given) % 2 else ""), operands


def einsum_path(*operands, **kwargs):
    """NumPy's function, which uses shapes only."""
    host = [
        _np.broadcast_to(_np.zeros((), one.dtype), one.shape) if isinstance(one, ndarray) else one for one in operands
    ]
    return _np.einsum_path(*host, **kwargs)


def kron(a, b):
    """The product of each element of one array with all of another."""
    a, b = make(a), make(b)
    count = max(a.ndim, b.ndim)
    if 2 * count > 8:
        return _fallback.call("kron", _np.kron, (a, b), {})
    a = reshape(a, (1,) * (count - a.ndim) + a.shape)
    b = reshape(b, (1,) * (count - b.ndim) + b.shape)
    left = reshape(a, [value for length in a.shape for value in (length, 1)])
    right = reshape(b, [value for length in b.shape for value in (1, length)])
    return _core.as_result(reshape(left * right, [one * two for one, two in zip(a.shape, b.shape)]))


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum of a diagonal."""
    from ._shape import diagonal

    is_plain = dtype is None and out is None and axis1 == 0 and axis2 == 1
    if is_plain and (line := _core.diagonal_plain(a, offset)) is not None:
        if (made := _core.reduce_plain(line, "sum", 0, False)) is not None:
            return made
    return _sum(diagonal(a, offset, axis1, axis2), -1, dtype, out)


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross products of vectors."""
    is_plain = axis in (None, -1) and axisa == -1 and axisb == -1 and axisc == -1
    if is_plain and (made := _core.cross_plain(a, b)) is not None:
        return made
    from ._join import stack

    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = make(a), make(b)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("At least one array has zero dimension")
    a, b = moveaxis(a, axis_of(axisa, a.ndim), -1), moveaxis(b, axis_of(axisb, b.ndim), -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    dtype = result_type(a, b)
    zero = _core.full((), 0, dtype)
    u = [a[..., at] for at in range(a.shape[-1])] + [zero] * (3 - a.shape[-1])
    v = [b[..., at] for at in range(b.shape[-1])] + [zero] * (3 - b.shape[-1])
    last = u[0] * v[1] - u[1] * v[0]
    if a.shape[-1] == b.shape[-1] == 2:
        return _core.as_array(last)
    shape = _np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    parts = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], last)
    made = stack([_core.broadcast_to(cast(one, dtype), shape) for one in parts], -1)
    return moveaxis(made, -1, axis_of(axisc, made.ndim))


_MODES = {"full": 0, "same": 1, "valid": 2}


def _mode_of(mode):
    """The part of a convolution to return; NumPy numbers the modes in the opposite order."""
    if isinstance(mode, str):
        if mode not in _MODES:
            raise ValueError("Use one of 'valid', 'same', or 'full' for convolve/correlate mode")
        return _MODES[mode]
    if not hasattr(mode, "__index__"):
        raise TypeError("convolve/correlate mode not understood")
    number = _operator.index(mode)
    if number not in (0, 1, 2):
        raise ValueError("integer convolve/correlate mode must be 0, 1, or 2")
    return 2 - number


# Elements of a block of windows: 32 MiB of float64.
_WINDOW_BLOCK = 1 << 22


def _convolve_overlaps(a, v, mode):
    """A convolution that multiplies only overlapping elements, for vectors whose NaN or infinity would turn the zeros of a padding into NaN."""
    from ._join import concatenate
    from ._strides import sliding_window_view

    long, short = (a, v) if a.size >= v.size else (v, a)
    n, m = long.size, short.size
    first, count = ((0, n + m - 1), ((m - 1) // 2, n), (m - 1, n - m + 1))[mode]
    margin = _core.full((m - 1,), 0, a.dtype)
    values = sliding_window_view(concatenate((margin, long, margin)), m)
    inside = _core.full((n,), True, _np.dtype(bool))
    outside = _core.full((m - 1,), False, _np.dtype(bool))
    inside = sliding_window_view(concatenate((outside, inside, outside)), m)
    backwards = _core.copy(short[::-1])
    step = max(_WINDOW_BLOCK // m, 1)
    parts = []
    for start in range(first, first + count, step):
        rows = slice(start, min(start + step, first + count))
        terms = _core.select(inside[rows], values[rows] * backwards, 0, a.dtype)
        parts.append(_sum(terms, 1))
    return concatenate(parts)


def convolve(a, v, mode="full"):
    """The convolution of two vectors."""
    if isinstance(mode, str) and (made := _core.convolve_plain(a, v, mode, False)) is not None:
        return made
    mode = _mode_of(mode)
    a, v = make(a), make(v)
    a, v = _common(ravel(a) if a.ndim == 0 else a, ravel(v) if v.ndim == 0 else v)
    if a.size == 0 or v.size == 0:
        raise ValueError("a cannot be empty" if a.size == 0 else "v cannot be empty")
    if a.dtype.kind == "b":
        # A logical convolution: a sum is true if one of its products is.
        wide = _np.dtype("i8")
        return _core.convolve(cast(a, wide), cast(v, wide), mode) != 0
    if a.dtype.kind in "fc":
        # The sum of the shorter vector shows whether all its elements are finite.
        total = (a if a.size < v.size else v).sum()
        if not get("isfinite")(total):
            return _convolve_overlaps(a, v, mode)
    return cast(_core.convolve(a, v, mode), a.dtype)


def correlate(a, v, mode="valid"):
    """The correlation of two vectors."""
    if isinstance(mode, str) and (made := _core.convolve_plain(a, v, mode, True)) is not None:
        return made
    a, v = _common(a, v)
    if a.ndim == 0 or v.ndim == 0:
        raise ValueError("object of too small depth for desired array")
    if a.size == 0 or v.size == 0:
        which = "first" if a.size == 0 else "second"
        raise ValueError(f"{which} array argument cannot be empty")
    if _mode_of(mode) == _MODES["same"] and v.size > a.size:
        # NumPy exchanges the two and reverses the result.
        start = a.size // 2
        return correlate(a, v, "full")[start : start + v.size]
    v = get("conjugate")(v) if v.dtype.kind == "c" else v
    return convolve(a, v[::-1], mode)


def _weights(name, given, count):
    """Weights of observations, checked."""
    made = cast(make(given), _np.dtype("f8"))
    if made.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if made.shape[0] != count:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if bool((made < 0).any()):
        raise ValueError(f"{name} cannot be negative")
    return made


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariances of variables."""
    from ._reduce import average
    from ._join import concatenate
    from ._shape import atleast_2d

    if type(m) is array_type and y is fweights is aweights is ddof is dtype is None and rowvar is True and bias is False:
        count = m.shape[1] if m.ndim == 2 and m.dtype == float64 and m.shape[0] else 0
        middle = _core.mean_plain(m, 1, True) if count > 1 else None
        if middle is not None:
            x = m - middle
            return squeeze(dot(x, x.T) * (1 / (count - 1)))
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = make(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    given = [m] if y is None else [m, make(y)]
    if given[-1].ndim > 2:
        raise ValueError("y has more than 2 dimensions")
    kind = result_type(*given, "f8") if dtype is None else _np.dtype(dtype)
    x = atleast_2d(cast(m, kind))
    x = x.T if not rowvar and m.ndim != 1 else x
    if x.shape[0] == 0:
        return _core.full((0, 0), 0, _np.dtype("f8"))
    if y is not None:
        other = atleast_2d(cast(given[1], kind))
        other = other.T if not rowvar and other.shape[0] != 1 else other
        x = concatenate((x, other), 0)
    ddof = (1 if bias == 0 else 0) if ddof is None else ddof
    count, weights = x.shape[1], None
    if fweights is not None:
        weights = _weights("fweights", fweights, count)
        if bool((weights != get("rint")(weights)).any()):
            raise TypeError("fweights must be integer")
    if aweights is not None:
        aweights = _weights("aweights", aweights, count)
        weights = aweights if weights is None else weights * aweights
    middle, total = average(x, 1, weights, True)
    factor = count - ddof
    if weights is not None:
        total = float(total[0].real.item())
        factor = total - ddof if aweights is None else total - ddof * float(_sum(weights * aweights).item()) / total
        factor = total if ddof == 0 else factor
    if factor <= 0:
        _caller.warn("Degrees of freedom <= 0 for slice", RuntimeWarning)
        factor = 0.0
    x = x - middle[:, None]
    other = x if weights is None else x * weights
    other = get("conjugate")(other) if kind.kind == "c" else other
    made = dot(x, other.T) * make(_caller.call(_np.true_divide, (1, factor), {}))
    return squeeze(cast(made, kind))


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """The correlations of variables."""
    from ._math import clip, imag_of, real_of
    from ._shape import diagonal

    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    spread = get("sqrt")(real_of(diagonal(c)))
    c = c / spread[:, None] / spread[None, :]
    if c.dtype.kind == "c":
        return _core.apply("complex", (clip(real_of(c), -1, 1), clip(imag_of(c), -1, 1)))
    return clip(c, -1, 1)
