//! `weft diff`: the costs of two runs side by side.

mod against;
mod gate;

use std::path::PathBuf;

use clap::Args;

use weft_analysis::stats::By;
use weft_analysis::stats::change::Limit;

use super::costs::CostArgs;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::signals;

const EXAMPLES: &str = "\
Each row has the cost of one line (or task, kernel, ... with --by) in both
runs, sorted by the change of the total. Rows are matched by exact name: a
line whose number changed becomes two rows (use --by operation then). A row
of only one run is empty on the other side.
`weft view BEFORE... -- AFTER...` shows both timelines.

Examples:
  weft diff old/weft_0.prof -- new/weft_0.prof
  weft diff --by kernel --limit 10 old.sqlite -- new.sqlite
  weft diff --by task --format csv old/weft_*.prof -- new/weft_*.prof
  weft diff --against advice.json old/weft_0.prof -- new/weft_0.prof
      What `weft advise --format json` had predicted, and what came
  weft diff --fail-over 5% base/run*/weft_0.prof -- new/run*/weft_0.prof
      For CI: status 4 if a line, or the total, has grown by more than 5 %
      and by more than runs of one side differ";

/// The arguments of `weft diff`.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "weft diff [OPTIONS] BEFORE... -- AFTER..."
)]
pub(crate) struct DiffArgs {
    /// Inputs of the first run, as for `weft stats`
    #[arg(value_name = "BEFORE")]
    before: Vec<PathBuf>,
    /// Inputs of the second run, after `--`
    #[arg(last = true, value_name = "AFTER")]
    after: Vec<PathBuf>,
    /// Compare with the predictions of `weft advise --format json` for the first run, instead of a
    /// table of costs
    #[arg(long, value_name = "ADVICE")]
    against: Option<PathBuf>,
    /// Exit with status 4 if a cost has grown by more than this and more than runs differ by
    /// themselves, such as 5%. Give several runs of each side: profiles are distinguished by their
    /// run, other inputs by their folder
    #[arg(long, value_name = "PERCENT", value_parser = gate::percent)]
    fail_over: Option<f64>,
    /// With --fail-over, judge only rows of at least this part of the total
    #[arg(long, value_name = "PERCENT", value_parser = gate::percent, default_value = "1%", requires = "fail_over")]
    least_share: f64,
    #[command(flatten)]
    costs: CostArgs,
}

/// Reads and joins both runs, and prints their costs side by side.
pub(crate) fn execute(args: &DiffArgs) -> Result<Outcome, CliError> {
    check(args)?;
    signals::clean_up();
    let bar = ProgressDisplay::new();
    if let Some(advice) = &args.against {
        return against::execute(advice, &args.before, &args.after, &args.costs, &bar);
    }
    if let Some(growth) = args.fail_over {
        let limit = Limit {
            growth,
            least_share: args.least_share,
        };
        return gate::execute(&args.before, &args.after, &args.costs, limit, bar);
    }
    let (before, first) = args.costs.add_up(&args.before, &bar)?;
    let (after, second) = args.costs.add_up(&args.after, &bar)?;
    drop(bar);
    args.costs.print(args.costs.compare(&before, &after))?;
    Ok(first.and(second))
}

fn check(args: &DiffArgs) -> Result<(), CliError> {
    let usage = |what: &str| {
        let remedy = "give both runs: `weft diff BEFORE... -- AFTER...`";
        Err(CliError::usage(what, remedy))
    };
    let is_flag = |path: &&PathBuf| path.to_string_lossy().starts_with("--");
    if let Some(flag) = args.after.iter().find(is_flag) {
        return Err(CliError::usage(
            format!(
                "{} is after `--`, where only inputs are allowed",
                flag.display()
            ),
            "put flags before the inputs: `weft diff --by task BEFORE... -- AFTER...`",
        ));
    }
    match (args.before.is_empty(), args.after.is_empty()) {
        (true, true) => usage("no inputs were given"),
        (true, false) => usage("no input of the first run was given before `--`"),
        (false, true) => usage("no input of the second run was given after `--`"),
        (false, false) if args.costs.by == By::Range => Err(CliError::usage(
            "single ranges of two runs cannot be matched",
            "compare them by message with --by range-name",
        )),
        (false, false) => Ok(()),
    }
}
