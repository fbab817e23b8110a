//! Evenly spaced values, grids, and arrays with the shape of others.

use super::create::{full, linspace, zeros};
use super::typed::typed;
use super::{Array, DynArray};
use crate::dtype::{Element, Float, Number, Parameter, Scalar};
use crate::kernel::BinaryOp;
use crate::lower::generate::Generator;
use crate::lower::{View, scalar_as, wrong};
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

/// The axis of a grid along which the first coordinates run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexing {
    /// The second axis: a point is x, y. NumPy's default.
    Cartesian,
    /// The first axis.
    Matrix,
}

/// Returns `count` evenly spaced values from `start` to `stop` (exclusive), as NumPy's
/// `linspace(endpoint=False)`.
///
/// # Panics
/// Panics at the caller's line if `WEFT_CONFIG` is invalid, like all functions of this module.
#[track_caller]
pub fn linspace_open(start: f64, stop: f64, count: usize) -> Array<f64> {
    let generator = Generator::Linspace {
        start: Parameter(start),
        stop: Parameter(stop),
        count,
        endpoint: false,
    };
    super::create::generate(&[count], generator)
}

/// Returns `count` powers of `base` with evenly spaced exponents from `start` to `stop`, both
/// included.
///
/// # Panics
/// Panics at the caller's line if `WEFT_CONFIG` is invalid.
#[track_caller]
pub fn logspace(start: f64, stop: f64, count: usize, base: f64) -> Array<f64> {
    let exponents = linspace(start, stop, count);
    let made = DynArray::binary(BinaryOp::Pow, base, exponents.as_dyn());
    Array::wrap(at_call(made))
}

/// Returns `count` values in a geometric progression from `start` to `stop`, both included and
/// above 0.
///
/// # Panics
/// Panics at the caller's line if one end is not above 0, or `WEFT_CONFIG` is invalid.
#[track_caller]
pub fn geomspace(start: f64, stop: f64, count: usize) -> Array<f64> {
    if !(start > 0.0 && stop > 0.0) {
        let why = format!("ends {start} and {stop} must both be above 0");
        at_call(Err::<(), _>(wrong("geomspace", &why)));
    }
    let values = logspace(start.log10(), stop.log10(), count, 10.0);
    // Both ends are exact, as in NumPy.
    let _call = Site::enter_caller();
    for (at, value) in [(0, start), (count.saturating_sub(1), stop)] {
        let end = values.as_dyn().view.part(0, at, at + 1);
        at_call(end.assign(value));
    }
    values
}

/// Returns a square matrix with ones on the main diagonal.
///
/// # Panics
/// Panics at the caller's line if the shape has too many elements, or `WEFT_CONFIG` is invalid.
#[track_caller]
pub fn identity<T: Number>(side: usize) -> Array<T> {
    super::create::eye(side, side, 0)
}

/// Returns a matrix with ones on and below a diagonal: the main one, or the `diagonal`-th above it.
///
/// # Panics
/// Panics at the caller's line if the shape has too many elements, or `WEFT_CONFIG` is invalid.
#[track_caller]
pub fn tri<T: Number>(rows: usize, columns: usize, diagonal: isize) -> Array<T> {
    full(&[rows, columns], T::ONE).tril(diagonal)
}

/// Returns the coordinates of the points of a grid: for each vector, an array of the grid's shape
/// with its values along one axis, repeated along the others. The arrays are views that cannot be
/// written.
///
/// # Panics
/// Panics at the caller's line if one is not a vector, or there are too many.
#[track_caller]
pub fn meshgrid<T: Element>(vectors: &[&Array<T>], indexing: Indexing) -> Vec<Array<T>> {
    let vectors: Vec<DynArray> = vectors
        .iter()
        .map(|vector| vector.as_dyn().clone())
        .collect();
    let grids = at_call(DynArray::meshgrid(&vectors, indexing));
    grids.into_iter().map(Array::wrap).collect()
}

/// Returns the index of each element of a shape: along axis `k` at position `k` of the first axis.
///
/// # Panics
/// Panics at the caller's line if the shape has too many dimensions or elements, or `WEFT_CONFIG`
/// is invalid.
#[track_caller]
pub fn indices(dims: &[usize]) -> Array<i64> {
    let _call = Site::enter_caller();
    let whole = [&[dims.len()], dims].concat();
    let out = zeros::<i64>(&whole);
    for (axis, length) in dims.iter().enumerate() {
        let mut line = super::create::arange(*length as i64).into_dyn().view;
        for _ in axis + 1..dims.len() {
            line = at_call(line.with_axis(line.ndim()));
        }
        let layer = out.as_dyn().view.position(0, axis);
        at_call(layer.assign(&line));
    }
    out
}

