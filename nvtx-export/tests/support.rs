//! Handmade traces written with the real writer, and real databases.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and reports what it skips"
)]

pub(crate) mod database;
pub(crate) mod session;

use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use weft_model::Trace;
use weft_nvtx_export::{ReadOptions, read};
use weft_trace::file::{Lane, ProfWriter, RunId, RunInfo, WriterOptions};
use weft_trace::id::{
    InstanceUid, LaunchUid, MemoryId, NameId, OperationUid, ProcessorId, ProvenanceId, Rank,
    StoreUid, TaskUid, Uid,
};
use weft_trace::record::{
    Dependencies, DependencyKind, Edges, Encode, Instance, InstanceEnd, Kernel, Launch, List,
    Memory, MemoryKind, Name, Operation, Processor, ProcessorKind, Provenance, RuntimeCall,
    RuntimeCallKind, Shares, Store, Task, Tile, Wait,
};
use weft_trace::time::Timestamp;

/// The process id in the handmade traces.
pub(crate) const PID: u32 = 4242;
pub(crate) const THREADS: [u32; 2] = [4301, 4302];

pub(crate) fn uid(sequence: u64) -> Uid {
    Uid::new(Rank::default(), sequence).unwrap()
}

pub(crate) fn operation_uid(sequence: u64) -> OperationUid {
    OperationUid(Uid::new(Rank::REPLICATED, sequence).unwrap())
}

pub(crate) fn at(nanos: i64) -> Timestamp {
    Timestamp::from_nanos_since_boot(nanos)
}

/// A run's file that is being written.
pub(crate) struct ProfFile {
    pub(crate) folder: TempDir,
    pub(crate) path: PathBuf,
    writer: ProfWriter,
    lane: Lane,
}

impl ProfFile {
    pub(crate) fn new(run: RunId, rank: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("weft_{rank}.prof"));
        let info = RunInfo {
            run_id: run,
            rank: Rank::new(rank).unwrap(),
            ranks: 1,
            host: "host".to_owned(),
            boot_id: "boot".to_owned(),
            pid: PID,
            program: "program".to_owned(),
        };
        let writer = ProfWriter::create(&path, &info, replacing()).unwrap();
        let lane = writer.lane();
        ProfFile {
            folder,
            path,
            writer,
            lane,
        }
    }

    pub(crate) fn write<R: Encode>(&mut self, record: R) {
        assert!(self.lane.write(&record));
    }

    pub(crate) fn finish(self) -> (TempDir, PathBuf) {
        drop(self.lane);
        self.writer.finish().unwrap();
        (self.folder, self.path)
    }
}

pub(crate) fn join(inputs: &[PathBuf]) -> Trace {
    read(inputs, &ReadOptions::default()).unwrap()
}

/// Variants of a small run.
#[derive(Clone, Copy, Default)]
pub(crate) struct Small {
    /// The task whose launch is left out.
    pub(crate) without_launch: Option<u64>,
    /// Whether the tasks of the fused launch were timed.
    pub(crate) measured: bool,
}

