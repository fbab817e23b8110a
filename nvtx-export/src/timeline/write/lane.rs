//! One lane: its columns, its blocks, its escapes, its stored tiles.

use super::out::Out;
use super::{Failed, relative};
use crate::timeline::bins::{Entry, Sweep};
use crate::timeline::format::{BLOCK, ESCAPE, EXACT, NONE, TILE_BINS};
use crate::timeline::lane::Lane;
use crate::timeline::place::{Group, Lanes};
use crate::timeline::record::Record;
use crate::timeline::slice::Flags;
use crate::timeline::states::States;
use std::cmp::Reverse;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU32, Ordering};

/// A stored tile.
struct Stored {
    level: u32,
    index: u64,
    offset: u64,
}

/// What is used for one lane after the other.
#[derive(Default)]
pub(super) struct Work {
    sweep: Sweep,
}

impl Work {
    /// Writes a lane to `out`, which holds nothing yet, notes in `numbers` which slice each row became, and completes what is said of
    /// the lane.
    pub(super) fn lane<W: Write>(
        &mut self,
        mut records: Vec<Record>,
        (zero, end): (i64, u64),
        lane: &mut Lane,
        numbers: &[AtomicU32],
        out: &mut Out<W>,
    ) -> Result<(), Failed> {
        records.sort_unstable_by_key(|row| (row.start, Reverse(row.end), row.what, row.number));
        for (item, row) in (lane.first..).zip(&records) {
            if let Some(place) = numbers.get(row.number as usize) {
                place.store(item, Ordering::Relaxed);
            }
        }
        let depths = depths(&records, lane);
        let times: Vec<(u64, u64)> = records
            .iter()
            .map(|row| (relative(row.start, zero), relative(row.end, zero)))
            .collect();
        let mut escapes: Vec<(u32, u32, u64)> = Vec::new();
        let mut narrow = |item: u32, column: u32, value: u64| match u32::try_from(value) {
            Ok(value) if value < NONE => value,
            _ => {
                escapes.push((item, column, value));
                ESCAPE
            }
        };
        out.longs(times.iter().map(|time| time.0))?;
        let durations = (0..).zip(&times);
        out.numbers(durations.map(|(item, (start, end))| narrow(item, 1, end - start)))?;
        let states = |row: &Record, start: u64| {
            let (created, ready) = row.states()?;
            let created = relative(created, zero).min(start);
            Some((
                start - created,
                start - relative(ready, zero).clamp(created, start),
            ))
        };
        let rows = || (0..).zip(records.iter().zip(&times));
        out.numbers(rows().map(|(item, (row, time))| match states(row, time.0) {
            Some((wait, _)) => narrow(item, 2, wait),
            None => NONE,
        }))?;
        out.numbers(rows().map(|(item, (row, time))| match states(row, time.0) {
            Some((_, queue)) => narrow(item, 3, queue),
            None => NONE,
        }))?;
        let waits = rows().filter_map(|(_, (row, time))| Some(states(row, time.0)?.0));
        lane.longest_wait = waits.max().unwrap_or(0);
        out.numbers(records.iter().map(|row| row.name))?;
        out.numbers(records.iter().map(|row| row.line))?;
        out.numbers(records.iter().map(|row| row.row))?;
        out.numbers(records.iter().zip(&depths).map(|(row, depth)| {
            u32::from(*depth) | u32::from(row.what) << 16 | u32::from(row.flags) << 24
        }))?;
        let latest = times
            .chunks(BLOCK)
            .map(|block| block.iter().map(|time| time.1).max());
        let latest: Vec<u64> = latest.flatten().collect();
        out.longs(
            times
                .chunks(BLOCK)
                .flat_map(|block| block.first().map(|time| time.0)),
        )?;
        out.longs(latest.iter().copied())?;
        lane.escapes = escapes.len() as u32;
        for (item, column, value) in escapes {
            out.numbers([item, column].into_iter())?;
            out.longs([value].into_iter())?;
        }
        lane.busy = union(&times);
        let waited = States::of(rows().filter_map(|(_, (row, time))| {
            let (wait, queue) = states(row, time.0)?;
            Some((time.0 - wait, time.0 - queue, time.0))
        }));
        let entries: Vec<Entry> = rows()
            .map(|(item, (row, time))| Entry {
                item: lane.first + item,
                start: time.0,
                end: time.1,
                line: row.line,
                flags: Flags(row.flags),
            })
            .collect();
        drop(records);
        let stored = self.tiles(&entries, &latest, &waited, end, lane, out)?;
        for tile in stored {
            out.numbers([tile.level, 0].into_iter())?;
            out.longs([tile.index, tile.offset].into_iter())?;
        }
        out.flush()?;
        Ok(())
    }

