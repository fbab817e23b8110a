//! What a run left, joined.

use std::env;
use std::path::Path;

use weft_nvtx_export::joined::Joined;
use weft_nvtx_export::output::nsys_rep::{self, Report, ReportOptions, Search};
use weft_nvtx_export::output::sqlite::{self, WriteOptions};
use weft_nvtx_export::{ExportError, ReadOptions};

use super::launch::{Launch, quoted};
use super::outputs::Outputs;
use crate::command::export::tell;
use crate::command::joined;
use crate::error::{CliError, Outcome};
use crate::interrupt;
use crate::progress::Shown;
use crate::say::say;

/// Under nsys: joins profiles and reports into one database. Else: says what can be made of the profiles.
/// One line tells the user what there is.
pub(super) fn join(launch: &Launch, outputs: &Outputs) -> Result<Outcome, CliError> {
    let profiles = outputs.of_ranks("prof")?;
    let reports = outputs.of_ranks("nsys-rep")?;
    // Without a report nsys did not get to running the program, and that is said below.
    let ran = !launch.plan.nsys || !reports.is_empty();
    if launch.plan.profile && profiles.is_empty() && ran {
        say(&format!(
            "weft: {} wrote no profile; a program that uses Weft writes one when its run starts",
            Path::new(&launch.program).display()
        ));
    }
    if !launch.plan.nsys {
        if let Some(first) = profiles.first() {
            let first = shown(first);
            say(&format!(
                "weft: the profile is in {first}: see `weft stats {first}`, or `weft export sqlite {first} -o {}`",
                shown(&outputs.joined)
            ));
        }
        return Ok(Outcome::Done);
    }
    let Some(report) = reports.first() else {
        return Err(CliError::failed(
            format!(
                "nsys wrote no report {}",
                launch.plan.report_path(0).display()
            ),
            "read what it said above, and check the installation with `weft info`",
        ));
    };
    let has_rows = !profiles.is_empty();
    let inputs = [profiles, reports.clone()].concat();
    interrupt::clean_up();
    let bar = Shown::new();
    let options = ReadOptions {
        progress: bar.progress(),
        ..ReadOptions::default()
    };
    let data = joined::read(&inputs, &options)?;
    // An earlier file of that name is gone; one that is there now was made while the program ran.
    let options = WriteOptions {
        force: true,
        progress: bar.progress(),
        ..WriteOptions::default()
    };
    let written = sqlite::write(&data, &outputs.joined, &options).map_err(joined::error)?;
    let merged = has_rows.then(|| merge(&data, report, outputs, &bar));
    drop(bar);
    let opened = match merged {
        Some(Ok(written)) => {
            tell(&written);
            &outputs.merged
        }
        // The run and its other files are complete without it.
        Some(Err(error)) => {
            let shown = shown(&outputs.merged);
            say(&format!("weft: {shown} was not written: {error}"));
            report
        }
        None => report,
    };
    say(&format!(
        "weft: open {} in nsys-ui, and ask {1}: `weft stats {1}`",
        shown(opened),
        shown(&outputs.joined)
    ));
    Ok(joined::outcome_with(&data, &written.losses))
}

/// Writes the report of the first rank with the rows of all of them.
fn merge(
    data: &Joined,
    report: &Path,
    outputs: &Outputs,
    bar: &Shown,
) -> Result<Report, ExportError> {
    let options = ReportOptions {
        force: true,
        merge: Some(report.to_owned()),
        search: Search::from_env(None),
        progress: bar.progress(),
    };
    nsys_rep::write(data, &outputs.merged, &options)
}

/// A path as a user would type it: from the current folder where it lies below.
fn shown(path: &Path) -> String {
    let here = env::current_dir().unwrap_or_default();
    quoted(path.strip_prefix(here).unwrap_or(path))
}
