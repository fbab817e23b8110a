"""Linear algebra."""

import operator as _operator
from collections import namedtuple as _namedtuple

import numpy as _np

from .. import _core
from . import _fallback, _products
from ._array import cast, float64, make, result_type
from ._create import eye
from ._products import cross as _cross
from ._products import matmul, tensordot, vecdot
from ._products import outer as _outer
from ._reduce import max as _max
from ._reduce import min as _min
from ._reduce import sum as _sum
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


def _numpy(name, *args, **kwargs):
    return _fallback.call(f"linalg.{name}", getattr(_np.linalg, name), args, kwargs)


def _conjugate(a):
    return get("conjugate")(a) if a.dtype.kind == "c" else a


def inv(a):
    """The inverse."""
    a = _matrix(a, True)
    return _core.copy(a) if 0 in a.shape else _core.inv(a)


def det(a):
    """The determinant."""
    a = _matrix(a, True)
    return _core.full(a.shape[:-2], 1, a.dtype) if 0 in a.shape else _core.det(a)


def slogdet(a):
    """Sign and logarithm of the determinant."""
    a = _matrix(a, True)
    if 0 in a.shape:
        real = _np.zeros(0, a.dtype).real.dtype
        return SlogdetResult(_core.full(a.shape[:-2], 1, a.dtype), _core.full(a.shape[:-2], 0, real))
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
            return _core.solve(a, b)
        return _core.solve(a, _core.broadcast_to(reshape(b, (-1, 1)), (*lead, rows, 1)))[..., 0]
    if a.ndim > 2 or b.ndim > 2:
        a, b = _core.broadcast_to(a, (*lead, *a.shape[-2:])), _core.broadcast_to(b, (*lead, *b.shape[-2:]))
    return _core.solve(a, b)


def cholesky(a, /, *, upper=False):
    """The triangle whose product with its transpose is the matrix."""
    a = _matrix(a, True)
    made = _core.copy(a) if 0 in a.shape else _core.cholesky(a)
    return _conjugate(matrix_transpose(made)) if upper else made


