//! A lane: its columns, its blocks, its escapes, its stored tiles.

use super::Failed;
use super::out::Out;
use super::turns::UNDER_WAY;
use crate::bins::{Entry, Sweep};
use crate::format::{BLOCK, ESCAPE, EXACT, NONE, TILE_BINS, TimelineError};
use crate::lane::Lane;
use crate::record::{Escape, Numbered, Record};
use crate::sorted::Sorted;
use crate::spool::Spool;
use crate::states::{States, StatesSorter};
use std::io::Write;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use weft_model::lanes::{Closed, Group, Lanes};

/// The number of rows whose slices are written at once: the part of a row is its number divided by
/// this.
pub(super) const NUMBERS: u32 = 1 << 22;

/// The number of rows whose slices are recorded at once.
const NOTED: usize = 1 << 14;

/// A stored tile.
struct Stored {
    level: u32,
    index: u64,
    offset: u64,
}

/// Buffers that are reused from lane to lane.
pub(super) struct Work<'n> {
    sweep: Sweep,
    /// The maximum number of slices in memory at the same time.
    limit: usize,
    numbers: &'n Mutex<Spool<Numbered>>,
}

impl<'n> Work<'n> {
    /// Creates the buffers; the slice of each row is recorded in `numbers`.
    pub(super) fn new(limit: usize, numbers: &'n Mutex<Spool<Numbered>>) -> Self {
        Work {
            sweep: Sweep::default(),
            limit: limit.min(UNDER_WAY),
            numbers,
        }
    }

    /// Writes a lane to the empty `out`, and returns its entry. Times of `records` are those of the
    /// file.
    pub(super) fn lane<W: Write>(
        &mut self,
        records: Sorted<Record>,
        end: u64,
        lane: &mut Lane,
        out: &mut Out<W>,
    ) -> Result<(), Failed> {
        let count = records.len();
        let all = 0..count;
        let mut noted: Vec<Numbered> = Vec::with_capacity(NOTED.min(count));
        let mut waits = StatesSorter::new(self.limit);
        let mut depths = Depths::new(lane.kind.nests(), records.is_in_memory());
        let mut blocks: Vec<(u64, u64)> = Vec::with_capacity(count.div_ceil(BLOCK));
        let mut covered = 0;
        let mut column = out.column();
        records.each(all.clone(), |at, row| {
            let item = lane.first + at as u32;
            let entry = row.entry(item);
            column.long(entry.start)?;
            noted.push(Numbered {
                number: row.number,
                item,
            });
            if noted.len() == NOTED {
                note(self.numbers, &mut noted)?;
            }
            if let Some(states) = row.states() {
                lane.longest_wait = lane.longest_wait.max(states.2 - states.0);
                waits.push(states)?;
            }
            match blocks.last_mut().filter(|_| at % BLOCK != 0) {
                Some(block) => block.1 = block.1.max(entry.end),
                None => blocks.push((entry.start, entry.end)),
            }
            let from = entry.start.max(covered);
            if entry.end > from {
                lane.busy += entry.end - from;
                covered = entry.end;
            }
            depths.place(row);
            Ok::<(), Failed>(())
        })?;
        column.end()?;
        note(self.numbers, &mut noted)?;
        let waits = waits.finish()?;

        let mut escapes: Spool<Escape> = Spool::new(self.limit);
        let mut narrow = |at: usize, column: u32, value: u64| match u32::try_from(value) {
            Ok(value) if value < NONE => Ok(value),
            _ => {
                let item = at as u32;
                let escape = Escape {
                    item,
                    column,
                    value,
                };
                escapes.push(0, &escape).map(|()| ESCAPE)
            }
        };
        out.write_column(&records, |at, row| {
            narrow(at, 1, row.end.abs_diff(row.start))
        })?;
        out.write_column(&records, |at, row| match row.states() {
            Some((created, _, start)) => narrow(at, 2, start - created),
            None => Ok(NONE),
        })?;
        out.write_column(&records, |at, row| match row.states() {
            Some((_, ready, start)) => narrow(at, 3, start - ready),
            None => Ok(NONE),
        })?;
        out.write_column(&records, |_, row| Ok(row.name))?;
        out.write_column(&records, |_, row| Ok(row.line))?;
        out.write_column(&records, |_, row| Ok(row.row))?;
        let mut depths = depths.into_rows();
        lane.rows = depths.rows();
        out.write_column(&records, |at, row| {
            let depth = u32::from(depths.next_row(at, row));
            Ok(depth | u32::from(row.what) << 16 | u32::from(row.flags) << 24)
        })?;
        drop(depths);
        out.longs(blocks.iter().map(|block| block.0))?;
        out.longs(blocks.iter().map(|block| block.1))?;
        lane.escapes = escapes.count(0) as u64;
        escapes.each(0, |escape| -> Result<(), Failed> {
            out.numbers([escape.item, escape.column].into_iter())?;
            Ok(out.longs([escape.value].into_iter())?)
        })?;
        drop(escapes);

        let mut part = Part::default();
        if records.is_in_memory() {
            part.read(&records, all.clone(), lane.first)?;
        }
        // Records in a file are read part by part; those in memory are not needed any longer.
        let records = (!records.is_in_memory()).then_some(records);
        let mut tiles = Tiles {
            limit: self.limit,
            records,
            part,
            blocks,
            first: lane.first,
        };
        let stored = tiles.write(&mut self.sweep, &waits, all, end, out)?;
        lane.tiles = stored.len() as u32;
        for tile in stored {
            out.numbers([tile.level, 0].into_iter())?;
            out.longs([tile.index, tile.offset].into_iter())?;
        }
        out.flush()?;
        Ok(())
    }
}

