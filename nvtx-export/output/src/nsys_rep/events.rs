//! The events of the rows, made one at a time from the tables of the joined trace.

use super::event::{Event, EventKind, Times};
use rustc_hash::FxHashMap;
use weft_model::rows::{Row, Rows};
use weft_model::text::place;
use weft_model::{
    Copy, Family, Index, Kernel, Launch, LaunchIndex, Operation, Outcome, Processor,
    ProvenanceIndex, RunIndex, Served, SourceIndex, StringIndex, Task, Trace,
};
use weft_trace::color;
use weft_trace::id::{MemoryId, ProcessorId, Uid};
use weft_trace::record::ProcessorKind;
use weft_trace::time::Timestamp;

/// A row of a table of the joined trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Item {
    Task(u32),
    /// A launch without any known task.
    Launch(u32),
    Kernel(u32),
    RuntimeCall(u32),
    Wait(u32),
    Copy(u32),
    Instance(u32),
}

impl Item {
    /// Returns the item of a row; `None` if it is not drawn.
    pub(super) const fn from_row(row: Row) -> Option<Item> {
        match row {
            Row::Task(row) => Some(Item::Task(row)),
            Row::Launch(row) => Some(Item::Launch(row)),
            Row::Kernel(row) => Some(Item::Kernel(row)),
            Row::RuntimeCall(row) => Some(Item::RuntimeCall(row)),
            Row::Wait(row) => Some(Item::Wait(row)),
            Row::Copy(row) => Some(Item::Copy(row)),
            Row::Instance(row) => Some(Item::Instance(row)),
            Row::Device(_)
            | Row::Partitioning(_)
            | Row::Range(_)
            | Row::ApiCall(_)
            | Row::Overhead(_) => None,
        }
    }
}

/// The parts of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Wording {
    before: &'static str,
    name: StringIndex,
    place: ProvenanceIndex,
    /// The number of the launch's tasks beyond the first.
    more: u32,
}

/// Makes events.
pub(super) struct Events<'a> {
    pub(super) trace: &'a Trace,
    index: Index,
    processors: FxHashMap<(SourceIndex, ProcessorId), &'a Processor>,
    memories: FxHashMap<(SourceIndex, MemoryId), (String, &'static str)>,
    /// The launch of rows that are served by a launch with another UID, and their shares.
    fused: FxHashMap<(RunIndex, Uid), (LaunchIndex, f64)>,
    /// The bytes of each launch's kernels.
    launch_bytes: Vec<u64>,
    categories: Vec<&'a str>,
    /// The end of the trace, which is also the end of rows that never ended.
    last: i64,
    messages: FxHashMap<Wording, Box<str>>,
}

