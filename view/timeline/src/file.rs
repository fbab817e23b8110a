//! A timeline file, read in place.
//!
//! Parts are read by `pread` when they are needed, unless the file is [held](File::hold). It is not
//! mapped: the loss of pages of a mapped file would end the process, and `pread` returns an error.
//! The first start of each block and other small parts are kept. Every place and number in the file
//! is checked against its length.

use super::bins::Entry;
use super::format::{
    BLOCK, Column, Contents, ESCAPE, ESCAPE_BYTES, ITEM_BYTES, Line, MAGIC, NONE, Origin,
    ShareEntry, TAIL, TILE_BYTES, TILE_ENTRY, TimelineError, VERSION,
};
use super::lane::{Lane, LaneKind};
use super::slice::{Flags, SliceKind};
use super::states::{States, StatesSorter};
use super::write::UNDER_WAY;
use std::fs;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The maximum size of the table of contents, in bytes.
const MOST_CONTENTS: u64 = 1 << 30;

/// The maximum size of a file that is held, in bytes.
const MOST_LOADED: u64 = 16 << 20;

/// The number of slices that are read at once.
const CHUNK: u32 = 1 << 16;

/// Later times are damaged.
const LATEST: u64 = 1 << 53;

/// The values of a lane that are kept in memory.
#[derive(Debug, Default)]
struct LaneIndexes {
    /// The first start of each block.
    starts: Vec<u64>,
    /// The last end of each block.
    ends: Vec<u64>,
    /// The place of values that do not fit their columns.
    escapes: u64,
    /// The places of stored tiles: level, index, offset.
    tiles: Vec<(u32, u64, u64)>,
}

/// A timeline.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    file: fs::File,
    length: u64,
    /// All bytes, once they are loaded.
    loaded: OnceLock<Vec<u8>>,
    contents: Contents,
    lane_indexes: Vec<LaneIndexes>,
}

/// A slice with all its columns. Times are ns from the start of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number.
    pub item: u32,
    /// Its lane.
    pub lane: u32,
    /// The start time.
    pub start: u64,
    /// The end time.
    pub end: u64,
    /// The times of creation and readiness, if known.
    pub states: Option<(u64, u64)>,
    /// Its row among those of its lane.
    pub depth: u16,
    /// Its name.
    pub name: u32,
    /// Its line.
    pub line: u32,
    /// The kind of the slice.
    pub what: SliceKind,
    /// The number of its row in its table.
    pub row: u32,
    /// The flags of the slice.
    pub flags: Flags,
}

fn longs(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let values = bytes.chunks_exact(8);
    values.map(|value| value.try_into().map_or(0, u64::from_le_bytes))
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let values = bytes.chunks_exact(4);
    values.map(|value| value.try_into().map_or(0, u32::from_le_bytes))
}

impl File {
    /// Opens a timeline.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is incomplete.
    pub fn open(path: &Path) -> Result<File, TimelineError> {
        let read = |error| TimelineError::Read {
            path: path.to_owned(),
            error,
        };
        let damaged = |what| TimelineError::Damaged {
            path: path.to_owned(),
            what,
        };
        let file = fs::File::open(path).map_err(read)?;
        let length = file.metadata().map_err(read)?.len();
        let mut file = File {
            path: path.to_owned(),
            file,
            length,
            loaded: OnceLock::new(),
            contents: Contents::default(),
            lane_indexes: Vec::new(),
        };
        if length < MAGIC.len() as u64 + TAIL {
            return Err(damaged("it is too short"));
        }
        if file.bytes(0, MAGIC.len() as u64)? != MAGIC {
            return Err(damaged("it begins otherwise"));
        }
        let tail = file.bytes(length - TAIL, TAIL)?;
        let (places, rest) = tail.split_at(16);
        let (sum, magic) = rest.split_at(4);
        if magic != MAGIC {
            return Err(damaged("its end is missing"));
        }
        let mut places = longs(places);
        let (at, size) = (places.next().unwrap_or(0), places.next().unwrap_or(0));
        if size > MOST_CONTENTS || at.checked_add(size) != Some(length - TAIL) {
            return Err(damaged("its table of contents is elsewhere"));
        }
        let text = file.bytes(at, size)?;
        if numbers(sum).next() != Some(crc32c::crc32c(&text)) {
            return Err(damaged("its table of contents has another checksum"));
        }
        let contents: Contents = serde_json::from_slice(&text)
            .map_err(|_| damaged("its table of contents is of another layout"))?;
        if contents.version != VERSION {
            return Err(damaged("it is of another version"));
        }
        file.contents = contents;
        file.check()?;
        file.read_lane_indexes()?;
        Ok(file)
    }

