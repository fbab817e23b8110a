"""Fourier transforms."""

import operator as _operator

import numpy as _np

from .. import _core
from . import _caller, _fallback
from ._arguments import unwrap_out
from ._array import cast, float64, from_host, make, ndarray
from ._join import roll
from ._shape import axis_of

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft", "irfft2",
    "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip


_NORMS = ("backward", "ortho", "forward")


def _deliver(made, out):
    out = unwrap_out(out)
    if out is None:
        return made
    if not isinstance(out, (ndarray, _np.ndarray)):
        raise TypeError("return arrays must be of ArrayType")
    if out.shape != made.shape:
        raise ValueError("output array has wrong shape.")
    if not _np.can_cast(made.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast ufunc 'fft' output from {made.dtype!r} to {out.dtype!r} with casting rule 'same_kind'")
    out[...] = made
    return out


def _line(name, a, n, axis, norm, out=None):
    a = make(a)
    if not isinstance(a, ndarray):
        return _fallback.call(f"fft.{name}", getattr(_np.fft, name), (a, n, axis, norm), {} if out is None else {"out": out})
    is_half = a.dtype == _np.float16
    if a.dtype.kind in "biu":
        a = cast(a, float64)
    elif is_half:
        a = cast(a, _np.dtype("f4"))
    if norm is not None and not (isinstance(norm, str) and norm in _NORMS):
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    if isinstance(n, bool):
        raise TypeError("an integer is required")
    axis = axis_of(axis, a.ndim)
    length = a.shape[axis] if n is None else _operator.index(n)
    if n is None and name == "irfft":
        length = 2 * (length - 1)
    if length < 1:
        raise ValueError(f"Invalid number of FFT data points ({length}) specified.")
    if name in ("rfft", "ihfft") and a.dtype.kind == "c":
        raise TypeError("ufunc 'rfft_n_even' did not contain a loop with signature matching types")
    made = _core.fft(a, name, None if n is None else length, axis, "backward" if norm is None else norm)
    if is_half and name in ("irfft", "hfft"):
        made = cast(made, _np.dtype("f2"))
    return _deliver(made, out)


def fft(a, n=None, axis=-1, norm=None, out=None):
    """The spectrum of each line along an axis."""
    return _line("fft", a, n, axis, norm, out)


def ifft(a, n=None, axis=-1, norm=None, out=None):
    """The lines of spectra."""
    return _line("ifft", a, n, axis, norm, out)


def rfft(a, n=None, axis=-1, norm=None, out=None):
    """The first half of the spectrum of each real line."""
    return _line("rfft", a, n, axis, norm, out)


def irfft(a, n=None, axis=-1, norm=None, out=None):
    """The real lines of half spectra."""
    return _line("irfft", a, n, axis, norm, out)


def hfft(a, n=None, axis=-1, norm=None, out=None):
    """The real spectrum of a line of which the first half is given."""
    a = make(a)
    n = (a.shape[axis] - 1) * 2 if n is None else n
    return _line("hfft", a, n, axis, norm, out)


def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """The first half of the line of a real spectrum."""
    return _line("ihfft", a, n, axis, norm, out)


_NO_AXES = (
    "`axes` should not be `None` if `s` is not `None` (Deprecated in NumPy 2.0). In a future version of NumPy, this will raise an error and "
    "`s[i]` will correspond to the size along the transformed axis specified by `axes[i]`. To retain current behaviour, pass a sequence "
    "[0, ..., k-1] to `axes` for an array of dimension k."
)


def _lengths(a, s, axes, is_half=False):
    """The lengths and axes of a transform along several axes."""
    if s is None:
        axes = range(a.ndim) if axes is None else axes
        axes = [axis_of(axis, a.ndim) for axis in axes]
        s = [a.shape[axis] for axis in axes]
        if is_half and s:
            s[-1] = 2 * (s[-1] - 1)
        return s, axes
    if axes is None:
        _caller.warn(_NO_AXES, DeprecationWarning)
        axes = range(-len(s), 0)
    axes = [axis_of(axis, a.ndim) for axis in axes]
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    return [a.shape[axis] if length == -1 else length for length, axis in zip(s, axes)], axes


def _several(name, a, s, axes, norm, out=None):
    a = make(a)
    s, axes = _lengths(a, s, axes)
    for length, axis in reversed(list(zip(s, axes))):
        a = _line(name, a, length, axis, norm)
    return _deliver(a, out)


def fftn(a, s=None, axes=None, norm=None, out=None):
    """The spectrum along several axes."""
    return _several("fft", a, s, axes, norm, out)


def ifftn(a, s=None, axes=None, norm=None, out=None):
    """The array of a spectrum along several axes."""
    return _several("ifft", a, s, axes, norm, out)


def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The spectrum along two axes."""
    return _several("fft", a, s, axes, norm, out)


def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The array of a spectrum along two axes."""
    return _several("ifft", a, s, axes, norm, out)


def rfftn(a, s=None, axes=None, norm=None, out=None):
    """Half of the spectrum of a real array along several axes."""
    a = make(a)
    s, axes = _lengths(a, s, axes)
    a = _line("rfft", a, s[-1], axes[-1], norm)
    for length, axis in reversed(list(zip(s[:-1], axes[:-1]))):
        a = _line("fft", a, length, axis, norm)
    return _deliver(a, out)


def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """Half of the spectrum of a real array along two axes."""
    return rfftn(a, s, axes, norm, out)


def irfftn(a, s=None, axes=None, norm=None, out=None):
    """The real array of half a spectrum along several axes."""
    a = make(a)
    s, axes = _lengths(a, s, axes, is_half=True)
    for length, axis in zip(s[:-1], axes[:-1]):
        a = _line("ifft", a, length, axis, norm)
    return _line("irfft", a, s[-1], axes[-1], norm, out)


def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The real array of half a spectrum along two axes."""
    return irfftn(a, s, axes, norm, out)


def fftfreq(n, d=1.0, device=None, *, dtype=None):
    """The frequencies of a spectrum."""
    made = from_host(_np.fft.fftfreq(n, d, device=device))
    return made if dtype is None else cast(made, _np.dtype(dtype))


def rfftfreq(n, d=1.0, device=None, *, dtype=None):
    """The frequencies of half a spectrum."""
    made = from_host(_np.fft.rfftfreq(n, d, device=device))
    return made if dtype is None else cast(made, _np.dtype(dtype))


def _shifted(x, axes, sign):
    """An array with its halves exchanged along axes, twice along an axis that is named twice."""
    x = make(x)
    axes = tuple(range(x.ndim)) if axes is None else axes if isinstance(axes, (tuple, list)) else (axes,)
    axes = tuple(axis_of(axis, x.ndim) for axis in axes)
    return roll(x, tuple(sign * (x.shape[axis] // 2) for axis in axes), axes)


def fftshift(x, axes=None):
    """Moves frequency 0 to the middle of a spectrum."""
    return _shifted(x, axes, 1)


def ifftshift(x, axes=None):
    """Moves frequency 0 back to the front of a spectrum."""
    return _shifted(x, axes, -1)
