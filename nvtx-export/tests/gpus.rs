//! The identity of GPUs, the channels of copies between them, and the reasons for tables without
//! rows.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::session::{PROCESS, Session};
use crate::support::{self, ProfFile, at};
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use weft_analysis::between::{Between, Edge};
use weft_analysis::iterations;
use weft_analysis::stats::{self, By};
use weft_model::Trace;
use weft_model::table::{Cell, Table};
use weft_nvtx_export::{Progress, ReadOptions, RequiredParts, read};
use weft_output::query;
use weft_output::sqlite::{self, WriteOptions};
use weft_timeline as timeline;
use weft_timeline::LaneKind;
use weft_trace::file::RunId;
use weft_trace::id::{GpuUuid, NameId, ProcessorId};
use weft_trace::record::{
    DeviceClock, DeviceWork, DeviceWorkKind, Gpu, Name, Processor, ProcessorKind,
};

const SECOND: i64 = 1_000_000_000;

/// Another process on the machine of [`PROCESS`].
const OTHER: i64 = PROCESS + (1 << 24);

fn read_with(path: &Path, keep: RequiredParts) -> Trace {
    let options = ReadOptions {
        keep,
        ..ReadOptions::default()
    };
    read(&[path.to_owned()], &options).unwrap()
}

fn texts(table: &Table, name: &str) -> Vec<String> {
    let column = table.column(name).unwrap();
    let cells = table.rows().iter().map(|row| match row.get(column) {
        Some(Cell::Text(text)) => text.clone(),
        Some(Cell::Integer(number)) => number.to_string(),
        _ => String::new(),
    });
    cells.collect::<Vec<String>>()
}

/// Two processes with one kernel each on their device 0, at the same time. `devices` are the rows
/// of TARGET_INFO_CUDA_DEVICE.
fn two_processes(gpus: &str, devices: &str) -> Session {
    let session = Session::new(0);
    session
        .database
        .execute_batch(&format!(
            "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, uuid TEXT, busLocation TEXT);
             CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid TEXT);
             {gpus} {devices}"
        ))
        .unwrap();
    session.kernel(PROCESS, 1, SECOND);
    session.kernel(OTHER, 1, SECOND + 500);
    session
}

fn pid(process: i64) -> i64 {
    process >> 24 & 0xff_ffff
}

#[test]
fn identifies_devices_of_two_processes_by_gpu() {
    let gpus = format!(
        "INSERT INTO TARGET_INFO_GPU VALUES ({vm}, 0, 'A', 'aaaa-01', '0000:01:00.0'), ({vm}, 1, 'B', 'bbbb-02', '0000:02:00.0');",
        vm = 1_i64 << 48
    );
    let (one, two) = (pid(PROCESS), pid(OTHER));
    let devices = |rows: &str| format!("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES {rows};");
    for (gpus, devices, expected) in [
        // By the number of the GPU.
        (
            gpus.as_str(),
            devices(&format!("(0, 0, {one}, NULL), (1, 0, {two}, NULL)")),
            2,
        ),
        // By UUID, written in several ways.
        (
            &gpus,
            devices(&format!(
                "(NULL, 0, {one}, 'GPU-AAAA-01'), (NULL, 0, {two}, 'bbbb02')"
            )),
            2,
        ),
        // Only by UUID.
        (
            "",
            devices(&format!("(NULL, 0, {one}, 'cc'), (NULL, 0, {two}, 'dd')")),
            2,
        ),
        (
            "",
            devices(&format!("(0, 0, {one}, 'cc'), (0, 0, {two}, 'dd')")),
            2,
        ),
        // Both processes use one GPU.
        (
            &gpus,
            devices(&format!("(1, 0, {one}, NULL), (1, 0, {two}, NULL)")),
            1,
        ),
        (
            "",
            devices(&format!(
                "(NULL, 0, {one}, 'ee'), (NULL, 0, {two}, 'GPU-ee')"
            )),
            1,
        ),
    ] {
        let session = two_processes(gpus, &devices);
        let trace = read_with(&session.path, RequiredParts::Everything);
        let processors = texts(&stats::table(&trace, By::Processor), "processor");
        assert_eq!(processors.len(), expected, "{devices} {processors:?}");
        let ask = |sql: &str| query::select(&trace, sql, &Progress::default()).unwrap();
        let utilisation = ask("SELECT deviceId, busy FROM weft_utilisation");
        assert_eq!(utilisation.rows().len(), expected, "{devices}");
        // There are 540 ns from the first start to the last end. Each of two GPUs is idle except
        // for its kernel of 40 ns.
        let gaps = ask("SELECT sum(duration) AS idle FROM weft_gaps");
        let idle = if expected == 2 { 1_000 } else { 460 };
        assert_eq!(texts(&gaps, "idle"), [idle.to_string()], "{devices}");
        // A joined database that is read back has the same GPUs.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weft.sqlite");
        sqlite::write(&trace, &path, &WriteOptions::default()).unwrap();
        let back = read_with(&path, RequiredParts::Everything);
        assert_eq!(
            texts(&stats::table(&back, By::Processor), "processor"),
            processors
        );
    }
}

