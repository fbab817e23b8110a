//! Calls on arrays of a known type.

use super::{Along, Norm};
use crate::dtype::{Element, Float, Inexact, Number};
use crate::kernel::fourier::FourierOp;
use crate::program::{Array, from_slice};
use weft_core::error::{CallError, Error, at_call};

/// The parts of the spectrum of a type.
type Part<T> = <<T as Inexact>::Complex as Number>::Magnitude;

macro_rules! lines {
    ($($(#[$doc:meta])* $name:ident, $along:ident, $try_name:ident = $op:ident: $bound:ident -> $out:ty;)*) => {
        $($(#[$doc])*
        #[doc = concat!("Along the last axis; [`", stringify!($along), "`] takes another one, another length and norm.")]
        ///
        /// # Panics
        /// Panics at the caller's line if there is no axis, or lines have no elements.
        #[track_caller]
        #[must_use]
        pub fn $name<T: $bound>(a: &Array<T>) -> Array<$out> {
            at_call($try_name(a, Along::default()))
        }

        $(#[$doc])*
        ///
        /// # Panics
        /// Panics at the caller's line if the axis is out of bounds, or lines have no elements.
        #[track_caller]
        #[must_use]
        pub fn $along<T: $bound>(a: &Array<T>, along: Along) -> Array<$out> {
            at_call($try_name(a, along))
        }

        #[doc = concat!("Like [`", stringify!($along), "`], but returns errors.")]
        ///
        /// # Errors
        /// Returns an error if the axis is out of bounds, or lines have no elements.
        #[track_caller]
        pub fn $try_name<T: $bound>(a: &Array<T>, along: Along) -> Result<Array<$out>, Error> {
            let spectrum = a.as_dyn().fourier(FourierOp::$op, along)?;
            Ok(Array::wrap(spectrum))
        })*
    };
}

lines! {
    /// The spectrum of each line.
    fft, fft_along, try_fft = Forward: Inexact -> T::Complex;
    /// The inverse transform of each line.
    ifft, ifft_along, try_ifft = Inverse: Inexact -> T::Complex;
    /// The first half of the spectrum of each real line, which determines the rest:
    /// `length / 2 + 1` elements.
    rfft, rfft_along, try_rfft = RealForward: Float -> T::Complex;
    /// The real lines with these half spectra: the inverse of [`rfft`]. The length is even unless
    /// given.
    irfft, irfft_along, try_irfft = RealInverse: Inexact -> Part<T>;
    /// The real spectrum of each line, of which the first half is given. The length is even unless
    /// given.
    hfft, hfft_along, try_hfft = Hermitian: Inexact -> Part<T>;
    /// The first half of each line with this real spectrum: the inverse of [`hfft`].
    ihfft, ihfft_along, try_ihfft = HermitianInverse: Float -> T::Complex;
}

macro_rules! grids {
    ($($(#[$doc:meta])* $name:ident, $try_name:ident, $two:ident = $op:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Panics
        /// Panics at the caller's line if the axis is out of bounds, or it has no elements.
        #[track_caller]
        #[must_use]
        pub fn $name<T: Inexact>(a: &Array<T>, axes: Option<&[usize]>, norm: Norm) -> Array<T::Complex> {
            at_call($try_name(a, axes, norm))
        }

        #[doc = concat!("Like [`", stringify!($name), "`], but returns errors.")]
        ///
        /// # Errors
        /// Returns an error if the axis is out of bounds, or it has no elements.
        #[track_caller]
        pub fn $try_name<T: Inexact>(a: &Array<T>, axes: Option<&[usize]>, norm: Norm) -> Result<Array<T::Complex>, Error> {
            let spectrum = a.as_dyn().fourier_along(FourierOp::$op, axes, norm)?;
            Ok(Array::wrap(spectrum))
        }

        #[doc = concat!("[`", stringify!($name), "`] along the last two axes.")]
        ///
        /// # Panics
        /// Panics at the caller's line if there are fewer than two axes, or one has no elements.
        #[track_caller]
        #[must_use]
        pub fn $two<T: Inexact>(a: &Array<T>) -> Array<T::Complex> {
            let axes = [a.ndim().wrapping_sub(2), a.ndim().wrapping_sub(1)];
            at_call($try_name(a, Some(&axes), Norm::default()))
        })*
    };
}

grids! {
    /// The spectrum along several axes, or along all if none is given.
    fftn, try_fftn, fft2 = Forward;
    /// The inverse of [`fftn`].
    ifftn, try_ifftn, ifft2 = Inverse;
}

/// Returns a copy with frequency 0 moved from the front to the middle, along these axes, or all if
/// none is given.
///
/// # Panics
/// Panics at the caller's line if the axis is out of bounds.
#[track_caller]
#[must_use]
pub fn fftshift<T: Element>(a: &Array<T>, axes: Option<&[usize]>) -> Array<T> {
    Array::wrap(at_call(a.as_dyn().fftshift(axes)))
}

/// Returns the inverse of [`fftshift`].
///
/// # Panics
/// Panics at the caller's line if the axis is out of bounds.
#[track_caller]
#[must_use]
pub fn ifftshift<T: Element>(a: &Array<T>, axes: Option<&[usize]>) -> Array<T> {
    Array::wrap(at_call(a.as_dyn().ifftshift(axes)))
}

/// Returns the frequencies of the elements of a spectrum, in cycles per unit of `spacing`: 0 and
/// the positive ones, then the negative ones.
///
/// # Panics
/// Panics at the caller's line if `length` is 0.
#[track_caller]
#[must_use]
pub fn fftfreq(length: usize, spacing: f64) -> Array<f64> {
    let positive = length.div_ceil(2);
    frequencies("fftfreq", length, length, spacing, |at| {
        match at < positive {
            true => at as f64,
            false => at as f64 - length as f64,
        }
    })
}

/// Returns the frequencies of the elements of half a spectrum, in cycles per unit of `spacing`.
///
/// # Panics
/// Panics at the caller's line if `length` is 0.
#[track_caller]
#[must_use]
pub fn rfftfreq(length: usize, spacing: f64) -> Array<f64> {
    frequencies("rfftfreq", length / 2 + 1, length, spacing, |at| at as f64)
}

#[track_caller]
fn frequencies(
    operation: &'static str,
    count: usize,
    length: usize,
    spacing: f64,
    number: impl Fn(usize) -> f64,
) -> Array<f64> {
    let why = "a line has no elements".to_owned();
    let wrong = CallError::Shape { operation, why };
    at_call((length > 0).then_some(()).ok_or(wrong));
    let unit = (length as f64 * spacing).recip();
    let values: Vec<f64> = (0..count).map(|at| number(at) * unit).collect();
    from_slice(&values)
}
