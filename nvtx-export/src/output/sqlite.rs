//! SQLite: the tables of Nsight Systems under their own names, beside Weft's.
//!
//! [`write()`] fills a temporary file beside the output and renames it when it is complete, so that an interrupted
//! export leaves nothing half-written. [`load`] fills any connection, such as one in memory.

mod copied;
mod device;
mod made;
mod schema;
mod views;
mod weft;

use crate::error::ExportError;
use crate::joined::{Joined, LossRow, SourceIndex};
use crate::output::file::OutFile;
use crate::progress::Progress;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// How a database is written.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Replace an output that exists.
    pub force: bool,
    /// Keep the environment variables that Nsight Systems captured.
    pub keep_environment: bool,
    /// Who watches the writing.
    pub progress: Progress,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteReport {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// Kernels, memcpys and memsets.
    pub kernels: usize,
    /// Those of them with a launch.
    pub linked: usize,
    /// Tasks.
    pub tasks: usize,
    /// Whether an input was damaged and is in the output only up to the damage.
    pub partial: bool,
    /// What could not be copied, beyond what reading the inputs found out.
    pub losses: Vec<LossRow>,
}

/// Writes the joined trace to `out`.
///
/// # Errors
/// `out` exists and is not to be replaced, or cannot be written, or a database to copy from cannot be read.
pub fn write(
    joined: &Joined,
    out: &Path,
    options: &WriteOptions,
) -> Result<WriteReport, ExportError> {
    let file = OutFile::create(out, options.force)?;
    let error = |what: &str| {
        let what = what.to_owned();
        |error| ExportError::WriteDatabase {
            path: out.to_owned(),
            what,
            error,
        }
    };
    let connection = Connection::open(file.path()).map_err(error("opening it"))?;
    let losses = load(joined, &connection, out, options)?;
    let closed = connection.close();
    closed.map_err(|(_, cause)| error("closing it")(cause))?;
    let bytes = file.finish()?;
    Ok(WriteReport {
        path: out.to_owned(),
        bytes,
        kernels: joined.kernels.len(),
        linked: joined.linked(),
        tasks: joined.tasks.len(),
        partial: joined.is_partial() || !losses.is_empty(),
        losses,
    })
}

/// Fills an empty database. `name` stands for it in errors. What could not be copied of a damaged input, beyond what
/// reading it found out, is in WEFT_LOSS and given back.
///
/// # Errors
/// It cannot be written, or a database to copy from cannot be read.
pub fn load(
    joined: &Joined,
    connection: &Connection,
    name: &Path,
    options: &WriteOptions,
) -> Result<Vec<LossRow>, ExportError> {
    // The file is nobody's until it is renamed, so that nothing of it must outlive a crash. The journal stays empty, since
    // all was written in one go, and lets that be undone.
    let pragmas = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; \
                   PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536;";
    let failed = |(what, error): Failed| ExportError::WriteDatabase {
        path: name.to_owned(),
        what: what.to_owned(),
        error,
    };
    connection
        .execute_batch(pragmas)
        .map_err(|error| failed(("settings", error)))?;
    let fill = |way| fill(joined, connection, options, way);
    match fill(copied::Way::AtOnce) {
        // SQLite gives up a whole transaction over a damage in what it copies from.
        Err((_, error)) if copied::is_damage(&error) => {
            let undo = "ROLLBACK; DETACH DATABASE session";
            connection
                .execute_batch(undo)
                .map_err(|error| failed(("beginning anew", error)))?;
            fill(copied::Way::RowByRow).map_err(failed)
        }
        filled => filled.map_err(failed),
    }
}

/// What was being written, and what SQLite said.
type Failed = (&'static str, rusqlite::Error);

fn fill(
    joined: &Joined,
    connection: &Connection,
    options: &WriteOptions,
    way: copied::Way,
) -> Result<Vec<LossRow>, Failed> {
    let step = |what| move |error| (what, error);
    let copied = copied_session(joined);
    let database =
        copied.and_then(|source| joined.sources.get(source.0 as usize)?.database.as_ref());
    if let Some(database) = database {
        let attach = "ATTACH DATABASE ?1 AS session";
        let path = database.to_string_lossy();
        connection
            .execute(attach, [path])
            .map_err(step("attaching the nsys export"))?;
    }
    connection
        .execute_batch("BEGIN")
        .map_err(step("beginning"))?;
    let mut losses = Vec::new();
    let rows = match database {
        Some(database) => {
            let damaged = copied::copy(connection, database, options, way)
                .map_err(step("the tables of nsys"))?;
            let damage = damaged.into_iter().map(|table| table.loss(copied));
            let known = |loss: &LossRow| joined.losses.iter().any(|row| row.name == loss.name);
            losses.extend(damage.filter(|loss| !known(loss)));
            made::Rows::default()
        }
        None => made::write(joined, connection, &options.progress).map_err(step("NVTX_EVENTS"))?,
    };
    weft::write(
        joined,
        connection,
        copied,
        &rows,
        &losses,
        &options.progress,
    )
    .map_err(step("the tables of Weft"))?;
    options.progress.begin("making indexes", 0);
    schema::index(connection).map_err(step("indexes"))?;
    views::create(connection).map_err(step("views"))?;
    connection
        .execute_batch("COMMIT")
        .map_err(step("committing"))?;
    if database.is_some() {
        connection
            .execute_batch("DETACH DATABASE session")
            .map_err(step("detaching"))?;
    }
    Ok(losses)
}

/// The session whose tables are copied: the first, which is also the base of all times.
fn copied_session(joined: &Joined) -> Option<SourceIndex> {
    let mut sources = (0..).map(SourceIndex).zip(&joined.sources);
    let session = sources.find(|(_, source)| source.kind.is_nsys() && source.database.is_some());
    session.map(|(index, _)| index)
}
