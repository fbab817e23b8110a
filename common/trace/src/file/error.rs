//! Errors of writing and reading files.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A `.prof` file could not be created.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CreateError {
    /// There is something other than a file at the path. It is left unchanged.
    #[error(
        "{} is not a regular file; choose another name with --profile-name, or another folder with --logdir",
        path.display()
    )]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// There is a file at the path, and it must not be replaced.
    #[error(
        "{} exists; choose another name with --profile-name, or another folder with --logdir",
        path.display()
    )]
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// The file could not be created.
    #[error(
        "cannot create {}: {source}; choose another folder with --logdir, or check the permissions of this one",
        path.display()
    )]
    Create {
        /// The path.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The limit leaves no room for a single block.
    #[error(
        "a limit of {limit} bytes is too small for {}; raise --profile-limit, or the limits of the process \
         (ulimit -f, ulimit -v), so that {least} bytes are allowed", path.display()
    )]
    LimitTooSmall {
        /// The path.
        path: PathBuf,
        /// The given limit, or the largest size that the process may write (RLIMIT_FSIZE) or map (a
        /// quarter of RLIMIT_AS).
        limit: u64,
        /// The smallest sufficient limit.
        least: u64,
    },
    /// The file system did not reserve the first blocks: the disk is full, or the quota is used up.
    #[error(
        "cannot reserve {bytes} bytes for {}: {source}; free space there, or choose another folder with --logdir",
        path.display()
    )]
    Reserve {
        /// The path.
        path: PathBuf,
        /// The number of bytes requested.
        bytes: u64,
        /// The error.
        source: io::Error,
    },
    /// The file could not be mapped into memory.
    #[error(
        "cannot map {bytes} bytes of {} into memory: {source}; lower --profile-limit, or raise the process's limit of \
         address space (ulimit -v)", path.display()
    )]
    Map {
        /// The path.
        path: PathBuf,
        /// The largest size of the file.
        bytes: u64,
        /// The error.
        source: io::Error,
    },
    /// The thread that reserves space could not be started.
    #[error("cannot start the thread that reserves space for records: {0}")]
    Keeper(#[source] io::Error),
}

/// A `.prof` file could not be finished. It contains the committed records nevertheless.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FinishError {
    /// The space reserved at the end could not be cut off.
    #[error("cannot cut the reserved space off {}: {source}", path.display())]
    Trim {
        /// The path.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// This process is a fork of the writer.
    #[error("{} belongs to the parent process", path.display())]
    OtherProcess {
        /// The path.
        path: PathBuf,
    },
}

/// A file could not be read as a `.prof` file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The magic is missing.
    #[error("not a .prof file: it does not begin with WEFTPROF")]
    NotProf,
    /// The layout has an unsupported version.
    #[error("a .prof file of layout {found}; this program reads layout {known}")]
    Version {
        /// The version of the file.
        found: u32,
        /// The newest version that is supported.
        known: u32,
    },
    /// The file ends within its head.
    #[error("the file ends at byte {at}, within its head; nothing can be read from it")]
    Truncated {
        /// The size of the file.
        at: u64,
    },
    /// The head contradicts itself.
    #[error("the head is damaged at byte {at}: {what}")]
    Head {
        /// The offset.
        at: u64,
        /// The contradiction.
        what: &'static str,
    },
}
