//! Invariants of every profile of a whole run, for each example and for different numbers of
//! workers and utility threads: with one launch for each task, with launches that serve many tasks,
//! and with small operations inline on the program's thread.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use crate::support;

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::Connection;
use support::example::{FUSED, ONE_BY_ONE, Run, WAYS, export, fact, loss, number};
use support::trace::{Launch, Operation, Trace};
use weft_trace::id::{ProvenanceId, TaskUid};
use weft_trace::record::{ProcessorKind, Task};

/// More elements than any array of the examples has here.
const WHOLE: usize = 1 << 20;

/// Runs an example on each kind of machine in each way, and checks the profile and its exports.
/// `chunk` is the number of elements worth a task, so that even small arrays have several tiles.
/// Also runs with one tile for each array.
fn holds_for(program: &str, chunk: usize, args: &[&str]) {
    for way in WAYS {
        let (mut fused, mut immediates) = (0, 0);
        let machines = [(1, 1, chunk), (2, 1, chunk), (4, 1, chunk), (2, 0, chunk)];
        for (cpus, utility, chunk) in machines.into_iter().chain([(2, 1, WHOLE)]) {
            let flags = format!("{way} --cpus {cpus} --utility {utility} --min-cpu-chunk {chunk}");
            let run = Run::of(program, &flags, args);
            let trace = run.trace();
            let most = trace.most_tasks();
            assert_eq!(most > 2, chunk != WHOLE, "{flags}: {most} tiles");
            let kind = |task: &&Task| trace.processors[&task.processor].kind;
            let of_workers = |task: &&Task| kind(task) == ProcessorKind::Cpu;
            let tasks = trace.tasks.iter().filter(of_workers);
            let workers: HashSet<_> = tasks.map(|task| task.processor).collect();
            assert!(workers.len() <= cpus, "{flags}: {workers:?}");

            holds_of(program, &run, &trace);
            fused += trace.fused();
            immediates += trace.immediates;
        }
        assert_eq!(fused > 0, way != ONE_BY_ONE, "`{way}`: {fused} launches");
        let at_once = ![ONE_BY_ONE, FUSED].contains(&way);
        assert_eq!(immediates > 0, at_once, "`{way}`: {immediates}");
    }
}

/// Checks the invariants of a run's profile, and of its joined file, which is returned.
fn holds_of(program: &str, run: &Run, trace: &Trace) -> Connection {
    tiles_cover_their_operation(trace);
    times_are_in_order(trace);
    check_references(trace);
    every_call_is_in(program, trace);
    nothing_is_lost(trace);
    let database = export(&[&run.prof()], run.folder());
    check_kernel_tasks(&database, trace);
    check_line_costs(&database, trace);
    database
}

#[test]
fn stencil_satisfies_invariants() {
    holds_for("stencil", 256, &["-n", "64", "-i", "6"]);
}

#[test]
fn conjugate_gradients_satisfy_invariants() {
    holds_for("cg", 8, &["-n", "12", "-m", "60"]);
}

/// A group runs tasks of several tiles, as one processor with one kernel for each launch; CPU
/// workers run tasks of single tiles.
#[test]
fn omp_groups_satisfy_invariants() {
    let cases: [(&str, &[&str], usize); 2] = [
        ("stencil", &["-n", "64", "-i", "6"], 256),
        ("cg", &["-n", "12", "-m", "60"], 8),
    ];
    for (program, args, chunk) in cases {
        for way in WAYS {
            for (omps, cpus) in [(1, 0), (1, 1), (2, 1)] {
                let flags = format!(
                    "{way} --omps {omps} --ompthreads 2 --cpus {cpus} --min-omp-chunk 1 --min-cpu-chunk {chunk}"
                );
                let run = Run::of(program, &flags, args);
                let trace = run.trace();
                let database = holds_of(program, &run, &trace);
                let count = |question: &str| number(&database, question);
                let groups =
                    "SELECT count(*) FROM WEFT_PROCESSOR WHERE kind = 'OMP' AND name LIKE 'OMP %'";
                assert_eq!(count(groups), omps, "{flags}: who leads is the group");
                let workers = "SELECT count(*) FROM WEFT_PROCESSOR WHERE kind = 'CPU'";
                assert_eq!(count(workers), cpus, "{flags}");
                let of_groups = "SELECT count(*) FROM WEFT_TASK WHERE variant = 'OMP'";
                assert!(count(of_groups) > 10, "{flags}");
                let elsewhere = "SELECT count(*) FROM WEFT_KERNEL k JOIN WEFT_KERNEL_TASK l ON l.kernelId = k.id \
                                 JOIN WEFT_TASK t ON t.uid = l.taskUid WHERE k.processorId <> t.processorId";
                assert_eq!(
                    count(elsewhere),
                    0,
                    "{flags}: a kernel is the whole group's"
                );
            }
        }
    }
}

