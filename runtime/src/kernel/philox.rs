//! The counter-based generator Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).

/// The multipliers of a round.
const MULTIPLY: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];

/// What the key grows by from round to round.
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// The number of rounds.
const ROUNDS: usize = 10;

/// The four random words that belong to a counter.
#[inline(always)]
pub(super) fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..ROUNDS {
        let product = |word: u32, by: u32| u64::from(word) * u64::from(by);
        let (a, b) = (
            product(counter[0], MULTIPLY[0]),
            product(counter[2], MULTIPLY[1]),
        );
        counter = [
            (b >> 32) as u32 ^ counter[1] ^ key[0],
            b as u32,
            (a >> 32) as u32 ^ counter[3] ^ key[1],
            a as u32,
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published vectors, from `kat_vectors` of Random123.
    #[test]
    fn known_answers() {
        assert_eq!(
            philox([0; 4], [0; 2]),
            [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]
        );
        assert_eq!(
            philox([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]
        );
        assert_eq!(
            philox(
                [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
                [0xa4093822, 0x299f31d0]
            ),
            [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]
        );
    }
}
