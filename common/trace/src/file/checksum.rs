//! Checksums: CRC-32C (Castagnoli; RFC 3720, appendix B.4), for which CPUs have an instruction.
//!
//! A checksum word is 0 until the bytes that it covers are complete. Then its high half is a mark
//! and its low half the checksum, so that a sum of 0 differs from no checksum.

#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "half of it is used only by writers")
)]

/// The high half of a word with a checksum.
const SEALED: u64 = u32::from_le_bytes(*b"SEAL") as u64;

/// The word of a block that is complete, but has no checksum yet.
pub(crate) const FULL: u64 = (u32::from_le_bytes(*b"FULL") as u64) << 32;

/// The word of a block that never got a checksum, since a thread was writing a record when the file
/// was finished.
pub(crate) const LEFT: u64 = (u32::from_le_bytes(*b"LEFT") as u64) << 32;

/// The result of verifying a checksum word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seal {
    /// No checksum.
    Missing,
    /// The bytes match the checksum.
    Sound,
    /// The bytes or the word are damaged.
    Broken,
}

/// Returns the checksum word for a checksum.
pub(crate) fn sealed(sum: u32) -> u64 {
    SEALED << 32 | u64::from(sum)
}

/// Verifies a checksum word against the checksum of the bytes that it covers.
pub(crate) fn check(word: u64, sum: impl FnOnce() -> u32) -> Seal {
    match word {
        0 | FULL | LEFT => Seal::Missing,
        _ if word == sealed(sum()) => Seal::Sound,
        _ => Seal::Broken,
    }
}

/// Returns the checksum of a block: the words of its head, and its committed frames.
pub(crate) fn of_block(id: u64, index: u64, commit: u64, frames: &[u8]) -> u32 {
    crc32c::crc32c_append(of_words(0, [id, index, commit]), frames)
}

/// Returns the checksum of a lane's counters that do not change after the file is finished: records
/// committed, and dropped for each reason except `finished`.
pub(crate) fn of_lane(lane: u32, counters: [u64; 5]) -> u32 {
    of_words(of_words(0, [u64::from(lane)]), counters)
}

/// Returns the checksum of the head, up to its checksum word, and of the text.
pub(crate) fn of_head(head: &[u8], text: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(head), text)
}

/// Returns the checksum of the live words and of the dropped records by kind.
pub(crate) fn of_end(live: [u64; 3], dropped: impl IntoIterator<Item = u64>) -> u32 {
    of_words(of_words(0, live), dropped)
}

fn of_words(sum: u32, words: impl IntoIterator<Item = u64>) -> u32 {
    words.into_iter().fold(sum, |sum, word| {
        crc32c::crc32c_append(sum, &word.to_le_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_match_rfc_3720() {
        // RFC 3720, appendix B.4.
        assert_eq!(of_head(&[0; 16], &[0; 16]), 0x8a91_36aa);
        assert_eq!(of_head(&[0xff; 32], &[]), 0x62a8_ab43);
        let ascending: Vec<u8> = (0..32).collect();
        assert_eq!(of_head(&ascending[..5], &ascending[5..]), 0x46dd_794e);
        assert_eq!(of_block(0, 0, 0, &[0; 8]), 0x8a91_36aa);
    }

    #[test]
    fn seal_detects_any_single_bit_flip() {
        let frames = *b"some records";
        let sum = || of_block(1, 2, 3, &frames);
        let word = sealed(sum());
        assert_eq!(check(word, sum), Seal::Sound);
        for bit in 0..64 {
            assert_eq!(check(word ^ 1 << bit, sum), Seal::Broken, "bit {bit}");
        }
        for unsealed in [0, FULL, LEFT] {
            assert_eq!(check(unsealed, sum), Seal::Missing);
        }
    }

    #[test]
    fn lane_checksum_depends_on_counter_order() {
        assert_ne!(of_lane(1, [1, 2, 0, 0, 0]), of_lane(1, [2, 1, 0, 0, 0]));
        assert_ne!(of_lane(1, [1, 2, 0, 0, 0]), of_lane(2, [1, 2, 0, 0, 0]));
    }
}
