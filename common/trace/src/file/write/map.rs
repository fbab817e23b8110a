//! The mapped file. The only place that touches its memory.

#![allow(
    unsafe_code,
    reason = "words and bytes of a mapped file are reached by pointer"
)]

use super::protocol::{BlockHead, Claim, Slot, Still};
use crate::file::layout::{
    BLOCK_HEAD, BLOCK_SEAL, DROPPED_KINDS, Layout, PAGE, SLOT_SEAL, SLOT_SIZE, at,
};
use memmap2::{Advice, MmapOptions, MmapRaw, UncheckedAdvice};
use std::fs::File;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(not(target_endian = "little"))]
compile_error!("the words of a .prof file are little-endian and are stored by mapping it");

/// The words of the head that change.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Live {
    /// See [`Gate::claims`](super::protocol::Gate::claims).
    pub(crate) claims: AtomicU64,
    /// 1 once the file was finished.
    pub(crate) finished: AtomicU64,
    /// The last error of reserving space.
    pub(crate) errno: AtomicU64,
    /// The checksum word of the three above and of the dropped records by kind.
    pub(crate) end: AtomicU64,
}

const _: () = {
    assert!(size_of::<Live>() == 64 && at::LIVE.is_multiple_of(64));
    assert!(at::LIVE + size_of::<Live>() <= at::TEXT);
    assert!(at::FINISHED == at::LIVE + std::mem::offset_of!(Live, finished));
    assert!(at::ERRNO == at::LIVE + std::mem::offset_of!(Live, errno));
    assert!(at::END == at::LIVE + std::mem::offset_of!(Live, end));
    assert!(size_of::<Slot<AtomicU64>>() == SLOT_SIZE);
    assert!(SLOT_SEAL == std::mem::offset_of!(Slot<AtomicU64>, seal));
    assert!(size_of::<BlockHead<AtomicU64>>() == BLOCK_HEAD);
    assert!(BLOCK_SEAL == std::mem::offset_of!(BlockHead<AtomicU64>, seal));
};

/// A file and its memory. The addresses are taken once, for the whole limit; only the part whose space is reserved
/// may be touched, and [`Self::head_size`] at any time.
#[derive(Debug)]
pub(crate) struct Map {
    memory: MmapRaw,
    base: NonNull<u8>,
    layout: Layout,
    /// Blocks whose space is reserved, so that touching them raises no signal.
    reserved: AtomicU64,
}

