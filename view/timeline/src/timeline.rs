//! A joined database with its timeline.

use super::build::Builder;
use super::file::File;
use super::format::{MAGIC, Origin, TimelineError};
use super::{caused, feed};
use rusqlite::Connection;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use weft_database::schema::MetaRow;
use weft_database::{Database, Untouched, forbid_writing, is_joined};
use weft_files::Scratch;
use weft_model::{ExportError, Progress};

/// The way that a timeline was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// It existed already.
    Found,
    /// It was built, and stays next to the database.
    Built,
    /// It was built in a temporary folder, because it cannot be next to the database.
    Temporary,
}

/// A joined database with its timeline.
#[derive(Debug)]
pub struct Timeline {
    path: PathBuf,
    database: Untouched,
    /// The timeline.
    pub file: File,
    /// The way that it was opened.
    pub opened: Opened,
    /// The folder of a temporary timeline.
    _scratch: Option<Scratch>,
}

impl Timeline {
    /// Opens a joined database, which is not changed. Its timeline is the file
    /// `<database>.timeline` if that was made from this database. Otherwise it is built there. It
    /// is built in a temporary folder if that file is not a timeline, or if none can be written.
    ///
    /// # Errors
    /// Returns an error if the database cannot be read, or no timeline can be written.
    pub fn open(path: &Path, progress: &Progress) -> Result<Timeline, TimelineError> {
        let database = Database::open(path)?;
        if !is_joined(&database) {
            return Err(ExportError::UnknownFormat {
                path: path.to_owned(),
                found: "an SQLite database that Weft did not write".to_owned(),
            }
            .into());
        }
        let origin = origin(&database);
        let beside = timeline_path(path);
        let untouched = database.opened().clone();
        let trace = |file, opened, scratch| Timeline {
            path: path.to_owned(),
            database: untouched.clone(),
            file,
            opened,
            _scratch: scratch,
        };
        // A database that was put together in a temporary copy differs each time.
        let is_place = database.copy().is_none() && is_ours_or_free(&beside);
        if is_place {
            if let Ok(file) = File::open(&beside)
                && *file.origin() == origin
            {
                return Ok(trace(file, Opened::Found, None));
            }
            match build(&database, &beside, origin.clone(), progress) {
                Ok(file) => return Ok(trace(file, Opened::Built, None)),
                Err(TimelineError::Write { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let scratch = Scratch::new("weft-timeline-").map_err(TimelineError::Spool)?;
        let place = scratch.path().join("trace.timeline");
        let file = build(&database, &place, origin, progress)?;
        Ok(trace(file, Opened::Temporary, Some(scratch)))
    }

    /// Returns the path of the database, as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns for each line, by its number in the timeline, the time that created tasks were not
    /// ready while their last predecessor, of the line, ran. Reads all tasks and dependences.
    ///
    /// # Errors
    /// Returns an error if the database cannot be read, or there is no room for temporary files.
    pub fn caused_by_line(&self) -> Result<Vec<u64>, TimelineError> {
        caused::by_line(&Database::open(&self.path)?)
    }

    /// Opens a connection that can only read, also within transactions.
    ///
    /// # Errors
    /// Returns an error if SQLite cannot open the database.
    pub fn connect(&self) -> rusqlite::Result<Connection> {
        let mut connection = self.database.connect()?;
        forbid_writing(&mut connection, true)?;
        Ok(connection)
    }
}

fn timeline_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".timeline");
    PathBuf::from(name)
}

/// Returns whether a timeline may be written to a path: it is free, or holds a timeline.
fn is_ours_or_free(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(known) if known.is_file() => {
            let mut head = Vec::new();
            let file = std::fs::File::open(path);
            let read = file.and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut head));
            read.is_ok() && head == MAGIC
        }
        Ok(_) => false,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

fn origin(database: &Database) -> Origin {
    let known = database.file().metadata().ok();
    let modified = known.as_ref().and_then(|known| known.modified().ok());
    let since = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let schema = format!(
        "SELECT value FROM {} WHERE key = 'weft_schema'",
        MetaRow::TABLE.name
    );
    let schema = database
        .connection()
        .query_row(&schema, [], |row| row.get(0));
    Origin {
        bytes: known.map_or(0, |known| known.len()),
        modified: since.map_or((0, 0), |since| (since.as_secs(), since.subsec_nanos())),
        schema: schema.unwrap_or_default(),
    }
}

fn build(
    database: &Database,
    out: &Path,
    origin: Origin,
    progress: &Progress,
) -> Result<File, TimelineError> {
    let mut builder = Builder::new();
    feed::database(database, &mut builder, progress)?;
    progress.begin("building the timeline", 0);
    builder.finish(out, origin)?;
    File::open(out)
}