impl DynArray {
    /// Returns the coordinates of the points of a grid: for each vector, a view of the grid's shape
    /// with its values along one axis, repeated along the others. The views cannot be written.
    ///
    /// # Errors
    /// Returns an error if one is not a vector, or there are too many.
    pub fn meshgrid(vectors: &[DynArray], indexing: Indexing) -> Result<Vec<DynArray>, CallError> {
        let mut dims: Vec<usize> = vectors.iter().map(DynArray::len).collect();
        let is_turned = indexing == Indexing::Cartesian && dims.len() > 1;
        if is_turned {
            dims.swap(0, 1);
        }
        let mut grids = Vec::with_capacity(vectors.len());
        for (number, vector) in vectors.iter().enumerate() {
            if vector.ndim() > 1 {
                return Err(wrong(
                    "meshgrid",
                    &format!("shape {:?} is not that of a vector", vector.shape()),
                ));
            }
            let axis = match number {
                0 | 1 if is_turned => 1 - number,
                other => other,
            };
            let mut line = vector.view.clone();
            for _ in axis + 1..dims.len() {
                line = line.with_axis(line.ndim())?;
            }
            grids.push(line.broadcast_to(&dims)?.into());
        }
        Ok(grids)
    }

    /// Returns an array with this array's shape and dtype, filled with one value.
    ///
    /// # Errors
    /// Returns an error if the runtime has finished.
    #[track_caller]
    pub fn full_like(&self, value: impl Into<Scalar>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let (core, dtype) = (&self.view.core, self.dtype());
        let fill = scalar_as(value.into(), dtype)?;
        Ok(View::filled(core, dtype, self.shape(), fill)?.into())
    }

    /// Returns the gradient along an axis, for points with the given spacing: half the difference
    /// of both neighbours, and at the ends the difference to the only neighbour. Integers are
    /// treated as `f64`.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or it has fewer than two elements.
    #[track_caller]
    pub fn gradient(&self, distance: f64, axis: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        if self.shape()[self.view.check_axis(axis)?] < 2 {
            let why = format!("axis {axis} has fewer than two elements");
            return Err(wrong("gradient", &why));
        }
        Ok(self.view.gradient(distance, axis)?.into())
    }

    /// Returns the integral along an axis by the trapezoidal rule, for points with the given
    /// spacing. Integers are treated as `f64`.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn trapezoid(&self, distance: f64, axis: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        self.view.check_axis(axis)?;
        Ok(self.view.trapezoid(distance, axis)?.into())
    }

    /// Interpolates linearly, at the elements of `self`, a function with values `y` at increasing
    /// points `x`. Outside of them the result is the first or last one of `ends`, or the first or
    /// last value if that is `None`. NaN gives NaN. Computed as `f64`.
    ///
    /// # Errors
    /// Returns an error unless `x` and `y` are non-empty vectors of the same length, or if a dtype
    /// is complex.
    #[track_caller]
    pub fn interp(
        &self,
        x: &DynArray,
        y: &DynArray,
        ends: [Option<f64>; 2],
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let operation = "interp";
        if x.ndim() != 1 || y.ndim() != 1 || x.len() != y.len() || x.is_empty() {
            let why = format!("points {:?} and values {:?}", x.shape(), y.shape());
            return Err(wrong(operation, &why));
        }
        for dtype in [self, x, y].map(DynArray::dtype) {
            if dtype.is_complex() {
                return Err(CallError::DType { operation, dtype });
            }
        }
        let made = self.view.interp(&x.view, &y.view, ends);
        Ok(made?.into())
    }
}

typed! { Element:
    /// Returns an array with this array's shape, filled with one value.
    full_like(value: T) = full_like(value) -> T;
    /// Returns an array of zeros (or `false`) with this array's shape.
    zeros_like() = full_like(T::ZERO) -> T;
    /// Returns an array of ones (or `true`) with this array's shape.
    ones_like() = full_like(T::ONE) -> T;
}

typed! { Float:
    /// Returns the gradient along an axis, for points with the given spacing.
    gradient(distance: f64, axis: usize) = gradient(distance, axis) -> T;
    /// Returns the integral along an axis by the trapezoidal rule, for points with the given
    /// spacing.
    trapezoid(distance: f64, axis: usize) = trapezoid(distance, axis) -> T;
}

impl Array<f64> {
    /// Interpolates linearly, at this array's elements, a function with values `y` at increasing
    /// points `x`. Outside of them the result is the first or last value.
    ///
    /// # Panics
    /// Panics at the caller's line unless `x` and `y` are non-empty vectors of the same length.
    #[track_caller]
    #[must_use]
    pub fn interp(&self, x: &Array<f64>, y: &Array<f64>) -> Array<f64> {
        Array::wrap(at_call(self.as_dyn().interp(
            x.as_dyn(),
            y.as_dyn(),
            [None; 2],
        )))
    }
}
