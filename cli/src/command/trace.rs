//! Common parts of the commands that read traces.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use weft_input::GIVEN_TWICE;
use weft_model::table::{Format, Table};
use weft_model::{Incomplete, LossRow, Trace, incomplete};
use weft_nvtx_export::ReadOptions;

use crate::error::{CliError, Outcome};
use crate::say::say;
use crate::screen;

/// Reads and joins the inputs.
pub(crate) fn read(inputs: &[PathBuf], options: &ReadOptions) -> Result<Trace, CliError> {
    weft_nvtx_export::start_threads();
    let trace = weft_nvtx_export::read(inputs, options)?;
    let twice = trace.quality.losses.iter();
    for loss in twice.filter(|loss| loss.name == GIVEN_TWICE) {
        say(&format!("weft: {}", loss.meaning));
    }
    Ok(trace)
}

/// Returns the outcome of a command that read these inputs. Prints their losses once.
pub(crate) fn outcome(trace: &Trace) -> Outcome {
    outcome_with(trace, &[])
}

/// Returns the outcome of a command, including losses found while writing the output.
pub(crate) fn outcome_with(trace: &Trace, more: &[LossRow]) -> Outcome {
    print_losses(&incomplete(
        &trace.sources,
        trace.quality.losses.iter().chain(more),
    ))
}

/// Returns the outcome of a command that read a database written by `weft export`.
pub(crate) fn outcome_of_database(path: &Path) -> Result<Outcome, CliError> {
    let inputs = weft_nvtx_export::check_database(path)?;
    Ok(print_losses(&inputs))
}

/// Returns the outcome of a command that read a profile, without reading its records.
pub(crate) fn outcome_of_profile(path: &Path) -> Result<Outcome, CliError> {
    let input = weft_nvtx_export::check_profile(path)?;
    Ok(print_losses(input.as_slice()))
}

fn print_losses(inputs: &[Incomplete]) -> Outcome {
    for input in inputs {
        say(&format!("weft: {input}"));
    }
    match inputs {
        [] => Outcome::Done,
        _ => Outcome::Partly,
    }
}

/// Writes a result to standard output. A closed pipe, as by `head`, is not an error.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    printed(io::stdout().write_all(text.as_bytes()))
}

/// Prints a table to standard output, within the terminal's width unless `wide`. Lists the omitted
/// columns below the table, with the flags that print them.
pub(crate) fn print_table(
    table: &Table,
    format: Format,
    wide: bool,
    remedy: &str,
) -> Result<(), CliError> {
    let width = screen::width().filter(|_| !wide);
    if format != Format::Table {
        return print_with(|to| table.write(format, to));
    }
    let mut shown = table.show(width);
    if !shown.left_out.is_empty() {
        let names = shown.left_out.join(", ");
        shown
            .text
            .push_str(&format!("columns left out: {names}; {remedy}\n"));
    }
    print(&shown.text)
}

/// Prints the output of `write`.
pub(crate) fn print_with(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CliError> {
    let mut to = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    printed(write(&mut to).and_then(|()| to.flush()))
}

fn printed(result: io::Result<()>) -> Result<(), CliError> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::failed(
            format!("cannot write to standard output: {error}"),
            "check its target",
        )),
        _ => Ok(()),
    }
}
