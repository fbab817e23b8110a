//! Writes the seeds of the targets: small files of each format, made by the real writers.
//!
//! `cargo run --manifest-path tests/fuzz/Cargo.toml` from the root of the repository.

#[allow(clippy::unwrap_used, reason = "the tests' writer of files")]
#[path = "../../../nvtx-export/tests/support/legion.rs"]
mod legion;

use std::error::Error;
use std::fs;
use std::path::Path;

use rusqlite::Connection;
use weft_trace::file::{ProfWriter, RunId, RunInfo, WriterOptions};
use weft_trace::id::{
    InstanceUid, LaunchUid, MemoryId, NameId, OperationUid, ProcessorId, ProvenanceId, Rank,
    StoreUid, TaskUid, Uid,
};
use weft_trace::record::{
    Arithmetic, Instance, InstanceEnd, Kernel, Launch, List, Memory, MemoryKind, Name, Operation,
    Processor, ProcessorKind, Provenance, Shares, Store, Task, Tile,
};
use weft_trace::time::Timestamp;

fn main() -> Result<(), Box<dyn Error>> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    for target in ["weft_prof", "legion_prof", "nsys_sqlite"] {
        fs::create_dir_all(seeds.join(target))?;
    }
    prof(&seeds.join("weft_prof/small.prof"))?;
    legion_prof(&seeds.join("legion_prof"))?;
    nsys(&seeds.join("nsys_sqlite/nsys.sqlite"))?;
    Ok(())
}

/// An operation in two tasks; one launch is fused, one record of each common kind.
fn prof(path: &Path) -> Result<(), Box<dyn Error>> {
    let info = RunInfo {
        run_id: RunId([7; 16]),
        rank: Rank::default(),
        ranks: 1,
        host: "host".to_owned(),
        boot_id: "boot".to_owned(),
        pid: 4242,
        program: "program".to_owned(),
    };
    let options = WriterOptions {
        block_size: 4096,
        lanes: 1,
        ahead: 4096,
        replace: true,
        ..WriterOptions::default()
    };
    let uid = |sequence| Uid::new(Rank::default(), sequence).ok_or("a UID");
    let operation = OperationUid(Uid::new(Rank::REPLICATED, 1).ok_or("a UID")?);
    let at = Timestamp::from_nanos_since_boot;
    let writer = ProfWriter::create(path, &info, options)?;
    let mut lane = writer.lane();
    for (id, text) in (1..).zip(["main.rs", "add", "add_f64", "CPU 0", "f64"]) {
        lane.write(&Name {
            id: NameId(id),
            text,
        });
    }
    lane.write(&Provenance {
        id: ProvenanceId(1),
        file: NameId(1),
        function: NameId(0),
        line: 12,
        column: 5,
    });
    lane.write(&Processor {
        id: ProcessorId(0),
        kind: ProcessorKind::Cpu,
        thread: 4301,
        name: NameId(4),
    });
    lane.write(&Memory {
        id: MemoryId(0),
        kind: MemoryKind::System,
        capacity: 1 << 30,
    });
    lane.write(&Store {
        uid: StoreUid(uid(1)?),
        dtype: NameId(5),
        provenance: ProvenanceId(1),
        shape: List::Items(&[8]),
    });
    lane.write(&Instance {
        uid: InstanceUid(uid(2)?),
        store: StoreUid(uid(1)?),
        memory: MemoryId(0),
        bytes: 64,
        operation,
        created: at(40),
        ready: at(50),
    });
    lane.write(&InstanceEnd {
        uid: InstanceUid(uid(2)?),
        destroyed: at(900),
    });
    lane.write(&Operation {
        uid: operation,
        parent: None,
        name: NameId(2),
        provenance: ProvenanceId(1),
        created: at(0),
        tasks: 2,
        scope: Default::default(),
        stack: Default::default(),
        shape: List::Items(&[8]),
    });
    for (point, bounds) in [(0, (0, 4)), (1, (4, 8))] {
        let task = uid(11 + u64::from(point))?;
        lane.write(&Tile {
            operation,
            point,
            bounds: List::Items(&[bounds]),
        });
        lane.write(&Task {
            uid: TaskUid(task),
            operation,
            point,
            processor: ProcessorId(0),
            created: at(50),
            ready: at(80),
            start: at(100),
            end: at(200),
            arithmetic: Some(Arithmetic {
                operations: 16,
                single: point == 0,
            }),
        });
    }
    let shares = [(TaskUid(uid(11)?), 0.75), (TaskUid(uid(12)?), 0.25)];
    lane.write(&Launch {
        uid: LaunchUid(uid(15)?),
        processor: ProcessorId(0),
        start: at(100),
        end: at(200),
        measured: true,
        shares: Shares::Items(&shares),
    });
    lane.write(&Kernel {
        launch: LaunchUid(uid(15)?),
        processor: ProcessorId(0),
        name: NameId(3),
        start: at(110),
        end: at(190),
        bytes: 32,
        read: Some(64),
    });
    drop(lane);
    writer.finish()?;
    Ok(())
}

