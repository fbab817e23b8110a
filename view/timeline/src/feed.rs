//! Rows of a joined database, table by table, as slices on lanes. Tables are not held in memory; of
//! tasks and operations only the values that other rows need.

mod data;
mod names;
mod owners;
mod places;
mod processors;
mod ranges;
mod streams;

use super::build::Builder;
use super::caused::{Edge, Ran};
use names::NameLines;
use owners::Owners;
use places::{Places, each_line};
use rustc_hash::FxHashMap;
use weft_database::columns;
use weft_database::schema::{DependencyRow, TaskRow};
use weft_database::{Ahead, Columns, Database};
use weft_model::{ExportError, Progress};

/// Feeds all rows of a database to the builder.
///
/// # Errors
/// Returns an error if a table cannot be read.
pub(super) fn database(
    database: &Database,
    to: &mut Builder,
    progress: &Progress,
) -> Result<(), ExportError> {
    let mut feed = Feed {
        database,
        places: Places::read(database, to)?,
        owners: Owners::read(database)?,
        names: NameLines::new(database),
        to,
    };
    macro_rules! steps {
        ($($what:literal $step:ident),* $(,)?) => {$(
            progress.begin(concat!("reading ", $what), 0);
            feed.$step()?;
        )*};
    }
    steps! {
        "operations" operations,
        "tasks" tasks,
        "device work" devices,
        "copies" copies,
        "dependent partitioning" partitionings,
        "waits" waits,
        "calls of the runtime" runtime_calls,
        "kernels" kernels,
        "instances" instances,
        "memory in use" memory_uses,
        "ranges" ranges,
        "CUDA calls" api_calls,
        "overheads" overheads,
    }
    Ok(())
}

struct Feed<'a> {
    database: &'a Database,
    places: Places,
    owners: Owners,
    names: NameLines,
    to: &'a mut Builder,
}

impl Feed<'_> {
    /// Calls `each` with every row of a table: the required columns, without which a row is
    /// skipped, and the optional ones, numbered from 0. `each` returns whether the row is valid.
    fn each<const N: usize, const M: usize>(
        &mut self,
        columns: Columns<N, M>,
        mut each: impl FnMut(&mut Self, [i64; N], Ahead<'_>) -> bool,
    ) -> Result<(), ExportError> {
        let database = self.database;
        rows(database, columns, |values, row| each(self, values, row))
    }
}

/// Calls `each` with every row of a table, without a feed.
fn rows<const N: usize, const M: usize>(
    database: &Database,
    columns: Columns<N, M>,
    mut each: impl FnMut([i64; N], Ahead<'_>) -> bool,
) -> Result<(), ExportError> {
    let names: Vec<&str> = columns.names().collect();
    database.each_ahead(columns.table, &names, |row| {
        let mut values = [0; N];
        for (column, value) in values.iter_mut().enumerate() {
            match row.integer(column) {
                Some(known) => *value = known,
                None => return false,
            }
        }
        each(values, row.from(N))
    })
}

/// Calls `each` with every task whose times are known, and returns the number of lines.
pub(super) fn each_task(
    database: &Database,
    mut each: impl FnMut(&Ran) -> bool,
) -> Result<usize, ExportError> {
    let mut lines: FxHashMap<i64, u32> = FxHashMap::default();
    let mut count = 1;
    each_line(database, |id, _| {
        lines.insert(id, count);
        count += 1;
    })?;
    let columns = columns!(
        TaskRow: ["sourceId", "uid", "created", "ready", "start", "end"],
        ["provenanceId"]
    );
    rows(database, columns, |needed, row| {
        let [source, uid, created, ready, start, end] = needed;
        let line = row.integer(0).and_then(|id| lines.get(&id).copied());
        each(&Ran {
            source,
            uid,
            created,
            ready,
            start,
            end,
            line: line.unwrap_or(0),
        })
    })?;
    Ok(count as usize)
}

/// Calls `each` with every dependence.
pub(super) fn each_dependence(
    database: &Database,
    mut each: impl FnMut(&Edge) -> bool,
) -> Result<(), ExportError> {
    let columns = columns!(DependencyRow: ["sourceId", "fromUid", "toUid"], []);
    rows(database, columns, |needed, _| {
        let [source, from, to] = needed;
        each(&Edge { source, from, to })
    })
}
