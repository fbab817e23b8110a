//! NVIDIA's libraries, which are loaded when they are first needed.

use libloading::Library;
use weft_config::machine::library::CudaLibrary;

use super::super::super::error::DriverError;

/// A loaded library. It stays loaded for as long as its functions are kept with it.
pub(super) struct Vendor {
    library: Library,
    name: &'static str,
}

impl Vendor {
    /// Loads a library from the loader's path, a toolkit or an environment of Python.
    ///
    /// # Errors
    /// It is not installed.
    pub(super) fn load(which: CudaLibrary) -> Result<Vendor, DriverError> {
        let missing = DriverError::Missing {
            library: which.name(),
            remedy: which.remedy(),
        };
        let (library, _) = which.load().map_err(|_| missing)?;
        Ok(Vendor {
            library,
            name: which.name(),
        })
    }

    /// A function of the library, which must not outlive it.
    ///
    /// # Errors
    /// The library is too old to have it.
    ///
    /// # Safety
    /// `F` is a function pointer of the function's type.
    pub(super) unsafe fn function<F: Copy>(&self, name: &'static str) -> Result<F, DriverError> {
        // SAFETY: the caller's promise.
        match unsafe { self.library.get::<F>(name.as_bytes()) } {
            Ok(symbol) => Ok(*symbol),
            Err(_) => Err(DriverError::TooOld {
                library: self.name,
                lacks: name,
            }),
        }
    }
}
