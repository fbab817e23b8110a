//! Limits on the memory that reading and queries use.

use crate::ExportError;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns the memory that the process can still allocate, in bytes; `None` if the system does not
/// report it.
///
/// This is the minimum of the machine's available memory, the limit of the control group, and the
/// process's limit of address space.
///
/// Sources: proc(5) (`meminfo`, `limits`), and cgroup-v2 (`memory.max`) in the documentation of the
/// Linux kernel.
pub fn available() -> Option<u64> {
    let file = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let number = |line: &str| line.split_whitespace().find_map(|word| word.parse().ok());
    let meminfo = file("/proc/meminfo");
    let mut meminfo = meminfo.lines();
    let machine = meminfo.find_map(|line| number(line.strip_prefix("MemAvailable:")?));
    let machine = machine.map(|kib: u64| kib.saturating_mul(1024));
    let group = number(&file("/sys/fs/cgroup/memory.max"));
    let limits = file("/proc/self/limits");
    let mut limits = limits.lines();
    let own = limits.find_map(|line| number(line.strip_prefix("Max address space")?));
    [machine, group, own].into_iter().flatten().min()
}

/// A limit in bytes.
#[derive(Clone, Copy, Debug)]
pub struct MemoryLimit(u64);

impl MemoryLimit {
    /// Returns the given limit, or else the available memory.
    pub fn new(given: Option<u64>) -> Self {
        MemoryLimit(given.or_else(available).unwrap_or(u64::MAX))
    }

    /// Checks an estimate of the memory needed for `path`. The estimate must be a lower bound.
    ///
    /// # Errors
    /// Returns [`ExportError::Memory`] if `bytes` exceeds the limit.
    pub fn check(self, path: &Path, bytes: u64) -> Result<(), ExportError> {
        if bytes <= self.0 {
            return Ok(());
        }
        Err(self.exceeded(path))
    }

    /// Returns the error for a `path` that needs more than the limit.
    pub fn exceeded(self, path: &Path) -> ExportError {
        ExportError::Memory {
            path: path.to_owned(),
            limit: self.0,
        }
    }

    /// Checks a file whose contents are read. Its rows take at least as much memory as the file has
    /// bytes.
    ///
    /// # Errors
    /// Returns [`ExportError::Memory`] if the file is larger than the limit.
    pub fn check_file(self, path: &Path) -> Result<(), ExportError> {
        let bytes = path.metadata().map_or(0, |known| known.len());
        self.check(path, bytes)
    }

    /// Limits `input` to the bytes of the limit. The second value states whether the limit was
    /// reached.
    pub fn of_input<R: Read>(self, input: R) -> (Limited<R>, Exceeded) {
        let exceeded = Exceeded::default();
        let limited = Limited {
            input,
            left: self.0,
            exceeded: exceeded.clone(),
        };
        (limited, exceeded)
    }
}

/// Whether an input had more bytes than its limit.
#[derive(Clone, Debug, Default)]
pub struct Exceeded(Arc<AtomicBool>);

impl Exceeded {
    pub fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// An input that fails after as many bytes as its limit.
#[derive(Debug)]
pub struct Limited<R> {
    input: R,
    left: u64,
    exceeded: Exceeded,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => {
                self.exceeded.0.store(true, Ordering::Relaxed);
                return Err(io::Error::other("more bytes than there may be"));
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_the_bytes_of_an_input() {
        for (length, fits) in [(10, true), (11, false)] {
            let bytes = vec![7; length];
            let (mut limited, exceeded) = MemoryLimit(10).of_input(&*bytes);
            let read = limited.read_to_end(&mut Vec::new());
            assert_eq!((read.is_ok(), exceeded.get()), (fits, !fits));
        }
    }

    #[test]
    fn limits_input_by_available_memory() {
        assert!(available().is_none_or(|bytes| bytes > 1 << 20));
        let path = Path::new("trace");
        assert!(MemoryLimit::new(Some(5)).check(path, 5).is_ok());
        let refused = MemoryLimit::new(Some(5)).check(path, 6).unwrap_err();
        let refused = refused.sentence();
        assert!(refused.contains("--memory-limit"), "{refused}");
    }
}
