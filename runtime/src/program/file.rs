//! Arrays in files: NumPy's `.npy` and `.npz`.

mod npy;
mod npz;

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::submit::Call;
use super::{Array, DynArray};
use crate::dtype::{Element, with_element};
use crate::error::{CallError, Error, FileCause, FileError};
use crate::runtime::{Runtime, current};

/// The error of a file.
fn failed(path: &Path, cause: impl Into<FileCause>) -> Error {
    let (path, cause) = (path.to_owned(), cause.into());
    Error::File(Arc::new(FileError { path, cause }))
}

impl DynArray {
    /// The array in a `.npy` file, on `runtime`. An array in Fortran's order becomes a view with its axes turned round.
    ///
    /// # Errors
    /// The file cannot be read, or holds what Weft does not know.
    #[track_caller]
    pub fn load(runtime: &Runtime, path: impl AsRef<Path>) -> Result<DynArray, Error> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|error| failed(path, error))?;
        let loaded = npy::read(&mut BufReader::new(file)).map_err(|cause| failed(path, cause))?;
        loaded.into_array(runtime)
    }

    /// Writes the array to a `.npy` file, row-major, in place of what is there. Waits for its value.
    ///
    /// # Errors
    /// The value's operations failed, or the file cannot be written.
    #[track_caller]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let (path, call) = (path.as_ref(), Location::caller());
        let bytes = self.encoded(call)?;
        replace(path, |file| Ok(bytes.write(file)?))
    }

    /// Waits for the value.
    fn encoded(&self, call: Call) -> Result<npy::Encoded, Error> {
        let dims = self.shape().to_vec();
        with_element!(self.dtype(), T => Ok(npy::Encoded::new(dims, self.read_by::<T>(call)?)))
    }
}

/// Writes a file beside its place and renames it when complete.
fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), FileCause>,
) -> Result<(), Error> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let partial = PathBuf::from(partial);
    let written = || -> Result<(), FileCause> {
        let mut file = BufWriter::new(File::create(&partial)?);
        write(&mut file)?;
        file.flush()?;
        Ok(fs::rename(&partial, path)?)
    };
    written().map_err(|cause| {
        // What could not be completed is of no use; that it cannot be removed either would say nothing more.
        drop(fs::remove_file(&partial));
        failed(path, cause)
    })
}

impl npy::Loaded {
    #[track_caller]
    fn into_array(self, runtime: &Runtime) -> Result<DynArray, Error> {
        let axes: Vec<usize> = (0..self.dims.len()).rev().collect();
        let dims: Vec<usize> = match self.is_fortran {
            true => self.dims.iter().rev().copied().collect(),
            false => self.dims.clone(),
        };
        let array = with_element!(self.dtype, T => {
            DynArray::from_vec(runtime, &dims, self.values::<T>())
        })?;
        match self.is_fortran {
            true => Ok(array.permute(&axes)?),
            false => Ok(array),
        }
    }
}

/// The array in a `.npy` file, of whatever dtype it has: `Array::<f64>::try_from(weft::load(path)?)?` is one of `f64`.
///
/// # Errors
/// The file cannot be read or holds what Weft does not know, or `WEFT_CONFIG` is wrong.
#[track_caller]
pub fn load(path: impl AsRef<Path>) -> Result<DynArray, Error> {
    DynArray::load(&current()?, path)
}

/// The arrays in a `.npz` archive with their names, in the order of the file.
///
/// # Errors
/// The file cannot be read or holds what Weft does not know, or `WEFT_CONFIG` is wrong.
#[track_caller]
pub fn load_npz(path: impl AsRef<Path>) -> Result<Vec<(String, DynArray)>, Error> {
    let (path, runtime) = (path.as_ref(), current()?);
    let loaded = npz::read(path).map_err(|cause| failed(path, cause))?;
    let mut arrays = Vec::with_capacity(loaded.len());
    for (name, loaded) in loaded {
        arrays.push((name, loaded.into_array(&runtime)?));
    }
    Ok(arrays)
}

/// Writes arrays to an uncompressed `.npz` archive, in place of what is there. Waits for their values.
///
/// # Errors
/// A name occurs twice, operations of the values failed, or the file cannot be written.
#[track_caller]
pub fn save_npz(path: impl AsRef<Path>, arrays: &[(&str, &DynArray)]) -> Result<(), Error> {
    let (path, call) = (path.as_ref(), Location::caller());
    for (at, (name, _)) in arrays.iter().enumerate() {
        if arrays[..at].iter().any(|(earlier, _)| earlier == name) {
            let why = format!("two arrays of name {name:?}");
            return Err(CallError::Shape {
                operation: "save_npz",
                why,
            }
            .into());
        }
    }
    let mut members = Vec::with_capacity(arrays.len());
    for (name, array) in arrays {
        members.push((*name, array.encoded(call)?));
    }
    replace(path, |file| npz::write(file, &members))
}

impl<T: Element> Array<T> {
    /// Writes the array to a `.npy` file, row-major, in place of what is there. Waits for its value.
    ///
    /// # Errors
    /// The value's operations failed, or the file cannot be written.
    #[track_caller]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.as_dyn().save(path)
    }
}
