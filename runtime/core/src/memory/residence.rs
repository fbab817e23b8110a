//! Which memories hold which elements of a store in a run with GPUs, and what must move so that a task finds what it needs.
//!
//! A GPU has at most one instance of a store, and so has main memory. It holds an interval of the store's elements by their
//! row-major numbers: all of them in main memory and where there is one GPU, what its tiles touch where there are several. The
//! dispatcher alone asks and tells, in the order in which it issues work; it waits for nothing here, and orders the work by
//! the points it is given.

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

/// What a task needs of a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    /// Where.
    pub(crate) place: Place,
    /// From the first to the last element it touches.
    pub(crate) span: Span,
    /// Whether it writes.
    pub(crate) writes: bool,
    /// Whether it must find what was there: it reads, or does not write every element of the span.
    pub(crate) keeps: bool,
}

/// Elements that must be copied before the task runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// From where.
    pub(crate) source: Place,
    /// The memories it leads from and to.
    pub(crate) memories: [MemoryId; 2],
    /// Address of the first byte there.
    pub(crate) from: u64,
    /// Address of the first byte where it is needed.
    pub(crate) to: u64,
    /// How many bytes.
    pub(crate) bytes: usize,
}

/// Where a task finds its elements.
#[derive(Debug, Default)]
pub(crate) struct Located {
    /// Where element 0 of the store stands, or would stand.
    pub(crate) start: u64,
    /// The memory that this is in.
    pub(crate) memory: MemoryId,
    /// What must be copied first, after all that the task itself waits for.
    pub(crate) transfers: SmallVec<[Transfer; 1]>,
    /// What else the task, and the copies, must wait for.
    pub(crate) waits: Uses,
}

/// An instance on one GPU.
struct Held {
    place: Place,
    instance: Instance,
    span: Span,
    /// Elements with the store's present content.
    valid: Spans,
    /// Copies into it, and the end of what its block was used for before: whoever uses it comes after these.
    arrivals: Uses,
    /// The instance before the last swap.
    spare: Option<Spare>,
}

/// An instance that was in use before the last swap. Outside of the view that was written then it still has the
/// store's content.
struct Spare {
    instance: Instance,
    written: Layout,
}

/// Another instance for a store, to write a view to while the old content is read.
#[derive(Debug)]
pub(crate) struct SwappedInstance {
    /// Where element 0 of the store stands in the old instance.
    pub(crate) old: u64,
    /// Where it stands in the other one.
    pub(crate) new: u64,
    /// Whether what lies outside of the view must be copied from the old instance.
    pub(crate) is_bare: bool,
    /// What must be waited for.
    pub(crate) waits: Uses,
}

impl Held {
    /// Where element 0 of the store stands, or would stand.
    fn start(&self, size: usize) -> u64 {
        self.instance
            .address()
            .wrapping_sub((self.span.first * size) as u64)
    }

    fn memory(&self) -> MemoryId {
        self.instance.memory().id
    }
}

/// Where the elements of one store are.
#[derive(Default)]
pub(crate) struct Residence {
    held: SmallVec<[Held; 1]>,
    /// Instances that larger ones took the place of, until the copies out of them are issued.
    retired: SmallVec<[Instance; 1]>,
    /// When it was used last, in launches of the process.
    used: u64,
    /// Elements beside those of a launch that later ones will need: how many before them, and how many behind.
    halo: (usize, usize),
}

impl Residence {
    /// Finds or makes the instance for a need; `size` is that of an element, `room` the elements that the instance must hold
    /// (those of all needs of one launch, at least), `elements` the number of all, `make` makes an instance of so many
    /// elements there.
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
                self.held.push(Held {
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
            // Its content is not that of the store any more.
            held.spare = None;
        }
        let held = &self.held[at];
        found.start = held.start(size);
        found.memory = held.memory();
        found.waits.merge(&held.arrivals);
        if need.place == Place::HOST {
            // Work on the host cannot stand in a stream behind what still reads the instance.
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
            // What arrives is missing there.
            self.held[at].spare = None;
        }
        Ok(found)
    }

    /// Puts another instance in the place of a GPU's: all of the store, `view` to be written by the task, the rest copied by
    /// it where that is asked for. [`issued`](Self::issued) must have followed every earlier need, and follows for this one.
    ///
    /// `None` where the GPU holds no instance yet, or another memory holds content that this one lacks.
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
        if let Some(span) = Span::of(view) {
            self.held
                .iter_mut()
                .filter(|other| other.place != place)
                .for_each(|other| other.valid.remove(span));
        }
        Ok(Some(swapped))
    }

    /// Whether all elements of a span are in a place.
    pub(crate) fn holds(&self, place: Place, span: Span) -> bool {
        self.held
            .iter()
            .any(|held| held.place == place && held.valid.missing(span).is_empty())
    }

    /// Gives up the instances that are kept for the next swap; true where there were any.
    pub(crate) fn drop_spares(&mut self) -> bool {
        let mut had = false;
        for held in &mut self.held {
            had |= held.spare.take().is_some();
        }
        had
    }

    /// Puts a larger instance in the place of one, and lets its content be copied over.
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

    /// Has instances hold so many elements more, before and behind those that they are made for.
    pub(crate) fn widen(&mut self, before: usize, behind: usize) {
        self.halo = (self.halo.0.max(before), self.halo.1.max(behind));
    }

    /// A number that is the larger the later the store was used.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// Notes that the task whose need was last found is in its stream up to `point`, its copies with it.
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
            // Whatever could be found is there; what could not was never written.
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
