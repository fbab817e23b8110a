//! Annotated parts of the program.

use pyo3::prelude::*;
use weft::Annotation;

use crate::on_thread::OnThread;

/// An open scope of the thread that opened it.
#[pyclass(module = "weft._core")]
pub(crate) struct Scope {
    open: OnThread<Annotation>,
}

#[pymethods]
impl Scope {
    /// Opens a scope: its name, the first of its GPUs and one past the last, whether its tasks stay
    /// on CPUs, and their priority. Missing values are inherited from the enclosing scope.
    #[new]
    #[pyo3(signature = (name=None, gpus=None, cpus=false, priority=None))]
    fn new(
        name: Option<&str>,
        gpus: Option<(usize, usize)>,
        cpus: bool,
        priority: Option<i8>,
    ) -> Scope {
        let mut scope = weft::scope();
        if let Some(name) = name {
            scope = scope.name(name);
        }
        if let Some((first, end)) = gpus {
            scope = scope.gpus(first..end);
        }
        if cpus {
            scope = scope.cpus();
        }
        if let Some(priority) = priority {
            scope = scope.priority(priority);
        }
        Scope {
            open: OnThread::new(scope.enter()),
        }
    }

    /// Ends the scope.
    fn close(&self) {
        drop(self.open.take());
    }
}
