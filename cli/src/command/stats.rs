//! `weft stats`: what was costly.

use std::path::PathBuf;

use clap::Args;

use super::costs::CostArgs;
use crate::error::{CliError, Outcome};
use crate::interrupt;
use crate::progress::Shown;

const EXAMPLES: &str = "\
Columns: count, total, mean, standard deviation of the sample, min, max, share of the total;
where kernels belong to the rows, their time, and the overhead: what the time of tasks exceeds
that of their kernels by.

Examples:
  weft stats weft_0.prof                                what each line of the program cost
  weft stats legate_0.prof --by task --sort mean        Legate's tasks, slowest first
  weft stats report.sqlite --by kernel --limit 10       the ten kernels that took most
  weft stats weft.sqlite --by channel --format json     what was moved, for a program to read
  weft stats weft_*.prof --by critical                  what set the run's length, over all ranks";

/// The arguments of `weft stats`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StatsArgs {
    /// .prof files of Weft and Legion, nsys .sqlite exports and .nsys-rep reports, told by their content; or one
    /// database that `weft export` wrote
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    costs: CostArgs,
}

/// Reads, joins, adds up and prints.
pub(crate) fn execute(args: &StatsArgs) -> Result<Outcome, CliError> {
    interrupt::clean_up();
    let bar = Shown::new();
    let (table, outcome) = args.costs.add_up(&args.inputs, &bar)?;
    drop(bar);
    args.costs.print(table)?;
    Ok(outcome)
}
