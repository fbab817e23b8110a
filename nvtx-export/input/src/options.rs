//! How inputs are read.

use weft_model::Progress;

/// How inputs are read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Accept inputs of several runs, each with its own UIDs.
    pub mix_runs: bool,
    /// The parts that the output needs.
    pub keep: Keep,
    /// Maximum memory for an input, in bytes; by default what is [available](weft_model::available).
    pub memory_limit: Option<u64>,
    /// Receiver of progress events.
    pub progress: Progress,
}

/// The parts of the inputs to keep. A reader may skip the rest to save time and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// All of it.
    #[default]
    Everything,
    /// The parts that `weft_analysis::stats` sums: no dependences, tiles, waits or runtime calls.
    Costs,
    /// Ranges, API calls and the times of kernels: what `weft_analysis::stats::By::Range` needs.
    Ranges,
}
