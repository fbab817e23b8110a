//! Indexing with masks.
//!
//! The length of a result depends on the mask's values. The call counts them and waits for the
//! count; the elements are then packed in parallel while the program continues.

use smallvec::smallvec;

use super::{Input, View, checked, wrong};
use crate::dtype::{DType, Scalar};
use crate::kernel::pack::BLOCK;
use crate::kernel::{BinaryOp, ScanOp};
use crate::library;
use crate::shape::Shape;
use weft_core::error::{CallError, Error};
use weft_core::operation::{Body, Request};

/// A mask whose set elements have been counted.
///
/// No other view has its store. So the elements that are packed later are those that were counted,
/// whatever other threads of the program write meanwhile.
pub(super) struct Counted {
    /// The mask in row-major order.
    mask: View,
    /// The running counts of its blocks.
    ends: View,
    /// The number of set elements.
    pub(super) count: usize,
}

impl Counted {
    /// Counts the elements that are not 0 or false, and waits for their number.
    pub(super) fn new(mask: &View) -> Result<Counted, Error> {
        let own = mask.cast(DType::Bool)?.flattened()?;
        Counted::from_own(own.detach_from(mask)?)
    }

    /// Counts a vector of `bool` that the caller has just created.
    pub(super) fn from_own(mask: View) -> Result<Counted, Error> {
        let blocks = checked(&[mask.len().div_ceil(BLOCK)])?;
        let counts = View::unwritten(&mask.core, DType::I64, blocks)?;
        let operands = smallvec![mask.operand(), counts.operand()];
        let request = Request::new(library::pack::count_blocks(), blocks, operands);
        mask.core.submit(request)?;
        let ends = match blocks.len() {
            0 | 1 => counts,
            _ => counts.scan(ScanOp::CumSum, Some(0))?,
        };
        let last = ends.part(0, blocks.len().saturating_sub(1), blocks.len());
        let count: Vec<i64> = last.read()?;
        let count = count.first().map_or(0, |count| *count as usize);
        Ok(Counted { mask, ends, count })
    }

    /// Returns the numbers of the set elements.
    pub(super) fn positions(&self) -> Result<View, CallError> {
        self.packed(library::pack::positions(), None, DType::I64)
    }

    /// Returns the elements of a vector where the mask is set.
    pub(super) fn pack(&self, values: &View) -> Result<View, CallError> {
        self.packed(library::pack::pack(), Some(values), values.dtype())
    }

    fn packed(&self, body: Body, values: Option<&View>, dtype: DType) -> Result<View, CallError> {
        let shape = checked(&[self.count])?;
        let out = View::unwritten(&self.mask.core, dtype, shape)?;
        self.submit(body, values, &out)?;
        Ok(out)
    }

    /// Returns a vector with `values`, one after the other, where the mask is set, and 0 elsewhere.
    fn unpack(&self, values: &View) -> Result<View, CallError> {
        let shape = self.mask.layout.shape;
        let out = View::unwritten(&self.mask.core, values.dtype(), shape)?;
        self.submit(library::pack::unpack(), Some(values), &out)?;
        Ok(out)
    }

    fn submit(&self, body: Body, values: Option<&View>, out: &View) -> Result<(), CallError> {
        let mut operands = smallvec![self.mask.operand(), self.ends.operand()];
        operands.extend(values.map(|values| values.operand()));
        operands.push(out.operand());
        let request = Request::new(body, out.layout.shape, operands);
        self.mask.core.submit(request)?;
        Ok(())
    }
}

impl View {
    /// Returns the elements where `mask` is true, in row-major order, as a vector: `x[mask]`. A
    /// mask with fewer axes selects along the first ones and keeps the others. Waits for the number
    /// of elements.
    pub(crate) fn take_where(&self, mask: &View) -> Result<View, Error> {
        let others = &self.dims()[mask.ndim()..];
        if others.is_empty() && mask.ndim() == self.ndim() {
            if let Some(selected) = self.selected_at_once(mask) {
                return Ok(selected);
            }
            let counted = Counted::new(mask)?;
            return Ok(counted.pack(&self.flattened()?)?);
        }
        let rows = [&[mask.len()], others].concat();
        let places = mask.flatnonzero()?;
        Ok(self.reshaped(&rows)?.take(&places, Some(0))?)
    }

