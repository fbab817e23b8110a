//! Indexing with masks.
//!
//! The length of a result depends on the mask's values. The call counts them and waits for the count; the elements are
//! then packed in parallel while the program continues.

use std::sync::Arc;

use smallvec::smallvec;

use super::forward::checked;
use super::forward::wrong;
use super::{Array, DynArray, IntoValue, Value};
use crate::dtype::{DType, Element, Scalar};
use crate::kernel::pack::BLOCK;
use crate::kernel::{BinaryOp, ScanOp};
use crate::library;
use crate::shape::Shape;
use weft_core::error::{CallError, Error, at_call};
use weft_core::operation::{Body, Request};
use weft_core::runtime::OTHER_RUNTIME;
use weft_core::site::Site;

/// A mask whose set elements have been counted.
///
/// Nobody else has its store: what is packed later is what was counted, whatever other threads of the program write meanwhile.
pub(super) struct Counted {
    /// In row-major order.
    mask: DynArray,
    /// Running counts of its blocks.
    ends: DynArray,
    /// How many are set.
    pub(super) count: usize,
}

impl Counted {
    /// Counts what is not 0 or false, and waits for the number.
    pub(super) fn new(mask: &DynArray, call: Site) -> Result<Counted, Error> {
        let own = mask.cast_by(DType::Bool, call)?.flattened(call)?;
        Counted::of_own(own.apart_from(mask, call)?, call)
    }

    /// The same of a mask that the caller has just made, a vector of `bool`.
    pub(super) fn of_own(mask: DynArray, call: Site) -> Result<Counted, Error> {
        let blocks = checked(&[mask.len().div_ceil(BLOCK)])?;
        let counts = DynArray::unwritten(&mask.core, DType::I64, blocks, call)?;
        let operands = smallvec![mask.operand(), counts.operand()];
        let request = Request::new(call, library::pack::count_blocks(), blocks, operands);
        mask.core.submit(request)?;
        let ends = match blocks.len() {
            0 | 1 => counts,
            _ => counts.scan_by(ScanOp::CumSum, Some(0), call)?,
        };
        let last = ends.part(0, blocks.len().saturating_sub(1), blocks.len());
        let count: Vec<i64> = last.view.read(call)?;
        let count = count.first().map_or(0, |count| *count as usize);
        Ok(Counted { mask, ends, count })
    }

    /// The numbers of the set elements.
    pub(super) fn positions(&self, call: Site) -> Result<DynArray, CallError> {
        self.packed(library::pack::positions(), None, DType::I64, call)
    }

    /// The elements of a vector where the mask is set.
    pub(super) fn pack(&self, values: &DynArray, call: Site) -> Result<DynArray, CallError> {
        self.packed(library::pack::pack(), Some(values), values.dtype(), call)
    }

    fn packed(
        &self,
        body: Body,
        values: Option<&DynArray>,
        dtype: DType,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let shape = checked(&[self.count])?;
        let out = DynArray::unwritten(&self.mask.core, dtype, shape, call)?;
        self.submit(body, values, &out, call)?;
        Ok(out)
    }

    /// A vector with `values`, one after the other, where the mask is set, and 0 elsewhere.
    fn unpack(&self, values: &DynArray, call: Site) -> Result<DynArray, CallError> {
        let shape = self.mask.layout.shape;
        let out = DynArray::unwritten(&self.mask.core, values.dtype(), shape, call)?;
        self.submit(library::pack::unpack(), Some(values), &out, call)?;
        Ok(out)
    }

    fn submit(
        &self,
        body: Body,
        values: Option<&DynArray>,
        out: &DynArray,
        call: Site,
    ) -> Result<(), CallError> {
        let mut operands = smallvec![self.mask.operand(), self.ends.operand()];
        operands.extend(values.map(|values| values.operand()));
        operands.push(out.operand());
        let request = Request::new(call, body, out.layout.shape, operands);
        self.mask.core.submit(request)?;
        Ok(())
    }
}

