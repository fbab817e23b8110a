//! The bytes of a memory that each line held.

use super::counter::{CHUNK, Place};
use super::file::File;
use super::format::{ShareEntry, TimelineError};
use super::holder::Holder;

/// At most this number of samples is read sequentially, which is faster than a binary search.
const FEW: u64 = 1 << 10;

/// The number of shares that are read at once.
const ROWS: u64 = 1 << 12;

const UNKNOWN: &str = "a share of a counter is of an unknown kind";

/// The holders of a lane's memory, in bins. At each moment the bytes of all holders add up to the
/// total.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryHolders {
    /// The name of the counter.
    pub label: String,
    /// Its unit.
    pub unit: String,
    /// The highest level of all.
    pub max: u64,
    /// The time at which it was first reached, in ns.
    pub peak: u64,
    /// The start of each bin, in ns.
    pub times: Vec<u64>,
    /// A moment within each bin: when the maximum was first in use.
    pub moments: Vec<u64>,
    /// The bytes in use at that moment.
    pub most: Vec<u64>,
    /// The holders at these moments, the largest first, bytes without a line last.
    pub by: Vec<HeldBy>,
    /// The holders at the peak of the counter; one number each.
    pub at_peak: Vec<HeldBy>,
}

/// The bytes of one holder, or of the lines that are not listed individually.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldBy {
    /// The holder; `None` for several lines together.
    pub holder: Option<Holder>,
    /// The number of lines; 0 for bytes without a line.
    pub lines: u32,
    /// Bytes at each moment; negative if more was freed than allocated.
    pub bytes: Vec<i64>,
}

/// The lines that hold the most, and the others together.
struct Ranking {
    most: usize,
    lines: Vec<(i128, HeldBy)>,
    others: Option<HeldBy>,
    unknown: Vec<HeldBy>,
}

impl Ranking {
    fn new(most: usize) -> Self {
        Ranking {
            most,
            lines: Vec::new(),
            others: None,
            unknown: Vec::new(),
        }
    }

    fn add(&mut self, holder: Holder, bytes: Vec<i64>) {
        if bytes.iter().all(|bytes| *bytes == 0) {
            return;
        }
        let is_line = matches!(holder, Holder::Line(_));
        let held = HeldBy {
            holder: Some(holder),
            lines: u32::from(is_line),
            bytes,
        };
        if !is_line {
            self.unknown.push(held);
            return;
        }
        let weight = held.bytes.iter().map(|bytes| i128::from(*bytes)).sum();
        let place = self.lines.partition_point(|(other, _)| *other >= weight);
        self.lines.insert(place, (weight, held));
        if self.lines.len() > self.most {
            let least = self.lines.pop().map(|(_, least)| least);
            self.merge(least);
        }
    }

    fn merge(&mut self, held: Option<HeldBy>) {
        let Some(mut held) = held else { return };
        let others = self.others.get_or_insert_with(|| HeldBy {
            holder: None,
            lines: 0,
            bytes: vec![0; held.bytes.len()],
        });
        others.lines += held.lines;
        for (sum, bytes) in others.bytes.iter_mut().zip(held.bytes.drain(..)) {
            *sum = sum.saturating_add(bytes);
        }
    }

    fn into_holders(self) -> Vec<HeldBy> {
        let lines = self.lines.into_iter().map(|(_, held)| held);
        lines.chain(self.others).chain(self.unknown).collect()
    }
}

impl File {
    /// Returns the holders of a lane's memory between two moments, in at most `bins` bins: the
    /// `lines` lines that held the most, the others together, and bytes without a known line by
    /// reason. `None` if the lane has no counter.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is damaged.
    pub fn memory_holders(
        &self,
        lane: u32,
        from: u64,
        to: u64,
        bins: usize,
        lines: usize,
    ) -> Result<Option<MemoryHolders>, TimelineError> {
        let mut counters = self.contents().counters.iter();
        let Some(counter) = counters.find(|counter| counter.lane == lane) else {
            return Ok(None);
        };
        let levels = self.of_counter(counter, from, to, bins)?;
        let (mut by, mut at_peak) = (Ranking::new(lines), Ranking::new(lines));
        let (mut row, mut samples) = (0, 0_u64);
        while row < counter.shares {
            let rows = ROWS.min(counter.shares - row);
            let at = counter.table + row * ShareEntry::BYTES;
            let table = self.bytes(at, rows * ShareEntry::BYTES)?;
            for share in table.chunks_exact(ShareEntry::BYTES as usize) {
                let share = ShareEntry::decode(share).ok_or_else(|| self.damaged(UNKNOWN))?;
                // Overlapping shares would make a small file take hours to read.
                samples = samples.saturating_add(share.samples);
                if samples.saturating_mul(16) > self.length() {
                    return Err(self.damaged("shares of counters overlap"));
                }
                let holder = self.holder(&share)?;
                by.add(holder, self.levels_at(share.place(), &levels.peaks)?);
                at_peak.add(holder, vec![share.peak]);
            }
            row += rows;
        }
        Ok(Some(MemoryHolders {
            label: levels.label,
            unit: levels.unit,
            max: levels.max,
            peak: counter.peak,
            times: levels.times,
            moments: levels.peaks,
            most: levels.most,
            by: by.into_holders(),
            at_peak: at_peak.into_holders(),
        }))
    }

    fn holder(&self, share: &ShareEntry) -> Result<Holder, TimelineError> {
        let line = self.checked_line(share.line);
        let holder = Holder::from_code(line, share.reason);
        holder.ok_or_else(|| self.damaged(UNKNOWN))
    }

    /// Returns the level at each of some ascending moments.
    fn levels_at(&self, place: Place, moments: &[u64]) -> Result<Vec<i64>, TimelineError> {
        let first = moments.first().copied().unwrap_or(0);
        let mut at = match place.samples {
            0..=FEW => 0,
            _ => self.sample_before(place, first)?.saturating_sub(1),
        };
        let mut level = 0;
        let mut chunk: std::iter::Peekable<std::vec::IntoIter<(u64, u64)>> =
            Vec::new().into_iter().peekable();
        let mut levels = Vec::with_capacity(moments.len());
        for moment in moments {
            loop {
                if chunk.peek().is_none() && at < place.samples {
                    let samples = self.samples(place, at, CHUNK)?;
                    at += samples.len() as u64;
                    chunk = samples.into_iter().peekable();
                }
                match chunk.next_if(|sample| sample.0 <= *moment) {
                    Some((_, held)) => level = held.cast_signed(),
                    None => break,
                }
            }
            levels.push(level);
        }
        Ok(levels)
    }
}
