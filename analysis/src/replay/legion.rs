//! The graphs of runs of Legion, from the graph of their events.

use super::build::{Builder, RecordedNode};
use super::graph::EdgeKind;
use rustc_hash::FxHashMap;
use weft_critical::legion::Events;
use weft_model::{
    Activity, ActivityKind, EventId, Index, Pause, RunIndex, SourceIndex, StepKind, Trace, Trigger,
};
use weft_trace::id::ProcessorId;
use weft_trace::record::ProcessorKind;

/// A stretch of an activity between its pauses: node, start and end.
type Stretch = (u32, i64, i64);

/// Adds the nodes and edges of all runs of Legion.
pub(super) fn add(trace: &Trace, builder: &mut Builder) {
    let graph = &trace.work.events;
    if graph.activities.is_empty() {
        return;
    }
    let run = |source| trace.run_of(source);
    let mut triggers: FxHashMap<(RunIndex, EventId), Vec<&Trigger>> = FxHashMap::default();
    for row in &graph.triggers {
        let key = (run(row.source), row.event);
        triggers.entry(key).or_default().push(row);
    }
    let mut pauses: FxHashMap<u32, Vec<&Pause>> = FxHashMap::default();
    for row in &graph.pauses {
        pauses.entry(row.activity).or_default().push(row);
    }
    for rows in pauses.values_mut() {
        rows.sort_by_key(|row| (row.start, row.end));
    }
    let with_end = (0..).zip(&graph.activities);
    let ends = with_end.filter(|(_, row)| row.finish.is_some());
    let mut legion = Legion {
        trace,
        builder,
        index: Index::new(trace),
        event_graph: Events::new(trace),
        triggers,
        ends: ends
            .map(|(at, row)| ((run(row.source), row.finish), at))
            .collect(),
        stretches: Vec::with_capacity(graph.activities.len()),
        events: FxHashMap::default(),
    };
    legion.activities(&pauses);
    legion.causes(&pauses);
}

struct Legion<'a, 'p> {
    trace: &'a Trace,
    builder: &'p mut Builder,
    index: Index,
    event_graph: Events<'a>,
    triggers: FxHashMap<(RunIndex, EventId), Vec<&'a Trigger>>,
    /// Activities by their end events.
    ends: FxHashMap<(RunIndex, EventId), u32>,
    /// The stretches of each activity.
    stretches: Vec<Vec<Stretch>>,
    /// Nodes of events that are not the end of an activity.
    events: FxHashMap<(RunIndex, EventId), u32>,
}

