//! Functions that combine and repeat arrays.

use super::typed::typed;
use super::{Array, DynArray};
use crate::dtype::Element;
use crate::lower::{View, wrong};
use weft_core::error::{CallError, at_call};
use weft_core::runtime::core_of;
use weft_core::site::Site;

pub use crate::lower::pad::PadMode;

impl DynArray {
    /// Joins arrays of one shape along a new axis.
    ///
    /// # Errors
    /// Returns an error if there are no arrays, their shapes or dtypes differ, or the new axis is
    /// out of bounds.
    #[track_caller]
    pub fn stack(arrays: &[DynArray], axis: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let layers = arrays.iter().map(|array| array.view.with_axis(axis));
        let layers: Result<Vec<View>, CallError> = layers.collect();
        same_shape("stack", arrays)?;
        joined(&layers?, axis)
    }

    /// Stacks arrays vertically; vectors become rows.
    ///
    /// # Errors
    /// Returns an error if there are no arrays, or their shapes do not match.
    #[track_caller]
    pub fn vstack(arrays: &[DynArray]) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let rows = arrays.iter().map(|array| array.view.at_least(2));
        joined(&rows.collect::<Result<Vec<View>, CallError>>()?, 0)
    }

    /// Stacks arrays horizontally: vectors end to end, others along the second axis.
    ///
    /// # Errors
    /// Returns an error if there are no arrays, or their shapes do not match.
    #[track_caller]
    pub fn hstack(arrays: &[DynArray]) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let columns = arrays.iter().map(|array| array.view.at_least(1));
        let columns = columns.collect::<Result<Vec<View>, CallError>>()?;
        let axis = usize::from(columns.first().is_some_and(|first| first.ndim() > 1));
        joined(&columns, axis)
    }

    /// Stacks arrays along the third axis; matrices become layers, and vectors lie along the second
    /// axis.
    ///
    /// # Errors
    /// Returns an error if there are no arrays, or their shapes do not match.
    #[track_caller]
    pub fn dstack(arrays: &[DynArray]) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let layer = |array: &DynArray| {
            let rows = array.view.at_least(2)?;
            match rows.ndim() {
                2 => rows.with_axis(2),
                _ => Ok(rows),
            }
        };
        let layers: Result<Vec<View>, CallError> = arrays.iter().map(layer).collect();
        joined(&layers?, 2)
    }

    /// Stacks vectors as columns and matrices side by side.
    ///
    /// # Errors
    /// Returns an error if there are no arrays, or their shapes do not match.
    #[track_caller]
    pub fn column_stack(arrays: &[DynArray]) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let column = |array: &DynArray| match array.ndim() {
            0 | 1 => array.view.at_least(1)?.with_axis(1),
            _ => Ok(array.view.clone()),
        };
        let columns: Result<Vec<View>, CallError> = arrays.iter().map(column).collect();
        joined(&columns?, 1)
    }

    /// Assembles a matrix from rows of matrices: NumPy's `block` of a list of lists.
    ///
    /// # Errors
    /// Returns an error if there are no arrays, one is not a matrix, or their dtypes or shapes do
    /// not match.
    #[track_caller]
    pub fn block(rows: &[Vec<DynArray>]) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        core_of(rows.iter().flatten().map(|array| &array.view.core))?;
        let views = rows
            .iter()
            .map(|row| row.iter().map(|array| &array.view).collect());
        let views: Vec<Vec<&View>> = views.collect();
        Ok(View::grid(&views)?.into())
    }

    /// Repeats the array along each axis: NumPy's `tile`. Axes are aligned at the last one.
    ///
    /// # Errors
    /// Returns an error if the result, or the view that it is copied from, has too many axes or
    /// elements.
    #[track_caller]
    pub fn tile(&self, repeats: &[usize]) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.tile(repeats)?.into())
    }

    /// Repeats each element, or each position of an axis: NumPy's `repeat`.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or the result has too many elements.
    #[track_caller]
    pub fn repeat(&self, repeats: usize, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        if let Some(axis) = axis {
            self.view.check_axis(axis)?;
        }
        Ok(self.view.repeat(repeats, axis)?.into())
    }

    /// Returns a copy with padding before and after each axis.
    ///
    /// # Errors
    /// Returns an error if the number of widths is not that of the axes, the result has too many
    /// elements, or an empty axis would be padded with its own elements.
    #[track_caller]
    pub fn pad(&self, widths: &[(usize, usize)], mode: PadMode) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        if widths.len() != self.ndim() {
            let why = format!("{} widths for {} axes", widths.len(), self.ndim());
            return Err(wrong("pad", &why));
        }
        Ok(self.view.pad(widths, mode)?.into())
    }
}

/// Joins parts of a new array along an axis.
fn joined(parts: &[View], axis: usize) -> Result<DynArray, CallError> {
    let parts: Vec<&View> = parts.iter().collect();
    Ok(View::concatenate(&parts, axis)?.into())
}

fn same_shape(operation: &'static str, arrays: &[DynArray]) -> Result<(), CallError> {
    for pair in arrays.windows(2) {
        let (left, right) = (pair[0].shape(), pair[1].shape());
        if left != right {
            return Err(wrong(operation, &format!("{left:?} and {right:?} differ")));
        }
    }
    Ok(())
}

typed! { Element:
    /// Repeats the array along each axis: NumPy's `tile`. Axes are aligned at the last one.
    tile(repeats: &[usize]) = tile(repeats) -> T;
    /// Repeats each element, as a vector: NumPy's `repeat`.
    repeat(repeats: usize) = repeat(repeats, None) -> T;
    /// Repeats each position of an axis.
    repeat_axis(repeats: usize, axis: usize) = repeat(repeats, Some(axis)) -> T;
    /// Returns a copy with the elements rotated by `shift` places in row-major order: NumPy's
    /// `roll`.
    roll(shift: isize) = roll(shift, None) -> T;
    /// Returns a copy with the elements rotated by `shift` places along an axis: NumPy's `roll`.
    roll_axis(shift: isize, axis: usize) = roll(shift, Some(axis)) -> T;
    /// Returns a copy with padding before and after each axis.
    pad(widths: &[(usize, usize)], mode: PadMode) = pad(widths, mode) -> T;
}

macro_rules! joins {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*);)*) => {
        $($(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!(
            "Panics at the caller's line if [`DynArray::", stringify!($name), "`] returns an error."
        )]
        #[track_caller]
        pub fn $name<T: Element>(arrays: &[&Array<T>] $(, $arg: $type)*) -> Array<T> {
            let arrays: Vec<DynArray> = arrays.iter().map(|array| array.as_dyn().clone()).collect();
            Array::wrap(at_call(DynArray::$name(&arrays $(, $arg)*)))
        })*
    };
}

joins! {
    /// Joins arrays of one shape along a new axis.
    stack(axis: usize);
    /// Stacks arrays vertically; vectors become rows.
    vstack();
    /// Stacks arrays horizontally: vectors end to end, others along the second axis.
    hstack();
    /// Stacks arrays along the third axis; matrices become layers, and vectors lie along the second
    /// axis.
    dstack();
    /// Stacks vectors as columns and matrices side by side.
    column_stack();
}
