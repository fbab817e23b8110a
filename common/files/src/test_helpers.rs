//! Helpers for tests of output files: names in a folder, and pipes with a reader.
#![allow(dead_code, reason = "each test target uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a failed helper fails its test")]

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::thread::JoinHandle;

/// Returns the names of the files in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Creates a named pipe.
pub(crate) fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

/// Reads a pipe to its end, in its own thread.
pub(crate) fn reader(pipe: &Path) -> JoinHandle<Vec<u8>> {
    let pipe = pipe.to_owned();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        File::open(pipe).unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    })
}