#[test]
fn maps_visible_device_to_physical_gpu() {
    let gpus = format!(
        "INSERT INTO TARGET_INFO_GPU VALUES ({vm}, 0, 'A', 'a1', NULL), ({vm}, 1, 'B', 'b1', NULL);",
        vm = 1_i64 << 48
    );
    let devices = format!(
        "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, {}, NULL), (1, 0, {}, NULL);",
        pid(PROCESS),
        pid(OTHER)
    );
    let session = two_processes(&gpus, &devices);
    let trace = read_with(&session.path, RequiredParts::Everything);
    let processors = texts(&stats::table(&trace, By::Processor), "processor");
    assert_eq!(processors, ["GPU 1"]);
}

#[test]
fn copies_between_gpus_name_both() {
    let session = Session::new(0);
    session
        .database
        .execute_batch(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
               streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER,
               srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER);
             CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (processId INTEGER, contextId INTEGER, deviceId INTEGER);",
        )
        .unwrap();
    let context = "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (?1, ?2, ?3)";
    for (number, device) in [(1, 0), (2, 1), (3, 2)] {
        let values = params![pid(PROCESS), number, device];
        session.database.execute(context, values).unwrap();
    }
    let sql = "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?1, ?1 + 10, ?2, NULL, 7, 1, ?3, 100, ?4, ?5, ?6, ?7, ?8)";
    let none = None::<i64>;
    let rows = [
        // Kind, device, source with its context, destination with its context.
        (10, 0, Some(0), Some(1), Some(1), Some(2)),
        (10, 1, Some(1), none, Some(0), none),
        (10, 0, none, Some(3), Some(1), none),
        (10, 2, Some(1), none, none, none),
        (8, 0, Some(2), none, Some(0), none),
        (8, 1, Some(1), none, Some(1), none),
        (1, 0, none, none, none, none),
    ];
    for (at, (kind, device, from, from_context, to, to_context)) in
        (SECOND..).step_by(100).zip(rows)
    {
        let values = params![
            at,
            device,
            PROCESS,
            kind,
            from,
            from_context,
            to,
            to_context
        ];
        session.database.execute(sql, values).unwrap();
    }
    let trace = read_with(&session.path, RequiredParts::Costs);
    let channels = |trace: &Trace| {
        let table = stats::table(trace, By::Channel);
        let mut pairs: Vec<String> = texts(&table, "from")
            .into_iter()
            .zip(texts(&table, "to"))
            .map(|(from, to)| format!("{from} -> {to}"))
            .collect();
        pairs.sort();
        pairs
    };
    let expected = [
        "GPU 0 -> GPU 1",
        "GPU 1 -> GPU 0",
        "GPU 1 -> GPU 1",
        "GPU 1 -> GPU 2",
        "GPU 2 -> GPU 0",
        "GPU 2 -> GPU 1",
        "host -> GPU 0",
    ];
    assert_eq!(channels(&trace), expected);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weft.sqlite");
    sqlite::write(&trace, &path, &WriteOptions::default()).unwrap();
    assert_eq!(channels(&read_with(&path, RequiredParts::Costs)), expected);
}

fn note(path: &Path, by: By, keep: RequiredParts) -> String {
    let trace = read_with(path, keep);
    let table = stats::table(&trace, by);
    assert!(table.is_empty());
    stats::note(&trace, by, &table).unwrap()
}

