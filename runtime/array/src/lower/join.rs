//! Views that are joined and repeated, one part of the result after the other.

use super::{View, checked, wrong};
use weft_core::error::CallError;
use weft_core::operation;

impl View {
    /// Joins views along an axis.
    pub(crate) fn concatenate(views: &[&View], axis: usize) -> Result<View, CallError> {
        let operation = "concatenate";
        let Some(first) = views.first() else {
            return Err(wrong(operation, "no arrays"));
        };
        first.check_axis(axis)?;
        let mut total = 0;
        for view in views {
            if view.dtype() != first.dtype() {
                let (left, right) = (first.dtype(), view.dtype());
                return Err(CallError::DTypes {
                    operation,
                    left,
                    right,
                });
            }
            if view.layout.shape.without(axis) != first.layout.shape.without(axis)
                || view.ndim() != first.ndim()
            {
                let (left, right) = (first.dims(), view.dims());
                let why = format!("shapes {left:?} and {right:?} differ outside axis {axis}");
                return Err(wrong(operation, &why));
            }
            total += view.dims()[axis];
        }
        let mut extents = first.dims().to_vec();
        extents[axis] = total;
        let out = View::unwritten(&first.core, first.dtype(), checked(&extents)?)?;
        let mut start = 0;
        for view in views {
            out.put_part(axis, start, view)?;
            start += view.dims()[axis];
        }
        Ok(out)
    }

    /// Assembles a matrix from rows of matrices, which are copied once. `rows` has a row at least,
    /// and each row a matrix at least.
    pub(crate) fn grid(rows: &[Vec<&View>]) -> Result<View, CallError> {
        let operation = "block";
        let Some(first) = rows.first().and_then(|row| row.first()) else {
            return Err(wrong(operation, "no arrays"));
        };
        let (mut height, mut width) = (0, None);
        for row in rows {
            let Some(of_row) = row.first() else {
                return Err(wrong(operation, "a row has no arrays"));
            };
            let mut columns = 0;
            for view in row {
                let ([high, wide], [of_row, _]) = (view.dims(), of_row.dims()) else {
                    return Err(wrong(operation, "an array is not a matrix"));
                };
                if view.dtype() != first.dtype() {
                    let (left, right) = (first.dtype(), view.dtype());
                    return Err(CallError::DTypes {
                        operation,
                        left,
                        right,
                    });
                }
                if high != of_row {
                    let why = format!("arrays of {of_row} and {high} rows side by side");
                    return Err(wrong(operation, &why));
                }
                columns += wide;
            }
            if *width.get_or_insert(columns) != columns {
                return Err(wrong(operation, "rows differ in their number of columns"));
            }
            height += of_row.dims()[0];
        }
        let shape = checked(&[height, width.unwrap_or(0)])?;
        let out = View::unwritten(&first.core, first.dtype(), shape)?;
        let mut top = 0;
        for row in rows {
            let end = top + row.first().map_or(0, |view| view.dims()[0]);
            let (line, mut left) = (out.part(0, top, end), 0);
            for view in row {
                line.put_part(1, left, view)?;
                left += view.dims()[1];
            }
            top = end;
        }
        Ok(out)
    }

    /// Repeats the array along each axis: NumPy's `tile`. Axes are aligned at the last one.
    pub(crate) fn tile(&self, repeats: &[usize]) -> Result<View, CallError> {
        let whole = self.at_least(repeats.len())?;
        let ahead = whole.ndim() - repeats.len();
        let (mut view, mut dims) = (whole.clone(), whole.dims().to_vec());
        let mut stretched = dims.clone();
        for (axis, repeats) in repeats.iter().enumerate().rev() {
            if *repeats != 1 {
                view = view.with_axis(ahead + axis)?;
                stretched.insert(ahead + axis, *repeats);
                dims[ahead + axis] = dims[ahead + axis].saturating_mul(*repeats);
            }
        }
        view.broadcast_to(&stretched)?.reshaped_copy(&dims)
    }

    /// Repeats each element, or each position of an axis: NumPy's `repeat`.
    pub(crate) fn repeat(&self, repeats: usize, axis: Option<usize>) -> Result<View, CallError> {
        let (whole, axis) = match axis {
            None => (self.flattened()?, 0),
            Some(axis) => (self.clone(), axis),
        };
        let mut dims = whole.dims().to_vec();
        dims[axis] = dims[axis].saturating_mul(repeats);
        let mut stretched = whole.dims().to_vec();
        stretched.insert(axis + 1, repeats);
        let view = whole.with_axis(axis + 1)?.broadcast_to(&stretched)?;
        view.reshaped_copy(&dims)
    }

    /// Returns a new array with the elements in another shape of the same size.
    fn reshaped_copy(&self, dims: &[usize]) -> Result<View, CallError> {
        checked(dims)?;
        self.copied()?.reshaped(dims)
    }

    /// Writes a view to the positions of an axis starting at `start`.
    pub(super) fn put_part(&self, axis: usize, start: usize, view: &View) -> Result<(), CallError> {
        let part = self.part(axis, start, start + view.dims()[axis]);
        part.write(operation::copy(), &[view.into()])
    }
}
