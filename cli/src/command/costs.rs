//! What `weft stats` and `weft diff` share: what to add up by, how to print it, how to sort it.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use weft_nvtx_export::output::table::{Format, Table};
use weft_nvtx_export::stats::{self, By};
use weft_nvtx_export::{Keep, ReadOptions};

use super::joined;
use super::limits::LimitArgs;
use crate::error::{CliError, Outcome};
use crate::progress::Shown;
use crate::say::say;
use crate::screen;

/// Rows of a table for people, unless they ask for more.
const SCREEN: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ByArg {
    /// Tasks by name and variant
    Task,
    /// Operations by name
    Operation,
    /// Kernels by name
    Kernel,
    /// Source lines
    Line,
    /// NVTX ranges, a row each: what was started within them, as nvtx_gpu_proj_trace of Nsight Systems counts it
    Range,
    /// NVTX ranges by message
    RangeName,
    /// Processors; devices, for kernels without a task
    Processor,
    /// Memories
    Memory,
    /// Copies and fills by source and destination memory
    Channel,
    /// Times in which a processor or GPU was idle: why, and what ended them
    Gap,
    /// Waits: which task or whether the program waited, why, and for which operation
    Wait,
    /// Source lines on the critical path: what set the run's length, over all ranks, and what that time went into
    Critical,
}

impl ByArg {
    fn by(self) -> By {
        match self {
            ByArg::Task => By::Task,
            ByArg::Operation => By::Operation,
            ByArg::Kernel => By::Kernel,
            ByArg::Line => By::Line,
            ByArg::Range => By::Range,
            ByArg::RangeName => By::RangeName,
            ByArg::Processor => By::Processor,
            ByArg::Memory => By::Memory,
            ByArg::Channel => By::Channel,
            ByArg::Gap => By::Gap,
            ByArg::Wait => By::Wait,
            ByArg::Critical => By::Critical,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum FormatArg {
    /// For people: aligned, with units
    Table,
    /// For programs: times in ns (columns ..._ns), sizes in bytes (..._bytes), shares as parts of 1
    Csv,
    /// A list of objects, with the names and units of csv
    Json,
}

/// How a table of costs is made and printed.
#[derive(Debug, Args)]
pub(super) struct CostArgs {
    /// What to add up by
    #[arg(long, value_enum, default_value_t = ByArg::Line)]
    pub(super) by: ByArg,
    /// How to print it; a table on a terminal, CSV elsewhere
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// Sort by this column, such as `count` or `max`: numbers from the greatest, texts from the first
    #[arg(long, value_name = "COLUMN")]
    sort: Option<String>,
    /// Print this many rows, 0 for all; 50 of a table, all of CSV and JSON
    #[arg(long, value_name = "ROWS")]
    limit: Option<usize>,
    /// Print these columns, in this order, such as `line,total,p99`
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    columns: Vec<String>,
    /// Print a table with all columns and whole names, however narrow the terminal is
    #[arg(long)]
    wide: bool,
    #[command(flatten)]
    limits: LimitArgs,
    /// Take inputs of several runs as one
    #[arg(long)]
    pub(super) mix_runs: bool,
}

impl CostArgs {
    /// Reads and joins the inputs of one run, and adds up. Tells what the numbers do not say.
    pub(super) fn add_up(
        &self,
        inputs: &[PathBuf],
        bar: &Shown,
    ) -> Result<(Table, Outcome), CliError> {
        let options = ReadOptions {
            mix_runs: self.mix_runs,
            keep: match self.by {
                ByArg::Range | ByArg::RangeName => Keep::Ranges,
                ByArg::Critical | ByArg::Wait => Keep::Everything,
                _ => Keep::Costs,
            },
            progress: bar.progress(),
            memory_limit: self.limits.memory(),
        };
        let joined = joined::read(inputs, &options)?;
        let by = self.by.by();
        bar.progress().begin("adding up", 0);
        let table = stats::table(&joined, by);
        bar.clear();
        if let Some(note) = stats::note(&joined, by, &table) {
            say(&format!("weft: {note}"));
        }
        let outcome = joined::outcome(&joined);
        Ok((table, outcome))
    }

    /// The rows of two runs side by side.
    pub(super) fn compare(&self, before: &Table, after: &Table) -> Table {
        stats::diff::table(before, after, self.by.by())
    }

    /// Sorts and prints.
    pub(super) fn print(&self, mut table: Table) -> Result<(), CliError> {
        if let Some(name) = &self.sort {
            let column = table.column(name);
            let column = column.ok_or_else(|| no_column(&table, name, "to sort by"))?;
            table.sort_by(column);
        }
        if !self.columns.is_empty() {
            let names: Vec<&str> = self.columns.iter().map(|name| name.trim()).collect();
            let selected = table.select(&names);
            selected.map_err(|name| no_column(&table, name, "to print"))?;
        }
        let format = format(self.format);
        let limit = self.limit.unwrap_or(match format {
            Format::Table => SCREEN,
            Format::Csv | Format::Json => 0,
        });
        let gone = if limit > 0 { table.truncate(limit) } else { 0 };
        if format == Format::Table && table.is_empty() {
            // A sentence has said why.
            return Ok(());
        }
        let width = screen::width().filter(|_| !self.wide);
        joined::print_table_within(&table, format, width)?;
        if gone > 0 {
            let more = format!("{gone} more rows; --limit 0 prints all\n");
            match format {
                Format::Table => joined::print(&more)?,
                // Programs read what is printed.
                Format::Csv | Format::Json => drop(write!(io::stderr(), "weft: {more}")),
            }
        }
        Ok(())
    }
}

fn no_column(table: &Table, name: &str, what: &str) -> CliError {
    let names: Vec<&str> = table.columns().map(|column| column.name).collect();
    CliError::usage(
        format!("there is no column `{name}` {what}"),
        format!("give one of: {}", names.join(", ")),
    )
}

/// The format asked for, or the one that suits where standard output leads.
pub(super) fn format(asked: Option<FormatArg>) -> Format {
    match asked {
        Some(FormatArg::Table) => Format::Table,
        Some(FormatArg::Csv) => Format::Csv,
        Some(FormatArg::Json) => Format::Json,
        None if io::stdout().is_terminal() => Format::Table,
        None => Format::Csv,
    }
}
