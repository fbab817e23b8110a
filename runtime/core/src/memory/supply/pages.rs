//! Pages of the operating system.

#![allow(unsafe_code, reason = "maps memory")]

use std::ptr;

use super::{HUGE, Pages};

/// Returns the number of bytes of addresses that this process may still map; `None` if `ulimit -v`
/// sets no limit.
pub(super) fn addresses_left() -> Option<usize> {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: writes the structure alone.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    if !known || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    // The first number counts all mapped pages.
    let counts = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = counts.split_whitespace().next()?.parse().ok()?;
    Some((limit.rlim_cur as usize).saturating_sub(pages * page()))
}

/// Makes a new mapping without any pages.
pub(super) fn map(size: usize) -> Option<usize> {
    // SAFETY: a new private mapping at an address that the system chooses touches no existing
    // memory.
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
    (start != libc::MAP_FAILED).then(|| start.expose_provenance())
}

/// Makes a new mapping aligned to a huge page.
pub(super) fn map_aligned(size: usize) -> Option<usize> {
    let room = size.checked_add(HUGE)?;
    let first = map(room)?;
    let aligned = first.next_multiple_of(HUGE);
    let end = aligned + size.next_multiple_of(page());
    // SAFETY: both ranges lie in the mapping made above, and outside of the part that is given out.
    // A failure only leaves addresses unused.
    unsafe {
        if aligned > first {
            libc::munmap(pointer(first), aligned - first);
        }
        if first + room > end {
            libc::munmap(pointer(end), (first + room - end) & !(page() - 1));
        }
    }
    Some(aligned)
}

/// Advises the system on the pages of a part of a mapping that the caller owns.
pub(super) fn advise(start: usize, size: usize, pages: Pages) {
    let advice = match pages {
        Pages::Small => libc::MADV_NOHUGEPAGE,
        Pages::Huge => libc::MADV_HUGEPAGE,
    };
    // SAFETY: advice on huge pages changes no content.
    unsafe { libc::madvise(pointer(start), size, advice) };
}

/// Unmaps a mapping whose pages are no longer used.
///
/// # Safety
/// The mapping was made here with this size, and is unmapped once.
pub(super) unsafe fn unmap(start: usize, size: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(pointer(start), size.next_multiple_of(page())) };
}

/// Releases whole pages of a mapping, which read as 0 on their next use. Returns whether they were
/// released.
///
/// # Safety
/// The pages belong to the caller, who does not need their content.
pub(super) unsafe fn drop_pages(start: usize, size: usize) -> bool {
    // SAFETY: the caller's promise.
    unsafe { libc::madvise(pointer(start), size, libc::MADV_DONTNEED) == 0 }
}

fn pointer(address: usize) -> *mut libc::c_void {
    ptr::with_exposed_provenance_mut(address)
}

/// Returns the size of a page in bytes.
pub(super) fn page() -> usize {
    // SAFETY: takes no pointers; -1 if the size is unknown.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}
