"""Linear algebra."""

import operator as _operator
from collections import namedtuple as _namedtuple

import numpy as _np

from .. import _core
from . import _caller, _products
from ._arguments import whole_axes
from ._array import cast, float64, make, result_type
from ._create import eye
from ._products import cross as _cross
from ._products import matmul, tensordot, vecdot
from ._products import outer as _outer
from ._reduce import all as _all
from ._reduce import any as _any
from ._reduce import max as _max
from ._reduce import min as _min
from ._reduce import sum as _sum
from ._join import stack
from ._shape import axes_of, axis_of, matrix_transpose, moveaxis, ravel, reshape
from ._shape import diagonal as _diagonal
from ._ufunc import get

LinAlgError = _np.linalg.LinAlgError
EigResult = _namedtuple("EigResult", ["eigenvalues", "eigenvectors"])
EighResult = _namedtuple("EighResult", ["eigenvalues", "eigenvectors"])
QRResult = _namedtuple("QRResult", ["Q", "R"])
SlogdetResult = _namedtuple("SlogdetResult", ["sign", "logabsdet"])
SVDResult = _namedtuple("SVDResult", ["U", "S", "Vh"])

__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq",
    "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr",
    "slogdet", "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot", "vector_norm",
]  # fmt: skip


def _inexact(a):
    a = make(a)
    if a.dtype == _np.float16:
        raise TypeError("array type float16 is unsupported in linalg")
    return cast(a, float64) if a.dtype.kind in "biu" else a


