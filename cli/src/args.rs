//! The arguments of `weft`, as typed.

use clap::{Parser, Subcommand};

#[cfg(target_os = "linux")]
use crate::command::{bind, run};
use crate::command::{diff, export, info, query, simulate, stats};

/// What the exit status of every command means.
pub(crate) const EXIT_STATUS: &str = "\
Exit status:
  0  done
  1  failed: what, where and what to do is on standard error
  2  wrong usage
  3  done, but an input is incomplete: records were dropped while it was recorded, the program was
     killed, or the file is damaged. The output is complete for what could be read; standard error
     says how many records are missing, and why. WEFT_LOSS in SQL has the counts.
`weft run` exits with the program's own status; where that is 0, with 1 or 3 as above.";

/// An instrumented array runtime: runs programs, and says which line each kernel belongs to.
#[derive(Debug, Parser)]
#[command(name = "weft", version, about, subcommand_required = true, after_help = EXIT_STATUS)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// One command each.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a program: resources, ranks, profiling, nsys
    #[cfg(target_os = "linux")]
    Run(run::RunArgs),
    /// Bind a rank of a launch, and become its program
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Bind(bind::BindArgs),
    /// Join traces and write them in another format
    Export(export::ExportArgs),
    /// Show what was costly: by line, task, operation, kernel, range, processor, memory or channel
    Stats(stats::StatsArgs),
    /// Compare what two runs cost
    Diff(diff::DiffArgs),
    /// Ask the joined trace in SQL, without writing a file
    Query(query::QueryArgs),
    /// Predict what a recorded program does on more ranks
    Simulate(simulate::SimulateArgs),
    /// Show what this machine has: CPUs, GPUs, CUDA, CUPTI, NVTXW, nsys, MPI, and what is missing
    Info(info::InfoArgs),
}
