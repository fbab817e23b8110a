//! Calls on arrays of any dtype.

use smallvec::smallvec;

use super::{Along, Norm};
use crate::dtype::{DType, Parameter};
use crate::kernel::fourier::FourierOp;
use crate::library;
use crate::library::fourier::Fourier;
use crate::program::DynArray;
use crate::program::forward::checked;
use weft_core::error::CallError;
use weft_core::operation::Request;
use weft_core::site::Site;

/// The dtype of spectra.
fn spectral(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::F32 | DType::C64 => DType::C64,
        _ => DType::C128,
    }
}

impl DynArray {
    /// The spectrum of each line.
    ///
    /// # Errors
    /// The axis is out of bounds, or lines have no elements.
    #[track_caller]
    pub fn fft(&self, along: Along) -> Result<DynArray, CallError> {
        self.fourier(FourierOp::Forward, along, Site::caller())
    }

    /// The inverse transform of each line.
    ///
    /// # Errors
    /// The axis is out of bounds, or lines have no elements.
    #[track_caller]
    pub fn ifft(&self, along: Along) -> Result<DynArray, CallError> {
        self.fourier(FourierOp::Inverse, along, Site::caller())
    }

    /// The first half of the spectrum of each real line: `length / 2 + 1` elements.
    ///
    /// # Errors
    /// The axis is out of bounds, lines have no elements, or the dtype is complex.
    #[track_caller]
    pub fn rfft(&self, along: Along) -> Result<DynArray, CallError> {
        self.fourier(FourierOp::RealForward, along, Site::caller())
    }

    /// The real lines whose half spectra these are.
    ///
    /// # Errors
    /// The axis is out of bounds, or lines have no elements.
    #[track_caller]
    pub fn irfft(&self, along: Along) -> Result<DynArray, CallError> {
        self.fourier(FourierOp::RealInverse, along, Site::caller())
    }

    pub(super) fn fourier(
        &self,
        op: FourierOp,
        along: Along,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let operation = op.name();
        let axis = match along.axis {
            Some(axis) => self.check_axis(axis)?,
            None => self.last_axis()?,
        };
        let known = self.shape()[axis];
        let length = along.length.unwrap_or(match op {
            FourierOp::RealInverse => 2 * known.saturating_sub(1),
            _ => known,
        });
        if length == 0 {
            let why = "a line has no elements".to_owned();
            return Err(CallError::Shape { operation, why });
        }
        let dtype = self.dtype();
        if op == FourierOp::RealForward && dtype.is_complex() {
            return Err(CallError::DType { operation, dtype });
        }
        let complex = spectral(dtype);
        let (from, to) = match op {
            FourierOp::Forward | FourierOp::Inverse => (complex, complex),
            FourierOp::RealForward => (complex.real(), complex),
            FourierOp::RealInverse => (complex, complex.real()),
        };
        let mut dims = self.shape().to_vec();
        dims[axis] = op.results(length);
        let shape = checked(&dims)?;
        let out = DynArray::unwritten(&self.core, to, shape, call)?;
        let is_inverse = matches!(op, FourierOp::Inverse | FourierOp::RealInverse);
        let body = library::fourier::fourier(Fourier {
            op,
            axis: axis as u8,
            length,
            scale: Parameter(along.norm.scale(length, is_inverse)),
        });
        let operands = smallvec![self.cast_by(from, call)?.operand(), out.operand(),];
        self.core
            .submit(Request::new(call, body, shape, operands))?;
        Ok(out)
    }

    /// The spectrum along several axes; along all if none is given.
    ///
    /// # Errors
    /// The axis is out of bounds, or it has no elements.
    #[track_caller]
    pub fn fftn(&self, axes: Option<&[usize]>, norm: Norm) -> Result<DynArray, CallError> {
        self.fourier_along(FourierOp::Forward, axes, norm, Site::caller())
    }

    /// The inverse of [`fftn`](Self::fftn).
    ///
    /// # Errors
    /// The axis is out of bounds, or it has no elements.
    #[track_caller]
    pub fn ifftn(&self, axes: Option<&[usize]>, norm: Norm) -> Result<DynArray, CallError> {
        self.fourier_along(FourierOp::Inverse, axes, norm, Site::caller())
    }

    pub(super) fn fourier_along(
        &self,
        op: FourierOp,
        axes: Option<&[usize]>,
        norm: Norm,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let all: Vec<usize> = (0..self.ndim()).collect();
        let axes = axes.unwrap_or(&all);
        let mut spectrum = self.cast_by(spectral(self.dtype()), call)?;
        for axis in axes.iter().rev() {
            let along = Along {
                axis: Some(*axis),
                length: None,
                norm,
            };
            spectrum = spectrum.fourier(op, along, call)?;
        }
        match axes {
            // Not the array itself, which may change.
            [] => spectrum.copied(call),
            _ => Ok(spectrum),
        }
    }

    /// A copy with frequency 0 moved from the front to the middle, along these axes, or all if none is given.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn fftshift(&self, axes: Option<&[usize]>) -> Result<DynArray, CallError> {
        self.shifted(axes, |length| length / 2)
    }

    /// The inverse of [`fftshift`](Self::fftshift).
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn ifftshift(&self, axes: Option<&[usize]>) -> Result<DynArray, CallError> {
        self.shifted(axes, |length| length.div_ceil(2))
    }

    #[track_caller]
    fn shifted(
        &self,
        axes: Option<&[usize]>,
        by: impl Fn(usize) -> usize,
    ) -> Result<DynArray, CallError> {
        let all: Vec<usize> = (0..self.ndim()).collect();
        let axes = axes.unwrap_or(&all);
        let Some((first, rest)) = axes.split_first() else {
            return self.copied(Site::caller());
        };
        let length = self.shape()[self.check_axis(*first)?];
        let mut shifted = self.roll(by(length) as isize, Some(*first))?;
        for axis in rest {
            let length = self.shape()[self.check_axis(*axis)?];
            shifted = shifted.roll(by(length) as isize, Some(*axis))?;
        }
        Ok(shifted)
    }
}
