//! Conversion of one file's records to rows, as far as possible without the rest of the file.

use super::copies::{Copies, Leg, Moved};
use super::events::{Events, PARTITIONING, Ran, Waited};
use super::layout::FieldOffset;
use super::machine::Hardware;
use super::names::{Names, ObjectKind, Promised};
use super::record::*;
use super::{provenance, uid_of_event};
use crate::RequiredParts;
use weft_model::{
    ActivityKind, Instance, Partitioning, PartitioningKind, ProvenanceIndex, Recording,
    RuntimeCall, SourceIndex, StringIndex, Task, Wait, WaitKind, check_times, is_possible,
};
use weft_trace::id::{MemoryId, ProcessorId, Uid};
use weft_trace::time::Timestamp;

/// The range of rows of each table that a file has added.
pub(super) type Span = std::ops::Range<usize>;

/// An operation, or a slice or point of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperationRow {
    pub(super) id: u64,
    pub(super) parent: u64,
    /// The provenance, by the file's id or by index.
    pub(super) provenance: u64,
    pub(super) place: ProvenanceIndex,
    pub(super) kind: u32,
}

/// The data of a file apart from its rows, until all files have been read.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) source: SourceIndex,
    pub(super) node: Option<u64>,
    pub(super) nodes: Option<u64>,
    pub(super) version: Option<u64>,
    pub(super) host: Option<String>,
    pub(super) pid: Option<u32>,
    pub(super) zero_time: Option<i64>,
    pub(super) calibration_error: Option<i64>,
    pub(super) flags: Vec<&'static str>,
    pub(super) names: Names,
    pub(super) promised: Promised,
    pub(super) hardware: Hardware,
    pub(super) steps: Vec<OperationRow>,
    /// Index launches and their tasks.
    pub(super) index_launches: Vec<(u64, u64)>,
    /// Slices and points, each with its owner.
    pub(super) owners: Vec<(u64, u64)>,
    pub(super) tasks: Span,
    /// Legion's id of each task of `tasks`.
    pub(super) task_ids: Vec<u64>,
    pub(super) copies: Copies,
    pub(super) events: Events,
    pub(super) instances: Span,
    pub(super) partitionings: Span,
    pub(super) calls: Span,
    /// The number of records without an id, a time, or a compact id for their processor or memory.
    pub(super) senseless: u64,
}

/// A reader of one file's records.
pub(super) struct RecordReader<'j> {
    recording: &'j mut Recording,
    file: File,
    /// Whether causes of events are read.
    causes: bool,
}

impl<'j> RecordReader<'j> {
    pub(super) fn new(
        recording: &'j mut Recording,
        source: SourceIndex,
        keep: RequiredParts,
    ) -> Self {
        let file = File {
            source,
            tasks: span(recording.work.tasks.len()),
            instances: span(recording.work.instances.len()),
            partitionings: span(recording.work.partitionings.len()),
            calls: span(recording.work.runtime_calls.len()),
            ..File::default()
        };
        RecordReader {
            recording,
            file,
            causes: keep == RequiredParts::Everything,
        }
    }

    pub(super) fn finish(self) -> File {
        let RecordReader {
            recording,
            mut file,
            ..
        } = self;
        file.tasks.end = recording.work.tasks.len();
        file.instances.end = recording.work.instances.len();
        file.partitionings.end = recording.work.partitionings.len();
        file.calls.end = recording.work.runtime_calls.len();
        file
    }

