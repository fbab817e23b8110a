//! The output: written in a temporary folder beside its place, and renamed when it is complete.

use crate::error::ExportError;
use crate::output::file::check_place;
use crate::temporary::Listed;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::{TempDir, TempPath};

/// The extension that a backend adds to the name of its session.
const EXTENSION: &str = "nsys-rep";

/// An output that is being written. Dropped before [`Target::settle`] it leaves nothing.
#[derive(Debug)]
pub(super) struct Target {
    out: PathBuf,
    // Removed before it is taken off the list.
    folder: TempDir,
    listed: Listed,
    stem: OsString,
    force: bool,
}

impl Target {
    pub(super) fn new(out: &Path, force: bool) -> Result<Target, ExportError> {
        check_place(out, force)?;
        let error = |error| ExportError::Write {
            path: out.to_owned(),
            error,
        };
        let Some(name) = out.file_name() else {
            return Err(error(io::ErrorKind::IsADirectory.into()));
        };
        let stem = match out.extension() {
            Some(extension) if extension == EXTENSION => out.file_stem().unwrap_or(name),
            _ => name,
        };
        let beside = out.parent().filter(|folder| !folder.as_os_str().is_empty());
        // Whoever writes there may have another current folder.
        let beside = std::path::absolute(beside.unwrap_or(Path::new("."))).map_err(error)?;
        let make = || tempfile::Builder::new().prefix(".weft-").tempdir_in(beside);
        let (folder, listed) = Listed::make(make, TempDir::path).map_err(error)?;
        Ok(Target {
            out: out.to_owned(),
            folder,
            listed,
            stem: stem.to_owned(),
            force,
        })
    }

    /// The report without its extension: the name of the session, which tools show.
    pub(super) fn session(&self) -> PathBuf {
        self.folder.path().join(&self.stem)
    }

    /// The report.
    pub(super) fn report(&self) -> PathBuf {
        let mut name = self.stem.clone();
        name.push(".");
        name.push(EXTENSION);
        self.folder.path().join(name)
    }

    /// A file beside the report that goes when the report is complete.
    pub(super) fn scratch(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An error of writing.
    pub(super) fn error(&self, error: io::Error) -> ExportError {
        ExportError::Write {
            path: self.out.clone(),
            error,
        }
    }

    /// Puts the report into its place. Its size in bytes; `None` where none was written.
    pub(super) fn settle(self) -> Result<Option<u64>, ExportError> {
        let found = [self.report(), self.session()]
            .into_iter()
            .find_map(|path| {
                let bytes = fs::metadata(&path)
                    .ok()
                    .filter(fs::Metadata::is_file)?
                    .len();
                (bytes > 0).then_some((path, bytes))
            });
        let Some((path, bytes)) = found else {
            return Ok(None);
        };
        let Target {
            out,
            folder,
            listed,
            force,
            ..
        } = self;
        let settled = TempPath::try_from_path(path).and_then(|path| {
            let settled = listed.complete(|| {
                if force {
                    path.persist(&out)
                } else {
                    path.persist_noclobber(&out)
                }
            });
            settled.map_err(|failed| failed.error)
        });
        drop(folder);
        match settled {
            Ok(()) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(ExportError::Exists { path: out })
            }
            Err(error) => Err(ExportError::Write { path: out, error }),
        }
    }
}
