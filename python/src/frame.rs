//! Where in the Python program a call stands.
//!
//! Functions made in Rust have no frame, so the innermost frame is that of the caller. Frames of this package are passed over. A place is
//! found by the code object and the number of the instruction: the line table of a function is read once for each call in it.

#![allow(
    unsafe_code,
    reason = "frames and code objects are only in the C interface"
)]

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void};
use std::path::Path;
use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use weft::site::{self, Entered, Site};

use crate::run;

/// What CPython has outside of its stable interface, where this interpreter has it.
struct Unstable {
    back: Option<unsafe extern "C" fn(*mut ffi::PyFrameObject) -> *mut ffi::PyFrameObject>,
    instruction: Option<unsafe extern "C" fn(*mut ffi::PyFrameObject) -> c_int>,
}

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
}

fn unstable() -> &'static Unstable {
    static FOUND: OnceLock<Unstable> = OnceLock::new();
    FOUND.get_or_init(|| {
        // SAFETY: the names end with 0; a null handle stands for everything that is loaded (RTLD_DEFAULT).
        let find = |name: &std::ffi::CStr| unsafe { dlsym(std::ptr::null_mut(), name.as_ptr()) };
        let (back, instruction) = (find(c"PyFrame_GetBack"), find(c"PyFrame_GetLasti"));
        // SAFETY: the functions have had these types since Python 3.9 and 3.11; null is `None`.
        unsafe {
            Unstable {
                back: std::mem::transmute::<
                    *mut c_void,
                    Option<
                        unsafe extern "C" fn(*mut ffi::PyFrameObject) -> *mut ffi::PyFrameObject,
                    >,
                >(back),
                instruction: std::mem::transmute::<
                    *mut c_void,
                    Option<unsafe extern "C" fn(*mut ffi::PyFrameObject) -> c_int>,
                >(instruction),
            }
        }
    })
}

/// What is known of an instruction of a code object.
#[derive(Clone, Copy)]
enum Known {
    /// The program's own.
    Place(Site),
    /// Of this package, or of one that is passed over: the caller counts.
    Passed,
}

thread_local! {
    /// By the addresses of code objects, which are kept for ever, and instructions.
    static PLACES: RefCell<FxHashMap<(usize, i32), Known>> = RefCell::default();
    /// Files that a place was named in.
    static FILES: RefCell<FxHashSet<String>> = RefCell::default();
}

/// Which frames are passed over.
struct Passed {
    /// The folder of this package, with a separator at its end.
    package: String,
    /// Folders of installed packages, where only the user's own lines count.
    installed: Vec<String>,
}

static PASSED: OnceLock<Passed> = OnceLock::new();

/// Tells where this package lies, and which folders hold other people's code that is to be passed over.
#[pyfunction]
pub(crate) fn register_package(package: String, installed: Vec<String>) {
    let _ = PASSED.set(Passed { package, installed });
}

/// The place of the call that is under way: file, line and function.
#[pyfunction]
pub(crate) fn provenance(py: Python<'_>) -> (&'static str, u32, &'static str) {
    let site = caller(py);
    (site.file(), site.line(), site.function())
}

/// Names the calling line to the runtime until the guard is dropped.
#[inline]
pub(crate) fn enter(py: Python<'_>) -> Entered {
    caller(py).enter()
}

/// A frame with a reference of its own.
struct Frame<'py>(*mut ffi::PyFrameObject, Python<'py>);

impl Drop for Frame<'_> {
    fn drop(&mut self) {
        // SAFETY: the reference is owned, and the interpreter is attached.
        unsafe { ffi::Py_DECREF(self.0.cast()) };
    }
}

impl<'py> Frame<'py> {
    fn current(py: Python<'py>) -> Option<Frame<'py>> {
        // SAFETY: attached; the frame is borrowed, and runs while this one is called.
        let frame = unsafe { ffi::PyEval_GetFrame() };
        if frame.is_null() {
            return None;
        }
        // SAFETY: not null.
        unsafe { ffi::Py_INCREF(frame.cast()) };
        Some(Frame(frame, py))
    }

    fn back(&self) -> Option<Frame<'py>> {
        if let Some(back) = unstable().back {
            // SAFETY: gives a new reference, or null at the outermost frame.
            let frame = unsafe { back(self.0) };
            // A frame is made only where there is one: dropping it gives the reference back.
            return (!frame.is_null()).then(|| Frame(frame, self.1));
        }
        // SAFETY: a frame is an object; the reference stays this one's.
        let object = unsafe { Bound::from_borrowed_ptr(self.1, self.0.cast()) };
        let back = object.getattr("f_back").ok()?;
        (!back.is_none()).then(|| Frame(back.into_ptr().cast(), self.1))
    }

