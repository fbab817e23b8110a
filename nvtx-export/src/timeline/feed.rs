//! Rows of a joined database, table by table, as slices on lanes. No table is held in memory; of tasks and operations only what
//! other rows need of them.

mod data;
mod owners;
mod places;
mod processors;
mod ranges;
mod streams;

use super::build::Builder;
use crate::error::ExportError;
use crate::input::nsys::Database;
use crate::progress::Progress;
use owners::Owners;
use places::Places;
use rusqlite::Row;
use rusqlite::types::ValueRef;

/// Hands over all rows of a database.
///
/// # Errors
/// A table cannot be read.
pub(super) fn database(
    database: &Database,
    to: &mut Builder,
    progress: &Progress,
) -> Result<(), ExportError> {
    let mut feed = Feed {
        database,
        places: Places::of(database, to)?,
        owners: Owners::of(database)?,
        to,
    };
    macro_rules! steps {
        ($($what:literal $step:ident),* $(,)?) => {$(
            progress.begin(concat!("reading ", $what), 0);
            feed.$step()?;
        )*};
    }
    steps! {
        "tasks" tasks,
        "device work" devices,
        "copies" copies,
        "waits" waits,
        "calls of the runtime" runtime_calls,
        "kernels" kernels,
        "instances" instances,
        "memory in use" memory_uses,
        "ranges" ranges,
        "CUDA calls" api_calls,
    }
    Ok(())
}

struct Feed<'a> {
    database: &'a Database,
    places: Places,
    owners: Owners,
    to: &'a mut Builder,
}

/// A column as an integer; `None` for NULL and other types.
fn integer(row: &Row<'_>, column: usize) -> Option<i64> {
    match row.get_ref(column) {
        Ok(ValueRef::Integer(value)) => Some(value),
        _ => None,
    }
}

/// A column as text.
fn text<'r>(row: &'r Row<'_>, column: usize) -> Option<std::borrow::Cow<'r, str>> {
    match row.get_ref(column) {
        Ok(ValueRef::Text(bytes)) => Some(crate::database::readable(bytes)),
        _ => None,
    }
}

/// The number of a row, if a slice can have it.
fn row_number(row: &Row<'_>) -> Option<u32> {
    u32::try_from(integer(row, 0)?).ok()
}
