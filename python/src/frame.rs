//! The place of a call in the Python program.
//!
//! Functions implemented in Rust have no frame, so the innermost frame is the caller's. Frames of
//! this package are skipped. A place is found by code object and instruction number, so that a
//! function's line table is read once for each call in it.

#![allow(
    unsafe_code,
    reason = "frames and code objects are only in the C interface"
)]

use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, c_void};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;
use weft::site::{self, CallNumber, Entered, Site};

use crate::{ending, run};

/// CPython functions outside the stable interface, if this interpreter has them.
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
        // SAFETY: the names end with 0; a null handle stands for everything that is loaded
        // (RTLD_DEFAULT).
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

/// The cached facts about an instruction of a code object.
#[derive(Clone, Copy)]
struct CachedSite {
    /// The place; `None` if the frame is skipped, as in this package, so that its caller counts.
    site: Option<Site>,
    /// A hash of the function and the instruction, equal in every process.
    hash: u64,
    /// The instruction, without the caches after it.
    instruction: i32,
}

/// A place with its two numbers, which alternate from one execution of the call to the next.
struct Numbered {
    sites: [Site; 2],
    is_odd: bool,
}

impl Numbered {
    fn next(&mut self, is_new: bool) -> Site {
        self.is_odd ^= is_new;
        let [even, odd] = self.sites;
        if self.is_odd { odd } else { even }
    }
}

thread_local! {
    /// Places by code object address and instruction. The code objects are kept forever.
    static PLACES: RefCell<FxHashMap<(usize, i32), CachedSite>> = RefCell::default();
    /// Files of the places so far.
    static FILES: RefCell<FxHashSet<String>> = RefCell::default();
    /// The call of a function that enters its place several times.
    static CALL: Cell<Call> = const { Cell::new(Call::None) };
    /// Places with numbers, by a hash of the frames.
    static NUMBERED: RefCell<FxHashMap<u64, Numbered>> = RefCell::default();
}

/// A call of a function implemented in Rust that consists of several calls of the runtime, which
/// must not count as several executions.
#[derive(Clone, Copy)]
enum Call {
    /// There is none.
    None,
    /// Its place is not needed yet.
    Begun,
    /// Its place.
    At(Site),
}

/// A running call: all places that are looked up until this is dropped are one.
pub(crate) struct OneCall {
    is_outermost: bool,
}

impl OneCall {
    #[inline]
    pub(crate) fn begin() -> OneCall {
        let is_outermost = matches!(CALL.get(), Call::None);
        if is_outermost {
            CALL.set(Call::Begun);
        }
        OneCall { is_outermost }
    }
}

impl Drop for OneCall {
    fn drop(&mut self) {
        if self.is_outermost {
            CALL.set(Call::None);
        }
    }
}

/// The folders whose frames are skipped.
struct Passed {
    /// The folder of this package, with a separator at its end.
    package: String,
    /// Folders of installed packages, where only the user's own lines count.
    installed: Vec<String>,
}

static PASSED: OnceLock<Passed> = OnceLock::new();

/// Sets the folder of this package, and the folders of installed packages, whose frames are
/// skipped.
#[pyfunction]
pub(crate) fn register_package(package: String, installed: Vec<String>) {
    weft::bundle::look_in(PathBuf::from(&package));
    let _ = PASSED.set(Passed { package, installed });
}

/// Returns the place of the current call: file, line and function.
#[pyfunction]
pub(crate) fn provenance(py: Python<'_>) -> (&'static str, u32, &'static str) {
    let site = caller(py);
    (site.file(), site.line(), site.function())
}

/// Sets the calling line as the runtime's site until the guard is dropped.
#[inline]
pub(crate) fn enter(py: Python<'_>) -> Entered {
    caller(py).enter()
}

/// Sets the calling line as the runtime's site unless one is set. A second site within one call
/// would count as another execution.
#[inline]
pub(crate) fn enter_once(py: Python<'_>) -> Option<Entered> {
    (!Site::is_entered()).then(|| enter(py))
}

/// A frame, with a reference to it.
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
            // The frame is owned only if it is not null: dropping it releases the reference.
            return (!frame.is_null()).then(|| Frame(frame, self.1));
        }
        // SAFETY: a frame is an object; the reference stays this one's.
        let object = unsafe { Bound::from_borrowed_ptr(self.1, self.0.cast()) };
        let back = object.getattr("f_back").ok()?;
        (!back.is_none()).then(|| Frame(back.into_ptr().cast(), self.1))
    }

    /// The code object, with a new reference.
    fn code(&self) -> Bound<'py, PyAny> {
        // SAFETY: every frame has a code object. The call returns a new reference to it.
        unsafe { Bound::from_owned_ptr(self.1, ffi::PyFrame_GetCode(self.0).cast()) }
    }

    fn line(&self) -> u32 {
        // SAFETY: only reads.
        u32::try_from(unsafe { ffi::PyFrame_GetLineNumber(self.0) }).unwrap_or(0)
    }

    /// Returns the number that distinguishes calls in one code object: the instruction, or the line
    /// if the interpreter does not provide it.
    fn instruction(&self) -> i32 {
        match unstable().instruction {
            // SAFETY: only reads.
            Some(instruction) => unsafe { instruction(self.0) },
            None => self.line() as i32,
        }
    }
}

