//! The two buffers of a store in main memory.
//!
//! A stencil reads neighbours of the elements that it writes. It writes to the other buffer, so
//! that nothing needs to be copied first. The analysis chooses the buffer of each operation, in
//! program order.

#![allow(
    unsafe_code,
    reason = "copies an instance to another memory, and frees small blocks"
)]

use std::ptr;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;
use weft_geometry::Region;
use weft_trace::record::MemoryKind;

use super::instance::{Instance, Memory, OutOfMemory};
use super::pool::{Holder, Pool};
use super::small::{self, SmallSize};
use super::spans::Span;
use super::uses::Uses;
use crate::shape::{Layout, Shape};

/// One of a store's two buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Buffer {
    /// The initial buffer.
    #[default]
    Front,
    /// The target of the first swap, and the source of the next.
    Back,
}

impl Buffer {
    /// Returns the other buffer.
    pub(crate) fn other(self) -> Buffer {
        match self {
            Buffer::Front => Buffer::Back,
            Buffer::Back => Buffer::Front,
        }
    }

    pub(super) fn index(self) -> usize {
        self as usize
    }
}

/// The roles of the two buffers. The analysis changes them, and so does giving up a spare. Read
/// without the lock.
#[derive(Debug, Default)]
pub(super) struct Versions {
    /// The buffer that holds the data.
    current: AtomicU8,
    /// Whether the other buffer holds usable content.
    has_spare: AtomicBool,
    /// The view outside of which the other buffer holds the same values, if any.
    spare: Mutex<Option<Box<Layout>>>,
}

/// Locked access to the state of the spare buffer.
pub(super) struct Spare<'a> {
    versions: &'a Versions,
    view: MutexGuard<'a, Option<Box<Layout>>>,
}

impl Versions {
    /// Returns the buffer that holds the data.
    pub(super) fn current(&self) -> Buffer {
        match self.current.load(Ordering::Acquire) {
            0 => Buffer::Front,
            _ => Buffer::Back,
        }
    }

    /// Locks the state of the spare buffer.
    pub(super) fn spare(&self) -> Spare<'_> {
        Spare {
            versions: self,
            view: self.spare.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Notes that `view` is written in place: outside the swapped view the buffers may then differ.
    pub(super) fn overwrites(&self, view: &Layout, store: &Shape) {
        if self.has_spare.load(Ordering::Acquire) {
            let mut spare = self.spare();
            // A write within the swapped view does no harm: the next swap writes that view again.
            if !spare.holds(view, store) {
                spare.set(None);
            }
        }
    }
}

impl Spare<'_> {
    /// Whether both buffers hold the same values outside of `view`.
    pub(super) fn is_of(&self, view: &Layout) -> bool {
        self.view.as_deref() == Some(view)
    }

    /// Whether a view lies within the swapped view.
    fn holds(&self, view: &Layout, store: &Shape) -> bool {
        let region = |view| Region::of(view, store);
        match (self.view.as_deref().and_then(region), region(view)) {
            (Some(own), Some(other)) => own.contains(&other),
            (None, Some(_)) => false,
            (_, None) => true,
        }
    }

    /// Sets the view outside of which both buffers hold the same values; `None` if there is none.
    pub(super) fn set(&mut self, view: Option<&Layout>) {
        self.versions
            .has_spare
            .store(view.is_some(), Ordering::Release);
        *self.view = view.map(|view| Box::new(*view));
    }

    /// Makes the other buffer the current one.
    pub(super) fn exchange(&mut self) {
        let other = self.versions.current().other();
        self.versions.current.store(other as u8, Ordering::Release);
    }
}

/// The effect of a buffer swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferSwap {
    /// The buffer that held the data.
    pub(crate) from: Buffer,
    /// The buffer that holds the data afterwards.
    pub(crate) to: Buffer,
    /// Whether the whole content must be copied from `from` to `to` first.
    pub(crate) copy: bool,
}

/// A buffer: an instance, made on the first write.
#[derive(Default)]
pub(super) struct BufferState {
    /// The instance's address; null if there is no instance.
    start: AtomicPtr<u8>,
    /// For an instance that holds parts of its store: the longest run of pages known to be held, as
    /// its first page and its end in half a word each. A run only grows, or is replaced as a whole.
    /// So a reader without the lock may miss held pages, but never sees a page that is not held.
    held: AtomicU64,
    /// Held while an instance is made, so that the tiles of one operation make only one.
    instance: Mutex<Option<Instance>>,
    /// The size of the small block that is used instead of an instance, in lines; 0 if there is
    /// none.
    small: AtomicU16,
}

impl BufferState {
    fn instance(&self) -> MutexGuard<'_, Option<Instance>> {
        self.instance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the instance's address; `None` if there is no instance.
    pub(super) fn data(&self) -> Option<*mut u8> {
        let start = self.start.load(Ordering::Acquire);
        (!start.is_null()).then_some(start)
    }

    /// Returns the small block that is used instead of an instance.
    #[inline]
    pub(super) fn small(&self) -> Option<(NonNull<u8>, SmallSize)> {
        let size = SmallSize::from_lines(self.small.load(Ordering::Relaxed))?;
        Some((NonNull::new(self.data()?)?, size))
    }

    /// Sets a small block, which is used instead of an instance. There must be no instance, and no
    /// other thread may use the buffer.
    #[inline]
    pub(super) fn set_small(&self, block: NonNull<u8>, size: SmallSize) {
        self.small.store(size.lines(), Ordering::Relaxed);
        self.start.store(block.as_ptr(), Ordering::Release);
    }

