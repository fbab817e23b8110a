//! Output files, with the errors of this crate. An output that is one of the inputs is refused, whatever `--force` says.

use std::io::{self, BufWriter};
use std::path::Path;

use weft_files::{WholeFile, WriteError};

use weft_model::{ExportError, Trace};

/// An output that is being written. Dropped before [`OutFile::finish`], it leaves nothing.
#[derive(Debug)]
pub struct OutFile(WholeFile);

impl OutFile {
    /// Begins `out`. `force`: replace a file that exists.
    ///
    /// # Errors
    /// `out` exists and is not to be replaced, is an input, is no file and cannot be written through, or its folder cannot be
    /// written.
    pub fn create(trace: &Trace, out: &Path, force: bool) -> Result<Self, ExportError> {
        check_inputs(out, inputs_of(trace))?;
        let file = WholeFile::create(out, force).map_err(|error| failed(out, error))?;
        Ok(OutFile(file))
    }

    /// Returns the output.
    pub fn out(&self) -> &Path {
        self.0.out()
    }

    /// Returns the temporary file, for what opens it by name. It must write into this file or put
    /// another in its place.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn path(&mut self) -> Result<&Path, ExportError> {
        let out = self.0.out().to_owned();
        self.0.path().map_err(|error| failed(&out, error))
    }

    /// Has `write` fill the file, through a buffer.
    ///
    /// # Errors
    /// What `write` gives, or the last of the buffer cannot be written.
    pub fn write_with(
        &mut self,
        write: impl FnOnce(&mut BufWriter<weft_files::Counted<'_>>) -> io::Result<()>,
    ) -> Result<(), ExportError> {
        let written = self.0.write_with(write);
        written.map_err(|error| failed(self.0.out(), error.into()))
    }

    /// Gives the file its name, and its size in bytes to the caller.
    ///
    /// # Errors
    /// The file cannot be renamed, or another came into being there that is not to be replaced.
    pub fn finish(self) -> Result<u64, ExportError> {
        let out = self.0.out().to_owned();
        self.0.finish().map_err(|error| failed(&out, error))
    }
}

/// Returns whether an output may be put there. `force`: in place of a file that exists, if it is
/// not among the `inputs`.
///
/// # Errors
/// There is a file that is not to be replaced, or something that cannot be written.
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
