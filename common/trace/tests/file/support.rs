//! Sample records, and files to write them to.

use std::path::Path;
use weft_trace::file::{Lane, ProfWriter, RunId, RunInfo, WriterOptions};
use weft_trace::id::{
    GpuUuid, ImageId, InstanceUid, LaunchUid, MemoryId, NameId, OperationUid, ProcessorId,
    ProvenanceId, Rank, ScopeId, StackId, StoreUid, TaskUid, Uid,
};
use weft_trace::record::{
    ApiCall, Arithmetic, Bandwidth, Caller, ClockSample, CodeOrigin, Compile, Copy, CopyRoute,
    Dependencies, DependencyKind, DeviceClock, DeviceMemory, DeviceWork, DeviceWorkKind,
    ExternalId, FillValue, FloatSpeed, Gpu, GraphReplay, Image, Immediate, Instance, InstanceEnd,
    InternalLaunch, Kernel, KernelShape, Launch, LaunchBytes, LaunchWork, List, Loss, Memory,
    MemoryKind, MemoryUse, Message, MessageSide, NO_DEVICE, Name, Operands, Operation, Overhead,
    PageEvent, Planning, Processor, ProcessorKind, Processors, Provenance, RankClock, Record,
    RuntimeCall, RuntimeCallKind, Scope, SourceText, Store, Synchronization, Task, Tile, Wait,
};
use weft_trace::time::{Timestamp, now};

/// Creates a file, and returns its writer and the info in its head.
pub(crate) fn writer(path: &Path, options: WriterOptions) -> (ProfWriter, RunInfo) {
    let info = RunInfo::of_this_process(RunId::random(), Rank::new(3).unwrap(), 4);
    (ProfWriter::create(path, &info, options).unwrap(), info)
}

pub(crate) fn uid(sequence: u64) -> Uid {
    Uid::new(Rank::default(), sequence).unwrap()
}

fn at(nanos: i64) -> Timestamp {
    Timestamp::from_nanos_since_boot(nanos)
}

/// Returns a task, the smallest record of practical use.
pub(crate) fn task(sequence: u64) -> Task {
    Task {
        uid: TaskUid(uid(sequence)),
        operation: OperationUid(uid(1)),
        point: sequence as u32,
        processor: ProcessorId(2),
        created: now(),
        ready: at(2),
        start: at(3),
        end: at(4),
        arithmetic: Some(Arithmetic {
            operations: 12,
            single: true,
        }),
    }
}

