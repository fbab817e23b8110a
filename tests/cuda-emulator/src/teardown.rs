//! The end of the libraries when the process exits.
//!
//! NVIDIA's libraries register functions that end them, some with the first work that they see.
//! Calls after that crash in CUPTI and NVRTC; the driver returns an error.

#![allow(unsafe_code, reason = "registers functions with the C library")]

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::report::report;

/// `CUDA_ERROR_DEINITIALIZED`.
const DEINITIALIZED: u32 = 4;

/// A library that ends before the process does.
pub(crate) struct Library {
    has_ended: AtomicBool,
    first_call: Once,
    first_work: Once,
    end: extern "C" fn(),
}

macro_rules! libraries {
    ($($name:ident),*) => {
        $(
            pub(crate) static $name: Library = {
                extern "C" fn end() {
                    $name.has_ended.store(true, Ordering::SeqCst);
                }
                Library {
                    has_ended: AtomicBool::new(false),
                    first_call: Once::new(),
                    first_work: Once::new(),
                    end,
                }
            };
        )*
    };
}
libraries!(CUFFT, CUPTI, CUSOLVER, DRIVER, NVRTC);

impl Library {
    /// Begins a call, which is an error once the library has ended.
    pub(crate) fn enter(&self) -> Result<(), u32> {
        self.register(&self.first_call);
        match self.has_ended.load(Ordering::SeqCst) {
            true => Err(DEINITIALIZED),
            false => Ok(()),
        }
    }

    /// Begins a call of a library that aborts once it has ended.
    pub(crate) fn enter_or_abort(&self, name: &str) {
        if self.enter().is_err() {
            report(&format!("{name} is called after its library has ended"));
            std::process::abort();
        }
    }

    /// Registers the end once more when the library sees its first work.
    pub(crate) fn begin_work(&self) {
        self.register(&self.first_work);
    }

    fn register(&self, once: &Once) {
        once.call_once(|| {
            // SAFETY: the function lives as long as the process and does not unwind.
            unsafe { libc::atexit(self.end) };
        });
    }
}