impl DynArray {
    /// The elements where `mask` is true, in row-major order, as a vector: `x[mask]`. A mask with fewer axes selects
    /// along the first ones and keeps the others. Waits for the number of elements.
    ///
    /// # Errors
    /// The mask is not `bool`, its shape is not that of the first axes, or an operation that it depends on failed.
    #[track_caller]
    pub fn take_where(&self, mask: &DynArray) -> Result<DynArray, Error> {
        let call = Site::caller();
        let others = self.check_mask("take_where", mask)?.to_vec();
        let counted = Counted::new(mask, call)?;
        if others.is_empty() && mask.ndim() == self.ndim() {
            return Ok(counted.pack(&self.flattened(call)?, call)?);
        }
        let rows = [&[mask.len()], others.as_slice()].concat();
        let places = counted.positions(call)?;
        Ok(self.viewed(&rows, call)?.0.take(&places, Some(0))?)
    }

    /// Writes values where `mask` is true: `x[mask] = values`. A mask with fewer axes selects along the first ones.
    /// The values are cast. They either broadcast to what one element of the mask selects, or there is one for each
    /// selected element in order; then the call waits for their number.
    ///
    /// # Errors
    /// The mask is not `bool`, its shape is not that of the first axes, the values do not fit, this is a broadcast
    /// view, or an operation that the mask depends on failed.
    #[track_caller]
    pub fn put_where(&self, mask: &DynArray, values: impl Into<Value>) -> Result<(), Error> {
        self.put_where_by(mask, &values.into(), Site::caller())
    }

    fn put_where_by(&self, mask: &DynArray, values: &Value, call: Site) -> Result<(), Error> {
        let operation = "put_where";
        let others = self.check_mask(operation, mask)?.to_vec();
        let values = values.cast_by(self.dtype(), call)?;
        let stretched = [mask.shape(), &vec![1; others.len()]].concat();
        let spread = |mask: &DynArray| mask.viewed(&stretched, call).map(|(mask, _)| mask);
        let list = match &values {
            Value::Array(array) if array.ndim() > others.len() => array,
            fits_everywhere => {
                return Ok(self.putmask_by(&spread(mask)?, fits_everywhere, call)?);
            }
        };
        if list.ndim() > others.len() + 1 {
            let why = format!("values of shape {:?} have too many axes", list.shape());
            return Err(wrong(operation, &why).into());
        }
        if list.shape()[0] == 1 {
            let one = list.with_layout(list.layout.index(0, 0).unwrap_or(list.layout));
            return Ok(self.putmask_by(&spread(mask)?, &Value::Array(one), call)?);
        }
        let counted = Counted::new(mask, call)?;
        if list.shape()[0] != counted.count {
            let (given, picked) = (list.shape()[0], counted.count);
            let why = format!("{given} values for the {picked} elements that the mask selects");
            return Err(wrong(operation, &why).into());
        }
        if others.is_empty() {
            let full = counted.unpack(list, call)?.viewed(self.shape(), call)?.0;
            let mask = counted.mask.viewed(self.shape(), call)?.0;
            return Ok(self.putmask_by(&mask, &Value::Array(full), call)?);
        }
        let rows = [&[mask.len()], others.as_slice()].concat();
        let (view, is_view) = self.viewed(&rows, call)?;
        view.put(&counted.positions(call)?, Some(0), list)?;
        if !is_view {
            self.assign_by(&Value::Array(view.viewed(self.shape(), call)?.0), call)?;
        }
        Ok(())
    }

    /// The axes that a mask leaves, if it fits.
    fn check_mask(&self, operation: &'static str, mask: &DynArray) -> Result<&[usize], CallError> {
        let dtype = mask.dtype();
        if !dtype.is_bool() {
            return Err(CallError::DType { operation, dtype });
        }
        if !Arc::ptr_eq(&self.core, &mask.core) {
            return Err(OTHER_RUNTIME);
        }
        self.shape().strip_prefix(mask.shape()).ok_or_else(|| {
            let (mask, whole) = (mask.shape(), self.shape());
            let why =
                format!("a mask of shape {mask:?} does not match an array of shape {whole:?}");
            wrong(operation, &why)
        })
    }

