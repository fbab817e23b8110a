//! Arrays in files, in NumPy's formats `.npy` and `.npz`.

mod npy;
mod npz;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use weft_files::WholeFile;

use self::npz::{Archive, NewArchive};
use super::{Array, DynArray};
use crate::dtype::{Element, with_element};
use crate::lower::{View, checked};
use weft_core::error::{CallError, Error, FileCause, FileError};
use weft_core::runtime::{Runtime, current};
use weft_core::site::Site;

/// Returns the error of a file.
fn failed(path: &Path, cause: impl Into<FileCause>) -> Error {
    let (path, cause) = (path.to_owned(), cause.into());
    Error::File(Arc::new(FileError { path, cause }))
}

impl DynArray {
    /// Returns the array in a `.npy` file, on `runtime`. An array in Fortran order becomes a view
    /// with reversed axes.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or has unsupported content.
    #[track_caller]
    pub fn load(runtime: &Runtime, path: impl AsRef<Path>) -> Result<DynArray, Error> {
        let _call = Site::enter_caller();
        let path = path.as_ref();
        let opened = || -> Result<_, FileCause> {
            let file = File::open(path)?;
            let known = file.metadata()?;
            // A pipe has no length.
            let length = known.is_file().then_some(known.len());
            let mut file = BufReader::new(file);
            let opened = npy::open(&mut file, length)?;
            check_room(runtime, opened.bytes as u64)?;
            Ok((file, opened))
        };
        let (mut file, opened) = opened().map_err(|cause| failed(path, cause))?;
        into_array(path, &opened, &mut file, runtime)
    }

    /// Writes the array to a `.npy` file, row-major, and replaces an existing file. Waits for its
    /// value.
    ///
    /// If the path is a symbolic link, its target is replaced; devices and pipes are written to.
    /// The file appears when it is complete and on disk. A process that is killed earlier leaves a
    /// file `.weft-*` in the same folder.
    ///
    /// # Errors
    /// Returns an error if the value's operations failed, or the file cannot be written.
    #[track_caller]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let _call = Site::enter_caller();
        let path = path.as_ref();
        let bytes = self.encoded()?;
        let written = || -> Result<(), FileCause> {
            let mut file = WholeFile::create(path, true)?;
            file.write_with(|to| bytes.write(to))?;
            file.finish()?;
            Ok(())
        };
        written().map_err(|cause| failed(path, cause))
    }

    /// Waits for the value, and encodes it.
    fn encoded(&self) -> Result<npy::Encoded, Error> {
        let dims = self.shape().to_vec();
        with_element!(self.dtype(), T => Ok(npy::Encoded::new(dims, self.view.read::<T>()?)))
    }
}

/// Checks that the memories of all ranks can hold arrays of this size, so that a small file that
/// declares large arrays does not exhaust the machine.
fn check_room(runtime: &Runtime, needed: u64) -> Result<(), FileCause> {
    let core = runtime.core();
    // Each rank reads the whole file.
    let capacity = core.capacity();
    match needed <= capacity {
        true => Ok(()),
        false => Err(FileCause::TooLarge { needed, capacity }),
    }
}

/// Reads the elements into an array.
fn into_array(
    path: &Path,
    opened: &npy::Opened,
    from: &mut impl Read,
    runtime: &Runtime,
) -> Result<DynArray, Error> {
    let axes: Vec<usize> = (0..opened.dims().len()).rev().collect();
    let mut dims = opened.dims().to_vec();
    if opened.is_fortran() {
        dims.reverse();
    }
    let view = with_element!(opened.dtype(), T => {
        let values = opened.values::<T>(from).map_err(|cause| failed(path, cause))?;
        View::from_vec(runtime.core(), checked(&dims)?, values)
    })?;
    match opened.is_fortran() {
        true => Ok(view.permute(&axes)?.into()),
        false => Ok(view.into()),
    }
}

