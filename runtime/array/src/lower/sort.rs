//! Sorting.
//!
//! A long vector is sorted in tiles, which are then merged pairwise. The order is NumPy's, with NaN
//! last. The result does not depend on the number of workers.

use smallvec::{SmallVec, smallvec};
use weft_trace::id::OperationUid;

use super::{View, wrong};
use crate::dtype::DType;
use crate::library;
use weft_core::error::CallError;
use weft_core::operation::{Body, Operand, Request};

/// Places up to this number are selected one by one: each halves about what is left, and sorting
/// takes about as many passes.
const FEW: usize = 16;

impl View {
    /// Returns a copy sorted along an axis, NaN last.
    pub(crate) fn sort(&self, axis: usize) -> Result<View, CallError> {
        self.check_axis(axis)?;
        let new = || View::unwritten(&self.core, self.dtype(), self.layout.shape);
        let runs = self.runs(library::sort::sort_runs());
        let mut sorted = new()?;
        if runs == 1 {
            let body = library::sort::sort(axis as u8);
            sorted.write_over(body, self.layout.shape, &[self.into()])?;
            return Ok(sorted);
        }
        let parent = self.sorting(library::sort::sort_runs(), None, &[self], &[&sorted])?;
        let mut width = 1;
        while width < runs {
            let merged = new()?;
            let body = library::sort::merge(runs, width);
            self.sorting(body, Some(parent), &[&sorted], &[&merged])?;
            sorted = merged;
            width *= 2;
        }
        Ok(sorted)
    }

    /// Returns the indices that sort each line along an axis. Equal elements keep their order.
    pub(crate) fn argsort(&self, axis: usize) -> Result<View, CallError> {
        self.check_axis(axis)?;
        if self.runs(library::sort::argsort_runs()) > 1 {
            return Ok(self.sorted_with_numbers()?.1);
        }
        let out = View::unwritten(&self.core, DType::I64, self.layout.shape)?;
        let body = library::sort::argsort(axis as u8);
        out.write_over(body, self.layout.shape, &[self.into()])?;
        Ok(out)
    }

    /// Returns a sorted vector, and the original positions of its elements. Equal elements keep
    /// their order.
    pub(super) fn sorted_with_numbers(&self) -> Result<(View, View), CallError> {
        let new = |dtype| View::unwritten(&self.core, dtype, self.layout.shape);
        let runs = self.runs(library::sort::argsort_runs());
        if runs == 1 && self.core.computes_at_once() {
            let numbers = self.argsort(0)?;
            return Ok((self.take(&numbers, Some(0))?, numbers));
        }
        let mut values = new(self.dtype())?;
        let mut numbers = new(DType::I64)?;
        let outs = [&values, &numbers];
        let parent = self.sorting(library::sort::argsort_runs(), None, &[self], &outs)?;
        let mut width = 1;
        while width < runs {
            let (merged, their) = (new(self.dtype())?, new(DType::I64)?);
            let body = library::sort::merge_numbered(runs, width);
            let inputs = [&values, &numbers];
            self.sorting(body, Some(parent), &inputs, &[&merged, &their])?;
            (values, numbers) = (merged, their);
            width *= 2;
        }
        Ok((values, numbers))
    }

    /// A copy whose lines along an axis have at these places the elements of the sorted line, NaN
    /// last, with no larger ones before and no smaller ones after them.
    pub(crate) fn partition(&self, places: &[usize], axis: usize) -> Result<View, CallError> {
        let Some(places) = self.places("partition", places, axis)? else {
            return self.sort(axis);
        };
        let out = View::unwritten(&self.core, self.dtype(), self.layout.shape)?;
        let body = library::select::partition(axis as u8, &places);
        out.write_over(body, self.layout.shape, &[self.into()])?;
        Ok(out)
    }

    /// The indices that bring each line along an axis into such an order.
    pub(crate) fn argpartition(&self, places: &[usize], axis: usize) -> Result<View, CallError> {
        let Some(places) = self.places("argpartition", places, axis)? else {
            return self.argsort(axis);
        };
        let out = View::unwritten(&self.core, DType::I64, self.layout.shape)?;
        let body = library::select::argpartition(axis as u8, &places);
        out.write_over(body, self.layout.shape, &[self.into()])?;
        Ok(out)
    }

    /// Places of an axis in increasing order; `None` where all elements are sorted instead: for
    /// many places, and on GPUs, which have no kernel for selections.
    fn places(
        &self,
        operation: &'static str,
        places: &[usize],
        axis: usize,
    ) -> Result<Option<Vec<usize>>, CallError> {
        let length = self.dims()[self.check_axis(axis)?];
        if let Some(place) = places.iter().find(|place| **place >= length) {
            let why = format!("place {place} of {length} elements");
            return Err(wrong(operation, &why));
        }
        let mut places = places.to_vec();
        places.sort_unstable();
        places.dedup();
        Ok((places.len() <= FEW && !self.core.has_gpus()).then_some(places))
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
    ) -> Result<OperationUid, CallError> {
        let mut operands: SmallVec<[Operand; 4]> = smallvec![];
        operands.extend(inputs.iter().map(|input| input.operand()));
        operands.extend(outs.iter().map(|out| out.operand()));
        self.core
            .submit(Request::new(body, self.layout.shape, operands).part_of(parent))
    }
}
