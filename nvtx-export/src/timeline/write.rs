//! Writes the file, lane by lane.

use super::bins::{Entry, Sweep};
use super::build::Builder;
use super::format::{
    BLOCK, Contents, CounterEntry, ESCAPE, EXACT, MAGIC, NONE, Origin, RunEntry, TILE_BINS,
    TimelineError, VERSION,
};
use super::lane::{Lane, LaneIndex, LaneKey, LaneKind};
use super::place::{Group, Lanes};
use super::spool::Record;
use super::states::States;
use std::cmp::Reverse;
use std::io::{self, Write};
use std::path::Path;
use weft_files::WholeFile;

/// The latest time that a number of JavaScript holds exactly.
const LATEST: i128 = 1 << 53;

/// A file and how much of it is written.
struct Out<W> {
    to: W,
    at: u64,
}

impl<W: Write> Out<W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.to.write_all(bytes)
    }

    fn numbers(&mut self, numbers: impl Iterator<Item = u32>) -> io::Result<()> {
        let mut buffer = Vec::with_capacity(1 << 16);
        for number in numbers {
            buffer.extend_from_slice(&number.to_le_bytes());
            if buffer.len() >= 1 << 16 {
                self.put(&buffer)?;
                buffer.clear();
            }
        }
        self.put(&buffer)
    }

    fn longs(&mut self, numbers: impl Iterator<Item = u64>) -> io::Result<()> {
        self.numbers(numbers.flat_map(|number| [number as u32, (number >> 32) as u32]))
    }
}

pub(super) fn write(builder: Builder, out: &Path, origin: Origin) -> Result<(), TimelineError> {
    let failed = |error: weft_files::WriteError| TimelineError::Write {
        path: out.to_owned(),
        error,
    };
    let mut file = WholeFile::create(out, true).map_err(failed)?;
    file.write_with(|to| {
        let mut to = Out { to, at: 0 };
        all(builder, &mut to, origin)
    })
    .map_err(|error| match error {
        Failed::Timeline(error) => error,
        Failed::Io(error) => failed(error.into()),
    })?;
    file.finish().map(drop).map_err(failed)
}

enum Failed {
    Timeline(TimelineError),
    Io(io::Error),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Failed::Io(error)
    }
}

impl From<TimelineError> for Failed {
    fn from(error: TimelineError) -> Self {
        Failed::Timeline(error)
    }
}

