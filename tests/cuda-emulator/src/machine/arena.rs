//! The memory of one GPU: a range of addresses that is inaccessible unless the machine opens it.
#![allow(unsafe_code, reason = "maps memory")]

use std::collections::BTreeMap;
use std::ptr;

use crate::host::{GARBAGE, Random, guard};

const PAGE: u64 = 4096;
/// The alignment that the driver guarantees; addresses have no greater one.
const ALIGN: u64 = 256;
const CANARY: u8 = 0xc5;
/// The number of addresses for each byte of memory, so that freed ones are not reused soon.
const SPREAD: u64 = 64;

/// One allocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocation {
    /// First address.
    pub(crate) start: u64,
    /// Bytes requested.
    pub(crate) bytes: u64,
    /// The first of its pages, without the guard pages before and after them.
    first_page: u64,
    page_bytes: u64,
}

/// Device memory.
pub(crate) struct Arena {
    base: u64,
    span: u64,
    /// Bytes of memory.
    pub(crate) capacity: u64,
    /// Bytes allocated, as the driver counts: in multiples of 512.
    pub(crate) taken: u64,
    live: BTreeMap<u64, Allocation>,
    is_open: bool,
}

fn counted(bytes: u64) -> u64 {
    bytes.next_multiple_of(512)
}

impl Arena {
    /// Creates a memory of this capacity in bytes; `None` if the system has no addresses.
    pub(crate) fn new(capacity: u64) -> Option<Arena> {
        let span = (capacity.next_multiple_of(PAGE) + (1 << 24)) * SPREAD;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a separate mapping at an address that the system chooses; it is never unmapped.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                span as usize,
                libc::PROT_NONE,
                flags,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return None;
        }
        guard(base as u64, base as u64 + span);
        Some(Arena {
            base: base as u64,
            span,
            capacity,
            taken: 0,
            live: BTreeMap::new(),
            is_open: false,
        })
    }

    /// Returns whether an address is of this GPU, in use or not.
    pub(crate) fn owns(&self, address: u64) -> bool {
        (self.base..self.base + self.span).contains(&address)
    }

    /// Returns the first address of this GPU and the number of addresses.
    pub(crate) fn addresses(&self) -> (u64, u64) {
        (self.base, self.span)
    }

    /// Returns the allocation that holds all these bytes.
    pub(crate) fn holding(&self, address: u64, bytes: u64) -> Option<&Allocation> {
        let (_, found) = self.live.range(..=address).next_back()?;
        let end = address.checked_add(bytes)?;
        (end <= found.start + found.bytes && address < found.start + found.bytes).then_some(found)
    }

    /// Returns the allocations, by address.
    pub(crate) fn allocations(&self) -> impl Iterator<Item = &Allocation> {
        self.live.values()
    }

    /// Allocates memory at a random place. It holds garbage: NaNs as floating-point numbers, as
    /// integers far out of bounds.
    pub(crate) fn take(&mut self, bytes: u64, random: &mut Random) -> Option<u64> {
        if counted(bytes) > self.capacity - self.taken {
            return None;
        }
        let inner = bytes.next_multiple_of(ALIGN).next_multiple_of(PAGE);
        let first_page = self.place(inner, random)?;
        let start = first_page + (inner - bytes.next_multiple_of(ALIGN));
        let allocation = Allocation {
            start,
            bytes,
            first_page,
            page_bytes: inner,
        };
        set_access(first_page, inner, true);
        // SAFETY: these pages were just made accessible, and are this allocation's.
        unsafe {
            ptr::write_bytes(first_page as *mut u8, CANARY, inner as usize);
            for word in 0..(bytes / 8) {
                (start as *mut u64).add(word as usize).write(GARBAGE);
            }
        }
        if !self.is_open {
            set_access(first_page, inner, false);
        }
        self.taken += counted(bytes);
        self.live.insert(start, allocation);
        Some(start)
    }

    /// Returns free pages with a free one before and after them.
    fn place(&self, inner: u64, random: &mut Random) -> Option<u64> {
        let pages = self.span / PAGE;
        let needed = inner / PAGE + 2;
        (0..1000).find_map(|_| {
            let room = pages.checked_sub(needed)?;
            let before = self.base + random.below(room as usize + 1) as u64 * PAGE;
            let end = before + needed * PAGE;
            let below = self.live.range(..end).next_back();
            let is_free = below.is_none_or(|(_, low)| low.first_page + low.page_bytes <= before);
            is_free.then_some(before + PAGE)
        })
    }

    /// Frees memory, even if it is still in use. `Err` if no allocation begins there.
    /// `Ok(Some(at))` if a byte outside of the allocation was written.
    pub(crate) fn give(&mut self, start: u64) -> Result<Option<i64>, ()> {
        let gone = self.live.remove(&start).ok_or(())?;
        self.taken -= counted(gone.bytes);
        set_access(gone.first_page, gone.page_bytes, true);
        let before = gone.first_page..gone.start;
        let after = gone.start + gone.bytes..gone.first_page + gone.page_bytes;
        // SAFETY: these pages are accessible, as said above.
        let spoilt = before
            .chain(after)
            .find(|&at| unsafe { (at as *const u8).read() } != CANARY);
        set_access(gone.first_page, gone.page_bytes, false);
        // SAFETY: the pages are this arena's, and no allocation uses them now; their contents are
        // dropped.
        unsafe {
            libc::madvise(
                gone.first_page as *mut libc::c_void,
                gone.page_bytes as usize,
                libc::MADV_DONTNEED,
            );
        }
        Ok(spoilt.map(|at| at as i64 - gone.start as i64))
    }

    /// Opens or closes the allocations for the whole process.
    pub(crate) fn set_open(&mut self, open: bool) {
        if self.is_open != open {
            for allocation in self.live.values() {
                set_access(allocation.first_page, allocation.page_bytes, open);
            }
            self.is_open = open;
        }
    }
}

fn set_access(first_page: u64, bytes: u64, allowed: bool) {
    let access = if allowed {
        libc::PROT_READ | libc::PROT_WRITE
    } else {
        libc::PROT_NONE
    };
    // SAFETY: the pages are of an arena, which is never unmapped; Rust has no reference into it.
    unsafe { libc::mprotect(first_page as *mut libc::c_void, bytes as usize, access) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_disjoint_and_bounded() {
        let mut random = Random::new(1);
        let mut arena = Arena::new(1 << 20).expect("addresses");
        let mut taken: Vec<u64> = Vec::new();
        while let Some(start) = arena.take(1000, &mut random) {
            assert_eq!(start % 256, 0);
            assert!(arena.holding(start, 1000).is_some() && arena.holding(start, 1001).is_none());
            assert!(
                arena.holding(start + 999, 1).is_some() && arena.holding(start + 1000, 0).is_none()
            );
            taken.push(start);
        }
        assert_eq!(taken.len(), 1024);
        for start in taken {
            assert_eq!(arena.give(start), Ok(None));
            assert_eq!(arena.give(start), Err(()));
            assert!(arena.owns(start) && arena.holding(start, 1).is_none());
        }
        assert!(arena.take(1 << 20, &mut random).is_some());
    }

    #[test]
    fn free_detects_writes_beyond_the_end() {
        let mut arena = Arena::new(1 << 20).expect("addresses");
        let start = arena.take(10, &mut Random::new(2)).expect("memory");
        arena.set_open(true);
        // SAFETY: the page is accessible.
        unsafe { (start as *mut u8).add(10).write(1) };
        assert_eq!(arena.give(start), Ok(Some(10)));
    }
}
