//! Finding and starting a tool, in the order of NVIDIA's headers.
//!
//! 1. `NVTX_INJECTION64_PATH` names a library that exports `InitializeInjectionNvtx2`. The search
//!    ends here, whether that works or not; the value `./.` disables tools.
//! 2. The process itself exports a variable `InitializeInjectionNvtx2_fnptr`, as a tool linked into
//!    the program does.
//!
//! The newest headers also ask the CUDA driver for a tool; this client does not.

#![allow(unsafe_code, reason = "dlopen, dlsym and the tool's own entry point")]

use std::ffi::{CStr, CString, OsString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::super::sys::NvtxInitializeInjectionNvtxFunc_t;
use super::table;

/// The environment variable that names the tool's library.
const VARIABLE: &str = if size_of::<usize>() == 4 {
    "NVTX_INJECTION32_PATH"
} else {
    "NVTX_INJECTION64_PATH"
};
const ENTRY_POINT: &CStr = c"InitializeInjectionNvtx2";
const STATIC_ENTRY_POINT: &CStr = c"InitializeInjectionNvtx2_fnptr";
/// The value by which a tool disables all other tools.
const NO_TOOL: &str = "./.";

/// The origin of the attached tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The library that `NVTX_INJECTION64_PATH` names.
    Library(PathBuf),
    /// The program itself, linked with the tool.
    Program,
}

/// The reason why the requested tool is not attached. The program continues without it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The library does not open.
    #[error(
        "NVTX: cannot load the tool {path:?} ({reason}); correct or unset NVTX_INJECTION64_PATH"
    )]
    Open {
        /// The path as the environment gives it.
        path: PathBuf,
        /// The message of the dynamic loader.
        reason: String,
    },
    /// The library is not an NVTX tool.
    #[error(
        "NVTX: {path:?} is not an NVTX tool: it does not export InitializeInjectionNvtx2; correct or unset NVTX_INJECTION64_PATH"
    )]
    NoEntryPoint {
        /// The path as the environment gives it.
        path: PathBuf,
    },
    /// The tool refused to start.
    #[error("NVTX: the tool {origin:?} refused to start")]
    Refused {
        /// The tool.
        origin: Origin,
    },
}

/// Loads and starts the tool requested by the environment; returns `None` if none is requested.
pub(in super::super) fn load() -> Result<Option<Origin>, LoadError> {
    match std::env::var_os(VARIABLE) {
        Some(path) if path == NO_TOOL => Ok(None),
        Some(path) => from_library(path).map(Some),
        None => from_program(),
    }
}

fn from_library(path: OsString) -> Result<Origin, LoadError> {
    let path = PathBuf::from(path);
    // A value of the environment contains no NUL, so the conversion keeps all of it.
    let c_path = CString::new(path.as_os_str().as_bytes()).unwrap_or_default();
    // SAFETY: the path is a C string. The library's initialisers are the user's choice, as with any
    // tool.
    let library = unsafe { libc::dlopen(c_path.as_ptr(), libc::RTLD_LAZY) };
    if library.is_null() {
        return Err(LoadError::Open {
            path,
            reason: loader_message(),
        });
    }
    // SAFETY: `library` is open and the name is a C string.
    let symbol = unsafe { libc::dlsym(library, ENTRY_POINT.as_ptr()) };
    if symbol.is_null() {
        close(library);
        return Err(LoadError::NoEntryPoint { path });
    }
    // SAFETY: a library that exports this name does so with this type.
    let initialize =
        unsafe { std::mem::transmute::<*mut c_void, NvtxInitializeInjectionNvtxFunc_t>(symbol) };
    let origin = Origin::Library(path);
    if start(initialize) {
        // The library stays open: its functions are in the tables until the process ends.
        Ok(origin)
    } else {
        close(library);
        Err(LoadError::Refused { origin })
    }
}

fn from_program() -> Result<Option<Origin>, LoadError> {
    // SAFETY: the name is a C string.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, STATIC_ENTRY_POINT.as_ptr()) };
    if symbol.is_null() {
        return Ok(None);
    }
    // SAFETY: a variable of this name holds a function pointer of this type, or null.
    let initialize = unsafe {
        symbol
            .cast::<Option<NvtxInitializeInjectionNvtxFunc_t>>()
            .read()
    };
    match initialize {
        None => Ok(None),
        Some(initialize) if start(initialize) => Ok(Some(Origin::Program)),
        Some(_) => Err(LoadError::Refused {
            origin: Origin::Program,
        }),
    }
}

/// Lets the tool fill the tables; clears them if it refuses.
fn start(initialize: NvtxInitializeInjectionNvtxFunc_t) -> bool {
    // SAFETY: the tool gets the function that it expects; the tables live as long as the process.
    let started = unsafe { initialize(table::get_export_table) } != 0;
    if !started {
        table::clear();
    }
    started
}

fn close(library: *mut c_void) {
    // SAFETY: `library` came from dlopen and nothing of it is used again.
    unsafe { libc::dlclose(library) };
}

fn loader_message() -> String {
    // SAFETY: dlerror returns null or a C string that is valid until this thread's next call.
    let message = unsafe { libc::dlerror() };
    if message.is_null() {
        return "the dynamic loader gives no reason".to_owned();
    }
    // SAFETY: not null, see above.
    unsafe { CStr::from_ptr(message) }
        .to_string_lossy()
        .into_owned()
}
