//! NVIDIA's libraries, which are loaded when they are first needed.

use std::sync::OnceLock;

use libloading::Library;
use weft_config::machine::library::CudaLibrary;

use crate::dtype::DType;
use crate::error::DriverError;

/// A loaded library. It stays loaded while this value lives, which must be kept with its functions.
pub(super) struct Vendor {
    library: Library,
    which: CudaLibrary,
}

impl Vendor {
    /// Loads a library from the loader's path, a toolkit or a Python environment.
    ///
    /// # Errors
    /// Returns an error if it is not installed.
    pub(super) fn load(which: CudaLibrary) -> Result<Vendor, DriverError> {
        let missing = DriverError::Missing {
            library: which.name(),
            remedy: which.remedy(),
        };
        let (library, _) = which.load().map_err(|_| missing)?;
        Ok(Vendor { library, which })
    }

    /// Returns a function of the library, which must not outlive this value.
    ///
    /// # Errors
    /// Returns an error if the library is too old to have the function.
    ///
    /// # Safety
    /// `F` must be a function pointer of the function's type.
    pub(super) unsafe fn function<F: Copy>(&self, name: &'static str) -> Result<F, DriverError> {
        // SAFETY: as the caller guarantees.
        match unsafe { self.library.get::<F>(name.as_bytes()) } {
            Ok(symbol) => Ok(*symbol),
            Err(_) => Err(DriverError::TooOld {
                library: self.which.name(),
                lacks: name,
                remedy: self.which.remedy(),
            }),
        }
    }
}

/// The functions of a library, which are loaded once for the process.
pub(super) struct Loaded<F>(OnceLock<Result<F, DriverError>>);

impl<F> Loaded<F> {
    /// None yet.
    pub(super) const fn new() -> Self {
        Loaded(OnceLock::new())
    }

    /// The functions, by the first call from `load`.
    ///
    /// # Errors
    /// Returns an error if the first call could not load them; all later ones return the same
    /// error.
    pub(super) fn get(
        &'static self,
        load: fn() -> Result<F, DriverError>,
    ) -> Result<&'static F, DriverError> {
        self.0.get_or_init(load).as_ref().map_err(Clone::clone)
    }
}

/// A routine with a function for each dtype of matrices. All take elements by address, and so have
/// one type.
#[derive(Clone, Copy)]
pub(super) struct Typed<F> {
    names: [&'static str; 4],
    functions: [F; 4],
}

impl<F: Copy> Typed<F> {
    /// The functions of these names, in the order of their letters: S, D, C, Z.
    ///
    /// # Errors
    /// Returns an error if the library is too old to have them all.
    ///
    /// # Safety
    /// `F` is a function pointer of the functions' type, but for the elements that arguments point
    /// to.
    pub(super) unsafe fn load(
        library: &Vendor,
        names: [&'static str; 4],
    ) -> Result<Typed<F>, DriverError> {
        let [s, d, c, z] = names;
        // SAFETY: the caller's promise.
        let functions = unsafe {
            [
                library.function(s)?,
                library.function(d)?,
                library.function(c)?,
                library.function(z)?,
            ]
        };
        Ok(Typed { names, functions })
    }

    /// The function for elements of a dtype, with its name. All but `f32` and complex numbers
    /// count as `f64`.
    pub(super) fn select(&self, dtype: DType) -> (&'static str, F) {
        let at = match dtype {
            DType::F32 => 0,
            DType::C64 => 2,
            DType::C128 => 3,
            _ => 1,
        };
        (self.names[at], self.functions[at])
    }
}
