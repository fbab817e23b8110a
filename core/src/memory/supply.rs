//! Where a pool's addresses come from.

#![allow(unsafe_code, reason = "maps memory of its own")]

use std::ptr;

use crate::error::DriverError;

/// Alignment of small blocks: a cache line, and what wide vector loads want.
pub(super) const ALIGN: usize = 64;
/// From this size on blocks are aligned to huge pages, where there is room for that.
pub(super) const HUGE: usize = 2 << 20;

/// Why there is no memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is no memory left.
    Full,
    /// The device that has the memory does not answer.
    Failed(DriverError),
}

/// Memory of one kind, in segments that a pool cuts blocks from. A pool gives back what it got from the same supply, once.
/// Nothing here reads or writes the memory: the host may not be able to.
pub(crate) trait Supply: Send + Sync + std::fmt::Debug {
    /// The address of a segment of `size` bytes, aligned to 64. `size` is a multiple of 64, not 0.
    fn allocate(&self, size: usize) -> Result<u64, Refusal>;

    /// Gives back what [`allocate`](Self::allocate) gave for this size. Work on devices may still be using it: the supply
    /// waits for that.
    fn release(&self, start: u64, size: usize);

    /// How large a segment is worth asking for where `size` bytes are needed and the pool may take at most `most` more.
    fn segment(&self, size: usize, most: usize) -> usize;

    /// Whether the memory is the system's pages, which can be given back while the addresses stay.
    fn is_paged(&self) -> bool {
        false
    }

    /// Addresses for `size` bytes, of which nothing is backed until it is written, page by page. `None` where this supply has no
    /// such addresses. Given back by [`release`](Self::release).
    fn reserve(&self, _size: usize) -> Option<u64> {
        None
    }

    /// Says that all of a part of such addresses is going to be written: by huge pages, where there are any.
    fn widen(&self, _start: u64, _size: usize) {}

    /// Gives up the content of a part of a segment, so that its pages can serve others until it is written again. Returns how
    /// many bytes of pages that were.
    fn discard(&self, _start: u64, _size: usize) -> usize {
        0
    }
}

/// The process's own memory: addresses for the whole capacity at once, for which the operating system finds pages when
/// they are written.
#[derive(Debug)]
pub(crate) struct System;

/// A segment of so many bytes leaves enough to others, whatever the limit is.
const FEW: usize = 64 << 20;

/// Bytes of addresses that this process may still map; `None` where `ulimit -v` sets no limit.
fn addresses_left() -> Option<usize> {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: writes the structure alone.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    if !known || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    // The first number is that of all pages that are mapped.
    let counts = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = counts.split_whitespace().next()?.parse().ok()?;
    Some((limit.rlim_cur as usize).saturating_sub(pages * page()))
}

/// A new mapping, of which no page is there.
fn map(size: usize) -> Option<*mut libc::c_void> {
    // SAFETY: a new private mapping at an address that the system chooses touches nothing that is there.
    let start = unsafe {
        libc::mmap(
            ptr::null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    (start != libc::MAP_FAILED).then_some(start)
}

/// A new mapping that begins with a huge page.
fn map_aligned(size: usize) -> Option<usize> {
    let room = size.checked_add(HUGE)?;
    let start = map(room)?;
    let first = start.expose_provenance();
    let aligned = first.next_multiple_of(HUGE);
    let end = aligned + size.next_multiple_of(page());
    // SAFETY: both ranges lie in the mapping made above, and outside of the part that is given out. What fails here only leaves
    // addresses unused.
    unsafe {
        if aligned > first {
            libc::munmap(start, aligned - first);
        }
        if first + room > end {
            libc::munmap(pointer(end), (first + room - end) & !(page() - 1));
        }
    }
    Some(aligned)
}

/// Advises the system on a part of a mapping that is the caller's.
fn advise(start: usize, size: usize, advice: libc::c_int) {
    // SAFETY: advice on huge pages changes no content.
    unsafe { libc::madvise(pointer(start), size, advice) };
}

impl Supply for System {
    fn allocate(&self, size: usize) -> Result<u64, Refusal> {
        let start = map_aligned(size).ok_or(Refusal::Full)?;
        if size >= HUGE {
            advise(start, size, libc::MADV_HUGEPAGE);
        }
        Ok(start as u64)
    }

    fn release(&self, start: u64, size: usize) {
        // SAFETY: mapped above, and given back once.
        unsafe { libc::munmap(pointer(start as usize), size.next_multiple_of(page())) };
    }

    fn segment(&self, size: usize, most: usize) -> usize {
        match addresses_left() {
            // The rest is for larger segments, and for the program and its libraries, which end the process where they get none.
            Some(left) => most.min(FEW.max(left / 16)).max(size),
            None => most,
        }
    }

    fn reserve(&self, size: usize) -> Option<u64> {
        if size < HUGE {
            return Some(map(size)?.expose_provenance() as u64);
        }
        let start = map_aligned(size)?;
        // Else a few bytes could take a huge page.
        advise(start, size, libc::MADV_NOHUGEPAGE);
        Some(start as u64)
    }

    fn widen(&self, start: u64, size: usize) {
        let first = (start as usize).next_multiple_of(HUGE);
        let end = (start as usize + size) / HUGE * HUGE;
        if first < end {
            advise(first, end - first, libc::MADV_HUGEPAGE);
        }
    }

    fn is_paged(&self) -> bool {
        true
    }

    fn discard(&self, start: u64, size: usize) -> usize {
        let first = (start as usize).next_multiple_of(page());
        let end = (start as usize + size) & !(page() - 1);
        if end <= first {
            return 0;
        }
        // SAFETY: the pool gives parts of its segments that nobody holds; their content is of no use.
        let done = unsafe { libc::madvise(pointer(first), end - first, libc::MADV_DONTNEED) };
        if done == 0 { end - first } else { 0 }
    }
}

fn pointer(address: usize) -> *mut libc::c_void {
    ptr::with_exposed_provenance_mut(address)
}

/// Bytes of a page.
fn page() -> usize {
    // SAFETY: takes no pointers; -1 where it is unknown.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}
