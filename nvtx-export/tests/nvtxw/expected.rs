//! The expected events of a report, computed in the simplest way.

use serde_json::{Value, json};
use weft_model::{Kernel, KernelKind, Launch, LaunchIndex, Operation, Outcome, SourceIndex, Trace};
use weft_trace::color;
use weft_trace::id::{MemoryId, ProcessorId, Uid};
use weft_trace::time::Timestamp;

/// Returns row and fields of each event. `wall` is added to times.
pub(crate) fn expected(trace: &Trace, wall: i64) -> Vec<(String, Value)> {
    let of = Expected { trace, wall };
    let mut events = Vec::new();
    for task in &trace.work.tasks {
        let operation = of.operation(Some(task.operation));
        let times = [task.created, task.ready, task.start, task.end];
        let mut event = of.event(1, times, operation, of.task_name(operation));
        event["uid"] = task.uid.raw().into();
        event["operation"] = task.operation.raw().into();
        event["bytes"] = of.task_bytes(task.uid).into();
        if let Some((_, launch, _)) = of.launch_of(task.uid) {
            event["launch"] = launch.uid.raw().into();
        }
        of.put_on_processor(&mut events, event, task.processor);
    }
    for launch in &trace.work.launches {
        let known = |(uid, _): (Uid, f64)| {
            trace.work.tasks.iter().any(|task| task.uid == uid)
                || trace.work.copies.iter().any(|copy| copy.uid == uid)
        };
        if !launch.served().any(known) {
            let times = [launch.start, launch.start, launch.start, launch.end];
            let mut event = of.event(2, times, None, "unknown".into());
            event["uid"] = launch.uid.raw().into();
            event["launch"] = launch.uid.raw().into();
            event["color"] = color::of_task("").into();
            of.put_on_processor(&mut events, event, launch.processor);
        }
    }
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        of.kernel(&mut events, kernel, *outcome);
    }
    for (_, call) in trace.thread_calls() {
        let operation = of.operation(call.operation);
        let times = [call.start, call.start, call.start, call.end];
        let name = trace.strings.get(call.kind).to_owned();
        let mut event = of.event(9, times, operation, name);
        event["operation"] = call.operation.map_or(0, Uid::raw).into();
        of.put_on_processor(&mut events, event, call.processor);
    }
    for wait in &trace.work.waits {
        let Some(task) = trace
            .work
            .tasks
            .iter()
            .find(|task| Some(task.uid) == wait.task)
        else {
            continue;
        };
        let operation = of.operation(Some(task.operation));
        let times = [wait.start, wait.ready, wait.start, wait.end];
        let name = format!("wait of {}", of.task_name(operation));
        let mut event = of.event(10, times, operation, name);
        event["uid"] = task.uid.raw().into();
        event["operation"] = task.operation.raw().into();
        let launch = of.launch_of(task.uid).expect("a launch").1;
        event["launch"] = launch.uid.raw().into();
        of.put_on_processor(&mut events, event, task.processor);
    }
    for copy in &trace.work.copies {
        let operation = of.operation(Some(copy.operation));
        let times = [copy.created, copy.ready, copy.start, copy.end];
        let kind = if copy.from.is_some() { 6 } else { 7 };
        let mut event = of.event(kind, times, operation, of.task_name(operation));
        event["uid"] = copy.uid.raw().into();
        event["operation"] = copy.operation.raw().into();
        event["bytes"] = copy.bytes.into();
        event["variant"] = of.memory(copy.to).1.into();
        let to = of.memory(copy.to).0;
        let name = match copy.from {
            Some(from) => format!("{} to {to}", of.memory(from).0),
            None => format!("fills of {to}"),
        };
        events.push((format!("rank 0/channels/{name}"), event));
    }
    // Nothing ends later in these traces.
    let instances = trace.work.instances.iter();
    let last = instances.filter_map(|instance| instance.destroyed).max();
    for instance in &trace.work.instances {
        let operation = of.operation(instance.operation);
        let end = instance.destroyed.or(last).expect("an end");
        let times = [instance.created, instance.ready, instance.created, end];
        let name = match operation {
            Some(_) => format!("for {}", of.task_name(operation)),
            None => "instance".to_owned(),
        };
        let mut event = of.event(8, times, operation, name);
        event["uid"] = instance.uid.raw().into();
        event["operation"] = instance.operation.map_or(0, Uid::raw).into();
        event["bytes"] = instance.bytes.into();
        let (name, kind) = of.memory(instance.memory);
        event["variant"] = kind.into();
        events.push((format!("rank 0/memories/{name}"), event));
    }
    events
}

struct Expected<'a> {
    trace: &'a Trace,
    wall: i64,
}

