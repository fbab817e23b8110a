//! Recordings made with other programs.

use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// Returns a recording of the repository or of the shared data; `None`, with a message, if absent.
pub(crate) fn recording(name: &str, folder: &Path) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let places = [root.join("tests/data"), root.parent()?.join("shared/data")];
    let mut packed = places.iter().map(|place| place.join(name));
    let Some(packed) = packed.find(|path| path.exists()) else {
        let mut out = std::io::stderr();
        let _ = std::io::Write::write_all(&mut out, format!("skipped: no {name}\n").as_bytes());
        return None;
    };
    let file = BufReader::new(std::fs::File::open(packed).unwrap());
    let mut bytes = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(file).unwrap();
    decoder.read_to_end(&mut bytes).unwrap();
    let unpacked = Path::new(name).file_stem().unwrap();
    let path = folder.join(unpacked);
    std::fs::write(&path, bytes).unwrap();
    Some(path)
}
