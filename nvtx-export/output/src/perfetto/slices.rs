//! Conversion of rows to slices: name, category, arguments, arrows.

use super::flows::Flows;
use super::items::outcome;
use super::packets::{Slice, Text, Value};
use rustc_hash::FxHashMap;
use weft_model::rows::{Row, launch_of};
use weft_model::{
    Index, Launch, Operation, Outcome, Processor, ProvenanceIndex, RangeIndex, Served, SourceIndex,
    StringIndex, Task, Trace,
};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::ProcessorKind;

/// The tables in which arguments of slices are looked up.
pub(super) struct Slices<'a> {
    trace: &'a Trace,
    index: &'a Index,
    flows: &'a Flows,
    kinds: FxHashMap<(SourceIndex, ProcessorId), ProcessorKind>,
    /// The tasks whose bodies are enclosed by ranges without a UID.
    range_tasks: FxHashMap<RangeIndex, Uid>,
    /// The shift that is added to times in arguments, as to those of the slices.
    shift: i64,
}

fn text(name: StringIndex) -> Text {
    match name {
        StringIndex(0) => Text::Word("(unknown)"),
        name => Text::String(name),
    }
}

fn line(provenance: ProvenanceIndex) -> Option<Value> {
    (provenance.0 != 0).then_some(Value::Text(Text::Place(provenance)))
}

fn uid(uid: Uid) -> Value {
    Value::Uint(uid.raw())
}

impl<'a> Slices<'a> {
    pub(super) fn new(trace: &'a Trace, index: &'a Index, flows: &'a Flows, shift: i64) -> Self {
        let kind = |row: &Processor| ((row.source, row.id), row.kind);
        Slices {
            trace,
            index,
            flows,
            kinds: trace.machine.processors.iter().map(kind).collect(),
            range_tasks: (trace.links.range_tasks.iter())
                .map(|body| (body.range, body.task))
                .collect(),
            shift,
        }
    }

    /// Returns the slice of a row; `None` if there is no such row.
    pub(super) fn slice(&self, row: Row) -> Option<Slice> {
        match row {
            Row::Task(row) => self.task(row),
            Row::Launch(row) => self.launch(row),
            Row::Kernel(row) => self.kernel(row),
            Row::Wait(row) => self.wait(row),
            Row::Device(row) => self.device(row),
            Row::RuntimeCall(row) => self.runtime_call(row),
            Row::Copy(row) => self.copy(row),
            Row::Partitioning(row) => self.partitioning(row),
            Row::Instance(row) => self.instance(row),
            Row::Range(row) => self.range(row),
            Row::ApiCall(row) => self.api_call(row),
            Row::Overhead(row) => self.overhead(row),
        }
    }

    fn time(&self, time: weft_trace::time::Timestamp) -> Value {
        Value::Int(time.nanos().saturating_add(self.shift))
    }

