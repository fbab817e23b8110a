//! What can go wrong with files of arrays.

use std::io;
use std::path::PathBuf;

use weft_files::WriteError;

/// A file of arrays that cannot be read or written, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub cause: FileCause,
}

/// Why a file of arrays cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileCause {
    /// The operating system says so.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It does not begin as a `.npy` file does.
    #[error("this is not an .npy file; write it with `numpy.save` or `Array::save`")]
    NotNpy,
    /// It is an archive, and one array was asked for.
    #[error("this is an .npz archive of several arrays; read it with `load_npz`")]
    Archive,
    /// A version of the format that Weft does not know.
    #[error("version {0}.{1} of the .npy format is not known; save it with version 3.0 or older")]
    Version(u8, u8),
    /// A header that says nothing of use.
    #[error("the header is invalid: {0}")]
    Header(String),
    /// Elements of a type that Weft does not have.
    #[error("elements of type {0} are not supported; convert them with `astype` before saving")]
    DType(String),
    /// It ends before its last element.
    #[error("the file ends after {found} of {expected} bytes of elements; copy or save it again")]
    Truncated {
        /// Bytes of all elements.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// More than there is memory for.
    #[error(
        "its arrays need {needed} bytes, but the memories for arrays have {capacity} in total; raise --sysmem, or load fewer arrays"
    )]
    TooLarge {
        /// Bytes of all elements.
        needed: u64,
        /// Bytes that the memories of the run hold.
        capacity: u64,
    },
    /// An archive that is damaged, or of a kind that is not supported.
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
