//! The context of a tile, for the body of a task.

use std::ops::Range;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyRange, PyTuple};
use weft::task::{BodyArgument, Context, GpuContext};

type Ranges = Vec<Range<usize>>;

/// One tile of a task, for its body.
#[pyclass(frozen, module = "weft", name = "TaskContext")]
pub(crate) struct TaskContext {
    name: String,
    tile: usize,
    tiles: usize,
    shape: Vec<usize>,
    ranges: Ranges,
    /// The tile's part of each array.
    parts: Vec<(String, Ranges)>,
    /// The stream, and the GPU's ordinal, on a GPU.
    stream: Option<(u64, i32)>,
}

impl TaskContext {
    /// Creates the context of a body on a CPU.
    pub(super) fn on_cpu(
        name: &str,
        context: &Context<'_, '_>,
        given: &[BodyArgument<'_, '_>],
    ) -> TaskContext {
        let arrays = given.iter().filter(|one| one.parameter().is_array());
        TaskContext {
            name: name.to_owned(),
            tile: context.tile(),
            tiles: context.tiles(),
            shape: context.shape().to_vec(),
            ranges: context.ranges().to_vec(),
            parts: arrays.map(|one| part(one.name(), one.bounds())).collect(),
            stream: None,
        }
    }

    /// Creates the context of a body on a GPU.
    pub(super) fn on_gpu(name: &str, context: &GpuContext<'_>) -> TaskContext {
        let arrays = context.given().iter();
        let arrays = arrays.filter(|one| one.parameter().is_array());
        TaskContext {
            name: name.to_owned(),
            tile: context.tile(),
            tiles: context.tiles(),
            shape: context.shape().to_vec(),
            ranges: context.ranges().to_vec(),
            parts: arrays.map(|one| part(one.name(), one.bounds())).collect(),
            stream: Some((context.stream(), context.device())),
        }
    }
}

/// The part of an array with these first indices, and those one past the last.
fn part(name: &str, bounds: &[(usize, usize)]) -> (String, Ranges) {
    let ranges = bounds.iter().map(|(first, end)| *first..*end);
    (name.to_owned(), ranges.collect())
}

fn ranges<'py>(py: Python<'py>, of: &[Range<usize>]) -> PyResult<Bound<'py, PyTuple>> {
    let made = of
        .iter()
        .map(|range| PyRange::new(py, range.start as isize, range.end as isize));
    PyTuple::new(py, made.collect::<PyResult<Vec<_>>>()?)
}

#[pymethods]
impl TaskContext {
    /// The task's name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The number of the tile.
    #[getter]
    fn tile(&self) -> usize {
        self.tile
    }

    /// The number of tiles of the call.
    #[getter]
    fn tiles(&self) -> usize {
        self.tiles
    }

    /// The handle of the tile's stream (`cudaStream_t`) on a GPU; `None` on a CPU.
    #[getter]
    fn stream(&self) -> Option<u64> {
        self.stream.map(|(stream, _)| stream)
    }

    /// The GPU's ordinal among those visible to the process; `None` on a CPU.
    #[getter]
    fn device(&self) -> Option<i32> {
        self.stream.map(|(_, device)| device)
    }

    /// The task's shape, all tiles together.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// The indices of the task's shape that the tile covers, along each axis.
    #[getter]
    fn ranges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        ranges(py, &self.ranges)
    }

    /// The indices of a parameter's array that belong to the tile, along each axis.
    fn ranges_of<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyTuple>> {
        let mut parts = self.parts.iter();
        match parts.find(|(of, _)| of == name) {
            Some((_, found)) => ranges(py, found),
            None => Err(PyKeyError::new_err(format!(
                "{}: {name} is not an array of the task",
                self.name
            ))),
        }
    }

    fn __repr__(&self) -> String {
        format!(
            "<tile {} of {} of {}: {:?} of {:?}>",
            self.tile, self.tiles, self.name, self.ranges, self.shape
        )
    }
}
