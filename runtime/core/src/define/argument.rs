//! Arguments of tasks.

use std::borrow::Cow;
use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::Region;
use weft_trace::record::RuntimeCallKind;

use crate::dtype::{DType, Element, Scalar};
use crate::error::{CallError, Error};
use crate::memory::{Store, copy_out};
use crate::operation::{self, Latch, Operand, Request};
use crate::runtime::{Core, until};
use crate::shape::{Layout, MAX_DIMS, Shape};
use crate::words;

/// A view of a store, the basis of libraries' arrays.
#[derive(Clone)]
pub struct StoreView {
    /// The runtime that owns the store.
    pub core: Arc<Core>,
    /// The store.
    pub store: Arc<Store>,
    /// Layout of the elements.
    pub layout: Layout,
}

impl Drop for StoreView {
    #[inline]
    fn drop(&mut self) {
        if self.core.has_gpus() {
            self.store.let_go_after(self.core.uids.last_operation());
        }
    }
}

impl StoreView {
    /// Creates a whole store without values, to be written next, for the current call.
    ///
    /// # Errors
    /// Returns an error if it is too large for the address space, or the process is a fork of the
    /// runtime's.
    pub fn unwritten(core: &Arc<Core>, dtype: DType, shape: Shape) -> Result<StoreView, CallError> {
        core.check_process()?;
        if shape.checked_bytes(dtype.size()).is_none() {
            return Err(CallError::Shape {
                operation: "array",
                why: format!(
                    "shape {shape:?} of {} is too large for the address space",
                    words::dtype(dtype)
                ),
            });
        }
        Ok(StoreView {
            core: core.clone(),
            store: core.store(dtype, shape),
            layout: Layout::contiguous(shape),
        })
    }

    /// Returns the dtype of the elements.
    pub fn dtype(&self) -> DType {
        self.store.dtype
    }

    /// Returns the number of elements along each axis.
    pub fn shape(&self) -> &Shape {
        &self.layout.shape
    }

    /// Returns the view as an operand.
    pub fn operand(&self) -> Operand {
        Operand::array(self.store.clone(), self.layout)
    }

    /// Waits for the elements and copies them out in row-major order.
    ///
    /// # Errors
    /// Returns an error if they have another dtype, or an operation that they depend on has failed.
    pub fn read<T: Element>(&self) -> Result<Vec<T>, Error> {
        if self.dtype() != T::DTYPE {
            let (operation, left, right) = ("read", self.dtype(), T::DTYPE);
            return Err(CallError::DTypes {
                operation,
                left,
                right,
            }
            .into());
        }
        let core = &self.core;
        let copy = StoreView::unwritten(core, self.dtype(), self.layout.shape)?;
        let latch = Arc::new(Latch::default());
        let operands = [self.operand(), copy.operand()].into_iter().collect();
        let uid = core.submit(Request {
            latch: Some(latch.clone()),
            ..Request::new(operation::read(), self.layout.shape, operands)
        })?;
        if !latch.is_open() {
            // A front end may abandon the wait.
            let wait = |most| core.await_latch_for(&latch, Some(most));
            until(|most| core.waiting(RuntimeCallKind::Wait, Some(uid), || wait(most)))?;
        }
        core.waiting(RuntimeCallKind::Wait, Some(uid), || {
            core.await_latch(&latch)
        });
        match core.agree(uid, copy.store.failure()) {
            Some(error) => Err(error),
            None => Ok(copy_out(&copy.store)),
        }
    }

    /// Returns whether the views have common elements.
    pub fn overlaps(&self, other: &StoreView) -> bool {
        if !Arc::ptr_eq(&self.store, &other.store) {
            return false;
        }
        let region = |view: &StoreView| Region::of(&view.layout, &view.store.shape);
        matches!((region(self), region(other)), (Some(own), Some(other)) if own.overlaps(&other))
    }

    /// Returns whether an element may be at several indices. It cannot if each axis steps over the
    /// whole reach of the axes with smaller steps.
    pub fn has_repeated_elements(&self) -> bool {
        let axes = self.layout.shape.dims().iter().zip(&self.layout.strides);
        let axes = axes
            .filter(|(extent, _)| **extent > 1)
            .map(|(extent, step)| (step.unsigned_abs(), *extent));
        // Most views are in row-major order, and need no sorting.
        if !step_over_each_other(axes.clone().rev()) {
            let mut axes: SmallVec<[(usize, usize); MAX_DIMS]> = axes.collect();
            axes.sort_unstable();
            return !step_over_each_other(axes.into_iter());
        }
        false
    }
}

/// Types that are or contain a view of a store.
pub trait Stored {
    /// Returns the view.
    fn stored(&self) -> &StoreView;
}

impl Stored for StoreView {
    fn stored(&self) -> &StoreView {
        self
    }
}

/// An argument of a task.
#[derive(Clone)]
pub enum Argument<'a> {
    /// An array, which a small call only borrows.
    Array(Cow<'a, StoreView>),
    /// A single value.
    Scalar(Scalar),
}

impl<'a, S: Stored> From<&'a S> for Argument<'a> {
    fn from(array: &'a S) -> Argument<'a> {
        Argument::Array(Cow::Borrowed(array.stored()))
    }
}

impl From<StoreView> for Argument<'_> {
    fn from(view: StoreView) -> Self {
        Argument::Array(Cow::Owned(view))
    }
}

impl From<Scalar> for Argument<'_> {
    fn from(value: Scalar) -> Self {
        Argument::Scalar(value)
    }
}

/// Returns whether each axis, given by step and extent, steps over the whole reach of the axes
/// before it.
fn step_over_each_other(mut axes: impl Iterator<Item = (usize, usize)>) -> bool {
    let mut reach = 0;
    axes.all(|(step, extent)| {
        let is_over = step > reach;
        reach += step * (extent - 1);
        is_over
    })
}
