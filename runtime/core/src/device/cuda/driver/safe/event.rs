//! Events: marks in streams.

use std::sync::Arc;

use super::super::sys::{self, CUevent};

use super::super::call::{NOT_READY, check};
use super::Context;
use crate::error::DriverError;

/// An event without timing.
#[derive(Debug)]
pub(crate) struct Event {
    handle: CUevent,
    context: Arc<Context>,
}

// SAFETY: an event may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: the driver's functions may be called from several threads at once.
unsafe impl Sync for Event {}

impl Event {
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self, DriverError> {
        let _entered = context.enter()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: writes an event.
        check("cuEventCreate", unsafe {
            sys::cuEventCreate(&mut handle, sys::CU_EVENT_DISABLE_TIMING)
        })?;
        Ok(Event {
            handle,
            context: context.clone(),
        })
    }

    pub(super) fn handle(&self) -> CUevent {
        self.handle
    }

    /// Returns whether all work before the event has run. An event that was never set counts as
    /// reached.
    pub(crate) fn has_reached(&self) -> Result<bool, DriverError> {
        let _entered = self.context.enter()?;
        // SAFETY: the event is alive.
        let result = unsafe { sys::cuEventQuery(self.handle) };
        if result == NOT_READY {
            return Ok(false);
        }
        check("cuEventQuery", result).map(|()| true)
    }

    /// Waits until all work before the event has run.
    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        let _entered = self.context.enter()?;
        // SAFETY: the event is alive.
        check("cuEventSynchronize", unsafe {
            sys::cuEventSynchronize(self.handle)
        })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let _entered = self.context.enter();
        // SAFETY: this value owns the event. Streams that wait for it continue to wait.
        let _ = unsafe { sys::cuEventDestroy_v2(self.handle) };
    }
}
