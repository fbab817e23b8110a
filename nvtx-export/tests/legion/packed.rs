//! Compressed files.

use super::*;
use weft_model::Recording;

#[test]
fn unpacks_gzip_and_zstd_by_content() {
    let raw = small().bytes();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&raw).unwrap();
    let gzip = gzip.finish().unwrap();
    let packed = zstd(&raw);
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("a.txt", &raw), ("b.dat", &gzip), ("c", &packed)] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let recording = join(&[path], RequiredParts::Everything);
        assert_eq!(
            (recording.work.tasks.len(), recording.is_partial()),
            (20, false),
            "{name}"
        );
    }
    // With half of the compressed bytes, everything that can be decompressed is read.
    for (name, bytes) in [("b.dat", &gzip), ("c", &packed)] {
        let (recording, summary) = bytes_of_packed(&bytes[..bytes.len() - 20]);
        let damage = summary.map(|summary| summary.damage.unwrap());
        assert!(damage.is_none_or(|damage| damage.bytes > 0), "{name}");
        assert!(
            recording.is_none_or(|recording| recording.is_partial()),
            "{name}"
        );
    }
    let path = folder.path().join("other.gz");
    let mut other = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    other.write_all(b"hello").unwrap();
    std::fs::write(&path, other.finish().unwrap()).unwrap();
    let error = read(&[path], &ReadOptions::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("gzip, but its content is not a Legion Prof file"),
        "{error}"
    );
}

/// A compressed file may be thousands of times larger when it is decompressed.
#[test]
fn packed_file_respects_the_memory_limit() {
    let raw = small().bytes();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packed");
    std::fs::write(&path, zstd(&raw)).unwrap();
    for (limit, fits) in [(raw.len(), true), (raw.len() - 1, false)] {
        let options = ReadOptions {
            memory_limit: Some(limit as u64),
            ..ReadOptions::default()
        };
        let found = read(std::slice::from_ref(&path), &options);
        let is_refused = matches!(found, Err(ExportError::Memory { .. }));
        assert_eq!((found.is_ok(), is_refused), (fits, !fits));
    }
}

fn bytes_of_packed(bytes: &[u8]) -> (Option<Recording>, Option<Summary>) {
    match read_from(bytes, &ReadOptions::default()) {
        Ok((recording, summary)) => (Some(recording), Some(summary)),
        Err(ExportError::LegionProf { .. }) => (None, None),
        Err(error) => panic!("{error}"),
    }
}
