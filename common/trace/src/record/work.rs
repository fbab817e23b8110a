//! What ran: tasks, what they waited for, launches and kernels.

use super::arithmetic::Arithmetic;
use super::code::{CodeOrigin, DependencyKind, RuntimeCallKind};
use super::field::List;
use super::frame::record;
use super::program::Operation;
use crate::id::{
    LaunchUid, NameId, OperationUid, ProcessorId, ProvenanceId, ScopeId, StackId, StoreUid, TaskUid,
};
use crate::time::Timestamp;

record! {
    /// An operation on one tile.
    20 => Task {
        /// Its UID.
        uid: TaskUid,
        /// The operation.
        operation: OperationUid,
        /// Which of the operation's tasks.
        point: u32,
        /// Where it ran.
        processor: ProcessorId,
        /// When the analysis made it.
        created: Timestamp,
        /// When its dependences were known, and the last task among them had ended.
        ready: Timestamp,
        /// When it began to run.
        start: Timestamp,
        /// When it ended.
        end: Timestamp,
        /// What it computes; `None` if that is not known.
        arithmetic: Option<Arithmetic>,
    }
}

/// What a launch serves, each with its share.
pub type Shares<'a> = List<'a, (TaskUid, f64)>;

record! {
    /// One thing handed to a processor.
    21 => Launch<'a> {
        /// Its UID: what travels in NVTX payloads and CUPTI external ids.
        uid: LaunchUid,
        /// Where it ran.
        processor: ProcessorId,
        /// When its range began.
        start: Timestamp,
        /// When its range ended.
        end: Timestamp,
        /// Whether the shares are those of times measured for each task; else they are expected ones.
        measured: bool,
    }
    tail
    /// The tasks it serves; shares add up to 1. Empty: the one task that has the launch's own UID.
    shares: Shares<'a>
}

record! {
    /// A piece of work done on a CPU: one loop over one tile.
    22 => Kernel {
        /// The launch that did it.
        launch: LaunchUid,
        /// Where it ran.
        processor: ProcessorId,
        /// Its name, such as `add_f64`.
        name: NameId,
        /// When it began.
        start: Timestamp,
        /// When it ended.
        end: Timestamp,
        /// Bytes it wrote.
        bytes: u64,
        /// Bytes it read, each counted once; `None` if that is not known.
        read: Option<u64>,
    }
}

record! {
    /// What the kernels of a launch on a GPU read and write; CUPTI tells only from when to when they ran.
    29 => LaunchBytes {
        /// The launch.
        launch: LaunchUid,
        /// Bytes read, each counted once.
        read: u64,
        /// Bytes written.
        written: u64,
    }
}

record! {
    /// The work that a launch on a GPU issued: each piece has a record in a complete recording.
    18 => LaunchWork {
        /// The launch.
        launch: LaunchUid,
        /// Kernels; a product of matrices counts as one, though a library may start several.
        kernels: u32,
        /// Copies.
        copies: u32,
        /// Fills.
        fills: u32,
    }
}

record! {
    /// A kernel for GPUs that was made ready because a launch needed it for the first time.
    19 => Compile {
        /// The launch.
        launch: LaunchUid,
        /// The operation of the launch's first task.
        operation: OperationUid,
        /// The GPU.
        processor: ProcessorId,
        /// The kernel's name, such as `weft_add_f64`.
        kernel: NameId,
        /// The architecture of the code: `sm_90`, or `compute_90` for PTX that the driver compiles.
        target: NameId,
        /// The first 8 bytes of the SHA-256 of the kernel's source, in big-endian order.
        source: u64,
        /// Where the code came from.
        origin: CodeOrigin,
        /// When a thread began to make it ready.
        start: Timestamp,
        /// When the code was there. Loading it onto the GPU follows.
        made: Timestamp,
        /// When the kernel was loaded.
        end: Timestamp,
        /// Nanoseconds before `end` that the thread which issues work waited for it. `None` in files of earlier versions: from `start`
        /// on.
        waited: Option<u64>,
    }
}

/// The tasks that one task waits for, each with the reason.
pub type Edges<'a> = List<'a, (TaskUid, DependencyKind)>;

record! {
    /// Tasks that one task waits for, because of one store. A task has one of these for each store and number of bytes.
    23 => Dependencies<'a> {
        /// The later task.
        task: TaskUid,
        /// The store that both access.
        store: Option<StoreUid>,
        /// Bytes of it that both access, of each of the earlier ones; at most, where a view is no box of the store.
        bytes: Option<u64>,
    }
    tail
    /// The earlier ones.
    on: Edges<'a>
}

