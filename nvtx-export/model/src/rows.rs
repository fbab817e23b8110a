//! Rows of a joined trace, each with its lane and the slices that it may nest in. All outputs draw
//! by these rules.

use crate::lanes::Group;
use crate::{End, Index, Kernel, Launch, Outcome, RangeKind, Recorder, Served, SourceIndex, Trace};
use weft_trace::id::{MemoryId, ProcessorId};
use weft_trace::time::Timestamp;

/// The content of a lane. The order of the variants is the order of lanes in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shows {
    /// Tasks of a processor, with launches, host kernels and waits.
    Processor(SourceIndex, ProcessorId),
    /// Work of a processor's tasks on its device, if only its times were recorded.
    Device(SourceIndex, ProcessorId),
    /// Work of the runtime on a processor, and the program's waits.
    RuntimeCalls(SourceIndex, ProcessorId),
    /// Kernels, memcpys and memsets of a stream, given by device, context and stream.
    Stream([Option<i64>; 3]),
    /// Copies, or fills, which have no source.
    Channel(Option<End>, End),
    /// Dependent partitioning.
    Partitioning(SourceIndex),
    /// Instances of a memory.
    Memory(SourceIndex, MemoryId),
    /// NVTX ranges of a thread.
    Ranges(SourceIndex, i64),
    /// API calls of a thread.
    ApiCalls(SourceIndex, i64),
    /// Overheads of a thread; `None` if it is unknown.
    Overheads(SourceIndex, Option<i64>),
}

/// A row. If two rows of a lane have equal times, the one with the earlier variant is the outer
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Row {
    /// A task.
    Task(u32),
    /// A launch.
    Launch(u32),
    /// A kernel, copy or fill of a device.
    Kernel(u32),
    /// A wait of a task or of the program.
    Wait(u32),
    /// The work of a task on its device.
    Device(u32),
    /// A call, numbered as in [`Recording::thread_calls`](crate::Recording::thread_calls).
    RuntimeCall(u32),
    /// A copy between memories.
    Copy(u32),
    /// Dependent partitioning.
    Partitioning(u32),
    /// An allocation.
    Instance(u32),
    /// An NVTX range.
    Range(u32),
    /// A CUDA API call.
    ApiCall(u32),
    /// An overhead of the recorder or of the driver.
    Overhead(u32),
}

/// A row with its lane.
#[derive(Clone, Copy, Debug)]
pub struct LaneRow {
    /// The row.
    pub row: Row,
    /// The source that recorded it.
    pub source: SourceIndex,
    /// Its lane.
    pub shows: Shows,
    /// The start.
    pub start: Timestamp,
    /// The end, which is not before the start. Damaged rows that end before they start have no
    /// length.
    pub end: Timestamp,
    /// The slices that it may lie within.
    pub group: Group,
}

impl LaneRow {
    fn new(
        row: Row,
        (source, shows): (SourceIndex, Shows),
        (start, end): (Timestamp, Timestamp),
        group: Group,
    ) -> Self {
        LaneRow {
            row,
            source,
            shows,
            start,
            end: end.max(start),
            group,
        }
    }
}

/// The rows of a joined trace.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The trace.
    pub trace: &'a Trace,
    /// The index of its rows by UID.
    pub index: &'a Index,
}

fn numbered<T>(table: &[T]) -> impl Iterator<Item = (u32, &T)> {
    (0..).zip(table)
}

