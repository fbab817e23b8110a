//! The memories that hold the elements of a store in a run with GPUs, and the copies that a task
//! needs.
//!
//! A GPU has at most one instance of a store, and so has main memory. An instance holds an interval
//! of the store's elements by row-major index: all of them in main memory and with one GPU, what
//! its tiles touch with several. Only the dispatcher reads and updates this state, in the order in
//! which it issues work. Nothing here waits; the dispatcher orders the work by the points it is
//! given.

use std::sync::atomic::{AtomicU64, Ordering};

use smallvec::SmallVec;
use weft_trace::id::MemoryId;

use super::instance::{Instance, OutOfMemory};
use super::spans::{Span, Spans};
use super::uses::{Point, Uses};
use crate::shape::Layout;

/// The memory of a GPU, by the GPU's number in this rank; or main memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(pub(crate) u8);

impl Place {
    /// Main memory, pinned or not.
    pub(crate) const HOST: Place = Place(u8::MAX);
}

/// The need of a task for elements of a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    /// The memory in which the task needs them.
    pub(crate) place: Place,
    /// The range from the first to the last element that it touches.
    pub(crate) span: Span,
    /// Whether the task writes.
    pub(crate) writes: bool,
    /// Whether the previous content is needed: the task reads, or does not write every element of
    /// the span.
    pub(crate) keeps: bool,
}

/// A copy that must precede a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// The place to copy from.
    pub(crate) source: Place,
    /// The source and target memories.
    pub(crate) memories: [MemoryId; 2],
    /// Address of the first byte at the source.
    pub(crate) from: u64,
    /// Address of the first byte at the target.
    pub(crate) to: u64,
    /// Number of bytes.
    pub(crate) bytes: usize,
}

/// The location of a task's elements.
#[derive(Debug, Default)]
pub(crate) struct Located {
    /// The address of element 0 of the store, which may lie outside the instance.
    pub(crate) start: u64,
    /// The memory of the instance.
    pub(crate) memory: MemoryId,
    /// The copies that must come first, after everything that the task itself waits for.
    pub(crate) transfers: SmallVec<[Transfer; 1]>,
    /// The other points that the task, and the copies, must wait for.
    pub(crate) waits: Uses,
}

/// An instance on one GPU.
struct GpuInstance {
    place: Place,
    instance: Instance,
    span: Span,
    /// Elements with the store's current content.
    valid: Spans,
    /// Copies into it, and the previous uses of its block: every user waits for these.
    arrivals: Uses,
    /// The instance before the last swap.
    spare: Option<Spare>,
}

/// An instance that was in use before the last swap. Outside of the view that was written then, it
/// still has the store's content.
struct Spare {
    instance: Instance,
    written: Layout,
}

/// A second instance of a store, in which a view is written while the old content is read.
#[derive(Debug)]
pub(crate) struct SwappedInstance {
    /// The address of element 0 of the store in the old instance.
    pub(crate) old: u64,
    /// The address of element 0 in the new instance.
    pub(crate) new: u64,
    /// Whether the content outside of the view must be copied from the old instance.
    pub(crate) is_bare: bool,
    /// The points that must be waited for.
    pub(crate) waits: Uses,
}

impl GpuInstance {
    /// Returns the address of element 0 of the store, which may lie outside the instance.
    fn start(&self, size: usize) -> u64 {
        self.instance
            .address()
            .wrapping_sub((self.span.first * size) as u64)
    }

    fn memory(&self) -> MemoryId {
        self.instance.memory().id
    }
}

/// The locations of the elements of one store.
#[derive(Default)]
pub(crate) struct Residence {
    held: SmallVec<[GpuInstance; 1]>,
    /// Instances that were replaced by larger ones, until the copies out of them are issued.
    retired: SmallVec<[Instance; 1]>,
    /// Time of the last use, in launches of the process.
    used: u64,
    /// Numbers of elements before and after those of a launch that later launches will need.
    halo: (usize, usize),
}

