//! Which memories of GPUs hold which elements of a store, and what must move so that a task finds what it needs.
//!
//! A GPU has at most one instance of a store. It holds an interval of the store's elements by their row-major numbers: all
//! of them where there is one GPU, what its tiles touch where there are several. The dispatcher alone asks and tells,
//! in the order in which it issues work; it waits for nothing here, and orders the work by the points it is given.

mod spans;

use smallvec::SmallVec;

use super::instance::Instance;
use super::pool::OutOfMemory;
use super::uses::{Point, Uses};

pub(crate) use spans::Span;
use spans::Spans;

/// The memory of a GPU, by the GPU's number in this rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(pub(crate) u8);

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
    /// Address of the first byte there.
    pub(crate) from: u64,
    /// Address of the first byte where it is needed.
    pub(crate) to: u64,
    /// How many bytes.
    pub(crate) bytes: usize,
}

/// Where a task finds its elements.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Where element 0 of the store stands, or would stand.
    pub(crate) start: u64,
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
}

impl Held {
    /// Where element 0 of the store stands, or would stand.
    fn start(&self, size: usize) -> u64 {
        self.instance
            .address()
            .wrapping_sub((self.span.first * size) as u64)
    }
}

/// Where the elements of one store are.
#[derive(Default)]
pub(crate) struct Residence {
    held: SmallVec<[Held; 1]>,
    /// Instances that larger ones took the place of, until the copies out of them are issued.
    retired: SmallVec<[Instance; 1]>,
}

impl Residence {
    /// Finds or makes the instance for a need; `size` is that of an element, `room` the elements that the instance must hold
    /// (those of all needs of one launch, at least), `make` makes an instance of so many bytes there.
    ///
    /// [`issued`](Self::issued) must follow once the task is in its stream.
    pub(crate) fn find(
        &mut self,
        need: Need,
        size: usize,
        room: Span,
        make: impl FnOnce(usize) -> Result<Instance, OutOfMemory>,
    ) -> Result<Found, OutOfMemory> {
        let mut found = Found::default();
        let at = match self.held.iter().position(|held| held.place == need.place) {
            Some(at) if self.held[at].span.holds(&room) => at,
            Some(at) => {
                self.grow(at, room, size, make, &mut found)?;
                at
            }
            None => {
                let mut instance = make(room.len() * size)?;
                let before = instance.uses().map(Uses::take).unwrap_or_default();
                self.held.push(Held {
                    place: need.place,
                    instance,
                    span: room,
                    valid: Spans::default(),
                    arrivals: before,
                });
                self.held.len() - 1
            }
        };
        let held = &self.held[at];
        found.start = held.start(size);
        found.waits.merge(&held.arrivals);
        if need.keeps && self.held.len() > 1 {
            for missing in held.valid.missing(need.span).iter() {
                for other in self.held.iter().filter(|other| other.place != need.place) {
                    for part in other.valid.within(missing) {
                        found.transfers.push(Transfer {
                            source: other.place,
                            from: other.start(size).wrapping_add((part.first * size) as u64),
                            to: found.start.wrapping_add((part.first * size) as u64),
                            bytes: part.len() * size,
                        });
                        found.waits.merge(&other.arrivals);
                    }
                }
            }
        }
        Ok(found)
    }

    /// Puts a larger instance in the place of one, and lets its content be copied over.
    fn grow(
        &mut self,
        at: usize,
        span: Span,
        size: usize,
        make: impl FnOnce(usize) -> Result<Instance, OutOfMemory>,
        found: &mut Found,
    ) -> Result<(), OutOfMemory> {
        let held = &mut self.held[at];
        let span = held.span.hull(&span);
        let mut instance = make(span.len() * size)?;
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
                from: old_start.wrapping_add(offset),
                to: start.wrapping_add(offset),
                bytes: part.len() * size,
            });
        }
        self.retired.push(old);
        Ok(())
    }

    /// Notes that the task whose need was last found is in its stream up to `point`, its copies with it.
    pub(crate) fn issued(&mut self, need: Need, point: Point, transfers: &[Transfer]) {
        let moved = !transfers.is_empty();
        for held in &mut self.held {
            let is_source = transfers.iter().any(|moved| moved.source == held.place);
            if held.place != need.place && !is_source {
                continue;
            }
            if let Some(uses) = held.instance.uses() {
                uses.add(point);
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
                }
            }
            if self.held.len() > 1 {
                self.held
                    .retain(|held| held.place == need.place || !held.valid.is_empty());
            }
        }
    }

    /// The instance that holds the present content of all of `span` on one GPU, if there is one: its GPU, and where
    /// element 0 stands or would stand.
    pub(crate) fn whole(&self, span: Span, size: usize) -> Option<(Place, u64)> {
        self.held
            .iter()
            .find(|held| held.valid.missing(span).is_empty())
            .map(|held| (held.place, held.start(size)))
    }

    /// Gives up every instance, as when the content is never to be read.
    pub(crate) fn clear(&mut self) {
        self.held.clear();
        self.retired.clear();
    }
}