type Rectangle<'a> = &'a [(u64, u64)];

fn elements(rectangle: Rectangle<'_>) -> u64 {
    rectangle.iter().map(|(first, end)| end - first).product()
}

fn meet(a: Rectangle<'_>, b: Rectangle<'_>) -> bool {
    a.iter().zip(b).all(|(a, b)| a.0 < b.1 && b.0 < a.1)
}

/// Checks that each operation has its recorded number of tasks, and that each element is in the
/// tile of exactly one task.
fn tiles_cover_their_operation(trace: &Trace) {
    let mut points: HashMap<_, Vec<u32>> = HashMap::new();
    for task in &trace.tasks {
        points.entry(task.operation).or_default().push(task.point);
    }
    for operation in &trace.operations {
        let points = points.get_mut(&operation.uid).expect("it ran");
        points.sort_unstable();
        let all: Vec<u32> = (0..operation.tasks).collect();
        assert_eq!(*points, all, "{operation:?}");
        covers(trace, operation);
    }
}

fn covers(trace: &Trace, operation: &Operation) {
    let tile = |point| trace.tiles.get(&(operation.uid, point));
    if operation.tasks == 1 {
        // Its only task covers all of it, which needs no record.
        assert_eq!(tile(0), None, "{operation:?}");
        return;
    }
    let tiles: Vec<&Vec<(u64, u64)>> = (0..operation.tasks)
        .map(|point| tile(point).expect("a tile of each task"))
        .collect();
    for (at, one) in tiles.iter().enumerate() {
        assert_eq!(one.len(), operation.shape.len(), "{operation:?}");
        for ((first, end), extent) in one.iter().zip(&operation.shape) {
            assert!(first < end && end <= extent, "{one:?} of {operation:?}");
        }
        for other in &tiles[at + 1..] {
            assert!(!meet(one, other), "{one:?}, {other:?} of {operation:?}");
        }
    }
    let covered: u64 = tiles.iter().map(|tile| elements(tile)).sum();
    assert_eq!(
        covered,
        operation.shape.iter().product::<u64>(),
        "{operation:?}"
    );
}

