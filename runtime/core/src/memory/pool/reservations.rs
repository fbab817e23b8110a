//! Stores held in parts by a rank: addresses for the whole store, memory for the pages that are
//! used.
//!
//! A reservation has its own mapping, so that its addresses never change and only written
//! pages take memory. Its pages are *held* once a task has announced that it will touch them, and
//! *backed* from then on until they are returned to the system. A reservation that is no longer
//! needed is kept with its pages for the next store of its size: fresh pages cost about as much as
//! writing them.

use std::collections::VecDeque;

use super::super::spans::{Span, Spans};
use super::super::supply::{HUGE, Supply};
use super::super::uses::Uses;
use super::{Block, Holder, Holding, Pool, Shortage, State};

/// Unit of held pages, in bytes.
pub(crate) const PAGE: usize = 4096;
/// Size in bytes from which stores are reserved. Smaller in debug builds, for tests.
pub(super) const LEAST: usize = if cfg!(debug_assertions) {
    2 * PAGE
} else {
    1 << 20
};
/// Maximum number of reservations that are kept.
const MAX_KEPT: usize = 64;

/// Returns the pages that hold bytes `first` to `end` of a store.
pub(crate) fn pages(first: usize, end: usize) -> Span {
    Span {
        first: first / PAGE,
        end: end.div_ceil(PAGE),
    }
}

/// Widens a long run to whole huge pages, if a store of `whole` bytes has such pages: messages
/// between processes take several times as long from small pages.
pub(super) fn huge_pages(run: Span, whole: usize) -> Span {
    const EACH: usize = HUGE / PAGE;
    if run.len() < EACH / 2 || whole < HUGE {
        return run;
    }
    Span {
        first: run.first / EACH * EACH,
        end: run.end.next_multiple_of(EACH).min(whole.div_ceil(PAGE)),
    }
}

/// Reserved addresses for a store.
#[derive(Debug)]
struct Reservation {
    start: u64,
    size: usize,
    held: Spans,
    /// Pages that are held, or were held before.
    backed: Spans,
}

impl Reservation {
    /// Returns the number of bytes that are backed but not held.
    fn retained_bytes(&self) -> usize {
        (self.backed.len() - self.held.len()) * PAGE
    }
}

/// The reservations of a pool by number, and those kept for the next store of their size.
#[derive(Debug, Default)]
pub(super) struct Reservations {
    lines: Vec<Option<Reservation>>,
    vacant: Vec<u32>,
    /// In the order in which they were given back.
    waiting: VecDeque<Reservation>,
    kept: usize,
}

impl Reservations {
    /// Returns the number of bytes that are backed but not held.
    pub(super) fn retained_bytes(&self) -> usize {
        self.kept
    }

    /// Takes a reservation for a store of `bytes` bytes, with no held pages. Returns its number and
    /// address; `None` if the supply has no addresses for it.
    pub(super) fn take(&mut self, bytes: usize, supply: &dyn Supply) -> Option<(u32, u64)> {
        let size = bytes.checked_next_multiple_of(PAGE)?;
        let known = self.waiting.iter().rposition(|known| known.size == size);
        let found = match known.and_then(|at| self.waiting.remove(at)) {
            Some(known) => known,
            None => Reservation {
                start: supply.reserve(size)?,
                size,
                held: Spans::default(),
                backed: Spans::default(),
            },
        };
        let start = found.start;
        let number = match self.vacant.pop() {
            Some(number) => {
                self.lines[number as usize] = Some(found);
                number
            }
            None => {
                self.lines.push(Some(found));
                self.lines.len() as u32 - 1
            }
        };
        Some((number, start))
    }

    fn get(&self, number: u32) -> Option<&Reservation> {
        self.lines.get(number as usize)?.as_ref()
    }

    /// Returns the size of a reservation in bytes of addresses.
    fn size(&self, number: u32) -> usize {
        self.get(number).map_or(0, |known| known.size)
    }

    /// Returns the held pages of a reservation.
    pub(super) fn held_pages(&self, number: u32) -> Spans {
        self.get(number)
            .map_or_else(Spans::default, |known| known.held.clone())
    }

    /// Returns the number of bytes of these pages that are not held.
    pub(super) fn lacks(&self, number: u32, pages: Span) -> usize {
        let missing = |known: &Reservation| known.held.missing(pages).len() * PAGE;
        self.get(number).map_or(0, missing)
    }

    /// Marks pages as held.
    pub(super) fn hold(&mut self, number: u32, runs: &[Span], supply: &dyn Supply) {
        let Some(Some(known)) = self.lines.get_mut(number as usize) else {
            return;
        };
        self.kept -= known.retained_bytes();
        for pages in runs {
            known.held.add(*pages);
            if known.backed.around(*pages).is_none() {
                known.backed.add(*pages);
                let first = known.start + (pages.first * PAGE) as u64;
                supply.widen(first, pages.len() * PAGE);
            }
        }
        self.kept += known.retained_bytes();
    }

    /// Takes a reservation back. If many are kept, releases the oldest ones.
    pub(super) fn give(&mut self, number: u32, supply: &dyn Supply) {
        let Some(mut known) = self.lines.get_mut(number as usize).and_then(Option::take) else {
            return;
        };
        self.vacant.push(number);
        self.kept -= known.retained_bytes();
        known.held = Spans::default();
        self.kept += known.retained_bytes();
        self.waiting.push_back(known);
        if self.waiting.len() > MAX_KEPT {
            self.release_oldest(supply);
        }
    }

