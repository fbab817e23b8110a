//! The report that the output is merged with.

use crate::error::ExportError;
use crate::input::format::{self, Format};
use crate::input::joined::is_joined;
use crate::input::nsys::Database;
use crate::joined::{Joined, SourceIndex};
use std::fs;
use std::path::{Path, PathBuf};

/// A report to merge with, which is an input of the joined trace too.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    /// Its absolute path.
    pub(super) path: PathBuf,
    pub(super) source: SourceIndex,
}

impl Merged {
    pub(super) fn of(joined: &Joined, report: &Path) -> Result<Merged, ExportError> {
        check(report)?;
        let path = fs::canonicalize(report).map_err(|error| ExportError::Read {
            path: report.to_owned(),
            error,
        })?;
        let sessions = || (0..).map(SourceIndex).zip(&joined.sources);
        let sessions = || sessions().filter(|(_, source)| source.kind.is_nsys());
        let same = |source: &Path| fs::canonicalize(source).is_ok_and(|source| source == path);
        let named = sessions().find(|(_, source)| same(&source.path));
        // A joined database knows its session by the path that somebody else typed elsewhere.
        let is_kept = |database: &Path| Database::open(database).is_ok_and(|kept| is_joined(&kept));
        let only = || {
            let mut all =
                sessions().filter(|(_, source)| source.database.as_deref().is_some_and(is_kept));
            all.next().filter(|_| all.next().is_none())
        };
        match named.or_else(only) {
            Some((source, _)) => Ok(Merged { path, source }),
            None => Err(refused(
                report,
                "the report's session is not among the inputs",
                "give the report as an input too, so that clocks can be aligned",
            )),
        }
    }

    /// Whether the report holds the kernels of a source: it is of the same session.
    pub(super) fn holds(&self, joined: &Joined, source: SourceIndex) -> bool {
        let wall = |source: SourceIndex| joined.sources.get(source.0 as usize)?.wall_at_zero;
        let session = joined.sources.get(source.0 as usize);
        let is_session = session.is_some_and(|source| source.kind.is_nsys());
        source == self.source
            || (is_session && wall(source).is_some() && wall(source) == wall(self.source))
    }
}

fn refused(report: &Path, why: &str, remedy: &str) -> ExportError {
    ExportError::Merge {
        path: report.to_owned(),
        why: why.to_owned(),
        remedy: remedy.to_owned(),
    }
}

/// Whether it is a report.
fn check(report: &Path) -> Result<(), ExportError> {
    match format::detect(report)? {
        Format::NsysReport => Ok(()),
        _ => Err(refused(
            report,
            "it is not an .nsys-rep",
            "give a report that `nsys profile` wrote",
        )),
    }
}

/// The inputs to read for a report that is merged with another: that one comes first, as its session's clock is then
/// the base. A joined database has it already.
///
/// # Errors
/// An input cannot be read, or what to merge with is no report.
pub fn inputs(inputs: &[PathBuf], merge: Option<&Path>) -> Result<Vec<PathBuf>, ExportError> {
    let Some(report) = merge else {
        return Ok(inputs.to_vec());
    };
    check(report)?;
    let same = |input: &PathBuf| match (fs::canonicalize(input), fs::canonicalize(report)) {
        (Ok(input), Ok(report)) => input == report,
        _ => false,
    };
    for input in inputs {
        if same(input) {
            return Ok(inputs.to_vec());
        }
        if format::detect(input)? == Format::Sqlite && is_joined(&Database::open(input)?) {
            return Ok(inputs.to_vec());
        }
    }
    let mut all = vec![report.to_owned()];
    all.extend_from_slice(inputs);
    Ok(all)
}
