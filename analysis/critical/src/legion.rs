//! The causes of activities in runs of Legion, by the graph of events.

use super::cause::{Cause, Node, cause};
use super::split::Stretch;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use weft_model::{
    Activity, ActivityKind, EventId, Pause, RunIndex, SourceIndex, StepKind, Trace, Trigger,
};
use weft_trace::id::{ProcessorId, Uid};

/// An event of a run.
type EventKey = (RunIndex, EventId);

/// The time at which an event was triggered, and the activity that did it, if known.
type Fired = (i64, Option<u32>);

/// The graph of events, in the order in which it is searched.
pub struct Events<'a> {
    trace: &'a Trace,
    /// Activities by the events of their ends.
    ends: FxHashMap<EventKey, u32>,
    /// Rows of triggers, by their event.
    triggers: Vec<(EventKey, u32)>,
    /// Rows of pauses, by activity and start.
    pauses: Vec<(u32, i64, u32)>,
    /// Activities by processor and end.
    by_processor: Vec<(SourceIndex, ProcessorId, i64, u32)>,
    /// The threads of programs, by their start.
    programs: Vec<(SourceIndex, i64, u32)>,
    /// The known triggers of events; `None` during the search.
    fired: RefCell<FxHashMap<EventKey, Option<Fired>>>,
}

impl<'a> Events<'a> {
    /// Builds the graph of a trace.
    pub fn new(trace: &'a Trace) -> Self {
        let graph = &trace.work.events;
        let run = |source| trace.run_of(source);
        let activities = || (0_u32..).zip(&graph.activities);
        let mut triggers: Vec<_> = (0..)
            .zip(&graph.triggers)
            .map(|(row, trigger)| ((run(trigger.source), trigger.event), row))
            .collect();
        triggers.sort_unstable();
        let mut pauses: Vec<_> = (0..)
            .zip(&graph.pauses)
            .map(|(row, pause)| (pause.activity, pause.start.nanos(), row))
            .collect();
        pauses.sort_unstable();
        let mut by_processor: Vec<_> = activities()
            .filter(|(_, row)| row.kind != ActivityKind::Program)
            .filter_map(|(at, row)| Some((row.source, row.processor?, row.end.nanos(), at)))
            .collect();
        by_processor.sort_unstable();
        let mut programs: Vec<_> = activities()
            .filter(|(_, row)| row.kind == ActivityKind::Program)
            .map(|(at, row)| (row.source, row.start.nanos(), at))
            .collect();
        programs.sort_unstable();
        Events {
            trace,
            ends: activities()
                .filter(|(_, row)| row.finish.is_some())
                .map(|(at, row)| ((run(row.source), row.finish), at))
                .collect(),
            triggers,
            pauses,
            by_processor,
            programs,
            fired: RefCell::default(),
        }
    }

