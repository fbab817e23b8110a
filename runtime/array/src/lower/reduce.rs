//! Reductions of all elements or along one axis: one operation, or a row of partial results for
//! each tile and a second operation that combines these in order.

use smallvec::{SmallVec, smallvec};

use super::{Input, View, broadcast, checked, wrong};
use crate::dtype::DType;
use crate::kernel::{BinaryOp, ReduceOp};
use crate::library;
use crate::shape::{MAX_DIMS, Shape};
use weft_core::error::CallError;
use weft_core::operation::{Body, Operand, Request};

impl View {
    /// Reduces all elements, or those along one axis, which is removed from the shape.
    ///
    /// The order of summation depends only on the shape, never on the number of workers.
    pub(crate) fn reduce(&self, op: ReduceOp, axis: Option<usize>) -> Result<View, CallError> {
        let shape = match axis {
            None => Shape::SCALAR,
            Some(axis) => self.layout.shape.without(self.check_axis(axis)?),
        };
        let operation = op.name();
        if !op.is_defined(self.dtype()) {
            let dtype = self.dtype();
            return Err(CallError::DType { operation, dtype });
        }
        if self.dtype() == DType::F16 && op.output_dtype(DType::F16) == DType::F32 {
            // The terms are added up in `f32`, and the sum is rounded once.
            let wide = self.cast(DType::F32)?.reduce(op, axis)?;
            return wide.cast(DType::F16);
        }
        let dtype = op.output_dtype(self.dtype());
        let reduced = axis.map_or(self.len(), |axis| self.dims()[axis]);
        if reduced == 0 {
            let Some(value) = op.reduce_empty(self.dtype()) else {
                return Err(wrong(operation, "not defined for an empty array"));
            };
            return View::filled(&self.core, dtype, shape.dims(), value);
        }
        let out = View::unwritten(&self.core, dtype, shape)?;
        match axis {
            Some(axis) => self.reduce_axis(op, axis, &out)?,
            None if op.is_index() => self.reduce_to_index(op, &out)?,
            None => View::reduce_all(
                (library::reduce::partial(op), library::reduce::combine(op)),
                &[self],
                &out,
            )?,
        }
        Ok(out)
    }

    /// Reduces segments of the first axis, given by their starts and lengths as vectors of `i64`:
    /// NumPy's `reduceat`. Returns `None` if GPUs compute, or if the results of the reduction are
    /// not elements.
    pub(crate) fn reduce_segments(
        &self,
        op: ReduceOp,
        starts: &View,
        counts: &View,
    ) -> Result<Option<View>, CallError> {
        let is_known = self.core.is_on_cpus_alone()
            && self.ndim() > 0
            && !self.is_empty()
            && self.dtype() != DType::F16
            && !op.is_index()
            && op.is_defined(self.dtype());
        if !is_known {
            return Ok(None);
        }
        let dims = [starts.dims(), &self.dims()[1..]].concat();
        let shape = checked(&dims)?;
        // Each place is that of all elements of the other axes.
        let column = [starts.dims(), &vec![1; self.ndim() - 1]].concat();
        let spread = |places: &View| {
            let column = places.reshaped(&column)?;
            let layout = broadcast("reduceat", &column.layout, &shape)?;
            Ok(column.with_layout(layout))
        };
        let (starts, counts) = (spread(starts)?, spread(counts)?);
        let out = View::unwritten(&self.core, op.output_dtype(self.dtype()), shape)?;
        let body = library::reduce::segments(op, self.len().div_ceil(out.len().max(1)));
        let inputs = [self.into(), (&starts).into(), (&counts).into()];
        out.write_over(body, shape, &inputs)?;
        Ok(Some(out))
    }

    fn reduce_axis(&self, reduce: ReduceOp, axis: usize, out: &View) -> Result<(), CallError> {
        let (shape, length) = (self.layout.shape, self.dims()[axis]);
        let axis = axis as u8;
        let partial = library::reduce::partial_along(reduce, axis);
        let tiles = self.core.cuts(&shape, partial.tiling).tiles();
        if tiles > 1 {
            return self.reduce_cut_axis(reduce, partial, tiles, out);
        }
        let body = library::reduce::along(reduce, axis, length);
        if out.fill_at_once(&body, &out.layout.shape, &[self.into()]) {
            return Ok(());
        }
        let operands = smallvec![self.operand(), out.operand()];
        self.core
            .submit(Request::new(body, out.layout.shape, operands))?;
        Ok(())
    }

