"""Windows."""
# Made by python/declare.py from python/declared/windows.toml.

from .._borrowed import borrow as _borrow
from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign

__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]

# The module of a function is the public one.
__name__ = "weft.numpy"


_bartlett = _borrow("bartlett")


def bartlett(M):
    """Bartlett's window."""
    try:
        return _bartlett(M)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(bartlett, given)


_blackman = _borrow("blackman")


def blackman(M):
    """Blackman's window."""
    try:
        return _blackman(M)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(blackman, given)


_hamming = _borrow("hamming")


def hamming(M):
    """Hamming's window."""
    try:
        return _hamming(M)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(hamming, given)


_hanning = _borrow("hanning")


def hanning(M):
    """Hann's window."""
    try:
        return _hanning(M)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(hanning, given)


_i0 = _borrow("i0")


def i0(x):
    """The modified Bessel function of the first kind, of order 0."""
    try:
        return _i0(x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(i0, given)


_kaiser = _borrow("kaiser")


def kaiser(M, beta):
    """Kaiser's window."""
    try:
        return _kaiser(M, beta)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(kaiser, given)
