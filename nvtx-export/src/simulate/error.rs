//! Why a program cannot be simulated.

/// An error: what, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// There are profiles of several ranks, or none.
    #[error(
        "the inputs hold {sources} profiles of Weft; give the weft_0.prof of a run of one rank"
    )]
    NotOneRank {
        /// How many.
        sources: usize,
    },
    /// What operations work on is not recorded.
    #[error(
        "{operations} of {all} operations have no record of what they work on; record the run again with `weft run --profile --profile-operands`"
    )]
    NoOperands {
        /// Operations without a record.
        operations: usize,
        /// All operations of the program.
        all: usize,
    },
    /// The run had GPUs.
    #[error("the run had GPUs, which ranks do not use; record it again with --gpus 0")]
    Gpus,
    /// An operation cannot be made larger.
    #[error("{line}: `{name}` cannot be stretched, because {reason}; use --scaling strong")]
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
        "the profiles hold no messages between ranks that were recorded on both sides; give profiles of a run of several ranks, or --latency and --bandwidth"
    )]
    NoMessages,
}
