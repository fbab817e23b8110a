//! The counter-based generator Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as
//! 1, 2, 3" (2011).

/// The multipliers of a round.
const MULTIPLY: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];

/// The increment of the key in each round.
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// The number of rounds.
const ROUNDS: usize = 10;

/// Returns the four random words of each of `P` counters. Word `w` of counter `p` is at `[w][p]`,
/// in the argument and the result.
#[inline(always)]
pub fn philox<const P: usize>(mut counters: [[u32; P]; 4], mut key: [u32; 2]) -> [[u32; P]; 4] {
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
