//! A run on a GPU that CUPTI recorded in its process, without Nsight Systems: the tables and
//! reports of Nsight Systems derived from it, with records in any order.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod placed;

use crate::{support, tools};

use proptest::prelude::*;
use rusqlite::Connection;
use std::path::Path;
use std::process::Command;
use support::{ProfFile, THREADS, at, join, operation_uid, uid};
use weft_analysis::stats::{self, By};
use weft_model::table::Cell;
use weft_model::{Method, Outcome, Reason, Severity, Trace};
use weft_nvtx_export::{Progress, ReadOptions, read};
use weft_output::nsys_rep::{self, ReportOptions, Search};
use weft_output::sqlite::{self, WriteOptions};
use weft_trace::file::RunId;
use weft_trace::id::{GpuUuid, LaunchUid, NameId, ProcessorId, ProvenanceId, TaskUid};
use weft_trace::record::{
    ApiCall, CopyRoute, DeviceClock, DeviceMemory, DeviceWork, DeviceWorkKind, ExternalId,
    FillValue, Gpu, KernelShape, Launch, List, Loss, NO_DEVICE, Name, Operation, Overhead,
    PageEvent, Processor, ProcessorKind, Record, Shares, Synchronization, Task, loss,
};

const GPU: ProcessorId = ProcessorId(9);
/// Launches: 11 and 12 are kernels, 13 a copy to the GPU, 14 a fill.
const LAUNCHES: std::ops::Range<u64> = 11..15;

/// CUPTI's clock minus the monotonic clock, in ns.
const AHEAD: i64 = 5_000_000;

fn launch(sequence: u64) -> LaunchUid {
    LaunchUid(uid(sequence))
}

fn start_of(sequence: u64) -> i64 {
    (sequence as i64 - 10) * 1_000_000
}

/// The runtime's records of launches and processors, and the definitions that records of CUPTI
/// refer to.
fn program() -> Vec<Record<'static>> {
    let mut records = Vec::new();
    let names = [
        "_ZN4weft3addIdEEvPT_S2_",
        "weft_mul_f64",
        "[CUDA memcpy HtoD]",
        "[CUDA memset]",
        "cuLaunchKernel",
        "cuMemcpyAsync",
        "cuStreamSynchronize",
        "step",
        "GPU 0",
    ];
    for (id, text) in (1..).zip(names) {
        records.push(
            Name {
                id: NameId(id),
                text,
            }
            .into(),
        );
    }
    records.push(
        Processor {
            id: GPU,
            kind: ProcessorKind::Gpu,
            thread: THREADS[0],
            name: NameId(9),
        }
        .into(),
    );
    records.push(
        Gpu {
            processor: GPU,
            device: 0,
            memory: 141 << 30,
            multiprocessors: 132,
            major: 9,
            minor: 0,
            bandwidth: Some(4_800_000_000_000),
            uuid: GpuUuid::from_bytes([7; 16]),
            name: "NVIDIA H200",
        }
        .into(),
    );
    records.push(
        Operation {
            uid: operation_uid(1),
            parent: None,
            name: NameId(8),
            provenance: ProvenanceId(0),
            created: at(0),
            tasks: 4,
            scope: Default::default(),
            stack: Default::default(),
            shape: List::Items(&[4]),
        }
        .into(),
    );
    for sequence in LAUNCHES {
        let start = at(start_of(sequence));
        let end = at(start_of(sequence) + 50_000);
        records.push(
            Task {
                uid: TaskUid(uid(sequence)),
                operation: operation_uid(1),
                point: sequence as u32 - 11,
                processor: GPU,
                created: at(0),
                ready: at(0),
                start,
                end,
                arithmetic: None,
            }
            .into(),
        );
        let launch = Launch {
            uid: launch(sequence),
            processor: GPU,
            start,
            end,
            measured: false,
            shares: Shares::Items(&[]),
        };
        records.push(launch.into());
    }
    for (id, grid_x) in [(1, 64), (2, 128)] {
        records.push(
            KernelShape {
                id,
                grid_x,
                grid_y: 2,
                grid_z: 1,
                block_x: 256,
                block_y: 1,
                block_z: 1,
                registers: 40,
                static_shared: 1024,
                dynamic_shared: 2048,
                shared_executed: 8192,
                local_per_thread: 16,
                local_total: 4096,
                launch_type: 0,
            }
            .into(),
        );
    }
    records.push(
        CopyRoute {
            id: 3,
            copy_kind: 1,
            source_kind: 2,
            destination_kind: 3,
            source_device: NO_DEVICE,
            source_context: NO_DEVICE,
            destination_device: NO_DEVICE,
            destination_context: NO_DEVICE,
        }
        .into(),
    );
    records.push(
        FillValue {
            id: 4,
            value: 7,
            memory_kind: 3,
        }
        .into(),
    );
    for before in [0, 20_000_000] {
        let sample = DeviceClock {
            before: at(before),
            device: before + AHEAD + 5,
            after: at(before + 10),
        };
        records.push(sample.into());
    }
    records
}

