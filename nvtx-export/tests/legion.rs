//! Legion Prof files: real ones of Legate, and handmade ones for cases that those lack.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and reports what it skips"
)]

mod critical;
#[path = "support/legion.rs"]
mod file;
mod packed;
mod partitioning;

use file::{LegionFile, V, cpu, event, memory, node, operation, part, task};
use proptest::prelude::*;
use std::fmt::Write;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use weft_analysis::stats::{self, By};
use weft_input::legion::{Summary, Use, read_from};
use weft_model::{Index, Links, ProvenanceIndex, Severity, Trace, table};
use weft_nvtx_export::{ExportError, ReadOptions, RequiredParts, read};
use weft_trace::id::Uid;

/// Profiles that Legate wrote, in `tests/data`.
const REAL: [&str; 4] = [
    "legate/black_scholes.prof.zst",
    "legate/cg.prof.zst",
    "legate/stencil.prof.zst",
    "legate-nsys/stencil.prof.zst",
];

fn data(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    root.join("tests/data").join(name)
}

/// Returns the content of a file of one zstd frame.
fn unpack(packed: &Path) -> Vec<u8> {
    let packed = std::io::BufReader::new(std::fs::File::open(packed).unwrap());
    let mut bytes = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed).unwrap();
    decoder.read_to_end(&mut bytes).unwrap();
    bytes
}

/// Compresses `bytes` to a zstd frame.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// Returns the rows of a profile, without links.
fn bytes_of(bytes: &[u8]) -> (Trace, Summary) {
    let (recording, summary) = read_from(bytes, &ReadOptions::default()).unwrap();
    let links = Links::default();
    (Trace { recording, links }, summary)
}

fn join(paths: &[PathBuf], keep: RequiredParts) -> Trace {
    let options = ReadOptions {
        keep,
        ..ReadOptions::default()
    };
    read(paths, &options).unwrap()
}

fn csv(trace: &Trace, by: By) -> String {
    stats::table(trace, by).render(table::Format::Csv)
}

/// Returns a table's columns up to the total, as CSV.
fn short(trace: &Trace, by: By) -> String {
    let csv = csv(trace, by);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let total = headers.iter().position(|name| name.starts_with("total_"));
    let rows = [headers]
        .into_iter()
        .chain(reader.records().map(Result::unwrap));
    let line = |row: csv::StringRecord| {
        let cells = row.iter().take(total.unwrap() + 1);
        cells.collect::<Vec<_>>().join(" | ") + "\n"
    };
    rows.map(line).collect()
}

fn loss(trace: &Trace, name: &str) -> u64 {
    let losses = trace.quality.losses.iter().filter(|loss| loss.name == name);
    losses.map(|loss| loss.value).sum()
}

#[test]
fn decodes_every_record_of_real_files() {
    for name in REAL {
        let path = data(name);
        let (trace, summary) =
            read_from(std::fs::File::open(path).unwrap(), &ReadOptions::default()).unwrap();
        assert_eq!(summary.damage, None, "{name}");
        let mut text = format!(
            "{name}\nversion {} of {}\n",
            summary.version, summary.legion
        );
        for kind in &summary.kinds {
            let usage = match kind.usage {
                Use::Shown => "",
                Use::NotShown => "  not shown",
                _ => "  UNKNOWN",
            };
            writeln!(text, "{:>7} {}{usage}", kind.records, kind.name).unwrap();
        }
        for (rows, table) in [
            (trace.program.operations.len(), "operations"),
            (trace.work.tasks.len(), "tasks"),
            (trace.work.launches.len(), "launches"),
            (trace.work.waits.len(), "waits"),
            (trace.work.runtime_calls.len(), "runtime calls"),
            (trace.work.copies.len(), "copies and fills"),
            (trace.work.partitionings.len(), "dependent partitioning"),
            (trace.work.instances.len(), "instances"),
            (trace.machine.processors.len(), "processors"),
            (trace.machine.memories.len(), "memories"),
            (trace.program.provenances.iter().count(), "places"),
        ] {
            writeln!(text, "{rows:>7} rows of {table}").unwrap();
        }
        for loss in trace
            .quality
            .losses
            .iter()
            .filter(|loss| loss.severity != Severity::Note)
        {
            writeln!(text, "{:>7} {}: {}", loss.value, loss.name, loss.meaning).unwrap();
        }
        insta::assert_snapshot!(name.replace(['/', '.'], "_"), text);
    }
}

