//! Common parts of `weft stats` and `weft diff`: grouping, sorting and printing.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use weft_analysis::stats::{self, By, roofline};
use weft_model::Trace;
use weft_model::table::{Format, Table};
use weft_nvtx_export::{ReadOptions, RequiredParts};

use super::limits::LimitArgs;
use super::part::PartArgs;
use super::trace;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::say::say;

/// Default number of rows of a table on a terminal.
const SCREEN: usize = 50;

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum FormatArg {
    /// Aligned, with units
    Table,
    /// Times in ns (columns ..._ns), sizes in bytes (..._bytes), shares from 0 to 1
    Csv,
    /// A list of objects with csv's names and units
    Json,
}

/// Returns a parser of the groupings of `--by`. `--no-fold` turns [`By::RangeName`] into
/// [`By::RangeMessage`].
fn groupings() -> impl TypedValueParser<Value = By> {
    let offered = |by: &By| *by != By::RangeMessage;
    let choices = By::ALL.iter().copied().filter(offered);
    let values = choices.map(|by| PossibleValue::new(by.name()).help(by.describe()));
    PossibleValuesParser::new(values).try_map(|name| {
        let mut all = By::ALL.iter().copied();
        all.find(|by| by.name() == name).ok_or("no such grouping")
    })
}

/// The arguments for computing and printing a table of costs.
#[derive(Debug, Args)]
pub(super) struct CostArgs {
    /// Kind of the table's rows
    #[arg(long, value_parser = groupings(), default_value = By::Line.name())]
    pub(super) by: By,
    /// Output format [default: table on a terminal, otherwise csv]
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// Sort by this column, such as `count` or `max`: numbers descending, text ascending [default:
    /// total; of weft diff, its change]
    #[arg(long, value_name = "COLUMN")]
    sort: Option<String>,
    /// Maximum number of rows, 0 for all [default: 50 for tables, all for csv and json]
    #[arg(long, value_name = "ROWS", allow_negative_numbers = true)]
    limit: Option<usize>,
    /// Print only these columns in this order, such as `line,total,p99`
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    columns: Vec<String>,
    /// Print all columns and whole names even if the terminal is too narrow
    #[arg(long)]
    wide: bool,
    /// With --by range-name: keep apart messages that differ in numbers alone
    #[arg(long)]
    no_fold: bool,
    #[command(flatten)]
    pub(super) part: PartArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Accept inputs of several runs
    #[arg(long)]
    pub(super) mix_runs: bool,
}

impl CostArgs {
    /// Reads and joins the inputs of one run and computes the table. Prints notes on what the
    /// numbers do not show.
    pub(super) fn add_up(
        &self,
        inputs: &[PathBuf],
        bar: &ProgressDisplay,
    ) -> Result<(Table, Outcome), CliError> {
        let trace = self.join(inputs, bar)?;
        self.table(trace, bar)
    }

    /// Returns the kind of the rows, with folded or whole messages of ranges.
    fn by(&self) -> By {
        match self.by {
            By::RangeName if self.no_fold => By::RangeMessage,
            by => by,
        }
    }

    /// Reads and joins the inputs of one run.
    pub(super) fn join(
        &self,
        inputs: &[PathBuf],
        bar: &ProgressDisplay,
    ) -> Result<Trace, CliError> {
        let options = ReadOptions {
            mix_runs: self.mix_runs,
            keep: match self.by {
                By::Range | By::RangeName => RequiredParts::Ranges,
                By::Critical | By::Gap | By::Wait => RequiredParts::Everything,
                _ => RequiredParts::Costs,
            },
            progress: bar.progress(),
            memory_limit: self.limits.memory(),
        };
        trace::read(inputs, &options)
    }

    /// Computes the table of the requested part. Prints notes on what the numbers do not show.
    pub(super) fn table(
        &self,
        mut trace: Trace,
        bar: &ProgressDisplay,
    ) -> Result<(Table, Outcome), CliError> {
        self.keep_part(&mut trace)?;
        let by = self.by();
        bar.progress().begin("adding up", 0);
        let table = stats::table(&trace, by);
        bar.clear();
        if let Some(note) = stats::note(&trace, by, &table) {
            say(&format!("weft: {note}"));
        }
        let outcome = trace::outcome(&trace);
        Ok((table, outcome))
    }

    /// Checks that rows of this kind have limits.
    pub(super) fn check_roofline(&self) -> Result<(), CliError> {
        match roofline::is_of(self.by) {
            true => Ok(()),
            false => Err(CliError::usage(
                "--roofline is not possible with this --by",
                "choose --by line, scope, task, operation or kernel",
            )),
        }
    }

    /// Computes the table of the rows' limits for the requested part.
    pub(super) fn roofline(
        &self,
        mut trace: Trace,
        bar: &ProgressDisplay,
    ) -> Result<(Table, Outcome), CliError> {
        let by = self.by;
        self.keep_part(&mut trace)?;
        bar.progress().begin("adding up", 0);
        let table = roofline::table(&trace, by);
        bar.clear();
        say(&format!("weft: {}", roofline::note(&trace)));
        let outcome = trace::outcome(&trace);
        Ok((table, outcome))
    }

    fn keep_part(&self, trace: &mut Trace) -> Result<(), CliError> {
        // These cover the whole run: time outside of a part would look like idle time, or like time
        // of no array.
        let is_whole = matches!(
            self.by,
            By::Range | By::RangeName | By::Memory | By::Gap | By::Critical
        );
        if is_whole && self.part.requested_part().is_some() {
            return Err(CliError::usage(
                "--between is not possible with --by range, range-name, memory, gap or critical",
                "choose --by line, task, operation, kernel, scope, processor, channel or wait",
            ));
        }
        self.part.keep(trace)
    }

    /// Returns the rows of two runs side by side.
    pub(super) fn compare(&self, before: &Table, after: &Table) -> Table {
        stats::diff::table(before, after, self.by())
    }

    /// Returns whether the output is a table for people, and not data for programs.
    pub(super) fn is_table(&self) -> bool {
        format(self.format) == Format::Table
    }

    /// Sorts and prints a table.
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
            // A note has given the reason.
            return Ok(());
        }
        let remedy = "--wide prints all, --columns selects";
        trace::print_table(&table, format, self.wide, remedy)?;
        if gone > 0 {
            let rows = if gone == 1 { "row" } else { "rows" };
            let more = format!("{gone} more {rows}; --limit 0 prints all\n");
            match format {
                Format::Table => trace::print(&more)?,
                // Standard output stays machine-readable.
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
        format!("choose from: {}", names.join(", ")),
    )
}

/// Returns the requested format; by default a table on a terminal and CSV elsewhere.
pub(super) fn format(asked: Option<FormatArg>) -> Format {
    match asked {
        Some(FormatArg::Table) => Format::Table,
        Some(FormatArg::Csv) => Format::Csv,
        Some(FormatArg::Json) => Format::Json,
        None if io::stdout().is_terminal() => Format::Table,
        None => Format::Csv,
    }
}
