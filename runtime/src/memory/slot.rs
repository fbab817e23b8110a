//! The two places in main memory that a store's data can be in.
//!
//! An operation that reads its neighbours while it writes (a stencil) writes to the other place, so that nothing has to be copied
//! first. Which place an operation uses is decided when it is analysed, in program order.

#![allow(unsafe_code, reason = "copies an instance to another memory")]

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use weft_geometry::Region;
use weft_trace::record::MemoryKind;

use super::instance::{Instance, OutOfMemory};
use super::uses::Uses;
use crate::shape::{Layout, Shape};

/// One of a store's two places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Where the data is at first.
    #[default]
    First,
    /// Where a renewal puts it, and the next takes it from.
    Second,
}

impl Slot {
    /// The other one.
    pub(crate) fn other(self) -> Slot {
        match self {
            Slot::First => Slot::Second,
            Slot::Second => Slot::First,
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
    pub(super) fn current(&self) -> Slot {
        match self.current.load(Ordering::Acquire) {
            0 => Slot::First,
            _ => Slot::Second,
        }
    }

    /// Holds the spare place still.
    pub(super) fn spare(&self) -> Spare<'_> {
        Spare {
            versions: self,
            view: self.spare.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Notes that `view` is written in place: what lies outside of the renewed view may differ between the places then.
    pub(super) fn overwrites(&self, view: &Layout, store: &Shape) {
        if self.has_spare.load(Ordering::Acquire) {
            let mut spare = self.spare();
            // What is written within the renewed view, the next renewal writes anew.
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

/// What a renewal does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Renewal {
    /// Where the data was.
    pub(crate) from: Slot,
    /// Where it is then.
    pub(crate) to: Slot,
    /// Whether all must be copied from the one to the other before.
    pub(crate) copy: bool,
}

/// A place: an instance, made when it is first written.
#[derive(Default)]
pub(super) struct Place {
    /// The instance's address; null where there is none.
    start: AtomicPtr<u8>,
    /// Held while an instance is made, so that the tiles of one operation make one.
    instance: Mutex<Option<Instance>>,
}

impl Place {
    fn instance(&self) -> MutexGuard<'_, Option<Instance>> {
        self.instance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The instance's address; `None` where there is none.
    pub(super) fn data(&self) -> Option<*mut u8> {
        let start = self.start.load(Ordering::Acquire);
        (!start.is_null()).then_some(start)
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
        instance.take().is_some()
    }
}
