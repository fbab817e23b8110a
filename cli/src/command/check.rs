//! `weft check`: the names of NumPy in a program that Weft leaves to NumPy. The Python package
//! finds them.

use std::ffi::OsString;
use std::process::Command;

use clap::Args;

use super::python;
use crate::error::{CliError, Outcome};

const EXAMPLES: &str = "\
The program is read, not run. The exit status is 1 if NumPy, or with --gpu the
host, computes something in it, and 2 if a file cannot be read as Python.
Arrays of float16 and complex numbers always run on the host; --gpu does not
find these.

Examples:
  weft check prog.py
      The names that NumPy computes, with file, line and column
  weft check --gpu prog.py
      Also the names that run on the host in runs with GPUs
  weft check --all --format json src/*.py
      Every name of NumPy that is used, and who computes it";

/// The arguments of `weft check`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    /// Python programs
    #[arg(required = true, value_name = "PROGRAM")]
    programs: Vec<OsString>,
    /// List all names of NumPy that are used
    #[arg(long)]
    all: bool,
    /// Also list the names that have no code for GPUs
    #[arg(long)]
    gpu: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_parser = ["text", "json"], default_value = "text")]
    format: String,
}

/// Runs the package's check of the programs, and returns its status.
pub(crate) fn execute(args: &CheckArgs) -> Result<Outcome, CliError> {
    let interpreter = python::interpreter();
    python::package(&interpreter)?;
    let mut command = Command::new(&interpreter);
    // The current folder is excluded, because it may contain modules of the same names.
    command.args(["-P", "-m", "weft.check", "--format", &args.format]);
    if args.all {
        command.arg("--all");
    }
    if args.gpu {
        command.arg("--gpu");
    }
    command.arg("--").args(&args.programs);
    let status = command.status().map_err(|cause| {
        CliError::failed(
            format!("cannot start Python: {cause}"),
            "name another interpreter in WEFT_PYTHON",
        )
    })?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(Outcome::Program(code.unwrap_or(1)))
}
