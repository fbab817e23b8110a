//! The sources of kernels in a folder, for [`pack`](super::pack) and for people.

use std::env;
use std::fs;
use std::path::PathBuf;

/// The environment variable that names the folder.
const VARIABLE: &str = "WEFT_KERNEL_SOURCES";

/// The end of the name of a source file, after the entry's name.
pub(super) const EXTENSION: &str = "cu";

/// A folder of sources.
#[derive(Debug)]
pub(super) struct Sources {
    folder: PathBuf,
}

impl Sources {
    /// The folder `$WEFT_KERNEL_SOURCES`; `None` if the variable is not set.
    pub(super) fn from_environment() -> Option<Sources> {
        let folder = env::var_os(VARIABLE).filter(|value| !value.is_empty())?;
        Some(Sources {
            folder: folder.into(),
        })
    }

    /// This folder.
    #[cfg(test)]
    pub(super) fn new(folder: PathBuf) -> Sources {
        Sources { folder }
    }

    /// Writes the source of the entry `name` to a file of that name. Kernels with different sources
    /// have different names. If the file cannot be written, the program continues without it.
    pub(super) fn write(&self, name: &str, source: &str) {
        let path = self.folder.join(format!("{name}.{EXTENSION}"));
        if path.exists() {
            return;
        }
        let making = path.with_extension(format!("{}.making", std::process::id()));
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&making, source))
            .and_then(|()| fs::rename(&making, &path));
        if written.is_err() {
            // A part of the file would count as a source.
            let _ = fs::remove_file(&making);
        }
    }
}