    /// The code object, with a new reference.
    fn code(&self) -> Bound<'py, PyAny> {
        // SAFETY: every frame has a code object, of which a new reference comes.
        unsafe { Bound::from_owned_ptr(self.1, ffi::PyFrame_GetCode(self.0).cast()) }
    }

    fn line(&self) -> u32 {
        // SAFETY: only reads.
        u32::try_from(unsafe { ffi::PyFrame_GetLineNumber(self.0) }).unwrap_or(0)
    }

    /// What tells calls of one code object apart: the instruction, or where there is no asking for it, the line.
    fn instruction(&self) -> i32 {
        match unstable().instruction {
            // SAFETY: only reads.
            Some(instruction) => unsafe { instruction(self.0) },
            None => self.line() as i32,
        }
    }
}

fn describe(frame: &Frame<'_>, code: &Bound<'_, PyAny>) -> Known {
    let text = |name: &str| -> String {
        let value = code.getattr(name).ok();
        let value = value.and_then(|value| value.cast_into::<PyString>().ok());
        value.map_or_else(String::new, |value| value.to_string_lossy().into_owned())
    };
    let file = text("co_filename");
    if let Some(passed) = PASSED.get()
        && (file.starts_with(&passed.package)
            || passed
                .installed
                .iter()
                .any(|folder| file.starts_with(folder)))
    {
        return Known::Passed;
    }
    keep_text(code.py(), &file);
    Known::Place(Site::intern(&file, frame.line(), 0, &text("co_qualname")))
}

/// Gives the runtime the text of a source that is in no file, such as a cell of a notebook: Python keeps it for tracebacks.
fn keep_text(py: Python<'_>, file: &str) {
    let is_new = FILES.with_borrow_mut(|files| files.insert(file.to_owned()));
    if !is_new || Path::new(file).is_file() {
        return;
    }
    let lines = py
        .import("linecache")
        .and_then(|linecache| linecache.call_method1("getlines", (file,)))
        .and_then(|lines| lines.extract::<Vec<String>>());
    // Where Python has no text either, profiles name the line alone.
    if let Ok(lines) = lines
        && !lines.is_empty()
    {
        site::provide_text(file, &lines.concat());
    }
}

/// What is known of the instruction that a frame is at.
fn known(frame: &Frame<'_>) -> Known {
    let code = frame.code();
    let key = (code.as_ptr().addr(), frame.instruction());
    let known = PLACES.with_borrow(|places| places.get(&key).copied());
    known.unwrap_or_else(|| {
        let known = describe(frame, &code);
        PLACES.with_borrow_mut(|places| places.insert(key, known));
        // Another code object must not get this one's address.
        std::mem::forget(code.clone());
        known
    })
}

/// How many calls of a stack are recorded.
fn depth() -> usize {
    static DEPTH: OnceLock<usize> = OnceLock::new();
    // Where the runtime cannot start, the call itself says so.
    *DEPTH.get_or_init(|| run::current().map_or(1, |runtime| runtime.plan().provenance_depth))
}

/// The place of the innermost frame that counts, with the calls that led to it where these are asked for.
fn caller(py: Python<'_>) -> Site {
    let mut frame = Frame::current(py);
    let depth = depth();
    // Most programs call from lines of their own.
    if depth == 1
        && let Some(Known::Place(site)) = frame.as_ref().map(known)
    {
        return site;
    }
    let mut stack: SmallVec<[Site; 8]> = SmallVec::new();
    while let Some(of) = frame {
        if let Known::Place(site) = known(&of) {
            stack.push(site);
            if stack.len() == depth {
                break;
            }
        }
        frame = of.back();
    }
    let outermost = stack.pop();
    let called = outermost.map(|outermost| {
        let inner = stack.into_iter().rev();
        inner.fold(outermost, |caller, site| site.called_from(caller))
    });
    called.unwrap_or_else(|| Site::intern("<unknown>", 0, 0, ""))
}