/// Checks that tasks are created, ready, running and ended in this order, that launches lie in
/// their tasks and kernels in their launch, that a processor does one thing at a time, and that
/// nothing starts before its predecessors have ended, or before them in the same launch.
fn times_are_in_order(trace: &Trace) {
    let tasks = trace.tasks_by_uid();
    for task in tasks.values() {
        let times = [task.created, task.ready, task.start, task.end];
        assert!(times.is_sorted(), "{task:?}");
    }
    let mut launches = HashMap::new();
    for launch in &trace.launches {
        assert!(launches.insert(launch.uid, launch).is_none(), "{launch:?}");
        for task in launch.shares.iter().map(|(task, _)| tasks[task]) {
            assert!(
                task.start <= launch.start && launch.start <= launch.end && launch.end <= task.end,
                "{launch:?} of {task:?}"
            );
            assert_eq!(launch.processor, task.processor, "{launch:?} of {task:?}");
        }
        // The UID of a task is that of its own launch only.
        let own = tasks.get(&TaskUid(launch.uid.0));
        assert!(
            own.is_none_or(|task| launch.shares == [(task.uid, 1.0)]),
            "{launch:?}"
        );
    }
    for kernel in &trace.kernels {
        let launch = launches[&kernel.launch];
        assert!(
            launch.start <= kernel.start && kernel.start <= kernel.end && kernel.end <= launch.end,
            "{kernel:?} of {launch:?}"
        );
        assert_eq!(launch.processor, kernel.processor, "{kernel:?}");
    }
    let mut by_processor: Vec<&Launch> = trace.launches.iter().collect();
    by_processor.sort_by_key(|launch| (launch.processor, launch.start));
    for pair in by_processor.windows(2) {
        let alone = pair[0].processor != pair[1].processor || pair[0].end <= pair[1].start;
        assert!(alone, "{pair:?}");
    }
    assert!(!trace.dependencies.is_empty());
    let of_task = trace.launches_by_task();
    for (later, earlier) in &trace.dependencies {
        let launch = of_task[later];
        if launch.uid == of_task[earlier].uid {
            let place = |uid| launch.shares.iter().position(|(task, _)| task == uid);
            assert!(place(earlier) < place(later), "{launch:?}");
            continue;
        }
        let (later, earlier) = (tasks[later], tasks[earlier]);
        assert!(earlier.end <= later.start, "{earlier:?}, {later:?}");
        assert!(earlier.end <= later.ready, "{earlier:?}, {later:?}");
    }
}

/// Checks that every reference in a record leads to a record.
fn check_references(trace: &Trace) {
    let operations = trace.operations_by_uid();
    for task in &trace.tasks {
        assert!(operations.contains_key(&task.operation), "{task:?}");
        assert!(trace.processors.contains_key(&task.processor), "{task:?}");
    }
    for operation in &trace.operations {
        assert_ne!(trace.name(operation.name), "", "{operation:?}");
    }
    for kernel in &trace.kernels {
        assert_ne!(trace.name(kernel.name.0), "", "{kernel:?}");
    }
    let instances: HashSet<_> = trace.instances.iter().map(|one| one.uid).collect();
    assert_eq!(instances.len(), trace.instances.len(), "UIDs are unique");
    for instance in &trace.instances {
        assert!(trace.stores.contains_key(&instance.store.raw()));
        assert!(trace.memories.contains(&instance.memory.0), "{instance:?}");
        assert!(operations.contains_key(&instance.operation));
        assert!(instance.created <= instance.ready, "{instance:?}");
    }
    for (uid, _) in &trace.instance_ends {
        assert!(instances.contains(uid), "{uid}");
    }
}

/// Checks that every operation and every store has the line of the example that made it.
fn every_call_is_in(program: &str, trace: &Trace) {
    let file = format!("examples/{program}/src/main.rs");
    let lines = std::fs::read_to_string(support::repository().join(&file)).expect("its source");
    let lines = lines.lines().count() as u32;
    let known = |id: ProvenanceId, what: &dyn std::fmt::Debug| {
        let place = trace.place(id);
        let (path, line) = place.unwrap_or_else(|| panic!("{what:?} has no line"));
        assert!(path.ends_with(&file), "{what:?}: {path}");
        assert!((1..=lines).contains(&line), "{what:?}: {path}:{line}");
    };
    for operation in &trace.operations {
        known(operation.provenance, operation);
    }
    for (uid, provenance) in &trace.stores {
        known(*provenance, uid);
    }
}

/// Checks that the end of a program loses no records.
fn nothing_is_lost(trace: &Trace) {
    let losses = &trace.losses;
    assert!(losses.finished, "{losses:?}");
    assert_eq!(losses.produced, trace.records, "{losses:?}");
    assert_eq!(losses.written, trace.records, "{losses:?}");
    assert_eq!((losses.dropped.total(), losses.in_flight), (0, 0));
    assert_eq!((losses.missing, losses.damaged_bytes), (0, 0));
}

