//! What the views mean: their SQL is in `output/sqlite/views.rs`, and a test compares the columns of both.

/// A view.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// Its name.
    pub name: &'static str,
    /// What its rows are.
    pub doc: &'static str,
    /// Its columns in order: name, unit, meaning.
    pub columns: &'static [(&'static str, &'static str, &'static str)],
}

/// The views, in alphabetical order.
pub(super) const VIEWS: [View; 12] = [
    View {
        name: "weft_busy",
        doc: "Times in which processors and GPUs worked. A GPU works while it runs kernels, copies and fills; its tasks are those \
              that hand it work.",
        columns: &[
            ("sourceId", "", ""),
            (
                "processorId",
                "",
                "NULL for a GPU that is no processor of a runtime.",
            ),
            (
                "deviceId",
                "",
                "The CUDA device of a GPU that is no processor of a runtime.",
            ),
            ("taskUid", "", "The task that it ran, or NULL."),
            ("kernelId", "", "The work that a GPU ran, or NULL."),
            ("start", "ns", ""),
            ("end", "ns", ""),
        ],
    },
    View {
        name: "weft_by_kernel",
        doc: "Kernels, copies and fills by name.",
        columns: &[
            ("name", "", ""),
            ("kind", "", "As in WEFT_KERNEL."),
            ("source", "", "Who recorded them."),
            ("kernels", "", "How many."),
            ("total", "ns", ""),
            ("mean", "ns", ""),
            ("min", "ns", ""),
            ("max", "ns", ""),
            ("bytesRead", "bytes", "Sum of WEFT_KERNEL.bytesRead."),
            ("bytesWritten", "bytes", "Sum of WEFT_KERNEL.bytesWritten."),
            ("linked", "", "Those with a launch."),
        ],
    },
    View {
        name: "weft_by_line",
        doc: "Cost by source line. A row without a file holds what has no line, such as kernels without a launch.",
        columns: &[
            ("file", "", ""),
            ("line", "", ""),
            ("function", "", ""),
            ("operationNames", "", "The names of its operations."),
            ("operations", "", "How many."),
            ("tasks", "", "How many."),
            ("kernels", "", "How many."),
            ("taskTime", "ns", "Sum of weft_task_time.time."),
            (
                "kernelTime",
                "ns",
                "Its tasks' shares of kernels. NULL: no kernels were recorded.",
            ),
            (
                "overhead",
                "ns",
                "Time of tasks, copies and fills less their kernel time, one by one and at least 0. NULL: no kernels were recorded.",
            ),
            (
                "estimated",
                "ns",
                "Of the task time, what rests on estimated shares of launches; NULL: none; 0: what the tasks of each such launch took in all is known.",
            ),
            (
                "copies",
                "",
                "Number of copies and fills for its operations.",
            ),
            ("copyTime", "ns", "Their time."),
            (
                "total",
                "ns",
                "taskTime + copyTime: the total of `weft stats --by line`.",
            ),
            (
                "nested",
                "ns",
                "Sum of WEFT_TASK.nested: this part of the total counts for other tasks too.",
            ),
            (
                "issueTime",
                "ns",
                "Time that the host took to issue the work of GPUs, which is not in the total. NULL: none.",
            ),
            (
                "compileTime",
                "ns",
                "Time in which kernels were compiled or read, and loaded, because this line needed them first. It is in no other time. NULL: none.",
            ),
        ],
    },
    View {
        name: "weft_by_range",
        doc: "NVTX ranges by message. A row without a message holds kernels in no range.",
        columns: &[
            ("message", "", ""),
            ("ranges", "", "How many."),
            ("total", "ns", ""),
            ("mean", "ns", ""),
            ("min", "ns", ""),
            ("max", "ns", ""),
            ("kernels", "", "Kernels whose innermost range it is."),
            ("kernelTime", "ns", "Their time."),
        ],
    },
    View {
        name: "weft_by_task",
        doc: "Tasks by name and variant.",
        columns: &[
            ("name", "", ""),
            ("variant", "", "The kind of processor whose code they ran."),
            ("tasks", "", "How many."),
            ("total", "ns", "Sum of weft_task_time.time."),
            ("mean", "ns", ""),
            ("min", "ns", ""),
            ("max", "ns", ""),
            ("kernels", "", "How many."),
            (
                "kernelTime",
                "ns",
                "Their shares of kernels. NULL: no kernels were recorded.",
            ),
            (
                "estimated",
                "ns",
                "Of the task time, what rests on estimated shares of launches; NULL: none; 0: what the tasks of each such launch took in all is known.",
            ),
            (
                "nested",
                "ns",
                "Sum of WEFT_TASK.nested: this part of the total counts for other tasks too.",
            ),
            (
                "issueTime",
                "ns",
                "Time that the host took to issue the work of GPUs, which is not in the total. NULL: none.",
            ),
        ],
    },
    View {
        name: "weft_critical_by_line",
        doc: "The critical path by source line and by what its time went into.",
        columns: &[
            ("file", "", ""),
            ("line", "", ""),
            ("function", "", ""),
            ("kind", "", "As in WEFT_CRITICAL_PATH."),
            ("steps", "", "How many."),
            ("part", "ns", "What they add to the run's length."),
            ("share", "", "Of the run's length, 0 to 1."),
        ],
    },
    View {
        name: "weft_estimated_time",
        doc: "What tasks and copies have of launches whose time was divided by estimate.",
        columns: &[
            ("sourceId", "", ""),
            ("launchUid", "", ""),
            ("taskUid", "", ""),
            ("name", "", "That of the task; NULL for a copy."),
            ("variant", "", "As in WEFT_TASK."),
            (
                "provenanceId",
                "",
                "That of the task or copy; -1 if neither has a row.",
            ),
            (
                "time",
                "ns",
                "Its share of the launch, as in WEFT_LAUNCH_TASK.",
            ),
        ],
    },
    View {
        name: "weft_gaps",
        doc: "Idle times of processors and GPUs that worked at least once, from the first to the last work of anything of \
              their source. The program's own thread, which runs the program meanwhile, has none.",
        columns: &[
            ("sourceId", "", ""),
            (
                "processorId",
                "",
                "NULL for a GPU that is no processor of a runtime.",
            ),
            ("start", "ns", ""),
            ("end", "ns", ""),
            ("duration", "ns", "end - start."),
            (
                "deviceId",
                "",
                "The CUDA device of a GPU that is no processor of a runtime.",
            ),
            (
                "position",
                "",
                "first: before its first work; between: between two; last: after its last.",
            ),
        ],
    },
    View {
        name: "weft_memory_fragmentation",
        doc: "How much of each memory was in use, with what was free in pieces.",
        columns: &[
            ("sourceId", "", ""),
            ("memoryId", "", ""),
            ("kind", "", "As in WEFT_MEMORY."),
            ("time", "ns", ""),
            ("capacity", "bytes", "What the memory can hold."),
            ("live", "bytes", "In blocks that somebody held."),
            ("free", "bytes", "capacity - live."),
            ("peak", "bytes", "The most that was held at a time so far."),
            (
                "largestFree",
                "bytes",
                "The largest block that could have been given out.",
            ),
            ("kept", "bytes", "Held by nobody, and kept from others."),
            (
                "fragmentation",
                "",
                "The part of what is free outside of the largest block, 0 to 1.",
            ),
        ],
    },
    View {
        name: "weft_memory_over_time",
        doc: "Instances added up over time.",
        columns: &[
            ("sourceId", "", ""),
            ("memoryId", "", ""),
            ("time", "ns", ""),
            (
                "change",
                "bytes",
                "Positive for an instance that is created.",
            ),
            ("used", "bytes", "After the change."),
        ],
    },
    View {
        name: "weft_task_time",
        doc: "WEFT_TASK with the time of each task: device time on a GPU, otherwise end - start less what belongs to others that its launch served.",
        columns: &[
            ("sourceId", "", ""),
            ("uid", "", ""),
            ("opUid", "", ""),
            ("point", "", ""),
            ("rank", "", ""),
            ("name", "", ""),
            ("variant", "", ""),
            ("color", "", ""),
            ("processorId", "", ""),
            ("created", "ns", ""),
            ("ready", "ns", ""),
            ("start", "ns", ""),
            ("end", "ns", ""),
            ("provenanceId", "", ""),
            ("deviceStart", "ns", ""),
            ("deviceEnd", "ns", ""),
            ("nested", "ns", ""),
            ("floatOperations", "", ""),
            ("floatBits", "", ""),
            (
                "time",
                "ns",
                "Its own part of end - start; of a task of a GPU, the time of its kernels, copies and fills, if its source recorded any. NULL: it recorded \
                 some, but none for this task.",
            ),
            (
                "estimated",
                "",
                "1: that part is estimated, as in WEFT_LAUNCH_TASK.",
            ),
            (
                "issueTime",
                "ns",
                "Its own part of end - start, if its time is device time or unknown: how long its issue took. Else NULL.",
            ),
        ],
    },
    View {
        name: "weft_utilisation",
        doc: "How busy each processor and GPU was.",
        columns: &[
            ("sourceId", "", ""),
            (
                "processorId",
                "",
                "NULL for a GPU that is no processor of a runtime.",
            ),
            ("kind", "", "As in WEFT_PROCESSOR."),
            ("name", "", ""),
            ("tasks", "", "How many tasks it ran."),
            (
                "busy",
                "ns",
                "In which it worked, as in weft_busy. NULL for a GPU of which no work was recorded under this source.",
            ),
            (
                "elapsed",
                "ns",
                "From the first to the last work of anything of the source.",
            ),
            ("share", "", "busy / elapsed, 0 to 1."),
            (
                "deviceId",
                "",
                "The CUDA device of a GPU that is no processor of a runtime.",
            ),
            (
                "kernels",
                "",
                "How many kernels, copies and fills it ran, of a GPU.",
            ),
        ],
    },
];
