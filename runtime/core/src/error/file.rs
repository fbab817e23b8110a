//! Errors of array files.

use std::io;
use std::path::PathBuf;

use weft_files::WriteError;

/// A file of arrays that cannot be read or written, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The cause.
    pub cause: FileCause,
}

/// The reason why a file of arrays cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileCause {
    /// An error of the operating system.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The file does not begin like an `.npy` file.
    #[error("this is not an .npy file; write it with `numpy.save` or `Array::save`")]
    NotNpy,
    /// The file is an archive, but a single array was requested.
    #[error("this is an .npz archive of several arrays; read it with `load_npz`")]
    Archive,
    /// A version of the format that Weft does not support.
    #[error("unknown version {0}.{1} of the .npy format; save it with version 3.0 or older")]
    Version(u8, u8),
    /// An invalid header.
    #[error("the header is invalid: {0}")]
    Header(String),
    /// Elements of a type that Weft does not have.
    #[error("elements of type {0} are not supported; convert them with `astype` before saving")]
    DType(String),
    /// The file ends before its last element.
    #[error("the file ends after {found} of {expected} bytes of elements; copy or save it again")]
    Truncated {
        /// Expected number of bytes of all elements.
        expected: u64,
        /// Number of bytes found.
        found: u64,
    },
    /// The arrays are larger than the memories of the run.
    #[error(
        "its arrays need {needed} bytes, but the memories for arrays have {capacity} in total; raise --sysmem, or load fewer arrays"
    )]
    TooLarge {
        /// Number of bytes of all elements.
        needed: u64,
        /// Total capacity of the memories of the run, in bytes.
        capacity: u64,
    },
    /// An archive that is damaged or of an unsupported kind.
    #[error("the archive cannot be read: {0}")]
    Zip(String),
}

impl From<WriteError> for FileCause {
    fn from(error: WriteError) -> FileCause {
        FileCause::Io(match error {
            WriteError::Io(error) => error,
            other => io::Error::other(other.to_string()),
        })
    }
}
