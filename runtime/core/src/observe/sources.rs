//! The text of the source files that a profile names, so that their lines can be read on any
//! machine.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use weft_trace::id::NameId;
use weft_trace::record;

use super::Recorder;
use crate::site::{self, Site};

/// Maximum text of one file that is kept, in bytes. The rest is cut.
const OF_FILE: usize = 1 << 20;
/// Maximum text of all files in a profile, in bytes.
const OF_PROFILE: usize = 16 << 20;
/// Maximum text in one record, in bytes.
const PART: usize = 32 << 10;

/// The files seen so far, and the size of their texts.
pub(crate) struct Sources {
    seen: HashSet<NameId>,
    bytes: usize,
    began: SystemTime,
}

impl Sources {
    /// Creates an empty state for a program that begins now.
    pub(crate) fn new() -> Sources {
        Sources {
            seen: HashSet::new(),
            bytes: 0,
            began: SystemTime::now(),
        }
    }

    /// Records the text of a file the first time that a position in it is recorded. Skips files
    /// that cannot be read or are not text.
    pub(crate) fn keep(&mut self, recorder: &Recorder, id: NameId, site: Site) {
        if !self.seen.insert(id) {
            return;
        }
        let most = OF_FILE.min(OF_PROFILE - self.bytes);
        let Some(source) = Source::read(site.file(), most) else {
            return;
        };
        let read = match site.is_interpreted() {
            true => Some(self.began),
            false => built(),
        };
        let newer = source
            .changed
            .zip(read)
            .is_some_and(|(changed, read)| changed > read);
        self.bytes += source.text.len();
        let mut rest = source.text.as_str();
        for part in 0.. {
            let end = floor(rest, PART);
            recorder.write(&record::SourceText {
                file: id,
                part,
                bytes: source.bytes,
                newer,
                text: &rest[..end],
            });
            rest = &rest[end..];
            if rest.is_empty() {
                break;
            }
        }
    }
}

struct Source {
    text: String,
    /// Size of the whole file.
    bytes: u64,
    /// Time of the file's last change.
    changed: Option<SystemTime>,
}

impl Source {
    /// Reads at most `most` bytes of a text that the program provided, or of a file.
    fn read(file: &str, most: usize) -> Option<Source> {
        if let Some(given) = site::provided_text(file) {
            return Some(Source {
                text: given[..floor(&given, most)].to_owned(),
                bytes: given.len() as u64,
                changed: None,
            });
        }
        let path = find_file(Path::new(file))?;
        let about = fs::metadata(&path).ok()?;
        let mut bytes = Vec::new();
        let opened = File::open(&path).ok()?;
        opened.take(most as u64).read_to_end(&mut bytes).ok()?;
        if bytes.contains(&0) {
            return None;
        }
        let whole = bytes.len() as u64 == about.len();
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if !whole {
            // The cut may be inside a character.
            text.truncate(floor(text.trim_end_matches('\u{fffd}'), most));
        }
        text.truncate(floor(&text, most));
        Some(Source {
            text,
            bytes: about.len(),
            changed: about.modified().ok(),
        })
    }
}

/// Returns the last character boundary at or before `most`.
pub(crate) fn floor(text: &str, most: usize) -> usize {
    (0..=text.len().min(most))
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0)
}

/// Finds a regular file of this path: in the current folder, or in a folder above the program.
/// Compilers name files relative to the root of the compiled project.
fn find_file(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    if path.is_absolute() {
        return None;
    }
    let program = std::env::current_exe().ok()?;
    let above = program.ancestors().skip(1).take(6);
    above
        .map(|folder| folder.join(path))
        .find(|path| path.is_file())
}

/// Returns the time when the program was built.
fn built() -> Option<SystemTime> {
    let program = std::env::current_exe().and_then(fs::metadata);
    program.and_then(|program| program.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncates_texts_at_character_boundaries() {
        assert_eq!(floor("aä", 2), 1);
        assert_eq!(floor("aä", 3), 3);
        assert_eq!(floor("", 3), 0);
    }

    #[test]
    fn reads_source_files_up_to_the_limit() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("program.py");
        fs::write(&path, "x = 'ä'\n")?;
        let name = path.to_string_lossy();
        let whole = Source::read(&name, 100).unwrap();
        assert_eq!((whole.text.as_str(), whole.bytes), ("x = 'ä'\n", 9));
        assert_eq!(Source::read(&name, 6).unwrap().text, "x = '");
        fs::write(&path, [1, 0, 2])?;
        assert!(Source::read(&name, 100).is_none());
        assert!(Source::read("<string>", 100).is_none());
        Ok(())
    }

    #[test]
    fn keeps_provided_source_texts() {
        site::provide_text("<cell 1>", "a = 1");
        assert_eq!(Source::read("<cell 1>", 100).unwrap().text, "a = 1");
        assert_eq!(Source::read("<cell 1>", 3).unwrap().bytes, 5);
    }
}