/// CUPTI's records: work, the calls that started it, and the ids.
fn device() -> Vec<Record<'static>> {
    let mut records = Vec::new();
    let on_device = |nanos| at(nanos + AHEAD);
    for (sequence, (kind, name, bytes, detail)) in LAUNCHES.zip([
        (DeviceWorkKind::Kernel, 1, 0, 1),
        (DeviceWorkKind::Kernel, 2, 0, 2),
        (DeviceWorkKind::Memcpy, 3, 4096, 3),
        (DeviceWorkKind::Memset, 4, 64, 4),
    ]) {
        let correlation = sequence as u32 * 10;
        let start = start_of(sequence);
        let call = if kind == DeviceWorkKind::Kernel { 5 } else { 6 };
        records.push(
            ExternalId {
                correlation,
                launch: launch(sequence),
            }
            .into(),
        );
        records.push(
            ApiCall {
                name: NameId(call),
                thread: THREADS[0],
                correlation,
                start: on_device(start + 10_000),
                end: on_device(start + 12_000),
                result: 0,
            }
            .into(),
        );
        records.push(
            DeviceWork {
                kind,
                name: NameId(name),
                device: 0,
                context: 1,
                stream: 7,
                correlation,
                graph: 0,
                graph_node: 0,
                start: on_device(start + 100_000),
                end: on_device(start + 120_000),
                bytes,
                launch: None,
                detail,
            }
            .into(),
        );
    }
    records.push(
        ApiCall {
            name: NameId(7),
            thread: THREADS[1],
            correlation: 500,
            start: on_device(6_000_000),
            end: on_device(6_500_000),
            result: 700,
        }
        .into(),
    );
    records.push(
        Synchronization {
            kind: 3,
            context: 1,
            stream: 7,
            event: NO_DEVICE,
            correlation: 500,
            start: on_device(6_000_100),
            end: on_device(6_499_900),
        }
        .into(),
    );
    records.push(
        DeviceMemory {
            operation: 1,
            memory_kind: 3,
            device: 0,
            context: 1,
            correlation: 501,
            address: 1 << 40,
            bytes: 1 << 20,
            at: on_device(500_000),
        }
        .into(),
    );
    let spent = |kind: u32, thread, correlation, start, end| {
        Record::from(Overhead {
            kind,
            thread,
            device: NO_DEVICE,
            context: NO_DEVICE,
            stream: NO_DEVICE,
            correlation,
            start: on_device(start),
            end: on_device(end),
        })
    };
    let first = start_of(LAUNCHES.start);
    records.extend([
        // Before the launches; while the first is issued, one within another; at the end of the
        // second and after it; on another thread.
        spent(2 << 16, THREADS[0], 0, 100_000, 150_000),
        spent(3 << 16, THREADS[0], 0, first + 20_000, first + 40_000),
        spent(7 << 16, THREADS[0], 0, first + 25_000, first + 30_000),
        spent(5 << 16, THREADS[0], 110, first + 10_500, first + 11_500),
        spent(
            6 << 16,
            THREADS[0],
            120,
            first + 1_045_000,
            first + 1_060_000,
        ),
        spent(1 << 16, THREADS[1], 0, first, first + 50_000),
    ]);
    let page = |counter, value, [source, destination]: [u32; 2], flags, start| {
        let end = on_device(start + 500);
        let start = on_device(start);
        let event = PageEvent {
            counter,
            value,
            address: 1 << 41,
            source,
            destination,
            flags,
            start,
            end,
        };
        Record::from(event)
    };
    let (gpu, host) = (0, NO_DEVICE);
    let first = start_of(LAUNCHES.start) + 110_000;
    records.extend([
        // While the first kernel runs: faults, a page that comes, one that makes room.
        page(4, 3, [gpu, gpu], 2, first),
        page(1, 65_536, [host, gpu], 2, first + 1000),
        page(2, 131_072, [gpu, host], 4, first + 2000),
        // A prefetch, a fault of the host with the page's move, and a fault while nothing runs.
        page(1, 4096, [host, gpu], 1, 200_000),
        page(3, 0x1234, [host, host], 0, 300_000),
        page(2, 65_536, [gpu, host], 2, 300_100),
        page(4, 2, [gpu, gpu], 1, 400_000),
    ]);
    records
}

