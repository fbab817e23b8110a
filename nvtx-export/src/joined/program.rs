//! Operations and their source lines.

use super::{RunIndex, SourceIndex, StringIndex};
use rustc_hash::FxHashMap;
use weft_geometry::Processors;
use weft_geometry::words::View;
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// A row of [`Provenances`]. 0 means unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProvenanceIndex(pub u32);

/// A line of the user's source. Calls in different columns are one position, because costs are summed by line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProvenanceRow {
    /// The file's path.
    pub file: StringIndex,
    /// Line, from 1; 0 where unknown.
    pub line: u32,
    /// The function; empty where unknown.
    pub function: StringIndex,
}

/// Source positions, each held once for all sources.
#[derive(Debug)]
pub struct Provenances {
    rows: Vec<ProvenanceRow>,
    index: FxHashMap<ProvenanceRow, ProvenanceIndex>,
}

impl Default for Provenances {
    fn default() -> Self {
        let unknown = ProvenanceRow::default();
        Provenances {
            rows: vec![unknown],
            index: FxHashMap::from_iter([(unknown, ProvenanceIndex(0))]),
        }
    }
}

impl Provenances {
    /// The index of `row`, which is added if it is new.
    pub fn intern(&mut self, row: ProvenanceRow) -> ProvenanceIndex {
        *self.index.entry(row).or_insert_with(|| {
            self.rows.push(row);
            ProvenanceIndex(self.rows.len() as u32 - 1)
        })
    }

    /// The position; the unknown one for an index of another table.
    pub fn get(&self, index: ProvenanceIndex) -> ProvenanceRow {
        let row = self.rows.get(index.0 as usize);
        row.copied().unwrap_or_default()
    }

    /// All known positions with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (ProvenanceIndex, ProvenanceRow)> + '_ {
        let rows = self.rows.iter().enumerate().skip(1);
        rows.map(|(index, row)| (ProvenanceIndex(index as u32), *row))
    }
}

/// One logical step of the program.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The first source that recorded it.
    pub source: SourceIndex,
    /// Its run.
    pub run: RunIndex,
    /// Its UID.
    pub uid: Uid,
    /// The operation it is part of.
    pub parent: Option<Uid>,
    /// What it does; also the name of its tasks.
    pub name: StringIndex,
    /// The user's call.
    pub provenance: ProvenanceIndex,
    /// When the program called.
    pub created: Timestamp,
    /// Number of its tasks.
    pub tasks: u32,
    /// The shape its tasks cover together.
    pub shape: Box<[u64]>,
}

/// How an operation is divided, and its operands.
#[derive(Clone, Debug)]
pub struct Operands {
    /// Where it was read.
    pub source: SourceIndex,
    /// The operation.
    pub operation: Uid,
    /// How it is divided, as encoded by [`weft_geometry::words`].
    pub tiling: u64,
    /// Its views of stores, as encoded by [`weft_geometry::words`].
    pub views: Box<[u64]>,
}

impl Operands {
    /// The views; `None` for one that is not understood, and for all after it.
    pub fn views(&self) -> impl Iterator<Item = Option<View>> + '_ {
        let mut words = self.views.iter().copied().peekable();
        std::iter::from_fn(move || {
            words.peek()?;
            let view = View::get(&mut words);
            if view.is_none() {
                words.by_ref().for_each(drop);
            }
            Some(view)
        })
    }
}

/// The processors for which a rank divides operations.
#[derive(Clone, Copy, Debug)]
pub struct CutFor {
    /// Where it was read.
    pub source: SourceIndex,
    /// Its processors.
    pub processors: Processors,
}

/// A rank's call of an operation whose row belongs to another rank.
#[derive(Clone, Copy, Debug)]
pub struct OperationCall {
    /// Where it was read.
    pub source: SourceIndex,
    /// The operation.
    pub operation: Uid,
    /// When the program called.
    pub created: Timestamp,
}

/// The part of an operation's shape that one of its tasks covers.
#[derive(Clone, Debug)]
pub struct Tile {
    /// Where it was read.
    pub source: SourceIndex,
    /// The operation.
    pub operation: Uid,
    /// Which of its tasks.
    pub point: u32,
    /// For each dimension: first index, and one past the last.
    pub bounds: Box<[(u64, u64)]>,
}
