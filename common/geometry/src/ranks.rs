//! The number of this rank, and the number of ranks.

/// This rank and the number of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranks {
    /// The number of this rank.
    pub rank: u16,
    /// The number of ranks, at least 1.
    pub size: u16,
}

impl Default for Ranks {
    fn default() -> Ranks {
        Ranks { rank: 0, size: 1 }
    }
}

impl Ranks {
    /// Whether there are other ranks.
    #[inline]
    pub fn are_many(self) -> bool {
        self.size > 1
    }
}
