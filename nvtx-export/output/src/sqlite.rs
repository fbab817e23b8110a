//! SQLite: the tables of Nsight Systems under their own names, together with Weft's.
//!
//! [`write()`] fills a temporary file next to the output and renames it when it is complete, so an
//! interrupted export leaves no partial output. [`load`] fills any connection, such as one in
//! memory.

mod copied;
mod device;
mod made;
mod texts;
mod views;
mod weft;

use crate::file::OutFile;
use copied::{CopyMode, Session};
use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};
use weft_database::{Untouched, harden, schema, uri};
use weft_model::{ExportError, LossRow, Progress, SourceIndex, Trace};

/// Options for writing a database.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Whether to replace an output that exists.
    pub force: bool,
    /// Whether to keep the environment variables that Nsight Systems captured.
    pub keep_environment: bool,
    /// The receiver of progress events.
    pub progress: Progress,
}

/// The written database, with counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteReport {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// The number of kernels, memcpys and memsets.
    pub kernels: usize,
    /// The number of those with a launch.
    pub linked: usize,
    /// The number of tasks.
    pub tasks: usize,
    /// Whether an input was damaged, so that the output has it only up to the damage.
    pub partial: bool,
    /// Losses in copying that were not found when the inputs were read.
    pub losses: Vec<LossRow>,
}

/// Writes the joined trace to `out`.
///
/// # Errors
/// Returns an error if `out` exists and must not be replaced, or cannot be written, or a database
/// to copy from cannot be read.
pub fn write(
    trace: &Trace,
    out: &Path,
    options: &WriteOptions,
) -> Result<WriteReport, ExportError> {
    let mut file = OutFile::create(trace, out, options.force)?;
    let error = |what: &str| {
        let what = what.to_owned();
        |error| ExportError::WriteDatabase {
            path: out.to_owned(),
            what,
            error,
        }
    };
    let connection = Connection::open(uri(file.path()?, "")).map_err(error("opening it"))?;
    let losses = load(trace, &connection, out, options)?;
    let closed = connection.close();
    closed.map_err(|(_, cause)| error("closing it")(cause))?;
    let bytes = file.finish()?;
    Ok(WriteReport {
        path: out.to_owned(),
        bytes,
        kernels: trace.devices.kernels.len(),
        linked: trace.linked(),
        tasks: trace.work.tasks.len(),
        partial: trace.is_partial() || !losses.is_empty(),
        losses,
    })
}

/// Fills an empty database, which errors call `name`. Returns the losses in copying a damaged input
/// that were not found when it was read; they are also in WEFT_LOSS.
///
/// # Errors
/// Returns an error if the database cannot be written, or a database to copy from cannot be read.
pub fn load(
    trace: &Trace,
    connection: &Connection,
    name: &Path,
    options: &WriteOptions,
) -> Result<Vec<LossRow>, ExportError> {
    // The file is private until it is renamed, so it need not survive a crash. The journal in
    // memory stays small because everything is written in one transaction; it allows undoing that.
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
    harden(connection).map_err(|error| failed(("settings", error)))?;
    let copied = copied_session(trace);
    let session = match copied.and_then(|source| trace.sources.get(source.0 as usize)) {
        Some(source) => source
            .database
            .as_deref()
            .map(Untouched::open)
            .transpose()?,
        None => None,
    };
    if let Some(session) = &session {
        connection
            .execute("ATTACH DATABASE ?1 AS session", [session.uri()])
            .map_err(|error| failed(("attaching the nsys export", error)))?;
    }
    let copied = copied.zip(session.as_ref());
    let mut filled = fill(trace, connection, copied, options, CopyMode::AtOnce);
    if let Err((_, error)) = &filled
        && copied::is_damage(error)
    {
        // SQLite aborts a whole transaction if the database it copies from is damaged.
        connection
            .execute_batch("ROLLBACK")
            .map_err(|error| failed(("starting again", error)))?;
        filled = fill(trace, connection, copied, options, CopyMode::RowByRow);
    }
    let losses = filled.map_err(failed)?;
    if session.is_some() {
        connection
            .execute_batch("DETACH DATABASE session")
            .map_err(|error| failed(("detaching", error)))?;
    }
    Ok(losses)
}

/// The step that failed, and SQLite's error.
type Failed = (&'static str, rusqlite::Error);

/// Writes all tables in one transaction. `copied` is the session to copy tables from, attached as
/// `session`.
fn fill(
    trace: &Trace,
    connection: &Connection,
    copied: Option<(SourceIndex, &Untouched)>,
    options: &WriteOptions,
    way: CopyMode,
) -> Result<Vec<LossRow>, Failed> {
    let step = |what| move |error| (what, error);
    connection
        .execute_batch("BEGIN")
        .map_err(step("beginning"))?;
    let mut losses = Vec::new();
    let rows = match copied {
        Some((source, session)) => {
            let copied = Session::open(session)
                .and_then(|session| session.copy(connection, options, way))
                .map_err(|error| match error.sqlite_error_code() {
                    Some(ErrorCode::DiskFull) => (
                        "the tables of nsys, which take far more room than in their own database",
                        error,
                    ),
                    _ => ("the tables of nsys", error),
                })?;
            let known =
                |loss: &LossRow| trace.quality.losses.iter().any(|row| row.name == loss.name);
            let missing = copied.losses(Some(source)).into_iter();
            losses.extend(missing.filter(|loss| !known(loss)));
            made::Rows::default()
        }
        None => made::write(trace, connection, &options.progress).map_err(step("NVTX_EVENTS"))?,
    };
    let copied = copied.map(|(source, _)| source);
    weft::write(trace, connection, copied, &rows, &losses, &options.progress)
        .map_err(step("the tables of Weft"))?;
    options.progress.begin("making indexes", 0);
    connection
        .execute_batch(schema::INDEXES)
        .map_err(step("indexes"))?;
    views::create(connection).map_err(step("views"))?;
    connection
        .execute_batch("COMMIT")
        .map_err(step("committing"))?;
    Ok(losses)
}

/// Returns the session to copy tables from: the first, which is also the base of all times.
fn copied_session(trace: &Trace) -> Option<SourceIndex> {
    let mut sources = (0..).map(SourceIndex).zip(&trace.sources);
    let session = sources.find(|(_, source)| source.kind.is_nsys() && source.database.is_some());
    session.map(|(index, _)| index)
}
