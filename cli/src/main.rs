//! The command `weft`.
//!
//! `main` reads the arguments ([`args`]), hands them to one command ([`command`]), prints the error
//! if there is one, and turns the result into the exit status, which [`args::EXIT_STATUS`]
//! describes.
//!
//! Running programs needs Linux. The commands that read traces are built for other systems too,
//! since profiles are copied to them.

mod args;
mod command;
mod error;
mod memory;
mod progress;
mod say;
mod screen;
mod signals;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use weft_model::printable::printable_lines;

use args::Cli;

fn main() -> ExitCode {
    let words = translate(std::env::args_os().collect());
    let checked = check_words(&words);
    // Wrong usage ends here: clap prints the reason and exits with status 2.
    let ended = checked.and_then(|()| command::dispatch(Cli::parse_from(words).command));
    match ended {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            // If standard error is closed, the message cannot be shown.
            let _ = writeln!(
                std::io::stderr(),
                "weft: {}",
                printable_lines(&error::chain(&error))
            );
            ExitCode::from(error.exit_code())
        }
    }
}

/// Translates Legate's flags of `weft run --compat cupynumeric` to Weft's.
#[cfg(target_os = "linux")]
fn translate(words: Vec<OsString>) -> Vec<OsString> {
    let translated = match words.split_first() {
        Some((_, [command, rest @ ..])) if command == "run" => command::run::translate(rest),
        _ => None,
    };
    match translated {
        Some(translated) => words.into_iter().take(2).chain(translated).collect(),
        None => words,
    }
}

#[cfg(not(target_os = "linux"))]
fn translate(words: Vec<OsString>) -> Vec<OsString> {
    words
}

/// Rejects words that the parser would misunderstand.
#[cfg(target_os = "linux")]
fn check_words(words: &[OsString]) -> Result<(), error::CliError> {
    match words.split_first() {
        Some((_, [command, words @ ..])) if command == "run" => command::run::check_words(words),
        _ => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn check_words(_words: &[OsString]) -> Result<(), error::CliError> {
    Ok(())
}