/// Returns a record of every kind.
pub(crate) fn one_of_each() -> Vec<Record<'static>> {
    vec![
        Bandwidth {
            threads: 2,
            bytes: 3 << 20,
            read: 20_000_000_000,
            copy: 18_000_000_000,
        }
        .into(),
        FloatSpeed {
            threads: 2,
            double: 100_000_000_000,
            single: 200_000_000_000,
        }
        .into(),
        LaunchBytes {
            launch: LaunchUid(uid(40)),
            read: 800,
            written: 400,
        }
        .into(),
        LaunchWork {
            launch: LaunchUid(uid(40)),
            kernels: 3,
            copies: 1,
            fills: 0,
        }
        .into(),
        Compile {
            launch: LaunchUid(uid(40)),
            operation: OperationUid(uid(39)),
            processor: ProcessorId(2),
            kernel: NameId(7),
            target: NameId(8),
            source: 0xfeed_beef_0123_4567,
            origin: CodeOrigin::Disk,
            start: at(1),
            made: at(5),
            end: at(9),
            waited: Some(3),
        }
        .into(),
        Name {
            id: NameId(7),
            text: "add ∑",
        }
        .into(),
        Provenance {
            id: ProvenanceId(1),
            file: NameId(1),
            function: NameId(2),
            line: 17,
            column: 5,
        }
        .into(),
        Processor {
            id: ProcessorId(2),
            kind: ProcessorKind::Cpu,
            thread: 4711,
            name: NameId(3),
        }
        .into(),
        Memory {
            id: MemoryId(1),
            kind: MemoryKind::System,
            capacity: u64::MAX,
        }
        .into(),
        ClockSample {
            before: at(-1),
            wall: 5,
            after: at(1),
        }
        .into(),
        RankClock {
            peer: 3,
            before: at(-5),
            theirs: at(1_000),
            after: at(5),
        }
        .into(),
        Operation {
            uid: OperationUid(uid(1)),
            parent: None,
            name: NameId(7),
            provenance: ProvenanceId(1),
            created: at(9),
            tasks: 2,
            scope: ScopeId(2),
            stack: StackId(3),
            shape: List::Items(&[3, 4, 0]),
        }
        .into(),
        Scope {
            id: ScopeId(2),
            parent: ScopeId(1),
            name: "assembly",
        }
        .into(),
        Caller {
            id: StackId(3),
            parent: StackId(0),
            provenance: ProvenanceId(1),
        }
        .into(),
        SourceText {
            file: NameId(4),
            part: 1,
            bytes: 70_000,
            newer: true,
            text: "x = np.ones(3)\n",
        }
        .into(),
        Operands {
            operation: OperationUid(uid(1)),
            grain: 2,
            views: List::Items(&[3, 4, 5]),
        }
        .into(),
        Image {
            id: ImageId(1 << 40 | 7),
            part: 1,
            words: 4099,
            list: List::Items(&[8, 9, 10]),
        }
        .into(),
        Processors {
            cpus: 2,
            omps: 1,
            omp_threads: 4,
            smallest: 1000,
            smallest_omp: 10_000,
        }
        .into(),
        Tile {
            operation: OperationUid(uid(1)),
            point: 1,
            bounds: List::Items(&[(0, 3), (2, 4)]),
        }
        .into(),
        task(4).into(),
        Launch {
            uid: LaunchUid(uid(4)),
            processor: ProcessorId(2),
            start: at(3),
            end: at(4),
            measured: false,
            shares: List::Items(&[]),
        }
        .into(),
        Kernel {
            launch: LaunchUid(uid(4)),
            processor: ProcessorId(2),
            name: NameId(8),
            start: at(i64::MIN),
            end: at(i64::MAX),
            bytes: 96,
            read: Some(2 * 4096),
        }
        .into(),
        dependencies(),
        Wait {
            task: TaskUid(uid(4)),
            start: at(1),
            ready: at(2),
            end: at(3),
        }
        .into(),
        RuntimeCall {
            kind: RuntimeCallKind::Mapping,
            operation: Some(OperationUid(uid(1))),
            processor: ProcessorId(0),
            start: at(1),
            end: at(2),
            task: None,
        }
        .into(),
        InternalLaunch {
            uid: LaunchUid(uid(6)),
            processor: ProcessorId(0),
            name: NameId(7),
            start: at(1),
            end: at(2),
        }
        .into(),
        Immediate {
            operation: OperationUid(uid(1)),
            parent: None,
            task: TaskUid(uid(6)),
            name: NameId(7),
            provenance: ProvenanceId(8),
            kernel: NameId(9),
            processor: ProcessorId(0),
            created: at(1),
            start: at(2),
            end: at(3),
            bytes: 800,
            read: Some(2 * 4096),
            scope: ScopeId(0),
            stack: StackId(0),
            arithmetic: None,
            shape: List::Items(&[10, 10]),
        }
        .into(),
        DeviceWork {
            kind: DeviceWorkKind::Memcpy,
            name: NameId(7),
            device: 1,
            context: 2,
            stream: 3,
            correlation: u32::MAX,
            graph: 4,
            graph_node: u64::MAX,
            start: at(-5),
            end: at(6),
            bytes: 7,
            launch: Some(LaunchUid(uid(5))),
            detail: 3,
        }
        .into(),
        KernelShape {
            id: 1,
            grid_x: 2,
            grid_y: 3,
            grid_z: 4,
            block_x: 5,
            block_y: 6,
            block_z: 7,
            registers: 8,
            static_shared: 9,
            dynamic_shared: 10,
            shared_executed: 11,
            local_per_thread: 12,
            local_total: 1 << 40,
            launch_type: 13,
        }
        .into(),
        CopyRoute {
            id: 2,
            copy_kind: 10,
            source_kind: 3,
            destination_kind: 1,
            source_device: 0,
            source_context: 1,
            destination_device: NO_DEVICE,
            destination_context: NO_DEVICE,
        }
        .into(),
        FillValue {
            id: 3,
            value: u32::MAX,
            memory_kind: 3,
        }
        .into(),
        Synchronization {
            kind: 3,
            context: 1,
            stream: 7,
            event: NO_DEVICE,
            correlation: 8,
            start: at(1),
            end: at(2),
        }
        .into(),
        DeviceMemory {
            operation: 1,
            memory_kind: 3,
            device: 0,
            context: 1,
            correlation: 9,
            address: 1 << 47,
            bytes: 4096,
            at: at(3),
        }
        .into(),
        Overhead {
            kind: 5 << 16,
            thread: 4301,
            device: NO_DEVICE,
            context: NO_DEVICE,
            stream: NO_DEVICE,
            correlation: 7,
            start: at(3),
            end: at(5),
        }
        .into(),
        PageEvent {
            counter: 4,
            value: 3,
            address: 1 << 46,
            source: 0,
            destination: NO_DEVICE,
            flags: 2,
            start: at(3),
            end: at(4),
        }
        .into(),
        Gpu {
            processor: ProcessorId(4),
            device: 1,
            memory: 1 << 37,
            multiprocessors: 132,
            major: 9,
            minor: 0,
            bandwidth: Some(4_800_000_000_000),
            uuid: GpuUuid::from_bytes([7; 16]),
            name: "NVIDIA H200",
        }
        .into(),
        ApiCall {
            name: NameId(7),
            thread: 99,
            correlation: 5,
            start: at(1),
            end: at(2),
            result: 700,
        }
        .into(),
        ExternalId {
            correlation: 5,
            launch: LaunchUid(uid(5)),
        }
        .into(),
        replay(),
        DeviceClock {
            before: at(1),
            device: -1,
            after: at(2),
        }
        .into(),
        Planning {
            operation: OperationUid(uid(1)),
            processor: ProcessorId(0),
            start: at(1),
            partitioned: at(2),
            mapped: at(3),
            end: at(4),
        }
        .into(),
        Store {
            uid: StoreUid(uid(5)),
            dtype: NameId(9),
            provenance: ProvenanceId(0),
            shape: List::Items(&[12]),
        }
        .into(),
        Instance {
            uid: InstanceUid(uid(6)),
            store: StoreUid(uid(5)),
            memory: MemoryId(1),
            bytes: 96,
            operation: OperationUid(uid(1)),
            created: at(1),
            ready: at(2),
        }
        .into(),
        InstanceEnd {
            uid: InstanceUid(uid(6)),
            destroyed: at(8),
        }
        .into(),
        Message {
            uid: TaskUid(uid(31)),
            operation: OperationUid(uid(1)),
            peer: 2,
            side: MessageSide::Receive,
            number: 1 << 40,
            memory: MemoryId(0),
            bytes: 4096,
            created: at(1),
            ready: at(2),
            start: at(3),
            passed: at(4),
            end: at(5),
        }
        .into(),
        MemoryUse {
            memory: MemoryId(1),
            at: at(2),
            live: 96,
            peak: 128,
            largest_free: 1024,
            kept: 32,
        }
        .into(),
        Copy {
            uid: TaskUid(uid(7)),
            operation: OperationUid(uid(1)),
            source: MemoryId(1),
            destination: MemoryId(0),
            bytes: 96,
            created: at(1),
            ready: at(2),
            start: at(3),
            end: at(4),
        }
        .into(),
        Loss {
            value: 3,
            name: "strings_cut",
        }
        .into(),
    ]
}

