//! `weft export`: joins inputs and writes them as one file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use weft_nvtx_export::{ExportError, ReadOptions};
use weft_output::legion::{self, LegionOptions, LegionReport};
use weft_output::nsys_rep::{self, Report, ReportOptions, Search, Writer};
use weft_output::perfetto::{self, PerfettoOptions};
use weft_output::sqlite::{self, WriteOptions};
use weft_output::{file, text};

use super::limits::LimitArgs;
use super::trace;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::say::say;
use crate::signals;

const EXAMPLES: &str = "\
Examples:
  weft export sqlite weft_0.prof -o weft.sqlite
      One SQLite database
  weft export sqlite legate_0.prof report.nsys-rep -o trace.sqlite
      A Legate profile with the nsys report of the same run
  weft export perfetto weft_*.prof -o run.pftrace
      All ranks in one trace for ui.perfetto.dev
  weft export nsys-rep weft_0.prof --merge weft_0.nsys-rep -o merged.nsys-rep
      An nsys report with Weft's rows added
  weft export legion weft_*.prof -o legion_%.prof
      Files for legion_prof, one per rank
  weft export text weft_0.prof -o - --relative
      Readable text on standard output";

/// The arguments of `weft export`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExportArgs {
    /// The format to write
    #[arg(value_enum)]
    format: Format,
    /// Profiles of Weft or Legate (.prof), nsys reports (.nsys-rep) or their SQLite exports,
    /// recognised by content; or one database written by `weft export`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The file to write; `-` is standard output (text only). legion: one file per rank, with % for
    /// the rank
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace OUT if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    limits: LimitArgs,
    /// Accept inputs of several runs
    #[arg(long)]
    mix_runs: bool,
    /// Keep the environment variables that nsys captured
    #[arg(long)]
    keep_environment: bool,
    /// nsys-rep: the nsys report to merge with; it is also read as an input
    #[arg(long, value_name = "IN.nsys-rep")]
    merge: Option<PathBuf>,
    /// nsys-rep: the NVTXW backend (libNvtxwBackend.so) or its folder [default: NVTXW3_LIBRARY,
    /// then the dynamic linker, then the installed Nsight Systems or the one in
    /// WEFT_NSIGHT_SYSTEMS]
    #[arg(long, value_name = "PATH")]
    nvtxw_backend: Option<PathBuf>,
    /// text: print times relative to the start of the trace, so that two runs can be compared
    #[arg(long)]
    relative: bool,
    /// perfetto: also draw arrows from each task to the tasks that waited for it
    #[arg(long)]
    dependencies: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// SQLite database with Weft's tables and those of nsys; docs/schema.md describes them
    Sqlite,
    /// Report for Nsight Systems, with a row per processor, CUDA stream, channel and memory;
    /// written by an NVTXW backend (not yet tried with Nsight Systems' own) or by ImportNvtxt
    NsysRep,
    /// Trace for ui.perfetto.dev and its trace processor
    Perfetto,
    /// Legion Prof files, one per rank, for legion_prof
    Legion,
    /// Each operation with its line, tasks, launches and kernels
    Text,
}

/// Reads and joins the inputs, and writes the output. A closed pipe, as by `head`, is not an error.
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
    let bar = ProgressDisplay::new();
    let options = ReadOptions {
        mix_runs: args.mix_runs,
        progress: bar.progress(),
        memory_limit: args.limits.memory(),
        ..ReadOptions::default()
    };
    if args.format != Format::NsysRep && (args.merge.is_some() || args.nvtxw_backend.is_some()) {
        return Err(CliError::usage(
            "--merge and --nvtxw-backend apply only to nsys-rep",
            "omit them, or use `weft export nsys-rep`",
        ));
    }
    let inputs = weft_nvtx_export::merge_inputs(&args.inputs, args.merge.as_deref())?;
    let to_stdout = args.output == Path::new("-");
    if to_stdout && args.format != Format::Text {
        return Err(CliError::usage(
            "only text can be written to standard output",
            "give a file with -o",
        ));
    }
    if !to_stdout {
        // Checked first, since reading the inputs may take long.
        file::check_place(
            &args.output,
            args.force,
            inputs.iter().map(PathBuf::as_path),
        )?;
    }
    let trace = trace::read(&inputs, &options)?;
    // Losses found while writing.
    let mut more = Vec::new();
    match args.format {
        Format::Sqlite => {
            let options = WriteOptions {
                force: args.force,
                keep_environment: args.keep_environment,
                progress: bar.progress(),
            };
            let report = sqlite::write(&trace, &args.output, &options)?;
            more = report.losses;
        }
        Format::NsysRep => {
            let options = ReportOptions {
                force: args.force,
                merge: args.merge.clone(),
                search: Search::from_env(args.nvtxw_backend.clone()),
                progress: bar.progress(),
            };
            let report = nsys_rep::write(&trace, &args.output, &options)?;
            bar.clear();
            print_report(&report);
        }
        Format::Perfetto => {
            let options = PerfettoOptions {
                force: args.force,
                dependencies: args.dependencies,
                progress: bar.progress(),
            };
            perfetto::write(&trace, &args.output, &options)?;
        }
        Format::Legion => {
            let options = LegionOptions {
                force: args.force,
                progress: bar.progress(),
            };
            let report = legion::write(&trace, &args.output, &options)?;
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
                trace::print_with(|to| text::print(&trace, &options, to))?;
            } else {
                text::write(&trace, &options, &args.output, args.force)?;
            }
        }
    }
    drop(bar);
    Ok(trace::outcome_with(&trace, &more))
}

/// Prints notes for the user about a written report.
pub(crate) fn print_report(report: &Report) {
    if let Writer::Importer { path } = &report.writer {
        say(&format!(
            "weft: no NVTXW backend found; {} wrote the report, with UIDs in its messages",
            path.display()
        ));
    }
    if report.left_out > 0 {
        say(&format!(
            "weft: {} events were left out of the report: they are earlier than its session, or the record of their task is missing",
            report.left_out
        ));
    }
}

/// Prints the changes made because Legion Prof files cannot hold the data.
fn tell_changes(report: &LegionReport) {
    let changes = [
        (
            report.waits_left_out,
            "waits were left out: they are outside their task or overlap",
        ),
        (
            report.dependencies_left_out,
            "dependences were left out: the record of one of their tasks is missing",
        ),
        (
            report.partitionings_left_out,
            "computations of partitions were left out: their kind is not known",
        ),
        (
            report.rows_with_times_moved,
            "rows had a time moved: legion_prof requires increasing times",
        ),
        (
            report.rows_on_added_processors,
            "tasks and calls were moved to added processors: they overlap others on their own",
        ),
        (
            report.tasks_with_shares,
            "tasks were given their share of a launch's time: legion_prof has no launches",
        ),
    ];
    for (count, what) in changes.iter().filter(|(count, _)| *count > 0) {
        say(&format!("weft: {count} {what}"));
    }
}
