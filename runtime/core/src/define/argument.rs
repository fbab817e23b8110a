//! What a task is called with.

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
use crate::site::Site;
use crate::words;

/// A view of a store: what libraries make their arrays of.
#[derive(Clone)]
pub struct StoreView {
    /// What the store belongs to.
    pub core: Arc<Core>,
    /// The data.
    pub store: Arc<Store>,
    /// Which elements.
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
    /// A whole store without values, to be written next, made by the call at `call`.
    ///
    /// # Errors
    /// It is too large for the address space, or the process has been forked from the runtime's.
    pub fn unwritten(
        core: &Arc<Core>,
        dtype: DType,
        shape: Shape,
        call: Site,
    ) -> Result<StoreView, CallError> {
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
            store: core.store(dtype, shape, call),
            layout: Layout::contiguous(shape),
        })
    }

    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.store.dtype
    }

    /// Elements along each axis.
    pub fn shape(&self) -> &Shape {
        &self.layout.shape
    }

    /// It as an operand.
    pub fn operand(&self) -> Operand {
        Operand::array(self.store.clone(), self.layout)
    }

    /// Waits for its elements and copies them out, row-major.
    ///
    /// # Errors
    /// They are of another type, or an operation that they depend on failed.
    pub fn read<T: Element>(&self, call: Site) -> Result<Vec<T>, Error> {
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
        let copy = StoreView::unwritten(core, self.dtype(), self.layout.shape, call)?;
        let latch = Arc::new(Latch::default());
        let operands = [self.operand(), copy.operand()].into_iter().collect();
        let uid = core.submit(Request {
            latch: Some(latch.clone()),
            ..Request::new(call, operation::read(), self.layout.shape, operands)
        })?;
        if !latch.is_open() {
            // A front end may give up.
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

    /// Whether the two have elements in common.
    pub fn overlaps(&self, other: &StoreView) -> bool {
        if !Arc::ptr_eq(&self.store, &other.store) {
            return false;
        }
        let region = |view: &StoreView| Region::of(&view.layout, &view.store.shape);
        matches!((region(self), region(other)), (Some(own), Some(other)) if own.overlaps(&other))
    }

    /// Whether some element of it may stand at several indices: it does not where each axis steps over all that those with smaller steps
    /// reach.
    pub fn has_repeated_elements(&self) -> bool {
        let axes = self.layout.shape.dims().iter().zip(&self.layout.strides);
        let axes = axes
            .filter(|(extent, _)| **extent > 1)
            .map(|(extent, step)| (step.unsigned_abs(), *extent));
        // Most lie in row-major order, and need no sorting.
        if !step_over_each_other(axes.clone().rev()) {
            let mut axes: SmallVec<[(usize, usize); MAX_DIMS]> = axes.collect();
            axes.sort_unstable();
            return !step_over_each_other(axes.into_iter());
        }
        false
    }
}

/// What is, or views, a store.
pub trait Stored {
    /// The view.
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
    /// An array: a small call only looks at it.
    Array(Cow<'a, StoreView>),
    /// One value.
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

/// Whether each axis, of a step and an extent, steps over all that those before it reach.
fn step_over_each_other(mut axes: impl Iterator<Item = (usize, usize)>) -> bool {
    let mut reach = 0;
    axes.all(|(step, extent)| {
        let is_over = step > reach;
        reach += step * (extent - 1);
        is_over
    })
}
