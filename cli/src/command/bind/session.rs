//! Ranks under nsys, each in its own session: of two that share one, as Open MPI's ranks do,
//! nsys 2022.4 loses one ("Connection to the Agent lost") in about every third run.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Command;
use std::thread;
use std::time::Duration;

use super::system;
use crate::error::Outcome;
use crate::signals::Forward;

/// From one rank of a node to the next: sessions of nsys 2022.4 that begin at the same moment
/// sometimes fail ("Connection reset by peer"), or hang.
const APART: Duration = Duration::from_millis(200);
/// The last rank of a node begins no later than this after the first.
const LATEST: Duration = Duration::from_secs(2);

/// Waits for this rank's turn on its node.
pub(super) fn await_turn(local_rank: u16) {
    thread::sleep((APART * u32::from(local_rank)).min(LATEST));
}

/// Becomes the command in its own session. The leader of a process group cannot leave its
/// session: it then waits for the command, and passes signals on.
pub(super) fn run(mut command: Command) -> io::Result<Outcome> {
    if system::new_session().is_ok() {
        return Err(command.exec());
    }
    system::end_with_this(&mut command);
    system::start_in_new_session(&mut command);
    let forward = Forward::install();
    let mut child = command.spawn()?;
    let status = forward.wait(&mut child)?;
    if let Some(signal) = status.signal() {
        system::end_by(signal);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(Outcome::Program(code.unwrap_or(1)))
}
