//! Discrete Fourier transforms, along one axis at a time.

use smallvec::smallvec;

use super::{View, checked};
use crate::dtype::{DType, Parameter};
use crate::kernel::fourier::FourierOp;
use crate::library;
use crate::library::fourier::Fourier;
use weft_core::error::CallError;
use weft_core::operation::Request;

/// The lines of a transform.
#[derive(Clone, Copy)]
pub(crate) struct Lines {
    /// The axis along which they run.
    pub(crate) axis: usize,
    /// The length of a line of the signal, above 0. Lines are truncated, or padded with zeros.
    pub(crate) length: usize,
    /// The factor of the results.
    pub(crate) scale: f64,
}

/// Returns the dtype of spectra.
fn spectral(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::F32 | DType::C64 => DType::C64,
        _ => DType::C128,
    }
}

impl View {
    /// Transforms each line. Transforms of complex lines read real ones without a cast.
    pub(crate) fn fourier(&self, op: FourierOp, lines: Lines) -> Result<View, CallError> {
        let complex = spectral(self.dtype());
        let from = match self.dtype().is_complex() && !op.is_from_real() {
            true => complex,
            false => complex.real(),
        };
        let to = match op.is_to_real() {
            true => complex.real(),
            false => complex,
        };
        let Lines {
            axis,
            length,
            scale,
        } = lines;
        let mut dims = self.dims().to_vec();
        dims[axis] = op.results(length);
        let shape = checked(&dims)?;
        let out = View::unwritten(&self.core, to, shape)?;
        let body = library::fourier::fourier(Fourier {
            op,
            axis: axis as u8,
            length,
            scale: Parameter(scale),
        });
        let operands = smallvec![self.cast(from)?.operand(), out.operand(),];
        self.core.submit(Request::new(body, shape, operands))?;
        Ok(out)
    }

    /// Does a complex transform along each of these axes, one after the other.
    pub(crate) fn fourier_along(&self, op: FourierOp, lines: &[Lines]) -> Result<View, CallError> {
        let Some((first, rest)) = lines.split_first() else {
            // A copy, since the view itself may change.
            return self.cast(spectral(self.dtype()))?.copied();
        };
        let first = self.fourier(op, *first)?;
        rest.iter()
            .try_fold(first, |spectrum, lines| spectrum.fourier(op, *lines))
    }
}
