//! Legion's event graph: the event that each activity triggers at its end, and the causes of other events.

use super::SourceIndex;
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Timestamp;

/// An event of Realm, unique over the nodes of a run; 0 where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u64);

impl EventId {
    /// Whether it is an event.
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }
}

/// What ran in a run of Legion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivityKind {
    /// A task of the program.
    Task,
    /// A thread of the program itself, such as its top-level task.
    Program,
    /// A copy or a fill.
    Copy,
    /// The runtime itself, such as the mapping of an operation, or dependent partitioning.
    Runtime,
}

/// Something that ran in a run of Legion, with the events around it.
#[derive(Clone, Copy, Debug)]
pub struct Activity {
    /// Where it was read.
    pub source: SourceIndex,
    /// What it is.
    pub kind: ActivityKind,
    /// The UID of the task, copy or dependent partitioning.
    pub uid: Option<Uid>,
    /// The operation that it was for.
    pub operation: Option<Uid>,
    /// Where; `None` for copies.
    pub processor: Option<ProcessorId>,
    /// When it was asked for.
    pub created: Timestamp,
    /// When it began to run.
    pub start: Timestamp,
    /// When it ended; on a GPU, its work there.
    pub end: Timestamp,
    /// The event triggered at its end.
    pub finish: EventId,
    /// The last event it waited for before it started.
    pub precondition: EventId,
    /// The event triggered at the end of its creator.
    pub creator: EventId,
}

/// A time in which an activity could not go on.
#[derive(Clone, Copy, Debug)]
pub struct Pause {
    /// Where it was read.
    pub source: SourceIndex,
    /// A row of [`EventGraph::activities`].
    pub activity: u32,
    /// When it stopped running.
    pub start: Timestamp,
    /// When it ran again.
    pub end: Timestamp,
    /// What it waited for.
    pub event: EventId,
}

/// A cause of an event that is not the end of an activity. If an event has several causes, the last one triggers it.
#[derive(Clone, Copy, Debug)]
pub struct Trigger {
    /// Where it was read.
    pub source: SourceIndex,
    /// The event.
    pub event: EventId,
    /// The activity that did it, by the event of its end.
    pub by: EventId,
    /// When it did so. The event is triggered then, or by the last of `after`.
    pub at: Timestamp,
    /// Events that must come first.
    pub after: [EventId; 4],
}

/// Causes recorded in Legion profiles.
#[derive(Debug, Default)]
pub struct EventGraph {
    /// What ran.
    pub activities: Vec<Activity>,
    /// When it could not go on.
    pub pauses: Vec<Pause>,
    /// Causes of the events between activities.
    pub triggers: Vec<Trigger>,
}