def _matrix(a, square=False):
    a = _inexact(a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if square and a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return a


def _conjugate(a):
    return get("conjugate")(a) if a.dtype.kind == "c" else a


def _settled(made, text):
    """Reads an element of the result, so that the error of a matrix without a result is raised in this call."""
    try:
        made[(0,) * made.ndim].item()
    except LinAlgError as error:
        raise LinAlgError(f"{text}: {error}") from None
    return made


def inv(a):
    """The inverse."""
    a = _matrix(a, True)
    return _core.copy(a) if 0 in a.shape else _settled(_core.inv(a), "Singular matrix")


def det(a):
    """The determinant."""
    a = _matrix(a, True)
    return _core.as_result(_core.full(a.shape[:-2], 1, a.dtype)) if 0 in a.shape else _core.det(a)


def slogdet(a):
    """Sign and logarithm of the determinant."""
    a = _matrix(a, True)
    if 0 in a.shape:
        real = _np.zeros(0, a.dtype).real.dtype
        return SlogdetResult(*(_core.as_result(_core.full(a.shape[:-2], value, dtype)) for value, dtype in ((1, a.dtype), (0, real))))
    return SlogdetResult(*_core.slogdet(a))


def solve(a, b):
    """The solution of linear equations."""
    a, b = _matrix(a, True), _inexact(b)
    dtype = result_type(a, b)
    a, b = cast(a, dtype), cast(b, dtype)
    rows = b.shape[0] if b.ndim == 1 else b.shape[-2]
    if rows != a.shape[-1]:
        raise ValueError(
            "solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),(m,n)->(m,n) "
            f"(size {rows} is different from {a.shape[-1]})"
        )
    lead = _np.broadcast_shapes(a.shape[:-2], () if b.ndim == 1 else b.shape[:-2])
    if 0 in a.shape or 0 in b.shape:
        return _core.full((*lead, *(b.shape if b.ndim == 1 else b.shape[-2:])), 0, dtype)
    if b.ndim == 1:
        if a.ndim == 2:
            return _settled(_core.solve(a, b), "Singular matrix")
        b = _core.broadcast_to(reshape(b, (-1, 1)), (*lead, rows, 1))
        return _settled(_core.solve(a, b), "Singular matrix")[..., 0]
    if a.ndim > 2 or b.ndim > 2:
        a, b = _core.broadcast_to(a, (*lead, *a.shape[-2:])), _core.broadcast_to(b, (*lead, *b.shape[-2:]))
    return _settled(_core.solve(a, b), "Singular matrix")


def cholesky(a, /, *, upper=False):
    """The triangle whose product with its transpose is the matrix."""
    a = _matrix(a, True)
    made = _core.copy(a) if 0 in a.shape else _settled(_core.cholesky(a), "Matrix is not positive definite")
    return _conjugate(matrix_transpose(made)) if upper else made


def _reflections(a):
    """The QR factors: the transposed matrix with the triangle and, below it, the reflection vectors; and the factors of the reflections."""
    from ._math import real_of

    rows, columns = a.shape[-2:]
    made, factors = _core.copy(a), []
    for at in range(min(rows, columns)):
        column = made[..., at:, at]
        first, rest = column[..., 0], column[..., 1:]
        length = get("sqrt")(_sum(real_of(rest * get("conjugate")(rest)), -1) + real_of(first * get("conjugate")(first)))
        is_done = ~(_any(rest != 0, -1) | (first != real_of(first)))
        # Away from the first element, so that no digits are lost.
        corner = _core.select(is_done, real_of(first), get("copysign")(length, -real_of(first)), length.dtype)
        factor = _core.select(is_done, 0, (corner - first) / _core.select(is_done, 1, corner, corner.dtype), a.dtype)
        scaled = rest / _core.select(is_done, 1, first - corner, a.dtype)[..., None]
        vector = _core.concatenate([_core.full((*first.shape, 1), 1, a.dtype), scaled], first.ndim)
        right = made[..., at:, at + 1 :]
        if right.size:
            along = _sum(get("conjugate")(vector)[..., None] * right, -2)
            made[..., at:, at + 1 :] = right - (get("conjugate")(factor)[..., None] * vector)[..., None] * along[..., None, :]
        made[..., at, at], made[..., at + 1 :, at] = corner, scaled
        factors.append(factor)
    if not factors:
        return matrix_transpose(made), _core.full((*a.shape[:-2], 0), 0, a.dtype)
    return matrix_transpose(made), stack(factors, -1)


def qr(a, mode="reduced"):
    """The QR decomposition."""
    a = _matrix(a)
    if mode in ("f", "full"):
        text = "The 'full' option is deprecated in favor of 'reduced'. For backward compatibility let mode default."
        _caller.warn(text, DeprecationWarning)
        mode = "reduced"
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    if mode == "raw":
        return _reflections(a)
    rows, columns = a.shape[-2:]
    side = min(rows, columns)
    if 0 in a.shape:
        wide = rows if mode == "complete" else side
        unit = _core.copy(_core.broadcast_to(eye(rows, wide, dtype=a.dtype), (*a.shape[:-2], rows, wide)))
        r = _core.full((*a.shape[:-2], wide if mode != "r" else side, columns), 0, a.dtype)
        return r if mode == "r" else QRResult(unit, r)
    if mode == "complete" and rows > columns:
        # The first columns of this matrix's triangle are those of the given one.
        unit = _core.broadcast_to(eye(rows, dtype=a.dtype), (*a.shape[:-2], rows, rows))
        q, r = _core.qr(_core.concatenate([a, unit], a.ndim - 1))
        return QRResult(q, r[..., :columns])
    q, r = _core.qr(a)
    return r if mode == "r" else QRResult(q, r)


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular vectors and values."""
    a = _matrix(a)
    rows, columns = a.shape[-2:]
    if hermitian:
        return _hermitian_svd(a, compute_uv)
    if 0 in a.shape:
        lead, side = a.shape[:-2], min(rows, columns)
        s = _core.full((*lead, side), 0, _real_of(a.dtype))
        if not compute_uv:
            return s
        u, vh = (rows, rows if full_matrices else side), (columns if full_matrices else side, columns)
        u, vh = (_core.copy(_core.broadcast_to(eye(*shape, dtype=a.dtype), (*lead, *shape))) for shape in (u, vh))
        return SVDResult(u, s, vh)
    return SVDResult(*_core.svd(a, full_matrices)) if compute_uv else _core.svdvals(a)


def _real_of(dtype):
    return _np.zeros(0, dtype).real.dtype


def _hermitian_svd(a, compute_uv):
    """Singular vectors and values of a matrix that is its own conjugate transpose."""
    from ._select import take_along_axis
    from ._sort import argsort, sort

    if not compute_uv:
        return sort(abs(eigvalsh(a)))[..., ::-1]
    s, u = eigh(a)
    sign, size = _core.select(s < 0, -1.0, 1.0, s.dtype), abs(s)
    order = argsort(size)[..., ::-1]
    sign, size = take_along_axis(sign, order, -1), take_along_axis(size, order, -1)
    u = take_along_axis(u, order[..., None, :], -1)
    return SVDResult(u, size, _conjugate(matrix_transpose(u * sign[..., None, :])))


def svdvals(x, /):
    """Singular values."""
    return svd(x, compute_uv=False)


def _triangle(a, UPLO):
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    a = _matrix(a, True)
    return _conjugate(matrix_transpose(a)) if UPLO.upper() == "U" else a


def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of a symmetric matrix."""
    a = _triangle(a, UPLO)
    if 0 in a.shape:
        return EighResult(_core.full(a.shape[:-1], 0, _real_of(a.dtype)), _core.copy(a))
    return EighResult(*_core.eigh(a))


def eigvalsh(a, UPLO="L"):
    """Eigenvalues of a symmetric matrix."""
    a = _triangle(a, UPLO)
    return _core.full(a.shape[:-1], 0, _real_of(a.dtype)) if 0 in a.shape else _core.eigvalsh(a)


def _check_finite(a):
    """Raises NumPy's error for matrices with elements that are not finite."""
    if not bool(_all(get("isfinite")(a))):
        raise LinAlgError("Array must not contain infs or NaNs")


def _is_real(a, values):
    """Whether all eigenvalues of a real matrix are real, which decides on the dtype of the results."""
    return a.dtype.kind == "f" and not bool(_any(_core.apply("imag", (values,)) != 0))


def eig(a):
    """Eigenvalues and eigenvectors."""
    a = _matrix(a, True)
    if 0 in a.shape:
        return EigResult(_core.full(a.shape[:-1], 0, a.dtype), _core.full(a.shape, 0, a.dtype))
    _check_finite(a)
    values, vectors = _core.eig(a)
    if _is_real(a, values):
        values, vectors = _core.apply("real", (values,)), _core.apply("real", (vectors,))
    return EigResult(values, vectors)


def eigvals(a):
    """Eigenvalues."""
    a = _matrix(a, True)
    if 0 in a.shape:
        return _core.full(a.shape[:-1], 0, a.dtype)
    _check_finite(a)
    values = _core.eigvals(a)
    return _core.apply("real", (values,)) if _is_real(a, values) else values


def lstsq(a, b, rcond=None):
    """The least squares of linear equations, with residuals, rank and singular values."""
    a, b = _matrix(a), _inexact(b)
    if a.ndim != 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    is_vector = b.ndim == 1
    b = b[:, None] if is_vector else b
    if b.ndim != 2:
        raise LinAlgError(f"{b.ndim}-dimensional array given. Array must be two-dimensional")
    rows, columns = a.shape
    if rows != b.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    dtype = result_type(a, b)
    a, b = cast(a, dtype), cast(b, dtype)
    real = _real_of(dtype)
    if rcond is None:
        rcond = float(_np.finfo(dtype).eps) * max(rows, columns)
    elif not 0 < float(rcond) < 1:
        # As LAPACK does.
        rcond = float(_np.finfo(dtype).eps)
    if 0 in a.shape:
        x = _core.full((columns, b.shape[1]), 0, dtype)
        s, rank = _core.full((0,), 0, real), 0
    else:
        u, s, vh = svd(a, full_matrices=False)
        keep = s > s[0] * float(rcond)
        rank = int(_sum(keep))
        inverse = _core.select(keep, 1 / s, 0, real)
        x = matmul(_conjugate(vh.T), inverse[:, None] * matmul(_conjugate(u.T), b))
    if rank == columns and rows > columns:
        residuals = _sum(_square(b - matmul(a, x)), 0)
    else:
        residuals = _core.full((0,), 0, real)
    return x[:, 0] if is_vector else x, residuals, _np.int32(rank), s


def pinv(a, rcond=None, hermitian=False, *, rtol=_np._NoValue):
    """The pseudo-inverse."""
    given, a = make(a), _matrix(a)
    if rcond is not None and rtol is not _np._NoValue:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    if 0 in a.shape:
        return _core.full((*a.shape[:-2], a.shape[-1], a.shape[-2]), 0, given.dtype)
    if rcond is None:
        if rtol is _np._NoValue:
            rcond = 1e-15
        else:
            rcond = max(a.shape[-2:]) * float(_np.finfo(a.dtype).eps) if rtol is None else rtol
    u, s, vh = svd(_conjugate(a), full_matrices=False, hermitian=hermitian)
    limit = make(rcond)[..., None] * _max(s, axis=-1, keepdims=True)
    inverse = _core.select(s > limit, 1 / s, 0, s.dtype)
    return matmul(matrix_transpose(vh), inverse[..., None] * matrix_transpose(u))


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """The number of singular values that are not close to zero."""
    from ._reduce import count_nonzero

    A = make(A)
    if tol is not None and rtol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    if A.ndim < 2:
        return int(_any(A != 0))
    s = svd(A, compute_uv=False, hermitian=hermitian)
    if tol is None:
        if rtol is None:
            rtol = max(A.shape[-2:]) * float(_np.finfo(s.dtype).eps)
        tol = (_max(s, axis=-1, keepdims=True) if s.size else s) * make(rtol)[..., None]
    else:
        tol = make(tol)[..., None]
    return count_nonzero(s > tol, axis=-1)


def cond(x, p=None):
    """The condition of a matrix."""
    x = make(x)
    if 0 in x.shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays")
    if x.ndim < 2:
        raise LinAlgError(f"{x.ndim}-dimensional array given. Array must be at least two-dimensional")
    if p is None or p in (2, -2):
        s = svd(x, compute_uv=False)
        made = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        x = _matrix(x, True)
        sizes = norm(x, p, axis=(-2, -1))
        made = sizes * norm(_inverse_or_nan(x), p, axis=(-2, -1))
        made = cast(made, _real_of(x.dtype))
    # Of a matrix without NaN the condition is a number or infinite.
    has_nan = get("logical_or").reduce(get("isnan")(x), axis=(-2, -1)) if x.dtype.kind in "fc" else None
    is_nan = get("isnan")(made)
    wrong = is_nan if has_nan is None else is_nan & ~has_nan
    return _core.as_result(_core.select(wrong, float("inf"), made, made.dtype))


def _inverse_or_nan(x):
    """The inverses; NaN for singular matrices."""
    zero = det(x) == 0
    unit = _core.broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape)
    safe = _core.select(_core.broadcast_to(zero[..., None, None], x.shape), unit, x, x.dtype)
    made = inv(safe)
    return _core.select(_core.broadcast_to(zero[..., None, None], x.shape), float("nan"), made, x.dtype)