/// Checks that in the joined file every kernel has exactly one task or exactly one reason, that
/// here all have a task, and that the shares of each launch, and of each kernel, add up to 1.
fn check_kernel_tasks(database: &Connection, trace: &Trace) {
    let count = |question: &str| number(database, question);
    let kernels = count("SELECT count(*) FROM WEFT_KERNEL");
    assert_eq!(kernels, trace.kernels.len() as i64);
    assert_eq!(kernels, trace.launches.len() as i64, "one loop per launch");
    assert_eq!(
        count("SELECT count(*) FROM WEFT_TASK"),
        trace.tasks.len() as i64
    );
    assert_eq!(
        trace.launches_by_task().len(),
        trace.tasks.len(),
        "a launch each"
    );
    let linked = count("SELECT count(DISTINCT kernelId) FROM WEFT_KERNEL_TASK");
    assert_eq!(linked, kernels);
    assert_eq!(count("SELECT count(*) FROM WEFT_UNMATCHED"), 0);
    assert_eq!(fact(database, "kernels"), kernels.to_string());
    assert_eq!(fact(database, "kernels_linked"), kernels.to_string());
    assert_eq!(fact(database, "kernels_unmatched"), "0");
    for (what, group, table) in [
        ("launches", "launchUid", "WEFT_LAUNCH_TASK"),
        ("kernels", "kernelId", "WEFT_KERNEL_TASK"),
    ] {
        let shares = format!(
            "SELECT count(*) FROM (SELECT 1 FROM {table} GROUP BY {group} HAVING abs(sum(share) - 1) > 1e-9)"
        );
        assert_eq!(count(&shares), 0, "shares of {what}");
    }
    let served = "SELECT count(DISTINCT launchUid) FROM WEFT_LAUNCH_TASK";
    assert_eq!(count(served), trace.launches.len() as i64);
    let tasks = "SELECT count(*) FROM WEFT_TASK t WHERE NOT EXISTS (SELECT 1 FROM WEFT_KERNEL_TASK l WHERE l.taskUid = t.uid) \
                 OR t.provenanceId IS NULL OR NOT EXISTS (SELECT 1 FROM WEFT_OPERATION o WHERE o.uid = t.opUid)";
    assert_eq!(
        count(tasks),
        0,
        "tasks without a kernel, a line or an operation"
    );
    let apart = "SELECT count(*) FROM WEFT_KERNEL_TASK link JOIN WEFT_KERNEL k ON k.id = link.kernelId \
                 JOIN WEFT_TASK t ON t.uid = link.taskUid \
                 WHERE t.processorId <> k.processorId OR k.start < t.start OR t.end < k.end";
    assert_eq!(count(apart), 0, "kernels lie in their tasks");
    let variants = "SELECT count(*) FROM WEFT_TASK t JOIN WEFT_PROCESSOR p ON p.id = t.processorId \
                    WHERE t.variant <> iif(p.kind = 'Program', 'CPU', p.kind)";
    assert_eq!(
        count(variants),
        0,
        "variants are those of processors; the program's thread is a CPU"
    );
    let unplanned = "SELECT count(*) FROM WEFT_OPERATION WHERE uid NOT IN \
                     (SELECT opUid FROM WEFT_RUNTIME_CALL WHERE kind = 'analysis')";
    assert_eq!(count(unplanned), 0, "operations without their planning");
    let meeting = "SELECT count(*) FROM (SELECT start, lag(end) OVER (PARTITION BY processorId ORDER BY start, end) AS before \
                   FROM WEFT_RUNTIME_CALL WHERE kind IN ('partitioning', 'mapping', 'analysis')) WHERE start < before";
    assert_eq!(count(meeting), 0, "one thing is planned at a time");
    let categories = "SELECT count(*) FROM NVTX_EVENTS e JOIN WEFT_LAUNCH l ON l.uid = e.uint64Value JOIN WEFT_PROCESSOR p \
                      ON p.id = l.processorId WHERE e.category <> iif(p.kind = 'OMP', 2, 1)";
    assert_eq!(
        count(categories),
        0,
        "ranges that are made have the categories of real ones"
    );
    // Each instant of the run belongs to one step of the critical path.
    let whole = "SELECT sum(part) = max(end) - min(start) AND max(end) >= (SELECT max(end) FROM WEFT_TASK) \
                 AND min(start) <= (SELECT min(created) FROM WEFT_TASK) FROM WEFT_CRITICAL_PATH";
    assert_eq!(count(whole), 1);
    let gaps = "SELECT count(*) FROM (SELECT start, lag(end) OVER (ORDER BY start, end) AS before \
                FROM (SELECT DISTINCT start, end FROM WEFT_CRITICAL_PATH)) WHERE before <> start";
    assert_eq!(count(gaps), 0);
    let records = trace.records as i64;
    assert_eq!(loss(database, "records_produced"), records);
    assert_eq!(loss(database, "records_written"), records);
    let lost = "SELECT count(*) FROM WEFT_LOSS WHERE severity <> 'note' AND value <> 0";
    assert_eq!(count(lost), 0);
}