impl<'a> Expected<'a> {
    fn operation(&self, uid: Option<Uid>) -> Option<&'a Operation> {
        let operations = &self.trace.program.operations;
        operations
            .iter()
            .find(|operation| Some(operation.uid) == uid)
    }

    fn task_name(&self, operation: Option<&Operation>) -> String {
        operation
            .map_or("unknown", |operation| {
                self.trace.strings.get(operation.name)
            })
            .to_owned()
    }

    /// Returns an event without a launch and without bytes. The message is `name` and the
    /// operation's line.
    fn event(
        &self,
        kind: u32,
        [created, ready, start, end]: [Timestamp; 4],
        operation: Option<&Operation>,
        name: String,
    ) -> Value {
        let place =
            operation.map(|operation| self.trace.program.provenances.get(operation.provenance));
        let file = place.map_or("", |place| self.trace.strings.get(place.file));
        let line = place.map_or(0, |place| place.line);
        let message = match line {
            0 => name.clone(),
            line => format!("{name} {file}:{line}"),
        };
        let colored = match operation {
            Some(_) => self.task_name(operation),
            None => name,
        };
        let colored = if colored == "instance" { "" } else { &colored };
        let wall = |time: Timestamp| time.nanos() + self.wall;
        json!({
            "start": wall(start), "end": wall(end), "created": wall(created), "ready": wall(ready),
            "uid": 0, "operation": 0, "launch": 0, "bytes": 0, "message": message, "file": file,
            "variant": "", "line": line, "color": color::of_task(colored), "category": 0, "kind": kind,
        })
    }

    fn kernel(&self, events: &mut Vec<(String, Value)>, kernel: &Kernel, outcome: Outcome) {
        let launch = match outcome {
            Outcome::Linked { launch, .. } => Some(&self.trace.work.launches[launch.0 as usize]),
            Outcome::Unmatched(_) => None,
        };
        let first = launch.and_then(|launch| {
            let (uid, _) = launch.served().next()?;
            self.trace.work.tasks.iter().find(|task| task.uid == uid)
        });
        let operation = self.operation(first.map(|task| task.operation));
        let kind = match kernel.kind {
            KernelKind::Kernel | KernelKind::Graph => 3,
            KernelKind::Memcpy => 4,
            KernelKind::Memset => 5,
        };
        let times = [kernel.start, kernel.start, kernel.start, kernel.end];
        let name = self.trace.strings.get(kernel.name).to_owned();
        let mut event = self.event(kind, times, operation, name);
        event["operation"] = first.map_or(0, |task| task.operation.raw()).into();
        event["launch"] = launch.map_or(0, |launch| launch.uid.raw()).into();
        event["bytes"] = kernel.traffic.written.unwrap_or(0).into();
        event["variant"] = "GPU".into();
        let served = launch.map_or(0, |launch| launch.served().count());
        if served > 1 {
            let message = event["message"].as_str().expect("a message");
            event["message"] = format!("{message} +{}", served - 1).into();
        }
        match (kernel.device, kernel.processor) {
            (None, Some(processor)) => self.put_on_processor(events, event, processor),
            (device, _) => {
                let part = |name: &str, id: Option<i64>| match id {
                    Some(id) => format!("{name} {id}"),
                    None => format!("unknown {name}"),
                };
                let mut row = format!(
                    "rank 0/CUDA/{}, {}",
                    part("device", device),
                    part("stream", kernel.stream)
                );
                // The first source already has that row.
                if kernel.source != SourceIndex(0) && kernel.stream == Some(7) {
                    row.push_str(" of source 2");
                }
                events.push((row, event));
            }
        }
    }

    fn put_on_processor(
        &self,
        events: &mut Vec<(String, Value)>,
        mut event: Value,
        processor: ProcessorId,
    ) {
        let processors = &self.trace.machine.processors;
        let processor = processors.iter().find(|known| known.id == processor);
        let processor = processor.expect("a processor");
        let name = self.trace.strings.get(processor.name);
        let name = name
            .replace('/', "\\/")
            .replace('[', "\\[")
            .replace(']', "\\]");
        event["variant"] = processor.kind.name().into();
        // The only category in these traces.
        event["category"] = 1.into();
        events.push((format!("rank 0/{}/{name}", processor.kind.name()), event));
    }

    /// Returns the launch that serves a task, its index, and the task's share of it.
    fn launch_of(&self, task: Uid) -> Option<(LaunchIndex, &'a Launch, f64)> {
        let launches = (0..).map(LaunchIndex).zip(&self.trace.work.launches);
        let shares = |(index, launch): (LaunchIndex, &'a Launch)| {
            let (_, share) = launch.served().find(|(uid, _)| *uid == task)?;
            Some((index, launch, share))
        };
        launches.into_iter().find_map(shares)
    }

    fn task_bytes(&self, task: Uid) -> u64 {
        let Some((of, _, share)) = self.launch_of(task) else {
            return 0;
        };
        let kernels = self
            .trace
            .devices
            .kernels
            .iter()
            .zip(&self.trace.links.outcomes);
        let linked = kernels.filter(
            |(_, outcome)| matches!(outcome, Outcome::Linked { launch, .. } if *launch == of),
        );
        let bytes: u64 = linked
            .filter_map(|(kernel, _)| kernel.traffic.written)
            .sum();
        (bytes as f64 * share).round() as u64
    }

    /// Returns the name and kind of a memory.
    fn memory(&self, id: MemoryId) -> (String, &'static str) {
        let memories = &self.trace.machine.memories;
        let kind = |id| {
            memories
                .iter()
                .find(|memory| memory.id == id)
                .expect("a memory")
                .kind
        };
        let alike = memories
            .iter()
            .filter(|memory| memory.kind == kind(id))
            .count();
        let name = match alike {
            1 => kind(id).name().to_owned(),
            _ => format!("{} {id}", kind(id).name()),
        };
        (name, kind(id).name())
    }
}
