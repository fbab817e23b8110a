//! Programs that run on many ranks.
//!
//! Every rank runs the same program and analyses the same operations. An operation's tiles are shared out among the ranks, each
//! of which runs its own; what is too small to be cut, every rank does for itself. [`Spread`] knows of each store where its
//! elements are up to date, so that every rank finds by itself, and without asking, which messages an operation needs
//! ([`exchange`]): those that send and those that receive agree.

mod exchange;
mod spread;

pub(crate) use exchange::{Transfer, exchange};
pub(crate) use spread::{Block, Spread};

/// Which rank this is, and of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ranks {
    /// Its number.
    pub(crate) rank: u16,
    /// How many there are; at least 1.
    pub(crate) size: u16,
}

impl Default for Ranks {
    fn default() -> Ranks {
        Ranks { rank: 0, size: 1 }
    }
}

impl Ranks {
    /// Whether there are others.
    pub(crate) fn are_many(self) -> bool {
        self.size > 1
    }
}
