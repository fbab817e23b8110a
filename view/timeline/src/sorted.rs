//! Records in the order of their keys: in memory while they are few, otherwise sorted in runs that
//! are merged into a temporary file.

use super::format::TimelineError;
use super::spool::{PIECE, Spooled};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::marker::PhantomData;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// A record with an order.
pub(super) trait Keyed: Spooled {
    /// The key that records are sorted by.
    type Key: Ord;

    /// Returns the key of this record.
    fn key(&self) -> Self::Key;
}

impl Spooled for u64 {
    const SIZE: usize = 8;

    fn put(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(u64::from_le_bytes)
    }
}

impl Keyed for u64 {
    type Key = u64;

    fn key(&self) -> u64 {
        *self
    }
}

/// A temporary file without a name, with the number of records written.
#[derive(Debug)]
struct RecordFile<R> {
    file: File,
    count: usize,
    bytes: Vec<u8>,
    records: PhantomData<R>,
}

impl<R: Spooled> RecordFile<R> {
    fn new() -> Result<Self, TimelineError> {
        Ok(RecordFile {
            file: tempfile::tempfile().map_err(TimelineError::Spool)?,
            count: 0,
            bytes: Vec::new(),
            records: PhantomData,
        })
    }

    fn push(&mut self, record: &R) -> Result<(), TimelineError> {
        record.put(&mut self.bytes);
        match self.bytes.len() >= PIECE * R::SIZE {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<(), TimelineError> {
        let at = (self.count * R::SIZE) as u64;
        let written = self.file.write_all_at(&self.bytes, at);
        written.map_err(TimelineError::Spool)?;
        self.count += self.bytes.len() / R::SIZE;
        self.bytes.clear();
        Ok(())
    }
}

/// Reads a range of records of a file.
fn read<R: Spooled>(
    file: &File,
    range: Range<usize>,
    bytes: &mut Vec<u8>,
    to: &mut Vec<R>,
) -> Result<(), TimelineError> {
    bytes.resize(range.len() * R::SIZE, 0);
    let at = (range.start * R::SIZE) as u64;
    let read = file.read_exact_at(bytes, at);
    read.map_err(TimelineError::Spool)?;
    to.extend(bytes.chunks_exact(R::SIZE).filter_map(R::get));
    Ok(())
}

/// Sorts records that are added in any order.
#[derive(Debug)]
pub(super) struct Sorter<R> {
    /// The maximum number of records in memory.
    limit: usize,
    records: Vec<R>,
    written: Option<RecordFile<R>>,
    /// The end of each run.
    ends: Vec<usize>,
}

impl<R: Keyed> Sorter<R> {
    /// Creates a sorter that holds at most `limit` records in memory.
    pub(super) fn new(limit: usize) -> Self {
        Sorter {
            limit: limit.max(1),
            records: Vec::new(),
            written: None,
            ends: Vec::new(),
        }
    }

    /// Creates a sorter that holds at most `limit` records in memory, with room for `count` records
    /// up to that limit.
    pub(super) fn with_room(limit: usize, count: usize) -> Self {
        let mut sorter = Sorter::new(limit);
        sorter.records.reserve_exact(count.min(sorter.limit));
        sorter
    }

    pub(super) fn push(&mut self, record: R) -> Result<(), TimelineError> {
        if self.records.len() >= self.limit {
            self.spill()?;
        }
        self.records.push(record);
        Ok(())
    }

    /// Writes the records in memory as a run.
    fn spill(&mut self) -> Result<(), TimelineError> {
        self.records.sort_unstable_by_key(Keyed::key);
        let written = match &mut self.written {
            Some(written) => written,
            none => none.insert(RecordFile::new()?),
        };
        for record in &self.records {
            written.push(record)?;
        }
        written.flush()?;
        self.ends.push(written.count);
        self.records.clear();
        Ok(())
    }

    /// Returns all records in order.
    pub(super) fn finish(mut self) -> Result<Sorted<R>, TimelineError> {
        if self.written.is_none() {
            self.records.sort_unstable_by_key(Keyed::key);
            return Ok(Sorted::Memory(self.records));
        }
        self.spill()?;
        self.records = Vec::new();
        let Some(runs) = self.written.take() else {
            return Ok(Sorted::Memory(Vec::new()));
        };
        let file = match self.ends.len() {
            1 => runs.file,
            _ => merge::<R>(&runs.file, &self.ends, self.limit)?,
        };
        Ok(Sorted::File {
            file,
            count: runs.count,
        })
    }
}

/// A run during the merge.
struct Run<R> {
    rest: Range<usize>,
    piece: std::vec::IntoIter<R>,
}

/// Merges runs into one file.
fn merge<R: Keyed>(file: &File, ends: &[usize], limit: usize) -> Result<File, TimelineError> {
    let piece = (limit / ends.len().max(1)).clamp(16, PIECE);
    let mut bytes = Vec::new();
    let mut next = |run: &mut Run<R>| -> Result<Option<R>, TimelineError> {
        if run.piece.as_slice().is_empty() && !run.rest.is_empty() {
            let end = (run.rest.start + piece).min(run.rest.end);
            let mut records = Vec::with_capacity(piece);
            read(file, run.rest.start..end, &mut bytes, &mut records)?;
            run.rest.start = end;
            run.piece = records.into_iter();
        }
        Ok(run.piece.next())
    };
    let begins = std::iter::once(0).chain(ends.iter().copied());
    let mut runs: Vec<(Run<R>, Option<R>)> = begins
        .zip(ends)
        .map(|(begin, end)| {
            let piece = Vec::new().into_iter();
            let rest = begin..*end;
            (Run { rest, piece }, None)
        })
        .collect();
    let mut heads = BinaryHeap::with_capacity(runs.len());
    for (place, (run, head)) in runs.iter_mut().enumerate() {
        *head = next(run)?;
        heads.extend(head.as_ref().map(|head| Reverse((head.key(), place))));
    }
    let mut merged = RecordFile::new()?;
    while let Some(Reverse((_, place))) = heads.pop() {
        let Some((run, head)) = runs.get_mut(place) else {
            continue;
        };
        if let Some(record) = head.take() {
            merged.push(&record)?;
        }
        *head = next(run)?;
        heads.extend(head.as_ref().map(|head| Reverse((head.key(), place))));
    }
    merged.flush()?;
    Ok(merged.file)
}

/// Records in order.
#[derive(Debug)]
pub(super) enum Sorted<R> {
    /// Few.
    Memory(Vec<R>),
    /// Many.
    File {
        /// The file.
        file: File,
        /// The number of records.
        count: usize,
    },
}

impl<R> Default for Sorted<R> {
    fn default() -> Self {
        Sorted::Memory(Vec::new())
    }
}

impl<R: Spooled> Sorted<R> {
    pub(super) fn len(&self) -> usize {
        match self {
            Sorted::Memory(records) => records.len(),
            Sorted::File { count, .. } => *count,
        }
    }

    /// Returns whether all records are in memory.
    pub(super) fn is_in_memory(&self) -> bool {
        matches!(self, Sorted::Memory(_))
    }

    /// Returns a range of records, clipped to the existing ones.
    pub(super) fn part(&self, range: Range<usize>) -> Result<Cow<'_, [R]>, TimelineError> {
        let end = range.end.min(self.len());
        let range = range.start.min(end)..end;
        match self {
            Sorted::Memory(records) => Ok(Cow::Borrowed(records.get(range).unwrap_or_default())),
            Sorted::File { file, .. } => {
                let mut records = Vec::with_capacity(range.len());
                read(file, range, &mut Vec::new(), &mut records)?;
                Ok(Cow::Owned(records))
            }
        }
    }

    /// Calls `each` with a range of records and their places.
    pub(super) fn each<E: From<TimelineError>>(
        &self,
        range: Range<usize>,
        mut each: impl FnMut(usize, &R) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Sorted::Memory(records) => {
                let part = records.get(range.clone()).unwrap_or_default();
                let mut all = range.zip(part);
                all.try_for_each(|(at, record)| each(at, record))
            }
            Sorted::File { file, count } => {
                let (mut bytes, mut records) = (Vec::new(), Vec::new());
                let end = range.end.min(*count);
                let mut at = range.start;
                while at < end {
                    let piece = at..(at + PIECE).min(end);
                    records.clear();
                    read(file, piece.clone(), &mut bytes, &mut records)?;
                    for (at, record) in piece.zip(&records) {
                        each(at, record)?;
                    }
                    at += PIECE;
                }
                Ok(())
            }
        }
    }
}

