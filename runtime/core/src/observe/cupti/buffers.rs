//! Memory for CUPTI to write to. Its callbacks take no argument of ours, so there is one pool for
//! the process.

#![allow(
    unsafe_code,
    reason = "CUPTI is given memory by address, and gives it back"
)]

use std::alloc::{Layout, alloc, dealloc};
use std::panic::catch_unwind;
use std::ptr::NonNull;
use std::sync::mpsc::{SendError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::collector::Message;
use super::result;
use super::sys::CUcontext;
use super::tally::{DROPPED, FAILED, OVERRUN, count};

/// Size of a buffer in bytes. NVIDIA advises 1 to 10 MB.
const BYTES: usize = 4 << 20;
/// Maximum number of full buffers that wait for the collector, 256 MiB. Further ones are counted
/// and dropped.
const WAITING: usize = 64;
/// Maximum number of empty buffers that are kept.
const KEPT: usize = 16;

/// CUPTI writes structs with fields of at most 8 bytes.
type Memory = [u64; BYTES / 8];
const LAYOUT: Layout = Layout::new::<Memory>();

/// A buffer that CUPTI does not have at the moment.
pub(super) struct Buffer(NonNull<u8>);

// SAFETY: the owner of the buffer is the only one to access its memory.
unsafe impl Send for Buffer {}

impl Buffer {
    fn new() -> Option<Buffer> {
        // SAFETY: the layout is not empty.
        NonNull::new(unsafe { alloc(LAYOUT) }).map(Buffer)
    }

    fn into_raw(self) -> *mut u8 {
        let start = self.0.as_ptr();
        std::mem::forget(self);
        start
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout.
        unsafe { dealloc(self.0.as_ptr(), LAYOUT) };
    }
}

/// A buffer with activities.
pub(super) struct Full {
    buffer: Buffer,
    valid: usize,
}

impl Full {
    /// Returns the bytes that CUPTI wrote.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: CUPTI wrote the first `valid` bytes, at most the whole buffer, and has returned
        // it.
        unsafe { std::slice::from_raw_parts(self.buffer.0.as_ptr(), self.valid) }
    }

    /// Returns the memory to the pool, for the next activities.
    pub(super) fn recycle(self) {
        POOL.keep(self.buffer);
    }
}

struct Pool {
    empty: Mutex<Vec<Buffer>>,
    collector: Mutex<Option<Collector>>,
}

struct Collector {
    sender: Sender<Message>,
    waiting: usize,
}

static POOL: Pool = Pool {
    empty: Mutex::new(Vec::new()),
    collector: Mutex::new(None),
};

/// Sets the target of full buffers; with `None` they are dropped.
pub(super) fn send_to(sender: Option<Sender<Message>>) {
    *lock(&POOL.collector) = sender.map(|sender| Collector { sender, waiting: 0 });
}

/// Notes that one of the buffers sent has been taken.
pub(super) fn taken() {
    if let Some(collector) = lock(&POOL.collector).as_mut() {
        collector.waiting = collector.waiting.saturating_sub(1);
    }
}

impl Pool {
    fn take(&self) -> Option<Buffer> {
        let kept = lock(&self.empty).pop();
        kept.or_else(Buffer::new)
    }

    fn keep(&self, buffer: Buffer) {
        let mut empty = lock(&self.empty);
        if empty.len() < KEPT {
            empty.push(buffer);
        }
    }

    /// Sends a buffer to the collector; returns it if there is no collector or too many wait.
    fn send(&self, full: Full) -> Result<(), Full> {
        let mut collector = lock(&self.collector);
        match collector.as_mut() {
            Some(collector) if collector.waiting < WAITING => {
                match collector.sender.send(Message::Full(full)) {
                    Err(SendError(Message::Full(full))) => return Err(full),
                    _ => collector.waiting += 1,
                }
                Ok(())
            }
            _ => Err(full),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Called by CUPTI when it needs memory, on any thread.
pub(super) unsafe extern "C" fn on_request(
    buffer: *mut *mut u8,
    size: *mut usize,
    records: *mut usize,
) {
    let start = catch_unwind(|| POOL.take().map(Buffer::into_raw));
    let start = start.ok().flatten();
    // SAFETY: CUPTI passes places to write to. A null pointer and size 0 mean that there is no
    // memory, and CUPTI drops activities.
    unsafe {
        *buffer = start.unwrap_or(std::ptr::null_mut());
        *size = if start.is_some() { BYTES } else { 0 };
        // As many records as fit.
        *records = 0;
    }
}

/// Called by CUPTI when it returns memory, on any thread.
pub(super) unsafe extern "C" fn on_complete(
    context: CUcontext,
    stream: u32,
    buffer: *mut u8,
    size: usize,
    valid: usize,
) {
    // A panic must not unwind into CUPTI; nothing in there panics.
    let _ = catch_unwind(|| complete(context, stream, buffer, size, valid));
}

fn complete(context: CUcontext, stream: u32, buffer: *mut u8, size: usize, valid: usize) {
    let Ok(api) = result::api() else {
        return;
    };
    match api.dropped(context, stream) {
        Ok(dropped) => count(&DROPPED, dropped as u64),
        Err(_) => count(&FAILED, 1),
    }
    let Some(start) = NonNull::new(buffer) else {
        return;
    };
    let full = Full {
        buffer: Buffer(start),
        valid: valid.min(size).min(BYTES),
    };
    if full.valid == 0 {
        return full.recycle();
    }
    if let Err(full) = POOL.send(full) {
        // SAFETY: CUPTI filled the bytes and has returned them.
        let walked = unsafe { api.walk(full.bytes(), |_, _| {}) };
        count(&OVERRUN, walked.records);
        full.recycle();
    }
}
