//! What of a memory each line held.

use super::counter::{CHUNK, Place};
use super::file::File;
use super::format::{ShareEntry, TimelineError};
use super::holder::Holder;

/// So many samples are read sooner than one is searched for among them.
const FEW: u64 = 1 << 10;

/// Shares that are read at once.
const ROWS: u64 = 1 << 12;

const UNKNOWN: &str = "a share of a counter is of an unknown kind";

/// What a lane's memory was held by, in bins. At each moment that is told the bytes of all holders add up to the total.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// What is counted.
    pub label: String,
    /// Its unit.
    pub unit: String,
    /// The highest level of all.
    pub max: u64,
    /// When that was first, ns.
    pub peak: u64,
    /// When each bin begins, ns.
    pub times: Vec<u64>,
    /// A moment within each bin: the first at which most was in use.
    pub moments: Vec<u64>,
    /// What was in use then.
    pub most: Vec<u64>,
    /// Who held it then, the most first, what belongs to no line last.
    pub by: Vec<HeldBy>,
    /// Who held what at the peak of all; one number each.
    pub at_peak: Vec<HeldBy>,
}

/// What one holder had, or the lines that are not told one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldBy {
    /// `None` for lines together.
    pub holder: Option<Holder>,
    /// How many lines that is; 0 for what belongs to none.
    pub lines: u32,
    /// Bytes at each moment; below 0 where more was given back than taken.
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

    fn told(self) -> Vec<HeldBy> {
        let lines = self.lines.into_iter().map(|(_, held)| held);
        lines.chain(self.others).chain(self.unknown).collect()
    }
}

impl File {
    /// Who held the memory of a lane between two moments, in so many bins: the `lines` lines that held the most, the others together, and
    /// what is not known to belong to a line by its reason. `None` for a lane that has no counter.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn held(
        &self,
        lane: u32,
        from: u64,
        to: u64,
        bins: usize,
        lines: usize,
    ) -> Result<Option<Held>, TimelineError> {
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
                let share = ShareEntry::of(share).ok_or_else(|| self.damaged(UNKNOWN))?;
                // Shares that lie over each other would have a small file take hours to read.
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
        Ok(Some(Held {
            label: levels.label,
            unit: levels.unit,
            max: levels.max,
            peak: counter.peak,
            times: levels.times,
            moments: levels.peaks,
            most: levels.most,
            by: by.told(),
            at_peak: at_peak.told(),
        }))
    }

    fn holder(&self, share: &ShareEntry) -> Result<Holder, TimelineError> {
        let line = self.checked_line(share.line);
        let holder = Holder::from_code(line, share.reason);
        holder.ok_or_else(|| self.damaged(UNKNOWN))
    }

    /// The level at each of some moments, which ascend.
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
