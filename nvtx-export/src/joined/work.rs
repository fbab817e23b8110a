//! What ran: tasks, launches, dependences, waits and the runtime's own calls.

use super::{RunIndex, SourceIndex, StringIndex};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::DependencyKind;
use weft_trace::time::Timestamp;

/// An operation on one tile.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// Where it was read.
    pub source: SourceIndex,
    /// Its UID.
    pub uid: Uid,
    /// The operation.
    pub operation: Uid,
    /// Which of the operation's tasks.
    pub point: u32,
    /// Where it ran.
    pub processor: ProcessorId,
    /// When the analysis made it.
    pub created: Timestamp,
    /// When the last task it depends on had ended.
    pub ready: Timestamp,
    /// When it began to run.
    pub start: Timestamp,
    /// When it ended.
    pub end: Timestamp,
    /// From the first to the last of its work on a device, where a runtime recorded only that and no kernels.
    pub device: Option<(Timestamp, Timestamp)>,
}

/// A row of [`Joined::launches`](super::Joined::launches).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaunchIndex(pub u32);

/// One thing handed to a processor.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Where it was read.
    pub source: SourceIndex,
    /// Its run.
    pub run: RunIndex,
    /// Its UID: what travels in NVTX payloads.
    pub uid: Uid,
    /// Where it ran.
    pub processor: ProcessorId,
    /// When its range began.
    pub start: Timestamp,
    /// When its range ended.
    pub end: Timestamp,
    /// What it serves, each with its share; empty: all of it for the task with the launch's own UID.
    pub shares: Box<[(Uid, f64)]>,
}

impl Launch {
    /// What it serves, each with its share.
    pub fn served(&self) -> impl Iterator<Item = (Uid, f64)> + '_ {
        let own = self.shares.is_empty().then_some((self.uid, 1.0));
        own.into_iter().chain(self.shares.iter().copied())
    }
}

/// Why one task waited for another.
#[derive(Clone, Copy, Debug)]
pub struct Dependency {
    /// Where it was read.
    pub source: SourceIndex,
    /// The earlier task.
    pub from: Uid,
    /// The later task.
    pub to: Uid,
    /// Why.
    pub kind: DependencyKind,
}

/// A time in which a started task could not go on.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// Where it was read.
    pub source: SourceIndex,
    /// The task.
    pub task: Uid,
    /// When it stopped running.
    pub start: Timestamp,
    /// When what it waited for had come.
    pub ready: Timestamp,
    /// When it ran again.
    pub end: Timestamp,
}

/// What the runtime itself did for an operation.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeCall {
    /// Where it was read.
    pub source: SourceIndex,
    /// What it did, in a word or by the name of the call.
    pub kind: StringIndex,
    /// For which operation.
    pub operation: Option<Uid>,
    /// Where.
    pub processor: ProcessorId,
    /// When it began.
    pub start: Timestamp,
    /// When it ended.
    pub end: Timestamp,
}
