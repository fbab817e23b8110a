//! A trace that is built row by row. Times are in microseconds.

use std::collections::BTreeSet;
use weft_analysis::advise::{self, Advice};
use weft_model::{
    Copy, Dependency, Detail, DetailIndex, Instance, Kernel, KernelKind, Launch, LaunchIndex,
    Message, MessageIndex, Method, Operation, OperationCall, Outcome, Processor, ProvenanceRow,
    Recorder, RunIndex, RuntimeCall, ShareOrigin, Side, Source, SourceIndex, SourceKind,
    SourceText, Task, Trace, Traffic, Wait, WaitKind,
};
use weft_trace::id::{MemoryId, ProcessorId, Rank, Uid};
use weft_trace::record::{CopyRoute, DependencyKind, ProcessorKind};
use weft_trace::time::Timestamp;

pub(crate) const PROGRAM: ProcessorId = ProcessorId(7);
pub(crate) const UTILITY: ProcessorId = ProcessorId(9);
pub(crate) const GPU: ProcessorId = ProcessorId(5);
pub(crate) const MAIN: MemoryId = MemoryId(0);
pub(crate) const DEVICE: MemoryId = MemoryId(1);

pub(crate) fn at(micros: i64) -> Timestamp {
    Timestamp::from_nanos_since_boot(micros * 1000)
}

pub(crate) fn cpu(worker: u16) -> ProcessorId {
    ProcessorId(worker)
}

/// A run of one or more ranks with two CPU workers each.
pub(crate) struct Scene {
    pub(crate) trace: Trace,
    next: u64,
}

impl Scene {
    pub(crate) fn new(ranks: u16) -> Scene {
        let mut trace = Trace::default();
        for rank in 0..ranks {
            let source = SourceIndex(rank.into());
            trace.sources.push(Source {
                path: format!("weft_{rank}.prof").into(),
                kind: SourceKind::WeftProf,
                run: RunIndex(0),
                run_id: Some("run".to_owned()),
                rank: Some(rank),
                ranks: Some(ranks),
                host: None,
                boot_id: None,
                pid: None,
                program: None,
                database: None,
                wall_at_zero: None,
                lossy: false,
            });
            let kinds = [
                (cpu(0), ProcessorKind::Cpu),
                (cpu(1), ProcessorKind::Cpu),
                (GPU, ProcessorKind::Gpu),
                (PROGRAM, ProcessorKind::Program),
                (UTILITY, ProcessorKind::Utility),
            ];
            for (id, kind) in kinds {
                let name = trace.strings.intern(kind.name());
                trace.machine.processors.push(Processor {
                    source,
                    id,
                    kind,
                    thread: 0,
                    name,
                });
            }
        }
        let file = trace.strings.intern("main.py");
        let lines = (1..=9).map(|line| format!("line {line}\n"));
        let text: String = lines.collect();
        trace.program.source_texts.push(SourceText {
            source: SourceIndex(0),
            file,
            bytes: text.len() as u64,
            text,
            newer: false,
        });
        Scene { trace, next: 0 }
    }

    fn uid(&mut self) -> Uid {
        self.next += 1;
        Uid::new(Rank::default(), self.next).unwrap()
    }

    /// Adds an operation that line N submits on all ranks at these times.
    pub(crate) fn operation(&mut self, line: u32, name: &str, shape: &[u64], asked: &[i64]) -> Uid {
        self.next += 1;
        let uid = Uid::new(Rank::REPLICATED, self.next).unwrap();
        let file = self.trace.strings.intern("main.py");
        let name = self.trace.strings.intern(name);
        let provenance = self.trace.program.provenances.intern(ProvenanceRow {
            file,
            line,
            ..ProvenanceRow::default()
        });
        self.trace.program.operations.push(Operation {
            source: SourceIndex(0),
            run: RunIndex(0),
            uid,
            parent: None,
            name,
            provenance,
            created: at(asked[0]),
            tasks: 1,
            scope: Default::default(),
            stack: Default::default(),
            call: 0,
            shape: shape.into(),
        });
        for (rank, asked) in (0..).zip(asked).skip(1) {
            self.trace.program.operation_calls.push(OperationCall {
                source: SourceIndex(rank),
                operation: uid,
                created: at(*asked),
            });
        }
        uid
    }

    pub(crate) fn analysis(&mut self, rank: u32, operation: Uid, [start, end]: [i64; 2]) {
        let kind = self.trace.strings.intern("analysis");
        self.trace.work.runtime_calls.push(RuntimeCall {
            source: SourceIndex(rank),
            kind,
            operation: Some(operation),
            processor: UTILITY,
            start: at(start),
            end: at(end),
        });
    }

    /// Adds a task of an operation with its launch, after other tasks.
    pub(crate) fn task(
        &mut self,
        rank: u32,
        operation: Uid,
        on: ProcessorId,
        [start, end]: [i64; 2],
        after: &[Uid],
    ) -> Uid {
        let uid = self.uid();
        let point = self
            .trace
            .work
            .tasks
            .iter()
            .filter(|task| task.operation == operation);
        let point = point.count() as u32;
        self.trace.work.tasks.push(Task {
            source: SourceIndex(rank),
            uid,
            operation,
            point,
            processor: on,
            created: at(start),
            ready: at(start),
            start: at(start),
            end: at(end),
            device: None,
            arithmetic: None,
        });
        self.launch(rank, uid, on, [start, end]);
        self.after(rank, uid, after);
        uid
    }

