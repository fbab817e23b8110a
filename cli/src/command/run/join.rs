//! Joins the files of a run.

use std::path::{Path, PathBuf};

use weft_config::flag::Flag;
use weft_model::Trace;
use weft_nvtx_export::{ExportError, ReadOptions};
use weft_output::nsys_rep::{self, Report, ReportOptions, STREAM, Search, import_stream};
use weft_output::sqlite::{self, WriteOptions};
use weft_trace::file::RunId;

use super::names::{Names, PROFILE, REPORT};
use super::prepared::Prepared;
use super::ranks::Ranks;
use super::{missing, shown, stopped};
use crate::command::export::print_report;
use crate::command::trace;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::say::say;
use crate::signals;

/// Joins profiles and reports of all ranks into one database. For a single profile, prints the
/// commands that can use it. Prints one line about the files, and one about ranks without files.
pub(super) fn join(prepared: &Prepared, names: &Names, status: u8) -> Result<Outcome, CliError> {
    let plan = &prepared.plan;
    if !plan.profile && !plan.nsys {
        return Ok(Outcome::Done);
    }
    let run = plan.run_id.map(RunId);
    let (names, profiles) = match plan.profile {
        true => names.profiles(run)?,
        false => (names.clone(), Vec::new()),
    };
    if let Some(own) = prepared.ranks.joined {
        // The other ranks may still be running.
        if own.rank == 0 && plan.profile {
            let profiles = shown::pattern(&names.pattern(PROFILE));
            say(&format!(
                "weft: each of the {} ranks writes a profile; when all have ended, run `weft stats {profiles}`",
                own.size
            ));
        }
        return Ok(Outcome::Done);
    }
    let own = Names::for_plan(plan);
    import_streams(&own, &prepared.ranks)?;
    let mut reports = own.of_ranks(REPORT)?;
    reports.retain(|(rank, _)| prepared.ranks.has(*rank));
    // An empty claimed file is not a report.
    reports.retain(|(_, path)| path.metadata().is_ok_and(|known| known.len() > 0));
    if let Some(earlier) = &prepared.earlier
        && !(profiles.is_empty() && reports.is_empty())
    {
        say(&format!(
            "weft: {} belongs to an earlier run, so the files of this run are in {}; --force replaces the earlier files",
            shown::path(earlier),
            shown::path(&plan.logdir)
        ));
    }
    // Without a report nsys did not start the program, which is reported below.
    let ran = !plan.nsys || !reports.is_empty();
    if plan.profile && profiles.is_empty() && ran {
        let program = Path::new(&prepared.program).display();
        say(&match status {
            0 => format!(
                "weft: {program} wrote no profile; unless a message above says why, check that it uses Weft arrays"
            ),
            // The reason of the failure matters more, and was printed.
            _ => format!("weft: {program} ended with status {status} and wrote no profile"),
        });
    }
    if plan.nsys && reports.is_empty() {
        return Err(CliError::failed(
            format!("nsys wrote no report {}", plan.report_path(0).display()),
            match prepared.flags.words(Flag::NsysExtra).is_empty() {
                true => "read its messages above, and check the installation with `weft info`",
                false => "read its messages above, and check the options in --nsys-extra",
            },
        ));
    }
    let mut outcome = Outcome::Done;
    for (what, asked, found) in [
        ("a profile", plan.profile, &profiles),
        ("an nsys report", plan.nsys, &reports),
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
                let only = shown::path(path);
                let until = match status {
                    0 => String::new(),
                    _ => format!(", of what ran until the program ended with status {status}"),
                };
                say(&format!(
                    "weft: the profile is {only}{until}; next: `weft stats {only}`, or `weft export sqlite {only} -o {}`",
                    shown::path(&names.database_path())
                ));
                return Ok(outcome.and(trace::outcome_of_profile(path)?));
            }
            _ => {}
        }
    }
    Ok(outcome.and(write(paths(profiles), paths(reports), &names, plan.force)?))
}

/// Makes the reports that nsys recorded but failed to make. A stream is left only in that case.
fn import_streams(names: &Names, ranks: &Ranks) -> Result<(), CliError> {
    let mut streams = names.of_ranks(STREAM)?;
    streams.retain(|(rank, _)| ranks.has(*rank));
    for (rank, stream) in streams {
        say(&match import_stream(&stream, &Search::from_env(None)) {
            Ok(report) => format!(
                "weft: nsys recorded rank {rank} but wrote no report; Weft made {} from the recording",
                shown::path(&report)
            ),
            Err(error) => format!(
                "weft: nsys recorded rank {rank} but wrote no report: {}",
                error.sentence()
            ),
        });
    }
    Ok(())
}

/// Writes the joined database, and the merged report if there are reports.
fn write(
    profiles: Vec<PathBuf>,
    reports: Vec<PathBuf>,
    names: &Names,
    force: bool,
) -> Result<Outcome, CliError> {
    let has_rows = !profiles.is_empty();
    let first = reports.first().cloned();
    let inputs = [profiles, reports].concat();
    signals::clean_up();
    let bar = ProgressDisplay::new();
    let options = ReadOptions {
        progress: bar.progress(),
        ..ReadOptions::default()
    };
    let data = trace::read(&inputs, &options)?;
    stopped::sentences(&data)
        .iter()
        .for_each(|sentence| say(sentence));
    let options = WriteOptions {
        force,
        progress: bar.progress(),
        ..WriteOptions::default()
    };
    let written = sqlite::write(&data, &names.database_path(), &options)?;
    let merged = match &first {
        Some(report) if has_rows => Some(merge(
            &data,
            report,
            (names.merged().as_path(), force),
            &bar,
        )),
        _ => None,
    };
    drop(bar);
    let opened = match merged {
        Some(Ok(written)) => {
            print_report(&written);
            Some(names.merged())
        }
        // The run and its other files are complete without the report.
        Some(Err(error)) => {
            let merged = shown::path(&names.merged());
            say(&format!(
                "weft: {merged} was not written: {}",
                error.sentence()
            ));
            first
        }
        None => first,
    };
    let database = shown::path(&names.database_path());
    say(&match opened {
        Some(report) => format!(
            "weft: open {} in nsys-ui; next: `weft stats {database}`",
            shown::path(&report)
        ),
        None => format!(
            "weft: the profiles of {} ranks are joined in {database}; next: `weft stats {database}`",
            inputs.len()
        ),
    });
    Ok(trace::outcome_with(&data, &written.losses))
}

/// Writes the report of the first rank with the rows of all of them.
fn merge(
    data: &Trace,
    report: &Path,
    (merged, force): (&Path, bool),
    bar: &ProgressDisplay,
) -> Result<Report, ExportError> {
    let options = ReportOptions {
        force,
        merge: Some(report.to_owned()),
        search: Search::from_env(None),
        progress: bar.progress(),
    };
    nsys_rep::write(data, merged, &options)
}

fn paths(found: Vec<(u32, PathBuf)>) -> Vec<PathBuf> {
    found.into_iter().map(|(_, path)| path).collect()
}