impl<'a> Events<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        let index = Index::new(trace);
        let processors = trace.processors_by_id();
        let mut categories: Vec<&str> = trace
            .machine
            .processors
            .iter()
            .flat_map(|processor| [processor.kind, processor.kind.variant()])
            .map(ProcessorKind::name)
            .collect();
        categories.sort_unstable();
        categories.dedup();
        Events {
            trace,
            index,
            processors,
            memories: memories(trace),
            fused: fused(trace),
            launch_bytes: launch_bytes(trace),
            categories,
            last: last(trace),
            messages: FxHashMap::default(),
        }
    }

    /// Returns the names of categories. The first has number 1.
    pub(super) fn categories(&self) -> &[&'a str] {
        &self.categories
    }

    /// Returns the rows of the trace with their lanes.
    pub(super) fn rows(&self) -> Rows<'_> {
        Rows {
            trace: self.trace,
            index: &self.index,
        }
    }

    /// Returns the end of the trace.
    pub(super) fn last(&self) -> i64 {
        self.last
    }

    /// Returns whether any task or copy that a launch serves is known.
    pub(super) fn serves_known(&self, launch: &Launch) -> bool {
        let mut served = launch.served();
        served.any(|(uid, _)| self.index.served(launch.source, uid).is_some())
    }

    pub(super) fn task(&self, source: SourceIndex, uid: Uid) -> Option<&'a Task> {
        match self.index.served(source, uid)? {
            Served::Task(row) => self.trace.work.tasks.get(row as usize),
            Served::Copy(_) => None,
        }
    }

    pub(super) fn processor_kind(&self, source: SourceIndex, id: ProcessorId) -> &'a str {
        let processor = self.processors.get(&(source, id));
        processor.map_or("processors", |processor| processor.kind.name())
    }

    pub(super) fn processor_name(&self, source: SourceIndex, id: ProcessorId) -> String {
        let processor = self.processors.get(&(source, id));
        let name = processor.map_or("", |processor| self.trace.strings.get(processor.name));
        if name.is_empty() {
            format!("processor {id}")
        } else {
            name.to_owned()
        }
    }

    pub(super) fn memory_name(&self, source: SourceIndex, id: MemoryId) -> String {
        match self.memories.get(&(source, id)) {
            Some((name, _)) => name.clone(),
            None => format!("memory {id}"),
        }
    }

    /// Returns the times of an item, on the base clock.
    pub(super) fn times(&self, item: Item) -> Times {
        let trace = self.trace;
        let span = |start: Timestamp, end: Timestamp| Times {
            created: start.nanos(),
            ready: start.nanos(),
            start: start.nanos(),
            end: end.nanos(),
        };
        let zero = Timestamp::default();
        match item {
            Item::Task(row) => trace.work.tasks.get(row as usize).map(|task| Times {
                created: task.created.nanos(),
                ready: task.ready.nanos(),
                ..span(task.start, task.end)
            }),
            Item::Launch(row) => {
                let launch = trace.work.launches.get(row as usize);
                launch.map(|launch| span(launch.start, launch.end))
            }
            Item::Kernel(row) => {
                let kernel = trace.devices.kernels.get(row as usize);
                kernel.map(|kernel| span(kernel.start, kernel.end))
            }
            Item::RuntimeCall(row) => {
                let call = trace.thread_call(row);
                call.map(|call| span(call.start, call.end))
            }
            Item::Wait(row) => trace.work.waits.get(row as usize).map(|wait| Times {
                ready: wait.ready.nanos(),
                ..span(wait.start, wait.end)
            }),
            Item::Copy(row) => trace.work.copies.get(row as usize).map(|copy| Times {
                created: copy.created.nanos(),
                ready: copy.ready.nanos(),
                ..span(copy.start, copy.end)
            }),
            Item::Instance(row) => trace.work.instances.get(row as usize).map(|instance| {
                let end = instance.destroyed.map_or(self.last, Timestamp::nanos);
                Times {
                    ready: instance.ready.nanos(),
                    end: end.max(instance.created.nanos()),
                    ..span(instance.created, instance.created)
                }
            }),
        }
        .unwrap_or(span(zero, zero))
    }

    /// Returns the event of an item, with times on the base clock; `None` for a row of another
    /// trace.
    pub(super) fn event(&mut self, item: Item) -> Option<Event<'_>> {
        let trace = self.trace;
        let times = self.times(item);
        let (facts, wording) = match item {
            Item::Task(row) => self.of_task(trace.work.tasks.get(row as usize)?),
            Item::Launch(row) => self.of_launch(trace.work.launches.get(row as usize)?),
            Item::Kernel(row) => self.of_kernel(row, trace.devices.kernels.get(row as usize)?),
            Item::RuntimeCall(row) => {
                let call = trace.thread_call(row)?;
                let operation = self.operation(call.source, call.operation);
                let mut facts = Facts::new(EventKind::RuntimeCall, operation);
                facts.processor = Some((call.source, call.processor));
                facts.operation = call.operation.map_or(0, Uid::raw);
                (facts, Wording::new(call.kind, operation))
            }
            Item::Wait(row) => {
                let wait = trace.work.waits.get(row as usize)?;
                let (facts, wording) = self.of_task(self.task(wait.source, wait.task?)?);
                let facts = Facts {
                    kind: EventKind::Wait,
                    bytes: 0,
                    ..facts
                };
                let before = "wait of ";
                (facts, Wording { before, ..wording })
            }
            Item::Copy(row) => self.of_copy(trace.work.copies.get(row as usize)?),
            Item::Instance(row) => {
                let instance = trace.work.instances.get(row as usize)?;
                let operation = self.operation(instance.source, instance.operation);
                let mut facts = Facts::new(EventKind::Instance, operation);
                facts.uid = instance.uid.raw();
                facts.operation = instance.operation.map_or(0, Uid::raw);
                facts.bytes = instance.bytes;
                facts.memory = Some((instance.source, instance.memory));
                let name = operation.map_or(StringIndex(0), |operation| operation.name);
                let before = if operation.is_some() {
                    "for "
                } else {
                    "instance"
                };
                let wording = Wording::new(name, operation);
                (facts, Wording { before, ..wording })
            }
        };
        Some(self.worded(times, facts, wording))
    }

    fn worded(&mut self, times: Times, facts: Facts<'a>, wording: Wording) -> Event<'_> {
        let trace = self.trace;
        let variant = match (facts.processor, facts.memory) {
            (Some(key), _) => self.processors.get(&key).map(|processor| match facts.kind {
                // Work of the runtime does not belong to a kind of processor.
                EventKind::RuntimeCall => processor.kind.name(),
                _ => processor.kind.variant().name(),
            }),
            (None, Some(key)) => self.memories.get(&key).map(|(_, kind)| *kind),
            (None, None) => None,
        };
        let variant = variant.unwrap_or(facts.variant);
        let category = self.categories.binary_search(&variant);
        let place = trace.program.provenances.get(wording.place);
        let named = facts.colored.unwrap_or(wording.name);
        let message = (self.messages)
            .entry(wording)
            .or_insert_with(|| wording.text(trace).into());
        Event {
            kind: facts.kind,
            uid: facts.uid,
            operation: facts.operation,
            launch: facts.launch,
            times,
            bytes: facts.bytes,
            color: color::of_task(trace.strings.get(named)),
            category: category.map_or(0, |row| row as u32 + 1),
            message,
            file: trace.strings.get(place.file),
            line: place.line,
            variant,
        }
    }

    fn operation(&self, source: SourceIndex, uid: Option<Uid>) -> Option<&'a Operation> {
        let row = self.index.operation(source, uid?)?;
        self.trace.program.operations.get(row)
    }

    /// Returns the launch that serves a task or copy, and the share.
    fn launch_of(&self, source: SourceIndex, uid: Uid) -> Option<(LaunchIndex, f64)> {
        let fused = self.fused.get(&(self.trace.run_of(source), uid));
        let own = || Some((self.index.launch(source, uid)?, 1.0));
        fused.copied().or_else(own)
    }

    fn of_task(&self, task: &'a Task) -> (Facts<'a>, Wording) {
        let operation = self.operation(task.source, Some(task.operation));
        let mut facts = Facts::new(EventKind::Task, operation);
        facts.uid = task.uid.raw();
        facts.operation = task.operation.raw();
        facts.processor = Some((task.source, task.processor));
        if let Some((launch, share)) = self.launch_of(task.source, task.uid) {
            let row = self.trace.work.launches.get(launch.0 as usize);
            facts.launch = row.map_or(0, |launch| launch.uid.raw());
            let bytes = self.launch_bytes.get(launch.0 as usize);
            facts.bytes = (bytes.copied().unwrap_or(0) as f64 * share).round() as u64;
        }
        let name = operation.map(|operation| operation.name);
        (facts, Wording::new(name.unwrap_or_default(), operation))
    }

    fn of_copy(&self, copy: &Copy) -> (Facts<'a>, Wording) {
        let operation = self.operation(copy.source, Some(copy.operation));
        let kind = if copy.from.is_some() {
            EventKind::Copy
        } else {
            EventKind::Fill
        };
        let mut facts = Facts::new(kind, operation);
        facts.uid = copy.uid.raw();
        facts.operation = copy.operation.raw();
        facts.bytes = copy.bytes;
        facts.memory = Some((copy.source, copy.to));
        if let Some((launch, _)) = self.launch_of(copy.source, copy.uid) {
            let row = self.trace.work.launches.get(launch.0 as usize);
            facts.launch = row.map_or(0, |launch| launch.uid.raw());
        }
        let name = operation.map(|operation| operation.name);
        (facts, Wording::new(name.unwrap_or_default(), operation))
    }

    fn of_launch(&self, launch: &'a Launch) -> (Facts<'a>, Wording) {
        let mut facts = Facts::new(EventKind::Launch, None);
        facts.uid = launch.uid.raw();
        facts.launch = launch.uid.raw();
        facts.processor = Some((launch.source, launch.processor));
        (facts, Wording::new(StringIndex(0), None))
    }

    fn of_kernel(&self, row: u32, kernel: &'a Kernel) -> (Facts<'a>, Wording) {
        let outcome = self.trace.links.outcomes.get(row as usize);
        let launch = match outcome {
            Some(Outcome::Linked { launch, .. }) => self.trace.work.launches.get(launch.0 as usize),
            _ => None,
        };
        let first = launch.and_then(|launch| {
            let (uid, _) = launch.served().next()?;
            self.operation_served(launch.source, uid)
        });
        let mut facts = Facts::new(kernel.kind.into(), first);
        facts.operation = first.map_or(0, |operation| operation.uid.raw());
        facts.launch = launch.map_or(0, |launch| launch.uid.raw());
        facts.bytes = kernel.traffic.written.unwrap_or(0);
        facts.variant = "GPU";
        facts.processor = kernel.processor.map(|processor| (kernel.source, processor));
        let more = launch.map_or(0, |launch| launch.served().count().saturating_sub(1));
        let mut wording = Wording::new(kernel.name, first);
        wording.more = u32::try_from(more).unwrap_or(u32::MAX);
        (facts, wording)
    }

    fn operation_served(&self, source: SourceIndex, uid: Uid) -> Option<&'a Operation> {
        let operation = match self.index.served(source, uid)? {
            Served::Task(row) => self.trace.work.tasks.get(row as usize)?.operation,
            Served::Copy(row) => self.trace.work.copies.get(row as usize)?.operation,
        };
        self.operation(source, Some(operation))
    }
}