    pub(crate) fn launch(
        &mut self,
        rank: u32,
        uid: Uid,
        on: ProcessorId,
        times: [i64; 2],
    ) -> LaunchIndex {
        self.trace.work.launches.push(Launch {
            source: SourceIndex(rank),
            run: RunIndex(0),
            uid,
            processor: on,
            start: at(times[0]),
            end: at(times[1]),
            shares: Box::default(),
            split: ShareOrigin::Measured,
        });
        LaunchIndex(self.trace.work.launches.len() as u32 - 1)
    }

    pub(crate) fn after(&mut self, rank: u32, to: Uid, after: &[Uid]) {
        for from in after {
            self.trace.work.dependencies.push(Dependency {
                source: SourceIndex(rank),
                from: *from,
                to,
                kind: DependencyKind::ReadAfterWrite,
                store: None,
                bytes: None,
            });
        }
    }

    pub(crate) fn wait(
        &mut self,
        rank: u32,
        kind: WaitKind,
        operation: Option<Uid>,
        [start, end]: [i64; 2],
    ) {
        self.trace.work.waits.push(Wait {
            source: SourceIndex(rank),
            kind,
            task: None,
            processor: Some(PROGRAM),
            operation,
            start: at(start),
            ready: at(end),
            end: at(end),
        });
    }

    pub(crate) fn copy(
        &mut self,
        operation: Uid,
        [from, to]: [MemoryId; 2],
        bytes: u64,
        [start, end]: [i64; 2],
        after: &[Uid],
    ) -> Uid {
        let uid = self.uid();
        self.trace.work.copies.push(Copy {
            source: SourceIndex(0),
            uid,
            operation,
            from: Some(from),
            to,
            bytes,
            created: at(start),
            ready: at(start),
            start: at(start),
            end: at(end),
            message: None,
        });
        self.after(0, uid, after);
        uid
    }

    pub(crate) fn instance(&mut self, operation: Uid, [created, ready]: [i64; 2]) {
        let uid = self.uid();
        self.trace.work.instances.push(Instance {
            source: SourceIndex(0),
            uid,
            store: None,
            memory: MAIN,
            bytes: 1 << 20,
            operation: Some(operation),
            created: at(created),
            ready: at(ready),
            destroyed: None,
        });
    }

    /// Adds work of a launch on the GPU.
    pub(crate) fn kernel(
        &mut self,
        launch: LaunchIndex,
        kind: KernelKind,
        times: [i64; 2],
        from: u32,
    ) {
        let name = self.trace.strings.intern("kernel");
        let detail = DetailIndex(self.trace.devices.details.len() as u32);
        self.trace.devices.details.push(Detail::Copy(CopyRoute {
            id: detail.0,
            copy_kind: 1,
            source_kind: from,
            destination_kind: 3,
            source_device: 0,
            source_context: 0,
            destination_device: 0,
            destination_context: 0,
        }));
        self.trace.devices.kernels.push(Kernel {
            source: SourceIndex(0),
            recorder: Recorder::Cupti,
            kind,
            name,
            rank: Some(0),
            processor: Some(GPU),
            device: Some(0),
            stream: Some(7),
            context: Some(1),
            graph: None,
            graph_node: None,
            correlation: None,
            start: at(times[0]),
            end: at(times[1]),
            traffic: Traffic::default(),
            recorded: None,
            external: None,
            process: None,
            detail: Some(detail),
            route: None,
        });
        self.trace.links.outcomes.push(Outcome::Linked {
            launch,
            method: Method::ExternalId,
        });
    }

    /// Adds a message from rank 0 to rank 1, with the times of sending and receiving.
    pub(crate) fn message(
        &mut self,
        operation: Uid,
        sent: [i64; 2],
        received: [i64; 2],
        after: &[Uid],
    ) -> Uid {
        let (from, to) = (self.uid(), self.uid());
        let number = self.trace.work.messages.len() as u64 + 1;
        let side = |source, uid, [start, end]: [i64; 2]| Side {
            source: SourceIndex(source),
            uid,
            operation,
            memory: MAIN,
            bytes: 4096,
            created: at(start),
            ready: at(start),
            start: at(start),
            passed: at(end),
            end: at(end),
        };
        self.trace.work.messages.push(Message {
            run: RunIndex(0),
            from: 0,
            to: 1,
            number,
            sent: Some(side(0, from, sent)),
            received: Some(side(1, to, received)),
        });
        self.trace.work.copies.push(Copy {
            source: SourceIndex(1),
            uid: to,
            operation,
            from: Some(MAIN),
            to: MAIN,
            bytes: 4096,
            created: at(received[0]),
            ready: at(sent[0]),
            start: at(sent[0].max(received[0])),
            end: at(received[1]),
            message: Some(MessageIndex(number as u32 - 1)),
        });
        self.after(0, from, after);
        to
    }

    pub(crate) fn advice(&self) -> Advice {
        advise::answer(&self.trace)
    }

    /// Returns the rules of the findings.
    pub(crate) fn found(&self) -> BTreeSet<String> {
        let findings = self.advice().findings;
        findings.into_iter().map(|finding| finding.rule).collect()
    }
}
