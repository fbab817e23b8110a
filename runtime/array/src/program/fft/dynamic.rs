//! Calls on arrays of any dtype.

use super::{Along, Norm};
use crate::kernel::fourier::FourierOp;
use crate::lower::fourier::Lines;
use crate::lower::wrong;
use crate::program::DynArray;
use weft_core::error::CallError;
use weft_core::site::Site;

impl DynArray {
    /// Returns the spectrum of each line.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or lines have no elements.
    #[track_caller]
    pub fn fft(&self, along: Along) -> Result<DynArray, CallError> {
        self.fourier(FourierOp::Forward, along)
    }

    /// Returns the inverse transform of each line.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or lines have no elements.
    #[track_caller]
    pub fn ifft(&self, along: Along) -> Result<DynArray, CallError> {
        self.fourier(FourierOp::Inverse, along)
    }

    /// Returns the first half of the spectrum of each real line: `length / 2 + 1` elements.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, lines have no elements, or the dtype is
    /// complex.
    #[track_caller]
    pub fn rfft(&self, along: Along) -> Result<DynArray, CallError> {
        self.fourier(FourierOp::RealForward, along)
    }

    /// Returns the real lines with these half spectra.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or lines have no elements.
    #[track_caller]
    pub fn irfft(&self, along: Along) -> Result<DynArray, CallError> {
        self.fourier(FourierOp::RealInverse, along)
    }

    /// Returns the real spectrum of each line, of which the first half is given. The other elements
    /// of a line are the conjugated ones in reverse.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or lines have no elements.
    #[track_caller]
    pub fn hfft(&self, along: Along) -> Result<DynArray, CallError> {
        self.fourier(FourierOp::Hermitian, along)
    }

    /// Returns the first half of each line with this real spectrum: the inverse of
    /// [`hfft`](Self::hfft).
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, lines have no elements, or the dtype is
    /// complex.
    #[track_caller]
    pub fn ihfft(&self, along: Along) -> Result<DynArray, CallError> {
        self.fourier(FourierOp::HermitianInverse, along)
    }

    /// Returns the spectrum along several axes, or along all if none is given.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or it has no elements.
    #[track_caller]
    pub fn fftn(&self, axes: Option<&[usize]>, norm: Norm) -> Result<DynArray, CallError> {
        self.fourier_along(FourierOp::Forward, axes, norm)
    }

    /// Returns the inverse of [`fftn`](Self::fftn).
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or it has no elements.
    #[track_caller]
    pub fn ifftn(&self, axes: Option<&[usize]>, norm: Norm) -> Result<DynArray, CallError> {
        self.fourier_along(FourierOp::Inverse, axes, norm)
    }

    /// Returns a copy with frequency 0 moved from the front to the middle, along these axes, or all
    /// if none is given.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn fftshift(&self, axes: Option<&[usize]>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        self.shifted(axes, |length| length / 2)
    }

    /// Returns the inverse of [`fftshift`](Self::fftshift).
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn ifftshift(&self, axes: Option<&[usize]>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        self.shifted(axes, |length| length.div_ceil(2))
    }

    /// Transforms each line.
    #[track_caller]
    pub(super) fn fourier(&self, op: FourierOp, along: Along) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let operation = op.name();
        let axis = match along.axis {
            Some(axis) => self.view.check_axis(axis)?,
            None => self.view.last_axis()?,
        };
        let known = self.shape()[axis];
        let length = along.length.unwrap_or(match op {
            op if op.is_to_real() => 2 * known.saturating_sub(1),
            _ => known,
        });
        check_length(op, length)?;
        let dtype = self.dtype();
        if op.is_from_real() && dtype.is_complex() {
            return Err(CallError::DType { operation, dtype });
        }
        let lines = Lines {
            axis,
            length,
            scale: along.norm.scale(length, op.is_inverse()),
        };
        Ok(self.view.fourier(op, lines)?.into())
    }

    /// Transforms along several axes, the last one first, or along all if none is given.
    #[track_caller]
    pub(super) fn fourier_along(
        &self,
        op: FourierOp,
        axes: Option<&[usize]>,
        norm: Norm,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let all: Vec<usize> = (0..self.ndim()).collect();
        let axes = axes.unwrap_or(&all).iter().rev();
        let lines = axes.map(|&axis| {
            let length = self.shape()[self.view.check_axis(axis)?];
            check_length(op, length)?;
            let scale = norm.scale(length, op == FourierOp::Inverse);
            Ok(Lines {
                axis,
                length,
                scale,
            })
        });
        let lines = lines.collect::<Result<Vec<Lines>, CallError>>()?;
        Ok(self.view.fourier_along(op, &lines)?.into())
    }

    fn shifted(
        &self,
        axes: Option<&[usize]>,
        by: impl Fn(usize) -> usize,
    ) -> Result<DynArray, CallError> {
        let all: Vec<usize> = (0..self.ndim()).collect();
        let mut shifts = vec![0; self.ndim()];
        for &axis in axes.unwrap_or(&all) {
            let length = self.shape()[self.view.check_axis(axis)?];
            shifts[axis] += by(length) as isize;
        }
        Ok(self.view.roll(&shifts)?.into())
    }
}

fn check_length(op: FourierOp, length: usize) -> Result<(), CallError> {
    match length {
        0 => Err(wrong(op.name(), "a line has no elements")),
        _ => Ok(()),
    }
}