/// Returns the array in a `.npy` file, with the file's dtype.
/// `Array::<f64>::try_from(weft::load(path)?)?` converts it to an array of `f64`.
///
/// # Errors
/// Returns an error if the file cannot be read, has unsupported content, or `WEFT_CONFIG` is
/// invalid.
#[track_caller]
pub fn load(path: impl AsRef<Path>) -> Result<DynArray, Error> {
    DynArray::load(&current()?, path)
}

/// Returns the arrays in a `.npz` archive with their names, in the order of the file.
///
/// # Errors
/// Returns an error if the file cannot be read, has unsupported content, or `WEFT_CONFIG` is
/// invalid.
#[track_caller]
pub fn load_npz(path: impl AsRef<Path>) -> Result<Vec<(String, DynArray)>, Error> {
    let _call = Site::enter_caller();
    let (path, runtime) = (path.as_ref(), current()?);
    let opened = || -> Result<_, FileCause> {
        let mut archive = Archive::open(path)?;
        let bytes = archive.bytes()?;
        check_room(&runtime, bytes)?;
        Ok(archive)
    };
    let mut archive = opened().map_err(|cause| failed(path, cause))?;
    let mut arrays = Vec::with_capacity(archive.len());
    // The bytes that were read, but may not have been copied to the memory of arrays yet.
    let mut ahead = 0;
    for number in 0..archive.len() {
        let read = archive.with(number, |name, opened, mut from| {
            ahead += opened.bytes;
            let array = into_array(path, &opened, &mut from, &runtime);
            Ok((name.to_owned(), array?))
        });
        arrays.push(read.map_err(|error: Loading| error.into_error(path))?);
        if ahead > AHEAD {
            runtime.wait()?;
            ahead = 0;
        }
    }
    Ok(arrays)
}

/// The most bytes of an archive that are read before they are in the memory of arrays.
const AHEAD: usize = 256 << 20;

/// The reason why an array of an archive could not be read.
enum Loading {
    File(FileCause),
    Array(Error),
}

impl From<FileCause> for Loading {
    fn from(cause: FileCause) -> Loading {
        Loading::File(cause)
    }
}

impl From<Error> for Loading {
    fn from(error: Error) -> Loading {
        Loading::Array(error)
    }
}

impl Loading {
    fn into_error(self, path: &Path) -> Error {
        match self {
            Loading::File(cause) => failed(path, cause),
            Loading::Array(error) => error,
        }
    }
}

/// Writes arrays to an uncompressed `.npz` archive, and replaces an existing file. Waits for their
/// values. If the path is a symbolic link, its target is replaced; devices and pipes are written
/// to. The file appears when it is complete and on disk. A process that is killed earlier leaves a
/// file `.weft-*` in the same folder.
///
/// # Errors
/// Returns an error if a name occurs twice, operations of the values failed, or the file cannot be
/// written.
#[track_caller]
pub fn save_npz(path: impl AsRef<Path>, arrays: &[(&str, &DynArray)]) -> Result<(), Error> {
    let _call = Site::enter_caller();
    let path = path.as_ref();
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
        members.push((*name, array.encoded()?));
    }
    let written = || -> Result<(), FileCause> {
        let mut file = WholeFile::create(path, true)?;
        file.write_seeking_with(|to| {
            let mut archive = NewArchive::new(to);
            for (name, array) in &members {
                archive.add(name, array)?;
            }
            archive.finish()
        })?;
        file.finish()?;
        Ok(())
    };
    written().map_err(|cause| failed(path, cause))
}

impl<T: Element> Array<T> {
    /// Writes the array to a `.npy` file, row-major, and replaces an existing file. Waits for its
    /// value.
    ///
    /// If the path is a symbolic link, its target is replaced; devices and pipes are written to.
    /// The file appears when it is complete and on disk. A process that is killed earlier leaves a
    /// file `.weft-*` in the same folder.
    ///
    /// # Errors
    /// Returns an error if the value's operations failed, or the file cannot be written.
    #[track_caller]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.as_dyn().save(path)
    }
}
