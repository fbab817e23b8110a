//! Functions that combine and repeat arrays.

use super::forward::checked;
use super::forward::wrong;
use super::typed::typed;
use super::{Array, DynArray, Value};
use crate::dtype::{Element, Scalar};
use crate::library;
use crate::lower::scalar_as;
use weft_core::error::{CallError, at_call};
use weft_core::operation;
use weft_core::site::Site;

/// The values around a padded array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PadMode {
    /// A scalar.
    Constant(Scalar),
    /// The outermost elements.
    Edge,
    /// The array mirrored at its outermost elements, which are not repeated.
    Reflect,
    /// The array mirrored at its edges: the outermost elements are repeated.
    Symmetric,
    /// The array again from its other end.
    Wrap,
}

impl DynArray {
    /// Joins arrays of one shape along a new axis.
    ///
    /// # Errors
    /// There are no arrays, their shapes or dtypes differ, or the new axis is out of bounds.
    #[track_caller]
    pub fn stack(arrays: &[DynArray], axis: usize) -> Result<DynArray, CallError> {
        let layers: Result<Vec<DynArray>, CallError> =
            arrays.iter().map(|array| array.with_axis(axis)).collect();
        same_shape("stack", arrays)?;
        DynArray::concatenate(&layers?, axis)
    }

    /// Stacks arrays vertically; vectors become rows.
    ///
    /// # Errors
    /// There are no arrays, or their shapes do not match.
    #[track_caller]
    pub fn vstack(arrays: &[DynArray]) -> Result<DynArray, CallError> {
        let rows: Result<Vec<DynArray>, CallError> =
            arrays.iter().map(|array| array.at_least(2)).collect();
        DynArray::concatenate(&rows?, 0)
    }

    /// Stacks arrays horizontally: vectors end to end, others along the second axis.
    ///
    /// # Errors
    /// There are no arrays, or their shapes do not match.
    #[track_caller]
    pub fn hstack(arrays: &[DynArray]) -> Result<DynArray, CallError> {
        let columns: Result<Vec<DynArray>, CallError> =
            arrays.iter().map(|array| array.at_least(1)).collect();
        let columns = columns?;
        let axis = usize::from(columns.first().is_some_and(|first| first.ndim() > 1));
        DynArray::concatenate(&columns, axis)
    }

    /// Stacks arrays along the third axis; matrices become layers, and vectors lie along the second axis.
    ///
    /// # Errors
    /// There are no arrays, or their shapes do not match.
    #[track_caller]
    pub fn dstack(arrays: &[DynArray]) -> Result<DynArray, CallError> {
        let layer = |array: &DynArray| {
            let rows = array.at_least(2)?;
            if rows.ndim() == 2 {
                rows.with_axis(2)
            } else {
                Ok(rows)
            }
        };
        let layers: Result<Vec<DynArray>, CallError> = arrays.iter().map(layer).collect();
        DynArray::concatenate(&layers?, 2)
    }

    /// Stacks vectors as columns and matrices side by side.
    ///
    /// # Errors
    /// There are no arrays, or their shapes do not match.
    #[track_caller]
    pub fn column_stack(arrays: &[DynArray]) -> Result<DynArray, CallError> {
        let column = |array: &DynArray| match array.ndim() {
            0 | 1 => array.at_least(1)?.with_axis(1),
            _ => Ok(array.clone()),
        };
        let columns: Result<Vec<DynArray>, CallError> = arrays.iter().map(column).collect();
        DynArray::concatenate(&columns?, 1)
    }

    /// A view with axes of length 1 added in front, up to a minimum number of axes.
    fn at_least(&self, dims: usize) -> Result<DynArray, CallError> {
        (self.ndim()..dims).try_fold(self.clone(), |array, _| array.with_axis(0))
    }