    /// Reduces each tile of an axis to a row of values, and the rows to one.
    fn reduce_cut_axis(
        &self,
        reduce: ReduceOp,
        partial: Body,
        tiles: usize,
        out: &View,
    ) -> Result<(), CallError> {
        let mut dims: SmallVec<[usize; MAX_DIMS]> = smallvec![tiles];
        dims.extend_from_slice(out.dims());
        let rows = |dtype| View::unwritten(&self.core, dtype, checked(&dims)?);
        if reduce.is_index() {
            let bodies = (partial, library::reduce::combine_arg(reduce));
            let (values, indices) = (rows(self.dtype())?, rows(out.dtype())?);
            return combined(bodies, &[self], &[&values, &indices], out);
        }
        let bodies = (partial, library::reduce::combine(reduce));
        combined(bodies, &[self], &[&rows(out.dtype())?], out)
    }

    /// Reduces each tile of all inputs, which have one shape, to one value, and these values to
    /// one.
    pub(super) fn reduce_all(
        (partial, combine): (Body, Body),
        inputs: &[&View],
        out: &View,
    ) -> Result<(), CallError> {
        let (shape, core) = (inputs[0].layout.shape, &out.core);
        let values: SmallVec<[Input<'_>; 2]> = inputs.iter().map(|input| (*input).into()).collect();
        if out.fill_at_once(&partial, &shape, &values) {
            return Ok(());
        }
        let tiles = core.cuts(&shape, partial.tiling).tiles();
        if tiles == 1 {
            let mut operands: SmallVec<_> = inputs.iter().map(|input| input.operand()).collect();
            operands.push(out.operand());
            core.submit(Request::new(partial, shape, operands))?;
            return Ok(());
        }
        let partials = View::unwritten(core, out.dtype(), checked(&[tiles])?)?;
        combined((partial, combine), inputs, &[&partials], out)
    }

    fn reduce_to_index(&self, op: ReduceOp, out: &View) -> Result<(), CallError> {
        let partial = library::reduce::partial_arg(op);
        let tiles = self.core.cuts(&self.layout.shape, partial.tiling).tiles();
        if tiles == 1
            && let Some(line) = self.layout.reshape(checked(&[self.len()])?)
        {
            return self.with_layout(line).reduce_axis(op, 0, out);
        }
        let tiles = checked(&[tiles])?;
        let values = View::unwritten(&self.core, self.dtype(), tiles)?;
        let indices = View::unwritten(&self.core, DType::I64, tiles)?;
        let bodies = (partial, library::reduce::combine_arg(op));
        combined(bodies, &[self], &[&values, &indices], out)
    }

    /// Returns the mean of all elements, or of those along an axis. Integers are averaged as `f64`.
    pub(crate) fn mean(&self, axis: Option<usize>) -> Result<View, CallError> {
        if let Some(mean) = self.through_f32(|wide| wide.mean(axis)) {
            return mean;
        }
        let sum = self.floats()?.reduce(ReduceOp::Sum, axis)?;
        let count = axis.map_or(self.len(), |axis| self.dims()[axis]);
        sum.with(BinaryOp::Div, sum.number(count as f64))
    }

    /// Applies a function to the elements along an axis, which is kept with length 1, or to all
    /// elements.
    pub(super) fn reduce_kept(&self, op: ReduceOp, axis: Option<usize>) -> Result<View, CallError> {
        let reduced = self.reduce(op, axis)?;
        match axis {
            Some(axis) => reduced.with_axis(axis),
            None => Ok(reduced),
        }
    }
}

/// Reduces the tiles of `inputs` to `partials`, and these to `out`, as two operations of one call.
fn combined(
    (partial, combine): (Body, Body),
    inputs: &[&View],
    partials: &[&View],
    out: &View,
) -> Result<(), CallError> {
    let operands = |views: &[&[&View]]| -> SmallVec<[Operand; 4]> {
        let views = views.iter().copied().flatten();
        views.map(|view| view.operand()).collect()
    };
    let (core, shape) = (&out.core, inputs[0].layout.shape);
    let first = operands(&[inputs, partials]);
    let uid = core.submit(Request::new(partial, shape, first))?;
    let second = operands(&[partials, &[out]]);
    let request = Request::new(combine, out.layout.shape, second);
    core.submit(request.part_of(Some(uid)))?;
    Ok(())
}
