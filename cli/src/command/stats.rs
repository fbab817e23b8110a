//! `weft stats`: what was costly.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use weft_nvtx_export::ReadOptions;
use weft_nvtx_export::output::table::Format;
use weft_nvtx_export::stats::{self, By};

use super::joined;
use crate::error::{CliError, Outcome};

/// The arguments of `weft stats`.
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// weft_*.prof files, nsys .sqlite exports and .nsys-rep reports, told by their content
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// What to add up by
    #[arg(long, value_enum, default_value_t = ByArg::Line)]
    by: ByArg,
    /// How to print it; a table on a terminal, CSV elsewhere
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// Take inputs of several runs
    #[arg(long)]
    mix_runs: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ByArg {
    /// Tasks by name and variant
    Task,
    /// Operations by name
    Operation,
    /// Kernels by name
    Kernel,
    /// Source lines
    Line,
    /// NVTX ranges by message: kernels whose launch they are the innermost around
    Range,
    /// Processors
    Processor,
    /// Memories
    Memory,
    /// Copies by source and destination memory
    Channel,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormatArg {
    /// For people
    Table,
    /// Times in ns
    Csv,
    /// Times in ns
    Json,
}

/// Reads, joins, adds up and prints.
pub(crate) fn execute(args: &StatsArgs) -> Result<Outcome, CliError> {
    let options = ReadOptions {
        mix_runs: args.mix_runs,
        ..ReadOptions::default()
    };
    let joined = joined::read(&args.inputs, &options)?;
    let by = match args.by {
        ByArg::Task => By::Task,
        ByArg::Operation => By::Operation,
        ByArg::Kernel => By::Kernel,
        ByArg::Line => By::Line,
        ByArg::Range => By::Range,
        ByArg::Processor => By::Processor,
        ByArg::Memory => By::Memory,
        ByArg::Channel => By::Channel,
    };
    let table = stats::table(&joined, by);
    joined::print(&table.render(format(args.format)))?;
    Ok(joined::outcome(&joined))
}

/// The format asked for, or the one that suits where standard output leads.
pub(crate) fn format(asked: Option<FormatArg>) -> Format {
    match asked {
        Some(FormatArg::Table) => Format::Table,
        Some(FormatArg::Csv) => Format::Csv,
        Some(FormatArg::Json) => Format::Json,
        None if std::io::stdout().is_terminal() => Format::Table,
        None => Format::Csv,
    }
}
