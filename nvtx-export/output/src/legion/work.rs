//! Tasks with their waits and predecessors, and calls of the runtime, processor by processor.

use super::Shared;
use super::clock::Steps;
use super::file::{File, FileProcessor, OperationKind};
use super::ids::{NONE, Node};
use super::records::{
    EventMergerInfo, GPUTaskInfo, MetaInfo, RuntimeCallInfo, SliceOwner, TaskInfo, TaskWaitInfo,
};
use std::io::{self, Write};
use weft_model::lanes::{Group, Lanes};
use weft_model::rows::{LaneRow, Row, Rows, Shows};
use weft_model::{Index, Outcome, ProvenanceIndex, Recorder, RuntimeCall, Served, Task, Trace};
use weft_trace::id::ProcessorId;
use weft_trace::record::ProcessorKind;
use weft_trace::time::Timestamp;

/// The time from the first to the last of each task's work on a device.
pub(super) struct WorkTimes(Vec<Option<(Timestamp, Timestamp)>>);

impl WorkTimes {
    /// Takes the times recorded by the runtime, or else those of the linked kernels.
    pub(super) fn new(trace: &Trace, index: &Index) -> Self {
        let mut spans: Vec<_> = trace.work.tasks.iter().map(|task| task.device).collect();
        for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
            let Outcome::Linked { launch, .. } = outcome else {
                continue;
            };
            let launch = trace.work.launches.get(launch.0 as usize);
            if let Some(launch) = launch.filter(|_| kernel.recorder != Recorder::Host) {
                for (uid, _) in launch.served() {
                    let Some(Served::Task(row)) = index.served(launch.source, uid) else {
                        continue;
                    };
                    if let Some(span) = spans.get_mut(row as usize) {
                        let (start, end) = span.unwrap_or((kernel.start, kernel.end));
                        *span = Some((start.min(kernel.start), end.max(kernel.end)));
                    }
                }
            }
        }
        WorkTimes(spans)
    }
}

/// The predecessors of tasks: sorted pairs of rows (later, earlier).
pub(super) struct Predecessors(Vec<(u32, u32)>);

