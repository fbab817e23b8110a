//! NVIDIA's run-time compiler.
//!
//! Its functions come from the file that was found, of any version and in any place.

#![allow(
    unsafe_code,
    reason = "the library's functions are called by the signatures of nvrtc.h"
)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use libloading::Library;

use super::Target;
use crate::at_exit;
use crate::error::DriverError;

/// `nvrtcProgram`.
type Program = *mut c_void;

type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> u32;
type Count = unsafe extern "C" fn(*mut c_int) -> u32;
type Architectures = unsafe extern "C" fn(*mut c_int) -> u32;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> u32;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> u32;
type Size = unsafe extern "C" fn(Program, *mut usize) -> u32;
type Bytes = unsafe extern "C" fn(Program, *mut c_char) -> u32;
type Destroy = unsafe extern "C" fn(*mut Program) -> u32;
type ErrorString = unsafe extern "C" fn(u32) -> *const c_char;

/// `NVRTC_ERROR_INVALID_OPTION`.
const INVALID_OPTION: u32 = 5;
/// `NVRTC_ERROR_COMPILATION`.
const COMPILATION: u32 = 6;

/// Leaves out declarations that only programs of the CUDA runtime need, which makes the compilation
/// of a small kernel 10 % faster (NVRTC 13.0). Older versions refuse it.
const MINIMAL: &str = "--minimal";

/// A loaded NVRTC.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    /// Version, major and minor.
    pub(super) version: (u32, u32),
    /// Supported architectures, for example 90 for `sm_90`.
    pub(super) architectures: Vec<u32>,
    /// Whether it has not refused [`MINIMAL`].
    minimal: AtomicBool,
    create: Create,
    compile: Compile,
    destroy: Destroy,
    error_string: ErrorString,
    log: (Size, Bytes),
    ptx: (Size, Bytes),
    cubin: (Size, Bytes),
    /// Keeps the functions loaded.
    _library: Library,
    /// Keeps the library that NVRTC loads by name when it compiles.
    _builtins: Option<Library>,
}

impl Nvrtc {
    /// Loads the library of this path or name; `None` if it is missing or is not NVRTC.
    pub(super) fn load(path: &Path) -> Option<Nvrtc> {
        // SAFETY: NVRTC runs no relevant code when it is loaded.
        let library = unsafe { Library::new(path) }.ok()?;
        // SAFETY: `nvrtc.h` declares these functions with these signatures, in every version from
        // 11.2 on. The pointers stay valid as long as the library, which is kept.
        let nvrtc = unsafe {
            let version: Version = *library.get(b"nvrtcVersion\0").ok()?;
            let count: Count = *library.get(b"nvrtcGetNumSupportedArchs\0").ok()?;
            let architectures: Architectures = *library.get(b"nvrtcGetSupportedArchs\0").ok()?;
            let version = version_of(version)?;
            Nvrtc {
                version,
                architectures: architectures_of(count, architectures)?,
                minimal: AtomicBool::new(true),
                create: *library.get(b"nvrtcCreateProgram\0").ok()?,
                compile: *library.get(b"nvrtcCompileProgram\0").ok()?,
                destroy: *library.get(b"nvrtcDestroyProgram\0").ok()?,
                error_string: *library.get(b"nvrtcGetErrorString\0").ok()?,
                log: (
                    *library.get(b"nvrtcGetProgramLogSize\0").ok()?,
                    *library.get(b"nvrtcGetProgramLog\0").ok()?,
                ),
                ptx: (
                    *library.get(b"nvrtcGetPTXSize\0").ok()?,
                    *library.get(b"nvrtcGetPTX\0").ok()?,
                ),
                cubin: (
                    *library.get(b"nvrtcGetCUBINSize\0").ok()?,
                    *library.get(b"nvrtcGetCUBIN\0").ok()?,
                ),
                _builtins: builtins(path, version),
                _library: library,
            }
        };
        Some(nvrtc)
    }

