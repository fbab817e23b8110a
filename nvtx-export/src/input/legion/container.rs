//! What a file is wrapped in: nothing, gzip (as Legion writes it where it was built with zlib) or zstd.

use crate::Progress;
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufReader, Read};

/// The first bytes of gzip data (RFC 1952, section 2.3.1).
pub(crate) const GZIP: &[u8] = &[0x1f, 0x8b];

/// The first bytes of a zstd frame (RFC 8878, section 3.1.1).
pub(crate) const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Largest window of a zstd frame, as a power of two: the decoder holds that much memory.
const ZSTD_WINDOW: u32 = 27;

/// Bytes read at once from under a decoder.
const CHUNK: usize = 1 << 16;

/// The content of `input`, unwrapped where it begins as gzip or zstd.
///
/// # Errors
/// The first bytes cannot be read.
pub(crate) fn unwrap<'a>(mut input: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let mut head = Vec::with_capacity(ZSTD.len());
    input
        .by_ref()
        .take(ZSTD.len() as u64)
        .read_to_end(&mut head)?;
    let (gzip, zstd) = (head.starts_with(GZIP), head.starts_with(ZSTD));
    let whole = io::Cursor::new(head).chain(input);
    Ok(if gzip {
        Box::new(MultiGzDecoder::new(BufReader::with_capacity(CHUNK, whole)))
    } else if zstd {
        let mut decoder = zstd::Decoder::with_buffer(BufReader::with_capacity(CHUNK, whole))?;
        decoder.window_log_max(ZSTD_WINDOW)?;
        Box::new(decoder)
    } else {
        Box::new(whole)
    })
}

/// Whether an error of a reader means that its data are damaged, and not that the system cannot read them.
pub(super) fn is_damage(error: &io::Error) -> bool {
    error.raw_os_error().is_none()
}

/// Tells how many bytes were read.
pub(super) struct Watched<'p, R> {
    input: R,
    progress: &'p Progress,
}

impl<'p, R: Read> Watched<'p, R> {
    pub(super) fn new(input: R, progress: &'p Progress) -> Self {
        Watched { input, progress }
    }
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        self.progress.advance(read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn content(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        unwrap(bytes).unwrap().read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn gzip_and_zstd_are_unwrapped_and_the_rest_is_left_alone() {
        let text = b"FileType: something".repeat(1000);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).unwrap();
        assert_eq!(content(&gzip.finish().unwrap()), text);
        assert_eq!(content(&zstd::encode_all(&*text, 1).unwrap()), text);
        assert_eq!(content(&text), text);
        assert_eq!(content(b"F"), b"F");
        assert_eq!(content(b""), b"");
    }
}