    /// Releases the reservation that was kept longest; returns the number of its bytes that were
    /// backed.
    fn release_oldest(&mut self, supply: &dyn Supply) -> Option<usize> {
        let oldest = self.waiting.pop_front()?;
        supply.release(oldest.start, oldest.size);
        self.kept -= oldest.retained_bytes();
        Some(oldest.retained_bytes())
    }

    /// Returns at least `bytes` bytes of pages that are not held to the system, if there are as
    /// many; returns the number of bytes.
    pub(super) fn shed(&mut self, bytes: usize, supply: &dyn Supply) -> usize {
        let mut given = 0;
        while given < bytes
            && let Some(more) = self.release_oldest(supply)
        {
            given += more;
        }
        if given >= bytes || self.kept == 0 {
            return given;
        }
        for known in self.lines.iter_mut().flatten() {
            let more = known.retained_bytes();
            if more == 0 {
                continue;
            }
            for backed in known.backed.iter() {
                for spare in known.held.missing(backed).iter() {
                    let first = known.start + (spare.first * PAGE) as u64;
                    supply.discard(first, spare.len() * PAGE);
                }
            }
            known.backed = known.held.clone();
            self.kept -= more;
            given += more;
            if given >= bytes {
                break;
            }
        }
        given
    }

    /// Iterates over the address and size of each mapping.
    pub(super) fn mappings(&self) -> impl Iterator<Item = (u64, usize)> + '_ {
        let all = self.lines.iter().flatten().chain(&self.waiting);
        all.map(|known| (known.start, known.size))
    }
}

impl Pool {
    /// Enables reservations, for a rank of many, which holds parts of large stores.
    pub(crate) fn with_reservations(mut self) -> Pool {
        self.reserves = true;
        self
    }

    /// Whether a store of `bytes` bytes is reserved.
    pub(crate) fn reserves(&self, bytes: usize) -> bool {
        self.reserves && bytes >= LEAST
    }

    /// Reserves addresses for a store of `bytes` bytes, with no held pages. Returns `None` if no
    /// addresses are available.
    pub(crate) fn reserve(&self, bytes: usize, holder: Holder) -> Option<Block> {
        let mut state = self.state();
        let (number, start) = state.reservations.take(bytes, &*self.supply)?;
        let holder = Holder {
            elements: None,
            ..holder
        };
        let line = state.holders.add(Holding {
            holder,
            start,
            size: 0,
            whole: bytes,
        });
        Some(Block {
            start,
            size: 0,
            line,
            reservation: Some(number),
            uses: Uses::default(),
            moment: None,
        })
    }

    /// Holds these disjoint runs of pages of a reservation, for `elements`. Returns whether this
    /// added pages.
    #[allow(clippy::result_large_err, reason = "as for `take`")]
    pub(crate) fn hold(
        &self,
        block: &mut Block,
        runs: &[Span],
        elements: Span,
    ) -> Result<bool, Shortage> {
        let Some(number) = block.reservation else {
            return Ok(false);
        };
        let mut state = self.state();
        let lacks = |pages: &Span| state.reservations.lacks(number, *pages);
        let mut bytes: usize = runs.iter().map(lacks).sum();
        if bytes == 0 {
            return Ok(false);
        }
        let mut runs = runs;
        let wide;
        if let [run] = runs {
            wide = [huge_pages(*run, state.reservations.size(number))];
            let of_wide = lacks(&wide[0]);
            if of_wide <= self.free() {
                (runs, bytes) = (&wide, of_wide);
            }
        }
        #[cfg(any(test, feature = "testing"))]
        if state.is_to_fail() {
            return Err(Shortage {
                is_part: true,
                ..self.out(&mut state, bytes, None)
            });
        }
        if bytes > self.free() {
            return Err(Shortage {
                is_part: true,
                ..self.out(&mut state, bytes, None)
            });
        }
        state.reservations.hold(number, runs, &*self.supply);
        state.holders.grow(block.line, bytes, Some(elements));
        self.held.add(bytes);
        block.size += bytes;
        self.make_way(&mut state);
        block.moment = state
            .has_changed(self.held.live())
            .then(|| self.figures_of(&state));
        Ok(true)
    }

    /// Returns the held pages of a reservation.
    pub(in super::super) fn held_pages(&self, block: &Block) -> Spans {
        let held = |number| self.state().reservations.held_pages(number);
        block.reservation.map_or_else(Spans::default, held)
    }

    /// Returns the run of held pages that contains `pages`; `None` if some are not held.
    pub(crate) fn held_around(&self, block: &Block, pages: Span) -> Option<Span> {
        let state = self.state();
        let reservation = state.reservations.get(block.reservation?)?;
        reservation.held.around(pages)
    }

    /// Releases retained memory so that the held and retained bytes together stay within the limit.
    /// Only needed with reservations, which are mapped apart from the segments.
    pub(super) fn make_way(&self, state: &mut State) {
        if !self.reserves {
            return;
        }
        let most = self.soft.saturating_sub(self.held.live());
        let excess = self.retained_bytes(state).saturating_sub(most);
        if excess == 0 {
            return;
        }
        let excess = excess.saturating_sub(state.reservations.shed(excess, &*self.supply));
        if excess > 0 {
            state.join_all();
            let discard = |start, size| self.supply.discard(start, size);
            let warm = state.ranges.warm().saturating_sub(excess);
            state.ranges.discard(warm, discard);
        }
    }
}
