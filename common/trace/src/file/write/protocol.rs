//! The protocol by which threads share the file: who may write where, the order of counting, and
//! the end.
//!
//! It is generic over the storage of words and bytes, so that the same code runs on a mapped file
//! and in a model checker. A [`Pen`] is one thread's side. A block is claimed once, by one pen, and
//! only that pen writes to it. A [`Claim`] is created only here, one for each block. Each counter
//! of a lane has a single writer, so it is stored instead of added to.
//!
//! A block that its pen has left, or whose pen is quiet after the end, is [`SealedBlock`]. It gets
//! its checksum, from one thread at a time, and never changes again.

mod ending;
mod pen;
mod seal;
mod storage;

#[cfg(all(test, loom))]
mod loom_models;

pub(crate) use crate::file::count::{Counters, Dropped, REASONS};
pub(crate) use ending::{close, count, quiet, refuse};
pub(crate) use pen::Pen;
pub(crate) use seal::{seal_full, seal_lanes, seal_open};
pub(crate) use storage::{BlockHead, Claim, Gate, SealedBlock, Slot, Storage};

/// The reason for dropping a record, in the order of the counters in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DropReason {
    Limit,
    NotReady,
    TooLarge,
    Finished,
    NoLane,
}
