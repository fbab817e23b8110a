"""Polynomials."""
# Made by python/declare.py from python/declared/polynomials.toml.

from .._borrowed import borrow as _borrow
from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign
from .._polynomials import (
    poly as _polynomials_poly, polyadd as _polynomials_polyadd, polyder as _polynomials_polyder, polydiv as _polynomials_polydiv,
    polyint as _polynomials_polyint, polysub as _polynomials_polysub, polyval as _polynomials_polyval,
)

__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval", "roots"]

# The module of a function is the public one.
__name__ = "weft.numpy"


def poly(seq_of_zeros):
    """The coefficients of the polynomial that has these roots."""
    try:
        return _polynomials_poly(seq_of_zeros)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "seq_of_zeros"):
            raise
    return _elsewhere(poly, given)


def polyadd(a1, a2):
    """The sum of two polynomials."""
    try:
        return _polynomials_polyadd(a1, a2)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a1", "a2"):
            raise
    return _elsewhere(polyadd, given)


def polyder(p, m=1):
    """The derivative of a polynomial."""
    try:
        return _polynomials_polyder(p, m)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "p"):
            raise
    return _elsewhere(polyder, given)


def polydiv(u, v):
    """The quotient and remainder of two polynomials."""
    try:
        return _polynomials_polydiv(u, v)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "u", "v"):
            raise
    return _elsewhere(polydiv, given)


_polyfit = _borrow("polyfit")


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The least-squares polynomial fit of points."""
    try:
        return _polyfit(x, y, deg, rcond, full, w, cov)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x", "y", "w=None"):
            raise
    return _elsewhere(polyfit, given)


def polyint(p, m=1, k=None):
    """The integral of a polynomial."""
    try:
        return _polynomials_polyint(p, m, k)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "p", "k=None"):
            raise
    return _elsewhere(polyint, given)


_polymul = _borrow("polymul")


def polymul(a1, a2):
    """The product of two polynomials."""
    try:
        return _polymul(a1, a2)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a1", "a2"):
            raise
    return _elsewhere(polymul, given)


def polysub(a1, a2):
    """The difference of two polynomials."""
    try:
        return _polynomials_polysub(a1, a2)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a1", "a2"):
            raise
    return _elsewhere(polysub, given)


def polyval(p, x):
    """The value of a polynomial, by Horner's rule."""
    try:
        return _polynomials_polyval(p, x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "p", "x"):
            raise
    return _elsewhere(polyval, given)


_roots = _borrow("roots")


def roots(p):
    """The roots of a polynomial."""
    try:
        return _roots(p)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "p"):
            raise
    return _elsewhere(roots, given)