fn replay() -> Record<'static> {
    const NODES: &[(u64, LaunchUid)] = &[
        (9, LaunchUid(Uid::from_raw(2).unwrap())),
        (u64::MAX, LaunchUid(Uid::from_raw(3).unwrap())),
    ];
    GraphReplay {
        replay: LaunchUid(uid(5)),
        nodes: List::Items(NODES),
    }
    .into()
}

fn dependencies() -> Record<'static> {
    const EDGES: &[(TaskUid, DependencyKind)] = &[
        (
            TaskUid(Uid::from_raw(2).unwrap()),
            DependencyKind::ReadAfterWrite,
        ),
        (
            TaskUid(Uid::from_raw(3).unwrap()),
            DependencyKind::WriteAfterRead,
        ),
    ];
    Dependencies {
        task: TaskUid(uid(4)),
        store: Some(StoreUid(uid(5))),
        bytes: Some(96),
        on: List::Items(EDGES),
    }
    .into()
}

/// Writes a record of any kind.
pub(crate) fn write(lane: &mut Lane, record: &Record<'_>) -> bool {
    match record {
        Record::Name(record) => lane.write(record),
        Record::Provenance(record) => lane.write(record),
        Record::Processor(record) => lane.write(record),
        Record::Memory(record) => lane.write(record),
        Record::ClockSample(record) => lane.write(record),
        Record::Operation(record) => lane.write(record),
        Record::Tile(record) => lane.write(record),
        Record::Task(record) => lane.write(record),
        Record::Launch(record) => lane.write(record),
        Record::Kernel(record) => lane.write(record),
        Record::Dependencies(record) => lane.write(record),
        Record::Wait(record) => lane.write(record),
        Record::RuntimeCall(record) => lane.write(record),
        Record::Planning(record) => lane.write(record),
        Record::InternalLaunch(record) => lane.write(record),
        Record::Immediate(record) => lane.write(record),
        Record::DeviceWork(record) => lane.write(record),
        Record::ApiCall(record) => lane.write(record),
        Record::ExternalId(record) => lane.write(record),
        Record::GraphReplay(record) => lane.write(record),
        Record::DeviceClock(record) => lane.write(record),
        Record::KernelShape(record) => lane.write(record),
        Record::CopyRoute(record) => lane.write(record),
        Record::FillValue(record) => lane.write(record),
        Record::Synchronization(record) => lane.write(record),
        Record::DeviceMemory(record) => lane.write(record),
        Record::PageEvent(record) => lane.write(record),
        Record::Overhead(record) => lane.write(record),
        Record::Gpu(record) => lane.write(record),
        Record::Store(record) => lane.write(record),
        Record::Instance(record) => lane.write(record),
        Record::InstanceEnd(record) => lane.write(record),
        Record::MemoryUse(record) => lane.write(record),
        Record::Message(record) => lane.write(record),
        Record::RankClock(record) => lane.write(record),
        Record::Operands(record) => lane.write(record),
        Record::Image(record) => lane.write(record),
        Record::Processors(record) => lane.write(record),
        Record::Copy(record) => lane.write(record),
        Record::Loss(record) => lane.write(record),
        Record::Bandwidth(record) => lane.write(record),
        Record::FloatSpeed(record) => lane.write(record),
        Record::LaunchBytes(record) => lane.write(record),
        Record::LaunchWork(record) => lane.write(record),
        Record::Compile(record) => lane.write(record),
        Record::Scope(record) => lane.write(record),
        Record::Caller(record) => lane.write(record),
        Record::SourceText(record) => lane.write(record),
        other => panic!("a kind that the test does not know: {other:?}"),
    }
}

/// Encodes a record as a frame, for comparison.
pub(crate) fn bytes_of(record: Record<'_>) -> Vec<u8> {
    let mut frame = vec![0; record.frame_size()];
    record.put_frame(&mut frame);
    frame
}
