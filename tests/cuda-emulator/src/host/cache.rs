//! The folder of compiled kernels.
#![allow(unsafe_code, reason = "asks the loader where this library is")]

use std::ffi::{CStr, OsStr};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The folder: `tmp/cuda-emulator` of the target folder that this code was built into; elsewhere,
/// one of the user's own in the folder for temporary files.
pub(crate) fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let own = this_object();
        let target = own
            .ancestors()
            .find(|folder| folder.join(".rustc_info.json").is_file());
        match target {
            Some(target) => target.join("tmp/cuda-emulator"),
            None => {
                // SAFETY: the call has no preconditions.
                let user = unsafe { libc::getuid() };
                std::env::temp_dir().join(format!("cuda-emulator-{user}"))
            }
        }
    })
}

/// Returns the file that contains this code: a program or a library, not a link to it.
pub(crate) fn this_object() -> PathBuf {
    // SAFETY: all-zero is a value of this struct of pointers.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is of this function; the struct is writable.
    let known = unsafe { libc::dladdr(this_object as *const libc::c_void, &raw mut found) } != 0;
    let path = if known && !found.dli_fname.is_null() {
        // SAFETY: dladdr gives a string of the loader's, which lives as long as this library.
        let name = unsafe { CStr::from_ptr(found.dli_fname) };
        PathBuf::from(OsStr::from_bytes(name.to_bytes()))
    } else {
        PathBuf::new()
    };
    // The loader has the name that the program was called with.
    let path = path.canonicalize().ok().filter(|path| path.is_file());
    path.or_else(|| std::env::current_exe().ok())
        .unwrap_or_default()
}

/// Returns a hash of 128 bits of these texts.
pub(super) fn key(texts: &[&str]) -> String {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        (salt, texts).hash(&mut hasher);
        hasher.finish()
    };
    format!("{:016x}{:016x}", half(1), half(2))
}
