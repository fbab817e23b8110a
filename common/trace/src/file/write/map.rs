//! The mapped file. No other module touches its memory.

#![allow(
    unsafe_code,
    reason = "words and bytes of a mapped file are reached by pointer"
)]

use super::protocol::{BlockHead, Claim, SealedBlock, Slot};
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

/// The words of the head that change while the file is written.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Live {
    /// See [`Gate::claims`](super::protocol::Gate::claims).
    pub(crate) claims: AtomicU64,
    /// [`FINISHED`](crate::file::layout::FINISHED) after the file was finished, otherwise 0.
    pub(crate) finished: AtomicU64,
    /// The last error number of reserving space.
    pub(crate) errno: AtomicU64,
    /// The checksum word of the three words above and of the dropped records by kind.
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

/// A file and its memory. The mapping has the size of the limit. Only blocks with reserved space,
/// and the first [`Self::head_size`] bytes, may be touched.
#[derive(Debug)]
pub(crate) struct Map {
    memory: MmapRaw,
    base: NonNull<u8>,
    layout: Layout,
    /// The number of blocks with reserved space, which can be touched without raising a signal.
    reserved: AtomicU64,
}

// SAFETY: `base` points into `memory`, which is Send and Sync. The memory is accessed only as
// atomic words, or as bytes by the holder of the only Claim.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Map {
    /// Maps `file`, which holds a complete head for `layout`, with room for `limit` blocks.
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

    /// Returns the number of blocks with reserved space.
    pub(crate) fn reserved(&self) -> &AtomicU64 {
        &self.reserved
    }

    /// Returns the words of the head that change.
    #[inline]
    pub(crate) fn live(&self) -> &Live {
        // SAFETY: the head is at least a page and was there when the file was mapped; the file is
        // never cut below the blocks in use. The offset is a multiple of the alignment, and the
        // words are only reached as atomics.
        unsafe { self.base.add(at::LIVE).cast::<Live>().as_ref() }
    }

    /// Returns the counters of a lane.
    #[inline]
    pub(crate) fn slot(&self, lane: u32) -> &Slot<AtomicU64> {
        assert!(lane < self.layout.lanes);
        // SAFETY: the lane table is part of the head, as above; its offset is a whole page and each
        // slot 128 bytes.
        unsafe {
            self.base
                .add(self.layout.slot_at(lane))
                .cast::<Slot<AtomicU64>>()
                .as_ref()
        }
    }

    /// Returns the counters of dropped records by kind.
    pub(crate) fn dropped(&self) -> &[AtomicU64] {
        let Some(at) = self.layout.dropped_at else {
            return &[];
        };
        // SAFETY: the table is part of the head, as above; its offset is a multiple of 64, and the
        // words are only reached as atomics.
        unsafe {
            let first = self.base.add(at).cast::<AtomicU64>();
            std::slice::from_raw_parts(first.as_ptr(), DROPPED_KINDS)
        }
    }

    /// Returns the head of the block with this number; `None` if its space is not reserved.
    pub(crate) fn reserved_block(&self, index: u64) -> Option<&BlockHead<AtomicU64>> {
        if index >= self.reserved.load(Ordering::Acquire) {
            return None;
        }
        // SAFETY: the block's space is reserved, within the mapping; otherwise as in `block`.
        Some(unsafe { self.start_of(index).cast::<BlockHead<AtomicU64>>().as_ref() })
    }

    /// Returns the first `size` bytes after the head of a block.
    pub(crate) fn read(&self, block: &SealedBlock, size: usize) -> &[u8] {
        assert!(size <= self.layout.room());
        // SAFETY: the bytes lie within a block that was claimed, as just checked. Nothing writes to
        // them any more, since `block` is [`SealedBlock`].
        unsafe {
            let start = self.start_of(block.index()).add(BLOCK_HEAD);
            std::slice::from_raw_parts(start.as_ptr(), size)
        }
    }

    /// Returns the head of a claimed block.
    #[inline]
    pub(crate) fn block(&self, claim: &Claim) -> &BlockHead<AtomicU64> {
        // SAFETY: a block is claimed only after its space was reserved, and the file is never cut
        // below a claimed block. Blocks begin at multiples of a page, and the words are accessed
        // only as atomics.
        unsafe {
            self.block_start(claim)
                .cast::<BlockHead<AtomicU64>>()
                .as_ref()
        }
    }

    /// Calls `fill` with the `size` bytes of a block that begin `at` bytes after its head.
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
        // SAFETY: the bytes lie within the claimed block, after its head, as just checked. They are
        // mapped and initialised, since new space of a file reads as zeros. `claim` is the only one
        // for the block and is borrowed exclusively, so nothing else in this process accesses them.
        let bytes = unsafe {
            let start = self.block_start(claim).add(BLOCK_HEAD + at);
            std::slice::from_raw_parts_mut(start.as_ptr(), size)
        };
        fill(bytes);
    }

    #[inline]
    fn block_start(&self, claim: &Claim) -> NonNull<u8> {
        debug_assert!(claim.index() < self.reserved.load(Ordering::Relaxed));
        // SAFETY: a block is claimed only after its space was reserved.
        unsafe { self.start_of(claim.index()) }
    }

    /// # Safety
    /// The space of the block must be reserved.
    #[inline]
    unsafe fn start_of(&self, index: u64) -> NonNull<u8> {
        let start = self.layout.block_at(index) as usize;
        // SAFETY: space is reserved only below the limit, which the mapping covers.
        unsafe { self.base.add(start) }
    }

    /// Makes the pages of reserved blocks present and writable, so that the first access causes no
    /// page fault.
    pub(crate) fn populate(&self, from: u64, to: u64) {
        let start = self.layout.block_at(from) as usize;
        let size = self.layout.block_at(to) as usize - start;
        // Kernels before 5.14 do not support this. Each page causes a fault then.
        let _ = self.memory.advise_range(Advice::PopulateWrite, start, size);
    }

    /// Removes the pages of full blocks from this process's memory. They stay in the file.
    pub(crate) fn release(&self, from: u64, to: u64) {
        let start = self.layout.block_at(from) as usize;
        let size = self.layout.block_at(to) as usize - start;
        debug_assert!(start.is_multiple_of(PAGE) && size.is_multiple_of(PAGE));
        // SAFETY: the mapping is shared and backed by a file. Stored bytes stay in the page cache,
        // and later accesses read them from there.
        let released = unsafe {
            self.memory
                .unchecked_advise_range(UncheckedAdvice::DontNeed, start, size)
        };
        // A failure costs memory only.
        let _ = released;
    }
}
