//! The format of an input, recognised by its content, compressed or not.

use super::legion::container;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek};
use std::path::Path;
use weft_model::{ExportError, Format};

/// Returns the format of `path`.
///
/// # Errors
/// Returns an error if the file cannot be read, or is of no known format.
pub fn detect(path: &Path) -> Result<Format, ExportError> {
    let read = |error| ExportError::Read {
        path: path.to_owned(),
        error,
    };
    // The type is queried by name, because opening a pipe could block until it has a writer.
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
        if unpacked && Format::detect(&inner) == Some(Format::LegionProf) {
            return Ok(Format::LegionProf);
        }
        packed = Format::detect(&inner).filter(|_| unpacked);
    }
    if let Some(inner) = packed {
        let gzip = head.starts_with(container::GZIP);
        return Err(ExportError::Compressed {
            path: path.to_owned(),
            content: inner.name(),
            tool: if gzip { "gzip -dk" } else { "zstd -d" },
        });
    }
    Format::detect(&head).ok_or_else(|| ExportError::UnknownFormat {
        path: path.to_owned(),
        found: describe(&head),
    })
}

/// Returns a description of the first bytes, for an error.
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
    fn describes_unknown_files() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"hello\x01").unwrap();
        let error = detect(file.path()).unwrap_err().to_string();
        assert!(error.contains("it begins with \"hello\\x01\""), "{error}");
    }

    #[test]
    fn compressed_databases_get_an_unpack_hint() {
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
