//! Indexing with one integer array.

use super::{Input, View, broadcast, checked, wrong};
use crate::dtype::DType;
use crate::kernel::Tile;
use crate::library;
use crate::shape::Layout;
use weft_core::error::CallError;

impl View {
    /// Returns the elements at these indices along an axis, or without an axis in row-major order,
    /// as NumPy's `take`. The axes of the indices replace the axis.
    pub(crate) fn take(&self, indices: &View, axis: Option<usize>) -> Result<View, CallError> {
        let Some(axis) = axis else {
            return self.flattened()?.take(indices, Some(0));
        };
        if let Some(made) = self.take_at_once(indices) {
            return Ok(made);
        }
        let list = self.index_list("take", indices, axis)?;
        let dims = self.dims();
        let shape = [&dims[..axis], indices.dims(), &dims[axis + 1..]].concat();
        let shape = checked(&shape)?;
        // The kernel takes indices as a vector.
        let listed = [&dims[..axis], list.dims(), &dims[axis + 1..]].concat();
        let out = View::unwritten(&self.core, self.dtype(), checked(&listed)?)?;
        let body = library::index::take(axis as u8);
        out.write_over(body, out.layout.shape, &[self.into(), (&list).into()])?;
        Ok(out.with_layout(Layout::contiguous(shape)))
    }

    /// Returns the elements of a vector at few indices without an operation. Returns `None` if only
    /// an operation can do it, or an index is out of bounds.
    fn take_at_once(&self, indices: &View) -> Option<View> {
        let is_plain = self.ndim() == 1 && indices.ndim() == 1 && indices.dtype() == DType::I64;
        if !is_plain || !self.core.is_small(indices.len()) || !self.core.goes_direct() {
            return None;
        }
        let shape = indices.layout.shape;
        let out = View::unwritten(&self.core, self.dtype(), shape).ok()?;
        let mut is_done = false;
        let fill = |tiles: &mut [Tile<'_>]| {
            if let [indices, from, out] = tiles {
                is_done = weft_kernels::index::take(0, from, indices, out).is_ok();
            }
        };
        let has_run = out.filled_at_once("take", &[indices, self], |_| true, fill);
        (has_run && is_done).then_some(out)
    }

    /// Writes values to the elements at these indices along an axis: `x[.., indices, ..] = values`.
    /// For equal indices, the last value takes effect. The values are cast to this view's dtype and
    /// broadcast to its shape, with the axes of the indices in place of the axis. Without an axis,
    /// indices are row-major numbers of elements, which must be evenly spaced in memory, and values
    /// are broadcast to the shape of the indices.
    pub(crate) fn put(
        &self,
        indices: &View,
        axis: Option<usize>,
        values: Input<'_>,
    ) -> Result<(), CallError> {
        let Some(axis) = axis else {
            let flat = self.layout.reshape(checked(&[self.len()])?);
            let flat = flat.ok_or_else(|| {
                wrong(
                    "put",
                    "the elements are not evenly spaced in memory; name an axis",
                )
            })?;
            return self.with_layout(flat).put(indices, Some(0), values);
        };
        self.check_distinct("put")?;
        let list = self.index_list("put", indices, axis)?;
        let dims = self.dims();
        let shape = checked(&[&dims[..axis], indices.dims(), &dims[axis + 1..]].concat())?;
        let listed = checked(&[&dims[..axis], list.dims(), &dims[axis + 1..]].concat())?;
        let mut cast = None;
        let safe;
        let values = match values.cast(self.dtype(), &mut cast)? {
            Input::View(view) => {
                let stretched = view.with_layout(broadcast("put", &view.layout, &shape)?);
                safe = self.untouched(stretched.reshaped(listed.dims())?)?;
                Input::View(&safe)
            }
            scalar => scalar,
        };
        let list = self.untouched(list)?;
        let body = library::index::put(axis as u8);
        self.write_over(body, listed, &[values, (&list).into()])
    }

    /// Returns indices along an axis as a vector of `i64`.
    fn index_list(
        &self,
        operation: &'static str,
        indices: &View,
        axis: usize,
    ) -> Result<View, CallError> {
        let dtype = indices.dtype();
        // Some `u64` numbers do not fit the type of indices.
        if !dtype.is_integer() || dtype == DType::U64 {
            return Err(CallError::DType { operation, dtype });
        }
        if self.dims()[self.check_axis(axis)?] == 0 && !indices.is_empty() {
            return Err(wrong(operation, "indices into an empty axis"));
        }
        indices.cast(DType::I64)?.flattened()
    }

    /// Returns the view itself, or a copy if it shares elements with this view, which will be
    /// written.
    pub(super) fn untouched(&self, view: View) -> Result<View, CallError> {
        match self.overlaps(&view) {
            true => view.copied(),
            false => Ok(view),
        }
    }
}
