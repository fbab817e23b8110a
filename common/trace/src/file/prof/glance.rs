//! How far a file has come, without reading its records.

use super::Prof;
use crate::file::error::OpenError;
use crate::file::is_prof;
use crate::file::layout::at;
use crate::file::run::RunInfo;
use crate::file::walk::word;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of a head with its table of lanes.
const MOST: u64 = 16 << 20;

/// How far a file has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// Which run and process writes it.
    pub info: RunInfo,
    /// Records that are in it.
    pub records: u64,
    /// Records that were dropped.
    pub dropped: u64,
    /// Whether it is complete.
    pub is_finished: bool,
}

/// Reads the first pages of a file that may be written at this moment: what comes before its records. Nothing is mapped.
///
/// # Errors
/// Where it cannot be read, or is no `.prof` file with a whole head.
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
