//! The folder `weft-run-<n>` of a run that would otherwise replace files.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

const NAME: &str = "weft-run-";

/// Returns the folder with this number below `logdir`.
pub fn numbered(logdir: &Path, number: u32) -> PathBuf {
    logdir.join(format!("{NAME}{number}"))
}

/// Returns the numbers of the folders below `logdir`, greatest first.
pub fn numbers(logdir: &Path) -> Vec<u32> {
    let entries = fs::read_dir(logdir).into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| {
        let name = entry.file_name();
        let digits = name.to_str()?.strip_prefix(NAME)?;
        digits.parse::<u32>().ok()
    });
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers
}

/// Returns the next free number below `logdir`, starting at 1.
pub fn next_number(logdir: &Path) -> u32 {
    let last = numbers(logdir).first().copied();
    last.map_or(1, |last| last.saturating_add(1))
}

/// Creates the next folder below `logdir` exclusively, and returns its number.
///
/// # Errors
/// Returns an error if `logdir` cannot be written.
pub fn make_next(logdir: &Path) -> io::Result<u32> {
    let mut number = next_number(logdir);
    loop {
        match fs::create_dir(numbered(logdir, number)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < u32::MAX => {
                number += 1
            }
            made => return made.map(|()| number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn creates_a_separate_folder_per_run() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        assert_eq!((make_next(at).unwrap(), make_next(at).unwrap()), (1, 2));
        // The number of a removed folder is not used again while a later one exists.
        fs::remove_dir(numbered(at, 1)).unwrap();
        fs::write(at.join("weft-run-7"), "a file of the user's").unwrap();
        fs::create_dir(at.join("weft-run-x")).unwrap();
        assert_eq!(make_next(at).unwrap(), 8);
        let made: Vec<u32> = std::thread::scope(|scope| {
            let makers: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| make_next(at).unwrap()))
                .collect();
            makers
                .into_iter()
                .map(|maker| maker.join().unwrap())
                .collect()
        });
        let mut sorted = made.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), made.len(), "{made:?}");
        assert!(make_next(&at.join("missing")).is_err());
    }
}
