//! Libraries of NVIDIA's that Weft loads at run time, and where they are looked for.
#![allow(
    unsafe_code,
    reason = "loading a library runs its code, and its functions are called by signatures from its headers"
)]

mod place;

use std::path::{Path, PathBuf};

use libloading::Library;

use super::inventory::Component;
use super::tool::component;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CudaLibrary {
    /// Compiles kernels for GPUs.
    Nvrtc,
    /// Multiplies matrices on GPUs.
    Cublas,
    /// Tells what GPUs did.
    Cupti,
}

impl CudaLibrary {
    /// Its name, as users know it.
    pub const fn name(self) -> &'static str {
        match self {
            CudaLibrary::Nvrtc => "NVRTC",
            CudaLibrary::Cublas => "cuBLAS",
            CudaLibrary::Cupti => "CUPTI",
        }
    }

    /// The environment variable that holds its path; nothing else is looked for then.
    pub const fn variable(self) -> &'static str {
        match self {
            CudaLibrary::Nvrtc => "WEFT_NVRTC",
            CudaLibrary::Cublas => "WEFT_CUBLAS",
            CudaLibrary::Cupti => "WEFT_CUPTI",
        }
    }

    /// How to get it.
    pub const fn remedy(self) -> &'static str {
        match self {
            CudaLibrary::Nvrtc => {
                "install the CUDA toolkit or pip's nvidia-cuda-nvrtc, or set WEFT_NVRTC to the library's path"
            }
            CudaLibrary::Cublas => {
                "install the CUDA toolkit or pip's nvidia-cublas, or set WEFT_CUBLAS to the library's path"
            }
            CudaLibrary::Cupti => {
                "install the CUDA toolkit or pip's nvidia-cuda-cupti, or set WEFT_CUPTI to the library's path"
            }
        }
    }

    const fn gives(self) -> &'static str {
        match self {
            CudaLibrary::Nvrtc => "kernels compiled for GPUs",
            CudaLibrary::Cublas => "products of matrices on GPUs",
            CudaLibrary::Cupti => "device activity in a .prof without nsys",
        }
    }

    /// Names of its file, the preferred one first.
    pub const fn files(self) -> [&'static str; 3] {
        match self {
            CudaLibrary::Nvrtc => ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"],
            CudaLibrary::Cublas => ["libcublas.so.13", "libcublas.so.12", "libcublas.so"],
            CudaLibrary::Cupti => ["libcupti.so.13", "libcupti.so.12", "libcupti.so"],
        }
    }

    /// What to hand to the dynamic linker, in order: the path in its variable alone where that is set; else its names,
    /// for the loader path, and then the files there are in a CUDA toolkit and in pip's and conda's environments.
    pub fn candidates(self) -> Vec<PathBuf> {
        place::candidates(self, &place::Environment::of_process())
    }

    /// The first of its files that can be loaded, and what it was called. The error says what was looked for.
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

    /// Whether it is there, where, and of which version.
    pub(super) fn component(self) -> Component {
        let state = self.load().map(|(library, path)| {
            let path = file_of(&path).unwrap_or(path);
            let version = self.version(&library);
            // What CUPTI leaves with a thread calls it when the thread ends.
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
            CudaLibrary::Cublas => {
                // `libraryPropertyType`: major, minor, patch.
                let property = |which: i32| {
                    let mut value = 0i32;
                    // SAFETY: `cublasStatus_t cublasGetProperty(libraryPropertyType, int *)` writes one number.
                    let code = unsafe {
                        let call: libloading::Symbol<
                            '_,
                            unsafe extern "C" fn(i32, *mut i32) -> i32,
                        > = library.get(b"cublasGetProperty\0").ok()?;
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

/// Loads the first that can be loaded.
pub(super) fn first(candidates: &[PathBuf]) -> Option<(Library, PathBuf)> {
    candidates.iter().find_map(|path| {
        // SAFETY: these are the vendor's own libraries, whose initialisers ask nothing of the process that loads them.
        let library = unsafe { Library::new(path) }.ok()?;
        Some((library, path.clone()))
    })
}

/// The file of a library that is loaded by this name.
pub(super) fn file_of(name: &Path) -> Option<PathBuf> {
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
    fn the_first_that_loads_is_taken() {
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