/// The data of an event except its times and its message.
#[derive(Clone, Copy)]
struct Facts<'a> {
    kind: EventKind,
    uid: u64,
    operation: u64,
    launch: u64,
    bytes: u64,
    /// The name that determines the colour, if not the one in the message.
    colored: Option<StringIndex>,
    processor: Option<(SourceIndex, ProcessorId)>,
    memory: Option<(SourceIndex, MemoryId)>,
    variant: &'a str,
}

impl Facts<'_> {
    fn new(kind: EventKind, operation: Option<&Operation>) -> Self {
        Facts {
            kind,
            uid: 0,
            operation: 0,
            launch: 0,
            bytes: 0,
            colored: operation.map(|operation| operation.name),
            processor: None,
            memory: None,
            variant: "",
        }
    }
}

impl Wording {
    fn new(name: StringIndex, operation: Option<&Operation>) -> Self {
        Wording {
            before: "",
            name,
            place: operation.map_or(ProvenanceIndex(0), |operation| operation.provenance),
            more: 0,
        }
    }

    fn text(self, trace: &Trace) -> String {
        let mut text = self.before.to_owned();
        text.push_str(trace.strings.get(self.name));
        if text.is_empty() {
            text.push_str("unknown");
        }
        if let Some(place) = place(trace, self.place) {
            text.push(' ');
            text.push_str(&place);
        }
        if self.more > 0 {
            text.push_str(&format!(" +{}", self.more));
        }
        text
    }
}

