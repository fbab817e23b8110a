//! The running program.

use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};

use super::prepared::Prepared;
use crate::error::CliError;
use crate::signals;

/// Runs the command to its end and returns its status by the shell's convention: 128 plus the
/// number of a signal, even if the launcher that received it reports another status. Signals that
/// ask this process to end go to the program instead, so that its files are still joined.
pub(super) fn run(prepared: &Prepared) -> Result<u8, CliError> {
    let Some((program, arguments)) = prepared.command.split_first() else {
        return Err(CliError::usage("no program was given", "name one"));
    };
    let mut command = Command::new(program);
    command.args(arguments);
    let environment = prepared.environment.iter();
    command.envs(environment.map(|(name, value)| (*name, value)));
    let forward = signals::Forward::install();
    let cannot = |what: &str, cause: std::io::Error| {
        CliError::failed(
            format!("cannot {what} {}: {cause}", Path::new(program).display()),
            match cause.kind() {
                ErrorKind::NotFound => "check that the file and the interpreter it names exist",
                ErrorKind::PermissionDenied => "make it executable",
                _ => "check that the program was built for this machine",
            },
        )
    };
    let mut child = command.spawn().map_err(|cause| cannot("start", cause))?;
    let status = forward.wait(&mut child);
    let status = status
        .map(code)
        .map_err(|cause| cannot("wait for", cause))?;
    let asked = signals::during_program().and_then(|signal| u8::try_from(signal).ok());
    Ok(match (&prepared.ranks.start, asked) {
        (Some(launcher), Some(signal)) => launcher.status_after(signal, status),
        _ => status,
    })
}

fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    u8::try_from(code.unwrap_or(1)).unwrap_or(1)
}
