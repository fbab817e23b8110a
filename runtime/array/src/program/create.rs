//! Functions that create arrays. Shapes are slices: `zeros::<f64>(&[n, n])`.

use super::{Array, DynArray};
use crate::dtype::{DType, Element, Number, Parameter, Real, Scalar, f16};
use crate::lower::generate::Generator;
use crate::lower::{View, checked, wrong};
use ndarray::{ArrayRef, Dimension};
use weft_core::error::{CallError, at_call};
use weft_core::runtime::{Runtime, current};
use weft_core::site::Site;

impl DynArray {
    /// Returns a new array filled with `value`, on `runtime`.
    ///
    /// # Errors
    /// Returns an error if the shape has too many dimensions or elements.
    #[track_caller]
    pub fn full(runtime: &Runtime, dims: &[usize], value: Scalar) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let core = runtime.core();
        Ok(View::filled(core, value.dtype(), dims, value)?.into())
    }

    /// Returns a new array filled with `value`, in unified memory: its pages move between the GPUs
    /// and main memory as they are used, so that it may be larger than a GPU's memory.
    ///
    /// # Errors
    /// Returns an error as [`full`](Self::full) does, and if the run has no GPU that shares memory
    /// with the host.
    #[track_caller]
    pub fn full_unified(
        runtime: &Runtime,
        dims: &[usize],
        value: Scalar,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(View::filled_unified(runtime.core(), dims, value)?.into())
    }

    /// Creates an array that must be written before it is read, on `runtime`. A large one has the
    /// contents of its memory, which saves a pass over it. Small ones are zeros, and so are those
    /// of booleans, with GPUs and on several ranks.
    ///
    /// # Errors
    /// Returns an error if the shape has too many dimensions or elements.
    #[track_caller]
    pub fn empty(runtime: &Runtime, dims: &[usize], dtype: DType) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(View::unset(runtime.core(), dtype, dims)?.into())
    }

    /// Returns a new array from the program's values in row-major order, on `runtime`.
    ///
    /// # Errors
    /// Returns an error if the number of values does not match the shape.
    #[track_caller]
    pub fn from_vec<T: Element>(
        runtime: &Runtime,
        dims: &[usize],
        values: Vec<T>,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let shape = checked(dims)?;
        if shape.len() != values.len() {
            let why = format!("{} values for shape {shape:?}", values.len());
            return Err(wrong("load", &why));
        }
        Ok(View::from_vec(runtime.core(), shape, values)?.into())
    }
}

/// Returns the runtime for a new array. If there is none, it is started from `WEFT_CONFIG`, and
/// configuration errors panic here.
#[track_caller]
fn runtime() -> Runtime {
    at_call(current())
}

#[track_caller]
pub(super) fn generate<T: Element>(dims: &[usize], generator: Generator) -> Array<T> {
    let _call = Site::enter_caller();
    let runtime = runtime();
    let made = View::generated(runtime.core(), T::DTYPE, dims, generator);
    Array::wrap(at_call(made).into())
}

/// Returns an array filled with `value`.
///
/// # Panics
/// Panics at the caller's line if the shape has too many dimensions or elements, or `WEFT_CONFIG`
/// is invalid, like all functions of this module.
#[track_caller]
pub fn full<T: Element>(dims: &[usize], value: T) -> Array<T> {
    Array::wrap(at_call(DynArray::full(&runtime(), dims, value.to_scalar())))
}

/// Returns an array of zeros (or of `false`).
#[track_caller]
pub fn zeros<T: Element>(dims: &[usize]) -> Array<T> {
    full(dims, T::ZERO)
}

/// Returns an array of ones (or of `true`).
#[track_caller]
pub fn ones<T: Element>(dims: &[usize]) -> Array<T> {
    full(dims, T::ONE)
}

/// Returns `0, 1, ...`, up to `stop` (exclusive).
#[track_caller]
pub fn arange<T: Real>(stop: T) -> Array<T> {
    arange_step(T::ZERO, stop, T::ONE)
}