/// Returns the dependences between tasks that both have a row.
pub(super) fn dependencies(shared: &mut Shared<'_>) -> Predecessors {
    let mut pairs = Vec::with_capacity(shared.trace.work.dependencies.len());
    for edge in &shared.trace.work.dependencies {
        let ends = [edge.to, edge.from].map(|uid| shared.index.served(edge.source, uid));
        match ends {
            [Some(Served::Task(to)), Some(Served::Task(from))] => pairs.push((to, from)),
            _ => shared.report.dependencies_left_out += 1,
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    Predecessors(pairs)
}

/// Waits of tasks, sorted and disjoint: the row of the task, start, ready, end.
pub(super) struct Waits(Vec<(u32, [u64; 3])>);

/// Returns the waits, clipped to their tasks and made disjoint.
pub(super) fn waits(shared: &mut Shared<'_>) -> Waits {
    let clock = shared.clock;
    let mut waits = Vec::with_capacity(shared.trace.work.waits.len());
    let mut all = 0;
    for wait in &shared.trace.work.waits {
        // Waits of the program are drawn as calls.
        let Some(task) = wait.task else {
            continue;
        };
        all += 1;
        let Some(Served::Task(row)) = shared.index.served(wait.source, task) else {
            continue;
        };
        let Some(task) = shared.trace.work.tasks.get(row as usize) else {
            continue;
        };
        let [from, to] = [task.start, task.end].map(|time| clock.time(time));
        let [from, to] = shared.parts.cut(row, [from, to.max(from)]);
        let times = [wait.start, wait.ready, wait.end].map(|time| clock.time(time));
        let [start, ready, end] = times.map(|time| time.min(to).max(from));
        if start <= ready && ready <= end {
            waits.push((row, [start, ready, end]));
        }
    }
    waits.sort_unstable();
    let mut over: Option<(u32, u64)> = None;
    waits.retain(|(row, [start, _, end])| {
        let apart = over.is_none_or(|(task, over)| task != *row || over <= *start);
        if apart {
            over = Some((*row, *end));
        }
        apart
    });
    shared.report.waits_left_out = all - waits.len() as u64;
    Waits(waits)
}

impl Waits {
    fn for_row(&self, row: u32) -> impl Iterator<Item = &[u64; 3]> {
        let first = self.0.partition_point(|(task, _)| *task < row);
        let rows = self.0.get(first..).unwrap_or_default().iter();
        rows.take_while(move |(task, _)| *task == row)
            .map(|(_, times)| times)
    }
}

#[derive(Clone, Copy, Debug)]
struct Item {
    processor: ProcessorId,
    start: u64,
    end: u64,
    row: Row,
}

/// A row that runtime calls can lie within.
struct Root {
    group: u32,
    task: Option<u32>,
    start: u64,
    end: u64,
    event: u64,
}

/// Returns the event of the end of a task.
fn event_of(node: Node, task: u32) -> u64 {
    node.event(1 + u64::from(task))
}

impl<W: Write> File<'_, '_, W> {
    /// Writes the tasks, waits, dependences and runtime calls of this source.
    pub(super) fn work(&mut self, before: &Predecessors, waits: &Waits) -> io::Result<()> {
        let trace = self.shared.trace;
        let clock = self.shared.clock;
        let parts = self.shared.parts;
        let item = |placed: LaneRow| {
            let (Shows::Processor(_, processor) | Shows::RuntimeCalls(_, processor)) = placed.shows
            else {
                return None;
            };
            let times = [clock.time(placed.start), clock.time(placed.end)];
            let [start, end] = match placed.row {
                Row::Task(row) => parts.cut(row, times),
                _ => times,
            };
            Some(Item {
                processor,
                start,
                end,
                row: placed.row,
            })
        };
        let rows = Rows {
            trace,
            index: self.shared.index,
        };
        let work = rows.tasks().chain(rows.runtime_calls());
        let work = work.filter(|placed| placed.source == self.source);
        let mut items: Vec<Item> = work.filter_map(item).collect();
        // At equal times, tasks come first.
        items.sort_unstable_by_key(|item| {
            let end = std::cmp::Reverse(item.end);
            (item.processor, item.start, end, item.row)
        });
        for items in items.chunk_by(|a, b| a.processor == b.processor) {
            self.on_processor(items, before, waits)?;
        }
        Ok(())
    }

    fn on_processor(
        &mut self,
        items: &[Item],
        before: &Predecessors,
        waits: &Waits,
    ) -> io::Result<()> {
        let Some(first) = items.first() else {
            return Ok(());
        };
        let own = self.processor(first.processor)?;
        let mut numbers = vec![own.number];
        let mut lanes = Lanes::default();
        let mut closed = Vec::new();
        let mut root: Option<Root> = None;
        for item in items {
            let open = root
                .as_ref()
                .filter(|root| root.end > item.start && root.end >= item.end);
            let around = open.filter(|root| match item.row {
                // The reader shows tasks with equal times one after the other.
                Row::Task(_) => {
                    root.task.is_some() && (root.start, root.end) == (item.start, item.end)
                }
                _ => {
                    let mut waits = root.task.into_iter().flat_map(|task| waits.for_row(task));
                    let apart = |[start, _, end]: &[u64; 3]| {
                        *end <= item.start
                            || item.end <= *start
                            || (item.start <= *start && *end <= item.end)
                    };
                    waits.all(apart)
                }
            });
            // If no row lies around the item, later items may lie within it.
            let next = root.as_ref().map_or(0, |root| root.group + 1);
            let group = Group::Of(around.map_or(next, |root| root.group));
            let (start, end) = (signed(item.start), signed(item.end));
            let placed = lanes.place(start, end, group, &mut closed);
            closed.clear();
            let lane = placed.lane as usize;
            if lane > 0 {
                self.shared.report.rows_on_added_processors += 1;
            }
            while numbers.len() <= lane {
                numbers.push(self.add_processor(own.kind)?);
            }
            let place = FileProcessor {
                kind: own.kind,
                number: numbers.get(lane).copied().unwrap_or(own.number),
            };
            let event = match item.row {
                Row::Task(row) => self.task(row, place, before, waits)?,
                Row::RuntimeCall(row) => {
                    let caller = around.map(|root| root.event);
                    self.call(row, place, caller.filter(|_| placed.within))?
                }
                _ => continue,
            };
            if !placed.within {
                root = Some(Root {
                    group: next,
                    task: match item.row {
                        Row::Task(row) => Some(row),
                        _ => None,
                    },
                    start: item.start,
                    end: item.end,
                    event,
                });
            }
        }
        Ok(())
    }

    /// Writes a task, and returns its event.
    fn task(
        &mut self,
        row: u32,
        place: FileProcessor,
        before: &Predecessors,
        waits: &Waits,
    ) -> io::Result<u64> {
        let fevent = event_of(self.node, row);
        let Some(task) = self.shared.trace.work.tasks.get(row as usize) else {
            return Ok(fevent);
        };
        let operation = self.operation_row(task.operation);
        let provenance = operation.map_or(ProvenanceIndex(0), |operation| operation.provenance);
        let parent = Some(task.operation);
        self.operation(task.uid, parent, OperationKind::Task, provenance)?;
        let (op_id, parent_id) = (task.uid.raw(), task.operation.raw());
        self.put(&SliceOwner { parent_id, op_id })?;
        let (task_id, variant_id) = self.task_kind(operation, place.kind)?;
        let critical = self.merge(row, before)?;
        let times = [task.created, task.ready, task.start, task.end];
        let steps = Steps::new(self.shared.clock, times);
        self.shared.report.rows_with_times_moved += u64::from(steps.moved);
        let Steps {
            create,
            ready,
            start,
            stop,
            ..
        } = steps;
        let [start, stop] = self.shared.parts.cut(row, [start, stop]);
        let proc_id = place.number;
        match self.device(row, place) {
            Some((gpu_start, gpu_stop)) => self.put(&GPUTaskInfo {
                op_id,
                task_id,
                variant_id,
                proc_id,
                create,
                ready,
                start,
                stop,
                gpu_start,
                gpu_stop,
                creator: NONE,
                critical,
                fevent,
            })?,
            None => self.put(&TaskInfo {
                op_id,
                task_id,
                variant_id,
                proc_id,
                create,
                ready,
                start,
                stop,
                creator: NONE,
                critical,
                fevent,
            })?,
        }
        // Waits are found by UID. If two tasks have the same UID, which is impossible in an intact
        // trace, the later one gets them.
        self.waits(row, task, waits, (task_id, variant_id))?;
        Ok(fevent)
    }

    fn waits(
        &mut self,
        row: u32,
        task: &Task,
        waits: &Waits,
        (task_id, variant_id): (u32, u32),
    ) -> io::Result<()> {
        for [wait_start, wait_ready, wait_end] in waits.for_row(row).copied() {
            self.put(&TaskWaitInfo {
                op_id: task.uid.raw(),
                task_id,
                variant_id,
                wait_start,
                wait_ready,
                wait_end,
                wait_event: self.unknown_event(),
            })?;
        }
        Ok(())
    }

    /// Returns the time of a task's work on its GPU, if it did any.
    fn device(&self, row: u32, place: FileProcessor) -> Option<(u64, u64)> {
        let clock = self.shared.clock;
        let span = self.shared.spans.0.get(row as usize).copied().flatten();
        let (start, end) = span.filter(|_| place.kind == ProcessorKind::Gpu)?;
        let start = clock.time(start);
        let end = clock.time(end).max(start);
        let [start, end] = self.shared.parts.cut(row, [start, end]);
        Some((start, end))
    }

    /// Returns the event that merges all predecessors of a task, with the latest of their times;
    /// `NONE` without predecessors.
    fn merge(&mut self, row: u32, before: &Predecessors) -> io::Result<u64> {
        let first = before.0.partition_point(|(task, _)| *task < row);
        let pairs = before.0.get(first..).unwrap_or_default();
        let length = pairs.iter().take_while(|(task, _)| *task == row).count();
        let pairs = pairs.get(..length).unwrap_or_default();
        let result = if pairs.is_empty() { NONE } else { self.event() };
        for four in pairs.chunks(4) {
            let mut events = [NONE; 4];
            for (event, (_, task)) in events.iter_mut().zip(four) {
                let source = self.shared.trace.work.tasks.get(*task as usize);
                let node = source.and_then(|task| self.shared.node(task.source));
                *event = event_of(node.unwrap_or(self.node), *task);
            }
            let [pre0, pre1, pre2, pre3] = events;
            self.put(&EventMergerInfo {
                result,
                fevent: self.unknown_event(),
                performed: 0,
                pre0,
                pre1,
                pre2,
                pre3,
            })?;
        }
        Ok(result)
    }

    /// Writes a runtime call. Inside another row it becomes a call of that row; otherwise a meta
    /// task, whose event is returned.
    fn call(&mut self, row: u32, place: FileProcessor, caller: Option<u64>) -> io::Result<u64> {
        let Some(call) = self.shared.trace.thread_call(row) else {
            return Ok(NONE);
        };
        let RuntimeCall { start, end, .. } = call;
        let steps = Steps::new(self.shared.clock, [start, start, start, end]);
        self.shared.report.rows_with_times_moved += u64::from(steps.moved);
        if let Some(fevent) = caller {
            let kind = self.runtime_call(call.kind)?;
            self.put(&RuntimeCallInfo {
                kind,
                start: steps.start,
                stop: steps.stop,
                proc_id: place.number,
                fevent,
            })?;
            return Ok(fevent);
        }
        let lg_id = self.meta(call.kind)?;
        let fevent = self.event();
        self.put(&MetaInfo {
            op_id: call.operation.map_or(0, |uid| uid.raw()),
            lg_id,
            proc_id: place.number,
            create: steps.create,
            ready: steps.ready,
            start: steps.start,
            stop: steps.stop,
            creator: NONE,
            critical: NONE,
            fevent,
        })?;
        Ok(fevent)
    }
}

/// Converts a time of the file to a time of lanes. Both are in the same order.
fn signed(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}
