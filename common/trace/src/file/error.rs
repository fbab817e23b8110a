//! What can go wrong with a file.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A `.prof` file could not be begun.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CreateError {
    /// Something stands at the path that is not a file, and is left alone.
    #[error(
        "{} is not a regular file; choose another name with --profile-name, or another folder with --logdir",
        path.display()
    )]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// There is a file, which is not to be replaced.
    #[error(
        "{} exists; choose another name with --profile-name, or another folder with --logdir",
        path.display()
    )]
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// The file could not be made.
    #[error(
        "cannot create {}: {source}; choose another folder with --logdir, or check the permissions of this one",
        path.display()
    )]
    Create {
        /// The path.
        path: PathBuf,
        /// Why not.
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
        /// The bytes asked for, or what the process may write (RLIMIT_FSIZE) or map (a quarter of RLIMIT_AS).
        limit: u64,
        /// The smallest that would do.
        least: u64,
    },
    /// The file system did not give the first blocks: the disk is full, or over its quota.
    #[error(
        "cannot reserve {bytes} bytes for {}: {source}; free space there, or choose another folder with --logdir",
        path.display()
    )]
    Reserve {
        /// The path.
        path: PathBuf,
        /// The bytes asked for.
        bytes: u64,
        /// Why not.
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
        /// The bytes that the file may grow to.
        bytes: u64,
        /// Why not.
        source: io::Error,
    },
    /// The thread that reserves space could not be started.
    #[error("cannot start the thread that reserves space for records: {0}")]
    Keeper(#[source] io::Error),
}

/// A `.prof` file could not be finished. What was committed is in it all the same.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FinishError {
    /// The reserved tail could not be cut off.
    #[error("cannot cut the reserved space off {}: {source}", path.display())]
    Trim {
        /// The path.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// This process is a fork of the one that writes the file.
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
        /// Why not.
        source: io::Error,
    },
    /// The magic is missing.
    #[error("not a .prof file: it does not begin with WEFTPROF")]
    NotProf,
    /// A layout of another version.
    #[error("a .prof file of layout {found}; this program reads layout {known}")]
    Version {
        /// The file's.
        found: u32,
        /// This program's.
        known: u32,
    },
    /// The file ends within its head.
    #[error("the file ends at byte {at}, within its head; nothing can be read from it")]
    Truncated {
        /// Bytes there are.
        at: u64,
    },
    /// The head contradicts itself.
    #[error("the head is damaged at byte {at}: {what}")]
    Head {
        /// Where.
        at: u64,
        /// What is wrong there.
        what: &'static str,
    },
}
