//! Options for reading inputs.

use weft_model::Progress;

/// Options for reading inputs.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Accept inputs of several runs, each with its own UIDs.
    pub mix_runs: bool,
    /// The parts that the output needs.
    pub keep: RequiredParts,
    /// The maximum memory for an input, in bytes. By default, the
    /// [available](weft_model::available) memory.
    pub memory_limit: Option<u64>,
    /// The receiver of progress events.
    pub progress: Progress,
}

/// The parts of the inputs to keep. A reader may skip others to save time and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequiredParts {
    /// All parts.
    #[default]
    Everything,
    /// The parts that `weft_analysis::stats` sums: no dependences, tiles, waits or runtime calls.
    Costs,
    /// Ranges, API calls and the times of kernels, as needed by `weft_analysis::stats::By::Range`.
    Ranges,
}
