"""Polynomials."""
# Made by python/declare.py from python/declared/polynomials.toml.

from .._borrowed import borrow as _borrow
from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign
from .._math import polyval as _math_polyval

__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval", "roots"]

# The module of a function is the public one.
__name__ = "weft.numpy"


_poly = _borrow("poly")


def poly(seq_of_zeros):
    """The coefficients of the polynomial that has these roots."""
    try:
        return _poly(seq_of_zeros)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "seq_of_zeros"):
            raise
    return _elsewhere(poly, given)


_polyadd = _borrow("polyadd")


def polyadd(a1, a2):
    """The sum of two polynomials."""
    try:
        return _polyadd(a1, a2)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a1", "a2"):
            raise
    return _elsewhere(polyadd, given)


_polyder = _borrow("polyder")


def polyder(p, m=1):
    """The derivative of a polynomial."""
    try:
        return _polyder(p, m)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "p"):
            raise
    return _elsewhere(polyder, given)


_polydiv = _borrow("polydiv")


def polydiv(u, v):
    """The quotient and remainder of two polynomials."""
    try:
        return _polydiv(u, v)
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


_polyint = _borrow("polyint")


def polyint(p, m=1, k=None):
    """The integral of a polynomial."""
    try:
        return _polyint(p, m, k)
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


_polysub = _borrow("polysub")


def polysub(a1, a2):
    """The difference of two polynomials."""
    try:
        return _polysub(a1, a2)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a1", "a2"):
            raise
    return _elsewhere(polysub, given)


def polyval(p, x):
    """The value of a polynomial, by Horner's rule."""
    try:
        return _math_polyval(p, x)
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
