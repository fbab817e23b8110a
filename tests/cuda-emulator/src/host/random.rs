//! The single source of randomness.

use std::env;
use std::sync::OnceLock;
use std::time::SystemTime;

/// Returns the seed of all random numbers in this process: `$WEFT_EMULATED_SEED`, or a different
/// one in each process.
pub fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| {
        let given = env::var("WEFT_EMULATED_SEED").ok();
        given.and_then(|text| text.parse().ok()).unwrap_or_else(|| {
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            let nanos = since.map_or(0, |since| since.as_nanos() as u64);
            Random::new(nanos ^ u64::from(std::process::id()) << 40).next() % 1_000_000_000
        })
    })
}

/// Random numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates the numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns any number.
    #[allow(clippy::should_implement_trait, reason = "it never returns")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % (end as u64).max(1)) as usize
    }

    /// Returns true once in `of` times.
    pub fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}
