//! What an input is, told by its content.

use super::legion::{self, container};
use crate::error::ExportError;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek};
use std::path::Path;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A `.prof` file of Weft.
    WeftProf,
    /// A Legion Prof file, as it is or packed with gzip or zstd.
    LegionProf,
    /// An SQLite database: an export of Nsight Systems, or a joined one of Weft.
    Sqlite,
    /// A report of Nsight Systems.
    NsysReport,
}

impl Format {
    /// What a file of it is called in messages.
    const fn name(self) -> &'static str {
        match self {
            Format::WeftProf => "a Weft profile",
            Format::LegionProf => "a Legion Prof file",
            Format::Sqlite => "an SQLite database",
            Format::NsysReport => "an nsys report",
        }
    }
}

/// The first bytes of every SQLite database.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// The first bytes of every report of Nsight Systems.
const REPORT_MAGIC: &[u8] = b"NVIDIA Tegra Profiler Report";

/// The format of `path`.
///
/// # Errors
/// The file cannot be read, or is of no known format.
pub fn detect(path: &Path) -> Result<Format, ExportError> {
    let read = |error| ExportError::Read {
        path: path.to_owned(),
        error,
    };
    // Asked of the name: to open a pipe could wait for its writer.
    let kind = std::fs::metadata(path).map_err(|error| match path.to_str() {
        Some("-") => ExportError::NoFile {
            path: path.to_owned(),
        },
        _ => read(error),
    })?;
    if kind.is_dir() {
        return Err(read(ErrorKind::IsADirectory.into()));
    }
    if !kind.is_file() {
        return Err(ExportError::NoFile {
            path: path.to_owned(),
        });
    }
    let mut head = Vec::with_capacity(64);
    let mut file = File::open(path).map_err(read)?;
    (&mut file).take(64).read_to_end(&mut head).map_err(read)?;
    let mut packed = None;
    if head.starts_with(container::GZIP) || head.starts_with(container::ZSTD) {
        // A file that cannot be decompressed is not a trace.
        file.rewind().map_err(read)?;
        let content = container::unwrap(file).map_err(read)?;
        let mut inner = Vec::with_capacity(64);
        let unpacked = content.take(64).read_to_end(&mut inner).is_ok();
        if unpacked && of(&inner) == Some(Format::LegionProf) {
            return Ok(Format::LegionProf);
        }
        packed = of(&inner).filter(|_| unpacked);
    }
    if let Some(inner) = packed {
        let gzip = head.starts_with(container::GZIP);
        return Err(ExportError::Compressed {
            path: path.to_owned(),
            content: inner.name(),
            tool: if gzip { "gzip -dk" } else { "zstd -d" },
        });
    }
    of(&head).ok_or_else(|| ExportError::UnknownFormat {
        path: path.to_owned(),
        found: describe(&head),
    })
}

/// The format of a file that begins with `head` (64 bytes, or all of a shorter file).
pub fn of(head: &[u8]) -> Option<Format> {
    if weft_trace::file::is_prof(head) {
        Some(Format::WeftProf)
    } else if head.starts_with(legion::MAGIC) {
        Some(Format::LegionProf)
    } else if head.starts_with(SQLITE_MAGIC) {
        Some(Format::Sqlite)
    } else if head.starts_with(REPORT_MAGIC) {
        Some(Format::NsysReport)
    } else {
        None
    }
}

/// What the first bytes look like, for an error.
fn describe(head: &[u8]) -> String {
    if head.is_empty() {
        return "it is empty".to_owned();
    }
    if head.starts_with(container::GZIP) {
        return "it is gzip, but its content is not a Legion Prof file".to_owned();
    }
    if head.starts_with(container::ZSTD) {
        return "it is zstd, but its content is not a Legion Prof file".to_owned();
    }
    let text: String = head
        .iter()
        .take(16)
        .flat_map(|byte| byte.escape_ascii())
        .map(char::from)
        .collect();
    format!("it begins with \"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_told_by_its_first_bytes() {
        assert_eq!(of(b"SQLite format 3\0 and more"), Some(Format::Sqlite));
        let report = of(b"NVIDIA Tegra Profiler Report 1.\n");
        assert_eq!(report, Some(Format::NsysReport));
        assert_eq!(of(b"SQLite format 2\0"), None);
        assert_eq!(of(b""), None);
    }

    #[test]
    fn an_unknown_file_is_described() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"hello\x01").unwrap();
        let error = detect(file.path()).unwrap_err().to_string();
        assert!(error.contains("it begins with \"hello\\x01\""), "{error}");
    }

    #[test]
    fn a_compressed_trace_that_is_read_only_as_it_is_says_how_to_unpack_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut gzip, b"SQLite format 3\0 and more").unwrap();
        std::fs::write(file.path(), gzip.finish().unwrap()).unwrap();
        let error = detect(file.path()).unwrap_err().sentence();
        assert!(
            error.contains("is an SQLite database in gzip") && error.contains("`gzip -dk "),
            "{error}"
        );
    }
}