    fn operation(&self, source: SourceIndex, uid: Uid) -> Option<&'a Operation> {
        let row = self.index.operation(source, uid)?;
        self.trace.program.operations.get(row)
    }

    fn named_slice(&self, operation: Option<&Operation>, category: &'static str) -> Slice {
        let name = operation.map_or(StringIndex(0), |operation| operation.name);
        Slice::new(text(name), category)
    }

    fn variant(&self, source: SourceIndex, processor: ProcessorId) -> Option<Value> {
        let kind = self.kinds.get(&(source, processor))?;
        Some(Value::Text(Text::Word(kind.variant().name())))
    }

    /// Returns the operation of a launch's first task, copy or fill.
    fn operation_of(&self, launch: &Launch) -> Option<&'a Operation> {
        let (first, _) = launch.served().next()?;
        let operation = match self.index.served(launch.source, first)? {
            Served::Task(row) => self.trace.work.tasks.get(row as usize)?.operation,
            Served::Copy(row) => self.trace.work.copies.get(row as usize)?.operation,
        };
        self.operation(launch.source, operation)
    }

    fn task_with(&self, row: u32, category: &'static str) -> Option<(&'a Task, Slice)> {
        let task = self.trace.work.tasks.get(row as usize)?;
        let operation = self.operation(task.source, task.operation);
        let mut slice = self.named_slice(operation, category);
        slice.arg("uid", uid(task.uid));
        slice.arg("operation", uid(task.operation));
        slice.optional("line", operation.and_then(|row| line(row.provenance)));
        slice.optional("variant", self.variant(task.source, task.processor));
        slice.arg("point", Value::Uint(task.point.into()));
        Some((task, slice))
    }

    fn task(&self, row: u32) -> Option<Slice> {
        let (task, mut slice) = self.task_with(row, "task")?;
        slice.arg("created", self.time(task.created));
        slice.arg("ready", self.time(task.ready));
        slice.flows.extend(self.flows.leaving_task(row));
        // Times decide which of the two tasks came first.
        slice.flows.extend(self.flows.reaching_task(row));
        Some(slice)
    }

    fn device(&self, row: u32) -> Option<Slice> {
        self.task_with(row, "device").map(|(_, slice)| slice)
    }

    fn serve(slice: &mut Slice, launch: &Launch) {
        slice.arg("launch", uid(launch.uid));
        let served = launch.served().map(|(task, share)| (task.raw(), share));
        slice.arg("tasks", Value::Served(served.collect()));
    }

    fn launch(&self, row: u32) -> Option<Slice> {
        let launch = self.trace.work.launches.get(row as usize)?;
        let mut slice = self.named_slice(self.operation_of(launch), "launch");
        Self::serve(&mut slice, launch);
        Some(slice)
    }

    fn kernel(&self, row: u32) -> Option<Slice> {
        let kernel = self.trace.devices.kernels.get(row as usize)?;
        let mut slice = Slice::new(text(kernel.name), kernel.kind.name());
        slice.arg("kernel", Value::Uint(u64::from(row) + 1));
        slice.arg("seen_by", Value::Text(Text::Word(kernel.recorder.name())));
        let outcome = outcome(self.trace, row);
        match outcome {
            Some(Outcome::Linked { method, .. }) => {
                slice.arg("method", Value::Text(Text::Word(method.name())));
            }
            Some(Outcome::Unmatched(reason)) => {
                slice.arg("reason", Value::Text(Text::Word(reason.name())));
            }
            None => {}
        }
        if let Some(launch) = outcome.and_then(|outcome| launch_of(self.trace, outcome)) {
            Self::serve(&mut slice, launch);
            if let Some(operation) = self.operation_of(launch) {
                slice.arg("task", Value::Text(text(operation.name)));
                slice.arg("operation", uid(operation.uid));
                slice.optional("line", line(operation.provenance));
            }
            let variant = self.variant(launch.source, launch.processor);
            slice.optional("variant", variant);
        }
        slice.optional("bytes_read", kernel.traffic.read.map(Value::Uint));
        slice.optional("bytes_written", kernel.traffic.written.map(Value::Uint));
        slice.optional("correlation", kernel.correlation.map(Value::Int));
        slice.optional("graph", kernel.graph.map(Value::Int));
        slice.optional("graph_node", kernel.graph_node.map(Value::Int));
        let range = self.trace.links.kernel_ranges.get(row as usize);
        let range = range.and_then(|range| self.trace.work.ranges.get((*range)?.0 as usize));
        slice.optional("range", range.map(|range| Value::Text(text(range.text))));
        for (flow, from) in self.flows.reaching_kernel(self.trace, self.index, row) {
            // An arrow may end here only if it began earlier: events with equal times may be in any
            // order.
            if from < kernel.start {
                slice.ending.push(flow);
            } else {
                slice.flows.push(flow);
            }
        }
        Some(slice)
    }

    fn wait(&self, row: u32) -> Option<Slice> {
        let wait = self.trace.work.waits.get(row as usize)?;
        let mut slice = Slice::new(Text::Word("wait"), "wait");
        slice.optional("uid", wait.task.map(uid));
        slice.arg("ready", self.time(wait.ready));
        Some(slice)
    }

    fn runtime_call(&self, row: u32) -> Option<Slice> {
        let call = self.trace.thread_call(row)?;
        let mut slice = Slice::new(text(call.kind), "runtime");
        slice.optional("operation", call.operation.map(uid));
        let operation = call
            .operation
            .and_then(|operation| self.operation(call.source, operation));
        slice.optional("line", operation.and_then(|row| line(row.provenance)));
        Some(slice)
    }

    fn copy(&self, row: u32) -> Option<Slice> {
        let copy = self.trace.work.copies.get(row as usize)?;
        let operation = self.operation(copy.source, copy.operation);
        let category = if copy.from.is_some() { "copy" } else { "fill" };
        let mut slice = self.named_slice(operation, category);
        slice.arg("uid", uid(copy.uid));
        slice.arg("operation", uid(copy.operation));
        slice.optional("line", operation.and_then(|row| line(row.provenance)));
        slice.arg("bytes", Value::Uint(copy.bytes));
        slice.arg("created", self.time(copy.created));
        slice.arg("ready", self.time(copy.ready));
        slice.flows.extend(self.flows.leaving_copy(row));
        Some(slice)
    }

    fn partitioning(&self, row: u32) -> Option<Slice> {
        let row = self.trace.work.partitionings.get(row as usize)?;
        let operation = row
            .operation
            .and_then(|operation| self.operation(row.source, operation));
        let mut slice = Slice::new(Text::Word(row.name()), "partitioning");
        slice.arg("uid", uid(row.uid));
        slice.optional("operation", row.operation.map(uid));
        slice.optional("line", operation.and_then(|row| line(row.provenance)));
        slice.arg("created", self.time(row.created));
        slice.arg("ready", self.time(row.ready));
        Some(slice)
    }

    fn instance(&self, row: u32) -> Option<Slice> {
        let instance = self.trace.work.instances.get(row as usize)?;
        let operation = instance
            .operation
            .and_then(|operation| self.operation(instance.source, operation));
        let mut slice = self.named_slice(operation, "instance");
        slice.arg("uid", uid(instance.uid));
        slice.optional("store", instance.store.map(uid));
        slice.optional("operation", instance.operation.map(uid));
        slice.optional("line", operation.and_then(|row| line(row.provenance)));
        slice.arg("bytes", Value::Uint(instance.bytes));
        slice.arg("ready", self.time(instance.ready));
        if instance.destroyed.is_none() {
            slice.arg("open", Value::Bool(true));
        }
        Some(slice)
    }

    fn range(&self, row: u32) -> Option<Slice> {
        let range = self.trace.work.ranges.get(row as usize)?;
        let mut slice = Slice::new(text(range.text), "range");
        slice.arg("row", Value::Int(range.row));
        let domain = (range.domain.0 != 0).then_some(Value::Text(Text::String(range.domain)));
        slice.optional("domain", domain);
        slice.optional("launch", range.launch.map(uid));
        let task = self.range_tasks.get(&RangeIndex(row));
        slice.optional("task", task.copied().map(uid));
        if range.open {
            slice.arg("open", Value::Bool(true));
        }
        let end_thread = range
            .end_thread
            .map(|thread| Value::Int(thread & 0xff_ffff));
        slice.optional("end_thread", end_thread);
        Some(slice)
    }

    fn api_call(&self, row: u32) -> Option<Slice> {
        let call = self.trace.devices.calls.get(row as usize)?;
        let mut slice = Slice::new(text(call.name), "api");
        slice.arg("correlation", Value::Int(call.correlation));
        Some(slice)
    }

    fn overhead(&self, row: u32) -> Option<Slice> {
        let overhead = self.trace.devices.overheads.get(row as usize)?;
        let mut slice = Slice::new(text(overhead.name), "overhead");
        slice.arg("kind", Value::Text(Text::Word(overhead.kind.name())));
        slice.arg("seen_by", Value::Text(Text::Word(overhead.recorder.name())));
        slice.optional("device", overhead.device.map(Value::Int));
        slice.optional("correlation", overhead.correlation.map(Value::Int));
        Some(slice)
    }
}
