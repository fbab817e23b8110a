//! Sorting.
//!
//! A long vector is sorted in tiles, which are then merged pairwise. The order is NumPy's, with NaN
//! last. The result does not depend on the number of workers.

use smallvec::{SmallVec, smallvec};
use weft_trace::id::OperationUid;

use super::View;
use crate::dtype::DType;
use crate::library;
use weft_core::error::CallError;
use weft_core::operation::{Body, Operand, Request};
use weft_core::site::Site;

impl View {
    /// Returns a copy sorted along an axis, NaN last.
    pub(crate) fn sort(&self, axis: usize, call: Site) -> Result<View, CallError> {
        self.check_axis(axis)?;
        let new = || View::unwritten(&self.core, self.dtype(), self.layout.shape, call);
        let runs = self.runs(library::sort::sort_runs());
        let mut sorted = new()?;
        if runs == 1 {
            let body = library::sort::sort(axis as u8);
            self.sorting(body, None, &[self], &[&sorted], call)?;
            return Ok(sorted);
        }
        let parent = self.sorting(library::sort::sort_runs(), None, &[self], &[&sorted], call)?;
        let mut width = 1;
        while width < runs {
            let merged = new()?;
            let body = library::sort::merge(runs, width);
            self.sorting(body, Some(parent), &[&sorted], &[&merged], call)?;
            sorted = merged;
            width *= 2;
        }
        Ok(sorted)
    }

    /// Returns the indices that sort each line along an axis. Equal elements keep their order.
    pub(crate) fn argsort(&self, axis: usize, call: Site) -> Result<View, CallError> {
        self.check_axis(axis)?;
        if self.runs(library::sort::argsort_runs()) > 1 {
            return Ok(self.sorted_with_numbers(call)?.1);
        }
        let out = View::unwritten(&self.core, DType::I64, self.layout.shape, call)?;
        let body = library::sort::argsort(axis as u8);
        self.sorting(body, None, &[self], &[&out], call)?;
        Ok(out)
    }

    /// Returns a sorted vector, and the original positions of its elements. Equal elements keep
    /// their order.
    pub(super) fn sorted_with_numbers(&self, call: Site) -> Result<(View, View), CallError> {
        let new = |dtype| View::unwritten(&self.core, dtype, self.layout.shape, call);
        let runs = self.runs(library::sort::argsort_runs());
        let mut values = new(self.dtype())?;
        let mut numbers = new(DType::I64)?;
        let outs = [&values, &numbers];
        let parent = self.sorting(library::sort::argsort_runs(), None, &[self], &outs, call)?;
        let mut width = 1;
        while width < runs {
            let (merged, their) = (new(self.dtype())?, new(DType::I64)?);
            let body = library::sort::merge_numbered(runs, width);
            let inputs = [&values, &numbers];
            self.sorting(body, Some(parent), &inputs, &[&merged, &their], call)?;
            (values, numbers) = (merged, their);
            width *= 2;
        }
        Ok((values, numbers))
    }

    /// Returns the number of tiles in which a vector is sorted; 1 for arrays with more axes, whose
    /// lines are not cut.
    fn runs(&self, body: Body) -> u32 {
        match self.ndim() {
            1 => self.core.cuts(&self.layout.shape, body.tiling).tiles() as u32,
            _ => 1,
        }
    }

    /// Submits an operation of this view's shape.
    fn sorting(
        &self,
        body: Body,
        parent: Option<OperationUid>,
        inputs: &[&View],
        outs: &[&View],
        call: Site,
    ) -> Result<OperationUid, CallError> {
        let mut operands: SmallVec<[Operand; 4]> = smallvec![];
        operands.extend(inputs.iter().map(|input| input.operand()));
        operands.extend(outs.iter().map(|out| out.operand()));
        self.core
            .submit(Request::new(call, body, self.layout.shape, operands).part_of(parent))
    }
}
