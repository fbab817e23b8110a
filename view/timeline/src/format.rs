//! The layout of a timeline file: docs/timeline-file.md.

use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

use super::lane::Lane;
use super::slice::What;

/// The first and the last bytes of the file.
pub(super) const MAGIC: [u8; 8] = *b"weftTL\0\x01";

/// The version of the layout; another one is built anew.
pub(super) const VERSION: u32 = 5;

/// Bytes at the end: where the table of contents begins, its length, its CRC-32C, and the magic.
pub(super) const TAIL: u64 = 8 + 8 + 4 + 8;

/// Slices of a block, of which the first start and the last end are kept in memory.
pub(super) const BLOCK: usize = 256;

/// Bins of a tile.
pub const TILE_BINS: usize = 1024;

/// Tiles with more slices than these are told as bins.
pub const EXACT: usize = 2048;

/// In a column of numbers of 32 bits: the value stands among the escapes of the lane.
pub(super) const ESCAPE: u32 = u32::MAX;

/// In the columns of waiting times: there is none.
pub(super) const NONE: u32 = u32::MAX - 1;

/// Columns of a lane, in their order in the file, with bytes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// When each began.
    Start,
    /// How long it took.
    Duration,
    /// From asked for to begun.
    Wait,
    /// From ready to begun.
    Queue,
    /// Its name.
    Name,
    /// Its line.
    Line,
    /// The number of its row.
    Row,
    /// Its depth, what it is, its flags.
    Kind,
}

impl Column {
    /// Bytes of a value.
    pub(super) const fn size(self) -> u64 {
        match self {
            Column::Start => 8,
            _ => 4,
        }
    }

    /// Where the column begins in a lane of so many slices.
    pub(super) const fn offset(self, items: u64) -> u64 {
        let before = match self {
            Column::Start => 0,
            Column::Duration => 8,
            Column::Wait => 12,
            Column::Queue => 16,
            Column::Name => 20,
            Column::Line => 24,
            Column::Row => 28,
            Column::Kind => 32,
        };
        before * items
    }
}

/// Bytes of a slice in all columns.
pub(super) const ITEM_BYTES: u64 = 36;

/// Bytes of an escape: slice, column, value.
pub(super) const ESCAPE_BYTES: u64 = 16;

/// Bytes of what is said of a stored tile: level, zero, index, offset.
pub(super) const TILE_ENTRY: u64 = 24;

/// Bytes of a stored tile: nine arrays of four bytes a bin.
pub(super) const TILE_BYTES: usize = 9 * 4 * TILE_BINS;

/// A source position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function.
    pub function: Option<String>,
}

/// A counter as the table of contents has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CounterEntry {
    pub(super) lane: u32,
    pub(super) label: String,
    pub(super) unit: String,
    pub(super) max: u64,
    /// When it was the highest first.
    pub(super) peak: u64,
    pub(super) samples: u64,
    pub(super) offset: u64,
    /// How many levels add up to it, and where their table is.
    pub(super) shares: u64,
    pub(super) table: u64,
}

/// Who held how much of a counter, as its table has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShareEntry {
    pub(super) line: u32,
    /// 0 for a line; else why none is known.
    pub(super) reason: u8,
    /// How much when the counter was the highest.
    pub(super) peak: i64,
    pub(super) samples: u64,
    pub(super) offset: u64,
}

impl ShareEntry {
    /// Bytes of a row of the table.
    pub(super) const BYTES: u64 = 32;

    /// A row of the table.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::BYTES as usize);
        bytes.extend_from_slice(&self.line.to_le_bytes());
        bytes.extend_from_slice(&u32::from(self.reason).to_le_bytes());
        bytes.extend_from_slice(&self.peak.to_le_bytes());
        bytes.extend_from_slice(&self.samples.to_le_bytes());
        bytes.extend_from_slice(&self.offset.to_le_bytes());
        bytes
    }

    /// Reads what [`bytes`](Self::bytes) made.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let (line, rest) = bytes.split_first_chunk()?;
        let (reason, rest) = rest.split_first_chunk()?;
        let (peak, rest) = rest.split_first_chunk()?;
        let (samples, rest) = rest.split_first_chunk()?;
        let (offset, _) = rest.split_first_chunk()?;
        Some(ShareEntry {
            line: u32::from_le_bytes(*line),
            reason: u8::try_from(u32::from_le_bytes(*reason)).ok()?,
            peak: i64::from_le_bytes(*peak),
            samples: u64::from_le_bytes(*samples),
            offset: u64::from_le_bytes(*offset),
        })
    }
}

/// Slices that were handed over one after the other, by ascending rows of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunEntry {
    pub(super) what: u8,
    pub(super) first: u32,
    pub(super) count: u32,
}

/// What the file was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Bytes of the database.
    pub bytes: u64,
    /// When it was changed last: seconds and ns since 1970.
    pub modified: (u64, u32),
    /// The version of its tables.
    pub schema: String,
}

/// The table of contents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Contents {
    pub(super) version: u32,
    pub(super) origin: Origin,
    /// The first instant, in ns on the clock of the trace.
    pub(super) zero: i64,
    /// ns from the first to the last instant.
    pub(super) end: u64,
    pub(super) items: u32,
    pub(super) lanes: Vec<Lane>,
    pub(super) names: Vec<String>,
    pub(super) lines: Vec<Line>,
    pub(super) counters: Vec<CounterEntry>,
    pub(super) runs: Vec<RunEntry>,
    /// Where the slice of each number stands.
    pub(super) numbers: u64,
    /// Slices that could not be kept because there were too many.
    pub(super) dropped: u64,
}

impl RunEntry {
    pub(super) fn what(&self) -> Option<What> {
        What::from_code(self.what)
    }
}

/// Why a timeline cannot be made or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TimelineError {
    /// The rows of the trace cannot be read.
    #[error(transparent)]
    Export(#[from] weft_model::ExportError),
    /// The file cannot be written.
    #[error("cannot write {}: {error}; free some space, or name another folder in TMPDIR", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: weft_files::WriteError,
    },
    /// There is no room for what is sorted.
    #[error(
        "cannot write a temporary file: {0}; free some space, or name another folder in TMPDIR"
    )]
    Spool(io::Error),
    /// The file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The file is no timeline, or a damaged one.
    #[error("{} is no whole timeline ({what}); remove it, and it is built again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: &'static str,
    },
}