/// A cursor over records.
pub(super) struct Walk<'s, R: Clone> {
    sorted: &'s Sorted<R>,
    piece: Cow<'s, [R]>,
    /// The start of the current piece, and the number of its records passed.
    from: usize,
    at: usize,
}

impl<R: Spooled> Sorted<R> {
    /// Returns a cursor at the first record.
    pub(super) fn walk(&self) -> Walk<'_, R> {
        Walk {
            sorted: self,
            piece: Cow::Borrowed(&[]),
            from: 0,
            at: 0,
        }
    }
}

impl<R: Spooled> Walk<'_, R> {
    /// Returns the next record without passing it.
    pub(super) fn peek(&mut self) -> Result<Option<R>, TimelineError> {
        if self.at >= self.piece.len() {
            self.from += self.piece.len();
            self.at = 0;
            self.piece = self.sorted.part(self.from..self.from + PIECE)?;
        }
        Ok(self.piece.get(self.at).copied())
    }

    /// Passes and returns the next record if it meets a condition.
    pub(super) fn next_if(
        &mut self,
        is: impl FnOnce(&R) -> bool,
    ) -> Result<Option<R>, TimelineError> {
        let next = self.peek()?.filter(is);
        self.at += usize::from(next.is_some());
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn external_sort_matches_in_memory_sort(
            numbers in prop::collection::vec(0_u64..50, 0..300), limit in 1_usize..80, from in 0_usize..100,
        ) {
            let mut expected = numbers.clone();
            expected.sort_unstable();
            let mut sorter = Sorter::new(limit);
            for number in &numbers {
                sorter.push(*number).unwrap();
            }
            let sorted = sorter.finish().unwrap();
            prop_assert_eq!(sorted.len(), numbers.len());
            prop_assert_eq!(sorted.is_in_memory(), numbers.len() <= limit);
            let mut found = Vec::new();
            sorted.each(0..sorted.len(), |at, number| {
                found.push((at, *number));
                Ok::<(), TimelineError>(())
            }).unwrap();
            let all: Vec<_> = expected.iter().copied().enumerate().collect();
            prop_assert_eq!(found, all);
            let from = from.min(expected.len());
            let part = sorted.part(from..from + 20).unwrap();
            prop_assert_eq!(part.as_ref(), &expected[from..(from + 20).min(expected.len())]);
        }
    }
}
