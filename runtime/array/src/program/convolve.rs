//! Convolutions of vectors.

use super::typed::typed;
use super::{Array, DynArray};
use crate::dtype::Number;
use crate::lower::wrong;
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

pub use crate::lower::convolve::Overlap;

impl DynArray {
    /// Returns the convolution of two vectors: `out[k] = sum(self[i] * other[k - i])`. It is
    /// computed directly, in time proportional to the product of the lengths.
    ///
    /// # Errors
    /// Returns an error if they are not vectors, one has no elements, or the dtype is `bool`.
    #[track_caller]
    pub fn convolve(&self, other: &DynArray, overlap: Overlap) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        self.check_vectors("convolve", other)?;
        let view = &self.view;
        let made = view.convolve("convolve", &other.view, overlap)?;
        Ok(made.into())
    }

    /// Returns the correlation of two vectors, `out[k] = sum(self[i + k] * other[i])`, starting at
    /// the first overlap. Complex numbers of the other vector are conjugated.
    ///
    /// # Errors
    /// Returns an error if they are not vectors, one has no elements, or the dtype is `bool`.
    #[track_caller]
    pub fn correlate(&self, other: &DynArray, overlap: Overlap) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        self.check_vectors("correlate", other)?;
        Ok(self.view.correlate(&other.view, overlap)?.into())
    }

    /// Checks that both are vectors with elements.
    fn check_vectors(&self, operation: &'static str, other: &DynArray) -> Result<(), CallError> {
        if self.ndim() != 1 || other.ndim() != 1 || self.is_empty() || other.is_empty() {
            let (left, right) = (self.shape(), other.shape());
            let why = format!("shapes {left:?} and {right:?} are not those of non-empty vectors");
            return Err(wrong(operation, &why));
        }
        Ok(())
    }
}

typed! { Number:
    /// Returns the convolution of two vectors: `out[k] = sum(self[i] * other[k - i])`.
    convolve(other: &Array<T>, overlap: Overlap) = convolve(other.as_dyn(), overlap) -> T;
    /// Returns the correlation of two vectors, `out[k] = sum(self[i + k] * other[i])`. Complex
    /// numbers of the other vector are conjugated.
    correlate(other: &Array<T>, overlap: Overlap) = correlate(other.as_dyn(), overlap) -> T;
}
