//! The layout of a timeline file: docs/timeline-file.md.

use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

use super::lane::Lane;
use super::slice::SliceKind;

/// The first and the last bytes of the file.
pub(super) const MAGIC: [u8; 8] = *b"weftTL\0\x01";

/// The version of the layout. Files of other versions are built again.
pub(super) const VERSION: u32 = 5;

/// Bytes at the end: the place of the table of contents, its length, its CRC-32C, and the magic.
pub(super) const TAIL: u64 = 8 + 8 + 4 + 8;

/// Slices of a block. The first start and the last end of each block are kept in memory.
pub(super) const BLOCK: usize = 256;

/// Bins of a tile.
pub const TILE_BINS: usize = 1024;

/// The maximum number of slices of an exact tile. Larger tiles are encoded as bins.
pub const EXACT: usize = 2048;

/// A marker in a column of 32 bits: the value is among the escapes of the lane.
pub(super) const ESCAPE: u32 = u32::MAX;

/// A marker in the columns of waiting times: the slice has none.
pub(super) const NONE: u32 = u32::MAX - 1;

/// Columns of a lane, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// The start.
    Start,
    /// The duration.
    Duration,
    /// The time from creation to start.
    Wait,
    /// The time from ready to start.
    Queue,
    /// The name.
    Name,
    /// The line.
    Line,
    /// The number of the row.
    Row,
    /// Depth, kind and flags.
    Kind,
}

impl Column {
    /// Returns the bytes of a value.
    pub(super) const fn size(self) -> u64 {
        match self {
            Column::Start => 8,
            _ => 4,
        }
    }

    /// Returns the offset of the column in a lane of `items` slices.
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

/// Bytes of a stored tile's entry: level, zero, index, offset.
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

/// A counter in the table of contents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CounterEntry {
    pub(super) lane: u32,
    pub(super) label: String,
    pub(super) unit: String,
    pub(super) max: u64,
    /// The time of the first maximum.
    pub(super) peak: u64,
    pub(super) samples: u64,
    pub(super) offset: u64,
    /// The number of shares that add up to it, and the place of their table.
    pub(super) shares: u64,
    pub(super) table: u64,
}

/// A holder's share of a counter, as in the table of shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShareEntry {
    pub(super) line: u32,
    /// 0 for a line; otherwise the reason why there is none.
    pub(super) reason: u8,
    /// The bytes held when the counter first reached its maximum.
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

    /// Parses the output of [`bytes`](Self::bytes).
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
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

/// Successive slices with ascending rows of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunEntry {
    pub(super) what: u8,
    pub(super) first: u32,
    pub(super) count: u32,
}

/// The database that the file was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Bytes of the database.
    pub bytes: u64,
    /// The time of the last change: seconds and ns since 1970.
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
    /// The place of the table from numbers to slices.
    pub(super) numbers: u64,
    /// The number of slices that were dropped because there were too many.
    pub(super) dropped: u64,
}

impl RunEntry {
    pub(super) fn slice_kind(&self) -> Option<SliceKind> {
        SliceKind::from_code(self.what)
    }
}

/// The reason why a timeline cannot be made or read.
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
        /// The system's message.
        error: weft_files::WriteError,
    },
    /// A temporary file has no space.
    #[error(
        "cannot write a temporary file: {0}; free some space, or name another folder in TMPDIR"
    )]
    Spool(io::Error),
    /// The file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's message.
        error: io::Error,
    },
    /// The file is not a timeline, or is damaged.
    #[error("{} is not a complete timeline ({what}); remove it, and it will be rebuilt", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        what: &'static str,
    },
}
