//! The base of a body's arrays: the memory that is lent to the body while it runs.

#![allow(
    unsafe_code,
    reason = "counts of references are only in the C interface"
)]

use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::prelude::*;
use smallvec::SmallVec;
use weft::task::{ArgumentMemory, BodyArgument};

/// Memory lent to a body. If references remain when the body ends, it is kept until they are gone.
#[pyclass(frozen, freelist = 64, name = "Lent", module = "weft._core")]
pub(crate) struct BorrowedMemory {
    kept: OnceLock<SmallVec<[ArgumentMemory; 4]>>,
}

impl BorrowedMemory {
    pub(super) fn new(py: Python<'_>) -> PyResult<Bound<'_, BorrowedMemory>> {
        let kept = OnceLock::new();
        Bound::new(py, BorrowedMemory { kept })
    }

    /// Ends the loan. If the caller's reference is not the only one, the memory of `given` is kept.
    pub(super) fn end(lent: &Bound<'_, BorrowedMemory>, given: &[BodyArgument<'_, '_>]) {
        // SAFETY: a live object.
        let references = unsafe { ffi::Py_REFCNT(lent.as_ptr()) };
        if references > 1 {
            let kept = given.iter().filter_map(BodyArgument::keep).collect();
            // A loan ends once.
            _ = lent.get().kept.set(kept);
        }
    }
}
