//! What becomes slices, family by family: on which track, within what.

use super::flows::launch_of;
use super::tracks::{Shows, TrackKey, Tracks};
use crate::joined::{
    Family as Of, Index, Joined, Kernel, Launch, Moment, Outcome, RangeKind, Recorder, Served,
};
use crate::timeline::place::Group;
use weft_trace::time::Timestamp;

/// A row that becomes a slice. Of slices with the same times on one track the earlier variant is the outer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    Task(u32),
    Launch(u32),
    Kernel(u32),
    Wait(u32),
    Device(u32),
    RuntimeCall(u32),
    Copy(u32),
    Instance(u32),
    Range(u32),
    ApiCall(u32),
}

/// A slice to place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) track: TrackKey,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) group: Group,
    pub(super) what: What,
}

/// Rows that share tracks, so that the slices of the others need not be held at the same time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Family {
    Processors,
    Devices,
    RuntimeCalls,
    Streams,
    Channels,
    Memories,
    Ranges,
    ApiCalls,
}

/// All of them, in the order of the tracks of a process.
pub(super) const FAMILIES: [Family; 8] = [
    Family::Processors,
    Family::Devices,
    Family::RuntimeCalls,
    Family::Streams,
    Family::Channels,
    Family::Memories,
    Family::Ranges,
    Family::ApiCalls,
];

/// Whether a kernel ran on a processor that has a track.
fn on_processor(kernel: &Kernel) -> Option<weft_trace::id::ProcessorId> {
    kernel
        .processor
        .filter(|_| kernel.recorder == Recorder::Host)
}

/// The row of the task that a launch serves first.
fn first_task(index: &Index, launch: &Launch) -> Option<u32> {
    let mut served = launch.served();
    served.find_map(|(uid, _)| match index.served(launch.source, uid)? {
        Served::Task(row) => Some(row),
        Served::Copy(_) => None,
    })
}

/// The slices of a family. `last` is the end of the trace.
pub(super) fn of(
    joined: &Joined,
    index: &Index,
    tracks: &mut Tracks<'_>,
    family: Family,
    last: i64,
) -> Vec<Item> {
    let mut items = Items {
        joined,
        index,
        tracks,
        items: Vec::new(),
    };
    match family {
        Family::Processors => items.processors(),
        Family::Devices => items.devices(),
        Family::RuntimeCalls => items.runtime_calls(),
        Family::Streams => items.streams(),
        Family::Channels => items.channels(),
        Family::Memories => items.memories(last),
        Family::Ranges => items.ranges(),
        Family::ApiCalls => items.api_calls(),
    }
    let mut items = items.items;
    items.sort_unstable_by_key(|item| {
        let end = std::cmp::Reverse(item.end);
        (item.track, item.start, end, item.what)
    });
    items
}

struct Items<'a, 't> {
    joined: &'a Joined,
    index: &'a Index,
    tracks: &'a mut Tracks<'t>,
    items: Vec<Item>,
}

fn rows<T>(table: &[T]) -> impl Iterator<Item = (u32, &T)> {
    (0..).zip(table)
}

impl Items<'_, '_> {
    /// A row that ends before it starts is a damaged one, and has no length.
    fn push(
        &mut self,
        track: TrackKey,
        start: Timestamp,
        end: Timestamp,
        group: Group,
        what: What,
    ) {
        self.items.push(Item {
            track,
            start: start.nanos(),
            end: end.max(start).nanos(),
            group,
            what,
        });
    }

    fn processors(&mut self) {
        for (row, task) in rows(&self.joined.tasks) {
            let process = self.tracks.of_source(task.source);
            let track = (process, Shows::Processor(task.source, task.processor));
            self.push(track, task.start, task.end, Group::Of(row), What::Task(row));
        }
        for (row, launch) in rows(&self.joined.launches) {
            let task = first_task(self.index, launch);
            let same = task.and_then(|task| self.joined.tasks.get(task as usize));
            let same = same.is_some_and(|task| {
                (task.start, task.end, task.processor)
                    == (launch.start, launch.end, launch.processor)
            });
            // Where a launch serves one task and has its times it says no more than the task does.
            if same && launch.served().count() == 1 {
                continue;
            }
            let process = self.tracks.of_source(launch.source);
            let track = (process, Shows::Processor(launch.source, launch.processor));
            let group = task.map_or(Group::Alone, Group::Of);
            self.push(track, launch.start, launch.end, group, What::Launch(row));
        }
        let kernels = rows(&self.joined.kernels).zip(&self.joined.outcomes);
        for ((row, kernel), outcome) in kernels {
            let Some(processor) = on_processor(kernel) else {
                continue;
            };
            let launch = launch_of(self.joined, outcome);
            let task = launch.and_then(|launch| first_task(self.index, launch));
            let process = self.tracks.of_source(kernel.source);
            let track = (process, Shows::Processor(kernel.source, processor));
            let group = task.map_or(Group::Alone, Group::Of);
            self.push(track, kernel.start, kernel.end, group, What::Kernel(row));
        }
        for (row, wait) in rows(&self.joined.waits) {
            let served = wait
                .task
                .and_then(|task| self.index.served(wait.source, task));
            let Some(Served::Task(task)) = served else {
                continue;
            };
            let Some(place) = self.joined.tasks.get(task as usize) else {
                continue;
            };
            let process = self.tracks.of_source(wait.source);
            let track = (process, Shows::Processor(place.source, place.processor));
            self.push(
                track,
                wait.start,
                wait.end,
                Group::Of(task),
                What::Wait(row),
            );
        }
    }

