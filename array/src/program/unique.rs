//! Unique values.

use super::forward::checked;
use super::mask::Counted;
use super::{Array, DynArray, Value};
use crate::dtype::{DType, Element, Scalar};
use crate::kernel::{BinaryOp, ScanOp, UnaryOp};
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

/// The unique values of an array and their positions in it.
#[derive(Clone, Debug)]
pub struct Unique<V> {
    /// The values in order.
    pub values: V,
    /// The row-major number of each value's first element.
    pub indices: Array<i64>,
    /// For each element of the array, in its shape, the number of its value.
    pub inverse: Array<i64>,
    /// How many elements have each value.
    pub counts: Array<i64>,
}

impl DynArray {
    /// The sorted unique values, as a vector. All NaN count as equal, and so do -0.0 and 0.0. Waits for their number.
    ///
    /// # Errors
    /// An operation that the array depends on failed.
    #[track_caller]
    pub fn unique(&self) -> Result<DynArray, Error> {
        let call = Site::caller();
        let sorted = self.flattened(call)?.sort_by(0, call)?;
        let firsts = Counted::of_own(sorted.differences(call)?, call)?;
        Ok(firsts.pack(&sorted, call)?)
    }

    /// The unique values as [`unique`](Self::unique), with their positions and counts. Waits for their number.
    ///
    /// # Errors
    /// An operation that the array depends on failed.
    #[track_caller]
    pub fn unique_all(&self) -> Result<Unique<DynArray>, Error> {
        let call = Site::caller();
        let (sorted, numbers) = self.flattened(call)?.sorted_with_numbers(call)?;
        let is_first = sorted.differences(call)?;
        let firsts = Counted::of_own(is_first.clone(), call)?;
        let starts = firsts.positions(call)?;
        let (count, length) = (firsts.count, sorted.len());
        let new =
            |dims: &[usize]| DynArray::unwritten(&self.core, DType::I64, checked(dims)?, call);

        // A value's elements end where the next one's begin.
        let counts = new(&[count])?;
        let ends = Value::Scalar(Scalar::I64(length as i64));
        let (before, last) = (
            counts.part(0, 0, count.saturating_sub(1)),
            count.saturating_sub(1),
        );
        let next = starts.part(0, 1, count);
        let (now, at_last) = (starts.part(0, 0, last), starts.part(0, last, count));
        before.binary_into_by(BinaryOp::Sub, &Value::from(&next), &Value::from(&now), call)?;
        let rest = counts.part(0, last, count);
        rest.binary_into_by(BinaryOp::Sub, &ends, &Value::from(&at_last), call)?;

        let ranks = is_first.scan_by(ScanOp::CumSum, Some(0), call)?;
        let ranks = ranks.with(BinaryOp::Sub, 1i64, call)?;
        let inverse = new(&[length])?;
        // Every element is written below; the operation that writes some of them counts on the others.
        inverse.assign_by(&Value::Scalar(Scalar::I64(0)), call)?;
        if length > 0 {
            inverse.put_by(&numbers, Some(0), &Value::from(&ranks), call)?;
        }
        let wrap = Array::wrap;
        Ok(Unique {
            values: firsts.pack(&sorted, call)?,
            indices: wrap(firsts.pack(&numbers, call)?),
            inverse: wrap(inverse.viewed(self.shape(), call)?.0),
            counts: wrap(counts),
        })
    }

    /// Whether each element of a sorted vector differs from the one before.
    fn differences(&self, call: Site) -> Result<DynArray, CallError> {
        let length = self.len();
        let out = DynArray::unwritten(&self.core, DType::Bool, self.layout.shape, call)?;
        let (first, others) = (out.part(0, 0, 1), out.part(0, 1, length));
        first.assign_by(&Value::Scalar(Scalar::Bool(true)), call)?;
        let (before, now) = (
            self.part(0, 0, length.saturating_sub(1)),
            self.part(0, 1, length),
        );
        let differs = now.with(BinaryOp::NotEqual, &before, call)?;
        if self.dtype().is_bool() || self.dtype().is_integer() {
            others.assign_by(&Value::from(&differs), call)?;
            return Ok(out);
        }
        // NaN stand at the end, and are one.
        let is_number = before
            .unary_by(UnaryOp::IsNan, call)?
            .unary_by(UnaryOp::LogicalNot, call)?;
        let (differs, is_number) = (Value::from(&differs), Value::from(&is_number));
        others.binary_into_by(BinaryOp::LogicalAnd, &differs, &is_number, call)?;
        Ok(out)
    }
}

impl<T: Element> Array<T> {
    /// The sorted unique values, as a vector. All NaN count as equal, and so do -0.0 and 0.0. Waits for their number.
    ///
    /// # Panics
    /// At the caller's line if what the array depends on failed.
    #[track_caller]
    #[must_use]
    pub fn unique(&self) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().unique()))
    }

    /// The unique values as [`unique`](Self::unique), with their positions and counts. Waits for their number.
    ///
    /// # Panics
    /// At the caller's line if what the array depends on failed.
    #[track_caller]
    #[must_use]
    pub fn unique_all(&self) -> Unique<Array<T>> {
        let all = at_call(self.as_dyn().unique_all());
        Unique {
            values: Array::wrap(all.values),
            indices: all.indices,
            inverse: all.inverse,
            counts: all.counts,
        }
    }
}
