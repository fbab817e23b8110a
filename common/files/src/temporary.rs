//! The temporary files and folders of this process, so that a terminated process leaves none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

static PATHS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn paths() -> MutexGuard<'static, Vec<PathBuf>> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes incomplete files and folders, and keeps other threads from creating or completing any
/// more.
///
/// Call this right before the process ends, such as in a thread that waits for SIGINT and SIGTERM.
/// It takes a lock, so it must not run in a signal handler.
pub fn remove_temporary() {
    let mut paths = paths();
    for path in paths.drain(..) {
        // The process ends: an error can neither be reported nor handled.
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
    }
    // Other threads that rename or create a file wait for the lock until the process ends.
    std::mem::forget(paths);
}

/// Like [`remove_temporary`], for a process that is out of memory. Removes nothing if another
/// thread holds the lock.
pub fn try_remove_temporary() {
    let Ok(paths) = PATHS.try_lock() else {
        return;
    };
    for path in paths.iter() {
        let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    }
    std::mem::forget(paths);
}

/// A file or folder that [`remove_temporary`] removes while this value lives. The owner removes it
/// otherwise: dropping the value does not.
#[derive(Debug)]
pub struct Listed(PathBuf);

impl Listed {
    /// Creates a temporary file or folder and lists it, as one step for [`remove_temporary`].
    ///
    /// # Errors
    /// Returns the error of `make`.
    pub fn make<T, E>(
        make: impl FnOnce() -> Result<T, E>,
        path: impl FnOnce(&T) -> &Path,
    ) -> Result<(T, Self), E> {
        let mut paths = paths();
        let made = make()?;
        let path = path(&made).to_owned();
        paths.push(path.clone());
        Ok((made, Listed(path)))
    }

    /// Calls `complete`, which gives the file its place, and takes it off the list, as one step for
    /// [`remove_temporary`].
    pub fn complete<T>(self, complete: impl FnOnce() -> T) -> T {
        let mut paths = paths();
        let done = complete();
        paths.retain(|path| *path != self.0);
        drop(paths);
        done
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        paths().retain(|path| *path != self.0);
    }
}

/// A temporary folder, deleted with the last clone of this value.
#[derive(Clone, Debug)]
pub struct Scratch(Arc<Folder>);

#[derive(Debug)]
struct Folder {
    // Dropped first, so that the folder is removed before it is taken off the list.
    folder: TempDir,
    _listed: Listed,
}

impl Scratch {
    /// Creates a folder whose name begins with `prefix`.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn new(prefix: &str) -> io::Result<Self> {
        let make = || tempfile::Builder::new().prefix(prefix).tempdir();
        let (folder, listed) = Listed::make(make, TempDir::path)?;
        Ok(Scratch(Arc::new(Folder {
            folder,
            _listed: listed,
        })))
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.0.folder.path()
    }
}
