//! Host workspaces of cuSOLVER's routines. A workspace must stay valid until the routine has run,
//! which may be long after the call, so each call in flight has its own.

use std::ffi::c_void;

use super::super::{Event, Stream};
use crate::error::DriverError;

/// The memory of one stream's routines.
#[derive(Default)]
pub(super) struct HostMemory(Vec<BusyMemory>);

/// Memory of an earlier call.
struct BusyMemory {
    memory: Box<[u64]>,
    /// Reached when the call has run.
    end: Event,
}

/// Memory for one call; none for a call that needs none.
pub(super) struct Workspace(Option<(Box<[u64]>, Option<Event>)>);

impl Workspace {
    /// The address of the first byte; null if there is none.
    pub(super) fn start(&mut self) -> *mut c_void {
        let memory = self.0.as_mut().map(|(memory, _)| memory.as_mut_ptr());
        memory.map_or(std::ptr::null_mut(), |start| start.cast())
    }
}

impl HostMemory {
    /// Returns a workspace of at least this size in bytes, which no call in flight uses.
    ///
    /// # Errors
    /// Returns an error if the driver cannot query an event after an earlier call.
    pub(super) fn take(&mut self, bytes: usize) -> Result<Workspace, DriverError> {
        if bytes == 0 {
            return Ok(Workspace(None));
        }
        // A call runs after those before it, so the free ones are at the start.
        while let Some(first) = self.0.first()
            && first.end.has_reached()?
        {
            let BusyMemory { memory, end } = self.0.remove(0);
            if 8 * memory.len() >= bytes {
                return Ok(Workspace(Some((memory, Some(end)))));
            }
        }
        // Sizes that grow little by little share what is kept.
        let words = bytes.div_ceil(8).next_power_of_two();
        Ok(Workspace(Some((vec![0; words].into_boxed_slice(), None))))
    }

    /// Keeps memory until all that is in the stream has run.
    ///
    /// # Errors
    /// Returns an error if the event after the call cannot be recorded. The end of the call is then
    /// unknown, and the memory is never freed.
    pub(super) fn give_back(
        &mut self,
        workspace: Workspace,
        stream: &Stream,
    ) -> Result<(), DriverError> {
        let Workspace(Some((memory, end))) = workspace else {
            return Ok(());
        };
        let marked = match end {
            Some(end) => Ok(end),
            None => Event::new(stream.context()),
        };
        let marked = marked.and_then(|end| stream.record(&end).map(|()| end));
        match marked {
            Ok(end) => {
                self.0.push(BusyMemory { memory, end });
                Ok(())
            }
            Err(error) => {
                std::mem::forget(memory);
                Err(error)
            }
        }
    }
}
