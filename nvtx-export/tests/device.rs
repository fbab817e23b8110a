//! Device work that CUPTI recorded in the process, read from a `.prof` file, alone and together
//! with Nsight Systems.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};
use support::{PID, ProfFile, THREADS, at, join, operation_uid, uid};
use tempfile::TempDir;
use weft_model::{KernelKind, Method, Outcome, Reason, Recorder, Trace, Traffic};
use weft_trace::file::RunId;
use weft_trace::id::{GpuUuid, LaunchUid, NameId, ProcessorId, ProvenanceId, TaskUid};
use weft_trace::record::{
    ApiCall, DeviceClock, DeviceWork, DeviceWorkKind, ExternalId, Gpu, GraphReplay, InternalLaunch,
    Launch, LaunchBytes, LaunchWork, List, Name, Operation, Shares, Task,
};
use weft_trace::time::Timestamp;

fn launch(sequence: u64) -> LaunchUid {
    LaunchUid(uid(sequence))
}

/// Returns CUPTI's clock when the monotonic one reads `nanos`: it began a second earlier and runs
/// 100 ppm fast.
fn device(nanos: i64) -> i64 {
    1_000_000_000 + nanos + nanos / 10_000
}

fn on_device(nanos: i64) -> Timestamp {
    at(device(nanos))
}

fn work(kind: DeviceWorkKind, correlation: u32, start: i64, launch: Option<u64>) -> DeviceWork {
    DeviceWork {
        kind,
        name: NameId(1),
        device: 0,
        context: 1,
        stream: 7,
        correlation,
        graph: 0,
        graph_node: 0,
        start: on_device(start),
        end: on_device(start + 10_000),
        bytes: 64,
        launch: launch.map(self::launch),
        detail: 0,
    }
}

/// Tasks 11 to 14, each with its own launch; launch 20, which replays a graph of them; launch
/// 21, internal to the runtime.
fn profile() -> ProfFile {
    let mut profile = ProfFile::new(RunId([1; 16]), 0);
    for (id, text) in [
        (1, "_Z3addPd"),
        (2, "cudaLaunchKernel"),
        (3, "clear the pool"),
    ] {
        profile.write(Name {
            id: NameId(id),
            text,
        });
    }
    profile.write(Operation {
        uid: operation_uid(1),
        parent: None,
        name: NameId(1),
        provenance: ProvenanceId(0),
        created: at(0),
        tasks: 4,
        scope: Default::default(),
        stack: Default::default(),
        shape: List::Items(&[4]),
    });
    for sequence in 11..15 {
        let start = (sequence as i64 - 10) * 1_000_000;
        profile.write(Task {
            uid: TaskUid(uid(sequence)),
            operation: operation_uid(1),
            point: sequence as u32 - 11,
            processor: ProcessorId(0),
            created: at(0),
            ready: at(0),
            start: at(start),
            end: at(start + 100_000),
            arithmetic: None,
        });
        profile.write(Launch {
            uid: launch(sequence),
            processor: ProcessorId(0),
            start: at(start),
            end: at(start + 100_000),
            measured: false,
            shares: Shares::Items(&[]),
        });
    }
    let all: Vec<_> = (11..15)
        .map(|sequence| (TaskUid(uid(sequence)), 0.25))
        .collect();
    profile.write(Launch {
        uid: launch(20),
        processor: ProcessorId(0),
        start: at(8_000_000),
        end: at(8_100_000),
        measured: false,
        shares: Shares::Items(&all),
    });
    profile.write(InternalLaunch {
        uid: launch(21),
        processor: ProcessorId(0),
        name: NameId(3),
        start: at(500_000),
        end: at(600_000),
    });
    for monotonic in [0, 10_000_000_000] {
        profile.write(DeviceClock {
            before: at(monotonic - 100),
            device: device(monotonic),
            after: at(monotonic + 100),
        });
    }
    profile
}