    /// The row-major numbers of the elements that are not 0 or false. Waits for their number.
    ///
    /// # Errors
    /// An operation that the array depends on failed.
    #[track_caller]
    pub fn flatnonzero(&self) -> Result<DynArray, Error> {
        let call = Site::caller();
        Ok(Counted::new(self, call)?.positions(call)?)
    }

    /// The indices of the elements that are not 0 or false: a vector for each axis. Waits for their number.
    ///
    /// # Errors
    /// The array has no axes, or an operation that it depends on failed.
    #[track_caller]
    pub fn nonzero(&self) -> Result<Vec<DynArray>, Error> {
        self.last_axis()?;
        let flat = self.flatnonzero()?;
        Ok(flat.unravelled(&self.layout.shape, Site::caller())?)
    }

    /// The indices of the elements that are not 0 or false: a row for each element. Waits for their number.
    ///
    /// # Errors
    /// An operation that the array depends on failed.
    #[track_caller]
    pub fn argwhere(&self) -> Result<DynArray, Error> {
        let call = Site::caller();
        let flat = self.flatnonzero()?;
        let dims = [flat.len(), self.ndim()];
        let out = DynArray::unwritten(&self.core, DType::I64, checked(&dims)?, call)?;
        if out.is_empty() {
            out.assign_by(&Value::Scalar(Scalar::I64(0)), call)?;
        }
        let columns = flat.unravelled(&self.layout.shape, call)?;
        for (axis, column) in columns.iter().enumerate() {
            let place = out.layout.index(1, axis as isize).unwrap_or(out.layout);
            out.with_layout(place).assign_by(&column.into(), call)?;
        }
        Ok(out)
    }

    /// The index along each axis of a shape, of row-major numbers in it.
    pub(super) fn unravelled(&self, shape: &Shape, call: Site) -> Result<Vec<DynArray>, CallError> {
        let dims = shape.dims();
        let mut indices = Vec::with_capacity(dims.len());
        for (axis, &length) in dims.iter().enumerate() {
            let inner: usize = dims[axis + 1..].iter().product();
            let number = |n: usize| Scalar::I64(n.max(1) as i64);
            let mut index = self.clone();
            if inner != 1 {
                index = index.with(BinaryOp::FloorDiv, number(inner), call)?;
            }
            if axis > 0 {
                index = index.with(BinaryOp::Rem, number(length), call)?;
            }
            indices.push(index);
        }
        Ok(indices)
    }

    /// The positions along an axis, or without one the elements in row-major order, at which the vector `condition` is
    /// true; it may be shorter. Waits for their number.
    ///
    /// # Errors
    /// The condition is not a vector or the axis is out of bounds, or an operation that it depends on failed.
    #[track_caller]
    pub fn compress(&self, condition: &DynArray, axis: Option<usize>) -> Result<DynArray, Error> {
        let operation = "compress";
        let length = match axis {
            None => self.len(),
            Some(axis) => self.shape()[self.check_axis(axis)?],
        };
        if condition.ndim() != 1 || condition.len() > length {
            let why = format!(
                "a condition of shape {:?} for {length} positions",
                condition.shape()
            );
            return Err(wrong(operation, &why).into());
        }
        Ok(self.take(&condition.flatnonzero()?, axis)?)
    }
}

impl<T: Element> Array<T> {
    /// The elements where `mask` is true, in row-major order, as a vector: `x[mask]`. A mask with fewer axes selects
    /// along the first ones and keeps the others. Waits for the number of elements.
    ///
    /// # Panics
    /// At the caller's line if the mask's shape is not that of the first axes, or an operation that it depends on
    /// failed.
    #[track_caller]
    #[must_use]
    pub fn take_where(&self, mask: &Array<bool>) -> Array<T> {
        at_call(self.try_take_where(mask))
    }

