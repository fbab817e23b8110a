//! Which rank of how many.

/// Which rank this is, and of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranks {
    /// Its number.
    pub rank: u16,
    /// How many there are; at least 1.
    pub size: u16,
}

impl Default for Ranks {
    fn default() -> Ranks {
        Ranks { rank: 0, size: 1 }
    }
}

impl Ranks {
    /// Whether there are others.
    #[inline]
    pub fn are_many(self) -> bool {
        self.size > 1
    }
}
