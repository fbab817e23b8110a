//! Set operations by sorting, and indexing line by line.

use super::count::Side;
use super::{Input, View};
use crate::dtype::{DType, Promotion, Scalar};
use crate::kernel::{BinaryOp, UnaryOp};
use weft_core::error::{CallError, Error};
use weft_core::site::Site;

impl View {
    /// Whether each element is one of `values`, as NumPy's `isin`. NaN is not in any set.
    pub(crate) fn isin(&self, values: &View, call: Site) -> Result<View, CallError> {
        if values.is_empty() {
            let none = Scalar::Bool(false);
            return View::filled(&self.core, DType::Bool, self.dims(), none, call);
        }
        let dtype = DType::promote(self.dtype(), values.dtype());
        let elements = self.cast(dtype, call)?;
        let sorted = values.cast(dtype, call)?.flattened(call)?.sort(0, call)?;
        let places = sorted.searchsorted(&elements, Side::Left, call)?;
        let last = sorted.len() as i64 - 1;
        let nearest = sorted.take(&places.with(BinaryOp::Minimum, last, call)?, Some(0), call)?;
        elements.with(BinaryOp::Equal, &nearest, call)
    }

    /// Returns the sorted union of both arrays' values. Waits for their number.
    pub(crate) fn union1d(&self, other: &View, call: Site) -> Result<View, Error> {
        let dtype = DType::promote(self.dtype(), other.dtype());
        let vector = |array: &View| array.cast(dtype, call)?.flattened(call);
        View::concatenate(&[&vector(self)?, &vector(other)?], 0, call)?.unique(call)
    }

    /// Returns the sorted intersection of both arrays' values. Waits for their number.
    pub(crate) fn intersect1d(&self, other: &View, call: Site) -> Result<View, Error> {
        let own = self.unique(call)?;
        own.take_where(&own.isin(other, call)?, call)
    }

    /// Returns the sorted values of this array that are not in the other. Waits for their number.
    pub(crate) fn setdiff1d(&self, other: &View, call: Site) -> Result<View, Error> {
        let own = self.unique(call)?;
        let is_other = own.isin(other, call)?;
        own.take_where(&is_other.unary(UnaryOp::LogicalNot, call)?, call)
    }

    /// Returns the sorted values that are in exactly one of both arrays. Waits for their number.
    pub(crate) fn setxor1d(&self, other: &View, call: Site) -> Result<View, Error> {
        let own = self.setdiff1d(other, call)?;
        own.union1d(&other.setdiff1d(self, call)?, call)
    }

    /// For each line along an axis, returns the elements at the indices in the corresponding line,
    /// such as those of `argsort`. The other axes are broadcast.
    pub(crate) fn take_along_axis(
        &self,
        indices: &View,
        axis: usize,
        call: Site,
    ) -> Result<View, CallError> {
        let all = self.along(indices, axis, call)?;
        let all: Vec<(usize, &View)> = all.iter().enumerate().collect();
        self.take_at(&all, call)
    }

    /// For each line along an axis, writes values to the elements at the indices in the
    /// corresponding line. The values are broadcast to the shape of the indices.
    pub(crate) fn put_along_axis(
        &self,
        indices: &View,
        axis: usize,
        values: Input<'_>,
        call: Site,
    ) -> Result<(), CallError> {
        let all = self.along(indices, axis, call)?;
        let all: Vec<(usize, &View)> = all.iter().enumerate().collect();
        self.put_at(&all, values, call)
    }

    /// Returns indices along every axis: the given ones along one axis, and each position along the
    /// others.
    fn along(&self, indices: &View, axis: usize, call: Site) -> Result<Vec<View>, CallError> {
        let mut all = Vec::with_capacity(self.ndim());
        for (at, length) in self.dims().iter().enumerate() {
            if at == axis {
                all.push(indices.clone());
                continue;
            }
            let line = View::counting(&self.core, 0, *length, call)?;
            let mut dims = vec![1; self.ndim()];
            dims[at] = *length;
            all.push(line.reshaped(&dims, call)?);
        }
        Ok(all)
    }
}