fn link_of(trace: &Trace, row: usize) -> Result<(u64, Method), Reason> {
    match trace.links.outcomes[row] {
        Outcome::Linked { launch, method } => Ok((
            trace.work.launches[launch.0 as usize].uid.sequence(),
            method,
        )),
        Outcome::Unmatched(reason) => Err(reason),
    }
}

#[test]
fn launch_bytes_belong_to_its_only_kernel() {
    let mut profile = profile();
    let kernel = DeviceWorkKind::Kernel;
    profile.write(work(kernel, 1, 1_200_000, Some(11)));
    // With two kernels, the bytes moved by each are unknown.
    profile.write(work(kernel, 2, 2_200_000, Some(12)));
    profile.write(work(kernel, 3, 2_400_000, Some(12)));
    profile.write(work(kernel, 4, 3_200_000, Some(13)));
    for (sequence, read) in [(11, 800), (12, 1600)] {
        profile.write(LaunchBytes {
            launch: launch(sequence),
            read,
            written: 400,
        });
    }
    let (_folder, path) = profile.finish();
    let trace = join(&[path]);
    let traffic: Vec<_> = trace
        .devices
        .kernels
        .iter()
        .map(|kernel| kernel.traffic)
        .collect();
    let known = Traffic {
        read: Some(800),
        written: Some(400),
    };
    let unknown = Traffic {
        read: None,
        written: Some(64),
    };
    assert_eq!(traffic, [known, unknown, unknown, unknown]);
}

/// Returns the losses that count missing work on GPUs, with their counts.
fn missing(trace: &Trace) -> Vec<(&str, u64)> {
    let losses = trace.quality.losses.iter();
    let missing = losses.filter(|loss| loss.name.starts_with("gpu_work"));
    missing
        .map(|loss| (loss.name.as_str(), loss.value))
        .collect()
}

#[test]
fn counts_missing_work_by_reason() {
    let issued = |sequence, kernels, copies| LaunchWork {
        launch: launch(sequence),
        kernels,
        copies,
        fills: 0,
    };
    let kernel = DeviceWorkKind::Kernel;
    let mut complete = profile();
    complete.write(issued(11, 1, 0));
    complete.write(issued(12, 1, 1));
    complete.write(work(kernel, 1, 1_200_000, Some(11)));
    complete.write(work(kernel, 2, 2_200_000, Some(12)));
    complete.write(work(DeviceWorkKind::Memcpy, 3, 2_300_000, Some(12)));
    // A library may start several kernels for a product.
    complete.write(work(kernel, 4, 2_400_000, Some(12)));
    let (_folder, path) = complete.finish();
    assert_eq!(missing(&join(&[path])), []);

    // One piece of launch 12 is missing between others. All of launch 14 comes after the last
    // record.
    let mut partial = profile();
    partial.write(issued(11, 1, 0));
    partial.write(issued(12, 2, 1));
    partial.write(issued(13, 1, 0));
    partial.write(issued(14, 3, 0));
    partial.write(work(kernel, 1, 1_200_000, Some(11)));
    partial.write(work(kernel, 2, 2_200_000, Some(12)));
    partial.write(work(DeviceWorkKind::Memcpy, 3, 2_300_000, Some(12)));
    partial.write(work(kernel, 4, 3_200_000, Some(13)));
    let (_folder, path) = partial.finish();
    assert_eq!(
        missing(&join(&[path])),
        [("gpu_work_not_delivered", 3), ("gpu_work_unrecorded", 1)]
    );

    // A profile without counts.
    let mut old = profile();
    old.write(Gpu {
        processor: ProcessorId(0),
        device: 0,
        memory: 1 << 30,
        multiprocessors: 4,
        major: 9,
        minor: 0,
        bandwidth: None,
        uuid: GpuUuid::from_bytes([7; 16]),
        name: "emulated",
    });
    let (_folder, path) = old.finish();
    assert_eq!(missing(&join(&[path])), [("gpu_work_not_delivered", 4)]);
}

