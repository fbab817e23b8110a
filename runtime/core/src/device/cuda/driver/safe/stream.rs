//! Streams, and the calls that put work into them.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use super::super::sys::{self, CUstream};
use smallvec::SmallVec;

use super::super::super::call::RawStream;
use super::super::super::work::Address;
use super::super::call::check;
use super::context::{self, Entered};
use super::{Context, Event, Function};
use crate::error::Cause;
use crate::error::DriverError;

/// CUDA's handle of a context's default stream: `CU_STREAM_LEGACY`.
const DEFAULT: usize = 1;

/// A stream that does not wait for the GPU's default stream.
#[derive(Debug)]
pub(crate) struct Stream {
    handle: CUstream,
    context: Arc<Context>,
}

// SAFETY: a stream may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: the driver's functions may be called from several threads at once.
unsafe impl Sync for Stream {}

impl Stream {
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self, DriverError> {
        let _entered = context.enter()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: writes a stream.
        check("cuStreamCreate", unsafe {
            sys::cuStreamCreate(&mut handle, sys::CU_STREAM_NON_BLOCKING)
        })?;
        Ok(Stream {
            handle,
            context: context.clone(),
        })
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    #[inline]
    pub(crate) fn enter(&self) -> Result<Entered, DriverError> {
        self.context.enter()
    }

    /// Returns the handle for calls of the driver.
    pub(crate) fn handle(&self) -> CUstream {
        self.handle
    }

    /// Sets an event of the same GPU after all work in the stream.
    pub(crate) fn record(&self, event: &Event) -> Result<(), DriverError> {
        let _entered = self.enter()?;
        // SAFETY: both are alive.
        check("cuEventRecord", unsafe {
            sys::cuEventRecord(event.handle(), self.handle)
        })
    }

    /// Makes later work wait for the event.
    pub(crate) fn wait(&self, event: &Event) -> Result<(), DriverError> {
        let _entered = self.enter()?;
        // SAFETY: both are alive.
        check("cuStreamWaitEvent", unsafe {
            sys::cuStreamWaitEvent(self.handle, event.handle(), 0)
        })
    }

    /// Starts to move pages of unified memory to the stream's GPU, in order with other work in the
    /// stream.
    pub(crate) fn move_ahead(&self, range: Range<Address>) -> Result<(), DriverError> {
        let _entered = self.enter()?;
        let (bytes, device) = ((range.end - range.start) as usize, self.context.device());
        // SAFETY: the driver checks that the range is in an allocation; moving keeps its content.
        check("cuMemPrefetchAsync", unsafe {
            sys::cuMemPrefetchAsync(range.start, bytes, device, self.handle)
        })
    }

    /// Calls `body` with the stream's handle, while its context is current. Libraries that do not
    /// support streams use the default stream. Therefore the default stream waits for earlier work
    /// in this stream, and later work in this stream waits for the default stream. `fence` is the
    /// event for these waits, and belongs to this stream alone.
    pub(crate) fn lend(
        &self,
        fence: &Event,
        body: impl FnOnce(RawStream) -> Result<(), Cause>,
    ) -> Result<(), Cause> {
        let default = std::ptr::without_provenance_mut(DEFAULT);
        let entered = self.enter()?;
        self.record(fence)?;
        // SAFETY: the event is alive; the handle is the current context's default stream.
        check("cuStreamWaitEvent", unsafe {
            sys::cuStreamWaitEvent(default, fence.handle(), 0)
        })?;
        let ran = body(RawStream {
            handle: self.handle.expose_provenance() as u64,
            device: self.context.device(),
        });
        // The body may have made another context current. Its work in the default stream must be
        // waited for even if it failed.
        drop(entered);
        context::forget_current();
        let _entered = self.enter()?;
        // SAFETY: as above.
        check("cuEventRecord", unsafe {
            sys::cuEventRecord(fence.handle(), default)
        })?;
        self.wait(fence)?;
        ran
    }

    /// Launches a kernel whose parameters are 8 bytes each.
    ///
    /// # Safety
    /// The kernel must have `args.len()` parameters, and the memory that it reads and writes must
    /// stay allocated until it has run.
    #[inline]
    pub(crate) unsafe fn launch(
        &self,
        function: &Function,
        [x, y, z]: [u32; 3],
        [i, j, k]: [u32; 3],
        args: &[u64],
    ) -> Result<(), DriverError> {
        let _entered = self.enter()?;
        let mut pointers = pointers(args);
        let none = std::ptr::null_mut();
        // SAFETY: function and stream are alive and of one context. The driver reads the arguments
        // through the pointers before it returns; the caller guarantees the rest.
        check("cuLaunchKernel", unsafe {
            sys::cuLaunchKernel(
                function.handle(),
                x,
                y,
                z,
                i,
                j,
                k,
                0,
                self.handle,
                pointers.as_mut_ptr(),
                none,
            )
        })
    }

    /// Copies bytes between any memories. `peers` has the contexts of source and destination if
    /// these are two GPUs.
    ///
    /// # Safety
    /// The ranges must stay allocated, and must have no other user, until the copy has run.
    pub(crate) unsafe fn copy(
        &self,
        from: Address,
        to: Address,
        bytes: usize,
        peers: Option<(&Context, &Context)>,
    ) -> Result<(), DriverError> {
        let _entered = self.enter()?;
        match peers {
            // SAFETY: as the caller guarantees; the driver finds the memories by the addresses.
            None => check("cuMemcpyAsync", unsafe {
                sys::cuMemcpyAsync(to, from, bytes, self.handle)
            }),
            // SAFETY: as the caller guarantees; the contexts are alive.
            Some((source, target)) => check("cuMemcpyPeerAsync", unsafe {
                sys::cuMemcpyPeerAsync(
                    to,
                    target.handle(),
                    from,
                    source.handle(),
                    bytes,
                    self.handle,
                )
            }),
        }
    }

    /// Writes a pattern of 1, 2 or 4 bytes `count` times.
    ///
    /// # Safety
    /// The range must stay allocated, and must have no other user, until the fill has run.
    pub(crate) unsafe fn fill(
        &self,
        to: Address,
        pattern: u32,
        width: u8,
        count: usize,
    ) -> Result<(), DriverError> {
        let _entered = self.enter()?;
        // The lowest bytes are the pattern.
        let (byte, short) = (pattern as u8, pattern as u16);
        match width {
            // SAFETY: as the caller guarantees.
            1 => check("cuMemsetD8Async", unsafe {
                sys::cuMemsetD8Async(to, byte, count, self.handle)
            }),
            // SAFETY: as the caller guarantees.
            2 => check("cuMemsetD16Async", unsafe {
                sys::cuMemsetD16Async(to, short, count, self.handle)
            }),
            // SAFETY: as the caller guarantees.
            _ => check("cuMemsetD32Async", unsafe {
                sys::cuMemsetD32Async(to, pattern, count, self.handle)
            }),
        }
    }
}

/// Returns pointers to arguments, in the form that the driver needs. It only reads through them.
#[inline]
pub(super) fn pointers(args: &[u64]) -> SmallVec<[*mut c_void; 32]> {
    args.iter()
        .map(|arg| std::ptr::from_ref(arg).cast_mut().cast())
        .collect()
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _entered = self.context.enter();
        // SAFETY: this value owns the stream. Work in it still runs.
        let _ = unsafe { sys::cuStreamDestroy_v2(self.handle) };
    }
}