    /// Writes values where `mask` is true: `x[mask] = values`. A mask with fewer axes selects along
    /// the first ones. The values are cast. They either broadcast to the selection of one element
    /// of the mask, or there is one for each selected element in order. In that case the call waits
    /// for their number.
    pub(crate) fn put_where(&self, mask: &View, values: Input<'_>) -> Result<(), Error> {
        let operation = "put_where";
        let others = &self.dims()[mask.ndim()..];
        let mut cast = None;
        let values = values.cast(self.dtype(), &mut cast)?;
        let stretched = [mask.dims(), &vec![1; others.len()]].concat();
        let spread = |mask: &View| mask.reshaped(&stretched);
        let list = match values {
            Input::View(view) if view.ndim() > others.len() => view,
            fits_everywhere => {
                return Ok(self.putmask(&spread(mask)?, fits_everywhere)?);
            }
        };
        if list.ndim() > others.len() + 1 {
            let why = format!("values of shape {:?} have too many axes", list.dims());
            return Err(wrong(operation, &why).into());
        }
        if list.dims()[0] == 1 {
            let one = list.position(0, 0);
            return Ok(self.putmask(&spread(mask)?, (&one).into())?);
        }
        if others.is_empty() && self.placed_at_once(mask, list, false) {
            return Ok(());
        }
        let counted = Counted::new(mask)?;
        if list.dims()[0] != counted.count {
            let (given, picked) = (list.dims()[0], counted.count);
            let why = format!("{given} values for the {picked} elements that the mask selects");
            return Err(wrong(operation, &why).into());
        }
        if others.is_empty() {
            let full = counted.unpack(list)?.reshaped(self.dims())?;
            let mask = counted.mask.reshaped(self.dims())?;
            return Ok(self.putmask(&mask, (&full).into())?);
        }
        let rows = [&[mask.len()], others].concat();
        let (view, is_view) = self.viewed(&rows)?;
        view.put(&counted.positions()?, Some(0), list.into())?;
        if !is_view {
            self.assign(&view.reshaped(self.dims())?)?;
        }
        Ok(())
    }

    /// Returns the row-major numbers of the elements that are not 0 or false. Waits for their
    /// number.
    pub(crate) fn flatnonzero(&self) -> Result<View, Error> {
        let flat = self.flattened()?;
        if let Some(indices) = flat.indices_at_once() {
            return Ok(indices.position(0, 0));
        }
        Ok(Counted::new(self)?.positions()?)
    }

    /// Returns the indices of the elements that are not 0 or false: a vector for each axis. Waits
    /// for their number.
    pub(crate) fn nonzero(&self) -> Result<Vec<View>, Error> {
        if let Some(indices) = self.indices_at_once() {
            let rows = 0..self.ndim();
            return Ok(rows.map(|axis| indices.position(0, axis)).collect());
        }
        let flat = self.flatnonzero()?;
        Ok(flat.unravelled(&self.layout.shape)?)
    }

    /// Returns the indices of the elements that are not 0 or false: a row for each element. Waits
    /// for their number.
    pub(crate) fn argwhere(&self) -> Result<View, Error> {
        if let Some(indices) = self.indices_at_once() {
            return Ok(indices.permute(&[1, 0])?);
        }
        let flat = self.flatnonzero()?;
        let dims = [flat.len(), self.ndim()];
        let out = View::unwritten(&self.core, DType::I64, checked(&dims)?)?;
        if out.is_empty() {
            out.assign(Scalar::I64(0))?;
        }
        let columns = flat.unravelled(&self.layout.shape)?;
        for (axis, column) in columns.iter().enumerate() {
            out.position(1, axis).assign(column)?;
        }
        Ok(out)
    }

    /// Returns the indices along each axis of a shape for row-major numbers in it.
    pub(super) fn unravelled(&self, shape: &Shape) -> Result<Vec<View>, CallError> {
        let dims = shape.dims();
        let mut indices = Vec::with_capacity(dims.len());
        for (axis, &length) in dims.iter().enumerate() {
            let inner: usize = dims[axis + 1..].iter().product();
            let number = |n: usize| Scalar::I64(n.max(1) as i64);
            let mut index = self.clone();
            if inner != 1 {
                index = index.with(BinaryOp::FloorDiv, number(inner))?;
            }
            if axis > 0 {
                index = index.with(BinaryOp::Rem, number(length))?;
            }
            indices.push(index);
        }
        Ok(indices)
    }
}
