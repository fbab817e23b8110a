//! What ran: tasks, launches, dependences, waits and the runtime's own calls.

use super::{Recording, RunIndex, SourceIndex, StringIndex};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::{Arithmetic, CodeOrigin, DependencyKind, RuntimeCallKind};
use weft_trace::time::{Nanos, Timestamp};

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
    /// What it computes; `None` where that is not known.
    pub arithmetic: Option<Arithmetic>,
}

/// A row of [`Work::launches`](crate::Work::launches).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaunchIndex(pub u32);

/// Work handed to a processor at once.
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
    /// Start of its range.
    pub start: Timestamp,
    /// End of its range.
    pub end: Timestamp,
    /// Its tasks with their shares; empty: only the task with the launch's own UID.
    pub shares: Box<[(Uid, f64)]>,
    /// Where the shares come from.
    pub split: Split,
}

/// Where the shares of a launch come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Split {
    /// Each part was timed, all of it or a sample, or the launch serves one task, which has all of it.
    #[default]
    Measured,
    /// Only the whole launch was timed. The runtime divided it among its tasks by the bytes that each writes, or by a sample of times
    /// that is too small.
    Estimated,
}

impl Split {
    /// Of a launch of which only the whole was timed, and that serves this many tasks.
    pub const fn of_shares(shares: usize) -> Self {
        match shares {
            0 | 1 => Split::Measured,
            _ => Split::Estimated,
        }
    }

    /// Whether the shares are estimated.
    pub const fn is_estimated(self) -> bool {
        matches!(self, Split::Estimated)
    }
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
    /// The store that both access; `None` where it was not recorded.
    pub store: Option<Uid>,
    /// Bytes of it that both access, at most; `None` where they were not recorded.
    pub bytes: Option<u64>,
}

/// A wait of a task, for instance in its body, or of the program's thread.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// Where it was read.
    pub source: SourceIndex,
    /// What was waited for.
    pub kind: WaitKind,
    /// The task; `None` for the program's own thread.
    pub task: Option<Uid>,
    /// Where the program's thread waited; `None` for a task, which says where it runs.
    pub processor: Option<ProcessorId>,
    /// The operation whose end was waited for, where it was one.
    pub operation: Option<Uid>,
    /// When it stopped running.
    pub start: Timestamp,
    /// When the awaited event happened; the end if unknown.
    pub ready: Timestamp,
    /// When it ran again.
    pub end: Timestamp,
}

/// What was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitKind {
    /// A task waited for an event, of Legion.
    Event,
    /// The program, or the body of a task, waited for a value: the end of an operation.
    Value,
    /// The same, for all operations that it had asked for.
    All,
    /// The same, because the maximum number of operations was pending.
    Limit,
    /// The program waited for the other ranks.
    Agreement,
    /// A tile of a task waited for the other tiles, in an exchange.
    Exchange,
}

impl WaitKind {
    /// All kinds.
    pub const ALL_KINDS: [WaitKind; 6] = [
        WaitKind::Event,
        WaitKind::Value,
        WaitKind::All,
        WaitKind::Limit,
        WaitKind::Agreement,
        WaitKind::Exchange,
    ];

    /// The word for it in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            WaitKind::Event => "event",
            WaitKind::Value => "value",
            WaitKind::All => "all",
            WaitKind::Limit => "limit",
            WaitKind::Agreement => "agreement",
            WaitKind::Exchange => "exchange",
        }
    }

    /// The kind with this word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL_KINDS.into_iter().find(|kind| kind.name() == name)
    }
}

/// Work of the runtime for an operation.
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

/// A kernel for GPUs that was compiled, or read from the disk, and loaded. The time that a launch waited for it is a call of the runtime
/// of the kind [`COMPILE`].
#[derive(Clone, Copy, Debug)]
pub struct Compilation {
    /// Where it was read.
    pub source: SourceIndex,
    /// The launch that needed the kernel.
    pub launch: Uid,
    /// The operation of the launch's first task.
    pub operation: Uid,
    /// The GPU.
    pub processor: ProcessorId,
    /// The name of the kernel.
    pub kernel: StringIndex,
    /// The architecture of the code: `sm_90`, or `compute_90` for PTX that the driver compiles.
    pub target: StringIndex,
    /// The first 8 bytes of the SHA-256 of the kernel's source, in big-endian order.
    pub source_hash: u64,
    /// Where the code came from.
    pub origin: CodeOrigin,
    /// When a thread began to make it ready.
    pub start: Timestamp,
    /// When the code was there.
    pub made: Timestamp,
    /// When the kernel was loaded.
    pub end: Timestamp,
    /// How long before `end` the thread that issues work waited for it; `None`: from `start` on.
    pub waited: Option<Nanos>,
}

impl Compilation {
    /// When the thread that issues work began to wait for the kernel; `None` if it did not wait.
    pub fn waited_from(&self) -> Option<Timestamp> {
        match self.waited {
            Some(Nanos(0)) => None,
            Some(Nanos(waited)) => Some(self.end + Nanos(waited.saturating_neg())),
            None => Some(self.start),
        }
    }
}

/// The word for compiling among calls of the runtime.
pub const COMPILE: &str = RuntimeCallKind::Compile.name();

/// The word for a wait of the program among calls of the runtime.
pub const WAIT: &str = "wait";

impl Recording {
    /// What threads of the runtime and of the program did beside tasks, each with its number: calls of the runtime, and behind them
    /// the program's waits, each as a call of the kind `wait`.
    pub fn thread_calls(&self) -> impl Iterator<Item = (u32, RuntimeCall)> + '_ {
        let calls = (0..).zip(self.work.runtime_calls.iter().copied());
        let first = self.work.runtime_calls.len() as u32;
        let kind = self.strings.find(WAIT).unwrap_or_default();
        let waits = (first..).zip(&self.work.waits);
        calls.chain(waits.filter_map(move |(number, wait)| Some((number, wait.as_call(kind)?))))
    }

    /// The one with this number.
    pub fn thread_call(&self, number: u32) -> Option<RuntimeCall> {
        let number = number as usize;
        match number.checked_sub(self.work.runtime_calls.len()) {
            None => self.work.runtime_calls.get(number).copied(),
            Some(wait) => {
                let kind = self.strings.find(WAIT).unwrap_or_default();
                self.work.waits.get(wait)?.as_call(kind)
            }
        }
    }
}

impl Wait {
    fn as_call(&self, kind: StringIndex) -> Option<RuntimeCall> {
        Some(RuntimeCall {
            source: self.source,
            kind,
            operation: self.operation,
            processor: self.processor?,
            start: self.start,
            end: self.end,
        })
    }
}
