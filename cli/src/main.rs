//! The command `weft`.
//!
//! `main` reads the arguments ([`args`]), hands them to one command ([`command`]), prints the error if there is one,
//! and turns the result into the exit status, which [`args::EXIT_STATUS`] describes.

mod args;
mod command;
mod error;
mod interrupt;
mod progress;
mod say;
mod screen;
mod signals;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use weft_nvtx_export::output::printable::printable_lines;

use args::Cli;

fn main() -> ExitCode {
    // Wrong usage ends here: clap prints the reason and exits with status 2.
    let cli = Cli::parse();
    match command::dispatch(cli.command) {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            // Nothing is left to tell it to when standard error is closed.
            let _ = writeln!(
                std::io::stderr(),
                "weft: {}",
                printable_lines(&error::chain(&error))
            );
            ExitCode::from(error.exit_code())
        }
    }
}
