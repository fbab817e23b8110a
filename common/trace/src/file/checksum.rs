//! Checksums: CRC-32C (Castagnoli; RFC 3720, appendix B.4), which CPUs compute by an instruction.
//!
//! A checksum word is 0 until what it covers is complete. Then it holds a mark in the high half and the checksum in the
//! low half, so that a sum that happens to be 0 differs from none.

#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "half of it is for writers")
)]

/// The high half of a word that holds a checksum.
const SEALED: u64 = u32::from_le_bytes(*b"SEAL") as u64;

/// A block to which nothing more will be written, and whose checksum is still to come.
pub(crate) const FULL: u64 = (u32::from_le_bytes(*b"FULL") as u64) << 32;

/// What never got a checksum, since a thread was in the middle of a record when the file was finished.
pub(crate) const LEFT: u64 = (u32::from_le_bytes(*b"LEFT") as u64) << 32;

/// What a checksum word says of what it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seal {
    /// There is no checksum.
    Missing,
    /// The bytes are those that were written.
    Sound,
    /// The bytes or the word are damaged.
    Broken,
}

/// The word that holds a checksum.
pub(crate) fn sealed(sum: u32) -> u64 {
    SEALED << 32 | u64::from(sum)
}

/// Compares a word with the checksum of what it covers.
pub(crate) fn check(word: u64, sum: impl FnOnce() -> u32) -> Seal {
    match word {
        0 | FULL | LEFT => Seal::Missing,
        _ if word == sealed(sum()) => Seal::Sound,
        _ => Seal::Broken,
    }
}

/// Of a block: the words of its head, and its committed frames.
pub(crate) fn of_block(id: u64, index: u64, commit: u64, frames: &[u8]) -> u32 {
    crc32c::crc32c_append(of_words(0, [id, index, commit]), frames)
}

/// Of the counters of a lane that do not change once the file is finished: records committed, and dropped for each
/// reason but that.
pub(crate) fn of_lane(lane: u32, counters: [u64; 5]) -> u32 {
    of_words(of_words(0, [u64::from(lane)]), counters)
}

/// Of the head, up to its checksum, and of its text.
pub(crate) fn of_head(head: &[u8], text: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(head), text)
}

/// Of the live words and the dropped records by kind.
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
    fn sums_are_those_of_the_standard() {
        // RFC 3720, appendix B.4.
        assert_eq!(of_head(&[0; 16], &[0; 16]), 0x8a91_36aa);
        assert_eq!(of_head(&[0xff; 32], &[]), 0x62a8_ab43);
        let ascending: Vec<u8> = (0..32).collect();
        assert_eq!(of_head(&ascending[..5], &ascending[5..]), 0x46dd_794e);
        assert_eq!(of_block(0, 0, 0, &[0; 8]), 0x8a91_36aa);
    }

    #[test]
    fn one_wrong_bit_breaks_a_seal() {
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
    fn the_order_of_counters_matters() {
        assert_ne!(of_lane(1, [1, 2, 0, 0, 0]), of_lane(1, [2, 1, 0, 0, 0]));
        assert_ne!(of_lane(1, [1, 2, 0, 0, 0]), of_lane(2, [1, 2, 0, 0, 0]));
    }
}
