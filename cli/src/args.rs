//! The arguments of `weft`.

use clap::{Parser, Subcommand};

use crate::command::{advise, diff, export, graph, info, query, simulate, stats, view};
#[cfg(target_os = "linux")]
use crate::command::{bind, check, run};

/// Help on first steps and exit statuses.
pub(crate) const EXIT_STATUS: &str = "\
Start here:
  weft run --profile prog.py          record a Python program
  weft run --profile -- PROGRAM       record a Weft program
  weft stats weft_0.prof              show what each source line cost
  weft advise weft_0.prof             what to change, and what it would save
  weft view weft_0.prof               look at it in the browser
  weft stats legate_0.prof            the same for a Legate profile
  weft stats report.nsys-rep --by range-name
                                      NVTX ranges of an nsys report
Each command has its own --help with examples.

Exit status:
  0  success
  1  failure; standard error says what, where and what to do
  2  wrong usage
  3  done, but an input is incomplete or the result was cut at a limit.
     Standard error says what is missing and why; the table WEFT_LOSS has
     the counts.
  4  `weft diff --fail-over`: a cost has grown beyond the limit
`weft run` exits with the program's own status; if that is 0, with 1 or 3
as above. A program that is killed by signal N gives 128 + N.";

/// Run array programs and see which source line each kernel belongs to and what it cost.
#[derive(Debug, Parser)]
#[command(name = "weft", version, subcommand_required = true, after_help = EXIT_STATUS)]
pub(crate) struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a program with chosen processors, memory, ranks and profiling
    #[cfg(target_os = "linux")]
    Run(run::RunArgs),
    /// Bind a rank of a launch and become its program
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Bind(bind::BindArgs),
    /// Join traces into one file: SQLite, nsys-rep, Perfetto, Legion Prof or text
    Export(export::ExportArgs),
    /// Show costs by source line, task, kernel, range, processor or other views
    Stats(stats::StatsArgs),
    /// Say what to change in the program, and what it would save
    Advise(advise::AdviseArgs),
    /// Compare the costs of two runs
    Diff(diff::DiffArgs),
    /// Query the joined trace in SQL, read-only and without writing a file
    Query(query::QueryArgs),
    /// Look at a trace in the browser: lanes over time, why each thing waited, cost by line
    View(view::ViewArgs),
    /// Draw what depends on what, by source line or task by task
    Graph(graph::GraphArgs),
    /// Predict how a recorded program runs on more ranks
    Simulate(simulate::SimulateArgs),
    /// List the names of NumPy in a Python program that NumPy computes, not Weft
    #[cfg(target_os = "linux")]
    Check(check::CheckArgs),
    /// Show which CPUs, GPUs and libraries Weft finds, and what is missing
    Info(info::InfoArgs),
}