impl<'a> Rows<'a> {
    /// Returns tasks on the lanes of their processors. On a GPU, the times are those of their work
    /// there.
    pub fn tasks(self) -> impl Iterator<Item = LaneRow> + 'a {
        numbered(&self.trace.work.tasks).map(|(row, task)| {
            let lane = (task.source, Shows::Processor(task.source, task.processor));
            let times = (task.start, task.end);
            LaneRow::new(Row::Task(row), lane, times, Group::Of(row))
        })
    }

    /// Returns the work of tasks on devices.
    pub fn devices(self) -> impl Iterator<Item = LaneRow> + 'a {
        numbered(&self.trace.work.tasks).filter_map(|(row, task)| {
            let lane = (task.source, Shows::Device(task.source, task.processor));
            Some(LaneRow::new(
                Row::Device(row),
                lane,
                task.device?,
                Group::Alone,
            ))
        })
    }

    /// Returns launches that add information. A launch that serves one task and has the task's
    /// times adds none.
    pub fn launches(self) -> impl Iterator<Item = LaneRow> + 'a {
        numbered(&self.trace.work.launches).filter_map(move |(row, launch)| {
            let task = self.first_task(launch);
            let same = task.and_then(|task| self.trace.work.tasks.get(task as usize));
            let same = same.is_some_and(|task| {
                (task.start, task.end, task.processor)
                    == (launch.start, launch.end, launch.processor)
            });
            if same && launch.served().count() == 1 {
                return None;
            }
            let shows = Shows::Processor(launch.source, launch.processor);
            let times = (launch.start, launch.end);
            let group = task.map_or(Group::Alone, Group::Of);
            let lane = (launch.source, shows);
            Some(LaneRow::new(Row::Launch(row), lane, times, group))
        })
    }

    /// Returns kernels: those recorded by the runtime on processors, and those of streams.
    pub fn kernels(self) -> impl Iterator<Item = LaneRow> + 'a {
        numbered(&self.trace.devices.kernels).map(move |(row, kernel)| {
            let times = (kernel.start, kernel.end);
            let (shows, group) = match on_processor(kernel) {
                Some(processor) => {
                    let outcome = self.trace.links.outcomes.get(row as usize);
                    let launch = outcome.and_then(|outcome| launch_of(self.trace, outcome));
                    let task = launch.and_then(|launch| self.first_task(launch));
                    let group = task.map_or(Group::Alone, Group::Of);
                    (Shows::Processor(kernel.source, processor), group)
                }
                None => {
                    let stream = [kernel.device, kernel.context, kernel.stream];
                    (Shows::Stream(stream), Group::Alone)
                }
            };
            LaneRow::new(Row::Kernel(row), (kernel.source, shows), times, group)
        })
    }

    /// Returns waits of tasks that have a row. Waits of the program are among
    /// [`runtime_calls`](Self::runtime_calls).
    pub fn waits(self) -> impl Iterator<Item = LaneRow> + 'a {
        numbered(&self.trace.work.waits).filter_map(move |(row, wait)| {
            let Served::Task(task) = self.index.served(wait.source, wait.task?)? else {
                return None;
            };
            let place = self.trace.work.tasks.get(task as usize)?;
            let lane = (wait.source, Shows::Processor(place.source, place.processor));
            let times = (wait.start, wait.end);
            Some(LaneRow::new(Row::Wait(row), lane, times, Group::Of(task)))
        })
    }

    /// Returns the number of waits whose task has no row, and which therefore have no lane.
    pub fn homeless_waits(self) -> usize {
        let of_tasks = self.trace.work.waits.iter();
        let of_tasks = of_tasks.filter(|wait| wait.task.is_some()).count();
        of_tasks - self.waits().count()
    }

    /// Returns calls of the runtime.
    pub fn runtime_calls(self) -> impl Iterator<Item = LaneRow> + 'a {
        self.trace.thread_calls().map(|(row, call)| {
            let shows = Shows::RuntimeCalls(call.source, call.processor);
            let times = (call.start, call.end);
            let lane = (call.source, shows);
            LaneRow::new(Row::RuntimeCall(row), lane, times, Group::Of(0))
        })
    }

    /// Returns copies on their channels.
    pub fn copies(self) -> impl Iterator<Item = LaneRow> + 'a {
        numbered(&self.trace.work.copies).map(move |(row, copy)| {
            let (from, to) = self.trace.ends(copy);
            let lane = (copy.source, Shows::Channel(from, to));
            let times = (copy.start, copy.end);
            LaneRow::new(Row::Copy(row), lane, times, Group::Alone)
        })
    }

    /// Returns dependent partitioning.
    pub fn partitionings(self) -> impl Iterator<Item = LaneRow> + 'a {
        numbered(&self.trace.work.partitionings).map(|(row, partitioning)| {
            let source = partitioning.source;
            let lane = (source, Shows::Partitioning(source));
            let times = (partitioning.start, partitioning.end);
            LaneRow::new(Row::Partitioning(row), lane, times, Group::Alone)
        })
    }

    /// Returns instances. Those that were never freed end at `last`.
    pub fn instances(self, last: Timestamp) -> impl Iterator<Item = LaneRow> + 'a {
        numbered(&self.trace.work.instances).map(move |(row, instance)| {
            let shows = Shows::Memory(instance.source, instance.memory);
            let times = (instance.created, instance.destroyed.unwrap_or(last));
            let lane = (instance.source, shows);
            LaneRow::new(Row::Instance(row), lane, times, Group::Alone)
        })
    }

    /// Returns NVTX ranges on their threads.
    pub fn ranges(self) -> impl Iterator<Item = LaneRow> + 'a {
        numbered(&self.trace.work.ranges).map(|(row, range)| {
            // Push/pop ranges nest; start/end ranges need not.
            let group = match range.kind {
                RangeKind::PushPop => Group::Of(0),
                RangeKind::StartEnd => Group::Alone,
            };
            let lane = (range.source, Shows::Ranges(range.source, range.thread));
            LaneRow::new(Row::Range(row), lane, (range.start, range.end), group)
        })
    }

    /// Returns CUDA API calls on their threads.
    pub fn api_calls(self) -> impl Iterator<Item = LaneRow> + 'a {
        numbered(&self.trace.devices.calls).map(|(row, call)| {
            let lane = (call.source, Shows::ApiCalls(call.source, call.thread));
            let times = (call.start, call.end);
            LaneRow::new(Row::ApiCall(row), lane, times, Group::Of(0))
        })
    }

    /// Returns overheads on their threads.
    pub fn overheads(self) -> impl Iterator<Item = LaneRow> + 'a {
        numbered(&self.trace.devices.overheads).map(|(row, overhead)| {
            let shows = Shows::Overheads(overhead.source, overhead.thread);
            let times = (overhead.start, overhead.end);
            let lane = (overhead.source, shows);
            LaneRow::new(Row::Overhead(row), lane, times, Group::Of(0))
        })
    }

    /// Returns the row of the first task that a launch serves.
    fn first_task(self, launch: &Launch) -> Option<u32> {
        let mut served = launch.served();
        served.find_map(|(uid, _)| match self.index.served(launch.source, uid)? {
            Served::Task(row) => Some(row),
            Served::Copy(_) => None,
        })
    }
}