/// Passes on the slices of rows.
fn note(to: &Mutex<Spool<Numbered>>, noted: &mut Vec<Numbered>) -> Result<(), TimelineError> {
    let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all = noted.drain(..);
    all.try_for_each(|row| to.push((row.number / NUMBERS) as usize, &row))
}

/// Slices in memory.
#[derive(Default)]
struct Part {
    range: Range<usize>,
    entries: Vec<Entry>,
    /// Earlier slices that may extend into it, in order.
    earlier: Vec<Entry>,
}

impl Part {
    fn read(
        &mut self,
        records: &Sorted<Record>,
        range: Range<usize>,
        first: u32,
    ) -> Result<(), TimelineError> {
        self.entries.clear();
        self.entries.reserve_exact(range.len());
        self.range = range.clone();
        records.each(range, |at, row| {
            self.entries.push(row.entry(first + at as u32));
            Ok(())
        })
    }
}

/// Computes the dense tiles of a lane: those with few slices from memory, the others by reading
/// their slices.
struct Tiles {
    limit: usize,
    /// The slices, if they do not fit in memory.
    records: Option<Sorted<Record>>,
    part: Part,
    /// The first start and the last end of each block.
    blocks: Vec<(u64, u64)>,
    first: u32,
}

impl Tiles {
    /// Writes the bins of all dense tiles, and returns their places in the lane.
    fn write<W: Write>(
        &mut self,
        sweep: &mut Sweep,
        waits: &States,
        all: Range<usize>,
        end: u64,
        out: &mut Out<W>,
    ) -> Result<Vec<Stored>, Failed> {
        let mut stored = Vec::new();
        let mut top = 0;
        while (TILE_BINS as u64) << top <= end {
            top += 1;
        }
        let mut open = vec![(top, 0_u64, all)];
        let mut overlapping = Vec::new();
        while let Some((level, index, range)) = open.pop() {
            if range.len() <= EXACT {
                continue;
            }
            let width = 1_u64 << level;
            let span = width * TILE_BINS as u64;
            let (from, middle) = (index * span, index * span + span / 2);
            let waited = waits.within(from, width, TILE_BINS)?;
            let next = self.first + range.end as u32;
            let is_there = self.is_there(&range, from)?;
            let (bins, half) = match &self.records {
                Some(records) if !is_there => {
                    let mut filling = sweep.begin(from, width);
                    self.earlier(records, range.start, from, |entry| filling.push(entry))?;
                    let mut half = range.start;
                    records.each(range.clone(), |at, row| {
                        let entry = row.entry(self.first + at as u32);
                        half += usize::from(entry.start < middle);
                        filling.push(&entry);
                        Ok::<(), TimelineError>(())
                    })?;
                    (filling.finish(next, &waited), half)
                }
                _ => {
                    let part = self.overlapping(&range, from, &mut overlapping);
                    let half = part.partition_point(|entry| entry.start < middle);
                    overlapping.extend_from_slice(part);
                    let bins = sweep.bins(&overlapping, from, width, next, &waited);
                    (bins, range.start + half)
                }
            };
            stored.push(Stored {
                level,
                index,
                offset: out.at,
            });
            out.put(&bins.bytes())?;
            if level > 0 {
                open.push((level - 1, 2 * index, range.start..half));
                open.push((level - 1, 2 * index + 1, half..range.end));
            }
        }
        stored.sort_by_key(|tile| (tile.level, tile.index));
        Ok(stored)
    }

