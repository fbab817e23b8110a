//! A safe interface of NVTX.

mod color;
mod domain;

use std::ffi::CString;
use std::sync::OnceLock;

pub use color::Color;
pub use domain::{Domain, ProcessRange, RangeGuard, RegisteredString};

use super::result::{self, LoadError, Origin};

/// The tool attached to this process. There is at most one, and it stays until the process ends.
#[derive(Debug)]
pub struct Tool {
    origin: Origin,
}

impl Tool {
    /// Returns the origin of the tool.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }
}

static TOOL: OnceLock<Result<Option<Tool>, LoadError>> = OnceLock::new();

fn attached() -> &'static Result<Option<Tool>, LoadError> {
    TOOL.get_or_init(|| Ok(result::load()?.map(|origin| Tool { origin })))
}

/// Returns the attached tool; `None` if none is requested or it failed to load. The first call
/// looks for it.
#[inline]
pub fn tool() -> Option<&'static Tool> {
    attached().as_ref().ok()?.as_ref()
}

/// Returns the reason why the requested tool is not attached; `None` if nothing went wrong.
pub fn load_error() -> Option<&'static LoadError> {
    attached().as_ref().err()
}

/// Names a thread for the tool. `os_tid` is the system's number of the thread (`gettid`), not a
/// `pthread_t`.
pub fn name_thread(_tool: &Tool, os_tid: u32, name: &str) {
    result::name_os_thread(os_tid, &c_string(name));
}

/// Converts a text for C. A NUL would end it early, so each becomes U+FFFD, as text that cannot be
/// shown does elsewhere.
fn c_string(text: &str) -> CString {
    CString::new(text)
        .or_else(|_| CString::new(text.replace('\0', "\u{fffd}")))
        .unwrap_or_default()
}
