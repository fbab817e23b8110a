//! From a checked call to an operation: the few shapes that all calls come down to.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};
use weft_geometry::Region;

use super::{DynArray, Value, ValueRef};
use crate::dtype::{DType, Scalar};
use crate::library;
use crate::shape::{Layout, Shape};
use weft_core::error::CallError;
use weft_core::operation::{self, Body, Operand, Operands, Request};
use weft_core::runtime::Core;
use weft_core::site::Site;

impl DynArray {
    /// An array without a value, to be written next.
    pub(crate) fn unwritten(
        core: &Arc<Core>,
        dtype: DType,
        shape: Shape,
        call: Site,
    ) -> Result<DynArray, CallError> {
        core.check_process()?;
        if shape.checked_bytes(dtype.size()).is_none() {
            return Err(CallError::Shape {
                operation: "array",
                why: format!("shape {shape:?} of {dtype} is too large for the address space"),
            });
        }
        let store = core.store(dtype, shape, call);
        Ok(DynArray {
            core: core.clone(),
            store,
            layout: Layout::contiguous(shape),
        })
    }

    /// This array as an operand.
    #[inline]
    pub(crate) fn operand(&self) -> Operand {
        Operand::array(self.store.clone(), self.layout)
    }

    /// Reads `inputs`, broadcast to the shape of this array, and writes this array: at once or by an operation.
    pub(crate) fn write(&self, body: Body, inputs: &[&Value], call: Site) -> Result<(), CallError> {
        let values: SmallVec<[ValueRef<'_>; 3]> =
            inputs.iter().map(|input| (*input).into()).collect();
        if self.write_at_once(&body, &values, call) {
            return Ok(());
        }
        let shape = self.layout.shape;
        let mut operands = Operands::default();
        for input in inputs {
            operands.push(input.operand(body.name, &shape)?);
        }
        operands.push(self.operand());
        self.core.submit(Request::of(call, body, shape, operands))?;
        Ok(())
    }

    /// Like [`write`](Self::write), where inputs may be views of this array's store: what would be overwritten before
    /// it is read is copied first.
    pub(crate) fn overwrite(
        &self,
        body: Body,
        inputs: &[&Value],
        call: Site,
    ) -> Result<(), CallError> {
        if self.has_repeated_elements() {
            return Err(CallError::Shape {
                operation: body.name,
                why: "cannot write into a broadcast view; copy it first".to_owned(),
            });
        }
        let mut safe: SmallVec<[Value; 3]> = smallvec![];
        for input in inputs {
            safe.push(match input {
                Value::Array(array) if array.is_hurt_by_writing(self) => {
                    Value::Array(array.copied(call)?)
                }
                other => (*other).clone(),
            });
        }
        self.write(body, &safe.iter().collect::<SmallVec<[&Value; 3]>>(), call)
    }

    /// Whether writing `out` element by element could change elements of this array before they are read.
    pub(super) fn is_hurt_by_writing(&self, out: &DynArray) -> bool {
        if !Arc::ptr_eq(&self.store, &out.store) || self.layout == out.layout {
            return false;
        }
        let region = |array: &DynArray| Region::of(&array.layout, &array.store.shape);
        matches!((region(self), region(out)), (Some(own), Some(other)) if own.overlaps(&other))
    }

    pub(crate) fn has_repeated_elements(&self) -> bool {
        let layout = &self.layout;
        layout
            .shape
            .dims()
            .iter()
            .zip(&layout.strides)
            .any(|(dim, step)| *dim > 1 && *step == 0)
    }

    /// A new array with the same elements.
    pub(crate) fn copied(&self, call: Site) -> Result<DynArray, CallError> {
        let out = DynArray::unwritten(&self.core, self.dtype(), self.layout.shape, call)?;
        out.write(operation::copy(), &[&Value::from(self)], call)?;
        Ok(out)
    }

    /// This array, made of `other`, in a store that no other thread of the program can write: a copy where it still is a view of
    /// the store of `other`. For calls that look at elements more than once.
    pub(crate) fn apart_from(self, other: &DynArray, call: Site) -> Result<DynArray, CallError> {
        match Arc::ptr_eq(&self.store, &other.store) {
            true => self.copied(call),
            false => Ok(self),
        }
    }

    /// This array with elements of another dtype; itself where it has it already.
    pub(crate) fn cast_by(&self, dtype: DType, call: Site) -> Result<DynArray, CallError> {
        if dtype == self.dtype() {
            return Ok(self.clone());
        }
        let out = DynArray::unwritten(&self.core, dtype, self.layout.shape, call)?;
        out.write(
            library::elementwise::cast(dtype),
            &[&Value::from(self)],
            call,
        )?;
        Ok(out)
    }
}

impl Value {
    /// The value with another dtype, kept in `kept`; itself where it has it already.
    pub(crate) fn cast_into<'a>(
        &'a self,
        dtype: DType,
        call: Site,
        kept: &'a mut Option<Value>,
    ) -> Result<&'a Value, CallError> {
        match self {
            Value::Array(array) if array.dtype() == dtype => Ok(self),
            other => Ok(kept.insert(other.cast_by(dtype, call)?)),
        }
    }

    /// The value with another dtype; itself where it has it already. A single integer must lie in the dtype's range, as
    /// Python's integers must in NumPy 2.
    pub(crate) fn cast_by(&self, dtype: DType, call: Site) -> Result<Value, CallError> {
        match self {
            Value::Array(array) => array.cast_by(dtype, call).map(Value::Array),
            Value::Scalar(scalar) => scalar_as(*scalar, dtype).map(Value::Scalar),
        }
    }
}

/// A single value in the dtype of an array beside it.
pub(super) fn scalar_as(scalar: Scalar, dtype: DType) -> Result<Scalar, CallError> {
    if scalar.is_beyond(dtype) {
        return Err(CallError::Value {
            value: scalar,
            dtype,
        });
    }
    Ok(scalar.cast(dtype))
}