/// Kernels and their time by file and line.
type Costs = BTreeMap<(String, u32), (u32, i64)>;

/// Checks that the cost of a line in the joined file is its share of the kernel time of its calls,
/// added up from the records, and that the costs of all lines are those of all kernels.
fn check_line_costs(database: &Connection, trace: &Trace) {
    let (operations, tasks) = (trace.operations_by_uid(), trace.tasks_by_uid());
    let launches: HashMap<_, _> = trace.launches.iter().map(|one| (one.uid, one)).collect();
    let mut expected: BTreeMap<(String, u32), (HashSet<_>, f64)> = BTreeMap::new();
    let mut all = 0;
    for (number, kernel) in trace.kernels.iter().enumerate() {
        all += (kernel.end - kernel.start).0;
        for (task, share) in &launches[&kernel.launch].shares {
            let place = trace.place(operations[&tasks[task].operation].provenance);
            let (file, line) = place.expect("a line");
            let cost = expected.entry((file.to_owned(), line)).or_default();
            cost.0.insert(number);
            cost.1 += (kernel.end - kernel.start).0 as f64 * share;
        }
    }
    let question =
        "SELECT file, line, sum(kernels), sum(kernelTime) FROM weft_by_line GROUP BY file, line";
    let mut statement = database.prepare(question).expect("the view");
    let rows = statement.query_map([], |row| {
        Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?)))
    });
    let found = rows.expect("rows").collect::<Result<Costs, _>>();
    let found = found.expect("lines and costs");
    assert!(found.keys().eq(expected.keys()), "{found:?}");
    for (place, (kernels, time)) in &found {
        let (known, cost) = &expected[place];
        assert_eq!(*kernels as usize, known.len(), "{place:?}");
        assert!(
            (*time as f64 - cost).abs() <= 1.0,
            "{place:?}: {time}, {cost}"
        );
    }
    let sum: i64 = found.values().map(|(_, time)| time).sum();
    assert!(
        (sum - all).unsigned_abs() <= found.len() as u64,
        "{sum} of {all}"
    );
    check_launch_shares(database, trace, all);
}

/// Checks that the time of a launch that serves several tasks is not counted for each of them: the
/// time outside of its kernel is overhead once.
fn check_launch_shares(database: &Connection, trace: &Trace, kernels: i64) {
    let tasks = trace.tasks.iter().map(|task| (task.end - task.start).0);
    let others = trace.launches.iter();
    let others = others.map(|one| (one.end - one.start).0 * (one.shares.len() as i64 - 1));
    let expected = tasks.sum::<i64>() - others.sum::<i64>();
    let time = number(database, "SELECT sum(taskTime) FROM weft_by_line");
    let overhead = number(database, "SELECT sum(overhead) FROM weft_by_line");
    let rounding = trace.tasks.len() as i64;
    assert!((time - expected).abs() <= rounding, "{time} of {expected}");
    let left = expected - kernels;
    assert!(
        (overhead - left).abs() <= 2 * rounding,
        "{overhead} of {left}"
    );
}