impl<'a> Legion<'a, '_> {
    /// Adds a node for each stretch of each activity.
    fn activities(&mut self, pauses: &FxHashMap<u32, Vec<&Pause>>) {
        let trace = self.trace;
        let workers = self.workers(pauses);
        for (at, activity) in (0_u32..).zip(&trace.work.events.activities) {
            let kind = match activity.kind {
                ActivityKind::Task => StepKind::Task,
                ActivityKind::Copy => StepKind::Copy,
                ActivityKind::Runtime => StepKind::Analysis,
                ActivityKind::Program => StepKind::Program,
            };
            let line = activity.operation.and_then(|uid| {
                let row = self.index.operation(activity.source, uid)?;
                let line = trace.program.operations.get(row)?.provenance;
                (line.0 != 0).then_some(line)
            });
            let work = activity
                .uid
                .and_then(|uid| self.index.served(activity.source, uid));
            let bytes = match work {
                Some(weft_model::Served::Copy(row)) => trace
                    .work
                    .copies
                    .get(row as usize)
                    .map_or(0, |copy| copy.bytes),
                _ => 0,
            };
            let mut own: Vec<Stretch> = Vec::new();
            for (start, end) in stretches(activity, pauses.get(&at)) {
                let made = RecordedNode {
                    operation: activity.operation,
                    work,
                    worker: workers.get(&(at, start)).copied(),
                    bytes,
                    ..RecordedNode::new(kind, activity.source, start, end)
                };
                let node = self.builder.node(made);
                if let Some(line) = line {
                    self.builder.part(node, line, 1.0);
                }
                if let Some((before, ..)) = own.last() {
                    self.builder.edge(*before, node, EdgeKind::Order);
                }
                own.push((node, start, end.max(start)));
            }
            self.stretches.push(own);
        }
    }

    /// Returns the pool and worker of each stretch that has a processor to itself. A stretch within
    /// another on the same processor has none.
    fn workers(
        &mut self,
        pauses: &FxHashMap<u32, Vec<&Pause>>,
    ) -> FxHashMap<(u32, i64), (u32, u32)> {
        let trace = self.trace;
        let processors = trace.processors_by_id();
        let mut rows: Vec<((SourceIndex, ProcessorId), i64, i64, u32)> = Vec::new();
        for (at, activity) in (0_u32..).zip(&trace.work.events.activities) {
            if let Some(processor) = activity
                .processor
                .filter(|_| activity.kind != ActivityKind::Program)
            {
                let key = (activity.source, processor);
                let own = stretches(activity, pauses.get(&at)).into_iter();
                rows.extend(own.map(|(start, end)| (key, start, end, at)));
            }
        }
        rows.sort_by_key(|row| (row.0, row.1, std::cmp::Reverse(row.2), row.3));
        let mut shared: FxHashMap<SourceIndex, Vec<ProcessorId>> = FxHashMap::default();
        let mut keys: Vec<_> = rows.iter().map(|row| row.0).collect();
        keys.dedup();
        let is_utility = |key: &(SourceIndex, ProcessorId)| {
            processors
                .get(key)
                .is_some_and(|row| row.kind == ProcessorKind::Utility)
        };
        for key in keys.iter().filter(|key| is_utility(key)) {
            shared.entry(key.0).or_default().push(key.1);
        }
        let mut pools = FxHashMap::default();
        for key in keys {
            let place = match is_utility(&key) {
                true => {
                    let ids = shared.get(&key.0).cloned().unwrap_or_default();
                    let worker = ids.iter().position(|id| *id == key.1).unwrap_or(0) as u32;
                    let first = ids.first().and_then(|id| pools.get(&(key.0, *id)).copied());
                    match first {
                        Some((pool, _)) => (pool, worker),
                        None => (self.builder.pool(ids.len() as u32), worker),
                    }
                }
                false => (self.builder.pool(1), 0),
            };
            pools.insert(key, place);
        }
        let mut workers = FxHashMap::default();
        let mut last: Option<((SourceIndex, ProcessorId), i64)> = None;
        for (key, start, end, at) in rows {
            let until = last.filter(|row| row.0 == key).map(|row| row.1);
            if until.is_none_or(|until| start >= until) {
                if let Some(place) = pools.get(&key) {
                    workers.insert((at, start), *place);
                }
                last = Some((key, end));
            }
        }
        workers
    }

    /// Adds the causes of each stretch.
    fn causes(&mut self, pauses: &FxHashMap<u32, Vec<&'a Pause>>) {
        let trace = self.trace;
        for (at, activity) in (0_u32..).zip(&trace.work.events.activities) {
            let own = self.stretches.get(at as usize).cloned().unwrap_or_default();
            let Some((first, ..)) = own.first() else {
                continue;
            };
            let run = trace.run_of(activity.source);
            if let Some(event) = self.event(activity.source, activity.precondition) {
                self.builder.edge(event, *first, EdgeKind::Data);
            }
            if let Some(creator) = self.ends.get(&(run, activity.creator)).copied() {
                let made = activity.created.min(activity.start).nanos();
                if let Some(node) = self.stretch_at(creator, made).filter(|_| creator != at) {
                    self.builder.edge(node, *first, EdgeKind::Submit);
                }
            }
            for pause in pauses.get(&at).into_iter().flatten() {
                let after = own.iter().find(|row| row.1 >= pause.end.nanos());
                let event = self.event(activity.source, pause.event);
                if let (Some((node, ..)), Some(event)) = (after, event) {
                    self.builder.edge(event, *node, EdgeKind::Wait);
                }
            }
        }
    }

    /// Returns the stretch in which an activity was at this time.
    fn stretch_at(&self, activity: u32, at: i64) -> Option<u32> {
        let own = self.stretches.get(activity as usize)?;
        let before = own.iter().rev().find(|row| row.1 <= at);
        before.or(own.first()).map(|row| row.0)
    }

    /// Returns the node of an event: the end of an activity, or its own node that waits for
    /// the event's causes.
    fn event(&mut self, source: SourceIndex, event: EventId) -> Option<u32> {
        if !event.is_some() {
            return None;
        }
        let run = self.trace.run_of(source);
        // Chains of merged events can be thousands long: use an explicit stack.
        let mut open = vec![event];
        while let Some(next) = open.pop() {
            let key = (run, next);
            if self.ends.contains_key(&key) || self.events.contains_key(&key) {
                continue;
            }
            let Some(rows) = self.triggers.get(&key) else {
                continue;
            };
            let rows = rows.clone();
            let Some(fired) = self.event_graph.fired_at(source, next) else {
                continue;
            };
            let made = RecordedNode::new(StepKind::Queue, source, fired, fired);
            let node = self.builder.node(made);
            self.events.insert(key, node);
            for trigger in &rows {
                open.extend(trigger.after.into_iter().filter(|after| after.is_some()));
            }
        }
        let node = self.node_of(run, event)?;
        self.tie(source, event);
        Some(node)
    }

    fn node_of(&self, run: RunIndex, event: EventId) -> Option<u32> {
        let key = (run, event);
        match self.ends.get(&key) {
            Some(activity) => self
                .stretches
                .get(*activity as usize)?
                .last()
                .map(|row| row.0),
            None => self.events.get(&key).copied(),
        }
    }

    /// Connects the nodes of an event, and of the events that it waits for, to their causes, once
    /// each.
    fn tie(&mut self, source: SourceIndex, event: EventId) {
        let run = self.trace.run_of(source);
        let mut open = vec![event];
        while let Some(next) = open.pop() {
            let key = (run, next);
            let Some(node) = self.events.get(&key).copied() else {
                continue;
            };
            // Events that are connected have no triggers left.
            for trigger in self.triggers.remove(&key).unwrap_or_default() {
                if let Some(by) = self.ends.get(&(run, trigger.by)).copied()
                    && let Some(stretch) = self.stretch_at(by, trigger.at.nanos())
                {
                    self.builder.edge(stretch, node, EdgeKind::Submit);
                }
                for after in trigger.after.into_iter().filter(|after| after.is_some()) {
                    if let Some(before) = self.node_of(run, after) {
                        self.builder.edge(before, node, EdgeKind::Data);
                    }
                    open.push(after);
                }
            }
        }
    }
}

/// Returns the start and end of each stretch of an activity between its pauses. There is at least
/// one.
fn stretches(activity: &Activity, pauses: Option<&Vec<&Pause>>) -> Vec<(i64, i64)> {
    let (mut from, end) = (activity.start.nanos(), activity.end.nanos());
    let mut own = Vec::new();
    for pause in pauses.into_iter().flatten() {
        let (start, until) = (pause.start.nanos(), pause.end.nanos());
        if start >= from && until <= end && until >= start {
            own.push((from, start));
            from = until;
        }
    }
    own.push((from, end.max(from)));
    own
}
