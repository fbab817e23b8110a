//! Conversion of records to rows.

use super::device::Device;
use super::tables::Tables;
use super::waits;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use weft_geometry::Processors;
use weft_model::{
    Bandwidth, BandwidthOrigin, COMPILE, Compilation, Copy, CutFor, Dependency, FloatSpeed,
    IMAGES_MISSING, Instance, InternalLaunch, Kernel, KernelKind, Launch, LaunchBytes, LaunchWork,
    LossRow, Memory, MemoryUse, Message, Operands, Operation, OperationCall, Processor, RankLook,
    Recorder, Recording, RuntimeCall, Severity, ShareOrigin, Side, SourceIndex, Store, Task, Tile,
    Traffic, WAIT, Wait, WaitKind, WallSample, check_times, is_possible,
};
use weft_trace::id::{InstanceUid, Uid};
use weft_trace::record::{self, LossKind, Record, RuntimeCallKind};
use weft_trace::time::{Nanos, Timestamp};

/// Appends the rows of one file. `records` returns all its records at each call.
pub fn read<'a, R: Iterator<Item = Record<'a>>>(
    recording: &mut Recording,
    source: SourceIndex,
    records: impl Fn() -> R,
) {
    let mut reader = Reader::new(recording, source, records());
    for record in records() {
        reader.read(record);
    }
    reader.finish();
}

struct Reader<'j> {
    recording: &'j mut Recording,
    source: SourceIndex,
    rank: Option<u16>,
    tables: Tables,
    device: Device,
    /// Operations of the run that have a row.
    operations: FxHashSet<Uid>,
    /// The row of each instance; `None` for instances with impossible times.
    instances: FxHashMap<InstanceUid, Option<usize>>,
    ends: Vec<(InstanceUid, Timestamp)>,
    /// Operations whose operands continue in a later record: the tiling, and the words so far.
    unfinished: FxHashMap<Uid, (u64, Vec<u64>)>,
    /// Losses counted by the program, by name.
    losses: BTreeMap<String, u64>,
    not_understood: u64,
    /// The number of readings of clocks with impossible times.
    samples_untimed: u64,
    /// The number of operations with a view whose image is missing.
    images_missing: u64,
}

