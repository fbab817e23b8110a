//! Indices along each axis from numbers of elements, and back, which the calling thread computes
//! without an operation.
//!
//! Whether indices lie in the array is known at once, as NumPy's functions report it.

use super::View;
use crate::dtype::DType;
use crate::kernel::Tile;
use crate::kernel::count::{self, AxisOrder};
use crate::shape::Shape;

impl View {
    /// Returns the indices along each axis of an array of shape `dims` for the numbers of its
    /// elements, a row of the numbers' shape for each axis. Returns `None` if a number is outside
    /// of the array, the numbers are not `i64`, there are no axes or too many, or an operation is
    /// needed.
    pub(crate) fn unraveled_at_once(&self, dims: &[usize], order: AxisOrder) -> Option<View> {
        if self.dtype() != DType::I64 || dims.is_empty() || self.is_empty() {
            return None;
        }
        let total = dims
            .iter()
            .try_fold(1usize, |sum, length| sum.checked_mul(*length))?;
        let shape = [&[dims.len()], self.dims()].concat();
        let measure = |numbers: &Tile<'_>| match count::are_below(total, numbers) {
            true => Shape::new(&shape),
            false => None,
        };
        let fill = |tiles: &mut [Tile<'_>]| {
            if let [numbers, out] = tiles {
                count::unravel(order, dims, numbers, out);
            }
        };
        View::measured_at_once("unravel_index", &[self], DType::I64, measure, fill)
    }

    /// Returns the numbers of elements of an array of shape `dims` from their indices along each
    /// axis. Returns `None` if an index is outside of its axis, the indices are not `i64` of one
    /// shape, there are none, or an operation is needed.
    pub(crate) fn raveled_at_once(
        indices: &[&View],
        dims: &[usize],
        order: AxisOrder,
    ) -> Option<View> {
        let first = indices.first()?;
        let is_fit = |view: &&View| view.dtype() == DType::I64 && view.dims() == first.dims();
        if indices.len() != dims.len() || first.is_empty() || !indices.iter().all(is_fit) {
            return None;
        }
        let mut are_inside = false;
        let measure = |first: &Tile<'_>| Some(first.layout().shape);
        let fill = |tiles: &mut [Tile<'_>]| {
            if let Some((out, indices)) = tiles.split_last_mut() {
                are_inside = count::ravel_all(order, dims, indices, out);
            }
        };
        let made = View::measured_at_once("ravel_multi_index", indices, DType::I64, measure, fill);
        made.filter(|_| are_inside)
    }
}
