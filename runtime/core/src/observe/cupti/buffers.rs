//! Memory for CUPTI to write into. Its callbacks have no argument of ours, so that there is one pool for the process.

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

/// Bytes of a buffer. NVIDIA advises 1 to 10 MB.
const BYTES: usize = 4 << 20;
/// Full buffers that wait for the collector at most, 256 MiB; what comes then is counted and given up.
const WAITING: usize = 64;
/// Empty buffers that are kept.
const KEPT: usize = 16;

/// CUPTI writes structs whose fields are of 8 bytes at most.
type Memory = [u64; BYTES / 8];
const LAYOUT: Layout = Layout::new::<Memory>();

/// A buffer that is not CUPTI's at the moment.
pub(super) struct Buffer(NonNull<u8>);

// SAFETY: whoever has the buffer has its memory alone.
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
    /// What CUPTI wrote.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: CUPTI wrote the first `valid` bytes, at most the whole buffer, and has given it back.
        unsafe { std::slice::from_raw_parts(self.buffer.0.as_ptr(), self.valid) }
    }

    /// Gives the memory back for the next activities.
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

/// Sends full buffers there from now on, or to nobody.
pub(super) fn send_to(sender: Option<Sender<Message>>) {
    *lock(&POOL.collector) = sender.map(|sender| Collector { sender, waiting: 0 });
}

/// One of the buffers that were sent has been taken.
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

    /// Hands a buffer to the collector; gives it back where that has enough to do.
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

/// What CUPTI calls when it needs memory, on any thread.
pub(super) unsafe extern "C" fn on_request(
    buffer: *mut *mut u8,
    size: *mut usize,
    records: *mut usize,
) {
    let start = catch_unwind(|| POOL.take().map(Buffer::into_raw));
    let start = start.ok().flatten();
    // SAFETY: CUPTI gives places to write to. Without memory it is told that there is none, and drops activities.
    unsafe {
        *buffer = start.unwrap_or(std::ptr::null_mut());
        *size = if start.is_some() { BYTES } else { 0 };
        // As many as there is room for.
        *records = 0;
    }
}

/// What CUPTI calls when it gives memory back, on any thread.
pub(super) unsafe extern "C" fn on_complete(
    context: CUcontext,
    stream: u32,
    buffer: *mut u8,
    size: usize,
    valid: usize,
) {
    // A panic must not pass through CUPTI; nothing in there does.
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
        // SAFETY: CUPTI filled the bytes and has given them back.
        let walked = unsafe { api.walk(full.bytes(), |_, _| {}) };
        count(&OVERRUN, walked.records);
        full.recycle();
    }
}
