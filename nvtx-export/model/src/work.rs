//! Recorded work: tasks, launches, dependences, waits and calls of the runtime.

use super::{Recording, RunIndex, SourceIndex, StringIndex};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::{Arithmetic, CodeOrigin, DependencyKind, RuntimeCallKind};
use weft_trace::time::{Nanos, Timestamp};

/// An operation on one tile.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// The file it was read from.
    pub source: SourceIndex,
    /// Its UID.
    pub uid: Uid,
    /// The operation that the task belongs to.
    pub operation: Uid,
    /// The index of the task in its operation.
    pub point: u32,
    /// The processor that ran it.
    pub processor: ProcessorId,
    /// The time at which the analysis created it.
    pub created: Timestamp,
    /// The time at which the last of its predecessors ended.
    pub ready: Timestamp,
    /// Start of execution.
    pub start: Timestamp,
    /// End of execution.
    pub end: Timestamp,
    /// The time from the first to the last of its work on a device, if the runtime recorded that
    /// instead of kernels.
    pub device: Option<(Timestamp, Timestamp)>,
    /// The arithmetic it does, if known.
    pub arithmetic: Option<Arithmetic>,
}

/// A row of [`Work::launches`](crate::Work::launches).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaunchIndex(pub u32);

/// Work handed to a processor in one piece.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The run that it belongs to.
    pub run: RunIndex,
    /// Its UID, which NVTX payloads carry.
    pub uid: Uid,
    /// The processor that ran it.
    pub processor: ProcessorId,
    /// Start of its range.
    pub start: Timestamp,
    /// End of its range.
    pub end: Timestamp,
    /// The tasks it serves, with their shares of its time. If empty, it serves only the task with
    /// the launch's own UID.
    pub shares: Box<[(Uid, f64)]>,
    /// The origin of the shares.
    pub split: ShareOrigin,
}

/// The origin of a launch's shares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ShareOrigin {
    /// Each part was timed, completely or by a sample. Also for a launch that serves one task,
    /// which has all of it.
    #[default]
    Measured,
    /// Only the whole launch was timed. The runtime divided the time among the tasks by the bytes
    /// that each writes, or by a sample of times that is too small.
    Estimated,
}

impl ShareOrigin {
    /// Returns the origin of the shares of a launch that was only timed as a whole and serves
    /// `shares` tasks.
    pub const fn of_shares(shares: usize) -> Self {
        match shares {
            0 | 1 => ShareOrigin::Measured,
            _ => ShareOrigin::Estimated,
        }
    }

    /// Returns whether the shares are estimated.
    pub const fn is_estimated(self) -> bool {
        matches!(self, ShareOrigin::Estimated)
    }
}

impl Launch {
    /// Returns the UIDs that the launch serves, with their shares.
    pub fn served(&self) -> impl Iterator<Item = (Uid, f64)> + '_ {
        let own = self.shares.is_empty().then_some((self.uid, 1.0));
        own.into_iter().chain(self.shares.iter().copied())
    }
}

/// A dependence of one task on another.
#[derive(Clone, Copy, Debug)]
pub struct Dependency {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The earlier task.
    pub from: Uid,
    /// The later task.
    pub to: Uid,
    /// The kind of conflict.
    pub kind: DependencyKind,
    /// The store that both access, if recorded.
    pub store: Option<Uid>,
    /// An upper limit of the bytes that both access, if recorded.
    pub bytes: Option<u64>,
}

/// A wait of a task, for instance in its body, or of the program's thread.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The awaited event.
    pub kind: WaitKind,
    /// The waiting task; `None` for the program's thread.
    pub task: Option<Uid>,
    /// The processor on which the program's thread waited. `None` for a task, since the task has a
    /// processor.
    pub processor: Option<ProcessorId>,
    /// The operation whose end was awaited, if the event is the end of one.
    pub operation: Option<Uid>,
    /// The time at which the waiter stopped running.
    pub start: Timestamp,
    /// The time of the awaited event, or `end` if unknown.
    pub ready: Timestamp,
    /// The time at which the waiter resumed.
    pub end: Timestamp,
}

/// The kinds of awaited events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitKind {
    /// A task of Legion waited for an event.
    Event,
    /// The program or the body of a task waited for a value, that is, for the end of an operation.
    Value,
    /// The program or the body of a task waited for the end of all operations that it had
    /// submitted.
    All,
    /// The program or the body of a task waited because the maximum number of operations was
    /// pending.
    Limit,
    /// The program waited for the other ranks.
    Agreement,
    /// A tile of a task waited for the other tiles in an exchange.
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

    /// Returns its name in outputs.
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

    /// Returns the kind with this word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL_KINDS.into_iter().find(|kind| kind.name() == name)
    }
}

/// Work of the runtime on behalf of an operation.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeCall {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The activity: a word, or the name of the call.
    pub kind: StringIndex,
    /// The operation, if the call serves one.
    pub operation: Option<Uid>,
    /// The processor that ran it.
    pub processor: ProcessorId,
    /// Start of the call.
    pub start: Timestamp,
    /// End of the call.
    pub end: Timestamp,
}

/// A GPU kernel that was compiled, or read from disk, and loaded. The time that a launch waited for
/// it is a call of the runtime of the kind [`COMPILE`].
#[derive(Clone, Copy, Debug)]
pub struct Compilation {
    /// The file it was read from.
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
    /// The origin of the code.
    pub origin: CodeOrigin,
    /// The time at which a thread began to prepare it.
    pub start: Timestamp,
    /// The time at which the code was complete.
    pub made: Timestamp,
    /// The time at which the kernel was loaded.
    pub end: Timestamp,
    /// How long before `end` the thread that issues work began to wait for it; `None` if the wait
    /// began at `start`.
    pub waited: Option<Nanos>,
}

impl Compilation {
    /// Returns when the thread that issues work began to wait for the kernel; `None` if it did not
    /// wait.
    pub fn waited_from(&self) -> Option<Timestamp> {
        match self.waited {
            Some(Nanos(0)) => None,
            Some(Nanos(waited)) => Some(self.end + Nanos(waited.saturating_neg())),
            None => Some(self.start),
        }
    }
}

/// The kind of runtime calls that compile kernels.
pub const COMPILE: &str = RuntimeCallKind::Compile.name();

/// The kind under which waits of the program appear among runtime calls.
pub const WAIT: &str = "wait";

impl Recording {
    /// Returns the activity of threads outside of tasks, numbered. Calls of the runtime come first,
    /// then the program's waits, each as a call of the kind `wait`.
    pub fn thread_calls(&self) -> impl Iterator<Item = (u32, RuntimeCall)> + '_ {
        let calls = (0..).zip(self.work.runtime_calls.iter().copied());
        let first = self.work.runtime_calls.len() as u32;
        let kind = self.strings.find(WAIT).unwrap_or_default();
        let waits = (first..).zip(&self.work.waits);
        calls.chain(waits.filter_map(move |(number, wait)| Some((number, wait.as_call(kind)?))))
    }

    /// Returns the call with this number.
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
