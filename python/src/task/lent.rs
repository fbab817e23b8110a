//! What the arrays of a body have as their base: the memory that is lent to the body while it runs.

#![allow(
    unsafe_code,
    reason = "counts of references are only in the C interface"
)]

use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::prelude::*;
use smallvec::SmallVec;
use weft::task::{Given, Kept};

/// Memory that is lent to a body. Where somebody still refers to it when the body ends, it is kept until nobody does.
#[pyclass(frozen, freelist = 64, module = "weft._core")]
pub(crate) struct Lent {
    kept: OnceLock<SmallVec<[Kept; 4]>>,
}

impl Lent {
    pub(super) fn new(py: Python<'_>) -> PyResult<Bound<'_, Lent>> {
        let kept = OnceLock::new();
        Bound::new(py, Lent { kept })
    }

    /// Ends the loan: if anyone but the caller has it, memory that `given` lies in stays.
    pub(super) fn end(lent: &Bound<'_, Lent>, given: &[Given<'_, '_>]) {
        // SAFETY: an object that is referred to.
        let references = unsafe { ffi::Py_REFCNT(lent.as_ptr()) };
        if references > 1 {
            let kept = given.iter().filter_map(Given::keep).collect();
            // A loan ends once.
            _ = lent.get().kept.set(kept);
        }
    }
}
