//! The execution of the program: tasks, their dependences, launches and kernels.

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
    /// A task: an operation on one tile.
    20 => Task {
        /// Its UID.
        uid: TaskUid,
        /// The operation.
        operation: OperationUid,
        /// The number of the task in its operation.
        point: u32,
        /// The processor that it ran on.
        processor: ProcessorId,
        /// The time at which the analysis created it.
        created: Timestamp,
        /// The time at which its dependences were known and its last predecessor had ended.
        ready: Timestamp,
        /// The start time.
        start: Timestamp,
        /// The end time.
        end: Timestamp,
        /// The arithmetic of the task; `None` if unknown.
        arithmetic: Option<Arithmetic>,
    }
}

/// The tasks that a launch serves, each with its share.
pub type Shares<'a> = List<'a, (TaskUid, f64)>;

record! {
    /// A launch: one piece of work handed to a processor.
    21 => Launch<'a> {
        /// The UID, which is also in NVTX payloads and CUPTI external ids.
        uid: LaunchUid,
        /// The processor that it ran on.
        processor: ProcessorId,
        /// The start time of its range.
        start: Timestamp,
        /// The end time of its range.
        end: Timestamp,
        /// Whether the shares are measured, for each task, instead of estimated.
        measured: bool,
    }
    tail
    /// The tasks that it serves; their shares add up to 1. If empty, it serves the task with the
    /// launch's own UID.
    shares: Shares<'a>
}

record! {
    /// A kernel on a CPU: one loop over one tile.
    22 => Kernel {
        /// The launch that ran it.
        launch: LaunchUid,
        /// The processor that it ran on.
        processor: ProcessorId,
        /// The name, such as `add_f64`.
        name: NameId,
        /// The start time.
        start: Timestamp,
        /// The end time.
        end: Timestamp,
        /// The number of bytes written.
        bytes: u64,
        /// The number of bytes read, each counted once; `None` if unknown.
        read: Option<u64>,
    }
}

record! {
    /// The bytes that the kernels of a GPU launch read and write, since CUPTI records only their
    /// times.
    29 => LaunchBytes {
        /// The launch.
        launch: LaunchUid,
        /// The number of bytes read, each counted once.
        read: u64,
        /// The number of bytes written.
        written: u64,
    }
}

record! {
    /// The work that a GPU launch issued. In a complete recording there is a record of each piece.
    18 => LaunchWork {
        /// The launch.
        launch: LaunchUid,
        /// The number of kernels. A matrix product counts as one, though a library may start
        /// several.
        kernels: u32,
        /// The number of copies.
        copies: u32,
        /// The number of fills.
        fills: u32,
    }
}

record! {
    /// A GPU kernel that was compiled or loaded because a launch needed it for the first time.
    19 => Compile {
        /// The launch.
        launch: LaunchUid,
        /// The operation of the launch's first task.
        operation: OperationUid,
        /// The GPU.
        processor: ProcessorId,
        /// The name of the kernel, such as `weft_add_f64`.
        kernel: NameId,
        /// The architecture of the code: `sm_90`, or `compute_90` for PTX that the driver compiles.
        target: NameId,
        /// The first 8 bytes of the SHA-256 of the kernel's source, in big-endian order.
        source: u64,
        /// The origin of the code.
        origin: CodeOrigin,
        /// The time at which a thread began to prepare it.
        start: Timestamp,
        /// The time at which the code was available. Loading it onto the GPU follows.
        made: Timestamp,
        /// The time at which the kernel was loaded.
        end: Timestamp,
        /// The time, in nanoseconds before `end`, that the thread which issues work waited for it.
        /// `None` in files of earlier versions, in which the wait always began at `start`.
        waited: Option<u64>,
    }
}

/// Predecessors of a task, each with the reason.
pub type Edges<'a> = List<'a, (TaskUid, DependencyKind)>;