    /// Compiles a source. PTX ends with a zero byte.
    ///
    /// A source that `is_ours` needs nothing of the CUDA runtime and is compiled without its
    /// declarations; if that fails, with them. The code is the same.
    pub(super) fn compile<'a>(
        &self,
        (name, source): (&str, &str),
        options: impl Iterator<Item = &'a str> + Clone,
        target: Target,
        is_ours: bool,
    ) -> Result<Vec<u8>, DriverError> {
        if is_ours && self.minimal.load(Ordering::Relaxed) {
            let options = options.clone().chain([MINIMAL]);
            match self.compile_with(name, source, options, target) {
                Err(DriverError::Call {
                    code: INVALID_OPTION,
                    ..
                }) => self.minimal.store(false, Ordering::Relaxed),
                Err(DriverError::Compile { .. }) => {}
                compiled => return compiled,
            }
        }
        self.compile_with(name, source, options, target)
    }

    fn compile_with<'a>(
        &self,
        name: &str,
        source: &str,
        options: impl Iterator<Item = &'a str>,
        target: Target,
    ) -> Result<Vec<u8>, DriverError> {
        let text = |text: &str| CString::new(text.replace('\0', " ")).unwrap_or_default();
        let (source, file) = (text(source), text(&format!("{name}.cu")));
        let options: Vec<CString> = options.map(text).collect();
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program = Owned {
            handle: ptr::null_mut(),
            destroy: self.destroy,
        };
        // SAFETY: the strings outlive the call; there are no headers.
        let code = unsafe {
            (self.create)(
                &raw mut program.handle,
                source.as_ptr(),
                file.as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        self.check("nvrtcCreateProgram", code)?;
        // SAFETY: the program was created; the options outlive the call.
        let code =
            unsafe { (self.compile)(program.handle, options.len() as c_int, options.as_ptr()) };
        // NVRTC may have registered an exit handler.
        at_exit::move_to_front();
        if code == COMPILATION {
            let log = self.bytes("nvrtcGetProgramLog", self.log, &program)?;
            let log = String::from_utf8_lossy(&log);
            return Err(DriverError::Compile {
                kernel: name.to_owned(),
                log: log.trim_end_matches(['\0', '\n']).to_owned(),
            });
        }
        self.check("nvrtcCompileProgram", code)?;
        match target {
            Target::Cubin(_) => self.bytes("nvrtcGetCUBIN", self.cubin, &program),
            Target::Ptx(_) => self.bytes("nvrtcGetPTX", self.ptx, &program),
        }
    }

    fn bytes(
        &self,
        call: &'static str,
        (size, bytes): (Size, Bytes),
        program: &Owned,
    ) -> Result<Vec<u8>, DriverError> {
        let mut length = 0;
        // SAFETY: the program was created; the address is writable.
        self.check(call, unsafe { size(program.handle, &raw mut length) })?;
        let mut buffer = vec![0_u8; length];
        // SAFETY: the buffer has the length that NVRTC has reported.
        self.check(call, unsafe {
            bytes(program.handle, buffer.as_mut_ptr().cast())
        })?;
        Ok(buffer)
    }

    fn check(&self, call: &'static str, code: u32) -> Result<(), DriverError> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: NVRTC returns a constant string for any number.
        let name = unsafe { CStr::from_ptr((self.error_string)(code)) };
        Err(DriverError::Call {
            call,
            code,
            name: name.to_string_lossy().into_owned(),
        })
    }
}

/// A program that is destroyed when this is dropped.
struct Owned {
    handle: Program,
    destroy: Destroy,
}

impl Drop for Owned {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: the program was created and not yet destroyed.
            unsafe { (self.destroy)(&raw mut self.handle) };
        }
    }
}

/// Loads NVRTC's second library from the same folder. NVRTC knows only its name, and would not find
/// it if the folder is not on the loader path, like those of pip's packages. `None` if the path is
/// not absolute or the library is not there: it must then be on the loader path, like NVRTC itself.
fn builtins(nvrtc: &Path, (major, minor): (u32, u32)) -> Option<Library> {
    let file = format!("libnvrtc-builtins.so.{major}.{minor}");
    let beside = nvrtc
        .parent()
        .filter(|folder| folder.is_absolute())?
        .join(file);
    // SAFETY: the library holds data for NVRTC, and runs no relevant code when it is loaded.
    unsafe { Library::new(beside) }.ok()
}

/// Returns the version of NVRTC.
///
/// # Safety
/// The function must be `nvrtcVersion`.
unsafe fn version_of(version: Version) -> Option<(u32, u32)> {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: as the caller guarantees; both addresses are writable.
    let code = unsafe { version(&raw mut major, &raw mut minor) };
    let version = (u32::try_from(major).ok()?, u32::try_from(minor).ok()?);
    (code == 0).then_some(version)
}

/// Returns the architectures that NVRTC supports.
///
/// # Safety
/// The functions must be `nvrtcGetNumSupportedArchs` and `nvrtcGetSupportedArchs`.
unsafe fn architectures_of(count: Count, architectures: Architectures) -> Option<Vec<u32>> {
    let mut length = 0;
    // SAFETY: as the caller guarantees; the address is writable.
    if unsafe { count(&raw mut length) } != 0 {
        return None;
    }
    let mut all: Vec<c_int> = vec![0; usize::try_from(length).ok()?];
    // SAFETY: as the caller guarantees; the vector has room for all architectures.
    if unsafe { architectures(all.as_mut_ptr()) } != 0 {
        return None;
    }
    all.into_iter()
        .map(|arch| u32::try_from(arch).ok())
        .collect()
}
