"""Polynomials by their coefficients, the highest power first.

The usual operands, vectors of `float64`, are computed in few operations. Others go to NumPy's own functions on Weft's arrays.
"""

from .. import _core
from ._array import array_type, float64, make
from ._borrowed import borrow as _borrow
from ._join import concatenate

_poly, _polyadd, _polyder, _polydiv, _polyint, _polysub = map(_borrow, ("poly", "polyadd", "polyder", "polydiv", "polyint", "polysub"))

#: Loops over elements in Python up to this length take less time than operations on vectors.
_FEW = 16


def _is_vector(a):
    """Whether an operand is a vector of `float64` with elements."""
    return type(a) is array_type and a.ndim == 1 and a.dtype == float64 and a.size > 0


def polyadd(a1, a2):
    """The sum of two polynomials."""
    if _is_vector(a1) and _is_vector(a2) and a1.size == a2.size:
        return a1 + a2
    return _polyadd(a1, a2)


def polysub(a1, a2):
    """The difference of two polynomials."""
    if _is_vector(a1) and _is_vector(a2) and a1.size == a2.size:
        return a1 - a2
    return _polysub(a1, a2)


def polyder(p, m=1):
    """The derivative of a polynomial."""
    if m == 1 and _is_vector(p) and p.size > 1:
        return p[:-1] * _core.arange_plain(p.size - 1, 0, -1)
    return _polyder(p, m)


def polyint(p, m=1, k=None):
    """The integral of a polynomial."""
    if m == 1 and k is None and _is_vector(p):
        return concatenate((p / _core.arange_plain(p.size, 0, -1), _core.full((1,), 0, float64)))
    return _polyint(p, m, k)


def polyval(p, x):
    """The value of a polynomial, by Horner's rule."""
    import numpy as np

    if isinstance(x, np.poly1d):
        return np.polyval(p, x)
    if (made := _core.polyval_plain(p, x)) is not None:
        return made
    p, x = make(p), make(x)
    made = _core.full(x.shape, 0, x.dtype)
    for at in range(len(p)):
        made = made * x + p[at]
    return made


def poly(seq_of_zeros):
    """The coefficients of the polynomial that has these roots."""
    if not _is_vector(seq_of_zeros) or seq_of_zeros.size > _FEW:
        return _poly(seq_of_zeros)
    made = [1.0]
    for zero in seq_of_zeros.tolist():
        # The convolution with (1, -zero).
        made = [1.0, *(high - low * zero for high, low in zip(made[1:], made)), 0.0 - made[-1] * zero]
    return make(made, float64)


def polydiv(u, v):
    """The quotient and remainder of two polynomials."""
    if not (_is_vector(u) and _is_vector(v) and v.size <= min(u.size, _FEW)):
        return _polydiv(u, v)
    # The sum with 0 takes the sign from zeros.
    divisor, rest = ([one + 0.0 for one in operand.tolist()] for operand in (v, u))
    if divisor[0] == 0:
        return _polydiv(u, v)
    scale, count, quotient = 1.0 / divisor[0], len(rest) - len(divisor) + 1, []
    for at in range(count):
        factor = scale * rest[at]
        quotient.append(factor)
        for place, value in enumerate(divisor, at):
            rest[place] -= factor * value
    first = 0
    # Leading coefficients that are 0 except for rounding, by NumPy's criterion.
    while abs(rest[first]) <= 1e-8 and first < len(rest) - 1:
        first += 1
    return make(quotient, float64), make(rest[first:], float64)
