//! The bytes of a file, mapped or read.

#![allow(unsafe_code, reason = "a file is mapped to be read")]

use crate::file::is_prof;
use crate::file::layout::{ENDED, at};
use crate::file::walk::{is_finished, word};
use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

/// A file's bytes.
#[derive(Debug)]
pub(crate) enum Bytes {
    /// The mapped bytes of a finished file.
    Mapped(Mmap),
    /// The bytes of any other file.
    Read(Vec<u8>),
}

impl Bytes {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut first = Vec::new();
        file.by_ref()
            .take(at::TEXT as u64)
            .read_to_end(&mut first)?;
        if is_prof(&first) && is_finished(&first) && file.metadata()?.is_file() {
            // SAFETY: a finished file is not written any more. Files are replaced by removing them,
            // which keeps the mapped one. The documentation of Prof::open rules out truncation by
            // others.
            return unsafe { Mmap::map(&file) }.map(Bytes::Mapped);
        }
        // The file is still written. Blocks that were not claimed are empty.
        let claims = word(&first, at::LIVE) & !ENDED;
        let blocks = word(&first, at::BLOCK_SIZE) as u32;
        let wanted = u64::from(blocks)
            .checked_mul(claims)
            .and_then(|size| size.checked_add(word(&first, at::BLOCKS_AT)))
            .filter(|_| is_prof(&first))
            .unwrap_or(u64::MAX);
        file.take(wanted.saturating_sub(first.len() as u64))
            .read_to_end(&mut first)?;
        Ok(Bytes::Read(first))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Read(bytes) => bytes,
        }
    }
}
