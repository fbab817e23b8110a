//! Parts of the program that it names itself.

use pyo3::prelude::*;
use weft::Annotation;

/// An open scope of the thread that opened it.
#[pyclass(unsendable, module = "weft._core")]
pub(crate) struct Scope {
    open: Option<Annotation>,
}

#[pymethods]
impl Scope {
    /// Opens a scope.
    #[new]
    fn new(name: &str) -> Scope {
        Scope {
            open: Some(weft::annotate(name)),
        }
    }

    /// Ends the scope.
    fn close(&mut self) {
        self.open = None;
    }
}
