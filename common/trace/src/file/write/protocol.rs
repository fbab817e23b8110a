//! How threads share the file: who may write where, what is counted when, and how it ends.
//!
//! Generic over where the words and the bytes are, so that the same code runs over a mapped file and in a model
//! checker. A [`Pen`] is one thread's side. A block is claimed once, by one pen, and that pen alone writes to it:
//! a [`Claim`] is made here only, one for each block. All counters of a lane have one writer, so they are stored
//! and never added to.
//!
//! A block that its pen has left, or whose pen is quiet after the end, is [`Still`]: it gets its checksum, from one
//! thread at a time, and never changes again.

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
pub(crate) use storage::{BlockHead, Claim, Gate, Slot, Still, Storage};

/// Why a record was dropped, in the order of the counters in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DropReason {
    Limit,
    NotReady,
    TooLarge,
    Finished,
    NoLane,
}
