//! Loading libraries and reading their versions.
#![allow(
    unsafe_code,
    reason = "loading a library runs its code, and its functions are called by signatures from its headers"
)]

use std::path::{Path, PathBuf};

use libloading::Library;

use super::names::CudaLibrary;
use super::place;
use crate::machine::component::{Component, component};

impl CudaLibrary {
    /// Returns the candidates for the dynamic linker, in order. If the library's variable is set,
    /// its path is the only one. Otherwise they are the names, for the loader path, and then
    /// existing files in CUDA toolkits and in pip's and conda's environments.
    pub fn candidates(self) -> Vec<PathBuf> {
        place::candidates(self, &place::Environment::of_process())
    }

    /// Loads the first candidate that can be loaded, and returns it with its path. The error lists
    /// the candidates.
    pub fn load(self) -> Result<(Library, PathBuf), String> {
        let candidates = self.candidates();
        first(&candidates).ok_or_else(|| match candidates.as_slice() {
            [only] => format!(
                "{}, which {} names, cannot be loaded",
                only.display(),
                self.variable()
            ),
            _ => format!("none of {} can be loaded", self.files().join(", ")),
        })
    }

    /// Returns the library as a component, with its path and version.
    pub(in crate::machine) fn component(self) -> Component {
        let state = self.load().map(|(library, path)| {
            let path = file_of(&path).unwrap_or(path);
            let version = self.version(&library);
            // CUPTI leaves a thread-local destructor that runs when the thread ends, so its code
            // must stay loaded.
            std::mem::forget(library);
            match version {
                Some(version) => format!("{version}, {}", path.display()),
                None => path.display().to_string(),
            }
        });
        component(self.name(), self.gives(), state, self.remedy())
    }

    fn version(self, library: &Library) -> Option<String> {
        match self {
            CudaLibrary::Nvrtc => {
                let (mut major, mut minor) = (0i32, 0i32);
                // SAFETY: `nvrtcResult nvrtcVersion(int *, int *)` writes two numbers.
                let code = unsafe {
                    let call: libloading::Symbol<
                        '_,
                        unsafe extern "C" fn(*mut i32, *mut i32) -> i32,
                    > = library.get(b"nvrtcVersion\0").ok()?;
                    call(&mut major, &mut minor)
                };
                (code == 0).then(|| format!("version {major}.{minor}"))
            }
            CudaLibrary::Cublas => properties(library, "cublasGetProperty"),
            CudaLibrary::Cufft => properties(library, "cufftGetProperty"),
            CudaLibrary::Cusolver => properties(library, "cusolverGetProperty"),
            CudaLibrary::Cupti => {
                let mut version = 0u32;
                // SAFETY: `CUptiResult cuptiGetVersion(uint32_t *)` writes one number.
                let code = unsafe {
                    let call: libloading::Symbol<'_, unsafe extern "C" fn(*mut u32) -> i32> =
                        library.get(b"cuptiGetVersion\0").ok()?;
                    call(&mut version)
                };
                (code == 0).then(|| format!("API version {version}"))
            }
        }
    }
}

/// Returns the version of a library with a function `status call(libraryPropertyType, int *)`:
/// major, minor, patch.
fn properties(library: &Library, call: &str) -> Option<String> {
    let property = |which: i32| {
        let mut value = 0i32;
        // SAFETY: the function has this signature in each library that is passed, and writes one
        // number.
        let code = unsafe {
            let call: libloading::Symbol<'_, unsafe extern "C" fn(i32, *mut i32) -> i32> =
                library.get(call.as_bytes()).ok()?;
            call(which, &mut value)
        };
        (code == 0).then_some(value)
    };
    Some(format!(
        "version {}.{}.{}",
        property(0)?,
        property(1)?,
        property(2)?
    ))
}

/// Loads the first candidate that can be loaded.
pub(in crate::machine) fn first(candidates: &[PathBuf]) -> Option<(Library, PathBuf)> {
    candidates.iter().find_map(|path| {
        // SAFETY: these are the vendor's own libraries, whose initialisers require nothing of the
        // process.
        let library = unsafe { Library::new(path) }.ok()?;
        Some((library, path.clone()))
    })
}

/// Returns the file of the library that was loaded by this name.
pub(in crate::machine) fn file_of(name: &Path) -> Option<PathBuf> {
    if name.is_absolute() {
        return Some(name.into());
    }
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    place::mapped(&maps, name.to_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_first_available_library() {
        let candidates = ["libno-such.so", "libc.so.6"].map(PathBuf::from);
        assert_eq!(
            first(&candidates).map(|(_, name)| name),
            Some("libc.so.6".into())
        );
        assert!(first(&candidates[..1]).is_none());
        let file = file_of(Path::new("libc.so.6")).unwrap();
        assert!(file.is_absolute() && file.is_file(), "{file:?}");
    }
}