    pub(super) fn damaged(&self, what: &'static str) -> TimelineError {
        TimelineError::Damaged {
            path: self.path.clone(),
            what,
        }
    }

    /// Checks that everything in the table of contents lies in the file.
    fn check(&self) -> Result<(), TimelineError> {
        let inside = |offset: u64, size: Option<u64>| {
            size.and_then(|size| offset.checked_add(size))
                .is_some_and(|end| end <= self.length)
        };
        let mut next = 0_u32;
        for (at, lane) in (0..).zip(&self.contents.lanes) {
            if lane.parent.is_some_and(|parent| parent >= at) {
                return Err(self.damaged("a lane lies in a later one"));
            }
            if lane.items == 0 {
                continue;
            }
            if lane.first != next {
                return Err(self.damaged("slices are missing"));
            }
            next = next
                .checked_add(lane.items)
                .ok_or_else(|| self.damaged("there are too many slices"))?;
            let (items, tiles) = (u64::from(lane.items), u64::from(lane.tiles));
            let size = items * ITEM_BYTES
                + items.div_ceil(BLOCK as u64) * 16
                + tiles * (TILE_BYTES as u64 + TILE_ENTRY);
            let escapes = lane.escapes.checked_mul(ESCAPE_BYTES);
            let size = escapes.and_then(|escapes| escapes.checked_add(size));
            if !inside(lane.offset, size) {
                return Err(self.damaged("a lane lies outside"));
            }
        }
        if next != self.contents.items {
            return Err(self.damaged("slices are missing"));
        }
        for counter in &self.contents.counters {
            if !inside(counter.offset, counter.samples.checked_mul(16)) {
                return Err(self.damaged("a counter lies outside"));
            }
            if !inside(counter.table, counter.shares.checked_mul(ShareEntry::BYTES)) {
                return Err(self.damaged("the shares of a counter lie outside"));
            }
        }
        for run in &self.contents.runs {
            let end = run.first.checked_add(run.count);
            if end.is_none_or(|end| end > self.contents.items) {
                return Err(self.damaged("rows are missing"));
            }
        }
        if !inside(
            self.contents.numbers,
            Some(u64::from(self.contents.items) * 4),
        ) {
            return Err(self.damaged("rows are missing"));
        }
        if self.contents.end > LATEST {
            return Err(self.damaged("it is too long a time"));
        }
        Ok(())
    }

    /// Reads the values of each lane that are kept in memory.
    fn read_lane_indexes(&mut self) -> Result<(), TimelineError> {
        let mut all = Vec::with_capacity(self.contents.lanes.len());
        for lane in &self.contents.lanes {
            let mut known = LaneIndexes::default();
            let items = u64::from(lane.items);
            if items > 0 {
                let blocks = items.div_ceil(BLOCK as u64);
                let mut at = lane.offset + items * ITEM_BYTES;
                known.starts = longs(&self.bytes(at, blocks * 8)?).collect();
                at += blocks * 8;
                known.ends = longs(&self.bytes(at, blocks * 8)?).collect();
                at += blocks * 8;
                known.escapes = at;
                // Checked to lie in the file.
                at += lane.escapes * ESCAPE_BYTES + u64::from(lane.tiles) * TILE_BYTES as u64;
                let size = u64::from(lane.tiles) * TILE_ENTRY;
                for tile in self.bytes(at, size)?.chunks_exact(TILE_ENTRY as usize) {
                    let mut places = longs(tile);
                    let mut next = || places.next().unwrap_or(0);
                    let (level, index, offset) = (next() as u32, next(), next());
                    known
                        .tiles
                        .push((level, index, lane.offset.saturating_add(offset)));
                }
                if !known.tiles.is_sorted_by_key(|tile| (tile.0, tile.1)) {
                    return Err(self.damaged("tiles are out of order"));
                }
            }
            all.push(known);
        }
        self.lane_indexes = all;
        Ok(())
    }