/// Two operations, `add` in two tiles and `mul` in one fused launch with its fill, on two workers.
///
/// Tasks 11 and 12 (add), 13 and 14 (mul and fill, launch 15). Each launch has one kernel 10 ns
/// inside it; times are ns from `zero`.
pub(crate) fn small(run: RunId, zero: i64, what: Small) -> (TempDir, PathBuf) {
    let mut trace = ProfFile::new(run, 0);
    let t = |nanos: i64| at(zero + nanos);
    let names = [
        "src/main.rs",
        "add",
        "mul",
        "fill",
        "add_f64",
        "mul_fill_f64",
        "CPU 0",
        "CPU 1",
        "f64",
    ];
    for (id, text) in (1..).zip(names) {
        trace.write(Name {
            id: NameId(id),
            text,
        });
    }
    for (id, line) in [(1, 10), (2, 20)] {
        trace.write(Provenance {
            id: ProvenanceId(id),
            file: NameId(1),
            function: NameId(0),
            line,
            column: 5,
        });
    }
    for (id, thread) in (0..).zip(THREADS) {
        trace.write(Processor {
            id: ProcessorId(id),
            kind: ProcessorKind::Cpu,
            thread,
            name: NameId(u32::from(id) + 7),
        });
    }
    trace.write(Memory {
        id: MemoryId(0),
        kind: MemoryKind::System,
        capacity: 1 << 30,
    });
    trace.write(Store {
        uid: StoreUid(uid(1)),
        dtype: NameId(9),
        provenance: ProvenanceId(1),
        shape: List::Items(&[8]),
    });
    trace.write(Instance {
        uid: InstanceUid(uid(2)),
        store: StoreUid(uid(1)),
        memory: MemoryId(0),
        bytes: 64,
        operation: operation_uid(1),
        created: t(40),
        ready: t(50),
    });
    trace.write(InstanceEnd {
        uid: InstanceUid(uid(2)),
        destroyed: t(900),
    });
    for (sequence, name, place, created, tasks) in
        [(1, 2, 1, 0, 2), (2, 3, 2, 10, 1), (3, 4, 2, 20, 1)]
    {
        trace.write(Operation {
            uid: operation_uid(sequence),
            parent: None,
            name: NameId(name),
            provenance: ProvenanceId(place),
            created: t(created),
            tasks,
            scope: Default::default(),
            stack: Default::default(),
            shape: List::Items(&[8]),
        });
    }
    for (point, bounds) in [(0, (0, 4)), (1, (4, 8))] {
        trace.write(Tile {
            operation: operation_uid(1),
            point,
            bounds: List::Items(&[bounds]),
        });
    }
    trace.write(RuntimeCall {
        kind: RuntimeCallKind::Analysis,
        operation: Some(operation_uid(1)),
        processor: ProcessorId(0),
        start: t(5),
        end: t(45),
        task: None,
    });
    // (task, operation, point, processor, start, end)
    for (task, operation, point, processor, start, end) in [
        (11, 1, 0, 0, 100, 200),
        (12, 1, 1, 1, 100, 300),
        (13, 2, 0, 0, 400, 600),
        (14, 3, 0, 0, 400, 600),
    ] {
        trace.write(Task {
            uid: TaskUid(uid(task)),
            operation: operation_uid(operation),
            point,
            processor: ProcessorId(processor),
            created: t(50),
            ready: t(start - 20),
            start: t(start),
            end: t(end),
            arithmetic: None,
        });
    }
    let edges = [
        (TaskUid(uid(11)), DependencyKind::ReadAfterWrite),
        (TaskUid(uid(12)), DependencyKind::WriteAfterRead),
    ];
    trace.write(Dependencies {
        task: TaskUid(uid(13)),
        store: None,
        bytes: None,
        on: Edges::Items(&edges),
    });
    trace.write(Wait {
        task: TaskUid(uid(12)),
        start: t(150),
        ready: t(160),
        end: t(170),
    });
    let fused = [(TaskUid(uid(13)), 0.75), (TaskUid(uid(14)), 0.25)];
    for (launch, processor, start, end, shares, name) in [
        (11, 0, 100, 200, &[][..], 5),
        (12, 1, 100, 300, &[][..], 5),
        (15, 0, 400, 600, &fused[..], 6),
    ] {
        if what.without_launch != Some(launch) {
            trace.write(Launch {
                uid: LaunchUid(uid(launch)),
                processor: ProcessorId(processor),
                start: t(start),
                end: t(end),
                measured: what.measured && !shares.is_empty(),
                shares: Shares::Items(shares),
            });
        }
        trace.write(Kernel {
            launch: LaunchUid(uid(launch)),
            processor: ProcessorId(processor),
            name: NameId(name),
            start: t(start + 10),
            end: t(end - 10),
            bytes: 32,
            read: Some(2 * 4096),
        });
    }
    trace.finish()
}

/// Returns the path of a compressed trace of the repository, in `tests/data`.
pub(crate) fn data(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    root.join("tests/data").join(name)
}

/// Unpacks a trace of the repository or, for traces that others recorded, of the shared data next
/// to it. `None` with a message if a shared one is absent.
pub(crate) fn shared(name: &str, unpacked: &str) -> Option<(TempDir, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?.parent()?;
    let is_shared = name.starts_with("nsys/") || name.starts_with("gpu/");
    let packed = match is_shared {
        true => root.join("shared/data").join(name),
        false => data(name),
    };
    if is_shared && !packed.exists() {
        let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
        let required = required.split(',').any(|name| name.trim() == "shared-data");
        assert!(!required, "{} is not there", packed.display());
        println!("skipped: {} is not there", packed.display());
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(unpacked);
    std::fs::write(&path, unpack(&packed)).unwrap();
    Some((folder, path))
}

/// Returns the content of a file of one zstd frame.
pub(crate) fn unpack(packed: &Path) -> Vec<u8> {
    let packed = std::io::BufReader::new(std::fs::File::open(packed).unwrap());
    let mut bytes = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed).unwrap();
    decoder.read_to_end(&mut bytes).unwrap();
    bytes
}

/// Unpacks a database of Nsight Systems from the shared data, if present.
pub(crate) fn real_database(name: &str) -> Option<(TempDir, PathBuf)> {
    shared(name, "nsys.sqlite")
}

/// Returns options that let a test write a file again.
fn replacing() -> WriterOptions {
    WriterOptions {
        replace: true,
        ..WriterOptions::default()
    }
}
