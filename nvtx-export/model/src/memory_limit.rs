//! How much memory reading and asking may take.

use crate::ExportError;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the process can still get, in bytes: the least of what the machine has, its control group allows and its own limit of
/// addresses is. `None` where the system does not say.
///
/// Sources: proc(5) (`meminfo`, `limits`), and cgroup-v2 (`memory.max`) in the documentation of the Linux kernel.
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
    /// The limit that was given, or else what is available.
    pub fn of(given: Option<u64>) -> Self {
        MemoryLimit(given.or_else(available).unwrap_or(u64::MAX))
    }

    /// # Errors
    /// What is to be made of `path` takes more, by an estimate that is too low rather than too high.
    pub fn check(self, path: &Path, bytes: u64) -> Result<(), ExportError> {
        if bytes <= self.0 {
            return Ok(());
        }
        Err(self.exceeded(path))
    }

    /// The error that says so.
    pub fn exceeded(self, path: &Path) -> ExportError {
        ExportError::Memory {
            path: path.to_owned(),
            limit: self.0,
        }
    }

    /// The same of a file whose bytes are read: its rows take at least as much.
    pub fn check_file(self, path: &Path) -> Result<(), ExportError> {
        let bytes = path.metadata().map_or(0, |known| known.len());
        self.check(path, bytes)
    }

    /// Lets `input` give no more bytes than the limit. Whether it would have is told by the second value.
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

/// Whether an input gave more bytes than its limit.
#[derive(Clone, Debug, Default)]
pub struct Exceeded(Arc<AtomicBool>);

impl Exceeded {
    pub fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// An input that fails once it has given as many bytes as it may.
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
    fn an_input_gives_as_many_bytes_as_it_may() {
        for (length, fits) in [(10, true), (11, false)] {
            let bytes = vec![7; length];
            let (mut limited, exceeded) = MemoryLimit(10).of_input(&*bytes);
            let read = limited.read_to_end(&mut Vec::new());
            assert_eq!((read.is_ok(), exceeded.get()), (fits, !fits));
        }
    }

    #[test]
    fn a_machine_says_what_it_has() {
        assert!(available().is_none_or(|bytes| bytes > 1 << 20));
        let path = Path::new("trace");
        assert!(MemoryLimit::of(Some(5)).check(path, 5).is_ok());
        let refused = MemoryLimit::of(Some(5)).check(path, 6).unwrap_err();
        let refused = refused.sentence();
        assert!(refused.contains("--memory-limit"), "{refused}");
    }
}