// SAFETY: `base` points into `memory`, which is Send and Sync; what is behind it is reached as atomic words, or as
// bytes by the one holder of a Claim.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Map {
    /// Maps `file`, which holds a whole head for `layout`, for growth up to `limit` blocks.
    pub(crate) fn new(file: &File, layout: Layout, limit: u64) -> io::Result<Self> {
        if file.metadata()?.len() < layout.blocks_at as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let whole = usize::try_from(layout.block_at(limit))
            .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let memory = MmapOptions::new().len(whole).map_raw(file)?;
        let base = NonNull::new(memory.as_mut_ptr())
            .ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        Ok(Map {
            memory,
            base,
            layout,
            reserved: AtomicU64::new(0),
        })
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Blocks reserved.
    pub(crate) fn reserved(&self) -> &AtomicU64 {
        &self.reserved
    }

    /// The changing words of the head.
    #[inline]
    pub(crate) fn live(&self) -> &Live {
        // SAFETY: the head is at least a page and was there when the file was mapped; the file is never cut below
        // the blocks in use. The offset is a multiple of the alignment, and the words are only reached as atomics.
        unsafe { self.base.add(at::LIVE).cast::<Live>().as_ref() }
    }

    /// A lane's counters.
    #[inline]
    pub(crate) fn slot(&self, lane: u32) -> &Slot<AtomicU64> {
        assert!(lane < self.layout.lanes);
        // SAFETY: the lane table is part of the head, as above; its offset is a whole page and each slot 128 bytes.
        unsafe {
            self.base
                .add(self.layout.slot_at(lane))
                .cast::<Slot<AtomicU64>>()
                .as_ref()
        }
    }

    /// The counters of dropped records by kind.
    pub(crate) fn dropped(&self) -> &[AtomicU64] {
        let Some(at) = self.layout.dropped_at else {
            return &[];
        };
        // SAFETY: the table is part of the head, as above; its offset is a multiple of 64, and the words are only
        // reached as atomics.
        unsafe {
            let first = self.base.add(at).cast::<AtomicU64>();
            std::slice::from_raw_parts(first.as_ptr(), DROPPED_KINDS)
        }
    }

    /// The head of a block by its number; `None` if its space is not reserved.
    pub(crate) fn reserved_block(&self, index: u64) -> Option<&BlockHead<AtomicU64>> {
        if index >= self.reserved.load(Ordering::Acquire) {
            return None;
        }
        // SAFETY: the block's space is reserved, within the mapping; otherwise as in `block`.
        Some(unsafe { self.start_of(index).cast::<BlockHead<AtomicU64>>().as_ref() })
    }

    /// The first `size` bytes after the head of a block.
    pub(crate) fn read(&self, block: &Still, size: usize) -> &[u8] {
        assert!(size <= self.layout.room());
        // SAFETY: the bytes lie within a block that was claimed, as just checked; nothing writes to them any more, as
        // `block` says.
        unsafe {
            let start = self.start_of(block.index()).add(BLOCK_HEAD);
            std::slice::from_raw_parts(start.as_ptr(), size)
        }
    }

    /// The head of a claimed block.
    #[inline]
    pub(crate) fn block(&self, claim: &Claim) -> &BlockHead<AtomicU64> {
        // SAFETY: a block is claimed only when its space was reserved, and the file is never cut below a claimed
        // block. Blocks begin at multiples of a page, and the words are only reached as atomics.
        unsafe {
            self.block_start(claim)
                .cast::<BlockHead<AtomicU64>>()
                .as_ref()
        }
    }

    /// Lets `fill` write `size` bytes that begin `at` bytes after the head of a block.
    #[inline]
    pub(crate) fn fill(
        &self,
        claim: &mut Claim,
        at: usize,
        size: usize,
        fill: impl FnOnce(&mut [u8]),
    ) {
        let room = self.layout.block_size - BLOCK_HEAD;
        assert!(at <= room && size <= room - at);
        // SAFETY: the bytes lie within the claimed block, after its head, as just checked; mapped and initialised
        // (a file's new space reads as zeros). `claim` is the only one for the block and is held exclusively, so
        // nothing else in this process reaches them.
        let bytes = unsafe {
            let start = self.block_start(claim).add(BLOCK_HEAD + at);
            std::slice::from_raw_parts_mut(start.as_ptr(), size)
        };
        fill(bytes);
    }

    #[inline]
    fn block_start(&self, claim: &Claim) -> NonNull<u8> {
        debug_assert!(claim.index() < self.reserved.load(Ordering::Relaxed));
        // SAFETY: blocks are claimed only where their space is reserved.
        unsafe { self.start_of(claim.index()) }
    }

    /// # Safety
    /// The block's space is reserved.
    #[inline]
    unsafe fn start_of(&self, index: u64) -> NonNull<u8> {
        let start = self.layout.block_at(index) as usize;
        // SAFETY: space is reserved below the limit only, which the mapping covers.
        unsafe { self.base.add(start) }
    }

    /// Makes the pages of reserved blocks present and writable, so that the first touch takes no fault.
    pub(crate) fn populate(&self, from: u64, to: u64) {
        let start = self.layout.block_at(from) as usize;
        let size = self.layout.block_at(to) as usize - start;
        // Kernels before 5.14 cannot; then each page takes its fault.
        let _ = self.memory.advise_range(Advice::PopulateWrite, start, size);
    }

    /// Takes the pages of full blocks out of this process's memory. They stay in the file.
    pub(crate) fn release(&self, from: u64, to: u64) {
        let start = self.layout.block_at(from) as usize;
        let size = self.layout.block_at(to) as usize - start;
        debug_assert!(start.is_multiple_of(PAGE) && size.is_multiple_of(PAGE));
        // SAFETY: the mapping is shared and backed by a file: what was stored stays in the page cache, and a later
        // access reads it from there.
        let released = unsafe {
            self.memory
                .unchecked_advise_range(UncheckedAdvice::DontNeed, start, size)
        };
        // It only costs memory if the kernel would not.
        let _ = released;
    }
}
