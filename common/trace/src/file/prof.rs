//! The reader of files.

mod bytes;
mod counters;
mod glance;
mod losses;
mod unreadable;

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

/// A `.prof` file. Readable parts of a damaged file are read, and the rest is counted in
/// [`Losses`].
///
/// Blocks are verified when records are read for the first time. A block with a wrong checksum is
/// left out. A file may be opened while it is still written; it then has the records that were
/// committed before.
#[derive(Debug)]
pub struct Prof {
    bytes: Bytes,
    head: Head,
    seals: OnceLock<Vec<Seal>>,
}

impl Prof {
    /// Opens a file. A finished file is mapped, and must not be truncated while it is open. Any
    /// other file is read into memory.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is not a `.prof` file with a complete head.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let bytes = Bytes::open(path).map_err(|source| OpenError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::new(bytes)
    }

    /// Reads a file from its bytes.
    ///
    /// # Errors
    /// Returns an error if they are not a `.prof` file with a complete head.
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

    /// Returns the run and the process that wrote the file.
    pub fn info(&self) -> &RunInfo {
        &self.head.info
    }

    /// Returns a reading of both clocks from when the file was created.
    pub fn clocks(&self) -> ClockSample {
        self.head.clocks
    }

    /// Returns the size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Returns all readable records, block by block. Those of one lane are in the order in which
    /// they were written.
    pub fn records(&self) -> Records<'_> {
        Records {
            walk: self.walk(),
            head: &self.head,
        }
    }

    /// Returns what the file lost and what this reader could not read. Reads the whole file.
    pub fn losses(&self) -> Losses {
        unreadable::count(&self.bytes, &self.head, self.walk())
    }

    /// Returns the part of [`Self::losses`] that is counted in the file's first pages, without
    /// reading records: records produced, written, dropped and in flight. If the process was
    /// killed, the counts may be off by one record for each thread.
    pub fn counted(&self) -> Losses {
        counters::count(&self.bytes, &self.head, None)
    }

    fn walk(&self) -> Walk<'_> {
        let layout = self.head.layout;
        let seals = self.seals.get_or_init(|| {
            let is_whole = LiveWords::read(&self.bytes, &layout).end == Seal::Sound;
            walk::verify(&self.bytes, &layout, is_whole)
        });
        Walk::new(&self.bytes, layout, seals)
    }
}

/// The records of a file. Kinds that are unknown to this version are skipped; [`Prof::losses`]
/// counts them.
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
