//! Unique values: elements of the sorted vector that differ from the one before.

use super::mask::Counted;
use super::{View, checked};
use crate::dtype::{DType, Scalar};
use crate::kernel::{BinaryOp, ScanOp, Tile, UnaryOp, sort};
use crate::shape::Shape;
use weft_core::error::{CallError, Error};
use weft_core::site::Site;

/// The unique values of a view and their positions in it.
pub(crate) struct Unique {
    /// The sorted values.
    pub(crate) values: View,
    /// The row-major number of each value's first element.
    pub(crate) indices: View,
    /// The number of its value, for each element of the view, in the view's shape.
    pub(crate) inverse: View,
    /// The number of elements with each value.
    pub(crate) counts: View,
}

impl View {
    /// Returns the sorted unique values, as a vector. All NaN count as equal, and so do -0.0 and
    /// 0.0. Waits for their number.
    pub(crate) fn unique(&self, call: Site) -> Result<View, Error> {
        let sorted = self.flattened(call)?.sort(0, call)?;
        if let Some(values) = sorted.firsts_at_once(&sorted, call) {
            return Ok(values);
        }
        let firsts = Counted::from_own(sorted.differences(call)?, call)?;
        Ok(firsts.pack(&sorted, call)?)
    }

    /// Returns the unique values as [`unique`](Self::unique) does, with their positions and counts.
    /// Waits for their number.
    pub(crate) fn unique_all(&self, call: Site) -> Result<Unique, Error> {
        let (sorted, numbers) = self.flattened(call)?.sorted_with_numbers(call)?;
        if let Some(unique) = self.unique_at_once(&sorted, &numbers, call) {
            return Ok(unique);
        }
        let is_first = sorted.differences(call)?;
        let firsts = Counted::from_own(is_first.clone(), call)?;
        let starts = firsts.positions(call)?;
        let (count, length) = (firsts.count, sorted.len());
        let new =
            |length: usize| View::unwritten(&self.core, DType::I64, checked(&[length])?, call);

        // The elements of a value end where those of the next one begin.
        let counts = new(count)?;
        let ends = Scalar::I64(length as i64);
        let last = count.saturating_sub(1);
        let before = counts.part(0, 0, last);
        let next = starts.part(0, 1, count);
        let (now, at_last) = (starts.part(0, 0, last), starts.part(0, last, count));
        before.binary_into(BinaryOp::Sub, &next, &now, call)?;
        let rest = counts.part(0, last, count);
        rest.binary_into(BinaryOp::Sub, ends, &at_last, call)?;

        let ranks = is_first.scan(ScanOp::CumSum, Some(0), call)?;
        let ranks = ranks.with(BinaryOp::Sub, 1i64, call)?;
        let inverse = new(length)?;
        // Every element is written below, but the operation that writes some of them needs the
        // others to be initialized.
        inverse.assign(Scalar::I64(0), call)?;
        if length > 0 {
            inverse.put(&numbers, Some(0), (&ranks).into(), call)?;
        }
        Ok(Unique {
            values: firsts.pack(&sorted, call)?,
            indices: firsts.pack(&numbers, call)?,
            inverse: inverse.reshaped(self.dims(), call)?,
            counts,
        })
    }

    /// Returns the elements of `given` at the places where an element of this sorted vector differs
    /// from the one before; `None` if an operation is needed.
    ///
    /// Complex numbers need operations: those with NaN in a part are equal, but are sorted by the
    /// other part.
    fn firsts_at_once(&self, given: &View, call: Site) -> Option<View> {
        if self.dtype().is_complex() {
            return None;
        }
        let measure = |sorted: &Tile<'_>| Shape::new(&[sort::count_distinct(sorted)]);
        let fill = |tiles: &mut [Tile<'_>]| {
            if let [sorted, given, out] = tiles {
                sort::distinct(sorted, given, out);
            }
        };
        View::measured_at_once("unique", &[self, given], given.dtype(), measure, fill, call)
    }

    /// Computes the unique values from the sorted elements of this view and their numbers; `None`
    /// if an operation is needed.
    fn unique_at_once(&self, sorted: &View, numbers: &View, call: Site) -> Option<Unique> {
        let values = sorted.firsts_at_once(sorted, call)?;
        let indices = sorted.firsts_at_once(numbers, call)?;
        let lengths = |tiles: &mut [Tile<'_>]| {
            if let [sorted, out] = tiles {
                sort::run_lengths(sorted, out);
            }
        };
        let shape = |_: &Tile<'_>| Some(values.layout.shape);
        let counts = View::measured_at_once("unique", &[sorted], DType::I64, shape, lengths, call)?;
        let runs = |tiles: &mut [Tile<'_>]| {
            if let [sorted, numbers, out] = tiles {
                sort::run_numbers(sorted, numbers, out);
            }
        };
        let shape = |_: &Tile<'_>| Some(sorted.layout.shape);
        let inputs = [sorted, numbers];
        let inverse = View::measured_at_once("unique", &inputs, DType::I64, shape, runs, call)?;
        Some(Unique {
            values,
            indices,
            inverse: inverse.reshaped(self.dims(), call).ok()?,
            counts,
        })
    }

    /// Whether each element of a sorted vector differs from the one before.
    fn differences(&self, call: Site) -> Result<View, CallError> {
        let length = self.len();
        let out = View::unwritten(&self.core, DType::Bool, self.layout.shape, call)?;
        let (first, others) = (out.part(0, 0, 1), out.part(0, 1, length));
        first.assign(Scalar::Bool(true), call)?;
        let (before, now) = (
            self.part(0, 0, length.saturating_sub(1)),
            self.part(0, 1, length),
        );
        let differs = now.with(BinaryOp::NotEqual, &before, call)?;
        if self.dtype().is_bool() || self.dtype().is_integer() {
            others.assign(&differs, call)?;
            return Ok(out);
        }
        // All NaN are at the end, and count as one value.
        let is_number = before
            .unary(UnaryOp::IsNan, call)?
            .unary(UnaryOp::LogicalNot, call)?;
        others.binary_into(BinaryOp::LogicalAnd, &differs, &is_number, call)?;
        Ok(out)
    }
}
