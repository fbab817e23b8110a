//! Output files that appear whole.
//!
//! [`WholeFile`] writes a temporary file in the folder of the output and renames it when it is complete, so that a reader sees
//! the earlier file or all of the new one, after a crash of the machine too. An earlier file that is write-protected stays. What cannot be renamed over (a device, a pipe, an open file of the process) is
//! written through. [`place`] decides which of the two an output is.
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
pub use whole::{Counted, WholeFile};

/// Why an output cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// There is a file at the path, and it is not to be replaced.
    #[error("the file exists")]
    Exists,
    /// The file at the path may not be written: it has no write permission, or its file system none.
    #[error("the file is write-protected")]
    Protected,
    /// The path leads to something that is neither a file nor can be written through.
    #[error("it is {0}")]
    NotAFile(&'static str),
    /// What the operating system says.
    #[error(transparent)]
    Io(#[from] io::Error),
}
