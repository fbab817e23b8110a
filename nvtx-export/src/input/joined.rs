//! Databases that this crate wrote: the joined trace read back, as it was joined.

mod critical;
mod facts;
mod kernel;
mod program;
mod range;
mod work;

use super::nsys::{self, Database};
use crate::error::ExportError;
use crate::joined::{Joined, SourceIndex};
use rusqlite::Row;
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// Whether a database is one that this crate wrote.
pub fn is_joined(database: &Database) -> bool {
    database.has("WEFT_META") && database.has("WEFT_KERNEL")
}

/// Reads a joined trace back. Its times are on one clock and its kernels have their outcomes already.
///
/// # Errors
/// The database cannot be read.
pub fn read(database: &Database) -> Result<Joined, ExportError> {
    let mut joined = Joined::default();
    facts::read(&mut joined, database)?;
    program::read(&mut joined, database)?;
    work::read(&mut joined, database)?;
    critical::read(&mut joined, database)?;
    let session = (0..).map(SourceIndex).zip(&joined.sources);
    let session = session
        .filter(|(_, source)| source.kind.is_nsys())
        .map(|(index, _)| index)
        .next();
    if let Some(session) = session {
        nsys::read_back(&mut joined, session, database)?;
    }
    let ranges = range::read(&mut joined, database)?;
    kernel::read(&mut joined, database, &ranges)?;
    nsys::read_damage(&mut joined, SourceIndex(0), database);
    Ok(joined)
}

fn integer(row: &Row<'_>, column: usize) -> Option<i64> {
    nsys::integer(row, column)
}

fn text<'r>(row: &'r Row<'_>, column: usize) -> Option<&'r str> {
    nsys::text(row, column)
}

fn uid(row: &Row<'_>, column: usize) -> Option<Uid> {
    Uid::from_raw(integer(row, column)?.cast_unsigned())
}

fn time(row: &Row<'_>, column: usize) -> Option<Timestamp> {
    integer(row, column).map(Timestamp::from_nanos_since_session_start)
}

fn small<T: TryFrom<i64>>(row: &Row<'_>, column: usize) -> Option<T> {
    T::try_from(integer(row, column)?).ok()
}

fn source(row: &Row<'_>, column: usize) -> Option<SourceIndex> {
    let id: u32 = small(row, column)?;
    id.checked_sub(1).map(SourceIndex)
}

/// Numbers such as `[2000, 2000]`.
fn list(row: &Row<'_>, column: usize) -> Option<Box<[u64]>> {
    serde_json::from_str::<Vec<u64>>(text(row, column)?)
        .ok()
        .map(Vec::into)
}

/// The value of a coded enumeration with this word.
fn coded<T>(
    row: &Row<'_>,
    column: usize,
    of: impl Fn(u8) -> Option<T>,
    name: impl Fn(&T) -> &'static str,
) -> Option<T> {
    let word = text(row, column)?;
    (0..=u8::MAX)
        .filter_map(of)
        .find(|value| name(value) == word)
}
