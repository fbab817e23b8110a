//! Stacks for the threads of a block, each after an inaccessible page.
#![allow(unsafe_code, reason = "maps memory")]

use std::cell::RefCell;
use std::ptr;

/// The most threads of a block, on every GPU.
pub(super) const MAX_THREADS: u32 = 1024;

/// The layout in `cuda_shim_run.h`.
const STACK: usize = 128 * 1024;
const GUARD: usize = 4096;

struct Stacks {
    memory: *mut libc::c_void,
    bytes: usize,
}

impl Drop for Stacks {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own.
        unsafe { libc::munmap(self.memory, self.bytes) };
    }
}

/// Passes the calling thread's stacks, made on the first call; `None` if the system has no memory
/// for them.
pub(super) fn with<R>(use_them: impl FnOnce(*mut u8) -> R) -> Option<R> {
    thread_local! {
        static STACKS: RefCell<Option<Stacks>> = const { RefCell::new(None) };
    }
    STACKS.with_borrow_mut(|stacks| {
        if stacks.is_none() {
            *stacks = map();
        }
        stacks.as_ref().map(|stacks| use_them(stacks.memory.cast()))
    })
}

fn map() -> Option<Stacks> {
    let bytes = MAX_THREADS as usize * (STACK + GUARD);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a separate mapping at an address that the system chooses.
    let memory = unsafe {
        libc::mmap(
            ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            flags,
            -1,
            0,
        )
    };
    if memory == libc::MAP_FAILED {
        return None;
    }
    for thread in 0..MAX_THREADS as usize {
        // SAFETY: the page is inside the mapping, and nothing lies there.
        unsafe {
            libc::mprotect(
                memory.byte_add(thread * (STACK + GUARD)),
                GUARD,
                libc::PROT_NONE,
            )
        };
    }
    Some(Stacks { memory, bytes })
}
