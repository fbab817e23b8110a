//! Temporary files and folders of this process, so that a terminated process leaves none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

static PATHS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn paths() -> MutexGuard<'static, Vec<PathBuf>> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what was begun and is not complete, and keeps every other thread from beginning or completing any more.
///
/// For a process that ends right after, such as in a thread that waits for SIGINT and SIGTERM. Not for a signal
/// handler: it takes a lock.
pub fn remove_temporary() {
    let mut paths = paths();
    for path in paths.drain(..) {
        // The process ends: there is nobody to tell, and nothing else to try.
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
    }
    // Whoever would rename or create a file waits for the lock until the process is gone.
    std::mem::forget(paths);
}

/// The same for a process that has no memory left: nothing is removed where another thread is at it.
pub fn try_remove_temporary() {
    let Ok(paths) = PATHS.try_lock() else {
        return;
    };
    for path in paths.iter() {
        let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    }
    std::mem::forget(paths);
}

/// A file or folder that [`remove_temporary`] removes, for as long as this value lives. Dropping it removes nothing:
/// that is up to whoever made the file.
#[derive(Debug)]
pub struct Listed(PathBuf);

impl Listed {
    /// Makes a temporary file or folder and lists it. [`remove_temporary`] waits until both is done.
    ///
    /// # Errors
    /// What `make` gives.
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

    /// Has `complete` give the file its place, and takes it off the list. [`remove_temporary`] waits until both is done.
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

/// A temporary folder, deleted with the last of its values.
#[derive(Clone, Debug)]
pub struct Scratch(Arc<Folder>);

#[derive(Debug)]
struct Folder {
    // Removed before it is taken off the list.
    folder: TempDir,
    _listed: Listed,
}

impl Scratch {
    /// Makes one whose name begins with `prefix`.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(prefix: &str) -> io::Result<Self> {
        let make = || tempfile::Builder::new().prefix(prefix).tempdir();
        let (folder, listed) = Listed::make(make, TempDir::path)?;
        Ok(Scratch(Arc::new(Folder {
            folder,
            _listed: listed,
        })))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.0.folder.path()
    }
}
