//! The documentation of the views. Their SQL is in `output/sqlite/views.rs`; a test compares the
//! columns of both.

/// A view.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// Its name.
    pub name: &'static str,
    /// The description of its rows.
    pub doc: &'static str,
    /// Its columns in order: name, unit, meaning.
    pub columns: &'static [(&'static str, &'static str, &'static str)],
}

/// The views, in alphabetical order.
pub(super) const VIEWS: [View; 12] = [
    View {
        name: "weft_busy",
        doc: "Times in which processors and GPUs worked. A GPU works while it runs kernels, copies and fills; its tasks are those \
              that issue work to it.",
        columns: &[
            ("sourceId", "", ""),
            (
                "processorId",
                "",
                "NULL for a GPU that is not a processor of a runtime.",
            ),
            (
                "deviceId",
                "",
                "The CUDA device of a GPU that is not a processor of a runtime.",
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
            ("source", "", "Their recorder."),
            ("kernels", "", "Their number."),
            ("total", "ns", ""),
            ("mean", "ns", ""),
            ("min", "ns", ""),
            ("max", "ns", ""),
            ("bytesRead", "bytes", "Sum of WEFT_KERNEL.bytesRead."),
            ("bytesWritten", "bytes", "Sum of WEFT_KERNEL.bytesWritten."),
            ("linked", "", "The number of those with a launch."),
        ],
    },
    View {
        name: "weft_by_line",
        doc: "Cost by source line. A row without a file holds the cost without a line, such as kernels without a launch.",
        columns: &[
            ("file", "", ""),
            ("line", "", ""),
            ("function", "", ""),
            ("operationNames", "", "The names of its operations."),
            ("operations", "", "Their number."),
            ("tasks", "", "Their number."),
            ("kernels", "", "Their number."),
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
                "The part of the task time that depends on estimated shares of launches. NULL: none; 0: the total time of each such launch's tasks is known.",
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
            ("ranges", "", "Their number."),
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
            ("tasks", "", "Their number."),
            ("total", "ns", "Sum of weft_task_time.time."),
            ("mean", "ns", ""),
            ("min", "ns", ""),
            ("max", "ns", ""),
            ("kernels", "", "Their number."),
            (
                "kernelTime",
                "ns",
                "Their shares of kernels. NULL: no kernels were recorded.",
            ),
            (
                "estimated",
                "ns",
                "The part of the task time that depends on estimated shares of launches. NULL: none; 0: the total time of each such launch's tasks is known.",
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
        doc: "The critical path by source line and kind of step.",
        columns: &[
            ("file", "", ""),
            ("line", "", ""),
            ("function", "", ""),
            ("kind", "", "As in WEFT_CRITICAL_PATH."),
            ("steps", "", "Their number."),
            ("part", "ns", "Their contribution to the run's length."),
            ("share", "", "Their part of the run's length, 0 to 1."),
        ],
    },
    View {
        name: "weft_estimated_time",
        doc: "The shares of tasks and copies in launches whose time was divided by estimate.",
        columns: &[
            ("sourceId", "", ""),
            ("launchUid", "", ""),
            ("taskUid", "", ""),
            ("name", "", "The name of the task; NULL for a copy."),
            ("variant", "", "As in WEFT_TASK."),
            (
                "provenanceId",
                "",
                "The provenance of the task or copy; -1 if neither has a row.",
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
                "NULL for a GPU that is not a processor of a runtime.",
            ),
            ("start", "ns", ""),
            ("end", "ns", ""),
            ("duration", "ns", "end - start."),
            (
                "deviceId",
                "",
                "The CUDA device of a GPU that is not a processor of a runtime.",
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
        doc: "The use of each memory over time, with the fragmentation of its free part.",
        columns: &[
            ("sourceId", "", ""),
            ("memoryId", "", ""),
            ("kind", "", "As in WEFT_MEMORY."),
            ("time", "ns", ""),
            ("capacity", "bytes", "The size of the memory."),
            ("live", "bytes", "The size of all allocated blocks."),
            ("free", "bytes", "capacity - live."),
            ("peak", "bytes", "The largest value of `live` so far."),
            (
                "largestFree",
                "bytes",
                "The largest block that could have been allocated.",
            ),
            (
                "kept",
                "bytes",
                "The size of free blocks that are retained, so that others cannot use the memory.",
            ),
            (
                "fragmentation",
                "",
                "The part of the free memory outside of the largest block, 0 to 1.",
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
                "Positive if an instance is created, negative if it is freed.",
            ),
            ("used", "bytes", "The bytes in use after the change."),
        ],
    },
    View {
        name: "weft_task_time",
        doc: "WEFT_TASK with the time of each task: device time on a GPU, otherwise its share of end - start.",
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
        doc: "The utilisation of each processor and GPU.",
        columns: &[
            ("sourceId", "", ""),
            (
                "processorId",
                "",
                "NULL for a GPU that is not a processor of a runtime.",
            ),
            ("kind", "", "As in WEFT_PROCESSOR."),
            ("name", "", ""),
            ("tasks", "", "The number of tasks it ran."),
            (
                "busy",
                "ns",
                "The time in which it worked, as in weft_busy. NULL for a GPU without recorded work of this source.",
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
                "The CUDA device of a GPU that is not a processor of a runtime.",
            ),
            (
                "kernels",
                "",
                "The number of kernels, copies and fills that a GPU ran.",
            ),
        ],
    },
];
