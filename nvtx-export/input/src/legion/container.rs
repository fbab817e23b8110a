//! The compression of a file: none, gzip (which Legion writes if it was built with zlib) or zstd.

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::error::Error;
use std::io::{self, BufRead, BufReader, Read};
use weft_model::Progress;

/// The first bytes of gzip data (RFC 1952, section 2.3.1).
pub(crate) const GZIP: &[u8] = &[0x1f, 0x8b];

/// The first bytes of a zstd frame (RFC 8878, section 3.1.1).
pub(crate) const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The largest window of a zstd frame in bytes. The decoder allocates this much memory.
const ZSTD_WINDOW: u64 = 1 << 27;

/// The number of compressed bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// Returns the content of `input`, decompressed if it begins like gzip or zstd.
///
/// # Errors
/// Returns an error if the first bytes cannot be read.
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
        Box::new(Frames::new(BufReader::with_capacity(CHUNK, whole)))
    } else {
        Box::new(whole)
    })
}

/// The concatenated content of zstd frames. Skippable frames have none.
struct Frames<R> {
    input: R,
    decoder: FrameDecoder,
    /// Whether the decoder is inside a frame.
    is_open: bool,
}

impl<R: BufRead> Frames<R> {
    fn new(input: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(ZSTD_WINDOW);
        Frames {
            input,
            decoder,
            is_open: false,
        }
    }

    /// Enters the next frame that has content. Returns `false` at the end of the input.
    fn open_next(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.input) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut skipped = self.input.by_ref().take(length.into());
                    if io::copy(&mut skipped, &mut io::sink())? < length.into() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io_error(error)),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.is_open {
                if !self.open_next()? {
                    return Ok(0);
                }
                self.is_open = true;
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one_block = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder
                    .decode_blocks(&mut self.input, one_block)
                    .map_err(io_error)?;
            }
            let read = self.decoder.read(into)?;
            if read > 0 {
                return Ok(read);
            }
            let stored = self.decoder.get_checksum_from_data();
            if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
                let message = "the checksum of a zstd frame differs from its content";
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            self.is_open = false;
        }
    }
}

/// Returns the system's error that stopped the decoder, or an error for damaged data.
fn io_error(error: FrameDecoderError) -> io::Error {
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(error) = cause {
        let code = error.downcast_ref::<io::Error>();
        if let Some(code) = code.and_then(io::Error::raw_os_error) {
            return io::Error::from_raw_os_error(code);
        }
        cause = error.source();
    }
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// Returns whether a reader's error indicates damaged data, as opposed to a failure of the system.
pub(super) fn is_damage(error: &io::Error) -> bool {
    error.raw_os_error().is_none()
}

/// A reader that counts the bytes read.
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
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    /// The output of `zstd --check -19` for 1,000 times "weft\n".
    const CHECKED: &[u8] =
        b"(\xb5/\xfd\x04hm\x00\x00(weft\x0a\x01\x00\x80\x83\xbeh\x01\xa2j\xad\xf7";

    fn content(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        unwrap(bytes).unwrap().read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn unpacks_gzip_and_zstd_and_passes_other_data() {
        let text = b"FileType: something".repeat(1000);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).unwrap();
        assert_eq!(content(&gzip.finish().unwrap()), text);
        let zstd = compress_to_vec(&*text, CompressionLevel::Fastest);
        assert_eq!(content(&zstd), text);
        assert_eq!(content(&text), text);
        assert_eq!(content(b"F"), b"F");
        assert_eq!(content(b""), b"");
    }

    #[test]
    fn concatenates_zstd_frames_and_ignores_skippable_ones() {
        let text = b"weft\n".repeat(1000);
        assert_eq!(content(CHECKED), text);
        let skippable = b"\x5a\x2a\x4d\x18\x03\0\0\0abc";
        let all = [CHECKED, skippable, CHECKED].concat();
        assert_eq!(content(&all), text.repeat(2));
    }

    #[test]
    fn rejects_damaged_zstd_frames() {
        let error = |bytes: &[u8]| {
            let read = unwrap(bytes).and_then(|mut input| io::copy(&mut input, &mut io::sink()));
            read.unwrap_err()
        };
        for cut in 4..CHECKED.len() {
            assert!(is_damage(&error(&CHECKED[..cut])), "{cut} bytes");
        }
        let mut flipped = CHECKED.to_vec();
        *flipped.last_mut().unwrap() ^= 1;
        assert!(error(&flipped).to_string().contains("checksum"));
        // A window of 256 MiB.
        let wide = b"\x28\xb5\x2f\xfd\x00\x90\x01\0\0";
        assert!(is_damage(&error(wide)));
    }
}