/// A task with its index launch, a copy, a wait, a call and records with their own lengths; as a
/// newer and an older version write them.
fn legion_prof(folder: &Path) -> Result<(), Box<dyn Error>> {
    use legion::V::{B, N, T};
    let rest = |file: legion::LegionFile| {
        let file = legion::task(file, 3, legion::cpu(0, 3), 100, 50);
        let file = legion::operation(file, 1, 7);
        let file = legion::part(legion::part(file, 2, 1), 3, 2);
        file.record("MultiTask", &[("op_id", N(1)), ("task_id", N(9))])
            .record(
                "Provenance",
                &[
                    ("provenance", N(7)),
                    ("prov", T(r#"["a.py:3", {"file": "a.py", "line": 3}]"#)),
                ],
            )
            .record(
                "MemDesc",
                &[
                    ("mem_id", N(legion::memory(0, 1))),
                    ("kind", N(2)),
                    ("capacity", N(1 << 20)),
                ],
            )
            .record(
                "CopyInfo",
                &[
                    ("op_id", N(1)),
                    ("size", N(64)),
                    ("stop", N(9)),
                    ("fevent", N(legion::event(5))),
                ],
            )
            .record(
                "CopyInstInfo",
                &[
                    ("src", N(legion::memory(0, 1))),
                    ("dst", N(legion::memory(0, 1))),
                    ("fevent", N(legion::event(5))),
                ],
            )
            .record(
                "TaskWaitInfo",
                &[
                    ("op_id", N(3)),
                    ("wait_start", N(110)),
                    ("wait_ready", N(120)),
                    ("wait_end", N(130)),
                ],
            )
            .record("MapperCallDesc", &[("kind", N(4)), ("name", T("map_task"))])
            .record(
                "MapperCallInfo",
                &[
                    ("kind", N(4)),
                    ("op_id", N(1)),
                    ("start", N(1)),
                    ("stop", N(2)),
                    ("proc_id", N(legion::cpu(0, 3))),
                ],
            )
            .record(
                "IndexSpacePointDesc",
                &[("dim", N(2)), ("rem", B(&[1; 16]))],
            )
            .bytes()
    };
    fs::write(
        folder.join("legion_1011.prof"),
        rest(legion::node(legion::LegionFile::new(1), 0, 1)),
    )?;
    let header = "1.0\nlegion-24.6";
    let older = legion::LegionFile::with_header(header)
        .kind(
            1,
            "TaskKind",
            "task_id:TaskID:4, name:string:-1, overwrite:bool:1",
        )
        .kind(2, "MaxDimDesc", "max_dim:maxdim:4")
        .kind(3, "Mystery", "a:unsigned:4, b:string:-1, c:array:8")
        .record("TaskKind", &[("task_id", N(9)), ("name", T("add"))])
        .record("MaxDimDesc", &[("max_dim", N(1))])
        .record(
            "Mystery",
            &[("a", N(1)), ("b", T("text")), ("c", B(&[0; 16]))],
        );
    fs::write(folder.join("legion_1_0.prof"), older.bytes())?;
    Ok(())
}

/// Two nested ranges with UIDs, a kernel, a memcpy and a memset with their API calls.
fn nsys(path: &Path) -> Result<(), Box<dyn Error>> {
    let _ = fs::remove_file(path);
    let database = Connection::open(path)?;
    database.execute_batch(
        "PRAGMA page_size = 512;
         CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
         INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel'), (2, 'add'), (3, 'add main.rs:12');
         CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, color INTEGER, text TEXT,
             globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER);
         INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, NULL, NULL, 'weft', 281479271743489, NULL, NULL, 1, NULL),
             (10, 90, 59, NULL, 255, NULL, 281479271743489, NULL, 3, 1, 11),
             (20, NULL, 60, 1, NULL, 'outer', 281479271743489, 281479271743490, NULL, 0, -1);
         CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER,
             nameId INTEGER, returnValue INTEGER);
         INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (30, 40, 281479271743489, 1, 1, 0), (50, 60, 281479271743489, 2, 1, 0);
         CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
             streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, graphNodeId INTEGER);
         INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (70, 80, 0, 1, 7, 1, 281479271743488, 2, 2, NULL);
         CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
             streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER);
         INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (80, 90, 0, 1, 7, 2, 281479271743488, 64, 1);
         CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
             streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER);
         INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (90, 95, 0, 1, 7, 9, 281479271743488, 64);
         CREATE TABLE ANALYSIS_DETAILS (duration INTEGER, startTime INTEGER, stopTime INTEGER);
         INSERT INTO ANALYSIS_DETAILS VALUES (1000, 0, 1000);
         CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
         INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000, '', '');",
    )?;
    Ok(())
}