    /// Returns whether the slices starting at `from` are in memory. Reads them if they fit.
    fn is_there(&mut self, range: &Range<usize>, from: u64) -> Result<bool, TimelineError> {
        let part = &self.part.range;
        if part.start <= range.start && range.end <= part.end {
            return Ok(true);
        }
        let Some(records) = self.records.as_ref().filter(|_| range.len() <= self.limit) else {
            return Ok(false);
        };
        let mut part = std::mem::take(&mut self.part);
        part.read(records, range.clone(), self.first)?;
        part.earlier.clear();
        self.earlier(records, range.start, from, |entry| {
            part.earlier.push(*entry);
        })?;
        self.part = part;
        Ok(true)
    }

    /// Returns the slices before `lo` that end after `from`, in order.
    fn earlier(
        &self,
        records: &Sorted<Record>,
        lo: usize,
        from: u64,
        mut each: impl FnMut(&Entry),
    ) -> Result<(), TimelineError> {
        let blocks = self.blocks.iter().enumerate().take(lo.div_ceil(BLOCK));
        for (block, _) in blocks.filter(|(_, (_, end))| *end > from) {
            let range = block * BLOCK..((block + 1) * BLOCK).min(lo);
            for (at, row) in range.clone().zip(records.part(range)?.iter()) {
                let entry = row.entry(self.first + at as u32);
                if entry.end > from {
                    each(&entry);
                }
            }
        }
        Ok(())
    }

    /// Returns slices in memory, and in `found` those before them that end after `from`.
    fn overlapping(&self, range: &Range<usize>, from: u64, found: &mut Vec<Entry>) -> &[Entry] {
        let Part {
            range: known,
            entries,
            earlier,
        } = &self.part;
        found.clear();
        found.extend(earlier.iter().filter(|entry| entry.end > from));
        let blocks = known.start / BLOCK..range.start.div_ceil(BLOCK);
        let ends = self.blocks.get(blocks.clone()).unwrap_or_default();
        for (block, _) in blocks.zip(ends).filter(|(_, (_, end))| *end > from) {
            let begin = (block * BLOCK).max(known.start) - known.start;
            let end = ((block + 1) * BLOCK).min(range.start) - known.start;
            let part = entries.get(begin..end).unwrap_or_default().iter();
            found.extend(part.filter(|entry| entry.end > from));
        }
        let part = range.start - known.start..range.end - known.start;
        entries.get(part).unwrap_or_default()
    }
}

/// Places slices in rows: overlapping ones are placed below each other.
struct Depths {
    lanes: Lanes,
    group: Group,
    closed: Vec<Closed>,
    /// The greatest depth in each lane.
    deepest: Vec<u32>,
    /// The place of each slice, if kept.
    placed: Option<Vec<(u32, u32)>>,
}

impl Depths {
    fn new(nests: bool, keeps: bool) -> Self {
        let group = match nests {
            true => Group::Of(0),
            false => Group::Alone,
        };
        Depths {
            lanes: Lanes::default(),
            group,
            closed: Vec::new(),
            deepest: Vec::new(),
            placed: keeps.then(Vec::new),
        }
    }

    fn place(&mut self, row: &Record) -> (u32, u32) {
        let placed = self
            .lanes
            .place(row.start, row.end, self.group, &mut self.closed);
        self.closed.clear();
        let at = placed.lane as usize;
        if at >= self.deepest.len() {
            self.deepest.resize(at + 1, 0);
        }
        if let Some(depth) = self.deepest.get_mut(at) {
            *depth = placed.depth.max(*depth);
        }
        let placed = (placed.lane, placed.depth);
        self.placed.iter_mut().for_each(|all| all.push(placed));
        placed
    }

    /// Returns the rows, once all slices are placed.
    fn into_rows(self) -> Rows {
        let mut rows = 0_u32;
        let bases = self.deepest.iter().map(|depth| {
            let own = rows;
            rows = rows.saturating_add(depth + 1);
            own
        });
        let bases = bases.collect();
        Rows {
            bases,
            rows,
            replay: Depths::new(self.group == Group::Of(0), false),
            placed: self.placed,
        }
    }
}

/// The row of each slice.
struct Rows {
    /// The first row of each lane.
    bases: Vec<u32>,
    rows: u32,
    placed: Option<Vec<(u32, u32)>>,
    /// Repeats the placement, with the same result, if `placed` was not kept.
    replay: Depths,
}

impl Rows {
    fn rows(&self) -> u32 {
        self.rows.min(u32::from(u16::MAX))
    }

    /// Returns the row of the next slice.
    fn next_row(&mut self, at: usize, row: &Record) -> u16 {
        let (lane, depth) = match &self.placed {
            Some(placed) => placed.get(at).copied().unwrap_or_default(),
            None => self.replay.place(row),
        };
        let base = self.bases.get(lane as usize).copied().unwrap_or(0);
        u16::try_from(base.saturating_add(depth)).unwrap_or(u16::MAX)
    }
}
