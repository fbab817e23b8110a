//! Messages in parts: MPI counts elements in a C `int`.

use std::ffi::OsStr;
use std::ops::Range;

use weft_config::ConfigError;
use weft_config::error::ErrorKind;

/// Environment variable that lowers the number of bytes that one MPI call moves: for MPI libraries
/// that fail below the usual limit, and for tests.
pub(crate) const PART_BYTES: &str = "WEFT_MPI_PART_BYTES";

/// Unit of all parts but the last, in bytes: messages are counted in such words.
const WORD: usize = size_of::<u64>();

/// Maximum number of bytes that one MPI call moves; the same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartSize(usize);

impl PartSize {
    /// Half of the bytes that an `int` can count: some MPI libraries fail above this.
    pub(crate) const MOST: PartSize = PartSize(1 << 30);

    /// Rounds `bytes` down to words; at least one word, at most [`MOST`](Self::MOST).
    pub(crate) fn new(bytes: usize) -> PartSize {
        let bytes = bytes.min(PartSize::MOST.0);
        PartSize((bytes / WORD * WORD).max(WORD))
    }

    /// Parses the value of [`PART_BYTES`]: a number of bytes.
    ///
    /// # Errors
    /// Returns an error if the text is not a number, or out of range.
    pub(crate) fn parse(text: &OsStr) -> Result<PartSize, ConfigError> {
        let bytes = text.to_str().and_then(|text| text.trim().parse().ok());
        let allowed = WORD..=PartSize::MOST.0;
        let refused = |why: &str| ConfigError {
            kind: ErrorKind::BadValue,
            flag: PART_BYTES.into(),
            value: Some(text.to_string_lossy().into_owned()),
            why: why.into(),
            remedy: format!(
                "give the maximum size of a message part, from {} to {} bytes, or unset it",
                allowed.start(),
                allowed.end()
            ),
        };
        match bytes {
            Some(bytes) if allowed.contains(&bytes) => Ok(PartSize::new(bytes)),
            Some(_) => Err(refused("it is out of range")),
            None => Err(refused("it is not a whole number")),
        }
    }

    /// Returns the number of bytes.
    pub(crate) fn bytes(self) -> usize {
        self.0
    }

    /// Iterates over the parts of a message of `bytes` bytes, in the order in which both sides post
    /// them. There is always one: an empty message carries information too.
    pub(crate) fn parts(self, bytes: usize) -> impl Iterator<Item = Range<usize>> {
        (0..bytes.div_ceil(self.0).max(1)).map(move |part| {
            let start = part * self.0;
            start..bytes.min(start + self.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_message_in_order() {
        for limit in [8, 16, 64, 4096] {
            let size = PartSize::new(limit);
            for bytes in (0..200).chain([4095, 4096, 4097, 8192, 10_001]) {
                let parts: Vec<_> = size.parts(bytes).collect();
                assert_eq!(parts.len(), bytes.div_ceil(limit).max(1));
                let mut end = 0;
                for part in &parts {
                    assert_eq!(part.start, end);
                    assert!(part.len() <= limit);
                    end = part.end;
                }
                assert_eq!(end, bytes);
            }
        }
    }

    /// A receiver with room for whole words posts as many parts as a sender of only the bytes.
    #[test]
    fn sender_and_receiver_split_into_equal_part_counts() {
        for limit in [8, 24, 64] {
            let size = PartSize::new(limit);
            for bytes in 0..500_usize {
                let words = bytes.div_ceil(WORD) * WORD;
                assert_eq!(size.parts(bytes).count(), size.parts(words).count());
            }
        }
    }

    #[test]
    fn parts_fit_mpi_counts() {
        let whole = 5 << 30;
        let parts: Vec<_> = PartSize::MOST.parts(whole).collect();
        assert_eq!(parts.len(), 5);
        let counted = parts.iter().all(|part| i32::try_from(part.len()).is_ok());
        assert!(counted, "{parts:?}");
        assert_eq!(PartSize::new(usize::MAX), PartSize::MOST);
    }

    #[test]
    fn part_size_limit_can_be_lowered() {
        let bytes = |text: &str| PartSize::parse(OsStr::new(text)).unwrap().bytes();
        assert_eq!(bytes("100"), 96);
        assert_eq!(bytes(" 8 "), WORD);
        assert_eq!(bytes("1073741824"), PartSize::MOST.bytes());
    }

    #[test]
    fn part_size_errors_name_the_variable() {
        for (text, said) in [
            ("4k", "4k: it is not a whole number"),
            ("", "'': it is not a whole number"),
            ("-8", "-8: it is not a whole number"),
            ("0", "0: it is out of range"),
            ("2000000000", "2000000000: it is out of range"),
        ] {
            let error = PartSize::parse(OsStr::new(text)).unwrap_err().to_string();
            let remedy =
                "give the maximum size of a message part, from 8 to 1073741824 bytes, or unset it";
            assert_eq!(error, format!("WEFT_MPI_PART_BYTES {said}; {remedy}"));
        }
    }
}
