//! A step of the critical path.

use crate::SourceIndex;
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Timestamp;

/// What the time of a step went into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepKind {
    /// A task ran; on a GPU, its kernels.
    Task,
    /// Bytes were copied between memories of a rank, or a memory was filled.
    Copy,
    /// A message went from one rank to another.
    Message,
    /// Work was handed to a GPU.
    Issue,
    /// A kernel for a GPU was compiled, or read from the disk, and loaded.
    Compile,
    /// The runtime cut an operation, and found what its tasks must wait for.
    Analysis,
    /// The program did something of its own before its next call.
    Program,
    /// The program had waited, and went on.
    Wait,
    /// What could begin had not begun: it was handed from one thread to another.
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

    /// The word for it in outputs.
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

    /// The kind with this word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A step of the critical path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathStep {
    /// What its time went into.
    pub kind: StepKind,
    /// On which rank: that of this source. A message is one of the rank that received it.
    pub source: SourceIndex,
    /// The task or copy that ran, was handed over or had to wait, or dependent partitioning; `None` for the program and for other analysis.
    pub uid: Option<Uid>,
    /// The operation that it was for; of the program, the one that it called next.
    pub operation: Option<Uid>,
    /// Where, if it was on a processor.
    pub processor: Option<ProcessorId>,
    /// When it began to count.
    pub start: Timestamp,
    /// When the next step follows.
    pub end: Timestamp,
    /// What it contributes to the run's length, in ns: all of the time from start to end, or of a launch that served several tasks
    /// the share of one.
    pub part: i64,
}