    /// Repeats the array along each axis: NumPy's `tile`. Axes are aligned at the last one.
    ///
    /// # Errors
    /// The result, or the view it is copied from, has too many axes or elements.
    #[track_caller]
    pub fn tile(&self, repeats: &[usize]) -> Result<DynArray, CallError> {
        let call = Site::caller();
        let whole = self.at_least(repeats.len())?;
        let ahead = whole.ndim() - repeats.len();
        let (mut view, mut dims) = (whole.clone(), whole.shape().to_vec());
        let mut stretched = dims.clone();
        for (axis, repeats) in repeats.iter().enumerate().rev() {
            if *repeats != 1 {
                view = view.with_axis(ahead + axis)?;
                stretched.insert(ahead + axis, *repeats);
                dims[ahead + axis] = dims[ahead + axis].saturating_mul(*repeats);
            }
        }
        view.broadcast_to(&stretched)?.reshaped_copy(&dims, call)
    }

    /// Repeats each element, or each position of an axis: NumPy's `repeat`.
    ///
    /// # Errors
    /// The axis is out of bounds, or the result has too many elements.
    #[track_caller]
    pub fn repeat(&self, repeats: usize, axis: Option<usize>) -> Result<DynArray, CallError> {
        let call = Site::caller();
        let (whole, axis) = match axis {
            None => (self.flattened(call)?, 0),
            Some(axis) => (self.clone(), self.check_axis(axis)?),
        };
        let mut dims = whole.shape().to_vec();
        dims[axis] = dims[axis].saturating_mul(repeats);
        let mut stretched = whole.shape().to_vec();
        stretched.insert(axis + 1, repeats);
        let view = whole.with_axis(axis + 1)?.broadcast_to(&stretched)?;
        view.reshaped_copy(&dims, call)
    }

    /// A new array with the elements in another shape of the same size.
    fn reshaped_copy(&self, dims: &[usize], call: Site) -> Result<DynArray, CallError> {
        let shape = checked(dims)?;
        let copy = self.copied(call)?;
        copy.viewed(shape.dims(), call).map(|(copy, _)| copy)
    }

    /// A copy with the elements rotated by `shift` places along an axis, or without one in row-major order: NumPy's
    /// `roll`.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn roll(&self, shift: isize, axis: Option<usize>) -> Result<DynArray, CallError> {
        let call = Site::caller();
        let Some(axis) = axis else {
            let rolled = self.flattened(call)?.roll(shift, Some(0))?;
            return rolled.viewed(self.shape(), call).map(|(rolled, _)| rolled);
        };
        let length = self.shape()[self.check_axis(axis)?];
        let shift = if length == 0 {
            0
        } else {
            shift.rem_euclid(length as isize) as usize
        };
        let out = DynArray::unwritten(&self.core, self.dtype(), self.layout.shape, call)?;
        out.put_part(axis, shift, &self.part(axis, 0, length - shift), call)?;
        if shift > 0 {
            out.put_part(axis, 0, &self.part(axis, length - shift, length), call)?;
        }
        Ok(out)
    }

    /// Writes an array to the positions of an axis from `start` on.
    fn put_part(
        &self,
        axis: usize,
        start: usize,
        array: &DynArray,
        call: Site,
    ) -> Result<(), CallError> {
        let part = self.part(axis, start, start + array.shape()[axis]);
        part.write(operation::copy(), &[&Value::from(array)], call)?;
        Ok(())
    }

    /// A copy with padding before and after each axis.
    ///
    /// # Errors
    /// The number of widths is not that of the axes, the result has too many elements, or an empty axis would be
    /// padded with its own elements.
    #[track_caller]
    pub fn pad(&self, widths: &[(usize, usize)], mode: PadMode) -> Result<DynArray, CallError> {
        let call = Site::caller();
        if widths.len() != self.ndim() {
            let why = format!("{} widths for {} axes", widths.len(), self.ndim());
            return Err(wrong("pad", &why));
        }
        let mut padded = self.clone();
        for (axis, width) in widths.iter().enumerate() {
            if *width != (0, 0) {
                padded = padded.pad_axis(axis, *width, mode, call)?;
            }
        }
        if widths.iter().all(|width| *width == (0, 0)) {
            return self.copied(call);
        }
        Ok(padded)
    }

    fn pad_axis(
        &self,
        axis: usize,
        (before, behind): (usize, usize),
        mode: PadMode,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let length = self.shape()[axis];
        let mut dims = self.shape().to_vec();
        dims[axis] = length.saturating_add(before).saturating_add(behind);
        let out = DynArray::unwritten(&self.core, self.dtype(), checked(&dims)?, call)?;
        out.put_part(axis, before, self, call)?;
        if let PadMode::Constant(value) = mode {
            for (start, end) in [(0, before), (before + length, dims[axis])] {
                let fill = scalar_as(value, self.dtype())?;
                let around = out.part(axis, start, end);
                if !around.is_empty() {
                    around.write(library::elementwise::fill(), &[&Value::Scalar(fill)], call)?;
                }
            }
            return Ok(out);
        }
        if length == 0 {
            let why = format!("axis {axis} has no elements to pad it with");
            return Err(wrong("pad", &why));
        }
        for (start, end) in [(0, before), (before + length, dims[axis])] {
            for piece in pieces(mode, length, start as isize - before as isize, end - start) {
                let around = out.part(axis, start + piece.at, start + piece.at + piece.count);
                let mut from = self.part(axis, piece.from, piece.from + piece.count);
                if piece.is_still {
                    from = self.part(axis, piece.from, piece.from + 1);
                } else if piece.is_backward {
                    let first = piece.from + 1 - piece.count;
                    from = self.part(axis, first, piece.from + 1).backwards(axis);
                }
                around.write(operation::copy(), &[&Value::from(&from)], call)?;
            }
        }
        Ok(out)
    }
}

