//! Bodies of tasks: while one runs, its thread makes no calls on arrays.

use std::cell::Cell;
use std::marker::PhantomData;

use crate::error::CallError;

/// A body that waited for another task would keep the processor that is to run it.
const NESTED: CallError = CallError::Runtime(
    "the body of a task cannot make calls on arrays of Weft: it works on the parts that it is given; pass the array as an argument, or \
     make the call outside of the task",
);

thread_local! {
    /// Bodies that this thread is within.
    static BODIES: Cell<u32> = const { Cell::new(0) };
}

/// The thread runs the body of a task until this is dropped.
pub(crate) struct InBody(PhantomData<*const ()>);

impl InBody {
    pub(crate) fn begin() -> InBody {
        BODIES.set(BODIES.get() + 1);
        InBody(PhantomData)
    }
}

impl Drop for InBody {
    fn drop(&mut self) {
        BODIES.set(BODIES.get() - 1);
    }
}

/// Whether the calling thread runs the body of a task.
#[inline]
pub(super) fn is_in_body() -> bool {
    BODIES.get() > 0
}

/// That calls on arrays are refused there.
///
/// # Errors
/// The calling thread runs the body of a task.
#[inline]
pub fn check_outside_of_bodies() -> Result<(), CallError> {
    match is_in_body() {
        true => Err(NESTED),
        false => Ok(()),
    }
}