fn write(profile: &mut ProfFile, record: &Record<'_>) {
    match record {
        Record::Name(record) => profile.write(*record),
        Record::Processor(record) => profile.write(*record),
        Record::Gpu(record) => profile.write(*record),
        Record::Operation(record) => profile.write(*record),
        Record::Task(record) => profile.write(*record),
        Record::Launch(record) => profile.write(*record),
        Record::KernelShape(record) => profile.write(*record),
        Record::CopyRoute(record) => profile.write(*record),
        Record::FillValue(record) => profile.write(*record),
        Record::DeviceClock(record) => profile.write(*record),
        Record::ExternalId(record) => profile.write(*record),
        Record::ApiCall(record) => profile.write(*record),
        Record::DeviceWork(record) => profile.write(*record),
        Record::Synchronization(record) => profile.write(*record),
        Record::DeviceMemory(record) => profile.write(*record),
        Record::PageEvent(record) => profile.write(*record),
        Record::Overhead(record) => profile.write(*record),
        Record::Loss(record) => profile.write(*record),
        other => panic!("{other:?}"),
    }
}

/// Returns the trace of a file with these records.
fn trace_of<'a>(records: impl IntoIterator<Item = &'a Record<'static>>) -> Trace {
    let mut profile = ProfFile::new(RunId([1; 16]), 0);
    for record in records {
        write(&mut profile, record);
    }
    let (_folder, path) = profile.finish();
    join(&[path])
}

fn database(trace: &Trace, folder: &Path) -> Connection {
    let out = folder.join("weft.sqlite");
    sqlite::write(trace, &out, &WriteOptions::default()).unwrap();
    Connection::open(out).unwrap()
}

/// Returns the rows of a query, with cells separated by bars.
fn rows(database: &Connection, sql: &str) -> Vec<String> {
    let mut select = database.prepare(sql).unwrap();
    let columns = select.column_count();
    let row = |row: &rusqlite::Row<'_>| {
        let cells = (0..columns).map(|column| match row.get_ref(column).unwrap() {
            rusqlite::types::ValueRef::Null => "-".to_owned(),
            rusqlite::types::ValueRef::Integer(number) => number.to_string(),
            rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
            other => panic!("{other:?}"),
        });
        Ok(cells.collect::<Vec<_>>().join("|"))
    };
    select
        .query_map([], row)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