impl Residence {
    /// Finds or makes the instance for a need. `size` is the size of an element, and `elements` the
    /// number of all elements. `room` is the range that the instance must hold, at least the needs
    /// of one launch. `make` makes an instance for a range of elements in that memory.
    ///
    /// [`issued`](Self::issued) must follow once the task is in its stream.
    pub(crate) fn find(
        &mut self,
        need: Need,
        size: usize,
        room: Span,
        elements: usize,
        make: impl FnOnce(Span) -> Result<Instance, OutOfMemory>,
    ) -> Result<Located, OutOfMemory> {
        let mut found = Located::default();
        let wide = Span {
            first: room.first.saturating_sub(self.halo.0),
            end: room.end.saturating_add(self.halo.1).min(elements),
        };
        let at = match self.held.iter().position(|held| held.place == need.place) {
            Some(at) if self.held[at].span.holds(&room) => at,
            Some(at) => {
                self.grow(at, wide, size, make, &mut found)?;
                at
            }
            None => {
                let mut instance = make(wide)?;
                let before = instance.uses().map(Uses::take).unwrap_or_default();
                self.held.push(GpuInstance {
                    place: need.place,
                    instance,
                    span: wide,
                    valid: Spans::default(),
                    arrivals: before,
                    spare: None,
                });
                self.held.len() - 1
            }
        };
        let held = &mut self.held[at];
        if need.writes {
            // Its content is about to differ from the store's.
            held.spare = None;
        }
        let held = &self.held[at];
        found.start = held.start(size);
        found.memory = held.memory();
        found.waits.merge(&held.arrivals);
        if need.place == Place::HOST {
            // Work on the host cannot be ordered in a stream behind work that still reads the
            // instance.
            held.instance.add_uses_to(&mut found.waits);
        }
        if need.keeps && self.held.len() > 1 {
            for missing in held.valid.missing(need.span).iter() {
                for other in self.held.iter().filter(|other| other.place != need.place) {
                    for part in other.valid.within(missing) {
                        found.transfers.push(Transfer {
                            source: other.place,
                            memories: [other.memory(), held.memory()],
                            from: other.start(size).wrapping_add((part.first * size) as u64),
                            to: found.start.wrapping_add((part.first * size) as u64),
                            bytes: part.len() * size,
                        });
                        // Tasks that touch other elements of the part may still be writing there.
                        other.instance.add_uses_to(&mut found.waits);
                    }
                }
            }
        }
        if !found.transfers.is_empty() {
            // The spare lacks the elements that arrive.
            self.held[at].spare = None;
        }
        Ok(found)
    }

    /// Replaces a GPU's instance by another one of the whole store. The task writes `view` and, if
    /// asked, copies the rest. [`issued`](Self::issued) must have followed every earlier need, and
    /// must follow for this one.
    ///
    /// Returns `None` if the GPU holds no instance yet, or another memory holds content that this
    /// one lacks.
    pub(crate) fn swap_buffers(
        &mut self,
        place: Place,
        view: &Layout,
        size: usize,
        make: impl FnOnce(Span) -> Result<Instance, OutOfMemory>,
    ) -> Result<Option<SwappedInstance>, OutOfMemory> {
        let Some(at) = self.held.iter().position(|held| held.place == place) else {
            return Ok(None);
        };
        let is_elsewhere = |part: Span| {
            let others = self.held.iter().filter(|other| other.place != place);
            others.flat_map(|other| other.valid.within(part)).count() > 0
        };
        let span = self.held[at].span;
        if self.held[at].valid.missing(span).iter().any(is_elsewhere) {
            return Ok(None);
        }
        let held = &mut self.held[at];
        let (mut instance, is_bare) = match held.spare.take() {
            Some(spare) => (spare.instance, spare.written != *view),
            None => (make(held.span)?, true),
        };
        let before = instance.uses().map(|uses| uses.clone()).unwrap_or_default();
        held.arrivals.merge(&before);
        let old = held.start(size);
        held.spare = Some(Spare {
            instance: std::mem::replace(&mut held.instance, instance),
            written: *view,
        });
        let swapped = SwappedInstance {
            old,
            new: held.start(size),
            is_bare,
            waits: held.arrivals.clone(),
        };
        if let Some(span) = Span::from_layout(view) {
            self.held
                .iter_mut()
                .filter(|other| other.place != place)
                .for_each(|other| other.valid.remove(span));
        }
        Ok(Some(swapped))
    }