#[test]
fn gpu_recordings_report_their_missing_work() {
    type Missing = &'static [(&'static str, u64)];
    let cases: [(&[&str], Missing); 6] = [
        (&["cg.prof"], &[]),
        (&["cggraph.prof"], &[]),
        (&["cg-nsys.prof", "cg-nsys.sqlite"], &[]),
        (&["cgnode.prof", "cgnode.sqlite"], &[]),
        (
            &["cgtrace.prof", "cgtrace.sqlite"],
            &[("gpu_work_in_unrecorded_graphs", 616)],
        ),
        (
            &["py.prof", "py.sqlite"],
            &[("gpu_work_outside_recording", 4)],
        ),
    ];
    for (names, expected) in cases {
        let files: Option<Vec<_>> = names
            .iter()
            .map(|name| support::shared(&format!("gpu/{name}.zst"), name))
            .collect();
        let Some(files) = files else {
            return;
        };
        let paths: Vec<_> = files.iter().map(|(_, path)| path.clone()).collect();
        assert_eq!(missing(&join(&paths)), expected, "{names:?}");
    }
}

#[test]
fn external_ids_link_launches_in_any_delivery_order() {
    let mut profile = profile();
    let kernel = DeviceWorkKind::Kernel;
    profile.write(work(kernel, 1, 1_200_000, Some(11)));
    // Delivered separately, before and after the work.
    profile.write(ExternalId {
        correlation: 2,
        launch: launch(12),
    });
    profile.write(work(DeviceWorkKind::Memcpy, 2, 2_200_000, None));
    profile.write(work(DeviceWorkKind::Memset, 3, 3_200_000, None));
    profile.write(ExternalId {
        correlation: 3,
        launch: launch(13),
    });
    // An id of two launches is not used.
    profile.write(work(kernel, 4, 4_200_000, None));
    profile.write(ExternalId {
        correlation: 4,
        launch: launch(13),
    });
    profile.write(ExternalId {
        correlation: 4,
        launch: launch(14),
    });
    // An unknown launch, an internal launch, and no data at all.
    profile.write(work(kernel, 5, 5_200_000, Some(99)));
    profile.write(work(kernel, 6, 6_200_000, Some(21)));
    profile.write(work(kernel, 7, 7_200_000, None));
    // A call without any ranges.
    profile.write(work(kernel, 8, 7_300_000, None));
    profile.write(ApiCall {
        name: NameId(2),
        thread: THREADS[0],
        correlation: 8,
        start: on_device(7_100_000),
        end: on_device(7_110_000),
        result: 0,
    });
    let (_folder, path) = profile.finish();
    let trace = join(&[path]);
    let expected = [
        Ok((11, Method::ExternalId)),
        Ok((12, Method::ExternalId)),
        Ok((13, Method::ExternalId)),
        Err(Reason::NoApiCall),
        Err(Reason::UnknownUid),
        Err(Reason::RuntimeInternal),
        Err(Reason::NoApiCall),
        Err(Reason::OutsideRanges),
    ];
    let all: Vec<_> = (0..trace.devices.kernels.len())
        .map(|row| link_of(&trace, row))
        .collect();
    assert_eq!(all, expected);
    let kinds: Vec<_> = trace
        .devices
        .kernels
        .iter()
        .map(|kernel| kernel.kind)
        .collect();
    assert_eq!(
        kinds[..3],
        [KernelKind::Kernel, KernelKind::Memcpy, KernelKind::Memset]
    );
    assert!(
        trace
            .devices
            .kernels
            .iter()
            .all(|kernel| kernel.recorder == Recorder::Cupti)
    );
    let repeated = trace
        .quality
        .losses
        .iter()
        .find(|loss| loss.name == "external_ids_repeated");
    assert_eq!(repeated.unwrap().value, 1);
    // Internal work of the runtime is shown, although it serves no task.
    let kind = |call: &weft_model::RuntimeCall| trace.strings.get(call.kind).to_owned();
    assert!(
        trace
            .work
            .runtime_calls
            .iter()
            .any(|call| kind(call) == "clear the pool")
    );

    // All times are on the monotonic clock.
    for (kernel, start) in trace
        .devices
        .kernels
        .iter()
        .zip([1_200_000, 2_200_000, 3_200_000])
    {
        assert!((kernel.start - at(start)).0.abs() <= 2, "{kernel:?}");
    }
    assert!((trace.devices.calls[0].start - at(7_100_000)).0.abs() <= 2);
    let fact = |key: &str| trace.quality.meta.get(key).unwrap().parse::<f64>().unwrap();
    assert!((fact("source_1_device_clock_drift_ppm") + 99.99).abs() < 0.01);
    assert_eq!(fact("source_1_device_clock_error_ns"), 100.0);
}

