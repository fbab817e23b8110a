//! Ranks started by MPICH. If a rank fails without a signal before it entered MPI, MPICH's launcher waits for the
//! others. The rank therefore reports the failure over the launcher's open file (PMI 1: `cmd=abort`).

use std::env;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use weft_config::Launch;
use weft_config::launch::Launcher;

use super::system;
use crate::error::{CliError, Outcome};

/// Whether to wait for a rank, because its launcher would not end the others if it failed.
pub(super) fn is_to_be_watched(launch: &Launch) -> bool {
    launch.by == Launcher::Mpich && launch.is_shared() && file().is_some()
}

/// Runs the command to its end, passes on how it ended, and has the launcher end the other ranks where it failed. The launcher sends its
/// signals to this process and the command both.
pub(super) fn watch(mut command: Command) -> io::Result<Outcome> {
    system::end_with_this(&mut command);
    let mut child = command.spawn()?;
    system::ignore_requests_to_end();
    let status = child.wait()?;
    // As a shell says it: the launcher would pass the number of a signal on as if it were a status.
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    let code = code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    if code != 0 {
        abort(code);
    }
    Ok(Outcome::Program(code))
}

/// Has the launcher end all ranks with this status, if it is one that has to be told.
pub(super) fn abort(code: u8) {
    if let Some(file) = file() {
        system::wait_until_read();
        system::write_to(file, format!("cmd=abort exitcode={code}\n").as_bytes());
    }
}

/// Reports a rank that could not start to the launcher.
pub(super) fn refuse(launch: &Launch, error: &CliError) {
    if is_to_be_watched(launch) {
        abort(error.exit_code());
    }
}

/// The number of the open file.
fn file() -> Option<i32> {
    env::var("PMI_FD").ok()?.parse().ok()
}
