//! Writes the seeds of the targets anew: small files of each format, made by the real writers.
//!
//! `cargo run --manifest-path fuzz/Cargo.toml` from the root of the repository.

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
    Instance, InstanceEnd, Kernel, Launch, List, Memory, MemoryKind, Name, Operation, Processor,
    ProcessorKind, Provenance, Shares, Store, Task, Tile,
};
use weft_trace::time::Timestamp;

fn main() -> Result<(), Box<dyn Error>> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    for target in ["weft_prof", "legion_prof", "nsys_sqlite"] {
        fs::create_dir_all(seeds.join(target))?;
    }
    prof(&seeds.join("weft_prof/small.prof"))?;
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
        });
    }
    let shares = [(TaskUid(uid(11)?), 0.75), (TaskUid(uid(12)?), 0.25)];
    lane.write(&Launch {
        uid: LaunchUid(uid(15)?),
        processor: ProcessorId(0),
        start: at(100),
        end: at(200),
        shares: Shares::Items(&shares),
    });
    lane.write(&Kernel {
        launch: LaunchUid(uid(15)?),
        processor: ProcessorId(0),
        name: NameId(3),
        start: at(110),
        end: at(190),
        bytes: 32,
    });
    drop(lane);
    writer.finish()?;
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
