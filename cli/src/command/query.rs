//! `weft query`: SQL over the joined trace.

use std::path::PathBuf;

use clap::Args;
use weft_nvtx_export::output::query;

use super::joined;
use super::stats::{FormatArg, format};
use crate::error::{CliError, Outcome};
use weft_nvtx_export::ReadOptions;

/// The arguments of `weft query`.
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// A SELECT, such as "SELECT * FROM weft_by_line"
    #[arg(value_name = "SQL")]
    sql: String,
    /// weft_*.prof files, nsys .sqlite exports and .nsys-rep reports, or one database that `weft export` wrote
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
    let format = format(args.format);
    if let [input] = args.inputs.as_slice()
        && query::is_joined(input)
    {
        let table = query::ask_file(input, &args.sql).map_err(joined::error)?;
        joined::print(&table.render(format))?;
        return Ok(Outcome::Done);
    }
    let options = ReadOptions {
        mix_runs: args.mix_runs,
        ..ReadOptions::default()
    };
    let joined = joined::read(&args.inputs, &options)?;
    let table = query::ask(&joined, &args.sql).map_err(joined::error)?;
    joined::print(&table.render(format))?;
    Ok(joined::outcome(&joined))
}
