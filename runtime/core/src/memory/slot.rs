//! The two places in main memory that a store's data can be in.
//!
//! An operation that reads its neighbours while it writes (a stencil) writes to the other place, so that nothing has to be copied
//! first. Which place an operation uses is decided when it is analysed, in program order.

#![allow(unsafe_code, reason = "copies an instance to another memory")]

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;
use weft_geometry::Region;
use weft_trace::record::MemoryKind;

use super::instance::{Instance, OutOfMemory};
use super::pool::Holder;
use super::spans::Span;
use super::uses::Uses;
use crate::shape::{Layout, Shape};

/// One of a store's two places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Buffer {
    /// Where the data is at first.
    #[default]
    Front,
    /// Where a swap puts it, and the next takes it from.
    Back,
}

impl Buffer {
    /// The other one.
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

/// Which place is which. Changed by the analysis and by whoever gives up the spare; looked at without the lock.
#[derive(Debug, Default)]
pub(super) struct Versions {
    /// The place where the data is.
    current: AtomicU8,
    /// Whether the other place holds something.
    has_spare: AtomicBool,
    /// The view outside of which the other place holds the same values, where there is one.
    spare: Mutex<Option<Box<Layout>>>,
}

/// What is known of the spare place, and held still.
pub(super) struct Spare<'a> {
    versions: &'a Versions,
    view: MutexGuard<'a, Option<Box<Layout>>>,
}

impl Versions {
    /// Where the data is.
    pub(super) fn current(&self) -> Buffer {
        match self.current.load(Ordering::Acquire) {
            0 => Buffer::Front,
            _ => Buffer::Back,
        }
    }

    /// Holds the spare place still.
    pub(super) fn spare(&self) -> Spare<'_> {
        Spare {
            versions: self,
            view: self.spare.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Notes that `view` is written in place: what lies outside of the swapped view may differ between the places then.
    pub(super) fn overwrites(&self, view: &Layout, store: &Shape) {
        if self.has_spare.load(Ordering::Acquire) {
            let mut spare = self.spare();
            // What is written within the swapped view, the next swap writes anew.
            if !spare.holds(view, store) {
                spare.set(None);
            }
        }
    }
}

impl Spare<'_> {
    /// Whether both places hold the same outside of `view`.
    pub(super) fn is_of(&self, view: &Layout) -> bool {
        self.view.as_deref() == Some(view)
    }

    /// Whether a view lies within that view.
    fn holds(&self, view: &Layout, store: &Shape) -> bool {
        let region = |view| Region::of(view, store);
        match (self.view.as_deref().and_then(region), region(view)) {
            (Some(own), Some(other)) => own.contains(&other),
            (None, Some(_)) => false,
            (_, None) => true,
        }
    }

    /// Says outside of which view both places hold the same.
    pub(super) fn set(&mut self, view: Option<&Layout>) {
        self.versions
            .has_spare
            .store(view.is_some(), Ordering::Release);
        *self.view = view.map(|view| Box::new(*view));
    }

    /// Has operations find the data in the other place.
    pub(super) fn exchange(&mut self) {
        let other = self.versions.current().other();
        self.versions.current.store(other as u8, Ordering::Release);
    }
}

/// What a swap does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferSwap {
    /// Where the data was.
    pub(crate) from: Buffer,
    /// Where it is then.
    pub(crate) to: Buffer,
    /// Whether all must be copied from the one to the other before.
    pub(crate) copy: bool,
}

/// A place: an instance, made when it is first written.
#[derive(Default)]
pub(super) struct BufferState {
    /// The instance's address; null where there is none.
    start: AtomicPtr<u8>,
    /// Where the instance holds parts of its store: the longest run of pages that it is known to hold, as its first and its last one's
    /// next in half a word each. A run only grows, and another takes its place only as a whole: whoever looks without the lock
    /// may miss some, and sees none that is not held.
    held: AtomicU64,
    /// Held while an instance is made, so that the tiles of one operation make one.
    instance: Mutex<Option<Instance>>,
}

impl BufferState {
    fn instance(&self) -> MutexGuard<'_, Option<Instance>> {
        self.instance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The instance's address; `None` where there is none.
    pub(super) fn data(&self) -> Option<*mut u8> {
        let start = self.start.load(Ordering::Acquire);
        (!start.is_null()).then_some(start)
    }

    /// Has the data lie at an address that belongs to no instance.
    pub(super) fn borrow(&self, start: *mut u8) {
        self.start.store(start, Ordering::Release);
    }

    /// The instance's address, with one made where there is none.
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

    /// Like [`data_or`](Self::data_or), of an instance that holds parts of its store: with those held that lie in these pages, or that
    /// `view` says.
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

    /// The elements of the store's `count` that the instance holds.
    pub(super) fn held(&self, count: usize) -> SmallVec<[Span; 2]> {
        let instance = self.instance();
        instance
            .as_ref()
            .map_or_else(SmallVec::new, |instance| instance.held(count))
    }

    /// The kind of memory the instance is in.
    pub(super) fn kind(&self) -> Option<MemoryKind> {
        self.instance()
            .as_ref()
            .map(|instance| instance.memory().kind)
    }

    /// Adds the work on devices that may be using the instance's block to `waits`.
    pub(super) fn add_uses_to(&self, waits: &mut Uses) {
        if let Some(instance) = self.instance().as_ref() {
            instance.add_uses_to(waits);
        }
    }

    /// Puts another instance with the same `bytes` bytes in the place of the one there is, unless that is where it should be.
    /// Nobody uses it meanwhile.
    pub(super) fn replace(
        &self,
        bytes: usize,
        is_right: impl FnOnce(&Instance) -> bool,
        make: impl FnOnce() -> Result<Instance, OutOfMemory>,
    ) -> Result<(), OutOfMemory> {
        let mut instance = self.instance();
        let Some(old) = instance.as_ref().filter(|old| !is_right(old)) else {
            return Ok(());
        };
        let other = make()?;
        // SAFETY: both are instances of at least `bytes` bytes in memory that the process addresses; nobody writes either.
        unsafe { ptr::copy_nonoverlapping(old.start(), other.start(), bytes) };
        self.start.store(other.start(), Ordering::Release);
        *instance = Some(other);
        Ok(())
    }

    /// Frees the instance; true where there was one. Nobody uses it any more.
    pub(super) fn clear(&self) -> bool {
        let mut instance = self.instance();
        self.start.store(ptr::null_mut(), Ordering::Release);
        self.held.store(0, Ordering::Release);
        instance.take().is_some()
    }
}

/// A run of pages in one word; of more pages than half a word counts, none.
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
    fn a_run_of_pages_fits_a_word() {
        let span = |first, end| Span { first, end };
        for run in [span(0, 1), span(7, 9), span(3, u32::MAX as usize)] {
            assert_eq!(unpacked(packed(run)), run);
        }
        assert_eq!(unpacked(packed(span(1, 1 << 32))).len(), 0);
    }
}