/// Neighbouring positions of a padded axis that are neighbours in the array too.
struct Piece {
    /// The first one, counted from the start of the padding.
    at: usize,
    count: usize,
    /// Its position in the array.
    from: usize,
    is_backward: bool,
    /// All are that one position.
    is_still: bool,
}

/// Where `count` positions of padding from `first` on (0 is the array's own first) come from.
fn pieces(mode: PadMode, length: usize, first: isize, count: usize) -> Vec<Piece> {
    let (n, mut pieces) = (length as isize, Vec::new());
    let mut at = 0;
    while at < count {
        let place = first + at as isize;
        let left = count - at;
        let (from, is_backward, run) = match mode {
            PadMode::Wrap => {
                let from = place.rem_euclid(n);
                (from, false, (n - from) as usize)
            }
            PadMode::Symmetric => match place.rem_euclid(2 * n) {
                from if from < n => (from, false, (n - from) as usize),
                mirrored => (2 * n - 1 - mirrored, true, (2 * n - mirrored) as usize),
            },
            PadMode::Reflect if n > 1 => match place.rem_euclid(2 * n - 2) {
                from if from < n => (from, false, (n - from) as usize),
                mirrored => {
                    let from = 2 * n - 2 - mirrored;
                    (from, true, from as usize)
                }
            },
            _ => (place.clamp(0, n - 1), false, left),
        };
        let is_still = mode == PadMode::Edge || n == 1;
        let run = if is_still { left } else { run.min(left) };
        pieces.push(Piece {
            at,
            count: run,
            from: from as usize,
            is_backward,
            is_still,
        });
        at += run;
    }
    pieces
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
    /// A copy with the elements rotated by `shift` places in row-major order: NumPy's `roll`.
    roll(shift: isize) = roll(shift, None) -> T;
    /// A copy with the elements rotated by `shift` places along an axis: NumPy's `roll`.
    roll_axis(shift: isize, axis: usize) = roll(shift, Some(axis)) -> T;
    /// A copy with padding before and after each axis.
    pad(widths: &[(usize, usize)], mode: PadMode) = pad(widths, mode) -> T;
}

macro_rules! joins {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*);)*) => {
        $($(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!(
            "At the caller's line if [`DynArray::", stringify!($name), "`] returns an error."
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
    /// Stacks arrays along the third axis; matrices become layers, and vectors lie along the second axis.
    dstack();
    /// Stacks vectors as columns and matrices side by side.
    column_stack();
}