    /// Like [`take_where`](Self::take_where), but returns errors and failures.
    ///
    /// # Errors
    /// The mask's shape is not that of the first axes, or an operation that it depends on failed.
    #[track_caller]
    pub fn try_take_where(&self, mask: &Array<bool>) -> Result<Array<T>, Error> {
        Ok(Array::wrap(self.as_dyn().take_where(mask.as_dyn())?))
    }

    /// Writes values where `mask` is true: `x[mask] = values`. A mask with fewer axes selects along the first ones.
    /// The values are either broadcast to what one element of the mask picks, or as many as elements are picked, in
    /// their order; then the call waits for that number.
    ///
    /// # Panics
    /// At the caller's line if the mask's shape is not that of the first axes, the values do not fit, this is a
    /// broadcast view, or an operation that the mask depends on failed.
    #[track_caller]
    pub fn put_where(&self, mask: &Array<bool>, values: impl IntoValue<T>) {
        at_call(self.try_put_where(mask, values));
    }

    /// Like [`put_where`](Self::put_where), but returns errors and failures.
    ///
    /// # Errors
    /// The mask's shape is not that of the first axes, the values do not fit, this is a broadcast view, or an
    /// operation that the mask depends on failed.
    #[track_caller]
    pub fn try_put_where(
        &self,
        mask: &Array<bool>,
        values: impl IntoValue<T>,
    ) -> Result<(), Error> {
        let (values, call) = (values.into_value(), Site::caller());
        self.as_dyn().put_where_by(mask.as_dyn(), &values, call)
    }

    /// The row-major numbers of the elements that are not 0 or false. Waits for their number.
    ///
    /// # Panics
    /// At the caller's line if what the array depends on failed.
    #[track_caller]
    #[must_use]
    pub fn flatnonzero(&self) -> Array<i64> {
        Array::wrap(at_call(self.as_dyn().flatnonzero()))
    }

    /// The indices of the elements that are not 0 or false: a vector for each axis. Waits for their number.
    ///
    /// # Panics
    /// At the caller's line if the array has no axes, or an operation that it depends on failed.
    #[track_caller]
    #[must_use]
    pub fn nonzero(&self) -> Vec<Array<i64>> {
        let indices = at_call(self.as_dyn().nonzero());
        indices.into_iter().map(Array::wrap).collect()
    }

    /// The indices of the elements that are not 0 or false: a row for each element. Waits for their number.
    ///
    /// # Panics
    /// At the caller's line if what the array depends on failed.
    #[track_caller]
    #[must_use]
    pub fn argwhere(&self) -> Array<i64> {
        Array::wrap(at_call(self.as_dyn().argwhere()))
    }

    /// The elements in row-major order at which the vector `condition` is true; it may be shorter. Waits for their
    /// number.
    ///
    /// # Panics
    /// At the caller's line if the condition is no vector or too long, or an operation that it depends on failed.
    #[track_caller]
    #[must_use]
    pub fn compress(&self, condition: &Array<bool>) -> Array<T> {
        let compressed = self.as_dyn().compress(condition.as_dyn(), None);
        Array::wrap(at_call(compressed))
    }

    /// The positions along an axis at which the vector `condition` is true; it may be shorter. Waits for their number.
    ///
    /// # Panics
    /// At the caller's line if the axis is out of bounds, the condition is no vector or too long, or an operation that
    /// it depends on failed.
    #[track_caller]
    #[must_use]
    pub fn compress_axis(&self, condition: &Array<bool>, axis: usize) -> Array<T> {
        let compressed = self.as_dyn().compress(condition.as_dyn(), Some(axis));
        Array::wrap(at_call(compressed))
    }
}
