//! State that a rank needs to agree with others.

#![cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, reason = "used by builds with ranks")
)]

use crate::health::Health;
use crate::observe::Recorder;
use crate::rank::ProgramLock;

/// The state of this rank, for a thread of its program that waits for the other ranks.
pub(crate) struct Party<'a> {
    /// The submitted operations, which are compared with those of the other ranks.
    pub(crate) program: &'a ProgramLock,
    /// Recorder of the other ranks' clocks.
    pub(crate) recorder: &'a Recorder,
    /// Health of this rank: after a crash, the values that others wait for may never be sent.
    pub(crate) health: &'a Health,
}