    /// Frees the small block, if there is one. The buffer must no longer be in use.
    #[inline]
    pub(super) fn free_small(&self, pool: &Pool) -> bool {
        let Some((block, size)) = self.small() else {
            return false;
        };
        self.small.store(0, Ordering::Relaxed);
        self.start.store(ptr::null_mut(), Ordering::Release);
        // SAFETY: it was taken for this buffer, whose memory is of this pool, and the number of
        // lines is now 0.
        unsafe { small::free(block, size) };
        pool.remove_small(size);
        true
    }

    /// Sets an address that belongs to no instance.
    pub(super) fn borrow(&self, start: *mut u8) {
        self.start.store(start, Ordering::Release);
    }

    /// Returns the instance's address; makes the instance if there is none.
    pub(super) fn data_or(
        &self,
        make: impl FnOnce() -> Result<Instance, OutOfMemory>,
    ) -> Result<*mut u8, OutOfMemory> {
        if let Some(data) = self.data() {
            return Ok(data);
        }
        let mut instance = self.instance();
        if let Some(data) = self.data() {
            return Ok(data);
        }
        let start = instance.insert(make()?).start();
        self.start.store(start, Ordering::Release);
        Ok(start)
    }

    /// Like [`data_or`](Self::data_or), for an instance that holds parts of its store: if `pages`
    /// are not known to be held, also holds the elements of `view`.
    pub(super) fn part_or(
        &self,
        pages: Option<Span>,
        view: impl FnOnce() -> Option<Layout>,
        make: impl FnOnce() -> Result<Instance, OutOfMemory>,
        asker: impl FnOnce() -> Holder,
    ) -> Result<*mut u8, OutOfMemory> {
        let is_held = |pages: Span| unpacked(self.held.load(Ordering::Acquire)).holds(&pages);
        if let Some(data) = self.data()
            && pages.is_none_or(is_held)
        {
            return Ok(data);
        }
        let mut instance = self.instance();
        let instance = match &mut *instance {
            Some(known) => known,
            none => none.insert(make()?),
        };
        if let Some(view) = view() {
            let run = match instance.hold(&view, asker)? {
                Some(run) => packed(run),
                None => u64::from(u32::MAX),
            };
            let known = self.held.load(Ordering::Acquire);
            if unpacked(run).len() > unpacked(known).len() {
                self.held.store(run, Ordering::Release);
            }
        }
        let start = instance.start();
        self.start.store(start, Ordering::Release);
        Ok(start)
    }

    /// Returns the elements that the instance holds; `count` is the number of elements of the
    /// store.
    pub(super) fn held_spans(&self, count: usize) -> SmallVec<[Span; 2]> {
        if self.small().is_some() {
            return SmallVec::from_slice(&[Span {
                first: 0,
                end: count,
            }]);
        }
        let instance = self.instance();
        instance
            .as_ref()
            .map_or_else(SmallVec::new, |instance| instance.held_spans(count))
    }

    /// Returns the kind of memory that the instance is in; for a small block, the store's `own`.
    pub(super) fn kind(&self, own: MemoryKind) -> Option<MemoryKind> {
        let instance = self.instance();
        let kind = instance.as_ref().map(|instance| instance.memory().kind);
        kind.or(self.small().map(|_| own))
    }

    /// Adds the work on devices that may be using the instance's block to `waits`.
    pub(super) fn add_uses_to(&self, waits: &mut Uses) {
        if let Some(instance) = self.instance().as_ref() {
            instance.add_uses_to(waits);
        }
    }

    /// Replaces the instance by another one of `bytes` bytes with the same content, unless
    /// `is_right` accepts the memory of the current one. The buffer must not be in use, and is of
    /// the memory `own`.
    pub(super) fn replace(
        &self,
        bytes: usize,
        own: &Arc<Memory>,
        is_right: impl FnOnce(&Arc<Memory>) -> bool,
        make: impl FnOnce() -> Result<Instance, OutOfMemory>,
    ) -> Result<(), OutOfMemory> {
        let mut instance = self.instance();
        let current = instance.as_ref().map(Instance::memory);
        let current = current.or(self.small().map(|_| own));
        let (Some(current), Some(old)) = (current, self.data()) else {
            return Ok(());
        };
        if is_right(current) {
            return Ok(());
        }
        let other = make()?;
        // SAFETY: both have at least `bytes` bytes in memory that the process addresses; neither is
        // written meanwhile.
        unsafe { ptr::copy_nonoverlapping(old, other.start(), bytes) };
        self.free_small(&own.pool);
        self.start.store(other.start(), Ordering::Release);
        *instance = Some(other);
        Ok(())
    }

    /// Frees the memory, which is of `pool`; returns whether there was any. The buffer must no
    /// longer be in use.
    pub(super) fn clear(&self, pool: &Pool) -> bool {
        let mut instance = self.instance();
        let was_small = self.free_small(pool);
        self.start.store(ptr::null_mut(), Ordering::Release);
        self.held.store(0, Ordering::Release);
        instance.take().is_some() || was_small
    }
}

/// Packs a run of pages into one word; returns 0 if a page number exceeds half a word.
fn packed(run: Span) -> u64 {
    match (u32::try_from(run.first), u32::try_from(run.end)) {
        (Ok(first), Ok(end)) => u64::from(first) << 32 | u64::from(end),
        _ => 0,
    }
}

fn unpacked(word: u64) -> Span {
    Span {
        first: (word >> 32) as usize,
        end: word as u32 as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_page_runs_into_words() {
        let span = |first, end| Span { first, end };
        for run in [span(0, 1), span(7, 9), span(3, u32::MAX as usize)] {
            assert_eq!(unpacked(packed(run)), run);
        }
        assert_eq!(unpacked(packed(span(1, 1 << 32))).len(), 0);
    }
}
