//! Selections by small masks, which the calling thread counts and packs without an operation.
//!
//! Nothing else runs between counting and packing, so that no copy of the mask is needed.

use super::View;
use crate::dtype::DType;
use crate::kernel::{Tile, pack};
use crate::library;
use crate::shape::Shape;
use weft_core::error::CallError;

impl View {
    /// Returns the elements where a mask of this view's shape is not 0, as a vector; `None` if an
    /// operation is needed.
    pub(super) fn selected_at_once(&self, mask: &View) -> Option<View> {
        let measure = |mask: &Tile<'_>| Shape::new(&[pack::count_set(mask)]);
        let fill = |tiles: &mut [Tile<'_>]| {
            if let [mask, values, out] = tiles {
                pack::select(mask, values, out);
            }
        };
        View::measured_at_once("pack", &[mask, self], self.dtype(), measure, fill)
    }

    /// Returns the indices of the elements that are not 0, a row for each axis; `None` if an
    /// operation is needed.
    pub(super) fn indices_at_once(&self) -> Option<View> {
        let axes = self.ndim();
        if axes == 0 {
            return None;
        }
        let measure = |mask: &Tile<'_>| Shape::new(&[axes, pack::count_set(mask)]);
        let fill = |tiles: &mut [Tile<'_>]| {
            if let [mask, out] = tiles {
                pack::indices(mask, out);
            }
        };
        View::measured_at_once("nonzero", &[self], DType::I64, measure, fill)
    }

    /// Counts the elements that are not 0; `None` if an operation is needed.
    pub(crate) fn counted_at_once(&self) -> Option<usize> {
        self.read_at_once(pack::count_set)
    }

    /// Writes the elements of a vector of this view's dtype one after the other, and again from the
    /// first, where a mask of this view's shape is not 0. Returns `false` and writes nothing if
    /// they do not fit, if there are no values, with GPUs, and on several ranks.
    pub(crate) fn place(&self, mask: &View, values: &View) -> Result<bool, CallError> {
        let fits = mask.dims() == self.dims()
            && values.ndim() == 1
            && !values.is_empty()
            && values.dtype() == self.dtype();
        if !fits || self.is_empty() || !self.core.is_on_cpus_alone() {
            return Ok(false);
        }
        if self.placed_at_once(mask, values, true) {
            return Ok(true);
        }
        self.check_distinct("place")?;
        let mask = self.untouched(mask.clone())?;
        let values = self.untouched(values.clone())?;
        let inputs = [(&mask).into(), (&values).into()];
        self.write_over(library::pack::place(), self.layout.shape, &inputs)?;
        Ok(true)
    }

    /// Writes the elements of a vector of this view's dtype in order where a mask of this view's
    /// shape is not 0. With `again` the vector may have another length than the selection: it is
    /// repeated or cut. Returns `false` and writes nothing if the length does not fit or an
    /// operation is needed.
    pub(crate) fn placed_at_once(&self, mask: &View, values: &View, again: bool) -> bool {
        let fits = mask.dims() == self.dims()
            && values.ndim() == 1
            && !values.is_empty()
            && values.dtype() == self.dtype();
        if !fits || self.has_repeated_elements() || self.overlaps(mask) || self.overlaps(values) {
            return false;
        }
        let is_fine = |mask: &Tile<'_>| again || pack::count_set(mask) == values.len();
        let fill = |tiles: &mut [Tile<'_>]| {
            if let [mask, values, out] = tiles {
                pack::place(mask, values, out);
            }
        };
        self.filled_at_once("place", &[mask, values], is_fine, fill)
    }
}
