//! The counter-based generator Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).

/// The multipliers of a round.
const MULTIPLY: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];

/// What the key grows by from round to round.
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// The number of rounds.
const ROUNDS: usize = 10;

/// The four random words that belong to each of `P` counters: word `w` of counter `p` is at `[w][p]`, before and after.
#[inline(always)]
pub(super) fn philox<const P: usize>(
    mut counters: [[u32; P]; 4],
    mut key: [u32; 2],
) -> [[u32; P]; 4] {
    for _ in 0..ROUNDS {
        #[allow(clippy::needless_range_loop, reason = "four arrays are indexed")]
        for p in 0..P {
            let a = u64::from(counters[0][p]) * u64::from(MULTIPLY[0]);
            let b = u64::from(counters[2][p]) * u64::from(MULTIPLY[1]);
            counters[0][p] = (b >> 32) as u32 ^ counters[1][p] ^ key[0];
            counters[1][p] = b as u32;
            counters[2][p] = (a >> 32) as u32 ^ counters[3][p] ^ key[1];
            counters[3][p] = a as u32;
        }
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_do_not_mix() {
        let counters = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]];
        let together = philox(counters, [13, 14]);
        for p in 0..3 {
            let alone = philox(counters.map(|words| [words[p]]), [13, 14]);
            assert_eq!(together.map(|words| [words[p]]), alone);
        }
    }

    /// The published vectors, from `kat_vectors` of Random123.
    #[test]
    fn known_answers() {
        let philox = |counter: [u32; 4], key| {
            philox(counter.map(|word| [word]), key)
                .as_flattened()
                .to_vec()
        };
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
