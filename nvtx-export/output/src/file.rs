//! Output files, with the errors of this crate. An output that is one of the inputs is refused even
//! with `--force`.

use std::io::{self, BufWriter};
use std::path::Path;

use weft_files::{WholeFile, WriteError};

use weft_model::{ExportError, Trace};

/// An output that is being written. If it is dropped before [`OutFile::finish`], no file remains.
#[derive(Debug)]
pub struct OutFile(WholeFile);

impl OutFile {
    /// Begins the output `out`. With `force`, an existing file is replaced.
    ///
    /// # Errors
    /// Returns an error if `out` exists and `force` is not set, `out` is an input, `out` is not a
    /// file and cannot be written through, or its folder cannot be written.
    pub fn create(trace: &Trace, out: &Path, force: bool) -> Result<Self, ExportError> {
        check_inputs(out, inputs_of(trace))?;
        let file = WholeFile::create(out, force).map_err(|error| failed(out, error))?;
        Ok(OutFile(file))
    }

    /// Returns the output.
    pub fn out(&self) -> &Path {
        self.0.out()
    }

    /// Returns the temporary file, for writers that open it by name. They must write into this file
    /// or replace it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created.
    pub fn path(&mut self) -> Result<&Path, ExportError> {
        let out = self.0.out().to_owned();
        self.0.path().map_err(|error| failed(&out, error))
    }

    /// Fills the file by `write`, through a buffer.
    ///
    /// # Errors
    /// Returns any error of `write`, or the buffer cannot be flushed.
    pub fn write_with(
        &mut self,
        write: impl FnOnce(&mut BufWriter<weft_files::CountingFile<'_>>) -> io::Result<()>,
    ) -> Result<(), ExportError> {
        let written = self.0.write_with(write);
        written.map_err(|error| failed(self.0.out(), error.into()))
    }

    /// Renames the file to the output, and returns its size in bytes.
    ///
    /// # Errors
    /// Returns an error if the file cannot be renamed, or another file was created there meanwhile
    /// and `force` is not set.
    pub fn finish(self) -> Result<u64, ExportError> {
        let out = self.0.out().to_owned();
        self.0.finish().map_err(|error| failed(&out, error))
    }
}

/// Checks whether an output may be written to `out`. With `force`, it may replace an existing file
/// that is not among the `inputs`.
///
/// # Errors
/// Returns an error if an existing file must not be replaced, or something else there cannot be
/// written.
pub fn check_place<'a>(
    out: &Path,
    force: bool,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), ExportError> {
    check_inputs(out, inputs)?;
    weft_files::check(out, force).map_err(|error| failed(out, error))
}

/// Returns the files that a trace was read from.
pub(crate) fn inputs_of(trace: &Trace) -> impl Iterator<Item = &Path> {
    trace.sources.iter().flat_map(|source| {
        let database = source.database.as_deref();
        [Some(source.path.as_path()), database]
            .into_iter()
            .flatten()
    })
}

fn check_inputs<'a>(
    out: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), ExportError> {
    match inputs
        .into_iter()
        .find(|input| weft_files::is_same(input, out))
    {
        Some(input) => Err(ExportError::IsInput {
            path: out.to_owned(),
            input: input.to_owned(),
        }),
        None => Ok(()),
    }
}

/// Returns the error of an output.
pub(crate) fn failed(out: &Path, error: WriteError) -> ExportError {
    let path = out.to_owned();
    let error = match error {
        WriteError::Exists => return ExportError::Exists { path },
        WriteError::Protected => return ExportError::Protected { path },
        WriteError::Io(error) => error,
        other => io::Error::other(other.to_string()),
    };
    ExportError::Write { path, error }
}
