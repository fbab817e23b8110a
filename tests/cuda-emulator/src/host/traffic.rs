//! Counts of the memory that kernels access, if [`VARIABLE`] names a file.
//!
//! Kernels are then compiled with a call before each access. A byte counts if it is in device
//! memory, so registers, shared memory and parameters do not. Caches of a GPU are not emulated:
//! `read` and `written` are what a GPU moves if every cache is large enough, and `loaded` and
//! `stored` what it moves without one.
#![allow(unsafe_code, reason = "shares counters with compiled kernels")]

use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The variable that names the file.
pub(crate) const VARIABLE: &str = "WEFT_EMULATED_TRAFFIC";

/// Bytes of a sector, the smallest part of a cache line that a GPU reads from memory.
const SECTOR: u64 = 32;

/// Bytes that one kernel accessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    /// Bytes of all loads; a byte counts for each load of it.
    pub(crate) loaded: u64,
    /// Bytes of all stores.
    pub(crate) stored: u64,
    /// Bytes of sectors that were loaded from, each once.
    pub(crate) read: u64,
    /// Bytes of sectors that were stored to, each once.
    pub(crate) written: u64,
}

/// As `cuda_shim::Traffic`.
#[repr(C)]
pub(super) struct Counter {
    base: u64,
    span: u64,
    read: *mut u32,
    written: *mut u32,
    launch: u32,
    loaded: u64,
    stored: u64,
    sectors_read: u64,
    sectors_written: u64,
}

/// The only counter: launches take turns. Kernels have its address.
struct Shared(*mut Counter);

// SAFETY: the counter is accessed under the lock below, or by a kernel while its launch holds it.
unsafe impl Send for Shared {}

fn counter() -> &'static Mutex<Shared> {
    static COUNTER: OnceLock<Mutex<Shared>> = OnceLock::new();
    COUNTER.get_or_init(|| {
        let counter = Box::leak(Box::new(Counter {
            base: 0,
            span: 0,
            read: ptr::null_mut(),
            written: ptr::null_mut(),
            launch: 0,
            loaded: 0,
            stored: 0,
            sectors_read: 0,
            sectors_written: 0,
        }));
        Mutex::new(Shared(counter))
    })
}

/// Returns whether traffic is counted.
pub(crate) fn is_counted() -> bool {
    static IS_COUNTED: OnceLock<bool> = OnceLock::new();
    *IS_COUNTED.get_or_init(|| std::env::var_os(VARIABLE).is_some())
}

/// Returns the address of the counter, for compiled kernels. They use it only while they run.
pub(super) fn address() -> *mut Counter {
    counter().lock().unwrap_or_else(PoisonError::into_inner).0
}

/// Returns memory of zeros for a number of each sector of a span; `None` if the system has no
/// addresses.
fn numbers(span: u64) -> Option<*mut u32> {
    let bytes = (span / SECTOR + 1) as usize * size_of::<u32>();
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a separate mapping at an address that the system chooses; it is never unmapped.
    let at = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags, -1, 0) };
    (at != libc::MAP_FAILED).then_some(at.cast())
}

/// Runs a kernel and returns what it accessed between `base` and `base + span`, the addresses of
/// one GPU. Without counting, or without addresses to count in, the traffic is 0.
pub(crate) fn counted<R>(base: u64, span: u64, run: impl FnOnce() -> R) -> (R, Traffic) {
    if !is_counted() {
        return (run(), Traffic::default());
    }
    static NUMBERS: Mutex<Vec<(u64, Option<[usize; 2]>)>> = Mutex::new(Vec::new());
    let numbers = {
        let mut known = NUMBERS.lock().unwrap_or_else(PoisonError::into_inner);
        match known.iter().find(|(gpu, _)| *gpu == base) {
            Some((_, numbers)) => *numbers,
            None => {
                let new = numbers(span).zip(numbers(span));
                let new = new.map(|(read, written)| [read as usize, written as usize]);
                known.push((base, new));
                new
            }
        }
    };
    let shared = counter().lock().unwrap_or_else(PoisonError::into_inner);
    let address = shared.0;
    // SAFETY: the counter is never freed, and the lock is held.
    let counter = unsafe { &mut *address };
    let [read, written] = numbers.unwrap_or_default();
    *counter = Counter {
        base,
        span: if read == 0 { 0 } else { span },
        read: read as *mut u32,
        written: written as *mut u32,
        launch: counter.launch + 1,
        loaded: 0,
        stored: 0,
        sectors_read: 0,
        sectors_written: 0,
    };
    let result = run();
    // SAFETY: as above. The kernel, which wrote to the counter, has ended.
    let counter = unsafe { &mut *address };
    counter.span = 0;
    let traffic = Traffic {
        loaded: counter.loaded,
        stored: counter.stored,
        read: counter.sectors_read * SECTOR,
        written: counter.sectors_written * SECTOR,
    };
    (result, traffic)
}