/// Returns the content of a file according to `oracle/legion.py`, an independent reader.
fn oracle(bytes: &[u8]) -> Option<serde_json::Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/legion.py");
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let Ok(out) = Command::new("python3")
        .arg(script)
        .arg(file.path())
        .output()
    else {
        let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
        assert!(
            !required.split(',').any(|name| name == "python3"),
            "python3 is not installed"
        );
        println!("skipped: python3 is not installed");
        return None;
    };
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    Some(serde_json::from_slice(&out.stdout).unwrap())
}

/// Returns the column `total_ns` of a table, by its first column.
fn totals(csv: &str) -> serde_json::Map<String, serde_json::Value> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let column = reader
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "total_ns");
    let mut totals = serde_json::Map::new();
    for row in reader.records() {
        let row = row.unwrap();
        let total: u64 = row[column.unwrap()].parse().unwrap();
        totals.insert(row[0].to_owned(), total.into());
    }
    totals
}

/// Returns the time of dependent partitioning, by the computation and the line of its operation.
fn by_partitioning(trace: &Trace) -> serde_json::Map<String, serde_json::Value> {
    let index = Index::new(trace);
    let mut times: std::collections::BTreeMap<String, i64> = Default::default();
    for row in &trace.work.partitionings {
        let operation = row
            .operation
            .and_then(|uid| index.operation(row.source, uid));
        let place = operation.map_or(ProvenanceIndex(0), |row| {
            trace.program.operations[row].provenance
        });
        let line = match place {
            ProvenanceIndex(0) => "(no line)".to_owned(),
            place => {
                let row = trace.program.provenances.get(place);
                format!("{}:{}", trace.strings.get(row.file), row.line)
            }
        };
        *times
            .entry(format!("{} of {line}", row.name()))
            .or_default() += (row.end - row.start).0;
    }
    times
        .into_iter()
        .map(|(name, time)| (name, time.into()))
        .collect()
}

#[test]
fn counts_and_sums_match_another_reader() {
    for name in REAL {
        let path = data(name);
        let bytes = unpack(&path);
        let Some(expected) = oracle(&bytes) else {
            return;
        };
        let (_, summary) = bytes_of(&bytes);
        for kind in summary.kinds {
            let count = expected["records"]
                .get(&kind.name)
                .and_then(|count| count.as_u64());
            assert_eq!(kind.records, count.unwrap_or(0), "{name}: {}", kind.name);
        }
        let trace = join(&[path], RequiredParts::Everything);
        let number = |key: &str| expected[key].as_u64().unwrap();
        let tasks = trace.work.tasks.len() as u64;
        assert_eq!(tasks, number("tasks"), "{name}");
        assert_eq!(
            serde_json::Value::from(by_partitioning(&trace)),
            expected["time_by_partitioning"],
            "{name}"
        );
        let with_tasks = trace
            .program
            .operations
            .iter()
            .filter(|operation| operation.tasks > 0);
        assert_eq!(
            with_tasks.count() as u64,
            number("operations_with_tasks"),
            "{name}"
        );
        let total = |bytes: &mut dyn Iterator<Item = u64>| bytes.sum::<u64>();
        let moved = |fills: bool| {
            let rows = trace.work.copies.iter();
            let rows = rows.filter(|copy| copy.from.is_none() == fills);
            rows.map(|copy| copy.bytes).sum::<u64>()
        };
        assert_eq!(moved(false), number("copy_bytes"), "{name}");
        assert_eq!(moved(true), number("fill_bytes"), "{name}");
        let instances = &mut trace.work.instances.iter().map(|instance| instance.bytes);
        assert_eq!(total(instances), number("instance_bytes"));
        let calls = &mut trace
            .work
            .runtime_calls
            .iter()
            .map(|call| (call.end - call.start).0 as u64);
        assert_eq!(total(calls), number("call_time"));
        let waits = &mut trace
            .work
            .waits
            .iter()
            .map(|wait| (wait.end - wait.start).0 as u64);
        assert_eq!(total(waits), number("wait_time"));
        for keep in [RequiredParts::Everything, RequiredParts::Costs] {
            let trace = join(&[data(name)], keep);
            assert_eq!(
                totals(&csv(&trace, By::Task)),
                *expected["time_by_task"].as_object().unwrap()
            );
            // The program itself has no line and no row.
            let mut lines = totals(&csv(&trace, By::Line));
            let tasks = totals(&csv(&trace, By::Task));
            let without_row = ["Toplevel Task", "External Thread"].map(|name| tasks[name].as_u64());
            let without_row: u64 = without_row.into_iter().flatten().sum();
            let no_line = lines.get("(no line)").and_then(|time| time.as_u64());
            let no_line = no_line.unwrap_or(0) + without_row;
            lines.insert("(no line)".to_owned(), no_line.into());
            assert_eq!(lines, *expected["time_by_line"].as_object().unwrap());
        }
    }
}

