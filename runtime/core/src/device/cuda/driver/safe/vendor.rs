//! NVIDIA's libraries, which are loaded when they are first needed.

use libloading::Library;
use weft_config::machine::library::CudaLibrary;

use super::super::super::error::DriverError;

/// A loaded library. It stays loaded while this value lives, which must be kept with its functions.
pub(super) struct Vendor {
    library: Library,
    name: &'static str,
}

impl Vendor {
    /// Loads a library from the loader's path, a toolkit or a Python environment.
    ///
    /// # Errors
    /// If it is not installed.
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

    /// Returns a function of the library, which must not outlive this value.
    ///
    /// # Errors
    /// If the library is too old to have the function.
    ///
    /// # Safety
    /// `F` must be a function pointer of the function's type.
    pub(super) unsafe fn function<F: Copy>(&self, name: &'static str) -> Result<F, DriverError> {
        // SAFETY: as the caller guarantees.
        match unsafe { self.library.get::<F>(name.as_bytes()) } {
            Ok(symbol) => Ok(*symbol),
            Err(_) => Err(DriverError::TooOld {
                library: self.name,
                lacks: name,
            }),
        }
    }
}
