//! Convolutions of vectors.
//!
//! Each result is the dot product of a window of the longer vector and the reversed shorter vector.
//! The windows form a matrix whose rows overlap in memory, so the convolution is one matrix-vector
//! product.

use super::View;
use super::pad::PadMode;
use crate::dtype::{DType, Promotion, Scalar};
use crate::shape::{Layout, MAX_DIMS, Shape};
use weft_core::error::CallError;

/// The results of a convolution to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// All results with any overlap.
    Full,
    /// The middle part, as long as the longer vector.
    Same,
    /// The results with complete overlap.
    Valid,
}

impl View {
    /// Returns the correlation of two vectors, `out[k] = sum(self[i + k] * other[i])`, starting at
    /// the first overlap. Complex numbers of the other vector are conjugated.
    pub(crate) fn correlate(&self, other: &View, overlap: Overlap) -> Result<View, CallError> {
        let backwards = other.conjugate()?.backwards(0);
        self.convolve("correlate", &backwards, overlap)
    }

    /// Returns the convolution of two vectors: `out[k] = sum(self[i] * other[k - i])`. It is
    /// computed directly, in time proportional to the product of the lengths.
    pub(crate) fn convolve(
        &self,
        operation: &'static str,
        other: &View,
        overlap: Overlap,
    ) -> Result<View, CallError> {
        let dtype = DType::promote(self.dtype(), other.dtype());
        let (long, short) = if self.len() >= other.len() {
            (self, other)
        } else {
            (other, self)
        };
        let (long, short) = (long.cast(dtype)?, short.cast(dtype)?);
        let (n, m) = (long.len(), short.len());
        // The first one of all n + m - 1 results to return, and their number.
        let (first, count) = match overlap {
            Overlap::Full => (0, n + m - 1),
            // NumPy reverses a correlation with a longer vector, and with it the middle of an even
            // number of results.
            Overlap::Same if operation == "correlate" && self.len() < other.len() => (m / 2, n),
            Overlap::Same => ((m - 1) / 2, n),
            Overlap::Valid => (m - 1, n - m + 1),
        };
        let before = m - 1 - first;
        let behind = count + m - 1 - before - n;
        let zero = PadMode::Constant(Scalar::zero(dtype));
        let line = match (before, behind) {
            (0, 0) => long,
            widths => long.pad(&[widths], zero)?,
        };
        let step = line.layout.strides[0];
        let mut strides = [0; MAX_DIMS];
        strides[..2].fill(step);
        let shape = Shape::new(&[count, m]).ok_or(CallError::Shape {
            operation,
            why: format!("{count} windows of {m} elements are more than Weft can count"),
        })?;
        let windows = Layout {
            shape,
            strides,
            offset: line.layout.offset,
        };
        let windows = line.with_layout(windows);
        // The vector is made dense, since every window is multiplied with it.
        windows.product(operation, &short.backwards(0).copied()?)
    }
}