/// Whether this is the first call of a function of this package in the execution of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Execution {
    New,
    Known,
    /// The mark cannot be set: a debugger or a coverage tool uses its place.
    Unknown,
}

/// Marks the execution of a frame. A frame ends with its execution, and keeps its trace function
/// until then.
fn mark(frame: &Frame<'_>) -> Execution {
    static MARK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = frame.1;
    // A debugger that starts later calls the mark for each line.
    let mark = MARK.get_or_try_init(py, || {
        // The function has its own globals, because it would keep the program's alive.
        let globals = PyDict::new(py);
        let mark = py.eval(c"lambda *_: None", Some(&globals), None)?;
        PyResult::Ok(mark.unbind())
    });
    let Ok(mark) = mark else {
        return Execution::Unknown;
    };
    // SAFETY: a frame is an object; the reference stays this one's.
    let object = unsafe { Bound::from_borrowed_ptr(py, frame.0.cast()) };
    match object.getattr(intern!(py, "f_trace")) {
        Ok(known) if known.is(mark) => Execution::Known,
        Ok(known) if known.is_none() => match object.setattr(intern!(py, "f_trace"), mark) {
            Ok(()) => Execution::New,
            Err(_) => Execution::Unknown,
        },
        _ => Execution::Unknown,
    }
}

/// The largest number of frames by which calls are distinguished.
const DEEPEST: usize = 64;

fn describe(frame: &Frame<'_>, code: &Bound<'_, PyAny>) -> CachedSite {
    let text = |name: &str| -> String {
        let value = code.getattr(name).ok();
        let value = value.and_then(|value| value.cast_into::<PyString>().ok());
        value.map_or_else(String::new, |value| value.to_string_lossy().into_owned())
    };
    let (file, function) = (text("co_filename"), text("co_qualname"));
    let instruction = instruction(frame, code);
    let mut hasher = FxHasher::default();
    (&file, &function, instruction).hash(&mut hasher);
    let hash = hasher.finish();
    // Frozen modules run imports: of modules of this package too, for the line that uses them.
    let is_passed = |passed: &Passed| {
        let mut installed = passed.installed.iter();
        file.starts_with(&passed.package) || installed.any(|folder| file.starts_with(folder))
    };
    if file.starts_with("<frozen ") || PASSED.get().is_some_and(is_passed) {
        return CachedSite {
            site: None,
            hash,
            instruction,
        };
    }
    keep_text(code.py(), &file);
    let site = Site::intern(&file, frame.line(), 0, &function);
    CachedSite {
        site: Some(site),
        hash,
        instruction,
    }
}

/// Returns the instruction of a frame. A frame called by a specialized instruction points to the
/// cache after it. Python 3.11 divides a call into two instructions, and a specialized one skips
/// the second.
fn instruction(frame: &Frame<'_>, code: &Bound<'_, PyAny>) -> i32 {
    const CACHE: u8 = 0;
    const PRECALL: u8 = 166;
    const CALL: u8 = 171;
    let at = frame.instruction();
    let bytes = code.getattr("co_code").ok();
    let bytes = bytes.and_then(|bytes| bytes.cast_into::<PyBytes>().ok());
    let (Some(bytes), Ok(mut index)) = (bytes, usize::try_from(at)) else {
        return at;
    };
    let of = |index: usize| bytes.as_bytes().get(index).copied();
    let without_caches = |mut index: usize| {
        while index >= 2 && of(index) == Some(CACHE) {
            index -= 2;
        }
        index
    };
    index = without_caches(index);
    let version = code.py().version_info();
    if (version.major, version.minor) == (3, 11) && of(index) == Some(CALL) && index >= 2 {
        let before = without_caches(index - 2);
        if of(before) == Some(PRECALL) {
            index = before;
        }
    }
    i32::try_from(index).unwrap_or(at)
}

/// Passes the text of a source without a file, such as a notebook cell, to the runtime. Python
/// keeps such texts for tracebacks.
fn keep_text(py: Python<'_>, file: &str) {
    let is_new = FILES.with_borrow_mut(|files| files.insert(file.to_owned()));
    if !is_new || Path::new(file).is_file() {
        return;
    }
    let lines = py
        .import("linecache")
        .and_then(|linecache| linecache.call_method1("getlines", (file,)))
        .and_then(|lines| lines.extract::<Vec<String>>());
    // Without a text, profiles contain only the line.
    if let Ok(lines) = lines
        && !lines.is_empty()
    {
        site::provide_text(file, &lines.concat());
    }
}

