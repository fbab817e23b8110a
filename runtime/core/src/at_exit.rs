//! The order of the functions that run when the process exits.
//!
//! The C library runs such functions in the reverse order of their registration. CUPTI, the CUDA
//! driver and NVRTC register functions that end them, some only at a first launch or a first flush.
//! A call of CUPTI after that crashes. So ours must be registered after theirs: it is registered
//! again whenever a library may have registered one.

#![allow(unsafe_code, reason = "registers a function with the C library")]

use std::ffi::c_int;
use std::sync::OnceLock;

/// A function that ends the runtimes of the process. It is called with the exit status, if the C
/// library passes one, and possibly several times.
pub(crate) type Leave = fn(Option<c_int>);

static LEAVE: OnceLock<Leave> = OnceLock::new();

/// Registers the function that ends the runtimes. Later functions are ignored.
pub(crate) fn register(leave: Leave) {
    LEAVE.get_or_init(|| leave);
    move_to_front();
}

/// Registers the function that ends the runtimes again, so that it runs before all functions
/// registered so far. Does nothing if no runtime has started.
///
/// Each call uses some bytes that are never freed, so callers must limit their number.
#[cold]
pub fn move_to_front() {
    if LEAVE.get().is_some() {
        register_again();
    }
}

fn leave(status: Option<c_int>) {
    if let Some(leave) = LEAVE.get() {
        leave(status);
    }
}

#[cfg(target_env = "gnu")]
fn register_again() {
    use std::ffi::c_void;
    unsafe extern "C" {
        fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    }
    extern "C" fn leaving(status: c_int, _: *mut c_void) {
        leave(Some(status));
    }
    // SAFETY: declared as in glibc's stdlib.h; the function does not unwind and lives as long as
    // the process.
    unsafe { on_exit(leaving, std::ptr::null_mut()) };
}

#[cfg(not(target_env = "gnu"))]
fn register_again() {
    extern "C" fn leaving() {
        leave(None);
    }
    // SAFETY: the function does not unwind and lives as long as the process.
    unsafe { libc::atexit(leaving) };
}
