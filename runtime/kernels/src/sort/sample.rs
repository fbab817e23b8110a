//! Places of a line for a sample of it.

/// Places of a line in an irregular order, since elements often have a period.
pub(super) struct Places {
    count: usize,
    state: u64,
}

impl Places {
    /// Returns places of a line with this number of elements, which is not 0.
    pub(super) fn new(count: usize) -> Places {
        let state = count as u64;
        Places { count, state }
    }

    /// Returns the next place. The same may come again.
    #[inline(always)]
    pub(super) fn draw(&mut self) -> usize {
        // A linear congruence (Knuth: MMIX), whose upper bits have a long period.
        const FACTOR: u64 = 6_364_136_223_846_793_005;
        const TERM: u64 = 1_442_695_040_888_963_407;
        self.state = self.state.wrapping_mul(FACTOR).wrapping_add(TERM);
        ((u128::from(self.state) * self.count as u128) >> u64::BITS) as usize
    }
}
