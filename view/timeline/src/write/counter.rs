//! A counter: its samples, those of its shares, and their table.

use super::out::Out;
use super::{Failed, relative};
use crate::counter::{Change, Fed, Feeding, HeldChange, Level, Sample};
use crate::format::{CounterEntry, ShareEntry};
use crate::holder::Holder;
use crate::sorted::{Sorted, Sorter};
use crate::spool::{Spool, Spooled};
use std::io::{self, Write};

/// Writes a counter of a lane.
pub(super) fn counter<W: Write>(
    feeding: &Feeding,
    fed: &Fed,
    (lane, zero): (u32, i64),
    out: &mut Out<W>,
) -> Result<CounterEntry, Failed> {
    let mut changes = Sorter::new(feeding.limit);
    let mut by_holder = Sorter::new(feeding.limit);
    feeding.changes.each(fed.part, |change| {
        by_holder.push(HeldChange::from_change(&change))?;
        changes.push(change)
    })?;
    let mut levels = Sorter::new(feeding.limit);
    feeding.levels.each(fed.part, |level| levels.push(level))?;
    let mut entry = CounterEntry {
        lane,
        label: fed.label.clone(),
        unit: fed.unit.clone(),
        offset: out.at,
        ..CounterEntry::default()
    };
    let changes = changes.finish()?;
    let mut rest = Spool::new(feeding.limit.saturating_mul(Sample::SIZE));
    let peak = totals(
        &changes,
        &levels.finish()?,
        zero,
        &mut entry,
        &mut rest,
        out,
    )?;
    drop(changes);
    entry.peak = relative(peak, zero);
    let shares = shares(&by_holder.finish()?, &rest, (peak, zero), out)?;
    entry.shares = shares.len() as u64;
    entry.table = out.at;
    for share in shares {
        out.put(&share.bytes())?;
    }
    Ok(entry)
}

/// Writes the samples of the counter, and returns when it first reached its maximum. The level is
/// the last recorded one, or the sum of the changes if that is greater: levels are recorded at
/// intervals, and instances use memory in between. `rest` gets the level less the sum of the
/// changes.
fn totals<W: Write>(
    changes: &Sorted<Change>,
    levels: &Sorted<Level>,
    zero: i64,
    entry: &mut CounterEntry,
    rest: &mut Spool<Sample>,
    out: &mut Out<W>,
) -> Result<i64, Failed> {
    let are_told = levels.len() > 0;
    let (mut changes, mut levels) = (changes.walk(), levels.walk());
    let (mut sum, mut last_told, mut unheld) = (0_i64, 0_u64, 0_i64);
    let mut written: Option<u64> = None;
    let mut peak: Option<i64> = None;
    let mut column = out.column();
    loop {
        let next = [
            changes.peek()?.map(|change| change.at),
            levels.peek()?.map(|level| level.at),
        ];
        let Some(now) = next.into_iter().flatten().min() else {
            break;
        };
        while let Some(change) = changes.next_if(|change| change.at == now)? {
            sum = sum.saturating_add(change.by);
        }
        let mut is_told = !are_told;
        while let Some(told) = levels.next_if(|level| level.at == now)? {
            last_told = told.level;
            is_told = true;
        }
        let level = last_told.max(u64::try_from(sum).unwrap_or(0));
        if is_told || written != Some(level) {
            written = Some(level);
            column.long(relative(now, zero))?;
            column.long(level)?;
            entry.samples += 1;
            if peak.is_none() || level > entry.max {
                (peak, entry.max) = (Some(now), level);
            }
        }
        let left = i64::try_from(level).unwrap_or(i64::MAX).saturating_sub(sum);
        if left != unheld {
            unheld = left;
            let level = left;
            rest.push(0, &Sample { at: now, level })?;
        }
    }
    column.end()?;
    Ok(peak.unwrap_or(zero))
}

/// A share that is being written.
struct Following {
    holder: Holder,
    /// The current moment, and the level after its known changes.
    at: i64,
    level: i64,
    /// The last level written.
    written: i64,
    samples: u64,
    at_peak: i64,
}

impl Following {
    fn new(holder: Holder, at: i64) -> Self {
        Following {
            holder,
            at,
            level: 0,
            written: 0,
            samples: 0,
            at_peak: 0,
        }
    }

    /// Ends a moment: writes a sample if the level has changed.
    fn sample(&mut self, mut write: impl FnMut(i64, i64) -> io::Result<()>) -> io::Result<()> {
        if self.level != self.written {
            self.written = self.level;
            self.samples += 1;
            write(self.at, self.level)?;
        }
        Ok(())
    }
}