    /// Writes the bins of all dense tiles, and says where they are in the lane.
    fn tiles<W: Write>(
        &mut self,
        entries: &[Entry],
        latest: &[u64],
        waited: &States,
        end: u64,
        lane: &mut Lane,
        out: &mut Out<W>,
    ) -> io::Result<Vec<Stored>> {
        let mut stored = Vec::new();
        let mut top = 0;
        while (TILE_BINS as u64) << top <= end {
            top += 1;
        }
        let mut open = vec![(top, 0_u64, 0, entries.len())];
        let mut overlapping = Vec::new();
        while let Some((level, index, lo, hi)) = open.pop() {
            if hi - lo <= EXACT {
                continue;
            }
            let width = 1_u64 << level;
            let span = width * TILE_BINS as u64;
            let from = index * span;
            earlier(entries, latest, lo, from, &mut overlapping);
            overlapping.extend_from_slice(entries.get(lo..hi).unwrap_or_default());
            let waited = waited.within(from, width, TILE_BINS);
            let next = lane.first + hi as u32;
            let bins = self.sweep.bins(&overlapping, from, width, next, &waited);
            stored.push(Stored {
                level,
                index,
                offset: out.at,
            });
            out.put(&bins.bytes())?;
            if level > 0 {
                let middle = from + span / 2;
                let part = entries.get(lo..hi).unwrap_or_default();
                let half = lo + part.partition_point(|entry| entry.start < middle);
                open.push((level - 1, 2 * index, lo, half));
                open.push((level - 1, 2 * index + 1, half, hi));
            }
        }
        lane.tiles = stored.len() as u32;
        stored.sort_by_key(|tile| (tile.level, tile.index));
        Ok(stored)
    }
}

/// The slices before `lo` that end behind `from`, in order.
fn earlier(entries: &[Entry], latest: &[u64], lo: usize, from: u64, found: &mut Vec<Entry>) {
    found.clear();
    let blocks = latest.iter().enumerate().take(lo.div_ceil(BLOCK));
    for (block, _) in blocks.filter(|(_, end)| **end > from) {
        let part = block * BLOCK..((block + 1) * BLOCK).min(lo);
        let part = entries.get(part).unwrap_or_default().iter();
        found.extend(part.filter(|entry| entry.end > from));
    }
}

/// Time in which something ran.
fn union(times: &[(u64, u64)]) -> u64 {
    let mut covered = 0;
    let mut busy = 0;
    for (start, end) in times {
        let from = (*start).max(covered);
        if *end > from {
            busy += end - from;
            covered = *end;
        }
    }
    busy
}

/// The row of each slice in its lane: those that overlap lie below each other.
fn depths(records: &[Record], lane: &mut Lane) -> Vec<u16> {
    let mut lanes = Lanes::default();
    let mut closed = Vec::new();
    let group = match lane.kind.nests() {
        true => Group::Of(0),
        false => Group::Alone,
    };
    let mut deepest: Vec<u32> = Vec::new();
    let placed: Vec<(u32, u32)> = records
        .iter()
        .map(|row| {
            let placed = lanes.place(row.start, row.end, group, &mut closed);
            closed.clear();
            let at = placed.lane as usize;
            if at >= deepest.len() {
                deepest.resize(at + 1, 0);
            }
            if let Some(depth) = deepest.get_mut(at) {
                *depth = placed.depth.max(*depth);
            }
            (placed.lane, placed.depth)
        })
        .collect();
    let mut base = 0_u32;
    let bases: Vec<u32> = deepest
        .iter()
        .map(|depth| {
            let own = base;
            base = base.saturating_add(depth + 1);
            own
        })
        .collect();
    lane.rows = base.min(u32::from(u16::MAX));
    let row = |(sub, depth): &(u32, u32)| {
        let base = bases.get(*sub as usize).copied().unwrap_or(0);
        u16::try_from(base.saturating_add(*depth)).unwrap_or(u16::MAX)
    };
    placed.iter().map(row).collect()
}
