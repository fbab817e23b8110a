//! Ranks started by MPICH. If a rank fails without a signal before it entered MPI, MPICH's launcher
//! waits for the others. The rank therefore reports the failure over the launcher's open file (PMI
//! 1: `cmd=abort`).

use std::env;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use weft_config::Launch;
use weft_config::launch::Launcher;

use super::system;
use crate::error::{CliError, Outcome};

/// Returns whether to wait for a rank, because its launcher would not end the others if it failed.
pub(super) fn is_to_be_watched(launch: &Launch) -> bool {
    launch.by == Launcher::Mpich && launch.is_shared() && file().is_some()
}

/// Runs the command to its end, returns its outcome, and tells the launcher to end the other ranks
/// if it failed. The launcher sends its signals to both this process and the command.
pub(super) fn watch(mut command: Command) -> io::Result<Outcome> {
    system::end_with_this(&mut command);
    let mut child = command.spawn()?;
    system::ignore_requests_to_end();
    let status = child.wait()?;
    // The shell's convention: the launcher would pass on the number of a signal as a status.
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    let code = code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    if code != 0 {
        abort(code);
    }
    Ok(Outcome::Program(code))
}

/// Tells the launcher to end all ranks with this status, if it is one that does not do so by
/// itself.
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

/// Returns the number of the open file.
fn file() -> Option<i32> {
    env::var("PMI_FD").ok()?.parse().ok()
}
