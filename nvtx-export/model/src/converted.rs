//! Databases made of inputs.

use std::path::PathBuf;
use weft_files::Scratch;

/// A temporary database converted from an input. It is deleted when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Converted(Scratch);

impl Converted {
    /// Wraps the folder that holds only the database.
    pub fn new(folder: Scratch) -> Self {
        Converted(folder)
    }

    /// Returns the path of the database.
    pub fn path(&self) -> PathBuf {
        self.0.path().join("report.sqlite")
    }
}
