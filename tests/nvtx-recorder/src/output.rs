//! What a test needs around the tool: where its library lies, and what it wrote.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::event::Record;

/// The tool's library, as Cargo built it beside the running test; `None` where it is not there.
pub fn library() -> Option<PathBuf> {
    const FILE: &str = "libnvtx_recorder.so";
    let program = std::env::current_exe().ok()?;
    // Test programs lie in `deps/`, binaries one level above, examples in a folder of their own.
    program
        .ancestors()
        .skip(1)
        .take(3)
        .flat_map(|folder| [folder.join("deps").join(FILE), folder.join(FILE)])
        .find(|path| path.is_file())
}

/// Reads what the tool wrote to `path`, in the order of the calls.
///
/// # Errors
/// The file cannot be read, or a line of it is no record.
pub fn read(path: &Path) -> io::Result<Vec<Record>> {
    BufReader::new(File::open(path)?)
        .lines()
        .map(|line| serde_json::from_str(&line?).map_err(io::Error::from))
        .collect()
}
