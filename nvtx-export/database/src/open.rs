//! Foreign databases, opened without changing the file or any other file next to it.
//!
//! SQLite stores changes that are not yet in a database in a second file: a write-ahead log
//! (`-wal`), or a rollback journal (`-journal`). Reading such a database in place would create
//! files, move the log into the database or roll it back. Therefore a copy is read. Formats:
//! <https://www.sqlite.org/fileformat2.html>, sections 1.3, 3 and 4.

use super::{harden, uri};
use rusqlite::{Connection, OpenFlags};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use weft_files::Scratch;
use weft_model::ExportError;

/// Offsets of the write and read versions in the header of a database. Both are 2 if it has a
/// write-ahead log.
const VERSIONS: std::ops::Range<usize> = 18..20;

/// The first bytes of a journal that must be rolled back, and the last bytes of one that names
/// another journal.
const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// The time to wait for another program that is writing the database.
const PATIENCE: Duration = Duration::from_secs(5);

/// A database that is read without changing it.
#[derive(Clone, Debug)]
pub struct Untouched {
    file: PathBuf,
    /// Whether no program writes the file, so that SQLite needs no locks and no other files.
    immutable: bool,
    copy: Option<Scratch>,
}

/// A file with changes that are not yet in the database.
enum PendingChanges {
    Nothing,
    Log(PathBuf),
    Journal(PathBuf),
}

impl Untouched {
    /// Opens the database in this file. If changes are in a second file, copies both and combines
    /// the copies.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or copied, changes during that, or has a journal
    /// that concerns other files too.
    pub fn open(path: &Path) -> Result<Self, ExportError> {
        let read = |error| ExportError::Read {
            path: path.to_owned(),
            error,
        };
        // SQLite derives the names from the target of a link.
        let file = path.canonicalize().map_err(read)?;
        let has_log = has_log(&file).map_err(read)?;
        Ok(match find_pending_changes(&file, has_log).map_err(read)? {
            PendingChanges::Nothing => Untouched {
                file,
                immutable: has_log,
                copy: None,
            },
            PendingChanges::Log(log) => recovered(path, &file, &log)?,
            PendingChanges::Journal(journal) => {
                if names_another(&journal).map_err(read)? {
                    return Err(ExportError::Unfinished {
                        path: path.to_owned(),
                        why: "its journal belongs to a transaction on several databases".to_owned(),
                        remedy:
                            "open it once with sqlite3 where it was written, or export it again"
                                .to_owned(),
                    });
                }
                recovered(path, &file, &journal)?
            }
        })
    }

    /// Returns the file to open: the database, or the copy that was put together.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the folder of the copy, which is deleted when its last clone is dropped.
    pub fn copy(&self) -> Option<&Scratch> {
        self.copy.as_ref()
    }

    /// Returns the name by which SQLite opens the database for reading, also in `ATTACH`.
    pub fn uri(&self) -> String {
        let parameters = if self.immutable {
            "mode=ro&immutable=1"
        } else {
            "mode=ro"
        };
        uri(&self.file, parameters)
    }

    /// Opens a connection for reading.
    pub fn connect(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(self.uri(), flags)?;
        connection.busy_timeout(PATIENCE)?;
        harden(&connection)?;
        Ok(connection)
    }
}

fn has_log(file: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(file)?.take(64).read_to_end(&mut head)?;
    let versions = head.get(VERSIONS);
    Ok(versions.is_some_and(|versions| versions.contains(&2)))
}

fn find_pending_changes(file: &Path, has_log: bool) -> io::Result<PendingChanges> {
    let name = |suffix: &str| {
        let mut name = OsString::from(file);
        name.push(suffix);
        PathBuf::from(name)
    };
    let is_filled = |path: &Path| path.metadata().is_ok_and(|known| known.len() > 0);
    let log = name("-wal");
    if has_log && is_filled(&log) {
        return Ok(PendingChanges::Log(log));
    }
    let journal = name("-journal");
    if is_filled(&journal) {
        let mut head = Vec::new();
        let magic = JOURNAL_MAGIC.len() as u64;
        File::open(&journal)?.take(magic).read_to_end(&mut head)?;
        // The journal of a finished transaction is empty or begins with zeros.
        if head == JOURNAL_MAGIC {
            return Ok(PendingChanges::Journal(journal));
        }
    }
    Ok(PendingChanges::Nothing)
}

/// Returns whether a journal names a journal over several databases. SQLite deletes the named file
/// after the recovery, whatever it is.
fn names_another(journal: &Path) -> io::Result<bool> {
    let mut file = File::open(journal)?;
    let length = file.seek(SeekFrom::End(0))?;
    let magic = JOURNAL_MAGIC.len() as u64;
    if length < 2 * magic {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-(magic as i64)))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    Ok(tail == JOURNAL_MAGIC)
}

/// Copies a database and the file with its changes, and lets SQLite combine the copies.
fn recovered(path: &Path, file: &Path, sidecar: &Path) -> Result<Untouched, ExportError> {
    let failed = |why: String, remedy: &str| ExportError::Unfinished {
        path: path.to_owned(),
        why,
        remedy: remedy.to_owned(),
    };
    let space = "set TMPDIR to a folder with enough space for a copy";
    let copy = Scratch::new("weft-sqlite-")
        .map_err(|error| failed(format!("no temporary folder: {error}"), space))?;
    let target = copy.path().join("copy.sqlite");
    let suffix = if sidecar.as_os_str().as_encoded_bytes().ends_with(b"-wal") {
        "copy.sqlite-wal"
    } else {
        "copy.sqlite-journal"
    };
    let before = (stamp(file), stamp(sidecar));
    // Copy the content only, so that permissions and attributes of the originals do not keep SQLite
    // from writing.
    let copied =
        copy_content(file, &target).and_then(|()| copy_content(sidecar, &copy.path().join(suffix)));
    copied.map_err(|error| failed(format!("it cannot be copied: {error}"), space))?;
    if before != (stamp(file), stamp(sidecar)) {
        return Err(failed(
            "it is being written".to_owned(),
            "wait until the program that writes it has ended",
        ));
    }
    let put_together = || -> rusqlite::Result<()> {
        let connection = Connection::open(uri(&target, "mode=rw"))?;
        harden(&connection)?;
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
        connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))
    };
    put_together().map_err(|error| {
        failed(
            format!("{} cannot be applied to it: {error}", sidecar.display()),
            "export it again",
        )
    })?;
    Ok(Untouched {
        file: target,
        immutable: true,
        copy: Some(copy),
    })
}

fn copy_content(from: &Path, to: &Path) -> io::Result<()> {
    let mut to = File::create_new(to)?;
    io::copy(&mut File::open(from)?, &mut to).map(drop)
}

fn stamp(path: &Path) -> Option<(u64, SystemTime)> {
    let known = fs::metadata(path).ok()?;
    Some((known.len(), known.modified().ok()?))
}
