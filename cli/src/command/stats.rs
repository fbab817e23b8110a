//! `weft stats`: costs by source line, task, kernel and other views.

use std::path::PathBuf;

use clap::Args;
use weft_analysis::iterations;

use super::costs::CostArgs;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::say::say;
use crate::signals;

const EXAMPLES: &str = "\
Columns: count, total, mean, std (sample standard deviation), min, median,
p95 and p99 (percentiles), max, and share (of all totals). Where rows have
kernels: kernel time, and overhead = task time minus kernel time; both are
empty if no kernels were recorded, as by Legate. copy time: the part of the
total that copies and fills took. nested: the part that tasks took which ran
inside others on the same processor (Legate); share and --by processor count
that time once. --by range-name: total includes nested ranges, and share is of
the time of outermost ranges. If the
terminal is too narrow for all columns, the least important are left out:
--wide prints all, --columns selects, and CSV and JSON always have all.

~ marks estimates. A launch that runs several tasks is divided among them: on
CPUs by times measured in one of 64 blocks of the data, on GPUs by the bytes
that each task writes. GPU launches are estimates, and so are launches with
fewer than four timed blocks, unless all blocks were timed. In CSV and JSON
the column `estimated` gives the estimated part of each total. Empty: all values
are measured. 0: the total is measured; min, max and percentiles are estimates.

GB/s (--by kernel, --by line): bytes that kernels read and wrote, each byte of
an operand once, over the time in which at least one kernel of the row ran, so
that kernels on several cores add up. Kernels whose bytes are unknown, as those
of GPU libraries, are left out. By channel: bytes copied, counted once.
of bandwidth: GB/s as a part of the memory's bandwidth; of main memory as
measured at the end of the run (--profile-bandwidth), of GPU memory in theory.
Without the column no speed was measured: the run ended early or had little
memory left, or the machine was too busy to measure it within 0.1 s.
In CSV and JSON: gb_per_s, and of_bandwidth as a part of 1.

--roofline: which rows are limited by memory and which by arithmetic.
time: in which at least one kernel of the row ran; the rates are over that time.
GFLOP/s: floating-point operations as docs/roofline.md counts them; of integers
there are none. FLOP/B: these for each byte read or written (GB/s, as above).
limit: what the row used more of, of what memory and processors could have done
in that time, as measured at the end of the run with all workers at once; of
limit: how much. With more than 100 % of memory, part of the data was in a
cache. unknown: the part of the time of kernels whose operations or bytes are not
known, which nothing else in the row counts; the column is there if any are.
FLOP and moved: how many, and their bytes.
In CSV and JSON: gflop_per_s, gb_per_s, flop_per_byte, of_limit as a part of 1,
flop; empty where not known.

--by wait names what a task or the program waited for (cause):
  value      the end of an operation (for), whose value the program reads
  all        the end of all operations
  limit      too many operations under way
  agreement  the other ranks
  exchange   the other tiles of a concurrent task, in a call of its communicator
  event      an event, which a started task waited for

--by gap names what idle workers and GPUs were waiting for:
  program     the program had not yet called the operation
  analysis    dependence analysis
  dependence  an earlier task
  queue       ready, but not yet started
  compile     a kernel was compiled or read, and loaded
  overhead    CUPTI, Nsight Systems or the driver, on the thread that issues work
  launch      handed to the GPU, but not yet started
  host        no call for it yet (GPU work without a task)
  end         nothing followed

Examples:
  weft stats weft_0.prof
      The cost of each source line
  weft stats legate_0.prof --by task --sort mean
      Legate's tasks, slowest first
  weft stats weft_0.prof --roofline
      Which lines are limited by memory, which by arithmetic, and how closely
  weft stats report.sqlite --by kernel --limit 10
      The ten most expensive kernels
  weft stats weft.sqlite --by channel --format json
      Copies by source and destination memory, as JSON
  weft stats weft_*.prof --by critical
      What determined the length of the run, over all ranks
  weft stats report.sqlite --by gap
      Why GPUs were idle
  weft stats weft_0.prof --between 20%..
      Costs without the first fifth of the run
  weft stats weft_0.prof --between steady
      Costs of a loop's iterations without warm-up: from the first of three in a
      row that take at most 1.5 times, and at least 1/1.5 of, the median of the
      second half of all iterations. On a terminal, a line below the table says
      how many there are. --between iteration:3..10 counts from the beginning of
      iteration 3 (the first is 0) to the end of iteration 10. An iteration ends
      when its work and that of all before it have ended, and begins when the one
      before it ends. The loop is the one whose operations took most time
      (docs/reading-a-profile.md says how it is found).";

/// The arguments of `weft stats`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StatsArgs {
    /// Profiles of Weft or Legate (.prof), nsys reports (.nsys-rep) or their SQLite exports,
    /// recognised by content; or one database written by `weft export`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Limit of each row, memory or arithmetic, and how close to that limit it is
    #[arg(long)]
    roofline: bool,
    #[command(flatten)]
    costs: CostArgs,
}

/// Reads and joins the inputs, and prints a table of costs.
pub(crate) fn execute(args: &StatsArgs) -> Result<Outcome, CliError> {
    signals::clean_up();
    if args.roofline {
        args.costs.check_roofline()?;
    }
    let bar = ProgressDisplay::new();
    let trace = args.costs.join(&args.inputs, &bar)?;
    if args.roofline {
        let (table, outcome) = args.costs.roofline(trace, &bar)?;
        drop(bar);
        args.costs.print(table)?;
        return Ok(outcome);
    }
    let loops = args.costs.is_table().then(|| {
        bar.progress().begin("looking for loops", 0);
        iterations::note(&trace)
    });
    let (table, outcome) = args.costs.table(trace, &bar)?;
    drop(bar);
    args.costs.print(table)?;
    if let Some(note) = loops.flatten() {
        say(&format!("weft: {note}"));
    }
    Ok(outcome)
}