    /// Processes a record.
    pub(super) fn take(&mut self, known: RecordKind, raw: &Raw<'_>, places: &[FieldOffset]) {
        let sensible = match known {
            RecordKind::RuntimeCallInfo => {
                let row = RuntimeCallInfo::decode(raw, places);
                let name = (ObjectKind::RuntimeCall, row.kind);
                self.call(name, None, row.proc_id, row.start, row.stop)
            }
            RecordKind::MetaInfo => {
                let row = MetaInfo::decode(raw, places);
                let name = (ObjectKind::Meta, row.lg_id);
                let events = [row.fevent, row.critical, row.creator];
                let times = [row.create.unwrap_or(row.start), row.start, row.stop];
                let place = (row.op_id, row.lg_id);
                self.ran(
                    ActivityKind::Runtime,
                    place,
                    Some(row.proc_id),
                    times,
                    events,
                );
                self.call(name, Some(row.op_id), row.proc_id, row.start, row.stop)
            }
            RecordKind::MessageInfo => {
                let row = MessageInfo::decode(raw, places);
                let name = (ObjectKind::Meta, row.lg_id);
                let events = [row.fevent, row.critical, row.creator];
                let times = [row.create.unwrap_or(row.start), row.start, row.stop];
                let place = (row.op_id, row.lg_id);
                self.ran(
                    ActivityKind::Runtime,
                    place,
                    Some(row.proc_id),
                    times,
                    events,
                );
                self.call(name, Some(row.op_id), row.proc_id, row.start, row.stop)
            }
            RecordKind::MapperCallInfo => {
                let row = MapperCallInfo::decode(raw, places);
                let name = (ObjectKind::MapperCall, row.kind);
                self.call(name, row.op_id, row.proc_id, row.start, row.stop)
            }
            RecordKind::ApplicationCallInfo => {
                let row = ApplicationCallInfo::decode(raw, places);
                let name = match (row.provenance, row.provenance_text) {
                    (_, Some(text)) => self.text(&raw.text(text)),
                    (id, None) => (ObjectKind::Application, id.unwrap_or(0)),
                };
                self.call(name, None, row.proc_id, row.start, row.stop)
            }
            RecordKind::ProfTaskInfo => {
                let row = ProfTaskInfo::decode(raw, places);
                let name = self.text("Legion Prof response");
                self.call(name, row.op_id, row.proc_id, row.start, row.stop)
            }
            RecordKind::OperationInstance => self.step(raw, places),
            RecordKind::MultiTask => {
                let row = MultiTask::decode(raw, places);
                self.file.index_launches.push((row.op_id, row.task_id));
                true
            }
            RecordKind::SliceOwner => {
                let row = SliceOwner::decode(raw, places);
                self.file.owners.push((row.op_id, row.parent_id));
                true
            }
            RecordKind::TaskInfo => {
                let row = TaskInfo::decode(raw, places);
                let times = [row.create, row.ready, row.start, row.stop];
                let events = [row.fevent, row.critical, row.creator];
                let ran = [row.create, row.start, row.stop];
                let place = (row.op_id, 0);
                self.ran(ActivityKind::Task, place, Some(row.proc_id), ran, events);
                self.task(row.op_id, row.task_id, row.proc_id, times, None)
            }
            RecordKind::ImplicitTaskInfo => {
                let row = ImplicitTaskInfo::decode(raw, places);
                let times = [row.create, row.ready, row.start, row.stop];
                let events = [row.fevent, row.critical, row.creator];
                let ran = [row.create, row.start, row.stop];
                let place = (row.op_id, 0);
                self.ran(ActivityKind::Program, place, Some(row.proc_id), ran, events);
                self.task(row.op_id, row.task_id, row.proc_id, times, None)
            }
            RecordKind::GPUTaskInfo => {
                let row = GPUTaskInfo::decode(raw, places);
                let times = [row.create, row.ready, row.start, row.stop];
                let events = [row.fevent, row.critical, row.creator];
                let ran = [row.create, row.start, row.stop];
                let place = (row.op_id, 0);
                self.ran(ActivityKind::Task, place, Some(row.proc_id), ran, events);
                let start = row.gpu_start.and_then(time);
                let stop = row.gpu_stop.and_then(time);
                let device = start.zip(stop).map(in_order);
                self.task(row.op_id, row.task_id, row.proc_id, times, device)
            }
            RecordKind::TaskWaitInfo => self.wait(&TaskWaitInfo::decode(raw, places)),
            RecordKind::MetaWaitInfo => {
                let row = MetaWaitInfo::decode(raw, places);
                let times = [row.wait_start, row.wait_end];
                self.waited(row.op_id, Some(row.lg_id), times, row.wait_event)
            }
            RecordKind::EventWaitInfo => {
                let row = EventWaitInfo::decode(raw, places);
                self.file.events.waits.insert((row.fevent, row.wait_event));
                true
            }
            RecordKind::PartitionInfo => {
                let row = PartitionInfo::decode(raw, places);
                let events = [Some(row.fevent), row.critical, row.creator];
                let times = [row.create, row.start, row.stop];
                let place = (row.op_id, PARTITIONING);
                self.ran(ActivityKind::Runtime, place, None, times, events);
                self.partitioning(&row)
            }
            RecordKind::EventMergerInfo => {
                let row = EventMergerInfo::decode(raw, places);
                let after = [row.pre0, row.pre1, row.pre2, row.pre3];
                self.trigger(row.result, row.fevent, row.performed, after)
            }
            RecordKind::CompletionQueueInfo => {
                let row = CompletionQueueInfo::decode(raw, places);
                let after = [row.pre0, row.pre1, row.pre2, row.pre3];
                self.trigger(row.result, row.fevent, row.performed, after)
            }
            RecordKind::EventTriggerInfo => {
                let row = EventTriggerInfo::decode(raw, places);
                let after = [row.precondition, None, None, None];
                self.trigger(row.result, row.fevent, row.performed, after)
            }
            RecordKind::EventPoisonInfo => {
                let row = EventPoisonInfo::decode(raw, places);
                self.trigger(row.result, row.fevent, row.performed, [None; 4])
            }
            RecordKind::BarrierArrivalInfo => {
                let row = BarrierArrivalInfo::decode(raw, places);
                let after = [row.precondition, None, None, None];
                self.trigger(row.result, row.fevent, row.performed, after)
            }
            RecordKind::ReservationAcquireInfo => {
                let row = ReservationAcquireInfo::decode(raw, places);
                let after = [row.precondition, None, None, None];
                self.trigger(row.result, row.fevent, row.performed, after)
            }
            RecordKind::InstanceReadyInfo => {
                let row = InstanceReadyInfo::decode(raw, places);
                let after = [row.precondition, None, None, None];
                self.trigger(row.result, None, row.performed, after)
            }
            RecordKind::InstTimelineInfo => self.instance(&InstTimelineInfo::decode(raw, places)),
            RecordKind::CopyInfo => {
                let row = CopyInfo::decode(raw, places);
                let times = [row.create, row.ready, row.start, row.stop];
                let events = [Some(row.fevent), row.critical, row.creator];
                let ran = [row.create, row.start, row.stop];
                self.ran(ActivityKind::Copy, (row.op_id, 0), None, ran, events);
                self.moved(row.fevent, row.op_id, row.size, times)
            }
            RecordKind::FillInfo => {
                let row = FillInfo::decode(raw, places);
                let times = [row.create, row.ready, row.start, row.stop];
                let events = [Some(row.fevent), row.critical, row.creator];
                let ran = [row.create, row.start, row.stop];
                self.ran(ActivityKind::Copy, (row.op_id, 0), None, ran, events);
                self.moved(row.fevent, row.op_id, row.size, times)
            }
            RecordKind::CopyInstInfo => {
                let row = CopyInstInfo::decode(raw, places);
                self.file.copies.legs.push(Leg {
                    event: row.fevent,
                    from: row.src,
                    to: row.dst,
                    indirect: row.indirect == Some(Flag(true)),
                });
                true
            }
            RecordKind::FillInstInfo => {
                let row = FillInstInfo::decode(raw, places);
                self.file.copies.legs.push(Leg {
                    event: row.fevent,
                    from: 0,
                    to: row.dst,
                    indirect: false,
                });
                true
            }
            _ => self.definition(known, raw, places),
        };
        self.file.senseless += u64::from(!sensible);
    }

