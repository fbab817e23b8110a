//! Indexing with several integer arrays, which become one array of row-major numbers along the
//! indexed axes.

use super::{Input, View, broadcast, checked, wrong};
use crate::dtype::{DType, Scalar};
use crate::library;
use crate::shape::Shape;
use weft_core::error::CallError;

/// A selection by index arrays.
struct Picks {
    /// The order of the array's axes in which the indexed ones come first.
    order: Vec<usize>,
    /// The lengths of the indexed axes together, and of the others, in that order.
    rows: Vec<usize>,
    /// The row-major numbers along the indexed axes.
    numbers: View,
    /// The position of the indices' axes in the result.
    place: usize,
}

impl View {
    /// Returns the elements selected by index arrays, one per axis: `x[i, j]`, NumPy's
    /// integer-array indexing.
    pub(crate) fn take_at(&self, indices: &[(usize, &View)]) -> Result<View, CallError> {
        if let [(axis, index)] = indices {
            return self.take(index, Some(*axis));
        }
        let picks = self.picks("take_at", indices)?;
        let rows = self.permute(&picks.order)?.reshaped(&picks.rows)?;
        let taken = rows.take(&picks.numbers, Some(0))?;
        taken.permute(&picks.to_place(taken.ndim()))
    }

    /// Writes values to the elements selected by index arrays, one per axis: `x[i, j] = values`.
    /// The values are cast, and broadcast to the shape of [`take_at`](Self::take_at)'s result. If
    /// an element is selected more than once, the last value takes effect.
    pub(crate) fn put_at(
        &self,
        indices: &[(usize, &View)],
        values: Input<'_>,
    ) -> Result<(), CallError> {
        let operation = "put_at";
        self.check_distinct(operation)?;
        let picks = self.picks(operation, indices)?;
        let moved = self.permute(&picks.order)?;
        let dims = [picks.numbers.dims(), &picks.rows[1..]].concat();
        // The axes of the indices are in their place in the values' shape, but the kernel needs
        // them first.
        let placed_in_front;
        let values = match values {
            Input::View(view) => {
                let to_place = picks.to_place(dims.len());
                let placed: Vec<usize> = to_place.iter().map(|axis| dims[*axis]).collect();
                let shape = checked(&placed)?;
                let full = view.with_layout(broadcast(operation, &view.layout, &shape)?);
                let mut to_front = vec![0; dims.len()];
                for (place, axis) in to_place.iter().enumerate() {
                    to_front[*axis] = place;
                }
                placed_in_front = full.permute(&to_front)?;
                Input::View(&placed_in_front)
            }
            scalar => scalar,
        };
        let (rows, is_view) = moved.viewed(&picks.rows)?;
        rows.put(&picks.numbers, Some(0), values)?;
        if !is_view {
            // No layout joins the indexed axes, so the whole written copy is copied back.
            moved.assign(&rows.reshaped(moved.dims())?)?;
        }
        Ok(())
    }

    fn picks(
        &self,
        operation: &'static str,
        indices: &[(usize, &View)],
    ) -> Result<Picks, CallError> {
        let mut order: Vec<usize> = Vec::with_capacity(self.ndim());
        let mut shape = Shape::SCALAR;
        for (axis, index) in indices {
            if order.contains(&self.check_axis(*axis)?) {
                let why = format!("axis {axis} is indexed twice");
                return Err(wrong(operation, &why));
            }
            order.push(*axis);
            let dtype = index.dtype();
            if !dtype.is_integer() || dtype == DType::U64 {
                return Err(CallError::DType { operation, dtype });
            }
            let both = Shape::broadcast(shape, index.layout.shape);
            shape = both.ok_or_else(|| CallError::Broadcast {
                operation,
                left: shape.dims().to_vec(),
                right: index.dims().to_vec(),
            })?;
        }
        let (Some(low), Some(high)) = (order.iter().min(), order.iter().max()) else {
            return Err(wrong(operation, "no indices"));
        };
        // Indices of neighbouring axes keep their place.
        let place = if high - low + 1 == order.len() {
            *low
        } else {
            0
        };
        let others = (0..self.ndim()).filter(|axis| !order.contains(axis));
        let others: Vec<usize> = others.collect();
        let dims = self.dims();
        let along: usize = order.iter().map(|axis| dims[*axis]).product();
        if along == 0 && !shape.is_empty() {
            return Err(wrong(operation, "indices into an empty axis"));
        }
        let mut rows = vec![along];
        rows.extend(others.iter().map(|axis| dims[*axis]));
        let mut numbers: Option<View> = None;
        for (axis, index) in indices {
            let index = index.cast(DType::I64)?;
            let so_far = numbers.as_ref().map_or(Scalar::I64(0).into(), Input::View);
            let body = library::count::ravel(dims[*axis]);
            let inputs = [so_far, (&index).into()];
            let next = View::compute(&self.core, (DType::I64, shape), body, &inputs)?;
            numbers = Some(next);
        }
        order.extend(others);
        Ok(Picks {
            order,
            rows,
            numbers: numbers.ok_or_else(|| wrong(operation, "no indices"))?,
            place,
        })
    }
}

impl Picks {
    /// Returns the order of axes that moves those of the indices from the front to their place,
    /// among `dims`.
    fn to_place(&self, dims: usize) -> Vec<usize> {
        let indexed = self.numbers.ndim();
        let before = indexed..indexed + self.place;
        let behind = indexed + self.place..dims;
        before.chain(0..indexed).chain(behind).collect()
    }
}
