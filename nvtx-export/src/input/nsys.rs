//! SQLite exports of Nsight Systems, schema 2.9 to 3.25, and its reports through the installed `nsys`.
//!
//! Tables are absent where an export left empty ones out, and columns come and go with the version: each reader asks
//! [`Database`] what there is, and takes what is missing as NULL.

mod calls;
mod database;
mod nvtx;
mod report;
mod session;
mod texts;
mod work;

pub use database::{Database, quoted};
pub(crate) use database::{integer, text};
pub use report::{Converted, convert};

use crate::ReadOptions;
use crate::error::ExportError;
use crate::joined::{Joined, LossRow, RunIndex, Severity, Source, SourceIndex, SourceKind};
use std::path::Path;

/// Appends the rows of `database` to `joined` on the clock of its session.
/// `path` is the file the user named; `kind` what that is.
///
/// # Errors
/// The database cannot be read, or holds none of the tables of Nsight Systems.
pub fn read(
    joined: &mut Joined,
    database: &Database,
    path: &Path,
    kind: SourceKind,
    options: &ReadOptions,
) -> Result<SourceIndex, ExportError> {
    if !database.has("StringIds") {
        return Err(ExportError::UnknownFormat {
            path: path.to_owned(),
            found: "an SQLite database without the tables of Nsight Systems".to_owned(),
        });
    }
    options
        .progress
        .begin(&format!("reading {}", path.display()), 0);
    let source = SourceIndex(joined.sources.len() as u32);
    joined.sources.push(Source {
        path: path.to_owned(),
        kind,
        run: RunIndex(source.0),
        run_id: None,
        rank: None,
        ranks: None,
        host: None,
        boot_id: None,
        pid: None,
        program: None,
        database: Some(database.path().to_owned()),
        wall_at_zero: None,
        lossy: false,
    });
    session::read(joined, source, database)?;
    nvtx::read(joined, source, database)?;
    calls::read(joined, source, database)?;
    work::read(joined, source, database)?;
    read_damage(joined, source, database);
    Ok(source)
}

/// Appends the ranges of `database` alone.
///
/// # Errors
/// The database cannot be read.
pub(crate) fn read_ranges(
    joined: &mut Joined,
    source: SourceIndex,
    database: &Database,
) -> Result<(), ExportError> {
    nvtx::read(joined, source, database)
}

/// Appends a row for all that `database` could not give.
pub(crate) fn read_damage(joined: &mut Joined, source: SourceIndex, database: &Database) {
    for (name, value) in database.damage() {
        joined.losses.push(LossRow {
            source: Some(source),
            name,
            severity: Severity::Damage,
            value,
            meaning: "tables of the database that could be read only up to a damage".to_owned(),
        });
    }
    if database.odd_rows() > 0 {
        joined.losses.push(LossRow {
            source: Some(source),
            name: "rows_not_understood".to_owned(),
            severity: Severity::Loss,
            value: database.odd_rows(),
            meaning: "rows of the database without a start or of an unexpected type".to_owned(),
        });
    }
}
