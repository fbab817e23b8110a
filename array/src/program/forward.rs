//! Calls that are to be made of [`lower`](crate::lower) directly.

use std::ops::Deref;
use std::sync::Arc;

use super::{DynArray, Value};
use crate::dtype::{DType, Scalar};
use crate::kernel::{BinaryOp, UnaryOp};
use crate::lower::View;
use crate::lower::generate::Generator;
use crate::shape::{Layout, Shape};
use weft_core::error::CallError;
use weft_core::operation::{Body, Descriptor};
use weft_core::runtime::Core;
use weft_core::site::Site;

pub(crate) use crate::lower::wrong;

type Made = Result<DynArray, CallError>;

impl Deref for DynArray {
    type Target = View;

    fn deref(&self) -> &View {
        &self.view
    }
}

impl DynArray {
    pub(crate) fn product(&self, operation: &'static str, other: &DynArray, call: Site) -> Made {
        Ok(self.view.product(operation, &other.view, call)?.into())
    }

    pub(crate) fn put_by(
        &self,
        indices: &DynArray,
        axis: Option<usize>,
        values: &Value,
        call: Site,
    ) -> Result<(), CallError> {
        self.view.put(&indices.view, axis, values.into(), call)
    }

    pub(crate) fn reduce_by(
        &self,
        op: crate::kernel::ReduceOp,
        axis: Option<usize>,
        call: Site,
    ) -> Made {
        Ok(self.view.reduce(op, axis, call)?.into())
    }

    pub(crate) fn scan_by(
        &self,
        op: crate::kernel::ScanOp,
        axis: Option<usize>,
        call: Site,
    ) -> Made {
        Ok(self.view.scan(op, axis, call)?.into())
    }

    pub(crate) fn reduce_all(
        &self,
        partial: Body,
        combine: Body,
        inputs: &[&DynArray],
        out: &DynArray,
        call: Site,
    ) -> Result<(), CallError> {
        let inputs: Vec<&View> = inputs.iter().map(|input| &input.view).collect();
        View::reduce_all((partial, combine), &inputs, &out.view, call)
    }

    pub(crate) fn flattened(&self, call: Site) -> Made {
        Ok(self.view.flattened(call)?.into())
    }

    pub(crate) fn through_f32(
        &self,
        call: Site,
        compute: impl FnOnce(&DynArray) -> Made,
    ) -> Option<Made> {
        let wide = |view: &View| Ok(compute(&view.clone().into())?.view);
        let made = self.view.through_f32(call, wide)?;
        Some(made.map(DynArray::from))
    }

    pub(crate) fn unwritten(core: &Arc<Core>, dtype: DType, shape: Shape, call: Site) -> Made {
        Ok(View::unwritten(core, dtype, shape, call)?.into())
    }

    pub(crate) fn write(&self, body: Body, inputs: &[&Value], call: Site) -> Result<(), CallError> {
        let inputs: Vec<_> = inputs.iter().map(|input| (*input).into()).collect();
        self.view.write(body, &inputs, call)
    }

    pub(crate) fn with_layout(&self, layout: Layout) -> DynArray {
        self.view.with_layout(layout).into()
    }

    pub(crate) fn copied(&self, call: Site) -> Made {
        Ok(self.view.copied(call)?.into())
    }

    pub(crate) fn apart_from(self, other: &DynArray, call: Site) -> Made {
        Ok(self.view.apart_from(&other.view, call)?.into())
    }

    pub(crate) fn cast_by(&self, dtype: DType, call: Site) -> Made {
        Ok(self.view.cast(dtype, call)?.into())
    }

    pub(crate) fn with(&self, op: BinaryOp, other: impl Into<Value>, call: Site) -> Made {
        Ok(self.view.with(op, &other.into(), call)?.into())
    }

    pub(crate) fn part(&self, axis: usize, start: usize, end: usize) -> DynArray {
        self.view.part(axis, start, end).into()
    }

    pub(crate) fn backwards(&self, axis: usize) -> DynArray {
        self.view.backwards(axis).into()
    }

    pub(crate) fn with_axis(&self, axis: usize) -> Made {
        Ok(self.view.with_axis(axis)?.into())
    }

    pub(crate) fn viewed(&self, dims: &[usize], call: Site) -> Result<(DynArray, bool), CallError> {
        let (view, is_view) = self.view.viewed(dims, call)?;
        Ok((view.into(), is_view))
    }

    pub(crate) fn unary_by(&self, op: UnaryOp, call: Site) -> Made {
        Ok(self.view.unary(op, call)?.into())
    }

    pub(crate) fn conjugate(&self, call: Site) -> Made {
        Ok(self.view.conjugate(call)?.into())
    }

    pub(crate) fn binary_by(op: BinaryOp, left: &Value, right: &Value, call: Site) -> Made {
        Ok(View::binary(op, left, right, call)?.into())
    }

    pub(crate) fn binary_into_by(
        &self,
        op: BinaryOp,
        left: &Value,
        right: &Value,
        call: Site,
    ) -> Result<(), CallError> {
        self.view.binary_into(op, left, right, call)
    }

    pub(crate) fn select_by(mask: &DynArray, left: &Value, right: &Value, call: Site) -> Made {
        Ok(View::select(&mask.view, left, right, call)?.into())
    }

    pub(crate) fn generated(
        core: &Arc<Core>,
        dtype: DType,
        dims: &[usize],
        generator: Generator,
        call: Site,
    ) -> Made {
        Ok(View::generated(core, dtype, dims, generator, call)?.into())
    }

    pub(crate) fn filled(
        core: &Arc<Core>,
        dtype: DType,
        dims: &[usize],
        value: Scalar,
        call: Site,
    ) -> Made {
        Ok(View::filled(core, dtype, dims, value, call)?.into())
    }

    pub(crate) fn assign_by(&self, value: &Value, call: Site) -> Result<(), CallError> {
        self.view.assign(value, call)
    }

    pub(crate) fn putmask_by(
        &self,
        mask: &DynArray,
        values: &Value,
        call: Site,
    ) -> Result<(), CallError> {
        self.view.putmask(&mask.view, values.into(), call)
    }

    pub(crate) fn product_at_once(
        body: &Descriptor,
        left: &DynArray,
        right: &DynArray,
        shape: Shape,
        call: Site,
    ) -> Option<DynArray> {
        View::product_at_once(body, &left.view, &right.view, shape, call).map(DynArray::from)
    }

    pub(crate) fn fill_at_once(
        &self,
        body: &Descriptor,
        shape: &Shape,
        inputs: &[super::ValueRef<'_>],
        call: Site,
    ) -> bool {
        let inputs: Vec<_> = inputs.iter().map(|input| (*input).into()).collect();
        self.view.fill_at_once(body, shape, &inputs, call)
    }
}

impl Value {
    pub(crate) fn cast_by(&self, dtype: DType, call: Site) -> Result<Value, CallError> {
        match self {
            Value::Array(array) => array.cast_by(dtype, call).map(Value::Array),
            Value::Scalar(scalar) => crate::lower::scalar_as(*scalar, dtype).map(Value::Scalar),
        }
    }

    pub(crate) fn operand(
        &self,
        operation: &'static str,
        shape: &Shape,
    ) -> Result<weft_core::operation::Operand, CallError> {
        crate::lower::Input::from(self).operand(operation, shape)
    }
}
