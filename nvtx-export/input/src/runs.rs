//! Grouping of inputs by run, for commands that take several.

use crate::{format, prof};
use std::path::PathBuf;
use weft_database::{Database, is_joined};
use weft_model::{ExportError, Format};

/// The common property of inputs of one run.
#[derive(PartialEq, Eq)]
enum Run {
    /// The run id of Weft's profiles.
    Named(String),
    /// A joined database, which holds a whole run.
    Whole(usize),
    /// The folder of files from Legate and Nsight Systems, which have no run id. Those of one
    /// folder are of one run.
    Folder(PathBuf),
}

/// Returns the inputs of each run, in the order given.
///
/// # Errors
/// Returns an error if an input cannot be read or is of no known format.
pub fn runs_of(inputs: &[PathBuf]) -> Result<Vec<Vec<PathBuf>>, ExportError> {
    let mut runs: Vec<(Run, Vec<PathBuf>)> = Vec::new();
    for (number, path) in inputs.iter().enumerate() {
        let folder = || Run::Folder(path.parent().map(PathBuf::from).unwrap_or_default());
        let run = match format::detect(path)? {
            Format::WeftProf => Run::Named(prof::run_id(path)?),
            Format::Sqlite if is_joined(&Database::open(path)?) => Run::Whole(number),
            Format::Sqlite | Format::LegionProf | Format::NsysReport => folder(),
        };
        match runs.iter_mut().find(|(known, _)| *known == run) {
            Some((_, paths)) => paths.push(path.clone()),
            None => runs.push((run, vec![path.clone()])),
        }
    }
    Ok(runs.into_iter().map(|(_, paths)| paths).collect())
}