    /// Returns an activity.
    pub fn get(&self, row: u32) -> Option<&'a Activity> {
        self.trace.work.events.activities.get(row as usize)
    }

    /// Returns the earliest and the latest time of all activities.
    pub fn span(&self) -> Option<(i64, i64)> {
        let rows = self.trace.work.events.activities.iter();
        let spans = rows.map(|row| (row.start.min(row.created).nanos(), row.end.nanos()));
        spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }

    /// Returns the ends of all activities as causes.
    pub(crate) fn last(&self) -> impl Iterator<Item = Cause> + '_ {
        let rows = (0..).zip(&self.trace.work.events.activities);
        rows.map(|(at, row)| cause(row.end.nanos(), Node::Activity(at)))
    }

    /// Returns a stretch of an activity. The program's own time counts for the operation that it
    /// called `next`.
    pub(crate) fn stretch(&self, activity: &Activity, next: Option<Uid>) -> Stretch {
        let (kind, operation) = match activity.kind {
            ActivityKind::Task => (StepKind::Task, activity.operation),
            ActivityKind::Copy => (StepKind::Copy, activity.operation),
            ActivityKind::Runtime => (StepKind::Analysis, activity.operation),
            ActivityKind::Program => (StepKind::Program, next),
        };
        Stretch {
            source: activity.source,
            // The thread of a program is also a task, but its steps are not that task's work.
            uid: activity
                .uid
                .filter(|_| activity.kind != ActivityKind::Program),
            operation,
            processor: activity.processor,
            ..Stretch::new(kind)
        }
    }

    /// Returns the pauses of an activity that began before `until`, the last first.
    pub fn pauses(&self, row: u32, until: i64) -> impl Iterator<Item = &'a Pause> + '_ {
        let end = self
            .pauses
            .partition_point(|pause| (pause.0, pause.1) < (row, until));
        let rows = self.pauses.get(..end).unwrap_or_default().iter().rev();
        let own = rows.take_while(move |pause| pause.0 == row);
        own.filter_map(|pause| self.trace.work.events.pauses.get(pause.2 as usize))
    }

    /// Returns the causes that delayed the start of an activity.
    pub(crate) fn causes(&self, row: u32, start: i64) -> Vec<Cause> {
        let Some(activity) = self.get(row) else {
            return Vec::new();
        };
        let own = Node::Activity(row);
        let precondition = self.fired(activity.source, activity.precondition);
        let run = self.trace.run_of(activity.source);
        let creator = self.ends.get(&(run, activity.creator));
        let creator = creator.map(|creator| {
            let at = activity.created.min(activity.start).nanos();
            cause(at, Node::Activity(*creator))
        });
        let before = activity.processor.and_then(|processor| {
            let key = (activity.source, processor);
            let end = self
                .by_processor
                .partition_point(|row| (row.0, row.1, row.2) <= (key.0, key.1, start));
            let mut rows = self.by_processor.get(..end)?.iter().rev();
            let before = rows.find(|other| other.3 != row)?;
            let is_there = (before.0, before.1) == key && activity.kind != ActivityKind::Program;
            is_there.then(|| cause(before.2, Node::Activity(before.3)))
        });
        let causes = [precondition, creator, before];
        let others = causes.into_iter().flatten();
        others.filter(|cause| cause.node != own).collect()
    }

    /// Returns the thread of the program that had begun last at this time.
    pub(crate) fn program(&self, source: SourceIndex, at: i64) -> Option<Cause> {
        let end = self
            .programs
            .partition_point(|row| (row.0, row.1) < (source, at));
        let (own, _, row) = *self.programs.get(end.checked_sub(1)?)?;
        (own == source).then(|| cause(at, Node::Activity(row)))
    }

    /// Returns the time at which an event was triggered, if known.
    pub fn fired_at(&self, source: SourceIndex, event: EventId) -> Option<i64> {
        self.fired(source, event).map(|cause| cause.at)
    }

    /// Returns the cause that triggered an event, if known.
    pub(crate) fn fired(&self, source: SourceIndex, event: EventId) -> Option<Cause> {
        let run = self.trace.run_of(source);
        let (at, activity) = self.look((run, event))?;
        Some(cause(at, Node::Activity(activity?)))
    }

    /// Finds the trigger of an event from those it waits for. An event that waits for itself was
    /// triggered by the others.
    fn look(&self, event: EventKey) -> Option<Fired> {
        if !event.1.is_some() {
            return None;
        }
        // Merged events form chains of thousands, so an explicit stack is used.
        let mut open = vec![event];
        while let Some(&key) = open.last() {
            let mut known = self.fired.borrow_mut();
            if let Some(Some(_)) = known.get(&key) {
                open.pop();
                continue;
            }
            let is_new = known.insert(key, None).is_none();
            let before = self.before(key);
            if is_new {
                let unknown = before.filter(|other| !known.contains_key(other));
                let length = open.len();
                open.extend(unknown);
                if open.len() > length {
                    continue;
                }
            }
            let fired = self.settle(key, &known);
            known.insert(key, Some(fired.unwrap_or((i64::MIN, None))));
            open.pop();
        }
        let known = self.fired.borrow();
        let fired = known.get(&event).copied().flatten();
        fired.filter(|fired| fired.0 > i64::MIN)
    }

    fn rows(&self, event: EventKey) -> impl Iterator<Item = &'a Trigger> + '_ {
        let first = self.triggers.partition_point(|row| row.0 < event);
        let rows = self.triggers.get(first..).unwrap_or_default().iter();
        let rows = rows.take_while(move |row| row.0 == event);
        rows.filter_map(|row| self.trace.work.events.triggers.get(row.1 as usize))
    }

    /// Returns the events that this one waits for.
    fn before(&self, event: EventKey) -> impl Iterator<Item = EventKey> + '_ {
        let rows = self.rows(event).flat_map(|trigger| trigger.after);
        let some = rows.filter(|after| after.is_some());
        some.map(move |after| (event.0, after))
    }

    /// Returns the trigger of an event, if known for the events it waits for.
    fn settle(&self, event: EventKey, known: &FxHashMap<EventKey, Option<Fired>>) -> Option<Fired> {
        if let Some(activity) = self.ends.get(&event) {
            let end = self.get(*activity)?.end.nanos();
            return Some((end, Some(*activity)));
        }
        let run = event.0;
        let by = |trigger: &Trigger| {
            let activity = self.ends.get(&(run, trigger.by)).copied();
            (trigger.at.nanos(), activity)
        };
        let performed = self.rows(event).map(by);
        let waited = self.before(event);
        let waited = waited.filter_map(|other| known.get(&other).copied().flatten());
        let all: Vec<Fired> = waited.chain(performed).collect();
        let at = all.iter().map(|fired| fired.0).max()?;
        // The activity may be known only for an earlier one.
        let known = all.iter().filter(|fired| fired.1.is_some());
        let last = known.max_by_key(|fired| fired.0);
        Some(last.map_or((at, None), |last| *last))
    }
}