record! {
    /// Predecessors of a task because of one store. A task has one such record for each store and
    /// number of bytes.
    23 => Dependencies<'a> {
        /// The later task.
        task: TaskUid,
        /// The store that both access.
        store: Option<StoreUid>,
        /// The number of bytes of the store that the task and each predecessor access. An upper
        /// bound if a view is not a box of the store.
        bytes: Option<u64>,
    }
    tail
    /// The predecessors.
    on: Edges<'a>
}

record! {
    /// A launch of the runtime itself, such as clearing memory of its pool, which serves no task.
    /// It explains work with its UID, which has no launch of the program.
    27 => InternalLaunch {
        /// The UID, in external ids like that of any launch.
        uid: LaunchUid,
        /// The processor that it ran on.
        processor: ProcessorId,
        /// The name of the runtime's work.
        name: NameId,
        /// The start time.
        start: Timestamp,
        /// The end time.
        end: Timestamp,
    }
}

record! {
    /// An operation of one task that ran to its end on the calling thread. It stands for the
    /// operation, the task, the launch and the kernel (see [`parts`](Self::parts)), and for the
    /// [analysis](RuntimeCallKind::Analysis) between the call and the kernel.
    28 => Immediate<'a> {
        /// The operation.
        operation: OperationUid,
        /// The operation that it is part of, if any.
        parent: Option<OperationUid>,
        /// The UID of its task, and of the launch.
        task: TaskUid,
        /// The name, such as `add`.
        name: NameId,
        /// The place of the user's call.
        provenance: ProvenanceId,
        /// The name of the kernel, such as `add_f64`.
        kernel: NameId,
        /// The processor that it ran on.
        processor: ProcessorId,
        /// The time of the call.
        created: Timestamp,
        /// The start time of the kernel.
        start: Timestamp,
        /// The end time of the kernel.
        end: Timestamp,
        /// The number of bytes that the kernel wrote.
        bytes: u64,
        /// The number of bytes that the kernel read, each counted once; `None` if unknown.
        read: Option<u64>,
        /// The innermost scope around the call.
        scope: ScopeId,
        /// The stack of calls that led to the user's call.
        stack: StackId,
        /// The arithmetic of the task; `None` if unknown.
        arithmetic: Option<Arithmetic>,
    }
    tail
    /// The shape of the operation.
    shape: List<'a, u64>
}

impl<'a> Immediate<'a> {
    /// Returns the records that this one stands for.
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
    /// A time in which a started task waited.
    24 => Wait {
        /// The task.
        task: TaskUid,
        /// The time at which it stopped running.
        start: Timestamp,
        /// The time at which it could continue.
        ready: Timestamp,
        /// The time at which it ran again.
        end: Timestamp,
    }
}

record! {
    /// The planning of an operation before its tasks could run: three consecutive calls, of the
    /// kinds [`Partitioning`](RuntimeCallKind::Partitioning), [`Mapping`](RuntimeCallKind::Mapping)
    /// and [`Analysis`](RuntimeCallKind::Analysis). Operations of a group are planned together.
    /// Each has an equal part of the time, one after the other.
    26 => Planning {
        /// The operation.
        operation: OperationUid,
        /// The processor of the planning.
        processor: ProcessorId,
        /// The time at which cutting it into tiles began.
        start: Timestamp,
        /// The time at which it was cut, and choosing processors and memories began.
        partitioned: Timestamp,
        /// The time at which those were chosen, and finding predecessors began.
        mapped: Timestamp,
        /// The time at which the predecessors were known.
        end: Timestamp,
    }
}

record! {
    /// Any other call of the runtime.
    25 => RuntimeCall {
        /// The kind of call.
        kind: RuntimeCallKind,
        /// The operation, if it is for a single one.
        operation: Option<OperationUid>,
        /// The processor that it ran on.
        processor: ProcessorId,
        /// The start time.
        start: Timestamp,
        /// The end time.
        end: Timestamp,
        /// The task whose body made the call; `None` if the program did, and in files of earlier
        /// versions.
        task: Option<TaskUid>,
    }
}
