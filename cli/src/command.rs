//! One module per command. Each has its arguments and `fn execute(args) -> Result<Outcome,
//! CliError>`.

pub(crate) mod advise;
#[cfg(target_os = "linux")]
pub(crate) mod bind;
#[cfg(target_os = "linux")]
pub(crate) mod check;
mod costs;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod graph;
pub(crate) mod info;
mod limits;
mod part;
#[cfg(target_os = "linux")]
mod python;
pub(crate) mod query;
#[cfg(target_os = "linux")]
mod rank;
#[cfg(target_os = "linux")]
pub(crate) mod run;
pub(crate) mod simulate;
pub(crate) mod stats;
mod trace;
pub(crate) mod view;

use crate::args::Command;
use crate::error::{CliError, Outcome};

/// Runs a command.
pub(crate) fn dispatch(command: Command) -> Result<Outcome, CliError> {
    match command {
        #[cfg(target_os = "linux")]
        Command::Run(args) => run::execute(&args),
        #[cfg(target_os = "linux")]
        Command::Bind(args) => bind::execute(&args),
        #[cfg(target_os = "linux")]
        Command::Check(args) => check::execute(&args),
        Command::Export(args) => export::execute(&args),
        Command::Stats(args) => stats::execute(&args),
        Command::Advise(args) => advise::execute(&args),
        Command::Diff(args) => diff::execute(&args),
        Command::Query(args) => query::execute(&args),
        Command::View(args) => view::execute(&args),
        Command::Graph(args) => graph::execute(&args),
        Command::Simulate(args) => simulate::execute(&args),
        Command::Info(args) => info::execute(&args),
    }
}
