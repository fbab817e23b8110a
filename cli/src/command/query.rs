//! `weft query`: SQL over the joined trace.

use std::path::{Path, PathBuf};

use clap::Args;
use weft_nvtx_export::ReadOptions;
use weft_nvtx_export::output::query;

use super::costs::{FormatArg, format};
use super::joined;
use crate::error::{CliError, Outcome};
use crate::interrupt;
use crate::progress::Shown;

const EXAMPLES: &str = "\
Tables: those of nsys under their own names, and WEFT_...; views: weft_by_line, weft_by_task,
weft_by_kernel, weft_by_range, weft_task_time, weft_gaps, weft_utilisation,
weft_memory_over_time, weft_memory_fragmentation, weft_critical_by_line. Times are in ns.

Examples:
  weft query \"SELECT * FROM weft_by_line\" weft_0.prof
  weft query \"SELECT name FROM sqlite_master ORDER BY name\" report.sqlite
  weft query \"SELECT reason, count(*) FROM WEFT_UNMATCHED GROUP BY 1\" weft.sqlite";

/// The arguments of `weft query`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct QueryArgs {
    /// A SELECT, such as "SELECT * FROM weft_by_line"
    #[arg(value_name = "SQL")]
    sql: String,
    /// .prof files of Weft and Legion, nsys .sqlite exports and .nsys-rep reports, or one database
    /// that `weft export` wrote
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// How to print it; a table on a terminal, CSV elsewhere
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// Take inputs of several runs
    #[arg(long)]
    mix_runs: bool,
}

/// Reads, joins, asks and prints.
pub(crate) fn execute(args: &QueryArgs) -> Result<Outcome, CliError> {
    if Path::new(&args.sql).is_file() {
        return Err(CliError::usage(
            format!("{} is a file and no SQL", args.sql),
            "give the question first: `weft query \"SELECT * FROM weft_by_line\" INPUT...`",
        ));
    }
    let format = format(args.format);
    if let [input] = args.inputs.as_slice()
        && query::is_joined(input)
    {
        let table = query::ask_file(input, &args.sql).map_err(joined::error)?;
        joined::print_table(&table, format)?;
        return Ok(Outcome::Done);
    }
    interrupt::clean_up();
    let bar = Shown::new();
    let options = ReadOptions {
        mix_runs: args.mix_runs,
        progress: bar.progress(),
        ..ReadOptions::default()
    };
    let joined = joined::read(&args.inputs, &options)?;
    let table = query::ask(&joined, &args.sql, &bar.progress()).map_err(joined::error)?;
    drop(bar);
    joined::print_table(&table, format)?;
    Ok(joined::outcome(&joined))
}