#[test]
fn empty_table_reasons_match_the_session() {
    // Work without a pause.
    let session = Session::new(0);
    session.kernel(PROCESS, 1, SECOND);
    session.kernel(PROCESS, 2, SECOND + 40);
    let gap = note(&session.path, By::Gap, RequiredParts::Everything);
    assert!(
        gap.starts_with("nothing that worked was ever idle"),
        "{gap}"
    );
    // First no ranges, then only one across threads.
    for by in [By::RangeName, By::Range] {
        let none = note(&session.path, by, RequiredParts::Ranges);
        assert!(
            none.starts_with("these inputs have no NVTX ranges"),
            "{none}"
        );
    }
    let across = "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, endGlobalTid) VALUES (?1, ?2, 60, 'r', ?3, ?4)";
    let database: &Connection = &session.database;
    let values = params![SECOND, SECOND + 50, PROCESS | 1, PROCESS | 2];
    database.execute(across, values).unwrap();
    for keep in [RequiredParts::Ranges, RequiredParts::Everything] {
        let one = note(&session.path, By::RangeName, keep);
        assert!(
            one.starts_with(
                "the only NVTX range in these inputs was opened on one thread and closed on another"
            ),
            "{one}"
        );
        assert!(!one.contains("--by range-name"), "{one}");
    }
    let empty = Session::new(0);
    let gap = note(&empty.path, By::Gap, RequiredParts::Everything);
    assert!(
        gap.starts_with("these inputs have no tasks and no GPU work"),
        "{gap}"
    );
    let kernels = note(&empty.path, By::Kernel, RequiredParts::Costs);
    assert!(
        kernels.starts_with("these inputs have no kernels"),
        "{kernels}"
    );
}

#[test]
fn folds_numbers_in_range_messages() {
    let session = Session::new(0);
    let sql = "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES (?1, ?1 + 10, 59, ?2, ?3)";
    for number in 0..5 {
        let values = params![
            SECOND + 100 * number,
            format!("op_id = {number}"),
            PROCESS | 1
        ];
        session.database.execute(sql, values).unwrap();
    }
    let trace = read_with(&session.path, RequiredParts::Ranges);
    let folded = stats::table(&trace, By::RangeName);
    assert_eq!(texts(&folded, "range"), ["op_id = #"]);
    assert_eq!(texts(&folded, "count"), ["5"]);
    assert_eq!(texts(&folded, "range time"), ["50"]);
    assert_eq!(stats::table(&trace, By::RangeMessage).rows().len(), 5);
}

/// Returns the profile of a rank whose GPU, device 0 of its process, runs two kernels of 1 ms
/// starting at `start`, 2 ms apart.
fn rank_on_gpu(rank: u16, uuid: Option<GpuUuid>, start: i64) -> (TempDir, PathBuf) {
    let mut profile = ProfFile::new(RunId([9; 16]), rank);
    let gpu = ProcessorId(4);
    for (id, text) in [(1, "GPU 0"), (2, "kernel")] {
        profile.write(Name {
            id: NameId(id),
            text,
        });
    }
    profile.write(Processor {
        id: gpu,
        kind: ProcessorKind::Gpu,
        thread: 0,
        name: NameId(1),
    });
    profile.write(Gpu {
        processor: gpu,
        device: 0,
        memory: 1 << 37,
        multiprocessors: 132,
        major: 9,
        minor: 0,
        bandwidth: None,
        uuid,
        name: "NVIDIA H200",
    });
    for nanos in [0, 20_000_000] {
        profile.write(DeviceClock {
            before: at(nanos),
            device: at(nanos + 5).nanos(),
            after: at(nanos + 10),
        });
    }
    for start in [start, start + 3_000_000] {
        profile.write(DeviceWork {
            kind: DeviceWorkKind::Kernel,
            name: NameId(2),
            device: 0,
            context: 1,
            stream: 7,
            correlation: 0,
            graph: 0,
            graph_node: 0,
            start: at(start),
            end: at(start + 1_000_000),
            bytes: 0,
            detail: 0,
            launch: None,
        });
    }
    profile.finish()
}

/// Returns the names of the GPUs with a row in a table of stats, each once.
fn gpus_of(trace: &Trace, by: By) -> Vec<String> {
    let table = stats::table(trace, by);
    let rows = texts(&table, "rank")
        .into_iter()
        .zip(texts(&table, "processor"));
    let mut names: Vec<String> = rows
        .map(|(rank, name)| format!("{name} of {rank}"))
        .collect();
    names.retain(|name| name.starts_with("GPU"));
    names.sort();
    names.dedup();
    names
}

