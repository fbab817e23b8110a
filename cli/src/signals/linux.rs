//! Signals on Linux: one thread takes them, for whoever they are meant.

use std::fs;
use std::io;
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::raw::WithRawSiginfo;
use signal_hook::low_level::emulate_default_handler;

/// What a signal is for.
enum Target {
    /// This process.
    Own,
    /// A program that is being started, and what came for it meanwhile.
    Starting(Vec<i32>),
    /// A program that has not been waited for, so that the id is its own.
    Program(Pid),
}

static TARGET: Mutex<Target> = Mutex::new(Target::Own);

fn target() -> MutexGuard<'static, Target> {
    TARGET.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on, a signal that asks to end has the temporary files removed first.
pub(crate) fn clean_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let heeded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter();
        let heeded = heeded.filter(|signal| !is_ignored(*signal));
        // Without a thread signals do what they did before: the command itself does not depend on it.
        let Ok(mut signals) = SignalsInfo::<WithRawSiginfo>::new(heeded) else {
            return;
        };
        let listen = move || {
            for signal in signals.forever() {
                // A key on the terminal is sent by the kernel, to the whole group: the program has that one already.
                heed(signal.si_signo, signal.si_code <= 0);
            }
        };
        let _ = thread::Builder::new()
            .name("signals".to_owned())
            .spawn(listen);
    });
}

fn heed(signal: i32, is_sent_by_process: bool) {
    match &mut *target() {
        Target::Own => {
            weft_nvtx_export::remove_temporary();
            let _ = emulate_default_handler(signal);
        }
        _ if !is_sent_by_process => {}
        Target::Starting(early) => early.push(signal),
        Target::Program(program) => send(*program, signal),
    }
}

fn send(program: Pid, signal: i32) {
    if let Some(signal) = Signal::from_named_raw(signal) {
        // It may have ended just now.
        let _ = kill_process(program, signal);
    }
}

/// Signals are passed on while this lives.
#[derive(Debug)]
pub(crate) struct Forward(());

impl Forward {
    /// Starts to catch. A signal that is ignored, as under `nohup`, stays ignored, for the program too.
    pub(crate) fn install() -> Forward {
        *target() = Target::Starting(Vec::new());
        clean_up();
        Forward(())
    }

    /// Passes signals on to the program until it ends. From then on they end this process again, as its own work is interrupted by a
    /// second one.
    pub(crate) fn wait(self, program: &mut Child) -> io::Result<ExitStatus> {
        let id = Pid::from_child(program);
        let before = std::mem::replace(&mut *target(), Target::Program(id));
        if let Target::Starting(early) = before {
            early.into_iter().for_each(|signal| send(id, signal));
        }
        // Without taking its id away yet.
        while let Err(rustix::io::Errno::INTR) = waitid(
            WaitId::Pid(id),
            WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
        ) {}
        drop(self);
        program.wait()
    }
}

impl Drop for Forward {
    fn drop(&mut self) {
        *target() = Target::Own;
    }
}

/// Whether whoever started this process had it ignore the signal, as `nohup` does: it then stays ignored.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
