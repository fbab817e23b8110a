//! Clocks, and what ties two of them.

use super::conversion::Conversion;
use super::fit::Fit;
use weft_model::{RunIndex, SourceIndex};

/// What ties two clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tie {
    /// They are one clock: CLOCK_MONOTONIC within one boot of one machine.
    Same,
    /// Launches that one recorded and whose ranges the other saw.
    Launches(Fit),
    /// Tasks that one recorded and whose ranges, without UIDs, the other saw.
    Names(Fit),
    /// Looks of one rank at the clock of the other.
    Looks(Fit),
    /// The wall clock. How far the wall clocks of two machines are apart is not known.
    WallClock,
}

impl Tie {
    /// Returns the word for it in the facts of a trace.
    pub const fn name(self) -> &'static str {
        match self {
            Tie::Same => "same",
            Tie::Launches(_) => "launches",
            Tie::Names(_) => "names",
            Tie::Looks(_) => "looks",
            Tie::WallClock => "wall clock",
        }
    }

    /// Returns the fit, where there is one.
    pub const fn fit(self) -> Option<Fit> {
        match self {
            Tie::Launches(fit) | Tie::Names(fit) | Tie::Looks(fit) => Some(fit),
            Tie::Same | Tie::WallClock => None,
        }
    }
}

/// A clock: that of a source, that of a rank whose profile was not read, or the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Clock {
    Source(SourceIndex),
    Rank(RunIndex, u16),
    Wall,
}

/// Two clocks and how one is converted to the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: Clock,
    pub(super) to: Clock,
    pub(super) tie: Tie,
    pub(super) conversion: Conversion,
    /// How far the conversion may be off, as far as can be told, in ns.
    pub(super) error: u64,
}
