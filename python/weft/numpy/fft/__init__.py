"""Fourier transforms."""
# Made by python/declare.py from python/declared/fft.toml.

from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign
from .._fft import (
    fft as _fft_fft, fft2 as _fft_fft2, fftfreq as _fft_fftfreq, fftn as _fft_fftn, fftshift as _fft_fftshift, hfft as _fft_hfft,
    ifft as _fft_ifft, ifft2 as _fft_ifft2, ifftn as _fft_ifftn, ifftshift as _fft_ifftshift, ihfft as _fft_ihfft, irfft as _fft_irfft,
    irfft2 as _fft_irfft2, irfftn as _fft_irfftn, rfft as _fft_rfft, rfft2 as _fft_rfft2, rfftfreq as _fft_rfftfreq, rfftn as _fft_rfftn,
)
from .._whole import whole as _whole

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft", "irfft2", "irfftn",
    "rfft", "rfft2", "rfftfreq", "rfftn",
]

# The module of a function is the public one.
__name__ = "weft.numpy.fft"


def fft(a, n=None, axis=-1, norm=None, out=None):
    """The spectrum of each line along an axis."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_fft(a, n, axis, norm, out)
        return _fft_fft(a, n, axis, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(fft, given, "fft")


def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The spectrum along two axes."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_fft2(a, s, axes, norm, out)
        return _fft_fft2(a, s, axes, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(fft2, given, "fft")


def fftfreq(n, d=1.0, device=None, *, dtype=None):
    """The frequencies of a spectrum."""
    try:
        return _fft_fftfreq(n, d, device, dtype=dtype)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(fftfreq, given, "fft")


def fftn(a, s=None, axes=None, norm=None, out=None):
    """The spectrum along several axes."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_fftn(a, s, axes, norm, out)
        return _fft_fftn(a, s, axes, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(fftn, given, "fft")


def fftshift(x, axes=None):
    """Moves frequency 0 to the middle of a spectrum."""
    try:
        return _fft_fftshift(x, axes)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(fftshift, given, "fft")


def hfft(a, n=None, axis=-1, norm=None, out=None):
    """The real spectrum of a line of which the first half is given."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_hfft(a, n, axis, norm, out)
        return _fft_hfft(a, n, axis, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(hfft, given, "fft")


def ifft(a, n=None, axis=-1, norm=None, out=None):
    """The lines of spectra."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_ifft(a, n, axis, norm, out)
        return _fft_ifft(a, n, axis, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(ifft, given, "fft")


def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The array of a spectrum along two axes."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_ifft2(a, s, axes, norm, out)
        return _fft_ifft2(a, s, axes, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(ifft2, given, "fft")


def ifftn(a, s=None, axes=None, norm=None, out=None):
    """The array of a spectrum along several axes."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_ifftn(a, s, axes, norm, out)
        return _fft_ifftn(a, s, axes, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(ifftn, given, "fft")


def ifftshift(x, axes=None):
    """Moves frequency 0 back to the front of a spectrum."""
    try:
        return _fft_ifftshift(x, axes)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(ifftshift, given, "fft")


def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """The first half of the line of a real spectrum."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_ihfft(a, n, axis, norm, out)
        return _fft_ihfft(a, n, axis, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(ihfft, given, "fft")


def irfft(a, n=None, axis=-1, norm=None, out=None):
    """The real lines of half spectra."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_irfft(a, n, axis, norm, out)
        return _fft_irfft(a, n, axis, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(irfft, given, "fft")


def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The real array of half a spectrum along two axes."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_irfft2(a, s, axes, norm, out)
        return _fft_irfft2(a, s, axes, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(irfft2, given, "fft")


def irfftn(a, s=None, axes=None, norm=None, out=None):
    """The real array of half a spectrum along several axes."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_irfftn(a, s, axes, norm, out)
        return _fft_irfftn(a, s, axes, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(irfftn, given, "fft")


def rfft(a, n=None, axis=-1, norm=None, out=None):
    """The first half of the spectrum of each real line."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_rfft(a, n, axis, norm, out)
        return _fft_rfft(a, n, axis, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(rfft, given, "fft")


def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """Half of the spectrum of a real array along two axes."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_rfft2(a, s, axes, norm, out)
        return _fft_rfft2(a, s, axes, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(rfft2, given, "fft")


def rfftfreq(n, d=1.0, device=None, *, dtype=None):
    """The frequencies of half a spectrum."""
    try:
        return _fft_rfftfreq(n, d, device, dtype=dtype)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(rfftfreq, given, "fft")


def rfftn(a, s=None, axes=None, norm=None, out=None):
    """Half of the spectrum of a real array along several axes."""
    try:
        if out is not None:
            with _whole(out):
                return _fft_rfftn(a, s, axes, norm, out)
        return _fft_rfftn(a, s, axes, norm, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(rfftn, given, "fft")
