//! Counters: a level over time, such as bytes in use.

use super::file::File;
use super::format::{CounterEntry, ShareEntry, TimelineError};
use super::holder::{self, Holder, Share};
use super::lane::LaneIndex;
use std::collections::BTreeMap;

/// A counter while it is fed.
#[derive(Debug, Default)]
pub(super) struct Fed {
    pub(super) label: String,
    pub(super) unit: String,
    /// Moments, with what is added then to what a holder has.
    pub(super) changes: Vec<(i64, i64, Holder)>,
    /// Moments, with the level from then on.
    pub(super) levels: Vec<(i64, u64)>,
}

/// Counters by lane and number.
pub(super) type Counters = BTreeMap<(LaneIndex, u32), Fed>;

impl Fed {
    /// Levels in the order of time, one a moment, and the shares that add up to them.
    pub(super) fn told(mut self) -> (Vec<(i64, u64)>, Vec<Share>) {
        self.changes.sort_unstable();
        let samples = self.samples();
        let shares = holder::shares(&self.changes, &samples);
        (samples, shares)
    }

    /// The last level that was told of each moment, or else the sums of changes, which are in the order of time.
    fn samples(&mut self) -> Vec<(i64, u64)> {
        if !self.levels.is_empty() {
            self.levels.sort_by_key(|level| level.0);
            let at_once = self.levels.chunk_by(|a, b| a.0 == b.0);
            return at_once
                .filter_map(|levels| levels.last().copied())
                .collect();
        }
        let mut level = 0_i64;
        let at_once = self.changes.chunk_by(|a, b| a.0 == b.0);
        let samples = at_once.filter_map(|changes| {
            let change = changes.iter().map(|change| change.1);
            level = change.fold(level, i64::saturating_add);
            Some((changes.first()?.0, u64::try_from(level).unwrap_or(0)))
        });
        samples.collect()
    }
}

/// The levels of a counter in bins: the least and the most within each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// What is counted.
    pub label: String,
    /// Its unit.
    pub unit: String,
    /// The highest level of all.
    pub max: u64,
    /// When each bin begins, ns.
    pub times: Vec<u64>,
    /// When the level was the highest first within each bin.
    pub(super) peaks: Vec<u64>,
    /// The lowest level in it.
    pub least: Vec<u64>,
    /// The highest level in it.
    pub most: Vec<u64>,
}

/// Samples that are read at once.
pub(super) const CHUNK: u64 = 1 << 16;

/// Where samples are, and how many.
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
    /// The counters of a lane: their labels, units and highest levels.
    pub fn counters(&self) -> impl Iterator<Item = (u32, &str, &str, u64)> {
        let counters = self.contents().counters.iter();
        counters.map(|row| (row.lane, row.label.as_str(), row.unit.as_str(), row.max))
    }

    /// The levels of a lane's counters between two moments, in so many bins.
    ///
    /// # Errors
    /// The file cannot be read.
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
        // Of less than a ns a bin there is no use.
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

    /// The number of samples up to a moment.
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

    /// Samples from `first` on: at most `count`, as many as there are.
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
