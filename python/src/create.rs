//! Arrays created without input arrays: filled, counted, random.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::program::random::{Generator, seeded};
use weft::shape::MAX_DIMS;

use crate::dtype::DTypeArgument;
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::{frame, plain, run, scalar};

/// An array filled with one value; if `is_unified`, in unified memory of GPUs.
#[pyfunction]
#[pyo3(signature = (shape, value, dtype, is_unified=false))]
pub(crate) fn full(
    py: Python<'_>,
    shape: Vec<usize>,
    value: &Bound<'_, PyAny>,
    dtype: DTypeArgument,
    is_unified: bool,
) -> PyResult<ResultArray> {
    let value = scalar::convert_to(value, dtype.0)?;
    let _entered = frame::enter(py);
    let runtime = run::current()?;
    let made = match is_unified {
        true => DynArray::full_unified(&runtime, &shape, value),
        false => DynArray::full(&runtime, &shape, value),
    };
    Ok(ResultArray::own(made.raise()?))
}

/// An uninitialized array.
#[pyfunction]
pub(crate) fn empty(
    py: Python<'_>,
    shape: Vec<usize>,
    dtype: DTypeArgument,
) -> PyResult<ResultArray> {
    let _entered = frame::enter(py);
    Ok(ResultArray::own(
        DynArray::empty(&run::current()?, &shape, dtype.0).raise()?,
    ))
}

/// An array of one value of `float64`, or, if `is_set` is false, elements to be written before they
/// are read; `None` if the shape is not an integer or a sequence of integers, or if one is
/// negative.
#[pyfunction]
#[pyo3(signature = (shape, is_set=true, value=0.0))]
pub(crate) fn zeros(
    shape: &Bound<'_, PyAny>,
    is_set: bool,
    value: f64,
) -> PyResult<Option<ResultArray>> {
    new(shape, DType::F64, is_set, value)
}

/// [`zeros`] of any dtype.
pub(crate) fn new(
    shape: &Bound<'_, PyAny>,
    dtype: DType,
    is_set: bool,
    value: f64,
) -> PyResult<Option<ResultArray>> {
    // Arrays of more axes are NumPy's.
    let lengths = plain::lengths(shape).filter(|lengths| lengths.len() <= MAX_DIMS);
    let Some(lengths) = lengths else {
        return Ok(None);
    };
    let _entered = frame::enter(shape.py());
    let runtime = run::current()?;
    let made = match is_set {
        true => DynArray::full(&runtime, &lengths, Scalar::F64(value).cast(dtype)),
        false => DynArray::empty(&runtime, &lengths, dtype),
    };
    Ok(Some(ResultArray::own(made.raise()?)))
}

/// `count` elements from `start` by `step`.
#[pyfunction]
pub(crate) fn arange(
    py: Python<'_>,
    start: &Bound<'_, PyAny>,
    step: &Bound<'_, PyAny>,
    count: usize,
    dtype: DTypeArgument,
) -> PyResult<ResultArray> {
    let start = scalar::convert_to(start, dtype.0)?;
    let step = scalar::convert_to(step, dtype.0)?;
    let _entered = frame::enter(py);
    Ok(ResultArray::own(
        DynArray::arange(&run::current()?, start, step, count).raise()?,
    ))
}

/// `count` numbers of `float64` from `start` to `stop`.
#[pyfunction]
pub(crate) fn linspace(
    py: Python<'_>,
    start: f64,
    stop: f64,
    count: usize,
    endpoint: bool,
) -> PyResult<ResultArray> {
    let _entered = frame::enter(py);
    Ok(ResultArray::own(
        DynArray::linspace(&run::current()?, start, stop, count, endpoint).raise()?,
    ))
}

/// A matrix with ones on a diagonal.
#[pyfunction]
pub(crate) fn eye(
    py: Python<'_>,
    rows: usize,
    columns: usize,
    diagonal: isize,
    dtype: DTypeArgument,
) -> PyResult<ResultArray> {
    let _entered = frame::enter(py);
    Ok(ResultArray::own(
        DynArray::eye(&run::current()?, dtype.0, rows, columns, diagonal).raise()?,
    ))
}

/// A source of random arrays: Philox4x32-10, whose values depend on seed, call and position alone.
#[pyclass(frozen, module = "weft._core")]
pub(crate) struct Random {
    #[pyo3(get)]
    seed: u64,
    generator: Generator,
}

#[pymethods]
impl Random {
    #[new]
    #[pyo3(signature = (seed, calls=0))]
    fn new(seed: u64, calls: u64) -> Random {
        let generator = seeded(seed);
        generator.set_calls(calls);
        Random { seed, generator }
    }

    /// The number of generated arrays.
    #[getter]
    fn calls(&self) -> u64 {
        self.generator.calls()
    }

    /// Sets the number of arrays drawn, which the next one continues from.
    fn set_calls(&self, calls: u64) {
        self.generator.set_calls(calls);
    }

    /// Uniformly distributed numbers from 0 up to 1.
    fn uniform(
        &self,
        py: Python<'_>,
        shape: Vec<usize>,
        dtype: DTypeArgument,
    ) -> PyResult<ResultArray> {
        let _entered = frame::enter(py);
        let made = self.generator.uniform_of(&run::current()?, dtype.0, &shape);
        Ok(ResultArray::own(made.raise()?))
    }

    /// Samples from the standard normal distribution.
    fn normal(
        &self,
        py: Python<'_>,
        shape: Vec<usize>,
        dtype: DTypeArgument,
    ) -> PyResult<ResultArray> {
        let _entered = frame::enter(py);
        let made = self.generator.normal_of(&run::current()?, dtype.0, &shape);
        Ok(ResultArray::own(made.raise()?))
    }

    /// [`uniform`](Self::uniform) or [`normal`](Self::normal) numbers of `float64` in a shape of
    /// NumPy: an integer or a sequence of integers. `None` for other shapes.
    fn plain(&self, size: &Bound<'_, PyAny>, is_normal: bool) -> PyResult<Option<ResultArray>> {
        let Some(lengths) = plain::lengths(size) else {
            return Ok(None);
        };
        let _entered = frame::enter(size.py());
        let runtime = run::current()?;
        let made = match is_normal {
            true => self.generator.normal_of(&runtime, DType::F64, &lengths),
            false => self.generator.uniform_of(&runtime, DType::F64, &lengths),
        };
        Ok(Some(ResultArray::own(made.raise()?)))
    }

    /// Integers from `low` up to `high`.
    fn integers(
        &self,
        py: Python<'_>,
        low: i128,
        high: i128,
        shape: Vec<usize>,
        dtype: DTypeArgument,
    ) -> PyResult<ResultArray> {
        if low >= high {
            return Err(PyValueError::new_err("low >= high"));
        }
        let _entered = frame::enter(py);
        let runtime = run::current()?;
        let made = self
            .generator
            .integers_of(&runtime, dtype.0, low, high, &shape);
        Ok(ResultArray::own(made.raise()?))
    }
}
