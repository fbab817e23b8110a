//! `weft info`: what this machine has.

use std::io::Write;

use crate::error::{CliError, Outcome};

/// How to show it.
#[derive(Debug, clap::Args)]
pub(crate) struct InfoArgs {}

/// Prints what the machine has.
pub(crate) fn execute(_args: &InfoArgs) -> Result<Outcome, CliError> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    writeln!(std::io::stdout(), "CPUs {cores}")
        .map_err(|cause| CliError::failed(format!("cannot write: {cause}"), "free the output"))?;
    Ok(Outcome::Done)
}
