//! What a run left, joined.

use std::env;
use std::path::{Path, PathBuf};

use weft_nvtx_export::joined::Joined;
use weft_nvtx_export::output::nsys_rep::{
    self, Report, ReportOptions, STREAM, Search, import_stream,
};
use weft_nvtx_export::output::sqlite::{self, WriteOptions};
use weft_nvtx_export::{ExportError, ReadOptions};

use super::missing;
use super::outputs::Outputs;
use super::prepared::{Prepared, quoted};
use super::stopped;
use crate::command::export::tell;
use crate::command::joined;
use crate::error::{CliError, Outcome};
use crate::interrupt;
use crate::progress::Shown;
use crate::say::say;

/// Joins profiles and reports of all ranks into one database; of a single profile it says what can be made of it. One line
/// tells the user what there is, and one which ranks left nothing.
pub(super) fn join(prepared: &Prepared, outputs: &Outputs) -> Result<Outcome, CliError> {
    let plan = &prepared.plan;
    if !plan.profile && !plan.nsys {
        return Ok(Outcome::Done);
    }
    if let Some(own) = prepared.ranks.joined {
        // The other ranks may still be running.
        if own.rank == 0 && plan.profile {
            let profiles = pattern(outputs, "prof");
            say(&format!(
                "weft: each of {} ranks writes a profile; when all have ended: `weft stats {profiles}`",
                own.size
            ));
        }
        return Ok(Outcome::Done);
    }
    let profiles = outputs.of_ranks("prof")?;
    import_streams(outputs)?;
    let reports = outputs.of_ranks("nsys-rep")?;
    // Without a report nsys did not get to running the program, and that is said below.
    let ran = !plan.nsys || !reports.is_empty();
    if plan.profile && profiles.is_empty() && ran {
        say(&format!(
            "weft: {} wrote no profile; a program that uses Weft writes one when its run starts",
            Path::new(&prepared.program).display()
        ));
    }
    if plan.nsys && reports.is_empty() {
        return Err(CliError::failed(
            format!("nsys wrote no report {}", plan.report_path(0).display()),
            "read what it said above, and check the installation with `weft info`",
        ));
    }
    let mut outcome = Outcome::Done;
    for (what, asked, found) in [
        ("a profile", plan.profile, &profiles),
        ("a report of nsys", plan.nsys, &reports),
    ] {
        if asked
            && !found.is_empty()
            && let Some(sentence) = missing::sentence(what, found, &prepared.ranks)
        {
            say(&sentence);
            outcome = Outcome::Partly;
        }
    }
    if !plan.nsys {
        match profiles.as_slice() {
            [] => return Ok(outcome),
            [(_, only)] => {
                let path = only;
                let only = shown(path);
                say(&format!(
                    "weft: the profile is in {only}: see `weft stats {only}`, or `weft export sqlite {only} -o {}`",
                    shown(&outputs.joined)
                ));
                return Ok(outcome.and(joined::outcome_of_profile(path)?));
            }
            _ => {}
        }
    }
    Ok(outcome.and(write(paths(profiles), paths(reports), outputs)?))
}

/// Makes the reports that nsys recorded but failed to make. A stream is left only then.
fn import_streams(outputs: &Outputs) -> Result<(), CliError> {
    for (rank, stream) in outputs.of_ranks(STREAM)? {
        say(&match import_stream(&stream, &Search::from_env(None)) {
            Ok(report) => format!(
                "weft: nsys recorded rank {rank} and made no report; {} is made of what it recorded",
                shown(&report)
            ),
            Err(error) => format!("weft: nsys recorded rank {rank} and made no report: {error}"),
        });
    }
    Ok(())
}

/// Writes the joined database, and where there are reports the merged one.
fn write(
    profiles: Vec<PathBuf>,
    reports: Vec<PathBuf>,
    outputs: &Outputs,
) -> Result<Outcome, CliError> {
    let has_rows = !profiles.is_empty();
    let first = reports.first().cloned();
    let inputs = [profiles, reports].concat();
    interrupt::clean_up();
    let bar = Shown::new();
    let options = ReadOptions {
        progress: bar.progress(),
        ..ReadOptions::default()
    };
    let data = joined::read(&inputs, &options)?;
    stopped::sentences(&data)
        .iter()
        .for_each(|sentence| say(sentence));
    // An earlier file of that name is gone; one that is there now was made while the program ran.
    let options = WriteOptions {
        force: true,
        progress: bar.progress(),
        ..WriteOptions::default()
    };
    let written = sqlite::write(&data, &outputs.joined, &options).map_err(joined::error)?;
    let merged = match &first {
        Some(report) if has_rows => Some(merge(&data, report, outputs, &bar)),
        _ => None,
    };
    drop(bar);
    let opened = match merged {
        Some(Ok(written)) => {
            tell(&written);
            Some(&outputs.merged)
        }
        // The run and its other files are complete without it.
        Some(Err(error)) => {
            let shown = shown(&outputs.merged);
            say(&format!("weft: {shown} was not written: {error}"));
            first.as_ref()
        }
        None => first.as_ref(),
    };
    let database = shown(&outputs.joined);
    say(&match opened {
        Some(report) => format!(
            "weft: open {} in nsys-ui, and ask {database}: `weft stats {database}`",
            shown(report)
        ),
        None => format!(
            "weft: the profiles of {} ranks are joined in {database}: `weft stats {database}`",
            inputs.len()
        ),
    });
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

fn paths(found: Vec<(u32, PathBuf)>) -> Vec<PathBuf> {
    found.into_iter().map(|(_, path)| path).collect()
}

/// The files of all ranks, as a user would type them; the star is for the shell.
pub(super) fn pattern(outputs: &Outputs, extension: &str) -> String {
    let pattern = outputs.pattern(extension);
    let folder = pattern.parent().map(shown).unwrap_or_default();
    let name = pattern.file_name().unwrap_or_default().to_string_lossy();
    let (start, end) = name.split_once('*').unwrap_or((&name, ""));
    let name = format!("{}*{}", quoted(start), quoted(end));
    match folder.as_str() {
        "" | "''" | "." => name,
        folder => format!("{folder}/{name}"),
    }
}

/// A path as a user would type it: from the current folder where it lies below.
fn shown(path: &Path) -> String {
    let here = env::current_dir().unwrap_or_default();
    quoted(path.strip_prefix(here).unwrap_or(path))
}
