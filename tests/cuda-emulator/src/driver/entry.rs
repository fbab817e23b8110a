//! Common parts of the driver's functions.
#![allow(unsafe_code, reason = "writes to an address given by the program")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cupti::{Call, Domain};
use crate::failing;
use crate::log::Log;
use crate::machine::code::Code;
use crate::report::report;
use crate::teardown;

/// Whether `cuInit` was called.
static IS_READY: AtomicBool = AtomicBool::new(false);

/// The names of all calls, for tests that count them.
static CALLS: Log = Log::new("WEFT_EMULATED_CALLS");

pub(super) fn set_ready() {
    IS_READY.store(true, Ordering::Release);
}

/// The result for a null pointer that is not allowed.
pub(crate) const NULL: Code = Code::INVALID_VALUE;

/// Writes a result to the program's place.
pub(crate) fn put<T>(to: *mut T, value: T) -> Result<(), Code> {
    if to.is_null() {
        return Err(NULL);
    }
    // SAFETY: by calling a function of C, the program promises that its pointers are valid.
    unsafe { to.write(value) };
    Ok(())
}

/// Calls one function: fails it on a test's request, records its time for CUPTI, and catches
/// panics. `cbid` is CUPTI's number of the function, 0 for one that it does not trace.
pub(super) fn call(
    name: &'static str,
    cbid: u32,
    body: impl FnOnce(&mut Call) -> Result<(), Code>,
) -> u32 {
    if let Err(code) = teardown::DRIVER.enter() {
        return code;
    }
    let needs_none = matches!(
        name,
        "cuInit" | "cuDriverGetVersion" | "cuGetErrorName" | "cuGetErrorString"
    );
    if !needs_none && !IS_READY.load(Ordering::Acquire) {
        return Code::NOT_INITIALIZED.0;
    }
    CALLS.append(|| name.to_owned());
    let mut call = Call::enter(Domain::Driver, cbid);
    let otherwise = if name.contains("Alloc") {
        Code::OUT_OF_MEMORY
    } else {
        Code::UNKNOWN
    };
    let result = match failing::failure(name, otherwise.0) {
        Some(code) => code,
        None => match catch_unwind(AssertUnwindSafe(|| body(&mut call))) {
            Ok(Ok(())) => 0,
            Ok(Err(code)) => code.0,
            Err(_) => {
                report(&format!("{name} panicked"));
                Code::UNKNOWN.0
            }
        },
    };
    call.leave(result);
    result
}

/// Defines functions of the driver by their C names, with CUPTI's numbers.
macro_rules! exports {
    ($($(#[$attribute:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) = $cbid:literal, |$call:pat_param| $body:block)*) => {
        /// The functions of this file, with CUPTI's numbers.
        pub(super) const FUNCTIONS: &[(&str, u32)] = &[$((stringify!($name), $cbid)),*];

        $(
            $(#[$attribute])*
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, reason = "the name in C")]
            extern "C" fn $name($($arg: $type),*) -> u32 {
                $crate::driver::entry::call(stringify!($name), $cbid, move |$call| $body)
            }
        )*
    };
}
pub(super) use exports;
