//! Databases made of inputs.

use std::path::PathBuf;
use weft_files::Scratch;

/// A temporary database converted from an input. It is deleted with the last of these values.
#[derive(Clone, Debug)]
pub struct Converted(Scratch);

impl Converted {
    /// In this folder, whose files are no more than that.
    pub fn of(folder: Scratch) -> Self {
        Converted(folder)
    }

    /// The database that a report became.
    pub fn path(&self) -> PathBuf {
        self.0.path().join("report.sqlite")
    }
}
