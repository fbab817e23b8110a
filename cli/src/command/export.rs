//! `weft export`: inputs to a joined file.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use weft_nvtx_export::ReadOptions;
use weft_nvtx_export::output::sqlite::{self, WriteOptions};
use weft_nvtx_export::output::text;

use super::joined;
use crate::error::{CliError, Outcome};
use crate::interrupt;
use crate::progress::Shown;

/// The arguments of `weft export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The format to write
    #[arg(value_enum)]
    format: Format,
    /// weft_*.prof files, nsys .sqlite exports and .nsys-rep reports, told by their content
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The file to write; `-` is standard output (text only)
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace OUT if it exists
    #[arg(long)]
    force: bool,
    /// Take inputs of several runs
    #[arg(long)]
    mix_runs: bool,
    /// Keep the environment variables that nsys captured
    #[arg(long)]
    keep_environment: bool,
    /// Text: times since the first of the trace, so that two runs can be compared
    #[arg(long)]
    relative: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// An SQLite database: Weft's tables and views beside those of nsys
    Sqlite,
    /// Each operation with its line, tasks, launches and kernels
    Text,
}

/// Reads, joins and writes.
pub(crate) fn execute(args: &ExportArgs) -> Result<Outcome, CliError> {
    interrupt::clean_up();
    let bar = Shown::new();
    let options = ReadOptions {
        mix_runs: args.mix_runs,
        progress: bar.progress(),
        ..ReadOptions::default()
    };
    let joined = joined::read(&args.inputs, &options)?;
    match args.format {
        Format::Sqlite => {
            let options = WriteOptions {
                force: args.force,
                keep_environment: args.keep_environment,
                progress: bar.progress(),
            };
            sqlite::write(&joined, &args.output, &options).map_err(joined::error)?;
        }
        Format::Text => {
            bar.progress().begin("writing text", 0);
            let text = text::render(
                &joined,
                &text::TextOptions {
                    relative: args.relative,
                },
            );
            if args.output == Path::new("-") {
                bar.clear();
                joined::print(&text)?;
            } else {
                text::write(&text, &args.output, args.force).map_err(joined::error)?;
            }
        }
    }
    drop(bar);
    Ok(joined::outcome(&joined))
}