#[test]
fn graph_nodes_link_to_launches_of_their_replay() {
    let mut profile = profile();
    profile.write(GraphReplay {
        replay: launch(20),
        nodes: List::Items(&[(501, launch(11)), (502, launch(12))]),
    });
    // Another part of the same map, and another replay of the same nodes.
    profile.write(GraphReplay {
        replay: launch(20),
        nodes: List::Items(&[(503, launch(99))]),
    });
    profile.write(GraphReplay {
        replay: launch(14),
        nodes: List::Items(&[(501, launch(13))]),
    });
    let node = |correlation, node, replay, start| DeviceWork {
        graph: 5,
        graph_node: node,
        ..work(DeviceWorkKind::Kernel, correlation, start, Some(replay))
    };
    for (place, row) in [
        (1_i64, (9, 501, 20)),
        (2, (9, 502, 20)),
        (3, (9, 503, 20)),
        (4, (9, 504, 20)),
        (5, (10, 501, 14)),
    ] {
        profile.write(node(row.0, row.1, row.2, 8_200_000 + 20_000 * place));
    }
    let (_folder, path) = profile.finish();
    let trace = join(&[path]);
    let all: Vec<_> = (0..5).map(|row| link_of(&trace, row)).collect();
    let expected = [
        Ok((11, Method::Recorded)),
        Ok((12, Method::Recorded)),
        // The launch of one node is missing, and the other node is not in the map, so only the
        // whole graph is known.
        Ok((20, Method::ExternalId)),
        Ok((20, Method::ExternalId)),
        Ok((13, Method::Recorded)),
    ];
    assert_eq!(all, expected);
    assert_eq!(trace.quality.meta.get("graph_nodes_unmapped"), Some("2"));
    assert_eq!(trace.devices.kernels[0].graph_node, Some(501));
    assert_eq!(trace.devices.kernels[0].graph, Some(5));
}

const PROCESS: i64 = (1 << 48) | ((PID as i64) << 24);

/// Returns a session with the ranges of launches 11 to 14. Its clock reads 7 s less.
fn session(folder: &Path) -> (PathBuf, Connection) {
    let path = folder.join("report.sqlite");
    let database = Connection::open(&path).unwrap();
    database
        .execute_batch(
            "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
             CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
               text TEXT, globalTid INTEGER, endGlobalTid INTEGER, domainId INTEGER, uint64Value INTEGER);
             CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
               globalTid INTEGER, correlationId INTEGER);
             CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
               deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
               demangledName INTEGER);
             INSERT INTO StringIds VALUES (1, 'add(double*)');",
        )
        .unwrap();
    let sql = "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES (0, 75, 'weft', ?, 1)";
    database.execute(sql, [PROCESS]).unwrap();
    for sequence in 11..15_u64 {
        let start = (sequence as i64 - 10) * 1_000_000 - 7_000_000_000;
        let sql = "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId, uint64Value) \
                   VALUES (?, ?, 59, 'add', ?, 1, ?)";
        let thread = PROCESS | i64::from(THREADS[0]);
        let uid = uid(sequence).raw().cast_signed();
        database
            .execute(sql, params![start, start + 100_000, thread, uid])
            .unwrap();
    }
    (path, database)
}