    fn definition(&mut self, known: RecordKind, raw: &Raw<'_>, places: &[FieldOffset]) -> bool {
        let file = &mut self.file;
        let mut name = |what, id, text, replaced| {
            let text = self.recording.strings.intern(&raw.text(text));
            file.names.define(what, id, text, replaced);
        };
        match known {
            RecordKind::TaskKind => {
                let row = TaskKind::decode(raw, places);
                let replaced = row.overwrite == Some(Flag(true));
                name(ObjectKind::Task, row.task_id, row.name, replaced);
            }
            RecordKind::OpDesc => {
                let row = OpDesc::decode(raw, places);
                name(ObjectKind::Operation, row.kind, row.name, true);
            }
            RecordKind::MapperCallDesc => {
                let row = MapperCallDesc::decode(raw, places);
                name(ObjectKind::MapperCall, row.kind, row.name, true);
            }
            RecordKind::RuntimeCallDesc => {
                let row = RuntimeCallDesc::decode(raw, places);
                name(ObjectKind::RuntimeCall, row.kind, row.name, true);
            }
            RecordKind::MetaDesc => {
                let row = MetaDesc::decode(raw, places);
                name(ObjectKind::Meta, row.kind, row.name, true);
            }
            RecordKind::Provenance => {
                let row = Provenance::decode(raw, places);
                let text = raw.text(row.prov);
                file.names.define_provenance(row.provenance, &text);
            }
            RecordKind::ProcDesc => {
                let row = ProcDesc::decode(raw, places);
                file.hardware
                    .machine
                    .processors
                    .insert(row.proc_id, row.kind);
                return file.hardware.processors.slot(row.proc_id).is_some();
            }
            RecordKind::MemDesc => {
                let row = MemDesc::decode(raw, places);
                let facts = (row.kind, row.capacity);
                file.hardware.machine.memories.insert(row.mem_id, facts);
                return file.hardware.memories.slot(row.mem_id).is_some();
            }
            RecordKind::MachineDesc => {
                let row = MachineDesc::decode(raw, places);
                file.node = row.node_id;
                file.nodes = row.num_nodes;
                file.version = row.version;
                file.host = row.hostname.map(|text| raw.text(text).into_owned());
                file.pid = row.process_id.and_then(|pid| pid.try_into().ok());
            }
            RecordKind::ZeroTime => {
                file.zero_time = Some(ZeroTime::decode(raw, places).zero_time.cast_signed());
            }
            RecordKind::CalibrationErr => {
                let row = CalibrationErr::decode(raw, places);
                file.calibration_error = Some(row.calibration_err.cast_signed());
            }
            RecordKind::RuntimeConfig => file.flags = flags(&RuntimeConfig::decode(raw, places)),
            _ => {}
        }
        true
    }