#[test]
fn nsys_tables_contain_cupti_records() {
    let trace = trace_of(program().iter().chain(&device()));
    let folder = tempfile::tempdir().unwrap();
    let database = database(&trace, folder.path());
    let kernels = "SELECT k.start, end - start, deviceId, contextId, streamId, correlationId, d.value, s.value, \
                   launchType, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, \
                   dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, sharedMemoryExecuted, graphNodeId \
                   FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds d ON d.id = demangledName \
                   JOIN StringIds s ON s.id = shortName ORDER BY start";
    assert_eq!(
        rows(&database, kernels),
        [
            "1100000|20000|0|1|7|110|void weft::add<double>(double*, double*)|add|1|40|64|2|1|256|1|1|1024|2048|16|4096|8192|-",
            "2100000|20000|0|1|7|120|weft_mul_f64|weft_mul_f64|1|40|128|2|1|256|1|1|1024|2048|16|4096|8192|-",
        ]
    );
    let copies = "SELECT start, end - start, bytes, c.label, s.label, d.label, srcDeviceId \
                  FROM CUPTI_ACTIVITY_KIND_MEMCPY m JOIN ENUM_CUDA_MEMCPY_OPER c ON c.id = copyKind \
                  JOIN ENUM_CUDA_MEM_KIND s ON s.id = srcKind JOIN ENUM_CUDA_MEM_KIND d ON d.id = dstKind";
    assert_eq!(
        rows(&database, copies),
        ["3100000|20000|4096|Host-to-Device|Pinned|Device|-"]
    );
    let fills = "SELECT start, value, bytes, k.label FROM CUPTI_ACTIVITY_KIND_MEMSET m \
                 JOIN ENUM_CUDA_MEM_KIND k ON k.id = memKind";
    assert_eq!(rows(&database, fills), ["4100000|7|64|Device"]);
    let calls = "SELECT start, end - start, value, c.label, globalTid & 0xffffff, correlationId, returnValue \
                 FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = nameId \
                 JOIN ENUM_NSYS_EVENT_CLASS c ON c.id = eventClass ORDER BY start";
    assert_eq!(
        rows(&database, calls),
        [
            "1010000|2000|cuLaunchKernel|CUDA driver|4301|110|0",
            "2010000|2000|cuLaunchKernel|CUDA driver|4301|120|0",
            "3010000|2000|cuMemcpyAsync|CUDA driver|4301|130|0",
            "4010000|2000|cuMemcpyAsync|CUDA driver|4301|140|0",
            "6000000|500000|cuStreamSynchronize|CUDA driver|4302|500|700",
        ]
    );
    let waits = "SELECT start, end, deviceId, contextId, streamId, correlationId, t.label \
                 FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION JOIN ENUM_CUPTI_SYNC_TYPE t ON t.id = syncType";
    assert_eq!(
        rows(&database, waits),
        ["6000100|6499900|0|1|7|500|Stream sync"]
    );
    let memory = "SELECT start, address, bytes, k.label, o.label FROM CUDA_GPU_MEMORY_USAGE_EVENTS \
                  JOIN ENUM_CUDA_MEM_KIND k ON k.id = memKind \
                  JOIN ENUM_CUDA_DEV_MEM_EVENT_OPER o ON o.id = memoryOperationType";
    assert_eq!(
        rows(&database, memory),
        ["500000|1099511627776|1048576|Device|Allocation"]
    );
    let gpus = "SELECT id, name, totalMemory >> 30, smCount, computeMajor, computeMinor FROM TARGET_INFO_GPU";
    assert_eq!(rows(&database, gpus), ["0|NVIDIA H200|141|132|9|0"]);
    // Every piece of work ran on the processor of its device, and is linked.
    let processors = "SELECT count(*), count(processorId), min(processorId) FROM WEFT_KERNEL";
    assert_eq!(rows(&database, processors), ["4|4|9"]);
    let methods = "SELECT method, count(*) FROM WEFT_KERNEL_TASK GROUP BY method";
    assert_eq!(rows(&database, methods), ["external_id|4"]);
}

#[test]
fn cupti_data_survives_a_round_trip() {
    let trace = trace_of(program().iter().chain(&device()));
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    sqlite::write(&trace, &first, &WriteOptions::default()).unwrap();
    let back = join(std::slice::from_ref(&first));
    assert_eq!(back.devices.calls.len(), trace.devices.calls.len());
    assert_eq!(back.devices.failed_calls, trace.devices.failed_calls);
    assert_eq!(back.devices.overheads.len(), 6);
    sqlite::write(&back, &second, &WriteOptions::default()).unwrap();
    support::database::assert_same(&first, &second);
}