def qr(a, mode="reduced"):
    """An orthogonal matrix and an upper triangle."""
    a = _matrix(a)
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    if mode in ("complete", "raw") or 0 in a.shape:
        made = _numpy("qr", a, mode)
        return QRResult(*made) if mode in ("complete", "reduced") else made
    q, r = _core.qr(a)
    return r if mode == "r" else QRResult(q, r)


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular vectors and values."""
    a = _matrix(a)
    if 0 in a.shape:
        made = _numpy("svd", a, full_matrices, compute_uv)
        return SVDResult(*made) if compute_uv else made
    return SVDResult(*_core.svd(a, full_matrices)) if compute_uv else _core.svdvals(a)


def svdvals(x, /):
    """Singular values."""
    return svd(x, compute_uv=False)


def _triangle(a, UPLO):
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    a = _matrix(a, True)
    return _conjugate(matrix_transpose(a)) if UPLO.upper() == "U" else a


def eigh(a, UPLO="L"):
    """Eigenvalues and vectors of a symmetric matrix."""
    a = _triangle(a, UPLO)
    return EighResult(*(_numpy("eigh", a) if 0 in a.shape else _core.eigh(a)))


def eigvalsh(a, UPLO="L"):
    """Eigenvalues of a symmetric matrix."""
    a = _triangle(a, UPLO)
    return _numpy("eigvalsh", a) if 0 in a.shape else _core.eigvalsh(a)


def eig(a):
    """Eigenvalues and vectors."""
    return EigResult(*_numpy("eig", _matrix(a, True)))


def eigvals(a):
    """Eigenvalues."""
    return _numpy("eigvals", _matrix(a, True))


def lstsq(a, b, rcond=None):
    """The least squares of linear equations."""
    a, b = _matrix(a), _inexact(b)
    if a.ndim != 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    if a.shape[0] != b.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    return _numpy("lstsq", a, b, rcond)


def pinv(a, rcond=None, hermitian=False, *, rtol=_np._NoValue):
    """The pseudo-inverse."""
    a = _matrix(a)
    if 0 in a.shape:
        return _core.full((*a.shape[:-2], a.shape[-1], a.shape[-2]), 0, a.dtype)
    if rcond is None:
        if rtol is _np._NoValue:
            rcond = 1e-15
        else:
            rcond = max(a.shape[-2:]) * float(_np.finfo(a.dtype).eps) if rtol is None else rtol
    u, s, vh = svd(a, full_matrices=False)
    limit = make(rcond)[..., None] * _max(s, axis=-1, keepdims=True)
    inverse = _core.select(s > limit, 1 / s, 0, s.dtype)
    u, vh = _conjugate(u), _conjugate(vh)
    return matmul(matrix_transpose(vh), inverse[..., None] * matrix_transpose(u))


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """How many singular values are not about zero."""
    from ._reduce import any as _any
    from ._reduce import count_nonzero

    A = make(A)
    if A.ndim < 2:
        return cast(_any(A != 0), _np.dtype(int))
    s = svd(A, compute_uv=False)
    if tol is None:
        if rtol is None:
            rtol = max(A.shape[-2:]) * float(_np.finfo(s.dtype).eps)
        tol = (_max(s, axis=-1, keepdims=True) if s.size else s) * make(rtol)[..., None]
    else:
        tol = make(tol)[..., None]
    return count_nonzero(s > tol, axis=-1)


def cond(x, p=None):
    """The condition of a matrix."""
    x = _matrix(x)
    if p is None or p in (2, -2):
        s = svd(x, compute_uv=False)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return norm(x, p, axis=(-2, -1)) * norm(inv(x), p, axis=(-2, -1))


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
            made = get("sqrt")(_sum(_square(ravel(x))))
            return reshape(made, (1,) * count) if keepdims else made
        axis = tuple(range(count))
    axes = axes_of(axis, count)
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, ord, axes, keepdims)
    raise ValueError("Improper number of dimensions to norm.")


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
        return (_max if ord > 0 else _min)(size, axis, keepdims=keepdims)
    return _sum(size**ord, axis, keepdims=keepdims) ** (1.0 / ord)


def _matrix_norm(x, ord, axes, keepdims):
    row, column = axes
    if ord in (None, "fro", "f"):
        made = get("sqrt")(_sum(_square(x), axes))
    elif ord in (1, -1, float("inf"), float("-inf")):
        first, second = (row, column) if abs(ord) == 1 else (column, row)
        sums = _sum(abs(x), first)
        made = (_max if ord > 0 else _min)(sums, second - 1 if second > first else second)
    elif ord in (2, -2, "nuc"):
        s = svd(moveaxis(x, axes, (-2, -1)), compute_uv=False)
        made = _sum(s, -1) if ord == "nuc" else (_max if ord > 0 else _min)(s, -1)
    else:
        raise ValueError("Invalid norm order for matrices.")
    if keepdims:
        made = reshape(made, tuple(1 if at in axes else length for at, length in enumerate(x.shape)))
    return made


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of vectors."""
    from ._reduce import along

    x = _inexact(x)

    def how(of, at):
        return _vector_norm(ravel(of), ord, 0, False) if at is None else _vector_norm(of, ord, at, False)

    return along(x, axis, keepdims, how)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norm of matrices."""
    x = _inexact(x)
    return _matrix_norm(x, ord, (x.ndim - 2, x.ndim - 1), keepdims)


def multi_dot(arrays, *, out=None):
    """The product of several matrices."""
    from ._reduce import deliver

    arrays = list(arrays)
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    made = _products.dot(arrays[0], arrays[1])
    for one in arrays[2:]:
        made = _products.dot(made, one)
    return deliver(made, out)


def tensorsolve(a, b, axes=None):
    """The solution of equations between arrays."""
    return _numpy("tensorsolve", make(a), make(b), axes)


def tensorinv(a, ind=2):
    """The inverse of an array for `tensordot`."""
    return _numpy("tensorinv", make(a), ind)


def diagonal(x, /, *, offset=0):
    """The diagonals of matrices."""
    return _diagonal(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """The sums of the diagonals of matrices."""
    return _products.trace(x, offset, -2, -1, dtype)


def outer(x1, x2, /):
    """All products of two vectors."""
    x1, x2 = make(x1), make(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}.")
    return _outer(x1, x2)


def cross(x1, x2, /, *, axis=-1):
    """The cross products of vectors of three elements."""
    x1, x2 = make(x1), make(x2)
    lengths = x1.shape[axis_of(axis, x1.ndim)], x2.shape[axis_of(axis, x2.ndim)]
    if lengths != (3, 3):
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {lengths[0]} and {lengths[1]} dimensional instead."
        )
    return _cross(x1, x2, axis=axis)


for _function in (eig, eigvals, lstsq, tensorinv, tensorsolve):
    _function.__weft_fallback__ = True
