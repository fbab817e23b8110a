//! Failed allocations: one sentence and status 1 instead of an abort, and no temporary files left.
//!
//! The standard library aborts if an allocation fails, and has no other stable way; so this
//! program's allocator is the system's with that one case added.
#![allow(unsafe_code, reason = "an allocator is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

#[global_allocator]
static ALLOCATOR: OrEnd = OrEnd;

/// The system's allocator, or the end of the process.
struct OrEnd;

// SAFETY: every call is passed on unchanged to the system's allocator, whose result is returned
// unless it is null.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above; the block came from this allocator, and thus from the system's.
        checked(unsafe { System.realloc(start, layout, size) }, size)
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(start, layout) }
    }
}

#[inline]
fn checked(start: *mut u8, size: usize) -> *mut u8 {
    if start.is_null() {
        end(size);
    }
    start
}

/// Prints the failed allocation, without allocating memory.
#[cold]
fn end(size: usize) -> ! {
    static ENDING: AtomicBool = AtomicBool::new(false);
    if !ENDING.swap(true, Ordering::SeqCst) {
        let mut text = [0_u8; 256];
        let mut rest = text.as_mut_slice();
        // If standard error is closed, the message cannot be shown.
        let _ = writeln!(
            rest,
            "weft: out of memory while allocating {size} bytes; raise the memory limit (`ulimit -v`, or the container's), or give fewer inputs"
        );
        let left = rest.len();
        let written = text.len() - left;
        let _ = std::io::stderr().write_all(text.get(..written).unwrap_or_default());
        weft_files::try_remove_temporary();
    }
    std::process::exit(1)
}
