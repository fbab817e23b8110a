//! The report that the output is merged with.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use weft_database::{Database, is_joined};
use weft_model::{ExportError, Format, SourceIndex, Trace};

/// A report to merge with, which is also an input of the joined trace.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    /// The absolute path.
    pub(super) path: PathBuf,
    pub(super) source: SourceIndex,
}

impl Merged {
    pub(super) fn new(trace: &Trace, report: &Path) -> Result<Merged, ExportError> {
        check(report)?;
        let path = fs::canonicalize(report).map_err(|error| ExportError::Read {
            path: report.to_owned(),
            error,
        })?;
        let sessions = || (0..).map(SourceIndex).zip(&trace.sources);
        let sessions = || sessions().filter(|(_, source)| source.kind.is_nsys());
        let same = |source: &Path| fs::canonicalize(source).is_ok_and(|source| source == path);
        let named = sessions().find(|(_, source)| same(&source.path));
        // A joined database stores the path of its session as it was given elsewhere.
        let is_kept = |database: &Path| Database::open(database).is_ok_and(|kept| is_joined(&kept));
        let only = || {
            let mut all =
                sessions().filter(|(_, source)| source.database.as_deref().is_some_and(is_kept));
            all.next().filter(|_| all.next().is_none())
        };
        match named.or_else(only) {
            Some((source, _)) => Ok(Merged { path, source }),
            None => Err(ExportError::Merge {
                path: report.to_owned(),
                why: "the report's session is not among the inputs".to_owned(),
                remedy: "give the report as an input too, so that clocks can be aligned".to_owned(),
            }),
        }
    }

    /// Returns whether the report holds the kernels of a source, that is, whether both are of the
    /// same session.
    pub(super) fn holds(&self, trace: &Trace, source: SourceIndex) -> bool {
        let wall = |source: SourceIndex| trace.sources.get(source.0 as usize)?.wall_at_zero;
        let session = trace.sources.get(source.0 as usize);
        let is_session = session.is_some_and(|source| source.kind.is_nsys());
        source == self.source
            || (is_session && wall(source).is_some() && wall(source) == wall(self.source))
    }
}

/// Checks that the file is a report.
fn check(report: &Path) -> Result<(), ExportError> {
    let mut head = Vec::with_capacity(64);
    let read = File::open(report).and_then(|file| file.take(64).read_to_end(&mut head));
    read.map_err(|error| ExportError::Read {
        path: report.to_owned(),
        error,
    })?;
    match Format::detect(&head) {
        Some(Format::NsysReport) => Ok(()),
        _ => Err(ExportError::not_a_report(report)),
    }
}