    /// Reads bytes of the file.
    pub(super) fn bytes(&self, offset: u64, size: u64) -> Result<Vec<u8>, TimelineError> {
        if offset.checked_add(size).is_none_or(|end| end > self.length) {
            return Err(self.damaged("something lies outside"));
        }
        if let Some(loaded) = self.loaded.get() {
            let part = loaded.get(offset as usize..(offset + size) as usize);
            return part
                .map(<[u8]>::to_vec)
                .ok_or_else(|| self.damaged("something lies outside"));
        }
        let mut bytes = vec![0; size as usize];
        let read = self.file.read_exact_at(&mut bytes, offset);
        read.map_err(|error| TimelineError::Read {
            path: self.path.clone(),
            error,
        })?;
        Ok(bytes)
    }

    /// Reads all of a small file into memory, for callers that read most of its slices one by one.
    /// A large file stays on disk.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn load_if_small(&self) -> Result<(), TimelineError> {
        if self.length <= MOST_LOADED && self.loaded.get().is_none() {
            let bytes = self.bytes(0, self.length)?;
            // Another thread may have read the same bytes.
            self.loaded.get_or_init(|| bytes);
        }
        Ok(())
    }

    /// Returns the size of the file in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the origin of the file.
    pub fn origin(&self) -> &Origin {
        &self.contents.origin
    }

    /// Returns the first instant, in ns on the clock of the trace.
    pub fn zero(&self) -> i64 {
        self.contents.zero
    }

    /// Returns the time from the first to the last instant, in ns.
    pub fn end(&self) -> u64 {
        self.contents.end
    }

    /// Returns the number of slices.
    pub fn items(&self) -> u32 {
        self.contents.items
    }

    /// Returns the number of slices that were dropped for lack of numbers.
    pub fn dropped(&self) -> u64 {
        self.contents.dropped
    }

    /// Returns all lanes; a lane follows its parent.
    pub fn lanes(&self) -> &[Lane] {
        &self.contents.lanes
    }

    /// Returns the names of slices.
    pub fn names(&self) -> &[String] {
        &self.contents.names
    }

    /// Returns the lines; the first stands for no line.
    pub fn lines(&self) -> &[Line] {
        &self.contents.lines
    }

    /// Returns the values of a column for some slices of a lane.
    pub(super) fn column(
        &self,
        lane: &Lane,
        column: Column,
        range: &Range<u32>,
    ) -> Result<Vec<u8>, TimelineError> {
        let range = range.start.min(lane.items)..range.end.min(lane.items);
        let count = u64::from(range.end.saturating_sub(range.start));
        let at = lane.offset
            + column.offset(u64::from(lane.items))
            + u64::from(range.start) * column.size();
        self.bytes(at, count * column.size())
    }

    /// Widens the values of a narrow column, with its escapes.
    fn wide(
        &self,
        at: u32,
        column: Column,
        range: &Range<u32>,
    ) -> Result<Vec<Option<u64>>, TimelineError> {
        let (Some(lane), Some(known)) = (self.lane(at), self.lane_indexes.get(at as usize)) else {
            return Ok(Vec::new());
        };
        let bytes = self.column(lane, column, range)?;
        // Escapes are in the order of columns, and of slices within each.
        let mut escapes = Vec::new();
        if numbers(&bytes).any(|value| value == ESCAPE) {
            let code = column as u32;
            let first = self.escape_before(lane, known, (code, range.start))?;
            let behind = self.escape_before(lane, known, (code, range.end))?;
            let count = behind.saturating_sub(first).min(bytes.len() as u64 / 4);
            let at = known.escapes + first * ESCAPE_BYTES;
            escapes = self.bytes(at, count * ESCAPE_BYTES)?;
        }
        let mut escapes = escapes.chunks_exact(ESCAPE_BYTES as usize).peekable();
        let item_of = |escape: &[u8]| numbers(escape).next().unwrap_or(u32::MAX);
        let values = (range.start..).zip(numbers(&bytes));
        Ok(values
            .map(|(item, value)| match value {
                NONE => None,
                ESCAPE => {
                    while escapes.next_if(|escape| item_of(escape) < item).is_some() {}
                    let own = escapes.next_if(|escape| item_of(escape) == item);
                    own.and_then(|escape| longs(escape).nth(1))
                }
                value => Some(value.into()),
            })
            .collect())
    }

    /// Returns the number of escapes of a lane before those of a column and slice.
    fn escape_before(
        &self,
        lane: &Lane,
        known: &LaneIndexes,
        place: (u32, u32),
    ) -> Result<u64, TimelineError> {
        let (mut lo, mut hi) = (0, lane.escapes);
        while lo < hi {
            let mid = lo + (hi - lo) / 2;
            let bytes = self.bytes(known.escapes + mid * ESCAPE_BYTES, 8)?;
            let mut key = numbers(&bytes);
            let item = key.next().unwrap_or(0);
            let column = key.next().unwrap_or(0);
            match (column, item) < place {
                true => lo = mid + 1,
                false => hi = mid,
            }
        }
        Ok(lo)
    }

    /// Returns a lane.
    pub fn lane(&self, at: u32) -> Option<&Lane> {
        self.contents.lanes.get(at as usize)
    }

    /// Returns the slices of a lane at these places, with the values that bins need.
    pub(super) fn entries(&self, at: u32, range: Range<u32>) -> Result<Vec<Entry>, TimelineError> {
        let Some(lane) = self.lane(at) else {
            return Ok(Vec::new());
        };
        let range = range.start.min(lane.items)..range.end.min(lane.items);
        let starts = self.column(lane, Column::Start, &range)?;
        let lengths = self.wide(at, Column::Duration, &range)?;
        let lines = self.column(lane, Column::Line, &range)?;
        let kinds = self.column(lane, Column::Kind, &range)?;
        let rows = longs(&starts)
            .zip(lengths)
            .zip(numbers(&lines).zip(numbers(&kinds)));
        let rows = (range.start..).zip(rows);
        Ok(rows
            .map(|(item, ((start, length), (line, kind)))| {
                let start = start.min(LATEST);
                Entry {
                    item: lane.first.saturating_add(item),
                    start,
                    end: start.saturating_add(length.unwrap_or(0)).min(2 * LATEST),
                    line: self.checked_line(line),
                    flags: Flags((kind >> 24) as u8),
                }
            })
            .collect())
    }

    pub(super) fn checked_line(&self, line: u32) -> u32 {
        match (line as usize) < self.contents.lines.len() {
            true => line,
            false => 0,
        }
    }

    /// Returns the states of slices of a lane. If they are many, not all are in memory.
    pub(super) fn states(&self, at: u32, range: Range<u32>) -> Result<States, TimelineError> {
        let mut states = StatesSorter::new(UNDER_WAY);
        let mut from = range.start;
        while from < range.end {
            let to = from.saturating_add(CHUNK).min(range.end);
            for slice in self.waits(at, from..to)? {
                states.push(slice)?;
            }
            from = to;
        }
        states.finish()
    }

    /// Returns when slices of a lane were created, ready and started.
    fn waits(&self, at: u32, range: Range<u32>) -> Result<Vec<(u64, u64, u64)>, TimelineError> {
        let Some(lane) = self.lane(at) else {
            return Ok(Vec::new());
        };
        let range = range.start.min(lane.items)..range.end.min(lane.items);
        let starts = self.column(lane, Column::Start, &range)?;
        let waits = self.wide(at, Column::Wait, &range)?;
        let queues = self.wide(at, Column::Queue, &range)?;
        let rows = longs(&starts).zip(waits.into_iter().zip(queues));
        let rows = rows.filter_map(|(start, (wait, queue))| {
            let start = start.min(LATEST);
            let (wait, queue) = (wait?, queue?);
            Some((
                start.saturating_sub(wait),
                start.saturating_sub(queue),
                start,
            ))
        });
        Ok(rows.collect())
    }

    /// Returns slices of a lane with all columns.
    pub fn slices(&self, at: u32, range: Range<u32>) -> Result<Vec<Item>, TimelineError> {
        let Some(lane) = self.lane(at) else {
            return Ok(Vec::new());
        };
        let range = range.start.min(lane.items)..range.end.min(lane.items);
        let entries = self.entries(at, range.clone())?;
        let waits = self.wide(at, Column::Wait, &range)?;
        let queues = self.wide(at, Column::Queue, &range)?;
        let names = self.column(lane, Column::Name, &range)?;
        let rows = self.column(lane, Column::Row, &range)?;
        let kinds = self.column(lane, Column::Kind, &range)?;
        let waits = waits.into_iter().zip(queues);
        let rest = numbers(&names).zip(numbers(&rows).zip(numbers(&kinds)));
        let items = entries.into_iter().zip(waits).zip(rest);
        Ok(items
            .map(|((entry, (wait, queue)), (name, (row, kind)))| Item {
                item: entry.item,
                lane: at,
                start: entry.start,
                end: entry.end,
                states: wait.zip(queue).map(|(wait, queue)| {
                    let states = [wait, queue].map(|before| entry.start.saturating_sub(before));
                    (states[0], states[1])
                }),
                depth: kind as u16,
                name: if (name as usize) < self.contents.names.len() {
                    name
                } else {
                    0
                },
                line: entry.line,
                what: SliceKind::from_code((kind >> 16) as u8).unwrap_or(SliceKind::Task),
                row,
                flags: entry.flags,
            })
            .collect())
    }

    /// Returns a slice by its number; `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn item(&self, item: u32) -> Result<Option<Item>, TimelineError> {
        let Some(at) = self.lane_of(item) else {
            return Ok(None);
        };
        let first = self.lane(at).map_or(0, |lane| lane.first);
        let place = item - first;
        Ok(self.slices(at, place..place + 1)?.pop())
    }

    /// Returns the lane of a slice.
    pub fn lane_of(&self, item: u32) -> Option<u32> {
        if item >= self.contents.items {
            return None;
        }
        // Lanes without slices have the number 0 or that of the next.
        let mut lanes = (0..).zip(&self.contents.lanes);
        lanes
            .find(|(_, lane)| item >= lane.first && item - lane.first < lane.items)
            .map(|(at, _)| at)
    }

    /// Returns the slice of a row.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn of_row(&self, what: SliceKind, row: u32) -> Result<Option<u32>, TimelineError> {
        for run in self
            .contents
            .runs
            .iter()
            .filter(|run| run.slice_kind() == Some(what))
        {
            let (mut lo, mut hi) = (run.first, run.first + run.count);
            while lo < hi {
                let mid = lo + (hi - lo) / 2;
                let bytes = self.bytes(self.contents.numbers + u64::from(mid) * 4, 4)?;
                let item = numbers(&bytes).next().unwrap_or(u32::MAX);
                let Some(found) = self.row(item)? else {
                    return Err(self.damaged("a row has no slice"));
                };
                match found.cmp(&row) {
                    std::cmp::Ordering::Less => lo = mid + 1,
                    std::cmp::Ordering::Equal => return Ok(Some(item)),
                    std::cmp::Ordering::Greater => hi = mid,
                }
            }
        }
        Ok(None)
    }

    fn row(&self, item: u32) -> Result<Option<u32>, TimelineError> {
        let Some(lane) = self.lane_of(item).and_then(|at| self.lane(at)) else {
            return Ok(None);
        };
        let place = item - lane.first;
        let bytes = self.column(lane, Column::Row, &(place..place + 1))?;
        Ok(numbers(&bytes).next())
    }

    /// Returns the number of slices of a lane that begin before a moment.
    pub fn before(&self, at: u32, moment: u64) -> Result<u32, TimelineError> {
        let (Some(lane), Some(known)) = (self.lane(at), self.lane_indexes.get(at as usize)) else {
            return Ok(0);
        };
        let block = known.starts.partition_point(|start| *start < moment);
        let Some(block) = block.checked_sub(1) else {
            return Ok(0);
        };
        let first = (block * BLOCK) as u32;
        let starts = self.column(lane, Column::Start, &(first..first + BLOCK as u32))?;
        let before = longs(&starts).take_while(|start| *start < moment).count();
        Ok(first + before as u32)
    }

    /// Returns the slices of a lane before `lo` that end after `moment`, with their places. Reads
    /// at most `most` blocks.
    pub(super) fn earlier(
        &self,
        at: u32,
        lo: u32,
        moment: u64,
    ) -> Result<Vec<Entry>, TimelineError> {
        let Some(known) = self.lane_indexes.get(at as usize) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        let blocks = known.ends.iter().enumerate();
        let blocks = blocks.take((lo as usize).div_ceil(BLOCK));
        for (block, _) in blocks.filter(|(_, end)| **end > moment) {
            let first = (block * BLOCK) as u32;
            let entries = self.entries(at, first..(first + BLOCK as u32).min(lo))?;
            found.extend(entries.into_iter().filter(|entry| entry.end > moment));
        }
        Ok(found)
    }

    /// Returns a stored tile of a lane.
    pub(super) fn stored(
        &self,
        at: u32,
        level: u32,
        index: u64,
    ) -> Result<Option<Vec<u8>>, TimelineError> {
        let Some(known) = self.lane_indexes.get(at as usize) else {
            return Ok(None);
        };
        let tiles = &known.tiles;
        let place = tiles.binary_search_by_key(&(level, index), |tile| (tile.0, tile.1));
        let Some((_, _, offset)) = place.ok().and_then(|place| tiles.get(place)) else {
            return Ok(None);
        };
        self.bytes(*offset, TILE_BYTES as u64).map(Some)
    }

    /// Calls a function with the names and lines of all slices of all lanes, in order.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn each_name_and_line(
        &self,
        mut each: impl FnMut(u32, u32, u32),
    ) -> Result<(), TimelineError> {
        for lane in self.contents.lanes.iter().filter(|lane| lane.items > 0) {
            let mut at = 0;
            while at < lane.items {
                let range = at..(at + CHUNK).min(lane.items);
                let names = self.column(lane, Column::Name, &range)?;
                let lines = self.column(lane, Column::Line, &range)?;
                for (item, (name, line)) in (at..).zip(numbers(&names).zip(numbers(&lines))) {
                    each(lane.first + item, name, line);
                }
                at = range.end;
            }
        }
        Ok(())
    }

    /// Returns the slices of a lane that overlap a time, in the order of their starts; at most
    /// `most` of those that begin in it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn between(
        &self,
        at: u32,
        from: u64,
        to: u64,
        most: u32,
    ) -> Result<Vec<Item>, TimelineError> {
        let lo = self.before(at, from)?;
        let hi = self.before(at, to)?.clamp(lo, lo.saturating_add(most));
        let first = self.lane(at).map_or(0, |lane| lane.first);
        let mut found = Vec::new();
        for entry in self.earlier(at, lo, from)? {
            let place = entry.item - first;
            found.extend(self.slices(at, place..place + 1)?);
        }
        found.extend(self.slices(at, lo..hi)?);
        Ok(found)
    }

    /// Returns for each line the time in which tasks were ready while a task of the line ran on
    /// their processor, added up over tasks.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn queued_behind(&self) -> Result<Vec<u64>, TimelineError> {
        let mut lines = vec![0_u64; self.contents.lines.len()];
        for (at, lane) in (0..).zip(&self.contents.lanes) {
            let runs_tasks = matches!(lane.kind, LaneKind::Processor | LaneKind::Program);
            if !runs_tasks || lane.longest_wait == 0 {
                continue;
            }
            let states = self.states(at, 0..lane.items)?;
            let mut first = 0;
            let mut covered = 0;
            while first < lane.items {
                let last = (first + CHUNK).min(lane.items);
                for slice in self.slices(at, first..last)? {
                    // Overlapping time counts for the slice that began first.
                    let start = slice.start.max(covered);
                    if slice.what != SliceKind::Task || slice.end <= start {
                        continue;
                    }
                    covered = slice.end;
                    let queued = states.ready_between(start, slice.end)?;
                    if let Some(sum) = lines.get_mut(slice.line as usize) {
                        *sum = sum.saturating_add(queued);
                    }
                }
                first = last;
            }
        }
        Ok(lines)
    }
}