#[test]
fn run_without_devices_has_no_device_tables() {
    let records = program();
    let records = records
        .iter()
        .filter(|record| !matches!(record, Record::Gpu(_)));
    let trace = trace_of(records);
    let folder = tempfile::tempdir().unwrap();
    let tables = "SELECT name FROM sqlite_master WHERE name LIKE 'CU%' OR name LIKE 'TARGET%'";
    assert_eq!(rows(&database(&trace, folder.path()), tables), [""; 0]);
}

#[test]
fn task_with_lost_gpu_work_has_no_time() {
    let device = device();
    // The correlation of the second launch, whose records are lost as in a full buffer.
    let kept = device
        .iter()
        .filter(|record| !matches!(record, Record::DeviceWork(work) if work.correlation == 120));
    let trace = trace_of(program().iter().chain(kept));
    let table = stats::table(&trace, By::Task);
    let cell = |column: &str| table.rows()[0][table.column(column).unwrap()].clone();
    assert_eq!(cell("count"), Cell::Integer(3));
    assert_eq!(cell("total"), Cell::Integer(60_000));
    assert_eq!(cell("unknown"), Cell::Integer(1));
    // The issue of each took 50 us.
    assert_eq!(cell("issue time"), Cell::Integer(200_000));
    let note = stats::note(&trace, By::Task, &table).unwrap();
    assert!(
        note.starts_with("1 task of a GPU has no recorded work"),
        "{note}"
    );
    let folder = tempfile::tempdir().unwrap();
    let database = database(&trace, folder.path());
    let times = "SELECT ifnull(time, 'none'), issueTime FROM weft_task_time ORDER BY start";
    let known = "20000|50000";
    assert_eq!(rows(&database, times), [known, "none|50000", known, known]);
    assert_eq!(rows(&database, "SELECT total FROM weft_by_line"), ["60000"]);
    // Without records of work on GPUs, the times are those of the issue.
    let trace = trace_of(&program());
    let table = stats::table(&trace, By::Task);
    let total = &table.rows()[0][table.column("total").unwrap()];
    assert_eq!(*total, Cell::Integer(200_000));
}

/// Returns a report as rows of cells. The first row is the header.
fn report(name: &str, database: &Path) -> Vec<Vec<String>> {
    let output = Command::new("nsys")
        .args([
            "stats", "-q", "--format", "csv", "--output", "-", "--report", name,
        ])
        .arg(database)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.trim().as_bytes());
    let records = reader.records();
    records
        .map(|record| record.unwrap().iter().map(str::to_owned).collect())
        .collect()
}

#[test]
fn nsys_reports_accept_the_database() {
    if tools::program("nsys", "WEFT_NSYS").is_none() {
        return;
    }
    let trace = trace_of(program().iter().chain(&device()));
    let folder = tempfile::tempdir().unwrap();
    drop(database(&trace, folder.path()));
    let path = folder.path().join("weft.sqlite");
    let cells = |name: &str, columns: &[&str]| -> Vec<String> {
        let report = report(name, &path);
        let head = report.first().unwrap_or_else(|| panic!("{name} is empty"));
        let place = |column: &&str| {
            let place = head.iter().position(|name| name == column);
            place.unwrap_or_else(|| panic!("{name} has no {column}: {report:?}"))
        };
        let places: Vec<usize> = columns.iter().map(place).collect();
        let rows = report.iter().skip(1);
        let mut rows: Vec<String> = rows
            .map(|row| {
                places
                    .iter()
                    .map(|at| &*row[*at])
                    .collect::<Vec<_>>()
                    .join("|")
            })
            .collect();
        rows.sort_unstable();
        rows
    };
    let totals = ["Total Time (ns)", "Instances", "Name"];
    let mul = "20000|1|weft_mul_f64";
    let add = "20000|1|void weft::add<double>(double*, double*)";
    assert_eq!(cells("gpukernsum", &totals), [add, mul]);
    assert_eq!(
        cells("cudaapisum", &["Total Time (ns)", "Num Calls", "Name"]),
        [
            "4000|2|cuLaunchKernel",
            "4000|2|cuMemcpyAsync",
            "500000|1|cuStreamSynchronize"
        ]
    );
    assert_eq!(
        cells("gpumemtimesum", &["Total Time (ns)", "Count", "Operation"]),
        ["20000|1|[CUDA memcpy HtoD]", "20000|1|[CUDA memset]"]
    );
    assert_eq!(cells("gpusum", &["Total Time (ns)", "Instances"]).len(), 4);
    let trace = [
        "Start (ns)",
        "Duration (ns)",
        "CorrId",
        "GrdX",
        "Reg/Trd",
        "Device",
        "Name",
    ];
    assert_eq!(
        cells("gputrace", &trace),
        [
            "1100000|20000|110|64|40|NVIDIA H200 (0)|void weft::add<double>(double*, double*)",
            "2100000|20000|120|128|40|NVIDIA H200 (0)|weft_mul_f64",
            "3100000|20000|130|None|None|NVIDIA H200 (0)|[CUDA memcpy HtoD]",
            "4100000|20000|140|None|None|NVIDIA H200 (0)|[CUDA memset]",
        ]
    );
    assert_eq!(cells("cudaapitrace", &["Name", "Result"]).len(), 5);
    assert_eq!(cells("kernexecsum", &["Kernel Name"]).len(), 2);
    // The ranges derived from launches enclose the calls.
    let ranges = cells("nvtxkernsum", &["NVTX Range", "Kernel Name", "Kern Inst"]);
    assert_eq!(ranges.len(), 2, "{ranges:?}");
}