/// Writes the samples of all shares that have any.
fn shares<W: Write>(
    changes: &Sorted<HeldChange>,
    rest: &Spool<Sample>,
    (peak, zero): (i64, i64),
    out: &mut Out<W>,
) -> Result<Vec<ShareEntry>, Failed> {
    let mut entries: Vec<ShareEntry> = Vec::new();
    let mut offset = out.at;
    let mut add = |share: &Following| {
        if share.samples > 0 {
            let (line, reason) = share.holder.code();
            entries.push(ShareEntry {
                line,
                reason,
                peak: share.at_peak,
                samples: share.samples,
                offset,
            });
            offset += share.samples * 16;
        }
    };
    let mut column = out.column();
    let mut write = |at: i64, level: i64| {
        column.long(relative(at, zero))?;
        column.long(level.cast_unsigned())
    };
    let mut following: Option<Following> = None;
    changes.each(0..changes.len(), |_, change| -> Result<(), Failed> {
        let Some(holder) = Holder::from_code(change.line, change.reason) else {
            return Ok(());
        };
        let share = match following.take() {
            Some(share) if share.holder == holder => following.insert(share),
            before => {
                if let Some(mut share) = before {
                    share.sample(&mut write)?;
                    add(&share);
                }
                following.insert(Following::new(holder, change.at))
            }
        };
        if share.at != change.at {
            share.sample(&mut write)?;
            share.at = change.at;
        }
        share.level = share.level.saturating_add(change.by);
        if change.at <= peak {
            share.at_peak = share.level;
        }
        Ok(())
    })?;
    if let Some(mut share) = following {
        share.sample(&mut write)?;
        add(&share);
    }
    let mut share = Following::new(Holder::NoInstance, 0);
    rest.each(0, |sample| -> Result<(), Failed> {
        (share.at, share.level) = (sample.at, sample.level);
        if sample.at <= peak {
            share.at_peak = sample.level;
        }
        Ok(share.sample(&mut write)?)
    })?;
    add(&share);
    column.end()?;
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lane::LaneIndex;

    type ShareRow = (Holder, i64, Vec<(i64, i64)>);

    /// Returns a counter's shares, computed with at most `limit` changes in memory.
    fn holdings(
        changes: &[(i64, i64, Holder)],
        levels: &[(i64, u64)],
        limit: usize,
    ) -> Vec<ShareRow> {
        let mut feeding = Feeding::within(limit);
        let counter = ("bytes in use", "bytes");
        for (at, by, holder) in changes {
            feeding
                .change(LaneIndex(0), counter, *holder, *at, *by)
                .unwrap();
        }
        for (at, level) in levels {
            feeding.level(LaneIndex(0), counter, *at, *level).unwrap();
        }
        let fed = feeding.counters.values().next().unwrap();
        let mut file = Vec::new();
        let mut out = Out::new(&mut file);
        let entry = counter_of(&feeding, fed, &mut out);
        let long = |at: usize| i64::from_le_bytes(file[at..at + 8].try_into().unwrap());
        let table = entry.table as usize;
        let rows = (0..entry.shares as usize).map(|row| {
            let at = table + row * ShareEntry::BYTES as usize;
            let share = ShareEntry::decode(&file[at..at + ShareEntry::BYTES as usize]).unwrap();
            let holder = Holder::from_code(share.line, share.reason).unwrap();
            let samples = (0..share.samples as usize).map(|sample| {
                let at = share.offset as usize + sample * 16;
                (long(at), long(at + 8))
            });
            (holder, share.peak, samples.collect())
        });
        rows.collect()
    }

    fn counter_of(feeding: &Feeding, fed: &Fed, out: &mut Out<&mut Vec<u8>>) -> CounterEntry {
        match counter(feeding, fed, (0, 0), out) {
            Ok(entry) => entry,
            Err(_) => panic!("a counter cannot be written to memory"),
        }
    }

    #[test]
    fn holder_shares_include_the_remainder() {
        let changes = [
            (4, 10, Holder::Line(3)),
            (1, 10, Holder::Line(3)),
            (2, 5, Holder::NoLine),
            (4, -10, Holder::Line(3)),
            (6, -10, Holder::Line(3)),
        ];
        for limit in [1, 2, 100] {
            let found = holdings(&changes, &[(3, 20), (1, 11), (1, 10), (6, 4)], limit);
            let expected = [
                (Holder::Line(3), 10, vec![(1, 10), (6, 0)]),
                (Holder::NoLine, 5, vec![(2, 5)]),
                // Instances may add up to more than the last recorded level.
                (Holder::NoInstance, 5, vec![(3, 5), (6, 0)]),
            ];
            assert_eq!(found, expected, "{limit}");
        }
    }
}
