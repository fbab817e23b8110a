//! Counters: a level over time, such as bytes in use.

use super::file::File;
use super::format::{CounterEntry, ShareEntry, TimelineError};
use super::holder::Holder;
use super::lane::LaneIndex;
use super::sorted::Keyed;
use super::spool::{IN_MEMORY, Spool, Spooled, spooled};
use std::collections::BTreeMap;

spooled! {
    /// A change of the bytes of a holder at a moment: see [`Holder::code`].
    Change { at: i64, by: i64, line: u32, reason: u8 }
}

spooled! {
    /// A [`Change`] that is ordered by holder.
    HeldChange { reason: u8, line: u32, at: i64, by: i64 }
}

spooled! {
    /// The level of the counter from a moment on. The last one added for a moment counts.
    Level { at: i64, order: u64, level: u64 }
}

spooled! {
    /// The level of a share from a moment on.
    Sample { at: i64, level: i64 }
}

impl HeldChange {
    pub(super) fn from_change(change: &Change) -> Self {
        HeldChange {
            reason: change.reason,
            line: change.line,
            at: change.at,
            by: change.by,
        }
    }
}

/// Sorted by time.
impl Keyed for Change {
    type Key = (i64, i64, u8, u32);

    fn key(&self) -> Self::Key {
        (self.at, self.by, self.reason, self.line)
    }
}

/// Sorted by holder, lines first, then by time.
impl Keyed for HeldChange {
    type Key = (u8, u32, i64, i64);

    fn key(&self) -> Self::Key {
        (self.reason, self.line, self.at, self.by)
    }
}

impl Keyed for Level {
    type Key = (i64, u64);

    fn key(&self) -> Self::Key {
        (self.at, self.order)
    }
}

/// A counter that receives values.
#[derive(Debug, Default)]
pub(super) struct Fed {
    pub(super) label: String,
    pub(super) unit: String,
    /// The part of the spools that holds its values.
    pub(super) part: usize,
}

/// All counters that receive values. Changes are as many as instances, and not kept in memory.
#[derive(Debug)]
pub(super) struct Feeding {
    /// The counters by lane and number.
    pub(super) counters: BTreeMap<(LaneIndex, u32), Fed>,
    pub(super) changes: Spool<Change>,
    pub(super) levels: Spool<Level>,
    /// The maximum number of changes in memory at the same time.
    pub(super) limit: usize,
    order: u64,
}

impl Feeding {
    /// Creates an empty set that holds at most `limit` changes in memory.
    pub(super) fn within(limit: usize) -> Self {
        Feeding {
            counters: BTreeMap::new(),
            changes: Spool::new(IN_MEMORY.min(limit.saturating_mul(Change::SIZE))),
            levels: Spool::new(IN_MEMORY.min(limit.saturating_mul(Level::SIZE))),
            limit,
            order: 0,
        }
    }

    fn part(&mut self, lane: LaneIndex, (label, unit): (&str, &str)) -> usize {
        let next = self.counters.len();
        let fed = self.counters.entry((lane, 0)).or_insert_with(|| Fed {
            label: label.to_owned(),
            unit: unit.to_owned(),
            part: next,
        });
        fed.part
    }

    /// Changes the bytes of `holder` by `by` at a moment.
    pub(super) fn change(
        &mut self,
        lane: LaneIndex,
        counter: (&str, &str),
        holder: Holder,
        at: i64,
        by: i64,
    ) -> Result<(), TimelineError> {
        let (line, reason) = holder.code();
        let change = Change {
            at,
            by,
            line,
            reason,
        };
        let part = self.part(lane, counter);
        self.changes.push(part, &change)
    }

    /// Sets the level of the counter from a moment on.
    pub(super) fn level(
        &mut self,
        lane: LaneIndex,
        counter: (&str, &str),
        at: i64,
        level: u64,
    ) -> Result<(), TimelineError> {
        self.order += 1;
        let order = self.order;
        let part = self.part(lane, counter);
        self.levels.push(part, &Level { at, order, level })
    }
}

/// The levels of a counter in bins: the minimum and the maximum of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// The name of the counter.
    pub label: String,
    /// Its unit.
    pub unit: String,
    /// The highest level of all.
    pub max: u64,
    /// The start of each bin, in ns.
    pub times: Vec<u64>,
    /// The time of the first maximum within each bin.
    pub(super) peaks: Vec<u64>,
    /// The lowest level in it.
    pub least: Vec<u64>,
    /// The highest level in it.
    pub most: Vec<u64>,
}

