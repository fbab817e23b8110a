//! `weft run`: a program under a plan.

use crate::error::{CliError, Outcome};

/// What to run, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_names = ["PROGRAM", "ARGS"])]
    command: Vec<std::ffi::OsString>,
}

/// Runs the program and passes its status on.
pub(crate) fn execute(args: &RunArgs) -> Result<Outcome, CliError> {
    let Some((program, rest)) = args.command.split_first() else {
        return Err(CliError::usage("no program was given", "name one"));
    };
    let status = std::process::Command::new(program)
        .args(rest)
        .status()
        .map_err(|cause| {
            CliError::failed(
                format!("cannot start {}: {cause}", program.display()),
                "check its path",
            )
        })?;
    Ok(Outcome::Program(
        u8::try_from(status.code().unwrap_or(1)).unwrap_or(1),
    ))
}