    fn text(&mut self, text: &str) -> (ObjectKind, u64) {
        (
            ObjectKind::Text,
            self.recording.strings.intern(text).0.into(),
        )
    }

    fn step(&mut self, raw: &Raw<'_>, places: &[FieldOffset]) -> bool {
        let row = OperationInstance::decode(raw, places);
        let place =
            (row.provenance_text).map(|text| provenance::intern(self.recording, &raw.text(text)));
        self.file.steps.push(OperationRow {
            id: row.op_id,
            parent: row.parent_id.unwrap_or(0),
            provenance: row.provenance.unwrap_or(0),
            place: place.unwrap_or_default(),
            kind: u32::try_from(row.kind).unwrap_or(u32::MAX),
        });
        Uid::from_raw(row.op_id).is_some()
    }

    fn task(
        &mut self,
        id: u64,
        task: u64,
        processor: u64,
        times: [u64; 4],
        device: Option<(Timestamp, Timestamp)>,
    ) -> bool {
        let (Some(uid), Some(processor)) = (
            Uid::from_raw(id),
            self.file.hardware.processors.slot(processor),
        ) else {
            return false;
        };
        let [created, ready, start, end] = times_of(times);
        let is_row = self.recording.work.tasks.try_push(Task {
            source: self.file.source,
            uid,
            operation: uid,
            point: 0,
            processor: ProcessorId(processor),
            created,
            ready,
            start,
            end,
            device,
            arithmetic: None,
        });
        if is_row {
            self.file.task_ids.push(task);
        }
        true
    }

    /// Adds an activity: its operation and task of the runtime; creation, start and end; the event
    /// of its end, the last event that it waited for, and the event at the end of its creator.
    fn ran(
        &mut self,
        kind: ActivityKind,
        (id, meta): (u64, u64),
        processor: Option<u64>,
        [create, start, stop]: [u64; 3],
        [finish, precondition, creator]: [Option<u64>; 3],
    ) -> bool {
        // Files without a graph of events have no events at the ends of activities.
        let Some(finish) = finish.filter(|_| self.causes) else {
            return true;
        };
        let (start, end) = (any_time(start), any_time(stop));
        // The task, copy or call of the same record is counted instead.
        if check_times(start, Some(end)).is_err() {
            return true;
        }
        self.file.events.ran.push(Ran {
            kind,
            id,
            meta,
            processor: processor.and_then(|id| self.file.hardware.processors.slot(id)),
            created: time(create).unwrap_or(start),
            start,
            end,
            finish,
            precondition: precondition.unwrap_or(0),
            creator: creator.unwrap_or(0),
        });
        true
    }

    fn waited(&mut self, id: u64, meta: Option<u64>, times: [u64; 2], event: u64) -> bool {
        let [start, end] = times.map(any_time);
        if check_times(start, Some(end)).is_err() {
            return false;
        }
        self.file.events.waited.push(Waited {
            id,
            meta,
            start,
            end,
            event,
        });
        true
    }

    fn trigger(
        &mut self,
        event: u64,
        by: Option<u64>,
        performed: u64,
        after: [Option<u64>; 4],
    ) -> bool {
        let Some(at) = time(performed) else {
            return false;
        };
        let source = self.file.source;
        self.file.events.trigger(source, event, by, at, after);
        true
    }

    fn wait(&mut self, row: &TaskWaitInfo) -> bool {
        let Some(task) = Uid::from_raw(row.op_id) else {
            return false;
        };
        let [start, ready, end] = [row.wait_start, row.wait_ready, row.wait_end].map(any_time);
        if let Some(event) = row.wait_event {
            self.waited(row.op_id, None, [row.wait_start, row.wait_end], event);
        }
        self.recording.work.waits.push(Wait {
            source: self.file.source,
            kind: WaitKind::Event,
            task: Some(task),
            processor: None,
            operation: None,
            start,
            ready,
            end,
        });
        true
    }

