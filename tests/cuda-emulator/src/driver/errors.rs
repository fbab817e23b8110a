//! Names of results.
#![allow(unsafe_code, reason = "calls C functions")]

use super::entry::{exports, put};
use crate::machine::code::{Code, described};

exports! {
    fn cuGetErrorName(code: u32, name: *mut *const u8) = 373, |_| {
        let (text, _) = described(code).ok_or(Code::INVALID_VALUE)?;
        put(name, text.as_ptr())
    }

    fn cuGetErrorString(code: u32, text: *mut *const u8) = 372, |_| {
        let (_, found) = described(code).ok_or(Code::INVALID_VALUE)?;
        put(text, found.as_ptr())
    }
}
