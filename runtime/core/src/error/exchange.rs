//! Errors of exchanges between the tiles of a task.

use thiserror::Error;

/// The reason for a failed exchange.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ExchangeError {
    /// A tile has ended, or failed, while others wait for it.
    #[error(
        "tile {0} has ended, and other tiles of the task wait for it in an exchange; all tiles must make the same exchanges"
    )]
    Ended(usize),
    /// A tile of another rank has ended while others wait for it.
    #[error(
        "a tile of rank {0} has ended, and other tiles of the task wait for it in an exchange; all tiles must make the same exchanges"
    )]
    EndedElsewhere(u16),
    /// A tile of another rank has failed.
    #[error("{0}; other tiles of the task wait for it in an exchange")]
    FailedElsewhere(Remote),
    /// Tiles make different exchanges at the same time.
    #[error("tile {} makes {}, while tile {} makes {}; all tiles must make the same exchanges in the same order", .0.0, .0.1, .0.2, .0.3)]
    Differs(Box<(usize, String, usize, String)>),
    /// The number of parts differs from the number of tiles.
    #[error("all_to_all gives one part to each tile: {given} parts for {tiles} tiles")]
    Parts {
        /// Number of parts given.
        given: usize,
        /// Number of tiles.
        tiles: usize,
    },
    /// Two threads of one tile make an exchange at the same time.
    #[error("tile {0} is in an exchange already; a tile makes one after the other")]
    Busy(usize),
    /// The reduction is not defined for this dtype.
    #[error("all_reduce: {reduction} is not defined for {dtype}")]
    Undefined {
        /// Name of the reduction.
        reduction: &'static str,
        /// Name of the dtype.
        dtype: &'static str,
    },
    /// A thread of the runtime has panicked, so the other tiles may never arrive.
    #[error("the runtime has stopped during an exchange")]
    Stopped,
    /// The program has ended, for example by Ctrl-C.
    #[error("the program ended while tiles of the task exchange values")]
    Abandoned,
}

/// The failure of a tile of another rank.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("a tile of rank {rank} has failed: {why}")]
pub struct Remote {
    /// The rank.
    pub rank: u16,
    /// The text of the tile's error.
    pub why: String,
}
