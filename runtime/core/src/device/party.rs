//! What a rank agrees with others by.

#![cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, reason = "for those who have ranks")
)]

use crate::observe::Recorder;
use crate::rank::ProgramLock;
use crate::runtime::Health;

/// This rank, as a thread of its program that waits for the others.
pub(crate) struct Party<'a> {
    /// What is compared with what the others ask for.
    pub(crate) program: &'a ProgramLock,
    /// Who is told the time of the other ranks' clocks.
    pub(crate) recorder: &'a Recorder,
    /// Says when what the others wait for may never be sent.
    pub(crate) health: &'a Health,
}
