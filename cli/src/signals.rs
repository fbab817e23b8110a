//! Signals that ask to end, passed on to the program.
#![allow(
    unsafe_code,
    reason = "the standard library has no signals; what is used of libc is async-signal-safe"
)]

use std::sync::atomic::{AtomicI32, Ordering};

const PASSED_ON: [libc::c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// The program's process id; 0: none yet; -1: it has ended.
static PROGRAM: AtomicI32 = AtomicI32::new(0);
/// A signal that came before the program was there.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// Signals are passed on from `install` to `stop`.
#[derive(Debug)]
pub(crate) struct Forward(());

impl Forward {
    /// Starts to catch. A signal that is ignored, as under `nohup`, stays ignored, for the program too.
    pub(crate) fn install() -> Forward {
        for signal in PASSED_ON {
            // SAFETY: both structs are plain data, for which zeros are a valid value, and live through the calls;
            // the handler has the signature that SA_SIGINFO asks for and calls only async-signal-safe functions.
            unsafe {
                let mut known: libc::sigaction = std::mem::zeroed();
                libc::sigaction(signal, std::ptr::null(), &mut known);
                if known.sa_sigaction == libc::SIG_IGN {
                    continue;
                }
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handler();
                action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
                libc::sigaction(signal, &action, std::ptr::null_mut());
            }
        }
        Forward(())
    }

    /// Passes signals on to this process.
    pub(crate) fn to(&self, program: u32) {
        let program = i32::try_from(program).unwrap_or(-1);
        PROGRAM.store(program, Ordering::SeqCst);
        let early = EARLY.swap(0, Ordering::SeqCst);
        if early != 0 && program > 0 {
            // SAFETY: the process is a child that has not been waited for, so that the id is its own.
            unsafe { libc::kill(program, early) };
        }
    }

    /// The program has ended: signals end this process again, as its own work is interrupted by a second one.
    pub(crate) fn stop(&self) {
        PROGRAM.store(-1, Ordering::SeqCst);
        for signal in PASSED_ON {
            // SAFETY: as in `install`; the default action needs no handler.
            unsafe {
                let mut known: libc::sigaction = std::mem::zeroed();
                libc::sigaction(signal, std::ptr::null(), &mut known);
                if known.sa_sigaction == handler() {
                    known.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &known, std::ptr::null_mut());
                }
            }
        }
    }
}

fn handler() -> libc::sighandler_t {
    pass_on as *const () as libc::sighandler_t
}

extern "C" fn pass_on(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // SAFETY: the kernel hands a valid siginfo_t to a handler with SA_SIGINFO.
    let sent_by_process = info.is_null() || unsafe { (*info).si_code } <= 0;
    if !sent_by_process {
        // A key on the terminal: the program is in the same group and has the signal already.
        return;
    }
    match PROGRAM.load(Ordering::SeqCst) {
        0 => EARLY.store(signal, Ordering::SeqCst),
        // SAFETY: kill is async-signal-safe.
        program if program > 0 => unsafe {
            libc::kill(program, signal);
        },
        _ => {}
    }
}
