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

/// A line of the user's source. Calls in different columns are one position, because costs are
/// summed by line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProvenanceRow {
    /// The file's path.
    pub file: StringIndex,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
    /// The function; empty if unknown.
    pub function: StringIndex,
}

/// A row of [`Scopes`]. 0 means none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeIndex(pub u32);

/// A part of the program that the program itself named.
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

/// A stack of calls: the innermost call and the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StackRow {
    /// The stack without its innermost call.
    pub parent: StackIndex,
    /// The source position of the innermost call.
    pub place: ProvenanceIndex,
}

/// An index of a row of [`Interned`].
pub trait RowIndex: Copy {
    /// Returns the index with this number.
    fn from_u32(number: u32) -> Self;
    /// Returns the number of the index.
    fn number(self) -> u32;
}

macro_rules! row_indices {
    ($($index:ident),*) => {$(
        impl RowIndex for $index {
            fn from_u32(number: u32) -> Self {
                $index(number)
            }
            fn number(self) -> u32 {
                self.0
            }
        }
    )*};
}

row_indices!(ProvenanceIndex, ScopeIndex, StackIndex);

/// Rows, each stored once for all sources. Row 0 stands for "unknown".
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
            index: FxHashMap::from_iter([(R::default(), I::from_u32(0))]),
        }
    }
}

impl<I: RowIndex, R: Copy + Default + Eq + Hash> Interned<I, R> {
    /// Returns the index of `row`, which is added if it is new.
    pub fn intern(&mut self, row: R) -> I {
        *self.index.entry(row).or_insert_with(|| {
            self.rows.push(row);
            I::from_u32(self.rows.len() as u32 - 1)
        })
    }

    /// Returns the row, or the unknown row for an index of another table.
    pub fn get(&self, index: I) -> R {
        let row = self.rows.get(index.number() as usize);
        row.copied().unwrap_or_default()
    }

    /// Returns all known rows with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (I, R)> + '_ {
        let rows = self.rows.iter().enumerate().skip(1);
        rows.map(|(index, row)| (I::from_u32(index as u32), *row))
    }

    /// Returns whether no row is known.
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }
}

/// The text of a source file that positions refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The first source that recorded it.
    pub source: SourceIndex,
    /// The file's path, as in [`ProvenanceRow`].
    pub file: StringIndex,
    /// The text, possibly cut.
    pub text: String,
    /// The size of the whole text in bytes.
    pub bytes: u64,
    /// Whether the file changed after the program was built or had begun. Its lines may then
    /// differ.
    pub newer: bool,
}

/// A logical step of the program.
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
    /// Its name, which is also the name of its tasks.
    pub name: StringIndex,
    /// The user's call.
    pub provenance: ProvenanceIndex,
    /// The time of the program's call.
    pub created: Timestamp,
    /// The number of its tasks.
    pub tasks: u32,
    /// The innermost scope around the call.
    pub scope: ScopeIndex,
    /// The calls that led to the user's call.
    pub stack: StackIndex,
    /// Distinguishes the calls of a line; 0 if unknown. In Python a
    /// [`CallNumber`](weft_trace::id::CallNumber), in Rust the column.
    pub call: u32,
    /// The shape its tasks cover together.
    pub shape: Box<[u64]>,
}

/// The operands of an operation, and how it is divided.
#[derive(Clone, Debug)]
pub struct Operands {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The operation.
    pub operation: Uid,
    /// The division into tiles, encoded by [`weft_geometry::words`].
    pub tiling: u64,
    /// Its views of stores, encoded by [`weft_geometry::words`], with the numbers of images.
    pub views: Box<[u64]>,
}

impl Operands {
    /// Returns the views. A view that cannot be decoded or whose image is missing is `None`, and so
    /// are all after it.
    pub fn views<'a>(&'a self, images: &'a Images) -> impl Iterator<Item = Option<View>> + 'a {
        self.read(|number| images.get(self.source, number))
    }

    /// Returns whether a view refers to an image that is missing.
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
    /// The file it was read from.
    pub source: SourceIndex,
    /// Its processors.
    pub processors: Processors,
}

/// A rank's call of an operation whose row belongs to another rank.
#[derive(Clone, Copy, Debug)]
pub struct OperationCall {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The operation.
    pub operation: Uid,
    /// The time of the program's call.
    pub created: Timestamp,
}

/// The part of an operation's shape that one of its tasks covers.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The operation.
    pub operation: Uid,
    /// The index of the task in its operation.
    pub point: u32,
    /// The first index and one past the last, for each dimension.
    pub bounds: Box<[(u64, u64)]>,
}
