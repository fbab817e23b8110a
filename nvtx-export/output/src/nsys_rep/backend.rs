//! NVTXW backends: libraries that write reports of Nsight Systems, loaded at run time.
//!
//! Two ABIs exist, with different structs, functions and orders of arguments. The symbol that a
//! backend exports tells them apart; the newer ABI is tried first. [`sys`] has the C names, [`v1`]
//! and [`v2`] have the calls of each ABI. The rest of the crate uses [`Backend`] and [`Session`].
#![allow(
    unsafe_code,
    reason = "a backend is a C library: it is loaded, and called through the functions it gives out"
)]

mod payload;
mod sys;
mod text;
mod v1;
mod v2;

use super::event::Event;
use super::rows::Row;
use libloading::Library;
use std::ffi::{CStr, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::ptr::null;

pub(super) use sys::v2::NVTXW_LIBRARY_ENV_VAR as LIBRARY_VARIABLE;

/// A limit below which there are no functions and above which there are no sizes of structs. It
/// tells the tables of the two ABIs apart, because both use the same numbers for interfaces.
const LEAST_ADDRESS: usize = 1 << 16;

/// A loaded backend. It stays loaded until the process ends, as NVIDIA's headers advise.
pub(super) enum Backend {
    V1(v1::Core),
    V2(v2::Core),
}

/// A failed call of the backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallError {
    /// The function.
    pub(super) call: &'static str,
    /// The returned code.
    pub(super) code: i32,
    /// The name of the code.
    pub(super) name: &'static str,
}

/// The clock of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeSource {
    /// Nanoseconds since 1970 (UTC).
    WallClock,
    /// An unknown clock.
    Unknown,
}

impl Backend {
    /// Loads a library with the newer ABI, or else the older one. The error explains why the
    /// library is not a backend.
    pub(super) fn load(library: &Path) -> Result<Backend, String> {
        // SAFETY: the user, or Nsight Systems' own folder, names a backend; its initialisers have
        // no preconditions.
        let library = unsafe { Library::new(library) }.map_err(|error| {
            // The dynamic linker's message names the missing library.
            let cause = std::error::Error::source(&error);
            cause.map_or_else(|| error.to_string(), ToString::to_string)
        })?;
        // Pointers into the backend are used until the process ends.
        let library = ManuallyDrop::new(library);
        // SAFETY: the symbol has this type in both headers.
        let newer = unsafe { library.get::<sys::v2::nvtxwGetInterface_t>(sys::v2::GET_INTERFACE) };
        let mut refusal = None;
        if let Ok(get) = newer {
            match table(*get, sys::v2::NVTXW_INTERFACE_VERSION) {
                Ok(Table::Functions(table)) => {
                    // SAFETY: the backend returned success for such a table, and it begins with a
                    // function.
                    return unsafe { v2::Core::from_table(table) }.map(Self::V2);
                }
                Ok(Table::Sized(table)) => {
                    // SAFETY: it begins with its size, which only the older table does.
                    return unsafe { v1::Core::from_table(table) }.map(Self::V1);
                }
                Err(code) => refusal = Some(result_name(&sys::v2::RESULTS, code)),
            }
        }
        // SAFETY: the symbol has this type in the older header.
        let older = unsafe {
            library.get::<sys::v1::nvtxwLoadImplementation_t>(sys::v1::LOAD_IMPLEMENTATION)
        };
        let Ok(load) = older else {
            return Err(match refusal {
                Some(name) => format!("it rejects interface version 2 ({name})"),
                None => {
                    "it exports neither nvtxwGetInterface nor nvtxwLoadImplementation".to_owned()
                }
            });
        };
        let mut get = None;
        // SAFETY: it takes no configuration (null) and writes one function pointer.
        let code = unsafe { load(null(), &mut get) };
        let refused =
            |call: &str, code| format!("{call} failed ({})", result_name(&sys::v1::RESULTS, code));
        let get = get.ok_or_else(|| refused("nvtxwLoadImplementation", code))?;
        match table(get, sys::v1::NVTXW3_INTERFACE_ID_CORE_V1) {
            // SAFETY: the backend returned success for this table.
            Ok(Table::Sized(table)) => unsafe { v1::Core::from_table(table) }.map(Self::V1),
            Ok(Table::Functions(_)) => {
                Err("its interface CORE_V1 does not begin with its size".into())
            }
            Err(code) => Err(refused("GetInterface", code)),
        }
    }

    /// Returns the name of the interface, for people.
    pub(super) const fn interface(&self) -> &'static str {
        match self {
            Backend::V1(_) => "interface CORE_V1",
            Backend::V2(_) => "interface version 2",
        }
    }

    /// Begins a session. `name` is the output's path without its extension; `config` has lines
    /// `key=value`.
    pub(super) fn begin(
        &self,
        name: &CStr,
        config: Option<&CStr>,
        times: TimeSource,
        categories: &[&str],
    ) -> Result<Session<'_>, CallError> {
        Ok(match self {
            Backend::V1(core) => Session::V1(v1::Session::begin(core, name, config)?),
            Backend::V2(core) => {
                Session::V2(v2::Session::begin(core, name, config, times, categories)?)
            }
        })
    }
}

/// An open session with at most one open row. Dropping it ends the session, so that the backend
/// releases the unfinished output.
pub(super) enum Session<'b> {
    V1(v1::Session<'b>),
    V2(v2::Session<'b>),
}

impl Session<'_> {
    /// Opens a row. Its events must be written in the order of their starts.
    pub(super) fn open(&mut self, row: &Row) -> Result<(), CallError> {
        match self {
            Session::V1(session) => session.open(row),
            Session::V2(session) => session.open(row),
        }
    }

    /// Writes an event into the open row.
    pub(super) fn write(&mut self, event: &Event<'_>) -> Result<(), CallError> {
        match self {
            Session::V1(session) => session.write(event),
            Session::V2(session) => session.write(event),
        }
    }

    /// Closes the open row.
    pub(super) fn close(&mut self) -> Result<(), CallError> {
        match self {
            Session::V1(session) => session.close(),
            Session::V2(session) => session.close(),
        }
    }

    /// Ends the session: the backend writes the output.
    pub(super) fn end(self) -> Result<(), CallError> {
        match self {
            Session::V1(session) => session.end(),
            Session::V2(session) => session.end(),
        }
    }
}

/// A table of functions, classified by its first word.
enum Table {
    /// A table that begins with its size in bytes.
    Sized(*const c_void),
    /// It begins with a function.
    Functions(*const c_void),
}

fn table(get: sys::v2::nvtxwGetInterface_t, id: i32) -> Result<Table, i32> {
    let mut table = null();
    // SAFETY: it writes one pointer. Both ABIs declare it in the same way.
    let code = unsafe { get(id, &mut table) };
    if code != sys::NVTXW_RESULT_SUCCESS {
        return Err(code);
    }
    if table.is_null() {
        return Err(1);
    }
    // SAFETY: both tables begin with a word: their size, or a pointer.
    let first = unsafe { table.cast::<usize>().read() };
    Ok(if (1..LEAST_ADDRESS).contains(&first) {
        Table::Sized(table)
    } else {
        Table::Functions(table)
    })
}

fn result_name(names: &'static [&'static str], code: i32) -> &'static str {
    let name = usize::try_from(code).ok().and_then(|code| names.get(code));
    name.copied().unwrap_or("an unknown code")
}
