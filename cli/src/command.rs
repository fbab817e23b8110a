//! One module a command. Each has its arguments and `fn execute(args) -> Result<Outcome, CliError>`.

pub(crate) mod info;
pub(crate) mod run;

use crate::args::Command;
use crate::error::{CliError, Outcome};

/// Runs the command that was asked for.
pub(crate) fn dispatch(command: Command) -> Result<Outcome, CliError> {
    match command {
        Command::Run(args) => run::execute(&args),
        Command::Info(args) => info::execute(&args),
    }
}
