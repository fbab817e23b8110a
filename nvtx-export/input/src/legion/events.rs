//! The graph of events: activities, the events they waited for, and the causes of the events in
//! between.
//!
//! Each activity ends with an event (`fevent`). It names the last event that it waited for
//! (`critical`), and the end of the activity that requested it (`creator`). Merged events, user
//! events and the like have their own records. (Legion, `legion_profiling.cc`.)

use super::uid_of_event;
use rustc_hash::{FxHashMap, FxHashSet};
use weft_model::{Activity, ActivityKind, EventId, Pause, Recording, SourceIndex, Trigger};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Timestamp;

/// The number of dependent partitioning among the tasks of the runtime. None of them has this
/// number.
pub(super) const PARTITIONING: u64 = u64::MAX;

/// An activity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ran {
    pub(super) kind: ActivityKind,
    /// Legion's id of the operation, slice or point.
    pub(super) id: u64,
    /// The task of the runtime, or [`PARTITIONING`]; 0 for others.
    pub(super) meta: u64,
    pub(super) processor: Option<u16>,
    pub(super) created: Timestamp,
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    pub(super) finish: u64,
    pub(super) precondition: u64,
    pub(super) creator: u64,
}

/// A pause of an activity. Records name its operation, but not which of the operation's tasks it
/// was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waited {
    pub(super) id: u64,
    /// The task of the runtime, as in [`Ran`]; `None` for a task of the program.
    pub(super) meta: Option<u64>,
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    pub(super) event: u64,
}

/// The causes of events in one file.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) ran: Vec<Ran>,
    pub(super) waited: Vec<Waited>,
    /// Pairs of the event at the end of an activity, and an event that it waited for.
    pub(super) waits: FxHashSet<(u64, u64)>,
    pub(super) triggers: Vec<Trigger>,
}

/// The activity that a wait belongs to: whether it is a task of the program, the operation, and the
/// runtime's task.
type ActivityKey = (bool, u64, u64);

impl Events {
    /// Adds the cause of an event.
    pub(super) fn trigger(
        &mut self,
        source: SourceIndex,
        event: u64,
        by: Option<u64>,
        at: Timestamp,
        after: [Option<u64>; 4],
    ) {
        self.triggers.push(Trigger {
            source,
            event: EventId(event),
            by: EventId(by.unwrap_or(0)),
            at,
            after: after.map(|event| EventId(event.unwrap_or(0))),
        });
    }

    /// Appends all causes. `root` maps an id to its operation.
    pub(super) fn append(
        &mut self,
        recording: &mut Recording,
        source: SourceIndex,
        root: impl Fn(u64) -> u64,
    ) {
        let graph = &mut recording.work.events;
        let first = graph.activities.len() as u32;
        let mut places: FxHashMap<ActivityKey, Vec<u32>> = FxHashMap::default();
        for (row, ran) in (first..).zip(&self.ran) {
            let is_meta = ran.kind == ActivityKind::Runtime;
            places
                .entry((is_meta, ran.id, ran.meta))
                .or_default()
                .push(row);
            graph.activities.push(Activity {
                source,
                kind: ran.kind,
                uid: match ran.kind {
                    ActivityKind::Task | ActivityKind::Program => Uid::from_raw(ran.id),
                    ActivityKind::Copy => uid_of_event(ran.finish),
                    ActivityKind::Runtime if ran.meta == PARTITIONING => uid_of_event(ran.finish),
                    ActivityKind::Runtime => None,
                },
                operation: Uid::from_raw(root(ran.id)),
                processor: ran.processor.map(ProcessorId),
                created: ran.created,
                start: ran.start,
                end: ran.end,
                finish: EventId(ran.finish),
                precondition: EventId(ran.precondition),
                creator: EventId(ran.creator),
            });
        }
        for waited in &self.waited {
            let key = (waited.meta.is_some(), waited.id, waited.meta.unwrap_or(0));
            let around = places.get(&key).into_iter().flatten().filter_map(|row| {
                let activity = graph.activities.get(*row as usize)?;
                let is_around = activity.start <= waited.start && waited.end <= activity.end;
                // If several activities enclose the pause, prefer the one that is known to have
                // waited for the event.
                let known = self.waits.contains(&(activity.finish.0, waited.event));
                is_around.then_some((known, activity.start, *row))
            });
            if let Some((.., activity)) = around.max() {
                graph.pauses.push(Pause {
                    source,
                    activity,
                    start: waited.start,
                    end: waited.end,
                    event: EventId(waited.event),
                });
            }
        }
        graph.triggers.append(&mut self.triggers);
        *self = Events::default();
    }
}
