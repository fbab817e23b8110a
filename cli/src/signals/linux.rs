//! Signals on Linux: one thread receives them and handles or forwards them.

use std::fs;
use std::io;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::raw::WithRawSiginfo;
use signal_hook::low_level::emulate_default_handler;

/// The receiver of signals.
enum Target {
    /// This process.
    Own,
    /// A program that is being started, with the signals received meanwhile.
    Starting(Vec<i32>),
    /// A program that has not been waited for, so its process id is still valid.
    Program(Pid),
    /// This process, except for one signal of this number, which came while the program ran and has
    /// not been handled.
    OwnAfter(i32),
}

static TARGET: Mutex<Target> = Mutex::new(Target::Own);
/// The last signal that came, or 0. Set by the handler, because a key on the terminal can end the
/// program before the thread runs.
static CAME: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);
/// The last signal that was handled while a program was started or ran.
static HEEDED: AtomicI32 = AtomicI32::new(0);
/// The last signal that came while a program was started or ran.
static DURING: AtomicI32 = AtomicI32::new(0);

fn target() -> MutexGuard<'static, Target> {
    TARGET.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on, temporary files are removed before a termination signal ends the process.
pub(crate) fn clean_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let heeded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter();
        let heeded: Vec<i32> = heeded.filter(|signal| !is_ignored(*signal)).collect();
        for signal in &heeded {
            // Without the handler, the program could end before its signal is seen.
            let number = usize::try_from(*signal).unwrap_or(0);
            let _ = signal_hook::flag::register_usize(*signal, CAME.clone(), number);
        }
        // Without a thread, signals keep their default effect: the command itself does not depend
        // on it.
        let Ok(mut signals) = SignalsInfo::<WithRawSiginfo>::new(heeded) else {
            return;
        };
        let listen = move || {
            for signal in signals.forever() {
                // The kernel sends signals of terminal keys to the whole group, so the program has
                // already received this one.
                heed(signal.si_signo, signal.si_code <= 0);
            }
        };
        let _ = thread::Builder::new()
            .name("signals".to_owned())
            .spawn(listen);
    });
}

fn heed(signal: i32, is_sent_by_process: bool) {
    let mut target = target();
    match &mut *target {
        Target::OwnAfter(late) if *late == signal => return *target = Target::Own,
        Target::Own | Target::OwnAfter(_) => {
            weft_nvtx_export::remove_temporary();
            let _ = emulate_default_handler(signal);
            return;
        }
        _ if !is_sent_by_process => {}
        Target::Starting(early) => early.push(signal),
        Target::Program(program) => send(*program, signal),
    }
    HEEDED.store(signal, Ordering::Relaxed);
}

/// Returns the last signal that asked this process to end while the program was started or ran.
pub(crate) fn during_program() -> Option<i32> {
    Some(DURING.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
}

fn send(program: Pid, signal: i32) {
    if let Some(signal) = Signal::from_named_raw(signal) {
        // The program may just have ended.
        let _ = kill_process(program, signal);
    }
}

/// Forwards signals while it exists.
#[derive(Debug)]
pub(crate) struct Forward(());

impl Forward {
    /// Starts to catch signals. Ignored signals, as under `nohup`, stay ignored, also for the
    /// program.
    pub(crate) fn install() -> Forward {
        *target() = Target::Starting(Vec::new());
        CAME.store(0, Ordering::Relaxed);
        clean_up();
        Forward(())
    }

    /// Passes signals on to the program until it ends. From then on signals end this process again,
    /// because its own work is interrupted by a second one.
    pub(crate) fn wait(self, program: &mut Child) -> io::Result<ExitStatus> {
        let id = Pid::from_child(program);
        let before = std::mem::replace(&mut *target(), Target::Program(id));
        if let Target::Starting(early) = before {
            early.into_iter().for_each(|signal| send(id, signal));
        }
        // Waits without reaping, so that its id stays valid.
        while let Err(rustix::io::Errno::INTR) = waitid(
            WaitId::Pid(id),
            WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
        ) {}
        let came = i32::try_from(CAME.load(Ordering::Relaxed)).unwrap_or(0);
        DURING.store(came, Ordering::Relaxed);
        let mut target = target();
        *target = match came != 0 && HEEDED.load(Ordering::Relaxed) != came {
            true => Target::OwnAfter(came),
            false => Target::Own,
        };
        drop(target);
        std::mem::forget(self);
        program.wait()
    }
}

impl Drop for Forward {
    fn drop(&mut self) {
        *target() = Target::Own;
    }
}

/// Returns whether the signal was ignored when this process started, as under `nohup`.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
