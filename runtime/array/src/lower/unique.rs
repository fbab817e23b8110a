//! Unique values: elements of the sorted vector that differ from the one before.

use super::mask::Counted;
use super::{View, checked};
use crate::dtype::{DType, Scalar};
use crate::kernel::{BinaryOp, ScanOp, Tile, UnaryOp, sort};
use crate::shape::Shape;
use weft_core::error::{CallError, Error};

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
    pub(crate) fn unique(&self) -> Result<View, Error> {
        let sorted = self.flattened()?.sort(0)?;
        if let Some(values) = sorted.firsts_at_once(&sorted) {
            return Ok(values);
        }
        let firsts = Counted::from_own(sorted.differences()?)?;
        Ok(firsts.pack(&sorted)?)
    }

    /// Returns the unique values as [`unique`](Self::unique) does, with their positions and counts.
    /// Waits for their number.
    pub(crate) fn unique_all(&self) -> Result<Unique, Error> {
        let (sorted, numbers) = self.flattened()?.sorted_with_numbers()?;
        if let Some(unique) = self.unique_at_once(&sorted, &numbers) {
            return Ok(unique);
        }
        let is_first = sorted.differences()?;
        let firsts = Counted::from_own(is_first.clone())?;
        let starts = firsts.positions()?;
        let (count, length) = (firsts.count, sorted.len());
        let new = |length: usize| View::unwritten(&self.core, DType::I64, checked(&[length])?);

        // The elements of a value end where those of the next one begin.
        let counts = new(count)?;
        let ends = Scalar::I64(length as i64);
        let last = count.saturating_sub(1);
        let before = counts.part(0, 0, last);
        let next = starts.part(0, 1, count);
        let (now, at_last) = (starts.part(0, 0, last), starts.part(0, last, count));
        before.binary_into(BinaryOp::Sub, &next, &now)?;
        let rest = counts.part(0, last, count);
        rest.binary_into(BinaryOp::Sub, ends, &at_last)?;

        let ranks = is_first.scan(ScanOp::CumSum, Some(0))?;
        let ranks = ranks.with(BinaryOp::Sub, 1i64)?;
        let inverse = new(length)?;
        // Every element is written below, but the operation that writes some of them needs the
        // others to be initialized.
        inverse.assign(Scalar::I64(0))?;
        if length > 0 {
            inverse.put(&numbers, Some(0), (&ranks).into())?;
        }
        Ok(Unique {
            values: firsts.pack(&sorted)?,
            indices: firsts.pack(&numbers)?,
            inverse: inverse.reshaped(self.dims())?,
            counts,
        })
    }

    /// Returns the elements of `given` at the places where an element of this sorted vector differs
    /// from the one before; `None` if an operation is needed.
    ///
    /// Complex numbers need operations: those with NaN in a part are equal, but are sorted by the
    /// other part.
    fn firsts_at_once(&self, given: &View) -> Option<View> {
        if self.dtype().is_complex() {
            return None;
        }
        let measure = |sorted: &Tile<'_>| Shape::new(&[sort::count_distinct(sorted)]);
        let fill = |tiles: &mut [Tile<'_>]| {
            if let [sorted, given, out] = tiles {
                sort::distinct(sorted, given, out);
            }
        };
        View::measured_at_once("unique", &[self, given], given.dtype(), measure, fill)
    }

    /// Computes the unique values from the sorted elements of this view and their numbers; `None`
    /// if an operation is needed.
    fn unique_at_once(&self, sorted: &View, numbers: &View) -> Option<Unique> {
        let values = sorted.firsts_at_once(sorted)?;
        let indices = sorted.firsts_at_once(numbers)?;
        let lengths = |tiles: &mut [Tile<'_>]| {
            if let [sorted, out] = tiles {
                sort::run_lengths(sorted, out);
            }
        };
        let shape = |_: &Tile<'_>| Some(values.layout.shape);
        let counts = View::measured_at_once("unique", &[sorted], DType::I64, shape, lengths)?;
        let runs = |tiles: &mut [Tile<'_>]| {
            if let [sorted, numbers, out] = tiles {
                sort::run_numbers(sorted, numbers, out);
            }
        };
        let shape = |_: &Tile<'_>| Some(sorted.layout.shape);
        let inputs = [sorted, numbers];
        let inverse = View::measured_at_once("unique", &inputs, DType::I64, shape, runs)?;
        Some(Unique {
            values,
            indices,
            inverse: inverse.reshaped(self.dims()).ok()?,
            counts,
        })
    }

    /// Whether each element of a sorted vector differs from the one before.
    fn differences(&self) -> Result<View, CallError> {
        let length = self.len();
        let out = View::unwritten(&self.core, DType::Bool, self.layout.shape)?;
        let (first, others) = (out.part(0, 0, 1), out.part(0, 1, length));
        first.assign(Scalar::Bool(true))?;
        let (before, now) = (
            self.part(0, 0, length.saturating_sub(1)),
            self.part(0, 1, length),
        );
        let differs = now.with(BinaryOp::NotEqual, &before)?;
        if self.dtype().is_bool() || self.dtype().is_integer() {
            others.assign(&differs)?;
            return Ok(out);
        }
        // All NaN are at the end, and count as one value.
        let is_number = before.unary(UnaryOp::IsNan)?.unary(UnaryOp::LogicalNot)?;
        others.binary_into(BinaryOp::LogicalAnd, &differs, &is_number)?;
        Ok(out)
    }
}