/// Returns `start, start + step, ...`, up to `stop` (exclusive): `ceil((stop - start) / step)`
/// values.
///
/// # Panics
/// Panics at the caller's line like [`full`], and if `step` is 0.
#[track_caller]
pub fn arange_step<T: Real>(start: T, stop: T, step: T) -> Array<T> {
    let (start, stop, step) = (start.to_scalar(), stop.to_scalar(), step.to_scalar());
    let Some(count) = steps(start, stop, step) else {
        let why = format!("no values from {start} to {stop} with step {step}");
        return at_call(Err(CallError::Shape {
            operation: "arange",
            why,
        }));
    };
    generate(&[count], Generator::Arange { start, step })
}

/// Returns the number of values from `start` to `stop` with a step; `None` if the step is 0 or a
/// value is NaN. Exact for integers.
fn steps(start: Scalar, stop: Scalar, step: Scalar) -> Option<usize> {
    if let (Some(from), Some(to), Some(by)) = (start.integer(), stop.integer(), step.integer()) {
        let (way, by) = if by < 0 {
            (from - to, -by)
        } else {
            (to - from, by)
        };
        return match (way, by) {
            (_, 0) => None,
            (..=0, _) => Some(0),
            (way, by) => usize::try_from((way - 1) / by + 1).ok(),
        };
    }
    let values = [start, stop, step];
    let [from, to, by] = values.map(|value| value.to::<f64>());
    let whole = (to - from) / by;
    // Narrow floats are counted with their rounding: 0.3 / 0.1 is 3.
    let count = match step.dtype() {
        DType::F16 => {
            let [from, to, by] = values.map(|value| value.to::<f16>());
            ((to - from) / by).to_f64()
        }
        DType::F32 => {
            let [from, to, by] = values.map(|value| value.to::<f32>());
            f64::from((to - from) / by)
        }
        _ => whole,
    };
    let count = if count.is_finite() { count } else { whole }.ceil();
    (by != 0.0 && count.is_finite()).then_some(count.max(0.0) as usize)
}

/// Returns `count` evenly spaced values from `start` to `stop`, both included.
#[track_caller]
pub fn linspace(start: f64, stop: f64, count: usize) -> Array<f64> {
    generate(
        &[count],
        Generator::Linspace {
            start: Parameter(start),
            stop: Parameter(stop),
            count,
            endpoint: true,
        },
    )
}

/// Returns a `rows` by `columns` matrix with ones on a diagonal: the main one, or the `diagonal`-th
/// above it.
#[track_caller]
pub fn eye<T: Number>(rows: usize, columns: usize, diagonal: isize) -> Array<T> {
    generate(&[rows, columns], Generator::Eye { diagonal })
}

/// Returns a copy of an `ndarray` array or view.
#[track_caller]
pub fn from_ndarray<T: Element, D: Dimension>(array: &ArrayRef<T, D>) -> Array<T> {
    load(array.shape(), array.iter().copied().collect())
}

/// Returns a one-dimensional copy of a slice.
#[track_caller]
pub fn from_slice<T: Element>(values: &[T]) -> Array<T> {
    load(&[values.len()], values.to_vec())
}

#[track_caller]
fn load<T: Element>(dims: &[usize], values: Vec<T>) -> Array<T> {
    Array::wrap(at_call(DynArray::from_vec(&runtime(), dims, values)))
}

impl DynArray {
    /// Concatenates arrays along `axis`.
    ///
    /// # Errors
    /// Returns an error if there are no arrays, their dtypes differ, or their shapes differ outside
    /// `axis`.
    #[track_caller]
    pub fn concatenate(arrays: &[DynArray], axis: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let views: Vec<&View> = arrays.iter().map(|array| &array.view).collect();
        Ok(View::concatenate(&views, axis)?.into())
    }
}

/// Concatenates arrays along `axis`.
///
/// # Panics
/// Panics at the caller's line if there are none or their shapes differ elsewhere than along
/// `axis`.
#[track_caller]
pub fn concatenate<T: Element>(arrays: &[&Array<T>], axis: usize) -> Array<T> {
    let arrays: Vec<DynArray> = arrays.iter().map(|array| array.as_dyn().clone()).collect();
    Array::wrap(at_call(DynArray::concatenate(&arrays, axis)))
}
