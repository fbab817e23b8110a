//! Legion's event graph: the event that each activity triggers when it ends, and the causes of all
//! other events.

use super::SourceIndex;
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Timestamp;

/// An event of Realm, unique among the nodes of a run; 0 if there is no event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u64);

impl EventId {
    /// Returns whether there is an event.
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }
}

/// The kinds of activities in a run of Legion.
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

/// An activity in a run of Legion, with the events around it.
#[derive(Clone, Copy, Debug)]
pub struct Activity {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The kind of activity.
    pub kind: ActivityKind,
    /// The UID of the task, copy or dependent partitioning.
    pub uid: Option<Uid>,
    /// The operation that it served.
    pub operation: Option<Uid>,
    /// The processor; `None` for copies.
    pub processor: Option<ProcessorId>,
    /// The time of the request.
    pub created: Timestamp,
    /// Start of execution.
    pub start: Timestamp,
    /// End of execution. On a GPU, the end of its work there.
    pub end: Timestamp,
    /// The event triggered at its end.
    pub finish: EventId,
    /// The last event it waited for before it started.
    pub precondition: EventId,
    /// The event triggered at the end of its creator.
    pub creator: EventId,
}

/// An interval in which an activity was suspended.
#[derive(Clone, Copy, Debug)]
pub struct Pause {
    /// The file it was read from.
    pub source: SourceIndex,
    /// A row of [`EventGraph::activities`].
    pub activity: u32,
    /// The time at which the activity stopped running.
    pub start: Timestamp,
    /// The time at which it resumed.
    pub end: Timestamp,
    /// The awaited event.
    pub event: EventId,
}

/// A cause of an event that is not the end of an activity. If an event has several causes, the last
/// one triggers it.
#[derive(Clone, Copy, Debug)]
pub struct Trigger {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The event.
    pub event: EventId,
    /// The activity that triggered it, identified by the event of its end.
    pub by: EventId,
    /// The time of the call. The event is triggered then, or later by the last of `after`.
    pub at: Timestamp,
    /// Events that must be triggered first.
    pub after: [EventId; 4],
}

/// Causes recorded in Legion profiles.
#[derive(Debug, Default)]
pub struct EventGraph {
    /// The activities.
    pub activities: Vec<Activity>,
    /// Intervals in which activities were suspended.
    pub pauses: Vec<Pause>,
    /// Causes of the events between activities.
    pub triggers: Vec<Trigger>,
}
