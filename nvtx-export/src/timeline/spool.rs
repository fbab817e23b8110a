//! Slices by lane, in memory as long as they are few and else in a temporary file without a name.

use super::format::TimelineError;
use super::lane::LaneIndex;
use super::slice::{Flags, What};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Bytes of a record.
const SIZE: usize = 50;

/// Bytes in memory before all are written out.
const IN_MEMORY: usize = 48 << 20;

/// No time.
const NONE: i64 = i64::MIN;

/// A slice of one lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Record {
    /// Which of the slices of all lanes, in the order in which they were handed over.
    pub(super) number: u32,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) states: Option<(i64, i64)>,
    pub(super) name: u32,
    pub(super) line: u32,
    pub(super) row: u32,
    pub(super) what: What,
    pub(super) flags: Flags,
}

impl Record {
    fn bytes(&self) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        let (created, ready) = self.states.unwrap_or((NONE, NONE));
        let times = [self.start, self.end, created, ready];
        let times = times.into_iter().flat_map(i64::to_le_bytes);
        let numbers = [self.number, self.name, self.line, self.row];
        let numbers = numbers.into_iter().flat_map(u32::to_le_bytes);
        let last = [self.what as u8, self.flags.0];
        for (to, from) in bytes.iter_mut().zip(times.chain(numbers).chain(last)) {
            *to = from;
        }
        bytes
    }

    fn of(bytes: &[u8]) -> Option<Record> {
        let time = |at: usize| Some(i64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let (created, ready) = (time(16)?, time(24)?);
        Some(Record {
            start: time(0)?,
            end: time(8)?,
            states: (created != NONE).then_some((created, ready)),
            number: number(32)?,
            name: number(36)?,
            line: number(40)?,
            row: number(44)?,
            what: What::from_code(*bytes.get(48)?)?,
            flags: Flags(*bytes.get(49)?),
        })
    }
}

/// Records of one lane.
#[derive(Debug, Default)]
struct Part {
    buffer: Vec<u8>,
    /// Where earlier ones are in the file: offset and bytes.
    chunks: Vec<(u64, usize)>,
}

/// Records by lane.
#[derive(Debug, Default)]
pub(super) struct Spool {
    parts: Vec<Part>,
    bytes: usize,
    file: Option<File>,
    written: u64,
}

impl Spool {
    /// Adds a record.
    pub(super) fn push(&mut self, lane: LaneIndex, record: &Record) -> Result<(), TimelineError> {
        let at = lane.0 as usize;
        if at >= self.parts.len() {
            self.parts.resize_with(at + 1, Part::default);
        }
        if let Some(part) = self.parts.get_mut(at) {
            part.buffer.extend_from_slice(&record.bytes());
        }
        self.bytes += SIZE;
        if self.bytes >= IN_MEMORY {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), TimelineError> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile().map_err(TimelineError::Spool)?),
        };
        for part in self.parts.iter_mut().filter(|part| !part.buffer.is_empty()) {
            file.write_all_at(&part.buffer, self.written)
                .map_err(TimelineError::Spool)?;
            part.chunks.push((self.written, part.buffer.len()));
            self.written += part.buffer.len() as u64;
            part.buffer.clear();
        }
        self.bytes = 0;
        Ok(())
    }

    /// The records of a lane, which are in memory no longer.
    pub(super) fn take(&mut self, lane: LaneIndex) -> Result<Vec<Record>, TimelineError> {
        let Some(part) = self.parts.get_mut(lane.0 as usize) else {
            return Ok(Vec::new());
        };
        let part = std::mem::take(part);
        let spilled: usize = part.chunks.iter().map(|chunk| chunk.1).sum();
        let mut records = Vec::with_capacity((spilled + part.buffer.len()) / SIZE);
        let mut bytes = Vec::new();
        for (offset, length) in part.chunks {
            bytes.resize(length, 0);
            if let Some(file) = &self.file {
                file.read_exact_at(&mut bytes, offset)
                    .map_err(TimelineError::Spool)?;
            }
            records.extend(bytes.chunks_exact(SIZE).filter_map(Record::of));
        }
        records.extend(part.buffer.chunks_exact(SIZE).filter_map(Record::of));
        Ok(records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_as_they_were() {
        let record = |number: u32| Record {
            number,
            start: -5,
            end: i64::MAX,
            states: number.is_multiple_of(2).then_some((i64::MIN + 1, 7)),
            name: 9,
            line: u32::MAX,
            row: 3,
            what: What::ApiCall,
            flags: Flags::FAILED | Flags::CRITICAL,
        };
        let mut spool = Spool::default();
        for number in 0..10 {
            spool.push(LaneIndex(number % 3), &record(number)).unwrap();
            if number % 4 == 3 {
                spool.flush().unwrap();
            }
        }
        let expected: Vec<Record> = [1, 4, 7].map(record).to_vec();
        assert_eq!(spool.take(LaneIndex(1)).unwrap(), expected);
        assert_eq!(spool.take(LaneIndex(7)).unwrap(), []);
    }
}
