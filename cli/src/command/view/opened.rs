//! Opens inputs as a trace that can be shown.

use std::ops::Range;
use std::path::{Path, PathBuf};

use weft_analysis::between::Between;
use weft_analysis::stats::{self, By};
use weft_files::Scratch;
use weft_model::printable::printable;
use weft_model::table::Table;
use weft_model::{Trace, available as available_memory};
use weft_nvtx_export::{ReadOptions, RequiredParts};
use weft_output::{query, sqlite};
use weft_timeline as timeline;
use weft_timeline::{Timeline, TimelineError};
use weft_view::{Options, SourceRoot, State, ViewError};

use super::ViewArgs;
use crate::command::trace;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::say::say;

/// The values required of a trace in addition to the drawn ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    /// A part, whose beginning and end are required.
    pub(super) part: Option<&'a Between>,
    /// Whether the costs of its lines are required.
    pub(super) costs: bool,
}

/// A trace that can be shown.
pub(super) struct Opened {
    pub(super) state: State,
    pub(super) costs: Option<Table>,
    pub(super) outcome: Outcome,
}

/// Opens the given database, or one that the inputs are joined into.
pub(super) fn open(
    args: &ViewArgs,
    inputs: &[PathBuf],
    wanted: Wanted<'_>,
    bar: &ProgressDisplay,
) -> Result<Opened, CliError> {
    let source_root = args.source_root.as_deref().map(source_root).transpose()?;
    if let [input] = inputs
        && query::is_joined(input)
    {
        let outcome = trace::outcome_of_database(input)?;
        let trace = Timeline::open(input, &bar.progress()).map_err(of_timeline)?;
        if trace.opened == timeline::Opened::Temporary {
            say(&format!(
                "weft: {}.timeline cannot be written, so it must be rebuilt the next time",
                printable(&input.display().to_string())
            ));
        }
        let rows = match wanted.part.is_some() || wanted.costs {
            true => Some(trace::read(
                inputs,
                &options(args, RequiredParts::Costs, bar),
            )?),
            false => None,
        };
        let options = Options {
            title: title(inputs),
            source_root,
            part: part(rows.as_ref(), wanted.part, &trace)?,
            ..Options::default()
        };
        return Ok(Opened {
            state: State::new(trace, options),
            costs: costs(rows.as_ref(), wanted.costs),
            outcome,
        });
    }
    let rows = trace::read(inputs, &options(args, RequiredParts::Everything, bar))?;
    let written = write(&rows, bar)?;
    let options = Options {
        title: title(inputs),
        source_root,
        part: part(Some(&rows), wanted.part, &written.trace)?,
        folder: Some(written.folder),
        ..Options::default()
    };
    Ok(Opened {
        state: State::new(written.trace, options),
        costs: costs(Some(&rows), wanted.costs),
        outcome: trace::outcome_with(&rows, &written.losses),
    })
}

/// A trace in a temporary folder.
pub(super) struct TemporaryTrace {
    pub(super) trace: Timeline,
    pub(super) folder: Scratch,
    pub(super) losses: Vec<weft_model::LossRow>,
}

/// Writes rows into a database in a temporary folder, and opens that.
pub(super) fn write(rows: &Trace, bar: &ProgressDisplay) -> Result<TemporaryTrace, CliError> {
    let folder = Scratch::new("weft-view-").map_err(|error| {
        CliError::failed(
            format!("cannot create a temporary folder: {error}"),
            "set TMPDIR to a folder that can be written",
        )
    })?;
    let path = folder.path().join("weft.sqlite");
    let options = sqlite::WriteOptions {
        progress: bar.progress(),
        ..sqlite::WriteOptions::default()
    };
    let report = sqlite::write(rows, &path, &options)?;
    let trace = Timeline::open(&path, &bar.progress()).map_err(of_timeline)?;
    Ok(TemporaryTrace {
        trace,
        folder,
        losses: report.losses,
    })
}

/// Returns the options for reading inputs.
pub(super) fn options(args: &ViewArgs, keep: RequiredParts, bar: &ProgressDisplay) -> ReadOptions {
    ReadOptions {
        keep,
        mix_runs: args.mix_runs,
        progress: bar.progress(),
        memory_limit: args.limits.memory().or_else(available_memory),
    }
}

fn costs(rows: Option<&Trace>, is_wanted: bool) -> Option<Table> {
    let rows = rows.filter(|_| is_wanted)?;
    Some(stats::table(rows, By::Line))
}

/// Returns when a part begins and ends, in ns since the start of the trace.
fn part(
    rows: Option<&Trace>,
    part: Option<&Between>,
    trace: &Timeline,
) -> Result<Option<Range<u64>>, CliError> {
    let Some((rows, part)) = rows.zip(part) else {
        return Ok(None);
    };
    let window = part
        .window(rows)
        .map_err(|error| super::super::part::wrong(part, &error))?;
    let since = |at: i64| u64::try_from(at.saturating_sub(trace.file.zero())).unwrap_or(0);
    let (from, to) = (since(window.from.nanos()), since(window.to.nanos()));
    let to = to.min(trace.file.end());
    Ok(Some(from.min(to)..to.max(from.min(to) + 1)))
}

pub(super) fn source_root(folder: &Path) -> Result<SourceRoot, CliError> {
    SourceRoot::open(folder).map_err(|error| {
        CliError::usage(
            format!("--source-root {}: {error}", folder.display()),
            "name the folder that the program's source files are in",
        )
    })
}

pub(super) fn of_timeline(error: TimelineError) -> CliError {
    match error {
        TimelineError::Export(error) => error.into(),
        error => ViewError::from(error).into(),
    }
}

pub(super) fn title(inputs: &[PathBuf]) -> String {
    let name = |path: &PathBuf| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    };
    match inputs {
        [] => String::new(),
        [one] => name(one),
        [first, rest @ ..] => format!("{} and {} more", name(first), rest.len()),
    }
}
