//! The critical path of Legate's runs, from their graph of events.

use super::file::{LegionFile, V, cpu, event, node, operation};
use super::{REAL, bytes_of, csv, data};
use std::path::Path;
use weft_analysis::stats::{self, By};
use weft_analysis::{advise, replay};
use weft_critical::{missing, path};
use weft_model::{StepKind, Trace};
use weft_nvtx_export::{ReadOptions, read};
use weft_output::sqlite::{self, WriteOptions};

const TOP: u64 = 0x1d << 56;

/// Returns a file with the kinds of records for causes.
fn file() -> LegionFile {
    file_of(0, 1)
}

/// Returns such a file for one of several nodes.
fn file_of(number: u64, nodes: u64) -> LegionFile {
    let times =
        "create:timestamp_t:8, ready:timestamp_t:8, start:timestamp_t:8, stop:timestamp_t:8";
    let events =
        "creator:unsigned long long:8, critical:unsigned long long:8, fevent:unsigned long long:8";
    let file = LegionFile::new(1)
        .kind(
            100,
            "ImplicitTaskInfo",
            &format!("op_id:UniqueID:8, task_id:TaskID:4, proc_id:ProcID:8, {times}, {events}"),
        )
        .kind(
            101,
            "MetaInfo",
            &format!("op_id:UniqueID:8, lg_id:unsigned:4, proc_id:ProcID:8, {times}, {events}"),
        )
        .kind(102, "MetaDesc", "kind:unsigned:4, name:string:-1")
        .kind(
            103,
            "EventMergerInfo",
            "result:unsigned long long:8, fevent:unsigned long long:8, performed:timestamp_t:8, \
             pre0:unsigned long long:8, pre1:unsigned long long:8",
        )
        .kind(
            104,
            "EventTriggerInfo",
            "result:unsigned long long:8, fevent:unsigned long long:8, precondition:unsigned long long:8, \
             performed:timestamp_t:8",
        );
    let external = [
        ("proc_id", V::N(TOP)),
        ("kind", V::N(0)),
        ("uuid_size", V::N(16)),
        ("cuda_device_uuid", V::B(&[7; 16])),
    ];
    node(file, number, nodes)
        .record("MetaDesc", &[("kind", V::N(5)), ("name", V::T("mapping"))])
        .record("ProcDesc", &external)
}

/// An activity: its operation; creation, start and end; the event of its end, the last event it
/// waited for, and the end of its creator.
type Ran = (u64, [u64; 3], [u64; 3]);

fn ran(file: LegionFile, kind: &str, processor: u64, (op, times, events): Ran) -> LegionFile {
    let [create, start, stop] = times;
    let [fevent, critical, creator] = events;
    let values = [
        ("op_id", V::N(op)),
        ("task_id", V::N(9)),
        ("lg_id", V::N(5)),
        ("proc_id", V::N(processor)),
        ("create", V::N(create)),
        ("ready", V::N(start)),
        ("start", V::N(start)),
        ("stop", V::N(stop)),
        ("creator", V::N(creator)),
        ("critical", V::N(critical)),
        ("fevent", V::N(fevent)),
    ];
    file.record(kind, &values)
}

/// Returns the steps as tuples of kind, operation, start and end.
fn describe_steps(trace: &Trace) -> Vec<(&'static str, u64, i64, i64)> {
    let steps = path(trace).into_iter().map(|step| {
        let operation = step.operation.map_or(0, |uid| uid.raw());
        let (start, end) = (step.start.nanos(), step.end.nanos());
        (step.kind.name(), operation, start, end)
    });
    steps.collect()
}

/// The program requests two operations and waits for the second, which needs the first. Each is
/// mapped by the runtime. The first also waits for a user event that the program triggers late.
fn two_tasks() -> LegionFile {
    let [top, map1, map2, task1, task2] = [1, 2, 3, 4, 5].map(event);
    let [user, both] = [10, 11].map(event);
    let mut all = file();
    for operation_id in [20, 30] {
        all = operation(all, operation_id, 0);
    }
    all = ran(
        all,
        "ImplicitTaskInfo",
        TOP,
        (1, [0, 0, 1_000], [top, 0, 0]),
    );
    all = ran(
        all,
        "MetaInfo",
        cpu(0, 0),
        (20, [100, 120, 150], [map1, 0, top]),
    );
    all = ran(
        all,
        "MetaInfo",
        cpu(0, 0),
        (30, [200, 210, 260], [map2, 0, top]),
    );
    all = ran(
        all,
        "TaskInfo",
        cpu(0, 3),
        (20, [140, 320, 500], [task1, user, map1]),
    );
    all = ran(
        all,
        "TaskInfo",
        cpu(0, 4),
        (30, [250, 540, 800], [task2, both, map2]),
    );
    all = all
        .record(
            "EventTriggerInfo",
            &[
                ("result", V::N(user)),
                ("fevent", V::N(top)),
                ("performed", V::N(300)),
            ],
        )
        .record(
            "EventMergerInfo",
            &[
                ("result", V::N(both)),
                ("fevent", V::N(map2)),
                ("performed", V::N(255)),
                ("pre0", V::N(task1)),
                ("pre1", V::N(map1)),
            ],
        );
    all.record(
        "TaskWaitInfo",
        &[
            ("op_id", V::N(1)),
            ("wait_start", V::N(400)),
            ("wait_ready", V::N(800)),
            ("wait_end", V::N(830)),
            ("wait_event", V::N(task2)),
        ],
    )
}

