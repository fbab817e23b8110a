//! `weft stats`: what was costly.

use std::path::PathBuf;

use clap::Args;

use super::costs::CostArgs;
use crate::error::{CliError, Outcome};
use crate::progress::Shown;
use crate::signals;

const EXAMPLES: &str = "\
Columns: count, total, mean, standard deviation of the sample, min, median, 95th and 99th percentile
(p95, p99), max, share of the total; where kernels belong to the rows, their time, and the overhead:
what the time of tasks exceeds that of their kernels by. A narrow terminal has no room for all of
them: --wide prints all, --columns those you name, --format csv and json have them always.

~ marks estimates: of a launch that runs several tasks only the whole is timed, and divided among the
tasks by what each is expected to cost. In CSV and JSON the column `estimated` says how much of a
total is; empty: none; 0: the total is measured, and min, max and percentiles are estimates.

--by gap: idle time is divided by what the work that ended it was waiting for: program (not asked for
yet), analysis, dependence (tasks before it), queue (ready, not taken), launch (handed to the GPU),
host (no call for it; of GPU work that belongs to no task), end (nothing followed).

Examples:
  weft stats weft_0.prof                                what each line of the program cost
  weft stats legate_0.prof --by task --sort mean        Legate's tasks, slowest first
  weft stats report.sqlite --by kernel --limit 10       the ten kernels that took most
  weft stats weft.sqlite --by channel --format json     what was moved, for a program to read
  weft stats weft_*.prof --by critical                  what set the run's length, over all ranks
  weft stats report.sqlite --by gap                     why GPUs were idle, and before which kernels";

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
    signals::clean_up();
    let bar = Shown::new();
    let (table, outcome) = args.costs.add_up(&args.inputs, &bar)?;
    drop(bar);
    args.costs.print(table)?;
    Ok(outcome)
}