fn loss(trace: &Trace, name: &str) -> Option<(u64, Severity)> {
    let found = trace.quality.losses.iter().find(|loss| loss.name == name)?;
    Some((found.value, found.severity))
}

#[test]
fn sums_equal_counters_and_explains_them() {
    let counted = [
        (loss::CUPTI_DROPPED.name, 3),
        (loss::CUPTI_HELD.name, 1),
        (loss::CUPTI_DROPPED.name, 4),
        (loss::OVERHEAD_FLUSH.name, 1_000),
        ("of_a_later_version", 2),
    ];
    let counted = counted.map(|(name, value)| Record::from(Loss { value, name }));
    let trace = trace_of(program().iter().chain(&counted));
    assert_eq!(loss(&trace, "cupti_dropped"), Some((7, Severity::Loss)));
    assert_eq!(loss(&trace, "cupti_held"), Some((1, Severity::Note)));
    assert_eq!(
        loss(&trace, "cupti_overhead_buffer_flush_ns"),
        Some((1_000, Severity::Note))
    );
    assert_eq!(
        loss(&trace, "of_a_later_version"),
        Some((2, Severity::Loss))
    );
    let folder = tempfile::tempdir().unwrap();
    let row = "SELECT value, severity, meaning FROM WEFT_LOSS WHERE name = 'cupti_dropped'";
    assert_eq!(
        rows(&database(&trace, folder.path()), row),
        ["7|loss|GPU activities that CUPTI dropped because its buffers were full"]
    );
}

#[test]
fn links_work_with_lost_id_by_issue_time() {
    let mut device = device();
    device.retain(|record| !matches!(record, Record::ExternalId(id) if id.correlation == 110));
    let trace = trace_of(program().iter().chain(&device));
    let by_time = trace
        .devices
        .kernels
        .iter()
        .zip(&trace.links.outcomes)
        .filter(|(kernel, _)| kernel.correlation == Some(110));
    for (_, outcome) in by_time {
        let Outcome::Linked { launch, method } = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(*method, Method::Range);
        assert_eq!(trace.work.launches[launch.0 as usize].uid.sequence(), 11);
    }
    let fact = |name: &str| trace.quality.meta.get(name).map(str::to_owned);
    assert_eq!(fact("external_id_disagreed").as_deref(), Some("0"));
    assert_ne!(fact("external_id_agreed").as_deref(), Some("0"));
}

