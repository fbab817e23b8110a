//! The output. A report is written in a temporary folder next to the output, and moved there when
//! it is complete.

use crate::file::OutFile;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};
use tempfile::TempDir;
use weft_files::Listed;
use weft_model::{ExportError, Trace};

/// The extension that a backend adds to the name of its session.
const EXTENSION: &str = "nsys-rep";

/// An output that is being written. If it is dropped before [`Target::settle`], no file remains.
#[derive(Debug)]
pub(super) struct Target {
    file: OutFile,
    // Removed before it is taken off the list.
    folder: TempDir,
    _listed: Listed,
    stem: OsString,
}

impl Target {
    pub(super) fn new(trace: &Trace, out: &Path, force: bool) -> Result<Target, ExportError> {
        let mut file = OutFile::create(trace, out, force)?;
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
        // In the folder of the report, so that it can be renamed rather than copied. The path is
        // absolute because the writer may have another current folder.
        let path = std::path::absolute(file.path()?).map_err(error)?;
        let parent = path.parent().unwrap_or(&path);
        let make = || tempfile::Builder::new().prefix(".weft-").tempdir_in(parent);
        let (folder, listed) = Listed::make(make, TempDir::path).map_err(error)?;
        Ok(Target {
            stem: stem.to_owned(),
            file,
            folder,
            _listed: listed,
        })
    }

    /// Returns the report's path without its extension: the name of the session, which tools show.
    pub(super) fn session(&self) -> PathBuf {
        self.folder.path().join(&self.stem)
    }

    /// Returns the path of the report.
    pub(super) fn report(&self) -> PathBuf {
        let mut name = self.stem.clone();
        name.push(".");
        name.push(EXTENSION);
        self.folder.path().join(name)
    }

    /// Returns the path of a temporary file in the report's folder. It is removed when the report
    /// is complete.
    pub(super) fn scratch(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns an error of writing the output.
    pub(super) fn error(&self, error: io::Error) -> ExportError {
        ExportError::Write {
            path: self.file.out().to_owned(),
            error,
        }
    }

    /// Moves the report to the output, and returns its size in bytes; `None` if none was written.
    pub(super) fn settle(mut self) -> Result<Option<u64>, ExportError> {
        let mut made = [self.report(), self.session()].into_iter();
        let has_bytes = |path: &PathBuf| {
            fs::metadata(path).is_ok_and(|known| known.is_file() && known.len() > 0)
        };
        let Some(report) = made.find(has_bytes) else {
            return Ok(None);
        };
        let renamed = fs::rename(&report, self.file.path()?);
        renamed.map_err(|error| self.error(error))?;
        drop(self.folder);
        self.file.finish().map(Some)
    }
}
