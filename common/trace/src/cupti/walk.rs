//! Iteration over a buffer by measured lengths.

use super::activity::{Activity, Unread};
use super::layout::Number;
use super::lengths::Lengths;

/// The records of one buffer, in order.
///
/// The iteration ends with an error at a record of an unknown kind, since the start of the next one
/// is unknown, or at a truncated record. [`rest`](Self::rest) returns the bytes from there on.
#[derive(Clone, Debug)]
pub struct Buffer<'a> {
    bytes: &'a [u8],
    lengths: Lengths,
    has_ended: bool,
}

impl<'a> Buffer<'a> {
    /// Creates an iterator over the valid bytes of a buffer, written by a library with these
    /// lengths.
    pub fn new(bytes: &'a [u8], lengths: Lengths) -> Self {
        Buffer {
            bytes,
            lengths,
            has_ended: false,
        }
    }

    /// Returns the bytes that were not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    fn step(&mut self) -> Result<&'a [u8], Unread> {
        let length = self.bytes.len();
        let kind = u32::at(self.bytes, 0).ok_or(Unread::Short { kind: 0, length })?;
        let step = self.lengths.of(kind).ok_or(Unread::Unknown(kind))?;
        let split = self.bytes.split_at_checked(step);
        let (record, rest) = split.ok_or(Unread::Short { kind, length })?;
        self.bytes = rest;
        Ok(record)
    }
}

impl Iterator for Buffer<'_> {
    type Item = Result<Activity, Unread>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended || self.bytes.is_empty() {
            return None;
        }
        let record = self.step();
        self.has_ended = record.is_err();
        Some(record.and_then(Activity::parse))
    }
}

#[cfg(test)]
mod tests {
    use super::super::activity::kind;
    use super::*;
    use proptest::prelude::*;

    const VERSIONS: [u32; 7] = [19, 22, 28, 130_001, 130_200, 130_300, 130_500];

    fn lengths(version: u32) -> Lengths {
        Lengths::of_version(version).unwrap()
    }

    #[test]
    fn decodes_later_fields_only_from_long_records() {
        for (version, expected) in [(19, None), (130_001, Some(1))] {
            let lengths = lengths(version);
            let mut bytes = vec![1; lengths.of(kind::CONCURRENT_KERNEL).unwrap()];
            bytes[..4].copy_from_slice(&kind::CONCURRENT_KERNEL.to_ne_bytes());
            // The following bytes belong to another record.
            bytes.extend([2; 16]);
            let mut buffer = Buffer::new(&bytes, lengths);
            let Some(Ok(Activity::Kernel(kernel))) = buffer.next() else {
                panic!("a kernel");
            };
            assert_eq!(kernel.is_device_launched, expected);
            assert_eq!(kernel.device, 0x0101_0101);
            assert_eq!(buffer.rest().len(), 16);
        }
    }

    #[test]
    fn walk_stops_after_reporting_unknown_or_truncated_record() {
        let lengths = lengths(130_001);
        let mut bytes = kind::EXTERNAL_CORRELATION.to_ne_bytes().to_vec();
        bytes.resize(24, 0);
        bytes.extend(99_u32.to_ne_bytes());
        bytes.resize(64, 0);
        let mut buffer = Buffer::new(&bytes, lengths);
        assert!(matches!(
            buffer.next(),
            Some(Ok(Activity::ExternalCorrelation(_)))
        ));
        assert_eq!(buffer.next(), Some(Err(Unread::Unknown(99))));
        assert_eq!((buffer.next(), buffer.rest().len()), (None, 40));

        let short = Unread::Short {
            kind: kind::EXTERNAL_CORRELATION,
            length: 20,
        };
        let cut: Vec<_> = Buffer::new(&bytes[..20], lengths).collect();
        assert_eq!(cut, [Err(short)]);
    }

    proptest! {
        #[test]
        fn walk_of_arbitrary_bytes_terminates(
            version in prop::sample::select(&VERSIONS[..]),
            kinds in prop::collection::vec(0_u32..60, 0..40),
            noise in prop::collection::vec(any::<u8>(), 0..4096),
        ) {
            let lengths = lengths(version);
            // Records of known and unknown kinds with random bytes, followed by random bytes.
            let mut bytes = Vec::new();
            let mut known = 0;
            let mut is_known = true;
            for kind in kinds {
                let start = bytes.len();
                bytes.extend(kind.to_ne_bytes());
                let length = lengths.of(kind);
                is_known &= length.is_some();
                known += usize::from(is_known);
                let filling = noise.iter().copied().chain(std::iter::repeat(7));
                bytes.extend(filling.take(length.unwrap_or(40) - 4));
                prop_assert!(bytes.len() > start);
            }
            bytes.extend(&noise);
            let mut buffer = Buffer::new(&bytes, lengths);
            let all: Vec<_> = buffer.by_ref().collect();
            prop_assert!(all.len() <= bytes.len() / 24 + 1);
            prop_assert!(all.iter().filter(|one| one.is_ok()).count() >= known);
            prop_assert!(all.iter().rev().skip(1).all(Result::is_ok));
            prop_assert_eq!(buffer.next(), None);
            // A single record of any length.
            let one = Activity::parse(&noise);
            prop_assert!(one.is_err() || noise.len() >= 24);
        }
    }
}