impl<'j> Reader<'j> {
    fn new<'a>(
        recording: &'j mut Recording,
        source: SourceIndex,
        records: impl Iterator<Item = Record<'a>>,
    ) -> Self {
        let run = recording.run_of(source);
        let row = recording.sources.get(source.0 as usize);
        let rank = row.and_then(|source| source.rank);
        let known = recording
            .program
            .operations
            .iter()
            .filter(|operation| operation.run == run);
        let operations = known.map(|operation| operation.uid).collect();
        let tables = Tables::collect(recording, source, records);
        Reader {
            recording,
            source,
            rank,
            tables,
            device: Device::default(),
            operations,
            instances: FxHashMap::default(),
            ends: Vec::new(),
            unfinished: FxHashMap::default(),
            losses: BTreeMap::new(),
            not_understood: 0,
            samples_untimed: 0,
            images_missing: 0,
        }
    }

    fn read(&mut self, record: Record<'_>) {
        let source = self.source;
        match record {
            Record::Name(_)
            | Record::Provenance(_)
            | Record::Scope(_)
            | Record::Caller(_)
            | Record::SourceText(_)
            | Record::Image(_)
            | Record::KernelShape(_)
            | Record::CopyRoute(_)
            | Record::FillValue(_) => {}
            Record::Processor(processor) => self.recording.machine.processors.push(Processor {
                source,
                id: processor.id,
                kind: processor.kind,
                thread: processor.thread,
                name: self.tables.name(processor.name),
            }),
            Record::Memory(memory) => self.recording.machine.memories.push(Memory {
                source,
                id: memory.id,
                kind: memory.kind,
                capacity: memory.capacity,
            }),
            Record::ClockSample(sample) => self.clock(sample),
            Record::RankClock(look) => self.look(look),
            Record::Bandwidth(speed) => self.recording.machine.bandwidths.push(Bandwidth {
                source,
                device: None,
                origin: BandwidthOrigin::Measured,
                per_second: speed.read.max(speed.copy),
            }),
            Record::FloatSpeed(speed) => {
                let of = |bits, per_second| FloatSpeed {
                    source,
                    bits,
                    per_second,
                };
                let both = [of(64, speed.double), of(32, speed.single)];
                self.recording.machine.float_speeds.extend(both);
            }
            Record::Operation(operation) => self.operation(operation),
            Record::Tile(tile) => self.recording.program.tiles.push(Tile {
                source,
                operation: tile.operation.0,
                point: tile.point,
                bounds: tile.bounds.iter().collect(),
            }),
            Record::Operands(operands) => self.operands(&operands),
            Record::Processors(processors) => self.recording.program.cut_for.push(CutFor {
                source,
                processors: Processors {
                    cpus: processors.cpus as usize,
                    omps: processors.omps as usize,
                    omp_threads: processors.omp_threads as usize,
                    smallest: processors.smallest as usize,
                    smallest_omp: processors.smallest_omp as usize,
                },
            }),
            Record::Task(task) => self.task(task),
            Record::Launch(launch) => self.launch(launch),
            Record::Kernel(kernel) => self.kernel(kernel),
            Record::LaunchWork(work) => self.recording.devices.launch_work.push(LaunchWork {
                source,
                launch: work.launch.0,
                kernels: work.kernels,
                copies: work.copies,
                fills: work.fills,
            }),
            Record::Compile(compile) => self.compile(compile),
            Record::LaunchBytes(bytes) => self.recording.devices.launch_bytes.push(LaunchBytes {
                source,
                launch: bytes.launch.0,
                traffic: Traffic {
                    read: Some(bytes.read),
                    written: Some(bytes.written),
                },
            }),
            Record::Dependencies(edges) => {
                let to = edges.task.0;
                let store = edges.store.map(|store| store.0);
                let bytes = edges.bytes;
                let rows = edges.on.iter().map(|(from, kind)| Dependency {
                    source,
                    from: from.0,
                    to,
                    kind,
                    store,
                    bytes,
                });
                self.recording.work.dependencies.extend(rows);
            }
            Record::Wait(wait) => self.recording.work.waits.push(Wait {
                source,
                kind: WaitKind::Event,
                task: Some(wait.task.0),
                processor: None,
                operation: None,
                start: wait.start,
                ready: wait.ready,
                end: wait.end,
            }),
            Record::RuntimeCall(call) => self.call(call),
            Record::Planning(planning) => {
                let calls = [
                    (
                        RuntimeCallKind::Partitioning,
                        planning.start,
                        planning.partitioned,
                    ),
                    (
                        RuntimeCallKind::Mapping,
                        planning.partitioned,
                        planning.mapped,
                    ),
                    (RuntimeCallKind::Analysis, planning.mapped, planning.end),
                ];
                let strings = &mut self.recording.strings;
                let calls = calls.map(|(kind, start, end)| RuntimeCall {
                    source,
                    kind: strings.intern(kind.name()),
                    operation: Some(planning.operation.0),
                    processor: planning.processor,
                    start,
                    end,
                });
                self.recording.work.runtime_calls.extend(calls);
            }
            Record::InternalLaunch(launch) => self.internal(launch),
            Record::Immediate(immediate) => {
                let (operation, task, launch, kernel) = immediate.parts();
                self.recording.work.runtime_calls.push(RuntimeCall {
                    source,
                    kind: self
                        .recording
                        .strings
                        .intern(RuntimeCallKind::Analysis.name()),
                    operation: Some(immediate.operation.0),
                    processor: immediate.processor,
                    start: immediate.created,
                    end: immediate.start,
                });
                self.operation(operation);
                self.task(task);
                self.launch(launch);
                self.kernel(kernel);
            }
            Record::DeviceWork(_)
            | Record::ApiCall(_)
            | Record::ExternalId(_)
            | Record::GraphReplay(_)
            | Record::Synchronization(_)
            | Record::DeviceMemory(_)
            | Record::PageEvent(_)
            | Record::Overhead(_)
            | Record::Gpu(_)
            | Record::DeviceClock(_) => {
                self.device
                    .read(self.recording, self.source, &mut self.tables, record);
            }
            Record::Store(store) => self.recording.program.stores.push(Store {
                source,
                uid: store.uid.0,
                dtype: self.tables.name(store.dtype),
                provenance: self.tables.provenance(store.provenance),
                shape: store.shape.iter().collect(),
            }),
            Record::Instance(instance) => self.instance(instance),
            Record::InstanceEnd(end) => self.ends.push((end.uid, end.destroyed)),
            Record::MemoryUse(used) => self.recording.work.memory_uses.push(MemoryUse {
                source,
                memory: used.memory,
                at: used.at,
                live: used.live,
                peak: used.peak,
                largest_free: used.largest_free,
                kept: used.kept,
            }),
            Record::Copy(copy) => self.copy(copy),
            Record::Message(message) => self.message(message),
            Record::Loss(loss) => {
                let sum = self.losses.entry(loss.name.to_owned()).or_default();
                *sum = sum.saturating_add(loss.value);
            }
            _ => self.not_understood += 1,
        }
    }

    fn clock(&mut self, sample: record::ClockSample) {
        if check_times(sample.before, Some(sample.after)).is_err() {
            self.samples_untimed += 1;
            return;
        }
        let middle = sample.before.nanos() + (sample.after - sample.before).0 / 2;
        if let Some(source) = self.recording.sources.get_mut(self.source.0 as usize) {
            source
                .wall_at_zero
                .get_or_insert(sample.wall.saturating_sub(middle));
        }
        self.recording.quality.wall_samples.push(WallSample {
            source: self.source,
            at: Timestamp::from_nanos_since_boot(middle),
            wall: sample.wall,
            error: (sample.after - sample.before).0.unsigned_abs().div_ceil(2),
        });
    }

    fn look(&mut self, look: record::RankClock) {
        if check_times(look.before, Some(look.after)).is_err() || !is_possible(look.theirs) {
            self.samples_untimed += 1;
            return;
        }
        let width = look.after - look.before;
        self.recording.quality.rank_looks.push(RankLook {
            source: self.source,
            peer: look.peer,
            at: look.before + Nanos(width.0 / 2),
            theirs: look.theirs,
            error: width.0.unsigned_abs().div_ceil(2),
        });
    }

    /// Adds an operation. Every rank records every operation, but only the first is kept and
    /// counted.
    fn operation(&mut self, operation: record::Operation<'_>) {
        if self.operations.insert(operation.uid.0) {
            self.recording.program.operations.push(Operation {
                source: self.source,
                run: self.recording.run_of(self.source),
                uid: operation.uid.0,
                parent: operation.parent.map(|parent| parent.0),
                name: self.tables.name(operation.name),
                provenance: self.tables.provenance(operation.provenance),
                created: operation.created,
                tasks: operation.tasks,
                scope: self.tables.scope(operation.scope),
                stack: self.tables.stack(operation.stack),
                call: self.tables.call(operation.provenance),
                shape: operation.shape.iter().collect(),
            });
        } else {
            self.recording.program.operation_calls.push(OperationCall {
                source: self.source,
                operation: operation.uid.0,
                created: operation.created,
            });
        }
    }

    fn task(&mut self, task: record::Task) {
        self.recording.work.tasks.push(Task {
            source: self.source,
            uid: task.uid.0,
            operation: task.operation.0,
            point: task.point,
            processor: task.processor,
            created: task.created,
            ready: task.ready,
            start: task.start,
            end: task.end,
            device: None,
            arithmetic: task.arithmetic,
        });
    }

    fn launch(&mut self, launch: record::Launch<'_>) {
        let shares = launch.shares.iter();
        let shares: Box<[_]> = shares.map(|(task, share)| (task.0, share)).collect();
        self.recording.work.launches.push(Launch {
            source: self.source,
            run: self.recording.run_of(self.source),
            uid: launch.uid.0,
            processor: launch.processor,
            start: launch.start,
            end: launch.end,
            split: match launch.measured {
                true => ShareOrigin::Measured,
                false => ShareOrigin::of_shares(shares.len()),
            },
            shares,
        });
    }

    fn kernel(&mut self, kernel: record::Kernel) {
        self.recording.devices.kernels.push(Kernel {
            source: self.source,
            recorder: Recorder::Host,
            kind: KernelKind::Kernel,
            name: self.tables.name(kernel.name),
            rank: self.rank,
            processor: Some(kernel.processor),
            device: None,
            stream: None,
            context: None,
            graph: None,
            graph_node: None,
            correlation: None,
            start: kernel.start,
            end: kernel.end,
            traffic: Traffic {
                read: kernel.read,
                written: Some(kernel.bytes),
            },
            recorded: Some(kernel.launch.0),
            external: None,
            process: None,
            detail: None,
            route: None,
        });
    }

    /// Adds internal work of the runtime as a runtime call, and its UID.
    fn internal(&mut self, launch: record::InternalLaunch) {
        let source = self.source;
        self.recording.work.internal_launches.push(InternalLaunch {
            source,
            uid: launch.uid.0,
        });
        self.recording.work.runtime_calls.push(RuntimeCall {
            source,
            kind: self.tables.name(launch.name),
            operation: None,
            processor: launch.processor,
            start: launch.start,
            end: launch.end,
        });
    }

    /// Adds a compilation, and the wait for it as a runtime call.
    fn compile(&mut self, compile: record::Compile) {
        let waited = compile
            .waited
            .map(|waited| Nanos(i64::try_from(waited).unwrap_or(i64::MAX)));
        let operation = compile.operation.0;
        self.recording.work.compilations.push(Compilation {
            source: self.source,
            launch: compile.launch.0,
            operation,
            processor: compile.processor,
            kernel: self.tables.name(compile.kernel),
            target: self.tables.name(compile.target),
            source_hash: compile.source,
            origin: compile.origin,
            start: compile.start,
            made: compile.made,
            end: compile.end,
            waited,
        });
        if check_times(compile.start, Some(compile.end)).is_err() {
            // It is counted as a compilation.
            return;
        }
        let waited_from = match waited {
            // The kernel was ready before a launch needed it.
            Some(Nanos(0)) => return,
            Some(Nanos(waited)) => compile.end + Nanos(waited.saturating_neg()),
            None => compile.start,
        };
        self.recording.work.runtime_calls.push(RuntimeCall {
            source: self.source,
            kind: self.recording.strings.intern(COMPILE),
            operation: Some(operation),
            processor: compile.processor,
            start: waited_from,
            end: compile.end,
        });
    }

    /// Adds a call of the runtime, or a wait of the program or of a task's body, which has a row of
    /// its own.
    fn call(&mut self, call: record::RuntimeCall) {
        let operation = call.operation.map(|operation| operation.0);
        let Some(kind) = waits::kind(call.kind, operation) else {
            return self.recording.work.runtime_calls.push(RuntimeCall {
                source: self.source,
                kind: self.recording.strings.intern(call.kind.name()),
                operation,
                processor: call.processor,
                start: call.start,
                end: call.end,
            });
        };
        self.recording.strings.intern(WAIT);
        self.recording.work.waits.push(Wait {
            source: self.source,
            kind,
            task: call.task.map(|task| task.0),
            processor: Some(call.processor).filter(|_| call.task.is_none()),
            operation,
            start: call.start,
            ready: call.end,
            end: call.end,
        });
    }

    fn instance(&mut self, instance: record::Instance) {
        if let Some(known) = self.instances.get(&instance.uid) {
            // The instance has grown. Records of several threads are in any order.
            if let Some(row) = known.and_then(|row| self.recording.work.instances.get_mut(row)) {
                row.bytes = instance.bytes.max(row.bytes);
            }
            return;
        }
        let row = self.recording.work.instances.len();
        let is_row = self.recording.work.instances.try_push(Instance {
            source: self.source,
            uid: instance.uid.0,
            store: Some(instance.store.0),
            memory: instance.memory,
            bytes: instance.bytes,
            operation: Some(instance.operation.0),
            created: instance.created,
            ready: instance.ready,
            destroyed: None,
        });
        self.instances.insert(instance.uid, is_row.then_some(row));
    }

    fn copy(&mut self, copy: record::Copy) {
        self.recording.work.copies.push(Copy {
            source: self.source,
            uid: copy.uid.0,
            operation: copy.operation.0,
            from: Some(copy.source),
            to: copy.destination,
            bytes: copy.bytes,
            created: copy.created,
            ready: copy.ready,
            start: copy.start,
            end: copy.end,
            message: None,
        });
    }

    fn message(&mut self, message: record::Message) {
        let Some(rank) = self.rank else {
            self.not_understood += 1;
            return;
        };
        let side = Side {
            source: self.source,
            uid: message.uid.0,
            operation: message.operation.0,
            memory: message.memory,
            bytes: message.bytes,
            created: message.created,
            ready: message.ready,
            start: message.start,
            passed: message.passed,
            end: message.end,
        };
        let run = self.recording.run_of(self.source);
        let ranks = [rank, message.peer];
        let row = Message::of_side(run, message.side, ranks, message.number, side);
        self.recording.work.messages.push(row);
    }

    fn loss(&mut self, name: &str, value: u64, meaning: &str) {
        if value > 0 {
            self.recording.quality.losses.push(LossRow {
                source: Some(self.source),
                name: name.to_owned(),
                severity: Severity::Loss,
                value,
                meaning: meaning.to_owned(),
            });
        }
    }

    /// Appends the losses counted by the program, with the meaning of each known name.
    fn add_counted_losses(&mut self) {
        for (name, value) in std::mem::take(&mut self.losses) {
            let kind = LossKind::of(&name);
            self.recording.quality.losses.push(LossRow {
                source: Some(self.source),
                severity: match kind.is_some_and(|kind| kind.is_note) {
                    true => Severity::Note,
                    false => Severity::Loss,
                },
                value,
                meaning: kind
                    .map_or("counted by the program while it ran", |kind| kind.meaning)
                    .to_owned(),
                name,
            });
        }
    }

    /// Adds operands of an operation. They may be in several records, all full except the last.
    fn operands(&mut self, operands: &record::Operands<'_>) {
        let views = operands.views.iter();
        let goes_on = operands.views.len() == record::VIEWS;
        let operation = operands.operation.0;
        if !goes_on && !self.unfinished.contains_key(&operation) {
            return self.add_operands(operation, operands.grain, views.collect());
        }
        let begun = self.unfinished.entry(operation);
        let (_, words) = begun.or_insert_with(|| (operands.grain, Vec::new()));
        words.extend(views);
        if !goes_on {
            self.finish_operands(operation);
        }
    }

    /// Appends the operands of an operation that were read so far.
    fn finish_operands(&mut self, operation: Uid) {
        if let Some((tiling, views)) = self.unfinished.remove(&operation) {
            self.add_operands(operation, tiling, views.into());
        }
    }

    fn add_operands(&mut self, operation: Uid, tiling: u64, views: Box<[u64]>) {
        let row = Operands {
            source: self.source,
            operation,
            tiling,
            views,
        };
        self.images_missing += u64::from(row.lacks_image(&self.recording.program.images));
        self.recording.program.operands.push(row);
    }

    fn finish(mut self) {
        self.add_counted_losses();
        let mut unfinished: Vec<Uid> = self.unfinished.keys().copied().collect();
        unfinished.sort_unstable();
        for operation in unfinished {
            self.finish_operands(operation);
        }
        waits::find_ready(self.recording, self.source);
        let (mut orphans, mut untimed) = (0, 0);
        for (uid, destroyed) in std::mem::take(&mut self.ends) {
            let Some(row) = self.instances.get(&uid) else {
                orphans += 1;
                continue;
            };
            let Some(instance) = row.and_then(|row| self.recording.work.instances.get_mut(row))
            else {
                continue;
            };
            match check_times(instance.created, Some(destroyed)) {
                Ok(()) => instance.destroyed = Some(destroyed),
                Err(_) => untimed += 1,
            }
        }
        self.loss(
            "instance_ends_untimed",
            untimed,
            "ends of instances at times that cannot be true; the instances count as never released",
        );
        let repeated = self.device.finish(self.recording);
        self.loss(
            "external_ids_repeated",
            repeated,
            "correlation ids that were recorded for several launches; they are not used",
        );
        let missing = self.tables.missing;
        self.loss(
            "names_missing",
            missing,
            "uses of a name or line whose definition is missing",
        );
        self.loss(
            "instance_ends_orphaned",
            orphans,
            "ends of instances whose start is missing",
        );
        let missing = self.images_missing;
        self.loss(
            IMAGES_MISSING,
            missing,
            "operations without operands: their images were not recorded, or only in part",
        );
        let samples = self.samples_untimed + self.device.samples_untimed;
        self.loss(
            "clock_samples_untimed",
            samples,
            "readings of clocks at times that cannot be true; they are not used",
        );
        let unknown = self.not_understood;
        self.loss(
            "records_not_understood",
            unknown,
            "records of kinds this version does not read",
        );
    }
}