#[test]
fn path_follows_events_to_their_triggers() {
    let trace = bytes_of(&two_tasks().bytes()).0;
    assert_eq!(
        describe_steps(&trace),
        [
            // Up to the time at which it triggered the event that the first task waited for.
            ("program", 20, 0, 300),
            ("queue", 20, 300, 320),
            ("task", 20, 320, 500),
            ("queue", 30, 500, 540),
            ("task", 30, 540, 800),
            ("wait", 0, 800, 830),
            ("program", 0, 830, 1_000),
        ]
    );
}

#[test]
fn path_is_empty_with_a_reason_without_event_graph() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("legate_0.prof");
    let lone = ran(
        file(),
        "TaskInfo",
        cpu(0, 3),
        (20, [0, 10, 50], [event(4), 0, 0]),
    );
    std::fs::write(&profile, lone.bytes()).unwrap();
    let trace = read(&[profile], &ReadOptions::default()).unwrap();
    assert_eq!(path(&trace), []);
    assert!(missing(&trace).is_some());
    let table = stats::table(&trace, By::Critical);
    let note = stats::note(&trace, By::Critical, &table).unwrap();
    assert!(note.contains("legate_0.prof"), "{note}");
    assert!(note.contains("prof_no_critical_paths"), "{note}");
}

/// Writes a trace as a database and reads it back.
fn through_database(trace: &Trace) -> Trace {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("weft.sqlite");
    sqlite::write(trace, &database, &WriteOptions::default()).unwrap();
    read(&[database], &ReadOptions::default()).unwrap()
}

/// Writes files of one run and joins them.
fn trace_of(folder: &Path, files: &[LegionFile]) -> Trace {
    let write = |(node, file): (usize, &LegionFile)| {
        let path = folder.join(format!("legate_{node}.prof"));
        std::fs::write(&path, file.bytes()).unwrap();
        path
    };
    let paths: Vec<_> = files.iter().enumerate().map(write).collect();
    read(&paths, &ReadOptions::default()).unwrap()
}

#[test]
fn database_gives_the_same_reason_as_the_profile() {
    let folder = tempfile::tempdir().unwrap();
    let lone = |number| {
        let times = (20 + number, [0, 10, 50], [event(4 + number), 0, 0]);
        ran(file_of(number, 2), "TaskInfo", cpu(number, 3), times)
    };
    let trace = trace_of(folder.path(), &[lone(0), lone(1)]);
    let why = missing(&trace).unwrap();
    assert!(
        why.contains("legate_0.prof has no Legion event graph"),
        "{why}"
    );
    let again = through_database(&trace);
    assert_eq!(missing(&again), Some(why.clone()));
    assert_eq!(path(&again), []);
    assert_eq!(again.sources[0].run, again.sources[1].run);
    // A trace that was read back and written again has the same reason.
    assert_eq!(missing(&through_database(&again)), Some(why.clone()));
    // A database of an earlier version, which has no information on the graph.
    let mut earlier = through_database(&trace);
    earlier.quality.meta = Default::default();
    assert_eq!(missing(&earlier), Some(why));
}

#[test]
fn database_with_event_graph_gives_no_reason() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace_of(folder.path(), &[two_tasks()]);
    assert_eq!(missing(&through_database(&trace)), None);
    assert_eq!(
        describe_steps(&through_database(&trace)),
        describe_steps(&trace)
    );
    // All of a run at one instant: the path has no length, although there is a graph.
    let times = (20, [10, 10, 10], [event(4), 0, 0]);
    let instant = ran(file(), "TaskInfo", cpu(0, 3), times).record(
        "EventTriggerInfo",
        &[("result", V::N(event(9))), ("performed", V::N(10))],
    );
    let folder = tempfile::tempdir().unwrap();
    let trace = trace_of(folder.path(), &[instant]);
    assert_eq!((missing(&trace), path(&trace)), (None, Vec::new()));
    assert_eq!(missing(&through_database(&trace)), None);
}

#[test]
fn database_points_to_the_event_graph_of_the_profile() {
    let folder = tempfile::tempdir().unwrap();
    let trace = trace_of(folder.path(), &[two_tasks()]);
    assert_eq!(replay::missing(&trace), None);
    assert!(!replay::Graph::from_trace(&trace).nodes.is_empty());
    let again = through_database(&trace);
    assert!(replay::Graph::from_trace(&again).nodes.is_empty());
    let why = replay::missing(&again).unwrap();
    assert!(
        why.contains("a database does not hold") && why.contains("legate_0.prof"),
        "{why}"
    );
    assert_eq!(advise::answer(&again).notes, [why]);
    // For a run without the graph, the reason is unchanged.
    let folder = tempfile::tempdir().unwrap();
    let times = (20, [0, 10, 50], [event(4), 0, 0]);
    let lone = ran(file(), "TaskInfo", cpu(0, 3), times);
    let lone = through_database(&trace_of(folder.path(), &[lone]));
    assert_eq!(replay::missing(&lone), missing(&lone));
}

#[test]
fn real_paths_contain_tasks_and_the_runtime() {
    for name in REAL {
        let profile = data(name);
        let trace = read(&[profile], &ReadOptions::default()).unwrap();
        let steps = path(&trace);
        let all: i64 = steps.iter().map(|step| step.part).sum();
        let (first, last) = (steps[0].start, steps[steps.len() - 1].end);
        assert_eq!(all, (last - first).0, "{name}");
        let of = |kind: StepKind| -> i64 {
            let of_kind = steps.iter().filter(|step| step.kind == kind);
            of_kind.map(|step| step.part).sum()
        };
        // Each run computes and is mapped; the path is not only its own thread.
        for kind in [StepKind::Task, StepKind::Analysis] {
            assert!(of(kind) > 0, "{name}: no {kind:?}");
        }
        assert!(of(StepKind::Program) < all * 9 / 10, "{name}");
        let lines = csv(&trace, By::Critical);
        assert!(lines.contains(".py:"), "{name}: {lines}");
    }
}
