//! Exceptions of bodies, kept for readers of the body's results.

#![allow(
    unsafe_code,
    reason = "counts of references are only in the C interface"
)]

use std::fmt;

use pyo3::ffi;
use pyo3::prelude::*;

/// An exception raised by a body.
pub(crate) struct Raised {
    /// The exception's type, its text, and the line of the body that it comes from.
    text: String,
    error: PyErr,
}

impl Raised {
    /// Keeps an exception of `function`. If there is no other reference to it, clears the local
    /// variables of its frames, which refer to the memory of the tile.
    pub(super) fn new(py: Python<'_>, error: PyErr, function: &Bound<'_, PyAny>) -> Raised {
        let text = text(py, &error, function);
        // SAFETY: a live object.
        if unsafe { ffi::Py_REFCNT(error.value(py).as_ptr()) } == 1 {
            clear_frames(py, &error);
        }
        Raised { text, error }
    }

    /// The exception.
    pub(crate) fn error(&self, py: Python<'_>) -> PyErr {
        self.error.clone_ref(py)
    }
}

impl fmt::Debug for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Raised {}

/// The maximum number of chained exceptions whose frames are cleared.
const CHAIN: usize = 64;

/// Clears the frames of an exception and of its causes, as `traceback.clear_frames` does.
fn clear_frames(py: Python<'_>, error: &PyErr) {
    let clear = |mut next: Option<Bound<'_, PyAny>>| {
        while let Some(entry) = next.filter(|entry| !entry.is_none()) {
            // A running frame cannot be cleared, and does not belong to the body.
            _ = entry
                .getattr("tb_frame")
                .and_then(|frame| frame.call_method0("clear"));
            next = entry.getattr("tb_next").ok();
        }
    };
    clear(error.traceback(py).map(Bound::into_any));
    let mut open = vec![error.value(py).clone().into_any()];
    for _ in 0..CHAIN {
        let Some(exception) = open.pop() else { break };
        for name in ["__cause__", "__context__"] {
            let before = exception.getattr(name);
            if let Some(before) = before.ok().filter(|before| !before.is_none()) {
                clear(before.getattr("__traceback__").ok());
                open.push(before);
            }
        }
    }
}

/// Formats an exception: its type, its text, and the line of the body that it comes from.
fn text(py: Python<'_>, error: &PyErr, function: &Bound<'_, PyAny>) -> String {
    let name = error.get_type(py).qualname();
    let name = name.map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
    let mut text = match error.value(py).str() {
        Ok(said) if !said.to_string_lossy().is_empty() => format!("{name}: {said}"),
        _ => name,
    };
    if let Some((file, line)) = place(py, error, function) {
        text.push_str(&format!(" ({file}:{line})"));
    }
    text
}

/// Returns the innermost line in the function's file, or the innermost line of all if there is
/// none.
fn place(py: Python<'_>, error: &PyErr, function: &Bound<'_, PyAny>) -> Option<(String, u32)> {
    let own = function
        .getattr("__code__")
        .and_then(|code| code.getattr("co_filename"));
    let own: Option<String> = own.and_then(|file| file.extract()).ok();
    let mut found: Option<(String, u32)> = None;
    let mut next = error.traceback(py).map(Bound::into_any);
    while let Some(entry) = next {
        let code = entry
            .getattr("tb_frame")
            .and_then(|frame| frame.getattr("f_code"));
        let file = code.and_then(|code| code.getattr("co_filename"));
        let (Ok(file), Ok(line)) = (
            file.and_then(|file| file.extract::<String>()),
            entry.getattr("tb_lineno").and_then(|line| line.extract()),
        ) else {
            break;
        };
        let is_own = Some(&file) == own.as_ref();
        if is_own
            || found
                .as_ref()
                .is_none_or(|(found, _)| Some(found) != own.as_ref())
        {
            found = Some((file, line));
        }
        next = entry.getattr("tb_next").ok().filter(|next| !next.is_none());
    }
    found
}
