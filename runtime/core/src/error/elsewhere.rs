//! Failures of other ranks.

use weft_trace::id::OperationUid;

/// A failure on another rank.
#[derive(Clone, Debug, Default, PartialEq, thiserror::Error)]
#[error("on rank {rank}: {why}")]
#[non_exhaustive]
pub struct Elsewhere {
    /// The rank.
    pub rank: u16,
    /// Name of the operation.
    pub operation: String,
    /// The message of its error.
    pub why: String,
    /// Whether a memory of that rank had no room.
    pub is_out_of_memory: bool,
    /// The operation's UID, which is the same on every rank.
    pub(crate) uid: Option<OperationUid>,
}
