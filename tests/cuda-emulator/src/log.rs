//! Files to which a test asks the emulator to append lines.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::report::report;

/// A file that a variable of the environment names. Several processes may append to it.
pub(crate) struct Log {
    variable: &'static str,
    file: OnceLock<Option<Mutex<File>>>,
}

impl Log {
    pub(crate) const fn new(variable: &'static str) -> Log {
        Log {
            variable,
            file: OnceLock::new(),
        }
    }

    /// Returns the file, if the variable is set and the file can be opened.
    fn file(&self) -> Option<&Mutex<File>> {
        let opened = self.file.get_or_init(|| {
            let path = std::env::var_os(self.variable)?;
            let opened = OpenOptions::new().append(true).create(true).open(&path);
            match opened {
                Ok(file) => Some(Mutex::new(file)),
                Err(error) => {
                    report(&format!("{}: {}: {error}", self.variable, path.display()));
                    None
                }
            }
        });
        opened.as_ref()
    }

    /// Appends the line that `line` returns, if the variable is set.
    pub(crate) fn append(&self, line: impl FnOnce() -> String) {
        let Some(file) = self.file() else { return };
        let mut text = line();
        text.push('\n');
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(text.as_bytes()) {
            report(&format!("{}: {error}", self.variable));
        }
    }
}
