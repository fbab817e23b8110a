//! The inputs of an output that is merged with a report.

use std::fs;
use std::path::{Path, PathBuf};
use weft_database::{Database, is_joined};
use weft_input::format;
use weft_model::{ExportError, Format};

/// Returns the inputs to read for merging with a report. The report comes first, because the clock
/// of its session is then the base. A joined database already contains it.
///
/// # Errors
/// Returns an error if an input cannot be read, or the file to merge with is not a report.
pub fn merge_inputs(inputs: &[PathBuf], merge: Option<&Path>) -> Result<Vec<PathBuf>, ExportError> {
    let Some(report) = merge else {
        return Ok(inputs.to_vec());
    };
    if format::detect(report)? != Format::NsysReport {
        return Err(ExportError::not_a_report(report));
    }
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