/// Returns the launch of a kernel, if it was linked to one.
pub fn launch_of<'a>(trace: &'a Trace, outcome: &Outcome) -> Option<&'a Launch> {
    match outcome {
        Outcome::Linked { launch, .. } => trace.work.launches.get(launch.0 as usize),
        Outcome::Unmatched(_) => None,
    }
}

/// Returns the processor whose lane shows a kernel. Only kernels that the runtime recorded have
/// one.
fn on_processor(kernel: &Kernel) -> Option<ProcessorId> {
    let is_host = kernel.recorder == Recorder::Host;
    kernel.processor.filter(|_| is_host)
}

/// Returns the name of a stream, by its device, context and stream.
pub fn stream_name([device, context, stream]: [Option<i64>; 3]) -> String {
    let number = |what: &str, number: Option<i64>| {
        number.map_or_else(String::new, |number| format!(" {what} {number}"))
    };
    let device = device.map_or_else(
        || "unknown processor".to_owned(),
        |device| format!("GPU {device}"),
    );
    let context = context.filter(|context| *context != 1);
    format!(
        "{device}{}{}",
        number("context", context),
        number("stream", stream)
    )
}

/// The name of the lane of dependent partitioning.
pub const PARTITIONING: &str = "dependent partitioning";

/// Returns the name of the lane of a thread's overheads.
pub fn overhead_name(thread: Option<i64>) -> String {
    match thread {
        Some(thread) => format!("thread {} CUDA overhead", thread & 0xff_ffff),
        None => "CUDA overhead".to_owned(),
    }
}

/// Returns the name of a channel, by the names of its ends.
pub fn channel_name(from: Option<&str>, to: &str) -> String {
    match from {
        Some(from) => format!("{from} to {to}"),
        None => format!("fills of {to}"),
    }
}
