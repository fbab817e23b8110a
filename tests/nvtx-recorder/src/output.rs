//! The tool's library and its output, for tests.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::event::Record;

/// Returns the tool's library, which Cargo builds into the running test's folder; `None` if it does
/// not exist.
pub fn library() -> Option<PathBuf> {
    const FILE: &str = "libnvtx_recorder.so";
    let program = std::env::current_exe().ok()?;
    // Test programs are in `deps/`, binaries one level above, examples in their own folder.
    program
        .ancestors()
        .skip(1)
        .take(3)
        .flat_map(|folder| [folder.join("deps").join(FILE), folder.join(FILE)])
        .find(|path| path.is_file())
}

/// Reads the tool's output in `path`, in the order of the calls.
///
/// # Errors
/// Returns an error if the file cannot be read, or a line of it is not a record.
pub fn read(path: &Path) -> io::Result<Vec<Record>> {
    BufReader::new(File::open(path)?)
        .lines()
        .map(|line| serde_json::from_str(&line?).map_err(io::Error::from))
        .collect()
}
