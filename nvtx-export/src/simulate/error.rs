//! Why a program cannot be simulated.

/// An error: what, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// There are profiles of several ranks, or none.
    #[error(
        "a prediction needs one profile of Weft, the weft_0.prof of a run with one rank, but the inputs hold {}",
        match sources { 0 => "none".to_owned(), several => several.to_string() }
    )]
    NotOneRank {
        /// How many.
        sources: usize,
    },
    /// What operations work on is not recorded.
    #[error(
        "{operations} of {all} operations have no recorded operands; record the run again with `weft run --profile --profile-operands`"
    )]
    NoOperands {
        /// Operations without a record.
        operations: usize,
        /// All operations of the program.
        all: usize,
    },
    /// The run had GPUs.
    #[error(
        "the run used GPUs, which the simulation does not support; record it again with --gpus 0"
    )]
    Gpus,
    /// An operation cannot be made larger.
    #[error("{line}: `{name}` cannot be scaled up, because {reason}; use --scaling strong")]
    NotStretched {
        /// File and line of the call.
        line: String,
        /// The operation.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// There are messages that tell no network's speed.
    #[error(
        "the profiles hold no message recorded by both its ranks; give profiles of a run with several ranks, or --latency and --bandwidth"
    )]
    NoMessages,
}
