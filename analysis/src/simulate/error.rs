//! Reasons why a program cannot be simulated.

use std::path::PathBuf;

/// An error with its remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// The input holds profiles of several ranks.
    #[error(
        "the input holds {sources} recordings; give one profile of Weft, the weft_0.prof of a run with one rank"
    )]
    NotOneRank {
        /// Number of recordings.
        sources: usize,
    },
    /// The input is the profile of one of several ranks.
    #[error(
        "{} is of a run with {ranks} ranks; give the profile of a run with one rank",
        path.display()
    )]
    SeveralRanks {
        /// The input.
        path: PathBuf,
        /// Number of ranks of the run.
        ranks: u16,
    },
    /// The input was not recorded by Weft.
    #[error(
        "{} is {what}, which does not record the operands of operations; give a profile of Weft, recorded with `weft run --profile --profile-operands`",
        path.display()
    )]
    NotWeft {
        /// The input.
        path: PathBuf,
        /// The kind of input.
        what: &'static str,
    },
    /// The operands of operations were not recorded.
    #[error(
        "{operations} of {all} operations have no recorded operands; record the run again with `weft run --profile --profile-operands`"
    )]
    NoOperands {
        /// Operations without a record.
        operations: usize,
        /// All operations of the program.
        all: usize,
    },
    /// The processors for which operations are divided are not recorded.
    #[error(
        "the input does not record the number of processors; give the weft_0.prof from which it was made"
    )]
    NoProcessors,
    /// The operands of operations were recorded incompletely.
    #[error(
        "{operations} of {all} operations have no operands, since records of their images are lost (images_missing); record the run again"
    )]
    NoImages {
        /// Operations without operands.
        operations: usize,
        /// All operations of the program.
        all: usize,
    },
    /// The run had GPUs.
    #[error(
        "the run used GPUs, which the simulation does not support; record it again with --gpus 0"
    )]
    Gpus,
    /// An operation cannot be scaled up.
    #[error("{line}: `{name}` cannot be scaled up, because {reason}; use --scaling strong")]
    NotStretched {
        /// File and line of the call.
        line: String,
        /// The operation.
        name: String,
        /// The reason.
        reason: &'static str,
    },
    /// There are no messages from which the speed of a network could be derived.
    #[error(
        "the profiles hold no message recorded by both its ranks; give profiles of a run with several ranks, or --latency and --bandwidth"
    )]
    NoMessages,
}