/// The number of samples that are read at once.
pub(super) const CHUNK: u64 = 1 << 16;

/// The position and number of samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) samples: u64,
    offset: u64,
}

impl CounterEntry {
    fn place(&self) -> Place {
        let (samples, offset) = (self.samples, self.offset);
        Place { samples, offset }
    }
}

impl ShareEntry {
    pub(super) fn place(&self) -> Place {
        let (samples, offset) = (self.samples, self.offset);
        Place { samples, offset }
    }
}

impl File {
    /// Returns the counters of a lane: their labels, units and highest levels.
    pub fn counters(&self) -> impl Iterator<Item = (u32, &str, &str, u64)> {
        let counters = self.contents().counters.iter();
        counters.map(|row| (row.lane, row.label.as_str(), row.unit.as_str(), row.max))
    }

    /// Returns the levels of a lane's counters between two moments, in at most `bins` bins.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn levels(
        &self,
        lane: u32,
        from: u64,
        to: u64,
        bins: usize,
    ) -> Result<Vec<Levels>, TimelineError> {
        let counters = self.contents().counters.iter();
        let of_lane = counters.filter(|counter| counter.lane == lane);
        of_lane
            .map(|counter| self.of_counter(counter, from, to, bins))
            .collect()
    }

    pub(super) fn of_counter(
        &self,
        counter: &CounterEntry,
        from: u64,
        to: u64,
        bins: usize,
    ) -> Result<Levels, TimelineError> {
        let span = to.saturating_sub(from).max(1);
        let bins = bins.clamp(1, 4096) as u64;
        // Bins shorter than 1 ns are useless.
        let bins = bins.min(span);
        let edge = |bin: u64| from + (u128::from(span) * u128::from(bin) / u128::from(bins)) as u64;
        let mut levels = Levels {
            label: counter.label.clone(),
            unit: counter.unit.clone(),
            max: counter.max,
            times: (0..bins).map(edge).collect(),
            ..Levels::default()
        };
        let mut at = self.sample_before(counter.place(), from)?;
        let mut level = match at.checked_sub(1) {
            Some(before) => self
                .samples(counter.place(), before, 1)?
                .first()
                .map_or(0, |s| s.1),
            None => 0,
        };
        let mut chunk: std::vec::IntoIter<(u64, u64)> = Vec::new().into_iter();
        let mut next: Option<(u64, u64)> = None;
        for bin in 0..bins {
            let end = edge(bin + 1);
            let (mut least, mut most) = (level, level);
            let mut peak = edge(bin);
            loop {
                if next.is_none() {
                    if chunk.as_slice().is_empty() && at < counter.samples {
                        let samples = self.samples(counter.place(), at, CHUNK)?;
                        at += samples.len() as u64;
                        chunk = samples.into_iter();
                    }
                    next = chunk.next();
                }
                match next {
                    Some((time, value)) if time < end => {
                        if time <= edge(bin) {
                            (least, most) = (value, value);
                        }
                        level = value;
                        least = least.min(level);
                        if level > most {
                            (most, peak) = (level, time);
                        }
                        next = None;
                    }
                    _ => break,
                }
            }
            levels.least.push(least);
            levels.most.push(most);
            levels.peaks.push(peak);
        }
        Ok(levels)
    }

    /// Returns the number of samples up to a moment.
    pub(super) fn sample_before(&self, place: Place, moment: u64) -> Result<u64, TimelineError> {
        let (mut lo, mut hi) = (0, place.samples);
        while lo < hi {
            let mid = lo + (hi - lo) / 2;
            let sample = self.samples(place, mid, 1)?;
            match sample.first() {
                Some((time, _)) if *time <= moment => lo = mid + 1,
                _ => hi = mid,
            }
        }
        Ok(lo)
    }

    /// Returns at most `count` samples starting at `first`.
    pub(super) fn samples(
        &self,
        place: Place,
        first: u64,
        count: u64,
    ) -> Result<Vec<(u64, u64)>, TimelineError> {
        let count = count.min(place.samples.saturating_sub(first));
        let bytes = self.bytes(
            place.offset.saturating_add(first.saturating_mul(16)),
            count * 16,
        )?;
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        let samples = bytes.chunks_exact(16).map(|sample| {
            let (time, value) = sample.split_at(8);
            (number(time), number(value))
        });
        Ok(samples.collect())
    }
}
