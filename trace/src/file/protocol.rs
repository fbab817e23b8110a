//! How threads share the file: who may write where, what is counted when, and how it ends.
//!
//! Generic over where the words and the bytes are, so that the same code runs over a mapped file and in a model
//! checker. A [`Pen`] is one thread's side. A block is claimed once, by one pen, and that pen alone writes to it:
//! a [`Claim`] is made here only, one for each block. All counters of a lane have one writer, so they are stored
//! and never added to.

mod count;
mod ending;
mod pen;
mod storage;

#[cfg(all(test, loom))]
mod loom_models;

pub use count::{Counters, Dropped};
pub(crate) use count::{DropReason, REASONS};
pub(crate) use ending::{close, count, quiet, refuse};
pub(crate) use pen::Pen;
pub(crate) use storage::{BlockHead, Claim, ENDED, Gate, Slot, Storage};
