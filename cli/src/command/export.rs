//! `weft export`: inputs to a joined file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use weft_nvtx_export::output::file;
use weft_nvtx_export::output::legion::{self, LegionOptions, LegionReport};
use weft_nvtx_export::output::nsys_rep::{self, Report, ReportOptions, Search, Writer};
use weft_nvtx_export::output::perfetto::{self, PerfettoOptions};
use weft_nvtx_export::output::sqlite::{self, WriteOptions};
use weft_nvtx_export::output::text;
use weft_nvtx_export::{ExportError, ReadOptions};

use super::joined;
use super::limits::LimitArgs;
use crate::error::{CliError, Outcome};
use crate::progress::Shown;
use crate::say::say;
use crate::signals;

/// The arguments of `weft export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The format to write
    #[arg(value_enum)]
    format: Format,
    /// .prof files of Weft and Legion, nsys .sqlite exports and .nsys-rep reports, told by their
    /// content
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The file to write; `-` is standard output (text only)
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace OUT if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    limits: LimitArgs,
    /// Take inputs of several runs
    #[arg(long)]
    mix_runs: bool,
    /// Keep the environment variables that nsys captured
    #[arg(long)]
    keep_environment: bool,
    /// nsys-rep: the report of nsys to merge with; it is read as an input too
    #[arg(long, value_name = "IN.nsys-rep")]
    merge: Option<PathBuf>,
    /// nsys-rep: the NVTXW backend (libNvtxwBackend.so) or its folder; else NVTXW3_LIBRARY, the dynamic linker, and the
    /// installations of Nsight Systems are asked, or the one that WEFT_NSIGHT_SYSTEMS names
    #[arg(long, value_name = "PATH")]
    nvtxw_backend: Option<PathBuf>,
    /// Text: times since the first of the trace, so that two runs can be compared
    #[arg(long)]
    relative: bool,
    /// Perfetto: arrows from each task to those that waited for it too
    #[arg(long)]
    dependencies: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// An SQLite database: Weft's tables and views beside those of nsys
    Sqlite,
    /// A report of Nsight Systems: a row a processor, CUDA stream, channel and memory, through an NVTXW backend (none of
    /// Nsight Systems itself has been tried yet), or through its ImportNvtxt
    NsysRep,
    /// A trace for ui.perfetto.dev and its trace processor
    Perfetto,
    /// Legion Prof files, one a rank: with several ranks OUT has a % for the rank
    Legion,
    /// Each operation with its line, tasks, launches and kernels
    Text,
}

/// Reads, joins and writes. A reader of the output that has seen enough, such as `head`, is no error.
pub(crate) fn execute(args: &ExportArgs) -> Result<Outcome, CliError> {
    match export(args) {
        Err(CliError::Export(ExportError::Write { error, .. }))
            if error.kind() == ErrorKind::BrokenPipe =>
        {
            Ok(Outcome::Done)
        }
        other => other,
    }
}

fn export(args: &ExportArgs) -> Result<Outcome, CliError> {
    signals::clean_up();
    let bar = Shown::new();
    let options = ReadOptions {
        mix_runs: args.mix_runs,
        progress: bar.progress(),
        memory_limit: args.limits.memory(),
        ..ReadOptions::default()
    };
    if args.format != Format::NsysRep && (args.merge.is_some() || args.nvtxw_backend.is_some()) {
        return Err(CliError::usage(
            "--merge and --nvtxw-backend are for reports",
            "leave them out, or write `weft export nsys-rep`",
        ));
    }
    let inputs = nsys_rep::inputs(&args.inputs, args.merge.as_deref())?;
    let to_stdout = args.output == Path::new("-");
    if to_stdout && args.format != Format::Text {
        return Err(CliError::usage(
            "only text can be written to standard output",
            "give a file with -o",
        ));
    }
    if !to_stdout {
        // Before the inputs are read, which may take long.
        file::check_place(
            &args.output,
            args.force,
            inputs.iter().map(PathBuf::as_path),
        )?;
    }
    let joined = joined::read(&inputs, &options)?;
    // Losses that only the writing finds out.
    let mut more = Vec::new();
    match args.format {
        Format::Sqlite => {
            let options = WriteOptions {
                force: args.force,
                keep_environment: args.keep_environment,
                progress: bar.progress(),
            };
            let report = sqlite::write(&joined, &args.output, &options)?;
            more = report.losses;
        }
        Format::NsysRep => {
            let options = ReportOptions {
                force: args.force,
                merge: args.merge.clone(),
                search: Search::from_env(args.nvtxw_backend.clone()),
                progress: bar.progress(),
            };
            let report = nsys_rep::write(&joined, &args.output, &options)?;
            bar.clear();
            tell(&report);
        }
        Format::Perfetto => {
            let options = PerfettoOptions {
                force: args.force,
                dependencies: args.dependencies,
                progress: bar.progress(),
            };
            perfetto::write(&joined, &args.output, &options)?;
        }
        Format::Legion => {
            let options = LegionOptions {
                force: args.force,
                progress: bar.progress(),
            };
            let report = legion::write(&joined, &args.output, &options)?;
            bar.clear();
            tell_changes(&report);
        }
        Format::Text => {
            bar.progress().begin("writing text", 0);
            let options = text::TextOptions {
                relative: args.relative,
            };
            if to_stdout {
                bar.clear();
                joined::print_with(|to| text::print(&joined, &options, to))?;
            } else {
                text::write(&joined, &options, &args.output, args.force)?;
            }
        }
    }
    drop(bar);
    Ok(joined::outcome_with(&joined, &more))
}

/// What a user has to know of a report that was written.
pub(crate) fn tell(report: &Report) {
    if let Writer::Importer { path } = &report.writer {
        say(&format!(
            "weft: no NVTXW backend is here, so {} made the report: UIDs stand in the messages",
            path.display()
        ));
    }
    if report.left_out > 0 {
        say(&format!(
            "weft: {} events are not in the report: they lie before its clock begins, or the record of their task is \
             missing",
            report.left_out
        ));
    }
}

/// Says what a Legion Prof file could not hold as it was.
fn tell_changes(report: &LegionReport) {
    let changes = [
        (
            report.waits_left_out,
            "waits are not in the files: they lie outside of their task or overlap",
        ),
        (
            report.dependencies_left_out,
            "dependences are not in the files: the record of a task is missing",
        ),
        (
            report.rows_with_times_moved,
            "rows have a time moved: to legion_prof times never go back",
        ),
        (
            report.rows_on_added_processors,
            "tasks and calls overlap others of their processor, and stand on another one that was added",
        ),
        (
            report.tasks_with_shares,
            "tasks have a part of a launch's time, as long as their share of it: legion_prof knows no launches",
        ),
    ];
    for (count, what) in changes.iter().filter(|(count, _)| *count > 0) {
        say(&format!("weft: {count} {what}"));
    }
}
