//! Clocks, and ties between two clocks.

use super::conversion::Conversion;
use super::fit::Fit;
use weft_model::{RunIndex, SourceIndex};

/// A tie between two clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tie {
    /// They are one clock: CLOCK_MONOTONIC within one boot of one machine.
    Same,
    /// Launches recorded by one source whose ranges the other recorded.
    Launches(Fit),
    /// Tasks recorded by one source whose ranges, without UIDs, the other recorded.
    Names(Fit),
    /// Looks of one rank at the clock of the other.
    Looks(Fit),
    /// The wall clock. The difference between the wall clocks of two machines is unknown.
    WallClock,
}

impl Tie {
    /// Returns the word for it in the properties of a trace.
    pub const fn name(self) -> &'static str {
        match self {
            Tie::Same => "same",
            Tie::Launches(_) => "launches",
            Tie::Names(_) => "names",
            Tie::Looks(_) => "looks",
            Tie::WallClock => "wall clock",
        }
    }

    /// Returns the fit, if the tie has one.
    pub const fn fit(self) -> Option<Fit> {
        match self {
            Tie::Launches(fit) | Tie::Names(fit) | Tie::Looks(fit) => Some(fit),
            Tie::Same | Tie::WallClock => None,
        }
    }
}

/// The clock of a source, the clock of a rank whose profile was not read, or the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Clock {
    Source(SourceIndex),
    Rank(RunIndex, u16),
    Wall,
}

/// Two clocks with the conversion of one to the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: Clock,
    pub(super) to: Clock,
    pub(super) tie: Tie,
    pub(super) conversion: Conversion,
    /// An estimate of the largest error of the conversion, in ns.
    pub(super) error: u64,
}