#[test]
fn merges_processors_of_two_ranks_with_equal_uuid() {
    let uuid = |byte| GpuUuid::from_bytes([byte; 16]);
    let cases = [
        (uuid(1), uuid(1), 1),
        (uuid(1), uuid(2), 2),
        (uuid(1), None, 2),
        (None, None, 2),
    ];
    for (one, other, expected) in cases {
        // The kernels of the second rank begin when those of the first end.
        let (_one, first) = rank_on_gpu(0, one, 1_000_000);
        let (_other, second) = rank_on_gpu(1, other, 2_000_000);
        let trace = support::join(&[first, second]);
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("weft.sqlite");
        sqlite::write(&trace, &database, &WriteOptions::default()).unwrap();
        let again = read_with(&database, RequiredParts::Everything);
        for trace in [&trace, &again] {
            assert_eq!(gpus_of(trace, By::Processor).len(), expected);
            assert_eq!(gpus_of(trace, By::Gap).len(), expected);
            let ask = |sql: &str| query::select(trace, sql, &Progress::default()).unwrap();
            let busy = ask("SELECT sourceId, busy FROM weft_utilisation WHERE kind = 'GPU'");
            let times = texts(&busy, "busy");
            let time = (4_000_000 / expected).to_string();
            assert_eq!(times, vec![time; expected], "{one:?} {other:?}");
            // One GPU is idle between the two pairs of kernels. Of two GPUs, each also waits for
            // the other.
            let gaps = ask("SELECT sum(duration) AS gap FROM weft_gaps WHERE position = 'between'");
            let idle = if expected == 1 { 1_000_000 } else { 4_000_000 };
            assert_eq!(texts(&gaps, "gap"), [idle.to_string()]);
            let listed = ask("SELECT DISTINCT id FROM TARGET_INFO_GPU");
            assert_eq!(listed.rows().len(), expected);
        }
        let timeline = timeline::Timeline::open(&database, &Progress::default()).unwrap();
        let lanes = timeline.file.lanes().iter();
        let lanes = lanes.filter(|lane| lane.kind == LaneKind::Processor && lane.label == "GPU 0");
        assert_eq!(lanes.count(), expected);
    }
}

/// Returns a session with ranges on one thread, each with its message, start and end in us.
fn ranges(rows: &[(String, i64, i64)]) -> Session {
    let session = Session::new(0);
    session.kernel(PROCESS, 1, SECOND);
    let sql = "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES (?1, ?2, 59, ?3, ?4, 0)";
    for (text, start, end) in rows {
        let values = params![
            SECOND + start * 1_000,
            SECOND + end * 1_000,
            text,
            PROCESS | 1
        ];
        session.database.execute(sql, values).unwrap();
    }
    session
}

#[test]
fn evenly_repeating_ranges_form_the_loop() {
    let steps = |message: &dyn Fn(i64) -> String| {
        let rows = (0..100).flat_map(|step| {
            let start = 100 * step;
            let inner = ("forward".to_owned(), start + 10, start + 40);
            [(message(step), start, start + 90), inner]
        });
        rows.collect::<Vec<_>>()
    };
    for (rows, name) in [
        (steps(&|_| "step".to_owned()), "step"),
        (steps(&|step| format!("step {step}")), "step #"),
    ] {
        let trace = read_with(&ranges(&rows).path, RequiredParts::Everything);
        let note = iterations::note(&trace).unwrap();
        let expected = format!("the loop of NVTX ranges `{name}` has 100 iterations of 90.000 us");
        assert!(note.starts_with(&expected), "{note}");
        let edges = [10, 19].map(Edge::Iteration);
        let [from, to] = edges.map(Some);
        let part = Between { from, to }.window(&trace).unwrap();
        assert_eq!((part.to - part.from).0, 990_000);
    }
    // Uneven periods, few ranges, and nested ranges are not iterations.
    let uneven = (0..40).map(|step: i64| {
        (
            "op".to_owned(),
            step * step * step * 20,
            step * step * step * 20 + 10,
        )
    });
    let few = (0..5).map(|step| ("step".to_owned(), 100 * step, 100 * step + 90));
    let nested = (0..20).map(|depth| ("walk".to_owned(), depth, 100 - depth));
    for rows in [uneven.collect(), few.collect(), nested.collect::<Vec<_>>()] {
        let trace = read_with(&ranges(&rows).path, RequiredParts::Everything);
        assert_eq!(iterations::note(&trace), None);
    }
}

#[test]
fn separates_gpus_with_equal_number_and_different_uuids() {
    let listed = "INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'A', 'aaaa-01', '0000:01:00.0'), (0, 0, 'B', 'bbbb-02', '0000:01:00.0');";
    let devices = format!(
        "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, {}, 'aaaa-01'), (0, 0, {}, 'bbbb-02');",
        pid(PROCESS),
        pid(OTHER)
    );
    let session = two_processes(listed, &devices);
    let trace = read_with(&session.path, RequiredParts::Everything);
    let gpus = trace
        .devices
        .sessions
        .iter()
        .flat_map(|session| &session.gpus);
    let names: Vec<&str> = gpus.map(|gpu| trace.strings.get(gpu.name)).collect();
    assert_eq!(names, ["A", "B"]);
    let processors = texts(&stats::table(&trace, By::Processor), "processor");
    assert_eq!(processors.len(), 2, "{processors:?}");
}