fn all<W: Write>(builder: Builder, out: &mut Out<W>, origin: Origin) -> Result<(), Failed> {
    let Builder {
        mut spool,
        lanes,
        labels,
        processes,
        groups,
        names,
        lines,
        mut counters,
        runs,
        first,
        last,
        count,
        dropped,
        ..
    } = builder;
    out.put(&MAGIC)?;
    let zero = first.unwrap_or(0);
    let end = relative(last, zero);
    let mut keys: Vec<(LaneKey, LaneIndex)> = lanes.into_iter().collect();
    keys.sort_unstable();
    let mut tree: Vec<Lane> = Vec::new();
    let mut numbers = vec![0_u32; count as usize];
    let mut entries = Vec::new();
    let mut around: Option<(u32, u32)> = None;
    let mut group: Option<(LaneKind, u32, u32)> = None;
    let mut item = 0;
    let mut work = Work::default();
    for (key, lane) in keys {
        let process = processes
            .get(key.process as usize)
            .cloned()
            .unwrap_or_default();
        let parent = match around {
            Some((known, at)) if known == key.process => at,
            _ => {
                tree.push(Lane::group(
                    None,
                    LaneKind::Process,
                    process.label.clone(),
                    process.rank,
                ));
                group = None;
                let at = tree.len() as u32 - 1;
                around = Some((key.process, at));
                at
            }
        };
        let parent = match group {
            Some((kind, number, at)) if (kind, number) == (key.kind, key.group) => at,
            _ => {
                let label = groups.get(&(key.process, key.kind, key.group)).cloned();
                let label = label.unwrap_or_else(|| format!("{:?}", key.kind).to_lowercase());
                tree.push(Lane::group(Some(parent), key.kind, label, process.rank));
                let at = tree.len() as u32 - 1;
                group = Some((key.kind, key.group, at));
                at
            }
        };
        let label = labels.get(lane.0 as usize).cloned().unwrap_or_default();
        let mut row = Lane::group(Some(parent), key.kind, label, process.rank);
        let records = spool.take(lane)?;
        row.first = item;
        work.lane(records, zero, end, &mut row, &mut numbers, out)?;
        item += row.items;
        let own = (lane, 0)..=(lane, u32::MAX);
        let own: Vec<_> = counters.range(own).map(|(key, _)| *key).collect();
        for key in own {
            let Some(counter) = counters.remove(&key) else {
                continue;
            };
            let (label, unit) = (counter.label.clone(), counter.unit.clone());
            let samples = counter.samples();
            entries.push(CounterEntry {
                lane: tree.len() as u32,
                label,
                unit,
                max: samples.iter().map(|sample| sample.1).max().unwrap_or(0),
                samples: samples.len() as u64,
                offset: out.at,
            });
            let samples = samples.into_iter();
            out.longs(samples.flat_map(|(at, level)| [relative(at, zero), level]))?;
        }
        tree.push(row);
    }
    add_up(&mut tree);
    let place = out.at;
    out.numbers(numbers.into_iter())?;
    let contents = Contents {
        version: VERSION,
        origin,
        zero,
        end,
        items: item,
        lanes: tree,
        names: names.into_texts(),
        lines,
        counters: entries,
        runs: runs
            .into_iter()
            .map(|run| RunEntry {
                what: run.what as u8,
                first: run.first,
                count: run.count,
            })
            .collect(),
        numbers: place,
        dropped,
    };
    let text = serde_json::to_vec(&contents).map_err(io::Error::other)?;
    let at = out.at;
    out.put(&text)?;
    out.put(&at.to_le_bytes())?;
    out.put(&(text.len() as u64).to_le_bytes())?;
    out.put(&crc32c::crc32c(&text).to_le_bytes())?;
    out.put(&MAGIC)?;
    Ok(())
}

/// The busy time of groups.
fn add_up(tree: &mut [Lane]) {
    for at in (0..tree.len()).rev() {
        let Some(lane) = tree.get(at) else { continue };
        let (busy, parent) = (lane.busy, lane.parent);
        if let Some(parent) = parent.and_then(|parent| tree.get_mut(parent as usize)) {
            parent.busy = parent.busy.saturating_add(busy);
        }
    }
}

/// ns from the start of the trace.
fn relative(at: i64, zero: i64) -> u64 {
    (i128::from(at) - i128::from(zero)).clamp(0, LATEST) as u64
}

/// A stored tile.
struct Stored {
    level: u32,
    index: u64,
    offset: u64,
}

/// What is used for one lane after the other.
#[derive(Default)]
struct Work {
    sweep: Sweep,
}

impl Work {
    fn lane<W: Write>(
        &mut self,
        mut records: Vec<Record>,
        zero: i64,
        end: u64,
        lane: &mut Lane,
        numbers: &mut [u32],
        out: &mut Out<W>,
    ) -> Result<(), Failed> {
        records.sort_unstable_by_key(|row| (row.start, Reverse(row.end), row.what, row.number));
        lane.items = records.len() as u32;
        for (item, row) in (lane.first..).zip(&records) {
            if let Some(place) = numbers.get_mut(row.number as usize) {
                *place = item;
            }
        }
        let depths = depths(&records, lane);
        let times: Vec<(u64, u64)> = records
            .iter()
            .map(|row| (relative(row.start, zero), relative(row.end, zero)))
            .collect();
        lane.offset = out.at;
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
            let (created, ready) = row.states?;
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
            u32::from(*depth) | (row.what as u32) << 16 | u32::from(row.flags.0) << 24
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
                flags: row.flags,
            })
            .collect();
        drop(records);
        let stored = self.tiles(&entries, &latest, &waited, end, lane, out)?;
        for tile in stored {
            out.numbers([tile.level, 0].into_iter())?;
            out.longs([tile.index, tile.offset].into_iter())?;
        }
        Ok(())
    }

    /// Writes the bins of all dense tiles, and says where they are.
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
        // Where the tiles begin is known only when their list is.
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