    /// Whether a place holds valid copies of all elements of a span.
    pub(crate) fn holds(&self, place: Place, span: Span) -> bool {
        self.held
            .iter()
            .any(|held| held.place == place && held.valid.missing(span).is_empty())
    }

    /// Returns whether a place holds elements that no other place holds.
    pub(crate) fn is_alone(&self, place: Place) -> bool {
        let (own, others): (Vec<&GpuInstance>, Vec<&GpuInstance>) =
            self.held.iter().partition(|held| held.place == place);
        own.iter().flat_map(|held| held.valid.iter()).any(|part| {
            let mut missing = vec![part];
            for other in &others {
                let without =
                    |part: &Span| -> Vec<Span> { other.valid.missing(*part).iter().collect() };
                missing = missing.iter().flat_map(without).collect();
            }
            !missing.is_empty()
        })
    }

    /// Drops the instance in a place that has stopped, with its content.
    pub(crate) fn leave(&mut self, place: Place) {
        self.held.retain(|held| held.place != place);
    }

    /// Drops the instances that are kept for the next swap; returns whether there were any.
    pub(crate) fn drop_spares(&mut self) -> bool {
        let mut had = false;
        for held in &mut self.held {
            had |= held.spare.take().is_some();
        }
        had
    }

    /// Replaces an instance by a larger one, and requests copies of its content.
    fn grow(
        &mut self,
        at: usize,
        span: Span,
        size: usize,
        make: impl FnOnce(Span) -> Result<Instance, OutOfMemory>,
        found: &mut Located,
    ) -> Result<(), OutOfMemory> {
        let held = &mut self.held[at];
        let span = held.span.hull(&span);
        let mut instance = make(span)?;
        let before = instance.uses().map(Uses::take).unwrap_or_default();
        let old_start = held.start(size);
        let mut old = std::mem::replace(&mut held.instance, instance);
        held.span = span;
        held.arrivals.merge(&before);
        // Tasks that do not touch what this task touches may still be writing to the old one.
        if let Some(uses) = old.uses() {
            found.waits.merge(uses);
        }
        let start = held.start(size);
        for part in held.valid.iter() {
            let offset = (part.first * size) as u64;
            found.transfers.push(Transfer {
                source: held.place,
                memories: [held.memory(); 2],
                from: old_start.wrapping_add(offset),
                to: start.wrapping_add(offset),
                bytes: part.len() * size,
            });
        }
        self.retired.push(old);
        Ok(())
    }

    /// Enlarges new instances by this number of elements before and after those that they are made
    /// for.
    pub(crate) fn widen(&mut self, before: usize, behind: usize) {
        self.halo = (self.halo.0.max(before), self.halo.1.max(behind));
    }

    /// Returns the time of the last use; a later use gives a larger number.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// Notes that the task whose need was last found is issued to its stream up to `point`, along
    /// with its copies.
    pub(crate) fn issued(&mut self, need: Need, point: Point, transfers: &[Transfer]) {
        static LAUNCHES: AtomicU64 = AtomicU64::new(0);
        self.used = LAUNCHES.fetch_add(1, Ordering::Relaxed);
        let moved = !transfers.is_empty();
        for held in &mut self.held {
            let is_source = transfers.iter().any(|moved| moved.source == held.place);
            if held.place != need.place && !is_source {
                continue;
            }
            let spare = held.spare.as_mut().map(|spare| &mut spare.instance);
            for instance in [Some(&mut held.instance), spare].into_iter().flatten() {
                if let Some(uses) = instance.uses() {
                    uses.add(point);
                }
            }
            if held.place == need.place && moved {
                held.arrivals.add(point);
            }
        }
        for mut old in self.retired.drain(..) {
            if let Some(uses) = old.uses() {
                uses.add(point);
            }
        }
        if need.keeps && moved {
            // Everything that could be found is there now; the rest was never written.
            if let Some(held) = self.held.iter_mut().find(|held| held.place == need.place) {
                held.valid.add(need.span);
            }
        }
        if need.writes {
            for held in &mut self.held {
                if held.place == need.place {
                    held.valid.add(need.span);
                } else {
                    held.valid.remove(need.span);
                    held.spare = None;
                }
            }
            if self.held.len() > 1 {
                self.held
                    .retain(|held| held.place == need.place || !held.valid.is_empty());
            }
        }
    }
}