    fn devices(&mut self) {
        for (row, task) in rows(&self.joined.tasks) {
            if let Some((start, end)) = task.device {
                let process = self.tracks.of_source(task.source);
                let track = (process, Shows::Device(task.source, task.processor));
                self.push(track, start, end, Group::Alone, What::Device(row));
            }
        }
    }

    fn runtime_calls(&mut self) {
        for (row, call) in self.joined.thread_calls() {
            let process = self.tracks.of_source(call.source);
            let track = (process, Shows::RuntimeCalls(call.source, call.processor));
            self.push(
                track,
                call.start,
                call.end,
                Group::Of(0),
                What::RuntimeCall(row),
            );
        }
    }

    fn streams(&mut self) {
        for (row, kernel) in rows(&self.joined.kernels) {
            if on_processor(kernel).is_some() {
                continue;
            }
            let process = match kernel.process {
                Some(_) => self.tracks.of_process(kernel.source, kernel.process),
                None => self.tracks.of_source(kernel.source),
            };
            let track = (
                process,
                Shows::Stream(kernel.device, kernel.context, kernel.stream),
            );
            self.push(
                track,
                kernel.start,
                kernel.end,
                Group::Alone,
                What::Kernel(row),
            );
        }
    }

    fn channels(&mut self) {
        for (row, copy) in rows(&self.joined.copies) {
            let process = self.tracks.of_source(copy.source);
            let (from, to) = self.joined.ends(copy);
            let track = (process, Shows::Channel(from, to));
            self.push(track, copy.start, copy.end, Group::Alone, What::Copy(row));
        }
    }

    fn memories(&mut self, last: i64) {
        let last = Timestamp::from_nanos_since_session_start(last);
        for (row, instance) in rows(&self.joined.instances) {
            let process = self.tracks.of_source(instance.source);
            let track = (process, Shows::Memory(instance.source, instance.memory));
            let end = instance.destroyed.unwrap_or(last);
            let what = What::Instance(row);
            self.push(track, instance.created, end, Group::Alone, what);
        }
    }

    fn ranges(&mut self) {
        for (row, range) in rows(&self.joined.ranges) {
            let process = self.tracks.of_thread(range.source, range.thread);
            let track = (process, Shows::Ranges(range.source, range.thread));
            // What is pushed and popped nests; what is started and ended may not.
            let group = match range.kind {
                RangeKind::PushPop => Group::Of(0),
                RangeKind::StartEnd => Group::Alone,
            };
            self.push(track, range.start, range.end, group, What::Range(row));
        }
    }

    fn api_calls(&mut self) {
        for (row, call) in rows(&self.joined.calls) {
            let process = self.tracks.of_thread(call.source, call.thread);
            let track = (process, Shows::ApiCalls(call.source, call.thread));
            self.push(
                track,
                call.start,
                call.end,
                Group::Of(0),
                What::ApiCall(row),
            );
        }
    }
}

/// From the first start to the last end of all that becomes slices; `None` where there is none.
pub(super) fn span(joined: &Joined) -> Option<(i64, i64)> {
    const DRAWN: [Of; 10] = [
        Of::Tasks,
        Of::TasksOnDevices,
        Of::Launches,
        Of::Kernels,
        Of::Waits,
        Of::RuntimeCalls,
        Of::Copies,
        Of::Ranges,
        Of::ApiCalls,
        Of::Instances,
    ];
    let mut span: Option<(i64, i64)> = None;
    joined.times(|of, time| {
        let at = time.nanos();
        if !DRAWN.contains(&of.family) {
            return;
        }
        span = match (of.moment, span) {
            (Moment::Start, None) => Some((at, at)),
            (Moment::Start, Some((first, last))) => Some((first.min(at), last.max(at))),
            (Moment::End, Some((first, last))) => Some((first, last.max(at))),
            (Moment::End | Moment::Before | Moment::Within, span) => span,
        };
    });
    span
}

/// Waits of tasks without a row, which have no track.
pub(super) fn dangling_waits(joined: &Joined, index: &Index) -> u64 {
    let dangling = |wait: &&crate::joined::Wait| {
        wait.task
            .is_some_and(|task| !matches!(index.served(wait.source, task), Some(Served::Task(_))))
    };
    joined.waits.iter().filter(dangling).count() as u64
}

/// The outcome of a kernel.
pub(super) fn outcome(joined: &Joined, kernel: u32) -> Option<&Outcome> {
    joined.outcomes.get(kernel as usize)
}