#[test]
fn shows_every_task_by_its_provenance_line() {
    for name in REAL {
        let path = data(name);
        let trace = join(&[path], RequiredParts::Everything);
        let operations: std::collections::HashMap<_, _> = trace
            .program
            .operations
            .iter()
            .map(|row| (row.uid, row))
            .collect();
        let without: Vec<_> = (trace.work.tasks.iter())
            .map(|task| operations[&task.operation])
            .filter(|operation| operation.provenance == ProvenanceIndex(0))
            .map(|operation| trace.strings.get(operation.name))
            .collect();
        assert_eq!(without, ["Toplevel Task", "External Thread"], "{name}");
        for (_, place) in trace.program.provenances.iter() {
            let file = trace.strings.get(place.file);
            assert!(place.line > 0, "{file}");
        }
    }
}

#[test]
fn index_launch_is_one_operation_for_any_ids() {
    for first in [1, 500, 1 << 20] {
        let mut file = node(LegionFile::new(first), 0, 1);
        // Names may follow their uses.
        for (id, parent) in [(20, 10), (21, 10), (30, 20), (31, 20), (32, 21)] {
            file = part(file, id, parent);
            file = operation(file, id, 77);
        }
        file = operation(operation(file, 10, 77), 11, 0);
        file = file.record("MultiTask", &[("op_id", V::N(10)), ("task_id", V::N(9))]);
        for (id, start) in [(30, 100), (31, 200), (32, 300), (11, 400)] {
            file = task(file, id, cpu(0, 3), start, 50);
        }
        let text = r#"["x", {"file": "/d\u00e9/x.py", "line": 12}]"#;
        let file = file.record(
            "Provenance",
            &[("provenance", V::N(77)), ("prov", V::T(text))],
        );
        let (trace, summary) = bytes_of(&file.bytes());
        assert_eq!(summary.damage, None);
        insta::allow_duplicates! {
            insta::assert_snapshot!(short(&trace, By::Line), @"
            line | operations | count | total_ns
            /dé/x.py:12 | add | 3 | 150
            (no line) | add | 1 | 50
            ");
            insta::assert_snapshot!(short(&trace, By::Operation), @"
            operation | count | total_ns
            add | 2 | 200
            ");
            insta::assert_snapshot!(short(&trace, By::Processor), @"
            rank | processor | count | total_ns
            0 | CPU n0c3 | 4 | 200
            ");
        }
        let points: Vec<_> = trace.work.tasks.iter().map(|task| task.point).collect();
        assert_eq!(points, [0, 1, 2, 0]);
        assert!(
            trace
                .work
                .launches
                .iter()
                .zip(&trace.work.tasks)
                .all(|(launch, task)| launch.uid == task.uid)
        );
        let created: Vec<_> = trace
            .program
            .operations
            .iter()
            .map(|row| row.created.nanos())
            .collect();
        assert_eq!(created, [98, 398]);
        assert_eq!(trace.sources[0].wall_at_zero, Some(1_000_000));
    }
}

#[test]
fn skips_and_counts_unknown_kinds_and_fields() {
    let file = LegionFile::new(1)
        .kind(
            90,
            "Later",
            "a:later_t:6, name:string:-1, at:point:8, box:array:8, n:uuid_size:4, u:uuid:1, z:bool:1",
        )
        .kind(91, "MultiTask", "op_id:UniqueID:8")
        .kind(92, "Empty", "nothing:later_t:0");
    let file = node(file, 0, 1)
        .record(
            "Later",
            &[
                ("name", V::T("é")),
                ("at", V::B(&[1; 16])),
                ("box", V::B(&[2; 32])),
                ("n", V::N(3)),
                ("u", V::B(&[3; 3])),
            ],
        )
        .record("MultiTask", &[])
        .record("Empty", &[])
        .record("IndexSpacePointDesc", &[("rem", V::B(&[0; 16]))])
        .record(
            "PhysicalInstanceUsage",
            &[("mode", V::N(4)), ("redop", V::N(1))],
        )
        .record(
            "PhysicalInstanceUsage",
            &[("mode", V::N(1)), ("redop", V::B(&[]))],
        );
    let (trace, summary) = bytes_of(&task(file, 5, cpu(0, 3), 10, 10).bytes());
    assert_eq!(summary.damage, None);
    assert_eq!(trace.work.tasks.len(), 1);
    assert_eq!(loss(&trace, "unknown_kind_Later"), 1);
    assert_eq!(loss(&trace, "unknown_kind_Empty"), 1);
    assert_eq!(loss(&trace, "unknown_kind_MultiTask"), 1);
    assert_eq!(loss(&trace, "not_shown_IndexSpacePointDesc"), 1);
    assert_eq!(loss(&trace, "not_shown_PhysicalInstanceUsage"), 2);
    assert!(!trace.is_partial());
}

#[test]
fn reads_files_without_version_number() {
    let file = LegionFile::with_header("1.0")
        .kind(0, "MachineDesc", "node_id:unsigned:4, num_nodes:unsigned:4, version:unsigned:4, hostname:string:-1, host_id:unsigned long long:8, process_id:unsigned:4")
        .kind(7, "ProcDesc", "proc_id:ProcID:8, kind:ProcKind:4")
        .kind(8, "TaskKind", "task_id:TaskID:4, name:string:-1, overwrite:bool:1")
        .kind(9, "OperationInstance", "op_id:UniqueID:8, parent_id:UniqueID:8, kind:unsigned:4, provenance:string:-1")
        .kind(3, "TaskInfo", "op_id:UniqueID:8, task_id:TaskID:4, variant_id:VariantID:4, proc_id:ProcID:8, create:timestamp_t:8, ready:timestamp_t:8, start:timestamp_t:8, stop:timestamp_t:8")
        .record("MachineDesc", &[("version", V::N(1005)), ("num_nodes", V::N(1)), ("hostname", V::T("h")), ("process_id", V::N(7))])
        .record("ProcDesc", &[("proc_id", V::N(cpu(0, 1))), ("kind", V::N(7))])
        .record("TaskKind", &[("task_id", V::N(9)), ("name", V::T("old"))])
        .record("OperationInstance", &[("op_id", V::N(4)), ("kind", V::N(1)), ("provenance", V::T("main.cc:31"))]);
    let (trace, summary) = bytes_of(&task(file, 4, cpu(0, 1), 100, 7).bytes());
    assert_eq!(
        (&*summary.version, &*summary.legion, summary.damage),
        ("1005", "", None)
    );
    assert_eq!(
        (trace.sources[0].pid, trace.sources[0].host.as_deref()),
        (Some(7), Some("h"))
    );
    insta::assert_snapshot!(short(&trace, By::Task), @"
    task | variant | count | total_ns
    old | OMP | 1 | 7
    ");
    insta::assert_snapshot!(short(&trace, By::Line), @"
    line | operations | count | total_ns
    main.cc:31 | old | 1 | 7
    ");
}

fn small() -> LegionFile {
    let mut file = operation(node(LegionFile::new(1), 0, 1), 5, 1);
    for number in 0..20 {
        file = task(file, 5 + number, cpu(0, 3), 100 * number + 100, 50);
    }
    file
}

#[test]
fn kernel_time_is_empty_if_none_was_recorded() {
    let (trace, _) = bytes_of(&small().bytes());
    let table = csv(&trace, By::Task);
    let mut rows = table.lines();
    assert!(
        rows.next()
            .unwrap()
            .ends_with("kernel_time_ns,overhead_ns,estimated_ns,nested_ns,issue_time_ns"),
        "{table}"
    );
    assert!(rows.next().unwrap().ends_with(",,,,,"), "{table}");
}

#[test]
fn reads_truncated_files_up_to_the_cut() {
    let file = small();
    let (bytes, start) = (file.bytes(), file.start());
    for cut in 0..start {
        let error = read_from(&bytes[..cut], &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, ExportError::LegionProf { .. }), "{error}");
    }
    let mut before = 0;
    for cut in start..=bytes.len() {
        let (trace, summary) = bytes_of(&bytes[..cut]);
        let records: u64 = summary.kinds.iter().map(|kind| kind.records).sum();
        let left = summary.damage.as_ref().map_or(0, |damage| damage.bytes);
        assert!(
            records == before || (records == before + 1 && left == 0),
            "{cut}"
        );
        before = records;
        assert_eq!(trace.is_partial(), left > 0);
        if let Some(damage) = summary.damage {
            assert_eq!(damage.offset + damage.bytes, cut as u64);
        }
    }
    assert_eq!(before, 29);
}

#[test]
fn reports_the_offset_of_damage() {
    let file = small();
    let mut bytes = file.bytes();
    let end = bytes.len() as u64;
    bytes.extend(999_u32.to_le_bytes());
    bytes.extend([0; 96]);
    let (trace, summary) = bytes_of(&bytes);
    let damage = summary.damage.unwrap();
    assert_eq!((damage.offset, damage.bytes), (end, 100));
    assert_eq!(damage.why, "no kind of record has the id 999");
    assert_eq!(
        (trace.work.tasks.len(), loss(&trace, "damaged_bytes")),
        (20, 100)
    );
    assert!(trace.sources[0].lossy);
}

/// Node `number` of two. Points 100 and 200 run there, of a launch on node 0.
fn of_two(number: u64) -> LegionFile {
    let mut file = node(LegionFile::new(1 + number as u32), number, 2);
    if number == 0 {
        file = operation(file, 10, 77)
            .record("MultiTask", &[("op_id", V::N(10)), ("task_id", V::N(9))])
            .record(
                "Provenance",
                &[("provenance", V::N(77)), ("prov", V::T("x.py:3"))],
            );
        // The slice of node 1 is known only on node 0.
        file = part(part(file, 20, 10), 21, 10);
    }
    let point = 100 * (number + 1);
    file = part(file, point, 20 + number);
    let mem = [
        ("mem_id", V::N(memory(number, 0))),
        ("kind", V::N(2)),
        ("capacity", V::N(64)),
    ];
    task(
        file.record("MemDesc", &mem),
        point,
        cpu(number, 3),
        1000,
        10,
    )
}

fn files(folder: &Path, all: &[(&str, LegionFile)]) -> Vec<PathBuf> {
    let write = |(name, file): &(&str, LegionFile)| {
        let path = folder.join(name);
        std::fs::write(&path, file.bytes()).unwrap();
        path
    };
    all.iter().map(write).collect()
}

#[test]
fn files_of_several_nodes_form_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let copy = of_two(1)
        .record(
            "CopyInfo",
            &[
                ("op_id", V::N(200)),
                ("size", V::N(8)),
                ("stop", V::N(5)),
                ("fevent", V::N(event(1))),
            ],
        )
        .record(
            "CopyInstInfo",
            &[
                ("src", V::N(memory(0, 0))),
                ("dst", V::N(memory(1, 0))),
                ("fevent", V::N(event(1))),
            ],
        );
    let paths = files(
        folder.path(),
        &[("legate_1.prof", copy), ("legate_0.prof", of_two(0))],
    );
    let trace = join(&paths, RequiredParts::Everything);
    assert_eq!(trace.sources[0].run, trace.sources[1].run);
    assert_eq!(
        (trace.sources[0].rank, trace.sources[0].ranks),
        (Some(1), Some(2))
    );
    let [operation] = trace.program.operations.as_slice() else {
        panic!("{:?}", trace.program.operations);
    };
    assert_eq!(
        (operation.uid, operation.tasks),
        (Uid::from_raw(10).unwrap(), 2)
    );
    insta::assert_snapshot!(short(&trace, By::Line), @"
    line | operations | count | total_ns
    x.py:3 | add, copy | 3 | 25
    ");
    insta::assert_snapshot!(short(&trace, By::Channel), @"
    rank | from | to | count | total_ns
    1 | SYSTEM_MEM 1 | SYSTEM_MEM 0 | 1 | 5
    ");
    // With the file of only one node, the points have no recorded operation, and become operations
    // themselves.
    let alone = join(&paths[..1], RequiredParts::Everything);
    assert_eq!(alone.program.operations.len(), 1);
    assert_eq!(alone.strings.get(alone.program.operations[0].name), "add");
}

#[test]
fn rejects_duplicate_nodes_and_other_runs_unless_mixing() {
    let folder = tempfile::tempdir().unwrap();
    let other = node(LegionFile::new(1), 0, 1);
    let paths = files(
        folder.path(),
        &[
            ("a", of_two(0)),
            ("b", part(of_two(0), 300, 20)),
            ("c", other),
        ],
    );
    // The same file, compressed, counts once.
    let packed = folder.path().join("a.zst");
    let bytes = std::fs::read(&paths[0]).unwrap();
    std::fs::write(&packed, zstd(&bytes)).unwrap();
    let trace = read(&[paths[0].clone(), packed], &ReadOptions::default()).unwrap();
    assert_eq!((trace.sources.len(), trace.work.tasks.len()), (1, 1));

    let error = read(&paths[..2], &ReadOptions::default()).unwrap_err();
    assert!(
        matches!(error, ExportError::RankTwice { rank: 0, .. }),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .ends_with("are both rank 0 of a Legion run on 2 nodes"),
        "{error}"
    );
    let pair = [paths[0].clone(), paths[2].clone()];
    let error = read(&pair, &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ExportError::MixedRuns { .. }), "{error}");
    let options = ReadOptions {
        mix_runs: true,
        ..ReadOptions::default()
    };
    let trace = read(&paths, &options).unwrap();
    let mut runs: Vec<_> = trace.sources.iter().map(|source| source.run).collect();
    runs.dedup();
    assert_eq!(runs.len(), 3);
    assert_eq!(trace.program.operations.len(), 2);
}

#[test]
fn gpu_task_work_lies_between_its_device_times() {
    let gpu = cpu(0, 9);
    let mut file = node(LegionFile::new(1), 0, 1).record(
        "ProcDesc",
        &[
            ("proc_id", V::N(gpu)),
            ("kind", V::N(1)),
            ("cuda_device_uuid", V::B(&[])),
        ],
    );
    for (id, start, stop) in [(1, 120, 180), (2, 1 << 63, 1 << 63), (3, 190, 185)] {
        let values = [
            ("op_id", V::N(id)),
            ("task_id", V::N(9)),
            ("proc_id", V::N(gpu)),
            ("create", V::N(90)),
            ("ready", V::N(u64::MAX)),
            ("start", V::N(100)),
            ("stop", V::N(200)),
            ("gpu_start", V::N(start)),
            ("gpu_stop", V::N(stop)),
        ];
        file = file.record("GPUTaskInfo", &values);
    }
    let (trace, _) = bytes_of(&file.bytes());
    let device = |row: usize| {
        trace.work.tasks[row]
            .device
            .map(|(a, b)| (a.nanos(), b.nanos()))
    };
    assert_eq!(
        (device(0), device(1), device(2)),
        (Some((120, 180)), None, Some((185, 185)))
    );
    assert_eq!(trace.work.tasks[0].ready.nanos(), 100);
    // The second one has no device times, so its cost there is unknown.
    assert!(csv(&trace, By::Task).contains("add,GPU,2,60,"));
}

#[test]
fn counts_invalid_records() {
    let file = task(small(), 0, cpu(0, 3), 10, 10)
        .record("TaskInfo", &[("op_id", V::N(3)), ("stop", V::N(u64::MAX))])
        .record(
            "CopyInfo",
            &[("op_id", V::N(3)), ("fevent", V::N(event(3)))],
        )
        .record(
            "MapperCallInfo",
            &[
                ("kind", V::N(4)),
                ("op_id", V::N(5)),
                ("proc_id", V::N(cpu(0, 3))),
                ("start", V::N(10)),
                ("stop", V::N(20)),
            ],
        );
    let (trace, _) = bytes_of(&file.bytes());
    assert_eq!(trace.work.tasks.len(), 20);
    assert_eq!(loss(&trace, "records_senseless"), 1);
    assert_eq!(loss(&trace, "untimed_task_out_of_range"), 1);
    assert_eq!(loss(&trace, "copies_unpaired"), 1);
    // The provenance 1 of operation 5 and the name of mapper call 4.
    assert_eq!(loss(&trace, "names_undefined"), 2);
    assert_eq!(
        trace.strings.get(trace.work.runtime_calls[0].kind),
        "mapper call 4"
    );
}

#[test]
fn tolerates_circular_owners() {
    let file = part(part(part(small(), 5, 6), 6, 5), 7, 7);
    let (trace, _) = bytes_of(&file.bytes());
    assert_eq!(trace.work.tasks.len(), 20);
    let tasks: u32 = trace
        .program
        .operations
        .iter()
        .map(|operation| operation.tasks)
        .sum();
    assert_eq!(tasks, 20);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Reading a file with any content ends without a panic, and counts the losses.
    #[test]
    fn corrupted_real_files_are_read_or_rejected(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
        in_preamble in prop::bool::weighted(0.2),
    ) {
        let mut bytes = real();
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let reach = if in_preamble { 9079 } else { bytes.len() };
        for (place, byte) in flips {
            if let Some(slot) = bytes.get_mut(place.index(reach.max(1))) {
                *slot = byte;
            }
        }
        for keep in [RequiredParts::Everything, RequiredParts::Costs, RequiredParts::Ranges] {
            let options = ReadOptions { keep, ..ReadOptions::default() };
            match read_from(&*bytes, &options) {
                Ok((trace, summary)) => {
                    let damaged = summary.damage.is_some();
                    prop_assert_eq!(trace.is_partial(), damaged);
                    let rows = trace.work.tasks.len() + trace.program.operations.len() + trace.work.runtime_calls.len();
                    prop_assert!(rows < bytes.len() / 8);
                }
                Err(ExportError::LegionProf { .. }) => {}
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            }
        }
    }
}

/// Returns the smallest real file.
fn real() -> Vec<u8> {
    unpack(&data(REAL[0]))
}
