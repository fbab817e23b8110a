//! Set operations by sorting, and indexing line by line.

use super::count::Side;
use super::{Input, View, broadcast, core_of};
use crate::dtype::{DType, Promotion, Scalar};
use crate::kernel::member::Members;
use crate::kernel::{BinaryOp, Tile, UnaryOp};
use crate::library;
use weft_core::error::{CallError, Error};

/// The longest table of marks, for each element of a search and of its set.
const SPARSE: usize = 6;

impl View {
    /// Whether each element is one of `values`, as NumPy's `isin`. NaN is not in any set.
    pub(crate) fn isin(&self, values: &View) -> Result<View, CallError> {
        if values.is_empty() {
            let none = Scalar::Bool(false);
            return View::filled(&self.core, DType::Bool, self.dims(), none);
        }
        if let Some(made) = self.isin_at_once(values) {
            return Ok(made);
        }
        let dtype = DType::promote(self.dtype(), values.dtype());
        let elements = self.cast(dtype)?;
        let sorted = values.cast(dtype)?.flattened()?.sort(0)?;
        let places = sorted.searchsorted(&elements, Side::Left)?;
        let last = sorted.len() as i64 - 1;
        let nearest = sorted.take(&places.with(BinaryOp::Minimum, last)?, Some(0))?;
        elements.with(BinaryOp::Equal, &nearest)
    }

    /// Computes [`isin`](Self::isin) by a table without an operation; `None` if that is not
    /// possible, or the values are not integers of this view's dtype close together.
    fn isin_at_once(&self, values: &View) -> Option<View> {
        if self.dtype() != values.dtype() || !self.dtype().is_integer() {
            return None;
        }
        let most = SPARSE.saturating_mul(self.len().saturating_add(values.len()));
        let members = values.read_at_once(|values| Members::of(values, most))??;
        let shape = |_: &Tile<'_>| Some(self.layout.shape);
        let fill = |tiles: &mut [Tile<'_>]| {
            if let [numbers, out] = tiles {
                members.mark(numbers, out);
            }
        };
        View::measured_at_once("isin", &[self], DType::Bool, shape, fill)
    }

    /// Returns the sorted union of both arrays' values. Waits for their number.
    pub(crate) fn union1d(&self, other: &View) -> Result<View, Error> {
        let dtype = DType::promote(self.dtype(), other.dtype());
        let vector = |array: &View| array.cast(dtype)?.flattened();
        View::concatenate(&[&vector(self)?, &vector(other)?], 0)?.unique()
    }

    /// Returns the sorted intersection of both arrays' values. Waits for their number.
    pub(crate) fn intersect1d(&self, other: &View) -> Result<View, Error> {
        let own = self.unique()?;
        own.take_where(&own.isin(other)?)
    }

    /// Returns the sorted values of this array that are not in the other. Waits for their number.
    pub(crate) fn setdiff1d(&self, other: &View) -> Result<View, Error> {
        let own = self.unique()?;
        let is_other = own.isin(other)?;
        own.take_where(&is_other.unary(UnaryOp::LogicalNot)?)
    }

    /// Returns the sorted values that are in exactly one of both arrays. Waits for their number.
    pub(crate) fn setxor1d(&self, other: &View) -> Result<View, Error> {
        let own = self.setdiff1d(other)?;
        own.union1d(&other.setdiff1d(self)?)
    }

    /// For each line along an axis, returns the elements at the indices in the corresponding line,
    /// such as those of `argsort`. The other axes are broadcast.
    pub(crate) fn take_along_axis(&self, indices: &View, axis: usize) -> Result<View, CallError> {
        core_of(&[self.into(), indices.into()])?;
        if self.fits_lines(indices, axis) {
            let list = indices.cast(DType::I64)?;
            let out = View::unwritten(&self.core, self.dtype(), indices.layout.shape)?;
            let body = library::index::take_along(axis as u8);
            let inputs = [self.into(), (&list).into()];
            out.write_over(body, out.layout.shape, &inputs)?;
            return Ok(out);
        }
        let all = self.along(indices, axis)?;
        let all: Vec<(usize, &View)> = all.iter().enumerate().collect();
        self.take_at(&all)
    }

    /// For each line along an axis, writes values to the elements at the indices in the
    /// corresponding line. The values are broadcast to the shape of the indices.
    pub(crate) fn put_along_axis(
        &self,
        indices: &View,
        axis: usize,
        values: Input<'_>,
    ) -> Result<(), CallError> {
        core_of(&[self.into(), indices.into(), values])?;
        if self.fits_lines(indices, axis) {
            self.check_distinct("put_along_axis")?;
            let shape = indices.layout.shape;
            let list = self.untouched(indices.cast(DType::I64)?)?;
            let mut cast = None;
            let safe;
            let values = match values.cast(self.dtype(), &mut cast)? {
                Input::View(view) => {
                    let layout = broadcast("put_along_axis", &view.layout, &shape)?;
                    safe = self.untouched(view.with_layout(layout))?;
                    Input::View(&safe)
                }
                scalar => scalar,
            };
            let body = library::index::put_along(axis as u8);
            return self.write_over(body, shape, &[values, (&list).into()]);
        }
        let all = self.along(indices, axis)?;
        let all: Vec<(usize, &View)> = all.iter().enumerate().collect();
        self.put_at(&all, values)
    }

    /// Whether the kernels that follow lines apply: on CPUs, if the axes other than `axis` have the
    /// lengths of the indices' and there are elements.
    fn fits_lines(&self, indices: &View, axis: usize) -> bool {
        self.core.is_on_cpus_alone()
            && self.ndim() == indices.ndim()
            && self.layout.shape.without(axis) == indices.layout.shape.without(axis)
            && !self.is_empty()
            && !indices.is_empty()
            && indices.dtype().is_integer()
            && indices.dtype() != DType::U64
    }

    /// Returns indices along every axis: the given ones along one axis, and each position along the
    /// others.
    fn along(&self, indices: &View, axis: usize) -> Result<Vec<View>, CallError> {
        let mut all = Vec::with_capacity(self.ndim());
        for (at, length) in self.dims().iter().enumerate() {
            if at == axis {
                all.push(indices.clone());
                continue;
            }
            let line = View::counting(&self.core, 0, *length)?;
            let mut dims = vec![1; self.ndim()];
            dims[at] = *length;
            all.push(line.reshaped(&dims)?);
        }
        Ok(all)
    }
}
