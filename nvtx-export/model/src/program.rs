//! Operations and their source lines.

use super::{Images, RunIndex, SourceIndex, StringIndex};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;
use weft_geometry::words::View;
use weft_geometry::{Image, Processors};
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

/// A row of [`Scopes`]. 0 means none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeIndex(pub u32);

/// A part of the program that the program itself has named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ScopeRow {
    /// The scope around it.
    pub parent: ScopeIndex,
    /// Its own name.
    pub name: StringIndex,
}

/// A row of [`Stacks`]. 0 means none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackIndex(pub u32);

/// A stack of calls: its innermost call, and the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StackRow {
    /// The stack without its innermost call.
    pub parent: StackIndex,
    /// Where the innermost call stands.
    pub place: ProvenanceIndex,
}

/// An index of a row of [`Interned`].
pub trait RowIndex: Copy {
    /// The index of this number.
    fn of(number: u32) -> Self;
    /// Its number.
    fn number(self) -> u32;
}

macro_rules! row_indices {
    ($($index:ident),*) => {$(
        impl RowIndex for $index {
            fn of(number: u32) -> Self {
                $index(number)
            }
            fn number(self) -> u32 {
                self.0
            }
        }
    )*};
}

row_indices!(ProvenanceIndex, ScopeIndex, StackIndex);

/// Rows, each held once for all sources. Row 0 is the unknown one.
#[derive(Debug)]
pub struct Interned<I, R> {
    rows: Vec<R>,
    index: FxHashMap<R, I>,
}

/// Source positions.
pub type Provenances = Interned<ProvenanceIndex, ProvenanceRow>;
/// Scopes.
pub type Scopes = Interned<ScopeIndex, ScopeRow>;
/// Stacks of calls.
pub type Stacks = Interned<StackIndex, StackRow>;

impl<I: RowIndex, R: Copy + Default + Eq + Hash> Default for Interned<I, R> {
    fn default() -> Self {
        Interned {
            rows: vec![R::default()],
            index: FxHashMap::from_iter([(R::default(), I::of(0))]),
        }
    }
}

impl<I: RowIndex, R: Copy + Default + Eq + Hash> Interned<I, R> {
    /// The index of `row`, which is added if it is new.
    pub fn intern(&mut self, row: R) -> I {
        *self.index.entry(row).or_insert_with(|| {
            self.rows.push(row);
            I::of(self.rows.len() as u32 - 1)
        })
    }

    /// The row; the unknown one for an index of another table.
    pub fn get(&self, index: I) -> R {
        let row = self.rows.get(index.number() as usize);
        row.copied().unwrap_or_default()
    }

    /// All known rows with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (I, R)> + '_ {
        let rows = self.rows.iter().enumerate().skip(1);
        rows.map(|(index, row)| (I::of(index as u32), *row))
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }
}

/// The text of a source file that positions name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The first source that recorded it.
    pub source: SourceIndex,
    /// The file's path, as in [`ProvenanceRow`].
    pub file: StringIndex,
    /// The text, as far as it was kept.
    pub text: String,
    /// Bytes of the whole text.
    pub bytes: u64,
    /// Whether the file was changed after the program was built or had begun, so that lines may be others.
    pub newer: bool,
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
    /// The innermost scope that the call stands in.
    pub scope: ScopeIndex,
    /// The calls that led to the user's call.
    pub stack: StackIndex,
    /// Distinguishes the calls of a line; 0 if unknown. In Python a [`CallNumber`](weft_trace::id::CallNumber), in Rust the column.
    pub call: u32,
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
    /// Its views of stores, as encoded by [`weft_geometry::words`], with the numbers of images.
    pub views: Box<[u64]>,
}

impl Operands {
    /// The views; `None` for one that is not understood or whose image is missing, and for all after it.
    pub fn views<'a>(&'a self, images: &'a Images) -> impl Iterator<Item = Option<View>> + 'a {
        self.read(|number| images.get(self.source, number))
    }

    /// Whether a view names an image that is missing.
    pub fn lacks_image(&self, images: &Images) -> bool {
        let mut lacks = false;
        let found = self.read(|number| {
            let image = images.get(self.source, number);
            lacks |= image.is_none();
            image
        });
        found.for_each(drop);
        lacks
    }

    fn read(
        &self,
        mut image_of: impl FnMut(u64) -> Option<Arc<Image>>,
    ) -> impl Iterator<Item = Option<View>> {
        let mut words = self.views.iter().copied().peekable();
        std::iter::from_fn(move || {
            words.peek()?;
            let view = View::get(&mut words, &mut image_of);
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