def matrix_power(a, n):
    """A power of a matrix."""
    a = make(a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    try:
        n = _operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if n == 0:
        return _core.copy(_core.broadcast_to(eye(a.shape[-1], dtype=a.dtype), a.shape))
    if n < 0:
        a, n = inv(a), -n
    made = None
    while n:
        if n & 1:
            made = a if made is None else matmul(made, a)
        n >>= 1
        a = matmul(a, a) if n else a
    return made


def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of a vector or a matrix."""
    x = make(x)
    x = cast(x, float64) if x.dtype.kind in "biu" else x
    count = x.ndim
    if axis is None:
        if ord is None or (ord in ("f", "fro") and count == 2) or (ord == 2 and count == 1):
            if count == 1 and keepdims is False and x.dtype.kind == "f" and (made := _core.inner_plain(x, x)) is not None:
                return get("sqrt")(made)
            made = get("sqrt")(_sum(_square(ravel(x))))
            return reshape(made, (1,) * count) if keepdims and count else made
        axis = tuple(range(count))
    axes = axes_of(_vector_axes(axis), count)
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, ord, axes, keepdims)
    raise ValueError("Improper number of dimensions to norm.")


def _vector_axes(axis):
    """The axes of a norm: NumPy takes any number whose value is an integer."""
    if not isinstance(axis, tuple) and axis is not None:
        try:
            axis = int(axis)
        except (TypeError, ValueError):
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from None
    return whole_axes(axis)


def _square(x):
    if x.dtype.kind == "c":
        a, b = _core.apply("real", (x,)), _core.apply("imag", (x,))
        return a * a + b * b
    return x * x


def _vector_norm(x, ord, axis, keepdims):
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord is None or ord == 2:
        return get("sqrt")(_sum(_square(x), axis, keepdims=keepdims))
    size = abs(x)
    if ord == 0:
        return cast(_sum(x != 0, axis, keepdims=keepdims), size.dtype)
    if ord == 1:
        return _sum(size, axis, keepdims=keepdims)
    if abs(ord) == float("inf"):
        return _largest(size, axis, keepdims) if ord > 0 else _min(size, axis, keepdims=keepdims)
    return _sum(size**ord, axis, keepdims=keepdims) ** (1.0 / ord)


def _largest(sizes, axis, keepdims=False):
    """The largest of sizes; 0 if there are none."""
    return _max(sizes, axis, keepdims=keepdims, initial=0) if sizes.size == 0 else _max(sizes, axis, keepdims=keepdims)


def _matrix_norm(x, ord, axes, keepdims):
    row, column = axes
    if ord in (None, "fro", "f"):
        made = get("sqrt")(_sum(_square(x), axes))
    elif ord in (1, -1, float("inf"), float("-inf")):
        first, second = (row, column) if abs(ord) == 1 else (column, row)
        sums = _sum(abs(x), first)
        made = (_largest if ord > 0 else _min)(sums, second - 1 if second > first else second)
    elif ord in (2, -2, "nuc"):
        s = svd(moveaxis(x, axes, (-2, -1)), compute_uv=False)
        made = _sum(s, -1) if ord == "nuc" else (_largest if ord > 0 else _min)(s, -1)
    else:
        raise ValueError("Invalid norm order for matrices.")
    if keepdims:
        made = reshape(made, tuple(1 if at in axes else length for at, length in enumerate(x.shape)))
    return made


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of vectors."""
    from ._reduce import along

    x = make(x)
    x = cast(x, float64) if x.dtype.kind in "biu" else x

    if x.ndim == 0 and axis is not None:
        axes_of(_vector_axes(axis), 0)

    def how(of, at):
        return _vector_norm(ravel(of), ord, 0, False) if at is None else _vector_norm(of, ord, at, False)

    return along(x, _vector_axes(axis), bool(keepdims), how)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norm of matrices."""
    x = make(x)
    x = cast(x, float64) if x.dtype.kind in "biu" else x
    return _matrix_norm(x, ord, (axis_of(-2, x.ndim), axis_of(-1, x.ndim)), keepdims)


def _multiplied(matrices, out=None):
    """The product of matrices in the order with the fewest multiplications, on which its dtype may depend."""
    count = len(matrices)
    sides = [one.shape[0] for one in matrices] + [matrices[-1].shape[1]]
    costs, parted = {(at, at): 0 for at in range(count)}, {}
    for more in range(1, count):
        for first in range(count - more):
            last = first + more

            def cost(at):
                return costs[first, at] + costs[at + 1, last] + sides[first] * sides[at + 1] * sides[last + 1]

            parted[first, last] = min(range(first, last), key=cost)
            costs[first, last] = cost(parted[first, last])

    def product(first, last, out=None):
        if first == last:
            return matrices[first]
        at = parted[first, last]
        return _products.dot(product(first, at), product(at + 1, last), out)

    return product(0, count - 1, out)


def multi_dot(arrays, *, out=None):
    """The product of several matrices."""
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    if len(arrays) == 2:
        return _products.dot(*arrays, out)
    arrays = list(map(make, arrays))
    vectors = arrays[0].ndim == 1, arrays[-1].ndim == 1
    # Vectors at the ends are treated as matrices, and `out` has the product of these.
    made = reshape(arrays[0], (1, -1)) if vectors[0] else arrays[0]
    last = reshape(arrays[-1], (-1, 1)) if vectors[1] else arrays[-1]
    for one in (made, *arrays[1:-1], last):
        if one.ndim != 2:
            raise LinAlgError(f"{one.ndim}-dimensional array given. Array must be two-dimensional")
    made = _multiplied([made, *arrays[1:-1], last], out)
    return made[0, 0] if all(vectors) else ravel(made) if any(vectors) else made


def tensorsolve(a, b, axes=None):
    """The solution of equations between arrays."""
    from ._shape import transpose

    a, b = make(a), make(b)
    if axes is not None:
        order = list(range(a.ndim))
        for axis in axes:
            order.remove(axis)
            order.insert(a.ndim, axis)
        a = transpose(a, order)
    shape = a.shape[-(a.ndim - b.ndim) :]
    size = 1
    for length in shape:
        size *= length
    if a.size != size**2:
        raise LinAlgError("Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])")
    return reshape(solve(reshape(a, (size, size)), ravel(b)), shape)


def tensorinv(a, ind=2):
    """The inverse of an array for `tensordot`."""
    a = make(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = a.shape[ind:] + a.shape[:ind]
    size = 1
    for length in a.shape[ind:]:
        size *= length
    return reshape(inv(reshape(a, (size, -1))), shape)


def diagonal(x, /, *, offset=0):
    """The diagonals of matrices."""
    return _diagonal(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """The sums of the diagonals of matrices."""
    return _products.trace(x, offset, -2, -1, dtype)


def outer(x1, x2, /):
    """The outer product of two vectors."""
    x1, x2 = make(x1), make(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}.")
    return _outer(x1, x2)


def cross(x1, x2, /, *, axis=-1):
    """The cross products of vectors of three elements."""
    if axis == -1 and (made := _core.cross_plain(x1, x2)) is not None:
        return made
    x1, x2 = make(x1), make(x2)
    lengths = x1.shape[axis_of(axis, x1.ndim)], x2.shape[axis_of(axis, x2.ndim)]
    if lengths != (3, 3):
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {lengths[0]} and {lengths[1]} dimensional instead."
        )
    return _cross(x1, x2, axis=axis)
