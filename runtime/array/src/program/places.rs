//! Indices along each axis from numbers of elements, and back.

use super::DynArray;
use crate::kernel::count::AxisOrder;
use crate::lower::View;
use weft_core::runtime::core_of;
use weft_core::site::Site;

impl DynArray {
    /// Returns the indices along each axis of an array of shape `dims` for the numbers of its
    /// elements, an array for each axis, without an operation. Returns `None` if a number is
    /// outside of the array, the numbers are not `i64`, there are no axes, and in the cases that
    /// [`place_at_once`](Self::place_at_once) lists.
    #[track_caller]
    pub fn unravel_at_once(&self, dims: &[usize], order: AxisOrder) -> Option<Vec<DynArray>> {
        let _call = Site::enter_caller();
        let rows = (self.view).unraveled_at_once(dims, order)?;
        Some(
            (0..dims.len())
                .map(|axis| rows.position(0, axis).into())
                .collect(),
        )
    }

    /// Returns the numbers of elements of an array of shape `dims` from their indices along each
    /// axis, without an operation. Returns `None` if an index is below 0 or outside of its axis,
    /// the indices are not `i64` of one shape, there are none, and in the cases that
    /// [`place_at_once`](Self::place_at_once) lists.
    #[track_caller]
    pub fn ravel_at_once(
        indices: &[&DynArray],
        dims: &[usize],
        order: AxisOrder,
    ) -> Option<DynArray> {
        let _call = Site::enter_caller();
        let views: Vec<&View> = indices.iter().map(|index| &index.view).collect();
        core_of(views.iter().map(|view| &view.core)).ok()?;
        View::raveled_at_once(&views, dims, order).map(DynArray::from)
    }
}
