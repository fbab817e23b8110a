//! Output files that appear whole.
//!
//! [`WholeFile`] writes a temporary file in the folder of the output, and renames it when it is
//! complete. A reader sees the earlier file or all of the new one, even after a crash of the
//! machine. A write-protected file is not replaced. An output that cannot be renamed over (a
//! device, a pipe, an open file of the process) is written through. [`place`] decides which of the
//! two an output is.
//!
//! ```
//! use std::io::Write;
//! use weft_files::WholeFile;
//!
//! let folder = tempfile::tempdir()?;
//! let out = folder.path().join("out.txt");
//! let mut file = WholeFile::create(&out, false)?;
//! file.write_with(|to| to.write_all(b"all of it"))?;
//! assert!(!out.exists());
//! file.finish()?;
//! assert_eq!(std::fs::read(&out)?, b"all of it");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod limit;
pub mod place;
mod temporary;
#[cfg(all(test, unix))]
mod test_helpers;
mod whole;

use std::io;

pub use place::{check, is_same};
pub use temporary::{Listed, Scratch, remove_temporary, try_remove_temporary};
pub use whole::{CountingFile, WholeFile};

/// The reason why an output cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file exists, and must not be replaced.
    #[error("the file exists")]
    Exists,
    /// The file is write-protected, or on a read-only file system.
    #[error("the file is write-protected")]
    Protected,
    /// The path leads to something that is neither a file nor can be written through.
    #[error("it is {0}")]
    NotAFile(&'static str),
    /// An error of the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
}
