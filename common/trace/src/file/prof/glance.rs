//! The progress of a file, without reading its records.

use super::Prof;
use crate::file::error::OpenError;
use crate::file::is_prof;
use crate::file::layout::at;
use crate::file::run::RunInfo;
use crate::file::walk::word;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest size of a head with its lane table, in bytes.
const MOST: u64 = 16 << 20;

/// The progress of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// The run and the process that write the file.
    pub info: RunInfo,
    /// The number of records in the file.
    pub records: u64,
    /// The number of records that were dropped.
    pub dropped: u64,
    /// Whether the file is complete.
    pub is_finished: bool,
}

/// Reads the first pages, before the records, of a file that may still be written. Maps nothing.
///
/// # Errors
/// Returns an error if the file cannot be read, or is not a `.prof` file with a complete head.
pub fn glance(path: &Path) -> Result<Glance, OpenError> {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let mut first = Vec::new();
        let head = at::TEXT as u64;
        file.by_ref().take(head).read_to_end(&mut first)?;
        if is_prof(&first) {
            let more = word(&first, at::BLOCKS_AT).min(MOST).saturating_sub(head);
            file.take(more).read_to_end(&mut first)?;
        }
        Ok(first)
    };
    let bytes = read().map_err(|source| OpenError::Read {
        path: path.to_owned(),
        source,
    })?;
    let prof = Prof::from_bytes(bytes)?;
    let counted = prof.counted();
    Ok(Glance {
        info: prof.info().clone(),
        records: counted.written,
        dropped: counted.dropped.total(),
        is_finished: counted.finished,
    })
}
