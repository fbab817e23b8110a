//! Reading a file back.

mod bytes;
mod counters;
mod glance;
mod losses;

#[cfg(target_os = "linux")]
#[cfg(test)]
mod later;

use super::checksum::Seal;
use super::error::OpenError;
use super::head::{self, Head};
use super::run::RunInfo;
use super::walk::{self, Walk};
use crate::record::{ClockSample, Record};
use bytes::Bytes;
use counters::LiveWords;
use std::path::Path;
use std::sync::OnceLock;

pub use glance::{Glance, glance};
pub use losses::{KindCount, Losses};

/// A `.prof` file, read with tolerance: whatever can be read is, and the rest is counted in [`Losses`].
///
/// Blocks are compared with their checksums when records are read for the first time. The records of one that differs are
/// left out. A file may be read while it is still written; it then holds what was committed when it was opened.
#[derive(Debug)]
pub struct Prof {
    bytes: Bytes,
    head: Head,
    seals: OnceLock<Vec<Seal>>,
}

impl Prof {
    /// Opens a file. A finished one is mapped and must not be cut while it is open; another is read into memory.
    ///
    /// # Errors
    /// Where it cannot be read, or is no `.prof` file with a whole head.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let bytes = Bytes::open(path).map_err(|source| OpenError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::new(bytes)
    }

    /// Reads a file's bytes.
    ///
    /// # Errors
    /// Where they are no `.prof` file with a whole head.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, OpenError> {
        Self::new(Bytes::Read(bytes))
    }

    fn new(bytes: Bytes) -> Result<Self, OpenError> {
        let head = head::decode(&bytes)?;
        Ok(Prof {
            bytes,
            head,
            seals: OnceLock::new(),
        })
    }

    /// Which run and process wrote it.
    pub fn info(&self) -> &RunInfo {
        &self.head.info
    }

    /// Both clocks when the file was begun.
    pub fn clocks(&self) -> ClockSample {
        self.head.clocks
    }

    /// Bytes of the file.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// All records that can be read, block after block. Those of one lane are in the order in which they were written.
    pub fn records(&self) -> Records<'_> {
        Records {
            walk: self.walk(),
            head: &self.head,
        }
    }

    /// What the file lost, or this reader could not read. Goes through all of the file.
    pub fn losses(&self) -> Losses {
        losses::count(&self.bytes, &self.head, self.walk())
    }

    /// The part of [`Self::losses`] that is counted in the file's first pages, without reading a record: records
    /// produced, written, dropped and in flight. Of a process that was killed they may be off by one record a thread.
    pub fn counted(&self) -> Losses {
        counters::count(&self.bytes, &self.head, None)
    }

    fn walk(&self) -> Walk<'_> {
        let layout = self.head.layout;
        let seals = self.seals.get_or_init(|| {
            let is_whole = LiveWords::of(&self.bytes, &layout).end == Seal::Sound;
            walk::verify(&self.bytes, &layout, is_whole)
        });
        Walk::new(&self.bytes, layout, seals)
    }
}

/// The records of a file. Kinds that this version does not know are passed over; [`Prof::losses`] counts them.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    walk: Walk<'a>,
    head: &'a Head,
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let head = self.head;
        self.walk
            .find_map(|frame| match head.kinds.get(usize::from(frame.code)) {
                Some(Some(kind)) if kind.known => {
                    Record::decode(frame.code, frame.body, kind.fixed)
                }
                _ => None,
            })
    }
}
