//! Signals that a kernel causes, as the end of its launch.
#![allow(unsafe_code, reason = "handles signals")]

use std::cell::Cell;
use std::ffi::{CString, c_char};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Once, OnceLock};

/// Ends the launch under way on this thread: `weft_emulated_fault` of its library.
pub(super) type Escape = unsafe extern "C" fn(*const c_char);

thread_local! {
    static ESCAPE: Cell<Option<Escape>> = const { Cell::new(None) };
}

const SIGNALS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

static mut BEFORE: [Option<libc::sigaction>; 4] = [None; 4];

/// Ranges that only kernels may touch.
static GUARDED: [(AtomicU64, AtomicU64); 32] =
    [const { (AtomicU64::new(0), AtomicU64::new(0)) }; 32];

/// Makes a fault of the program in this range print an explanation before the program dies of it.
pub(crate) fn guard(start: u64, end: u64) {
    INSTALLED.call_once(install);
    let free = |(_, known_end): &&(AtomicU64, AtomicU64)| {
        known_end
            .compare_exchange(0, end, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    };
    if let Some((known_start, _)) = GUARDED.iter().find(free) {
        known_start.store(start, Ordering::Relaxed);
    }
}

/// Serves a fault of memory at an address; returns whether the access can be tried again.
type Serve = fn(u64) -> bool;

static SERVE: OnceLock<Serve> = OnceLock::new();

/// Sets the function that serves faults before they end a kernel or the program.
pub(super) fn serve_faults(serve: Serve) {
    // Later calls give the same function.
    let _ = SERVE.set(serve);
    INSTALLED.call_once(install);
}

/// Writes to stderr from a signal handler.
fn explain(address: u64) {
    const TEXT: &str =
        "cuda-emulator: the program itself touches device memory, which it may not\n";
    let is_in = |(start, end): &(AtomicU64, AtomicU64)| {
        (start.load(Ordering::Relaxed)..end.load(Ordering::Relaxed)).contains(&address)
    };
    if GUARDED.iter().any(is_in) {
        // SAFETY: the text is valid; `write` may be called in a handler.
        unsafe { libc::write(2, TEXT.as_ptr().cast(), TEXT.len()) };
    }
}

static INSTALLED: Once = Once::new();

/// Runs `launch`; signals that it causes on this thread end it through `escape`.
pub(super) fn caught<R>(escape: Escape, launch: impl FnOnce() -> R) -> R {
    INSTALLED.call_once(install);
    ESCAPE.set(Some(escape));
    let result = launch();
    ESCAPE.set(None);
    result
}

fn install() {
    for (at, &signal) in SIGNALS.iter().enumerate() {
        // SAFETY: both structs are valid; the handler has the signature that SA_SIGINFO asks for.
        // Only this function, once, writes BEFORE, and a handler reads an entry after its signal is
        // installed.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut before);
            BEFORE[at] = Some(before);
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

unsafe extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let serve = SERVE.get().filter(|_| signal == libc::SIGSEGV);
    // SAFETY: the system gives a valid siginfo.
    if serve.is_some_and(|serve| serve(unsafe { (*info).si_addr() } as u64)) {
        return;
    }
    if let Some(escape) = ESCAPE.take() {
        // The kernel was interrupted, or a function of libm: nothing that holds a lock of the
        // allocator's. SAFETY: the system gives a valid siginfo.
        let address = unsafe { (*info).si_addr() } as usize;
        let what = match signal {
            libc::SIGSEGV | libc::SIGBUS => format!("illegal address {address:#x}"),
            libc::SIGFPE => "division by zero".to_owned(),
            _ => "illegal instruction".to_owned(),
        };
        let what = CString::new(what).unwrap_or_default();
        // SAFETY: a launch is under way on this thread, which the function ends. The string leaks,
        // because the function does not return.
        unsafe { escape(what.into_raw()) };
    }
    if signal == libc::SIGSEGV {
        // SAFETY: the system gives a valid siginfo.
        explain(unsafe { (*info).si_addr() } as u64);
    }
    let at = SIGNALS.iter().position(|&known| known == signal);
    // SAFETY: written before this handler was installed.
    let before = at.and_then(|at| unsafe { BEFORE[at] });
    match before {
        Some(before)
            if before.sa_sigaction > libc::SIG_IGN && before.sa_flags & libc::SA_SIGINFO != 0 =>
        {
            // SAFETY: a handler with this signature was installed for this signal.
            unsafe {
                let handler: unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
                    std::mem::transmute(before.sa_sigaction);
                handler(signal, info, context);
            }
        }
        // SAFETY: restores the signal's default action, which follows when the instruction is tried
        // again.
        _ => unsafe {
            libc::signal(signal, libc::SIG_DFL);
        },
    }
}