    fn instance(&mut self, row: &InstTimelineInfo) -> bool {
        let (Some(uid), Some(memory)) = (
            uid_of_event(row.inst_uid),
            self.file.hardware.memories.slot(row.mem_id),
        ) else {
            return false;
        };
        let created = any_time(row.create);
        self.recording.work.instances.push(Instance {
            source: self.file.source,
            uid,
            store: None,
            memory: MemoryId(memory),
            bytes: row.size,
            operation: row.op_id.and_then(Uid::from_raw),
            created,
            ready: time(row.ready).unwrap_or(created),
            destroyed: row.destroy.and_then(time),
        });
        true
    }

    fn moved(&mut self, event: u64, operation: u64, bytes: u64, times: [u64; 4]) -> bool {
        let times = times_of(times);
        self.file.copies.moved.push(Moved {
            event,
            operation,
            bytes,
            times,
        });
        true
    }

    fn partitioning(&mut self, row: &PartitionInfo) -> bool {
        let times = [
            row.create,
            row.ready.unwrap_or(row.start),
            row.start,
            row.stop,
        ];
        let Some(uid) = uid_of_event(row.fevent) else {
            return false;
        };
        let [created, ready, start, end] = times_of(times);
        self.recording.work.partitionings.push(Partitioning {
            source: self.file.source,
            uid,
            kind: row.part_op.and_then(PartitioningKind::from_code),
            operation: Uid::from_raw(row.op_id),
            created,
            ready,
            start,
            end,
        });
        true
    }

    /// Adds a call of the runtime, named by a promised number.
    #[inline]
    fn call(
        &mut self,
        (what, id): (ObjectKind, u64),
        operation: Option<u64>,
        processor: u64,
        start: u64,
        stop: u64,
    ) -> bool {
        let Some(processor) = self.file.hardware.processors.slot(processor) else {
            return false;
        };
        let (start, end) = (any_time(start), any_time(stop));
        let kind: StringIndex = self.file.promised.number(what, id);
        self.recording.work.runtime_calls.push(RuntimeCall {
            source: self.file.source,
            kind,
            operation: operation.and_then(Uid::from_raw),
            processor: ProcessorId(processor),
            start,
            end,
        });
        true
    }
}

fn span(start: usize) -> Span {
    start..start
}

/// Returns a time, given in ns since ZeroTime; `None` if Legion or Realm marked it as absent
/// (2^64-1, 2^63), or if it is impossible for a clock.
#[inline]
fn time(nanos: u64) -> Option<Timestamp> {
    Some(any_time(nanos)).filter(|time| is_possible(*time))
}

/// Returns a time, given in ns since ZeroTime. Values of 2^63 and above, which are impossible for a
/// clock, become the maximum.
#[inline]
fn any_time(nanos: u64) -> Timestamp {
    Timestamp::from_nanos_since_legion_zero(i64::try_from(nanos).unwrap_or(i64::MAX))
}

/// Returns creation, readiness, start and end. The first two may be missing, and are then the
/// start.
#[inline]
fn times_of([create, ready, start, stop]: [u64; 4]) -> [Timestamp; 4] {
    let (start, stop) = (any_time(start), any_time(stop));
    let or = |nanos| time(nanos).unwrap_or(start);
    [or(create), or(ready), start, stop]
}

/// Returns the times of work on a device. Realm may have recorded them in the wrong order, by less
/// than a microsecond.
fn in_order((start, stop): (Timestamp, Timestamp)) -> (Timestamp, Timestamp) {
    let is_close = (0..1_000).contains(&(start - stop).0);
    if is_close {
        (stop, stop)
    } else {
        (start, stop)
    }
}

/// Returns the names of the enabled options that make a run slow.
fn flags(row: &RuntimeConfig) -> Vec<&'static str> {
    [
        (row.debug, "debug"),
        (row.spy, "spy"),
        (row.gc, "gc"),
        (row.inorder, "inorder"),
        (row.safe_mapper, "safe_mapper"),
        (row.safe_runtime, "safe_runtime"),
        (row.safe_ctrlrepl, "safe_ctrlrepl"),
        (row.part_checks, "part_checks"),
        (row.bounds_checks, "bounds_checks"),
        (row.resilient, "resilient"),
    ]
    .into_iter()
    .filter(|(flag, _)| *flag == Some(Flag(true)))
    .map(|(_, name)| name)
    .collect()
}