#[test]
fn work_without_id_and_call_is_unmatched_as_lost() {
    let mut device = device();
    device.retain(|record| match record {
        Record::ExternalId(id) => id.correlation != 110,
        Record::ApiCall(call) => call.correlation != 110,
        _ => true,
    });
    let unmatched = |trace: &Trace| -> Vec<Outcome> {
        let outcomes = trace.links.outcomes.iter().copied();
        outcomes
            .filter(|outcome| matches!(outcome, Outcome::Unmatched(_)))
            .collect()
    };
    let whole = trace_of(program().iter().chain(&device));
    assert_eq!(unmatched(&whole), [Outcome::Unmatched(Reason::NoApiCall)]);
    let lost = Record::from(Loss {
        value: 1,
        name: loss::CUPTI_DROPPED.name,
    });
    let lossy = trace_of(program().iter().chain(&device).chain([&lost]));
    assert_eq!(unmatched(&lossy), [Outcome::Unmatched(Reason::LostRecords)]);
}

/// The possible fates of a CUPTI record.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Kept,
    Lost,
    Twice,
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn counts_every_kernel_despite_lost_reordered_or_repeated_records(
        (order, fates) in {
            let all = device().len();
            let fate = prop_oneof![4 => Just(Fate::Kept), 1 => Just(Fate::Lost), 1 => Just(Fate::Twice)];
            (Just((0..all).collect::<Vec<_>>()).prop_shuffle(), prop::collection::vec(fate, all))
        }
    ) {
        let (program, device) = (program(), device());
        let mut records: Vec<&Record<'static>> = program.iter().collect();
        for at in order {
            match fates[at] {
                Fate::Lost => {}
                Fate::Kept => records.push(&device[at]),
                Fate::Twice => records.extend([&device[at], &device[at]]),
            }
        }
        let there = |wanted: &dyn Fn(&Record<'static>) -> bool| {
            records.iter().filter(|record| wanted(record)).count()
        };
        let work = there(&|record| matches!(record, Record::DeviceWork(_)));
        let trace = trace_of(records.iter().copied());
        prop_assert_eq!(trace.devices.kernels.len(), work);
        for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
            let correlation = kernel.correlation.unwrap();
            let has_id = there(&|record| {
                matches!(record, Record::ExternalId(id) if i64::from(id.correlation) == correlation)
            });
            let has_call = there(&|record| {
                matches!(record, Record::ApiCall(call) if i64::from(call.correlation) == correlation)
            });
            // An id or a call links regardless of when it was delivered. Records that were
            // delivered twice are equal.
            let linked = match outcome {
                Outcome::Linked { launch, .. } => {
                    let launch = trace.work.launches[launch.0 as usize].uid.sequence();
                    prop_assert_eq!(launch as i64 * 10, correlation);
                    true
                }
                Outcome::Unmatched(_) => false,
            };
            prop_assert_eq!(linked, has_id + has_call > 0);
            prop_assert_eq!(kernel.processor, Some(GPU));
        }
        let connection = Connection::open_in_memory().unwrap();
        sqlite::load(&trace, &connection, Path::new("memory"), &WriteOptions::default()).unwrap();
        let told = "SELECT (SELECT count(*) FROM WEFT_KERNEL), (SELECT count(*) FROM WEFT_UNMATCHED) + \
                    (SELECT count(DISTINCT kernelId) FROM WEFT_KERNEL_TASK)";
        let told = rows(&connection, told);
        prop_assert_eq!(told, [format!("{work}|{work}")]);
    }
}

#[test]
fn rejects_reports_made_by_weft_with_one_sentence() {
    if tools::program("nsys", "WEFT_NSYS").is_none() {
        return;
    }
    let trace = trace_of(program().iter().chain(&device()));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("rows.nsys-rep");
    let options = ReportOptions {
        force: false,
        merge: None,
        search: Search::from_env(None),
        progress: Progress::default(),
    };
    nsys_rep::write(&trace, &out, &options).unwrap();
    let refused = read(&[out], &ReadOptions::default())
        .unwrap_err()
        .sentence();
    assert!(
        refused.contains("rows.nsys-rep: `nsys export` finds no data in it"),
        "{refused}"
    );
    assert!(
        refused.contains("give the inputs it was made from"),
        "{refused}"
    );
}
