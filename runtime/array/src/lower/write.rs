//! Single elementwise operations, with copies of inputs that the output overlaps.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::{Input, View, broadcast, scalar_as, wrong};
use crate::dtype::DType;
use crate::library;
use crate::shape::Shape;
use weft_core::error::CallError;
use weft_core::operation::{self, Body, Operand, Operands, Request};
use weft_core::runtime::Core;

impl View {
    /// Returns a new view that `body` computes from `inputs`, broadcast to `shape`.
    pub(crate) fn compute(
        core: &Arc<Core>,
        (dtype, shape): (DType, Shape),
        body: Body,
        inputs: &[Input<'_>],
    ) -> Result<View, CallError> {
        let out = View::unwritten(core, dtype, shape)?;
        out.write(body, inputs)?;
        Ok(out)
    }

    /// Reads `inputs`, broadcast to the shape of this view, and writes this view, at once or by an
    /// operation.
    pub(crate) fn write(&self, body: Body, inputs: &[Input<'_>]) -> Result<(), CallError> {
        if self.write_at_once(&body, inputs) {
            return Ok(());
        }
        let shape = self.layout.shape;
        let mut operands = Operands::default();
        for input in inputs {
            operands.push(input.operand(body.name, &shape)?);
        }
        operands.push(self.operand());
        self.core
            .submit(Request::with_operands(body, shape, operands))?;
        Ok(())
    }

    /// Writes this view, which shares no elements with `inputs`, by a `body` that is not
    /// elementwise, over a shape: at once or by an operation.
    pub(super) fn write_over(
        &self,
        body: Body,
        shape: Shape,
        inputs: &[Input<'_>],
    ) -> Result<(), CallError> {
        if self.fill_at_once(&body, &shape, inputs) {
            return Ok(());
        }
        let mut operands = Operands::default();
        for input in inputs {
            operands.push(match input {
                Input::View(view) => view.operand(),
                Input::Scalar(value) => Operand::Scalar(*value),
            });
        }
        operands.push(self.operand());
        self.core
            .submit(Request::with_operands(body, shape, operands))?;
        Ok(())
    }

    /// Like [`write`](Self::write), for inputs that may be views of this view's store. Inputs that
    /// would be overwritten before they are read are copied first.
    pub(super) fn overwrite(&self, body: Body, inputs: &[Input<'_>]) -> Result<(), CallError> {
        self.check_distinct(body.name)?;
        let is_hurt = |input: &Input<'_>| matches!(input, Input::View(view) if view.aliases(self));
        if !inputs.iter().any(is_hurt) {
            return self.write(body, inputs);
        }
        let mut copies: SmallVec<[Option<View>; 3]> = smallvec![];
        for input in inputs {
            copies.push(match input {
                Input::View(view) if view.aliases(self) => Some(view.copied()?),
                _ => None,
            });
        }
        let both = inputs.iter().zip(&copies);
        let safe: SmallVec<[Input<'_>; 3]> = both
            .map(|(input, copy)| copy.as_ref().map_or(*input, Input::View))
            .collect();
        self.write(body, &safe)
    }

    /// Rejects a view in which an element has several indices.
    pub(super) fn check_distinct(&self, operation: &'static str) -> Result<(), CallError> {
        match self.has_repeated_elements() {
            true => Err(wrong(
                operation,
                "cannot write into a broadcast view; copy it first",
            )),
            false => Ok(()),
        }
    }

    /// Whether writing `out` element by element could change elements of this view before they are
    /// read.
    pub(super) fn aliases(&self, out: &View) -> bool {
        // The cheapest conditions come first.
        Arc::ptr_eq(&self.store, &out.store) && self.layout != out.layout && self.overlaps(out)
    }

    /// Returns a new view with the same elements.
    pub(crate) fn copied(&self) -> Result<View, CallError> {
        let (core, body) = (&self.core, operation::copy());
        View::compute(
            core,
            (self.dtype(), self.layout.shape),
            body,
            &[self.into()],
        )
    }

    /// Returns this view, which was derived from `other`, in a store that no other thread of the
    /// program can write. It is copied if it still is a view of the store of `other`. For calls
    /// that read elements more than once.
    pub(super) fn detach_from(self, other: &View) -> Result<View, CallError> {
        match Arc::ptr_eq(&self.store, &other.store) {
            true => self.copied(),
            false => Ok(self),
        }
    }

    /// Returns this view cast to another dtype, or unchanged if it has it already.
    pub(crate) fn cast(&self, dtype: DType) -> Result<View, CallError> {
        if dtype == self.dtype() {
            return Ok(self.clone());
        }
        let body = library::elementwise::cast(dtype);
        View::compute(&self.core, (dtype, self.layout.shape), body, &[self.into()])
    }

    /// Writes `value`, broadcast to this view's shape and cast to its dtype, into this view.
    pub(crate) fn assign<'a>(&self, value: impl Into<Input<'a>>) -> Result<(), CallError> {
        match value.into() {
            Input::Scalar(scalar) => {
                let fill = scalar_as(scalar, self.dtype())?;
                self.overwrite(library::elementwise::fill(), &[fill.into()])
            }
            Input::View(view) => {
                broadcast("assign", &view.layout, &self.layout.shape)?;
                let body = if view.dtype() == self.dtype() {
                    operation::copy()
                } else {
                    library::elementwise::cast(self.dtype())
                };
                self.overwrite(body, &[view.into()])
            }
        }
    }

    /// Writes `values` where `mask`, a view of `bool`, is true. Both are broadcast to this view's
    /// shape.
    pub(crate) fn putmask(&self, mask: &View, values: Input<'_>) -> Result<(), CallError> {
        let mut kept = None;
        let values = values.cast(self.dtype(), &mut kept)?;
        self.overwrite(library::elementwise::putmask(), &[mask.into(), values])
    }
}