record! {
    /// A launch that the runtime made for itself, such as clearing memory of its pool: it serves no task. Work that
    /// carries its UID has a reason for having no launch of the program.
    27 => InternalLaunch {
        /// Its UID, which travels like that of any launch.
        uid: LaunchUid,
        /// Where it ran.
        processor: ProcessorId,
        /// What the runtime did.
        name: NameId,
        /// When it began.
        start: Timestamp,
        /// When it ended.
        end: Timestamp,
    }
}

record! {
    /// An operation of one task that ran to its end on the thread that asked for it. It stands for the operation, the task, the
    /// launch and the kernel (see [`parts`](Self::parts)), and for the [analysis](RuntimeCallKind::Analysis) between the call and the
    /// kernel.
    28 => Immediate<'a> {
        /// The operation.
        operation: OperationUid,
        /// The operation it is part of, if any.
        parent: Option<OperationUid>,
        /// Its task, and the launch.
        task: TaskUid,
        /// What it does, such as `add`.
        name: NameId,
        /// The user's call.
        provenance: ProvenanceId,
        /// The kernel's name, such as `add_f64`.
        kernel: NameId,
        /// Where it ran.
        processor: ProcessorId,
        /// When the program called.
        created: Timestamp,
        /// When the kernel began.
        start: Timestamp,
        /// When it ended.
        end: Timestamp,
        /// Bytes the kernel wrote.
        bytes: u64,
        /// Bytes the kernel read, each counted once; `None` if that is not known.
        read: Option<u64>,
        /// The innermost scope that the call stands in.
        scope: ScopeId,
        /// The calls that led to the user's call.
        stack: StackId,
        /// What the task computes; `None` if that is not known.
        arithmetic: Option<Arithmetic>,
    }
    tail
    /// The operation's shape.
    shape: List<'a, u64>
}

impl<'a> Immediate<'a> {
    /// The records that this one stands for.
    pub fn parts(&self) -> (Operation<'a>, Task, Launch<'static>, Kernel) {
        let Immediate {
            operation,
            processor,
            created,
            start,
            end,
            ..
        } = *self;
        let launch = LaunchUid(self.task.0);
        (
            Operation {
                uid: operation,
                parent: self.parent,
                name: self.name,
                provenance: self.provenance,
                created,
                tasks: 1,
                scope: self.scope,
                stack: self.stack,
                shape: self.shape,
            },
            Task {
                uid: self.task,
                operation,
                point: 0,
                processor,
                created,
                ready: created,
                start,
                end,
                arithmetic: self.arithmetic,
            },
            Launch {
                uid: launch,
                processor,
                start,
                end,
                measured: false,
                shares: List::Items(&[]),
            },
            Kernel {
                launch,
                processor,
                name: self.kernel,
                start,
                end,
                bytes: self.bytes,
                read: self.read,
            },
        )
    }
}

record! {
    /// A time in which a started task could not go on.
    24 => Wait {
        /// The task.
        task: TaskUid,
        /// When it stopped running.
        start: Timestamp,
        /// When what it waited for had come.
        ready: Timestamp,
        /// When it ran again.
        end: Timestamp,
    }
}

record! {
    /// What the runtime did for an operation before its tasks could run: three calls that follow each other, of the
    /// kinds [`Partitioning`](RuntimeCallKind::Partitioning), [`Mapping`](RuntimeCallKind::Mapping) and
    /// [`Analysis`](RuntimeCallKind::Analysis). Operations that are done together are planned together, and have equal parts of that
    /// time, one after the other.
    26 => Planning {
        /// For which operation.
        operation: OperationUid,
        /// Where.
        processor: ProcessorId,
        /// When cutting it into tiles began.
        start: Timestamp,
        /// When it was cut, and choosing processors and memories began.
        partitioned: Timestamp,
        /// When those were chosen, and finding what its tasks must wait for began.
        mapped: Timestamp,
        /// When that was known.
        end: Timestamp,
    }
}

record! {
    /// What the runtime itself did otherwise.
    25 => RuntimeCall {
        /// What it did.
        kind: RuntimeCallKind,
        /// For which operation, if for one.
        operation: Option<OperationUid>,
        /// Where.
        processor: ProcessorId,
        /// When it began.
        start: Timestamp,
        /// When it ended.
        end: Timestamp,
        /// The task whose body made the call; `None` of the program, and in files of earlier versions.
        task: Option<TaskUid>,
    }
}