/// Returns names and kinds of memories. The name is only the kind if it is unique in the source.
fn memories(trace: &Trace) -> FxHashMap<(SourceIndex, MemoryId), (String, &'static str)> {
    let mut of_kind: FxHashMap<(SourceIndex, &str), u32> = FxHashMap::default();
    for memory in &trace.machine.memories {
        *of_kind
            .entry((memory.source, memory.kind.name()))
            .or_default() += 1;
    }
    let name = |memory: &weft_model::Memory| {
        let kind = memory.kind.name();
        let only = of_kind.get(&(memory.source, kind)) == Some(&1);
        let name = if only {
            kind.to_owned()
        } else {
            format!("{kind} {}", memory.id)
        };
        ((memory.source, memory.id), (name, kind))
    };
    trace.machine.memories.iter().map(name).collect()
}

fn fused(trace: &Trace) -> FxHashMap<(RunIndex, Uid), (LaunchIndex, f64)> {
    let launches = (0..).map(LaunchIndex).zip(&trace.work.launches);
    launches
        .filter(|(_, launch)| !launch.shares.is_empty())
        .flat_map(|(index, launch)| {
            let shares = launch.shares.iter();
            shares.map(move |(uid, share)| ((launch.run, *uid), (index, *share)))
        })
        .collect()
}

fn launch_bytes(trace: &Trace) -> Vec<u64> {
    let mut bytes = vec![0u64; trace.work.launches.len()];
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        if let Outcome::Linked { launch, .. } = outcome
            && let Some(sum) = bytes.get_mut(launch.0 as usize)
        {
            *sum = sum.saturating_add(kernel.traffic.written.unwrap_or(0));
        }
    }
    bytes
}

fn last(trace: &Trace) -> i64 {
    let shown = [
        Family::Tasks,
        Family::Launches,
        Family::Kernels,
        Family::Copies,
        Family::Instances,
    ];
    let mut last = None;
    trace.times(|of, time| {
        if shown.contains(&of.family) {
            last = last.max(Some(time));
        }
    });
    last.unwrap_or_default().nanos()
}