/// Returns the cached facts about the current instruction of a frame.
fn look_up(frame: &Frame<'_>) -> CachedSite {
    look_up_with_key(frame).0
}

/// The site of a frame's instruction, with the address of the code object and the instruction.
fn look_up_with_key(frame: &Frame<'_>) -> (CachedSite, (usize, i32)) {
    let code = frame.code();
    let key = (code.as_ptr().addr(), frame.instruction());
    let known = PLACES.with_borrow(|places| places.get(&key).copied());
    let known = known.unwrap_or_else(|| {
        let known = describe(frame, &code);
        PLACES.with_borrow_mut(|places| places.insert(key, known));
        // Keeps the code object alive, so that no other one gets its address.
        std::mem::forget(code.clone());
        known
    });
    (known, (key.0, known.instruction))
}

/// The parts of a call that profiles record.
#[derive(Clone, Copy)]
struct Recorded {
    /// Number of calls of its stack.
    depth: usize,
    /// Whether calls are numbered, so that profiles show which of them are the same.
    is_numbered: bool,
}

fn recorded() -> Recorded {
    static RECORDED: OnceLock<Recorded> = OnceLock::new();
    // If the runtime cannot start, the call itself raises the error.
    *RECORDED.get_or_init(|| {
        let runtime = run::current();
        runtime.map_or(
            Recorded {
                depth: 1,
                is_numbered: false,
            },
            |runtime| Recorded {
                depth: runtime.plan().provenance_depth,
                is_numbered: runtime.plan().profile,
            },
        )
    })
}

/// Returns the place of the innermost frame that is not skipped, with the calls that led to it if
/// profiles record them.
pub(crate) fn caller(py: Python<'_>) -> Site {
    ending::pause(py);
    match CALL.get() {
        Call::None => look_up_caller(py, false),
        Call::At(site) => site,
        Call::Begun => {
            let site = look_up_caller(py, true);
            CALL.set(Call::At(site));
            site
        }
    }
}

/// See [`caller`]. `is_function` is set for a call of a function of this package that has no frame
/// because it is implemented in Rust.
fn look_up_caller(py: Python<'_>, is_function: bool) -> Site {
    let mut frame = Frame::current(py);
    let Recorded { depth, is_numbered } = recorded();
    // Most programs call from their own lines.
    if depth == 1
        && !is_numbered
        && let Some(site) = frame.as_ref().and_then(|frame| look_up(frame).site)
    {
        return site;
    }
    let mut stack: SmallVec<[Site; 8]> = SmallVec::new();
    let mut frames = 0;
    // The function of this package that the program called, unless it called a method or a function
    // implemented in Rust.
    let mut called: Option<Frame<'_>> = None;
    let mut has_user = false;
    let (mut path, mut keys) = (FxHasher::default(), FxHasher::default());
    while let Some(of) = frame {
        let (found, key) = look_up_with_key(&of);
        has_user |= found.site.is_some();
        if let Some(site) = found.site
            && stack.len() < depth
        {
            stack.push(site);
        }
        frames += 1;
        if has_user {
            path.write_u64(found.hash);
            key.hash(&mut keys);
        }
        if stack.len() == depth && (!is_numbered || frames == DEEPEST) {
            break;
        }
        frame = of.back();
        if !has_user {
            called = Some(of);
        }
    }
    let site = |mut stack: SmallVec<[Site; 8]>| {
        let outermost = stack.pop();
        let called = outermost.map(|outermost| {
            let inner = stack.into_iter().rev();
            inner.fold(outermost, |caller, site| site.called_from(caller))
        });
        called.unwrap_or_else(|| Site::intern("<unknown>", 0, 0, ""))
    };
    if !is_numbered {
        return site(stack);
    }
    let is_indirect = is_function || called.is_some();
    is_indirect.hash(&mut keys);
    let key = keys.finish();
    let execution = match &called {
        Some(frame) if has_user => mark(frame),
        _ => Execution::New,
    };
    if execution == Execution::Unknown {
        return site(stack).numbered(CallNumber::TOO_DEEP);
    }
    let is_new = execution == Execution::New;
    let known = NUMBERED.with_borrow_mut(|places| {
        let known = places.get_mut(&key);
        known.map(|known| known.next(is_new))
    });
    known.unwrap_or_else(|| {
        let (site, path) = (site(stack), path.finish());
        let numbered = |is_odd| match frames < DEEPEST {
            true => site.numbered(CallNumber::new(path, is_odd, is_indirect)),
            false => site.numbered(CallNumber::TOO_DEEP),
        };
        let mut new = Numbered {
            sites: [numbered(false), numbered(true)],
            is_odd: false,
        };
        let next = new.next(true);
        NUMBERED.with_borrow_mut(|places| places.insert(key, new));
        next
    })
}