fn call(correlation: u32, start: i64) -> ApiCall {
    ApiCall {
        name: NameId(2),
        thread: THREADS[0],
        correlation,
        start: on_device(start),
        end: on_device(start + 1_000),
        result: 0,
    }
}

#[test]
fn session_ranges_link_calls_seen_by_the_process() {
    let mut profile = profile();
    let kernel = DeviceWorkKind::Kernel;
    profile.write(work(kernel, 1, 1_200_000, None));
    profile.write(call(1, 1_050_000));
    // Both recorders have evidence, first equal and then different.
    profile.write(work(kernel, 2, 2_200_000, Some(12)));
    profile.write(call(2, 2_050_000));
    profile.write(work(kernel, 3, 3_200_000, Some(11)));
    profile.write(call(3, 3_050_000));
    let (_folder, path) = profile.finish();
    let folder = TempDir::new().unwrap();
    let (report, _database) = session(folder.path());
    let trace = join(&[path, report]);
    let all: Vec<_> = (0..3).map(|row| link_of(&trace, row)).collect();
    let expected = [
        Ok((11, Method::Range)),
        Ok((12, Method::ExternalId)),
        Ok((11, Method::ExternalId)),
    ];
    assert_eq!(all, expected);
    assert_eq!(trace.quality.meta.get("external_id_agreed"), Some("1"));
    assert_eq!(trace.quality.meta.get("external_id_disagreed"), Some("1"));
    assert!(trace.links.kernel_ranges.iter().all(Option::is_some));
}

#[test]
fn merges_kernels_recorded_twice() {
    let mut profile = profile();
    let kernel = DeviceWorkKind::Kernel;
    profile.write(work(kernel, 1, 1_200_000, Some(11)));
    profile.write(work(kernel, 2, 2_200_000, None));
    profile.write(work(kernel, 3, 3_200_000, Some(13)));
    let (_folder, path) = profile.finish();
    let folder = TempDir::new().unwrap();
    let (report, database) = session(folder.path());
    // The first two again, 30 ns apart; the third id at another time; the first id in another
    // process.
    for (correlation, start, process) in [
        (1, 1_200_030, PROCESS),
        (2, 2_199_970, PROCESS),
        (3, 9_000_000, PROCESS),
        (1, 1_200_030, PROCESS + (1 << 24)),
    ] {
        let start = start - 7_000_000_000_i64;
        let sql = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, ?, ?, 1)";
        database
            .execute(sql, params![start, start + 10_000, correlation, process])
            .unwrap();
    }
    // The session also recorded the call of the second.
    let sql = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, 2)";
    let start = 2_050_000 - 7_000_000_000_i64;
    database
        .execute(
            sql,
            params![start, start + 1_000, PROCESS | i64::from(THREADS[0])],
        )
        .unwrap();
    let trace = join(&[path, report]);
    let of = |recorder: Recorder| {
        trace
            .devices
            .kernels
            .iter()
            .filter(move |kernel| kernel.recorder == recorder)
            .count()
    };
    assert_eq!((of(Recorder::Cupti), of(Recorder::Nsys)), (3, 2));
    assert_eq!(link_of(&trace, 0), Ok((11, Method::ExternalId)));
    assert_eq!(
        link_of(&trace, 1),
        Ok((12, Method::Range)),
        "by what its twin knows"
    );
    assert_eq!(link_of(&trace, 2), Ok((13, Method::ExternalId)));
    let facts = ["kernels_read", "kernels_duplicate", "kernels"];
    let facts = facts.map(|key| trace.quality.meta.get(key).unwrap().to_owned());
    assert_eq!(facts, ["7", "2", "5"]);
    assert_eq!(trace.links.outcomes.len(), 5);
}
