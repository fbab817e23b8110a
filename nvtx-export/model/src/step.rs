//! A step of the critical path.

use crate::SourceIndex;
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Timestamp;

/// The activity that a step's time was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepKind {
    /// A task ran. On a GPU, its kernels ran.
    Task,
    /// Data was copied between memories of a rank, or a memory was filled.
    Copy,
    /// A message was sent from one rank to another.
    Message,
    /// Work was issued to a GPU.
    Issue,
    /// A GPU kernel was compiled, or read from disk, and loaded.
    Compile,
    /// The runtime divided an operation, and determined the predecessors of its tasks.
    Analysis,
    /// The program ran its own code before its next call.
    Program,
    /// The program resumed after a wait.
    Wait,
    /// Ready work waited to begin, while it was passed from one thread to another.
    Queue,
}

impl StepKind {
    /// All kinds.
    pub const ALL: [StepKind; 9] = [
        StepKind::Task,
        StepKind::Copy,
        StepKind::Message,
        StepKind::Issue,
        StepKind::Compile,
        StepKind::Analysis,
        StepKind::Program,
        StepKind::Wait,
        StepKind::Queue,
    ];

    /// Returns its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            StepKind::Task => "task",
            StepKind::Copy => "copy",
            StepKind::Message => "message",
            StepKind::Issue => "issue",
            StepKind::Compile => "compile",
            StepKind::Analysis => "analysis",
            StepKind::Program => "program",
            StepKind::Wait => "wait",
            StepKind::Queue => "queue",
        }
    }

    /// Returns the kind with this word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A step of the critical path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathStep {
    /// The activity that its time was spent on.
    pub kind: StepKind,
    /// A source of its rank. A message belongs to the rank that received it.
    pub source: SourceIndex,
    /// The task or copy that ran, was issued or had to wait, or the dependent partitioning. `None`
    /// for the program and for other analysis.
    pub uid: Option<Uid>,
    /// The operation it served. For the program, the operation that it called next.
    pub operation: Option<Uid>,
    /// The processor, if it was on one.
    pub processor: Option<ProcessorId>,
    /// The time from which it counts.
    pub start: Timestamp,
    /// The time at which the next step follows.
    pub end: Timestamp,
    /// Its contribution to the length of the run, in ns: the time from start to end, or one task's
    /// share of it for a launch that served several tasks.
    pub part: i64,
}
