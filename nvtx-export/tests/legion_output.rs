//! Legion Prof files, read by the real `legion_prof`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use crate::{made, support, tools};

use made::Shape;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use support::{Small, join, real_database, small};
use weft_analysis::stats::{self, By};
use weft_model::table::Format;
use weft_model::{Index, Recording, Served, Task, Trace};
use weft_nvtx_export::{ExportError, ReadOptions, read};
use weft_output::legion::{self, LegionOptions, LegionReport};
use weft_trace::file::RunId;
use weft_trace::record::ProcessorKind;
use weft_trace::time::Nanos;

fn write_logs(trace: &Trace, folder: &Path) -> LegionReport {
    legion::write(
        trace,
        &folder.join("legion_%.prof"),
        &LegionOptions::default(),
    )
    .unwrap()
}

/// Runs `legion_prof` on the files and returns its output.
fn run(command: &str, report: &LegionReport, out: Option<&Path>) -> Option<String> {
    let tool = tools::program("legion_prof", "LEGION_PROF")?;
    let mut legion = Command::new(tool);
    legion.arg(command).args(&report.files);
    if let Some(out) = out {
        legion.arg("-o").arg(out);
    }
    let output = legion.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {said}{complained}");
    Some(said)
}

/// The number and the total time in ns, by task and variant.
type Sums = BTreeMap<(String, String), (i64, i64)>;

/// Returns the name and variant of a task, as the reader shows them.
fn name(trace: &Trace, index: &Index, task: &Task) -> (String, String) {
    let operation = index.operation(task.source, task.operation);
    let name = operation.map_or("", |row| {
        trace.strings.get(trace.program.operations[row].name)
    });
    let mut kinds = trace.machine.processors.iter();
    let kind = kinds.find(|row| (row.source, row.id) == (task.source, task.processor));
    let variant = kind.map_or("Other", |row| row.kind.variant().name());
    let name = if name.is_empty() { "(unknown)" } else { name };
    (name.to_owned(), variant.to_owned())
}

fn sums(trace: &Trace) -> Sums {
    let index = Index::new(trace);
    let mut sums = Sums::new();
    for task in &trace.work.tasks {
        let sum = sums.entry(name(trace, &index, task)).or_default();
        sum.0 += 1;
        sum.1 += (task.end - task.start).0.max(0);
    }
    sums
}

/// Returns the sums of `weft stats --by task`.
fn stats_by_task(trace: &Trace) -> Sums {
    let csv = stats::table(trace, By::Task).render(Format::Csv);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows = reader.deserialize::<BTreeMap<String, String>>();
    rows.map(Result::unwrap)
        .map(|row| {
            let key = (row["task"].clone(), row["variant"].clone());
            (
                key,
                (
                    row["count"].parse().unwrap(),
                    row["total_ns"].parse().unwrap(),
                ),
            )
        })
        .collect()
}

/// Parses the sums that `legion_prof statistics` prints. They are in us with three digits, but from
/// a second on only the first four digits are printed. Such a sum counts as equal to ours if it is
/// equal in these digits.
fn statistics(said: &str, ours: &Sums) -> Sums {
    let mut sums = Sums::new();
    for entry in said.split("\n\n      ") {
        let Some((head, numbers)) = entry.split_once("\n          Invocations: ") else {
            continue;
        };
        let Some((name, variant)) = head
            .strip_prefix("Task ")
            .and_then(|head| head.rsplit_once(" Variant "))
        else {
            continue;
        };
        let (count, numbers) = numbers.split_once('\n').unwrap();
        let total = numbers.trim_start().strip_prefix("Total time: ").unwrap();
        let (total, _) = total.split_once(" us").unwrap();
        let key = (name.to_owned(), variant.to_owned());
        let wanted = ours.get(&key).map_or(0, |sum| sum.1);
        let micros = wanted as f64 / 1000.0;
        let total = match total.split_once('e') {
            Some(_) if format!("{micros:.3e}") == total => wanted,
            Some(_) => (total.parse::<f64>().unwrap() * 1000.0) as i64,
            None => total.replace('.', "").parse().unwrap(),
        };
        sums.insert(key, (count.parse().unwrap(), total));
    }
    sums
}

#[derive(serde::Deserialize)]
struct Event {
    name: String,
    ts: f64,
    dur: f64,
    pid: u64,
}

/// Checks that every task is in the JSON of `legion_prof trace` with its times, in pieces if it
/// waited or called.
fn check_trace(trace: &Trace, json: &str, zero: i64) {
    let events: Vec<Event> = serde_json::from_str(json).unwrap();
    let nanos = |us: f64| (us * 1000.0).round() as i64;
    let mut pieces: BTreeMap<(u64, &str), i64> = BTreeMap::new();
    let mut starts: BTreeMap<(u64, &str, i64), Vec<i64>> = BTreeMap::new();
    for event in &events {
        let whole = event.name.strip_suffix(" (waiting)");
        let whole = whole.or(event.name.strip_suffix(" (ready)"));
        *pieces
            .entry((event.pid, whole.unwrap_or(&event.name)))
            .or_default() += nanos(event.dur);
        starts
            .entry((event.pid, &event.name, nanos(event.ts)))
            .or_default()
            .push(nanos(event.dur));
    }
    let index = Index::new(trace);
    let mut wanted: BTreeMap<(u64, String), i64> = BTreeMap::new();
    for task in trace.work.tasks.iter().filter(|task| task.end > task.start) {
        let (name, variant) = name(trace, &index, task);
        let label = format!("{name} ({variant})");
        let rank = trace.sources[task.source.0 as usize].rank.unwrap().into();
        let time = (task.end - task.start).0;
        let start = task.start.nanos() - zero;
        let found = starts.get(&(rank, label.as_str(), start));
        let found = found.unwrap_or_else(|| panic!("no {label} at {start}"));
        let inside = |from: i64, to: i64| from >= task.start.nanos() && to <= task.end.nanos();
        let waits = trace
            .work
            .waits
            .iter()
            .any(|wait| wait.task == Some(task.uid));
        let calls = trace.work.runtime_calls.iter().any(|call| {
            call.processor == task.processor && inside(call.start.nanos(), call.end.nanos())
        });
        assert!(
            waits || calls || found.contains(&time),
            "{label}: {found:?} has no {time}"
        );
        *wanted.entry((rank, label)).or_default() += time;
    }
    for ((rank, label), time) in wanted {
        assert_eq!(
            pieces[&(rank, label.as_str())],
            time,
            "{label} of rank {rank}"
        );
    }
}

fn check(mut trace: Trace) -> LegionReport {
    let folder = tempfile::tempdir().unwrap();
    let report = write_logs(&trace, folder.path());
    divide(&mut trace);
    let trace = &trace;
    let Some(said) = run("statistics", &report, None) else {
        return report;
    };
    let ours = sums(trace);
    assert_eq!(statistics(&said, &ours), ours, "{said}");
    let archive = folder.path().join("archive");
    run("archive", &report, Some(&archive));
    assert!(archive.is_dir());
    let json = folder.path().join("trace.json");
    run("trace", &report, Some(&json));
    check_trace(trace, &std::fs::read_to_string(json).unwrap(), report.zero);
    report
}

#[test]
fn legion_prof_accepts_small_run_with_matching_numbers() {
    let (_folder, path) = small(RunId([1; 16]), -5_000, Small::default());
    let mut trace = join(std::slice::from_ref(&path));
    let costs = stats_by_task(&trace);
    let report = check(join(&[path]));
    assert_eq!(report.tasks_with_shares, divide(&mut trace));
    let sums = sums(&trace);
    assert_eq!(costs.len(), sums.len());
    for (name, (count, total)) in sums {
        let (tasks, cost) = costs[&name];
        // A nanosecond at each end of a part.
        assert!(
            tasks == count && (cost - total).abs() <= count,
            "{name:?}: {total}, not {cost}"
        );
    }
    let left_out = (report.waits_left_out, report.dependencies_left_out);
    let changed = (
        report.rows_with_times_moved,
        report.rows_on_added_processors,
    );
    assert_eq!((left_out, changed), ((0, 0), (0, 0)));
}

#[test]
fn program_thread_counts_as_cpu() {
    let (folder, path) = small(RunId([1; 16]), 0, Small::default());
    let mut trace = join(&[path]);
    for processor in &mut trace.machine.processors {
        processor.kind = ProcessorKind::Program;
    }
    let report = write_logs(&trace, folder.path());
    let bytes = std::fs::read(&report.files[0]).unwrap();
    let has = |name: &[u8]| bytes.windows(name.len()).any(|part| part == name);
    assert!(has(b"CPU\0") && !has(b"Program"));
}

#[test]
fn legion_prof_accepts_runs_with_all_records() {
    for seed in 0..4 {
        let shape = Shape {
            seed,
            ranks: 3,
            tasks: 60,
            zero: -700,
            broken: false,
        };
        let trace = made::trace(shape);
        let report = check(trace);
        assert_eq!(report.files.len(), 3);
        // Tasks overlap on their processors, which the reader considers impossible.
        assert!(report.rows_on_added_processors > 0);
        assert_eq!(report.dependencies_left_out, 0);
    }
}

#[test]
fn accepts_and_counts_dangling_rows_and_disordered_times() {
    for seed in 10..14 {
        let shape = Shape {
            seed,
            ranks: 2,
            tasks: 50,
            zero: 1_000,
            broken: true,
        };
        let mut trace = made::trace(shape);
        // Readers never admit such rows, but the output accepts any.
        for task in trace.work.tasks.iter_mut().step_by(11) {
            (task.start, task.end) = (task.end, task.start);
        }
        let report = check(trace);
        assert!(report.rows_with_times_moved > 0 && report.waits_left_out > 0);
    }
}

#[test]
fn rewrites_legate_profiles_in_the_supported_version() {
    for name in ["legate/stencil.prof.zst", "legate/cg.prof.zst"] {
        let Some((_folder, path)) = real_database(name) else {
            continue;
        };
        let trace = join(&[path]);
        let folder = tempfile::tempdir().unwrap();
        let report = write_logs(&trace, folder.path());
        if let Some(said) = run("statistics", &report, None) {
            let ours = sums(&trace);
            assert_eq!(statistics(&said, &ours), ours, "{said}");
            run("archive", &report, Some(&folder.path().join("archive")));
        }
        let back = join(&report.files);
        assert_eq!(sums(&back), sums(&trace));
        assert_eq!(partitionings(&back), partitionings(&trace));
        let is_stencil = name.contains("stencil");
        assert_eq!(!back.work.partitionings.is_empty(), is_stencil, "{name}");
    }
}

#[test]
fn legion_prof_reads_dependent_partitioning() {
    let trace = made::trace(Shape {
        seed: 2,
        ranks: 2,
        tasks: 60,
        zero: 5_000,
        broken: false,
    });
    let folder = tempfile::tempdir().unwrap();
    let report = write_logs(&trace, folder.path());
    let known = || {
        trace
            .work
            .partitionings
            .iter()
            .filter(|row| row.kind.is_some())
    };
    let kinds: BTreeSet<_> = known().map(|row| row.kind).collect();
    assert!(kinds.len() > 10, "{kinds:?}");
    let Some(said) = run("dump", &report, None) else {
        return;
    };
    // The records as read by its reader.
    let read: BTreeSet<[i64; 6]> = said
        .lines()
        .filter_map(|line| {
            serde_json::from_str::<serde_json::Value>(line)
                .ok()?
                .get("PartitionInfo")
                .cloned()
        })
        .map(|row| {
            ["part_op", "op_id", "create", "ready", "start", "stop"]
                .map(|field| row[field].as_i64().unwrap())
        })
        .collect();
    let wrote = known().map(|row| {
        let [created, ready, start, end] =
            [row.created, row.ready, row.start, row.end].map(|time| time.nanos() - report.zero);
        let operation = row.operation.map_or(0, |uid| uid.raw() as i64);
        let kind = row.kind.unwrap().code().into();
        [
            kind,
            operation,
            created.min(start),
            ready.min(start),
            start,
            end,
        ]
    });
    assert_eq!(read, wrote.collect::<BTreeSet<_>>());
    // The records on its page: a channel for each node.
    let page = folder.path().join("page");
    run("legacy", &report, Some(&page));
    for rank in 0..2_u16 {
        let channel = page.join(format!("tsv/(Node{rank},_DepPart).tsv"));
        let rows = std::fs::read_to_string(&channel).unwrap();
        let of_rank = |source: u32| trace.sources[source as usize].rank == Some(rank);
        let wanted = known().filter(|row| of_rank(row.source.0)).count();
        assert_eq!(rows.lines().count() - 1, wanted, "{rows}");
    }
}

#[test]
fn each_file_is_accepted_alone() {
    let shape = Shape {
        seed: 3,
        ranks: 3,
        tasks: 30,
        zero: 0,
        broken: false,
    };
    let folder = tempfile::tempdir().unwrap();
    let report = write_logs(&made::trace(shape), folder.path());
    for file in &report.files {
        let alone = LegionReport {
            files: vec![file.clone()],
            ..LegionReport::default()
        };
        run("archive", &alone, Some(&file.with_extension("archive")));
    }
}

#[test]
fn writes_one_file_per_rank_or_none() {
    let shape = Shape {
        seed: 1,
        ranks: 2,
        tasks: 5,
        zero: 0,
        broken: false,
    };
    let folder = tempfile::tempdir().unwrap();
    let trace = made::trace(shape);
    let out = folder.path().join("legion.prof");
    let refused = legion::write(&trace, &out, &LegionOptions::default()).unwrap_err();
    assert!(
        matches!(refused, ExportError::FileForEachRank { .. }),
        "{refused}"
    );
    std::fs::write(folder.path().join("legion_1.prof"), "mine").unwrap();
    let out = folder.path().join("legion_%.prof");
    let refused = legion::write(&trace, &out, &LegionOptions::default()).unwrap_err();
    assert!(matches!(refused, ExportError::Exists { .. }), "{refused}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let force = LegionOptions {
        force: true,
        ..LegionOptions::default()
    };
    assert_eq!(legion::write(&trace, &out, &force).unwrap().files.len(), 2);
    let one = made::trace(Shape { ranks: 1, ..shape });
    let out = folder.path().join("one.prof");
    assert_eq!(legion::write(&one, &out, &force).unwrap().files, [out]);
    let refused = legion::write(&Trace::default(), &folder.path().join("x"), &force).unwrap_err();
    assert!(matches!(refused, ExportError::NoRanks), "{refused}");
}

#[test]
fn rejects_files_of_two_runs() {
    let inputs = [1, 2].map(|run| small(RunId([run; 16]), 0, Small::default()));
    let paths: Vec<_> = inputs.iter().map(|(_, path)| path.clone()).collect();
    let options = ReadOptions {
        mix_runs: true,
        ..ReadOptions::default()
    };
    let trace = read(&paths, &options).unwrap();
    let out = inputs[0].0.path().join("legion_%.prof");
    let refused = legion::write(&trace, &out, &LegionOptions::default()).unwrap_err();
    assert!(
        matches!(refused, ExportError::LegionRuns { .. }),
        "{refused}"
    );
}

#[test]
fn own_reader_restores_tasks_lines_and_copies() {
    for seed in 0..4 {
        let shape = Shape {
            seed,
            ranks: 2,
            tasks: 60,
            zero: 5_000,
            broken: false,
        };
        let mut trace = made::trace(shape);
        // legion_prof divides by the time of a copy, so that no copy in a file has a time of 0.
        for copy in &mut trace.work.copies {
            copy.end = copy.end.max(copy.start + Nanos(1));
        }
        let folder = tempfile::tempdir().unwrap();
        let report = write_logs(&trace, folder.path());
        let mut back = join(&report.files);
        assert!(!back.is_partial(), "{:?}", back.quality.losses);
        // The format has no kernels, so their times are lost, and no launches that serve several
        // tasks.
        assert_eq!(report.tasks_with_shares, divide(&mut trace));
        assert!(report.tasks_with_shares > 0);
        assert_eq!(sums(&back), sums(&trace));
        // Without device times, the time of work on GPUs is that of its issue, which the format
        // keeps.
        for trace in [&mut trace, &mut back] {
            trace.devices.kernels.clear();
            trace.links.outcomes.clear();
            trace.links.kernel_ranges.clear();
            trace.links.kernel_calls.clear();
            for task in trace.work.tasks.iter_mut() {
                task.device = None;
            }
        }
        assert_eq!(
            columns(&back, By::Line, &["line"]),
            columns(&trace, By::Line, &["line"])
        );
        let channel = ["rank", "from", "to"];
        assert_eq!(
            columns(&back, By::Channel, &channel),
            columns(&trace, By::Channel, &channel)
        );
        let unknown = trace
            .work
            .partitionings
            .iter()
            .filter(|row| row.kind.is_none());
        assert_eq!(report.partitionings_left_out, unknown.count() as u64);
        assert_eq!(partitionings(&back), partitionings(&trace));
        assert!(!back.work.partitionings.is_empty());
        let instances = |trace: &Trace| {
            let real = trace
                .work
                .instances
                .iter()
                .filter(|instance| instance.bytes > 0);
            let mut real: Vec<_> = real
                .map(|instance| {
                    let rank = trace.sources[instance.source.0 as usize].rank;
                    let destroyed = instance.destroyed.map(|end| (end - instance.created).0);
                    (rank, instance.bytes, destroyed)
                })
                .collect();
            real.sort_unstable();
            real
        };
        let there = instances(&back);
        let kept = instances(&trace);
        // Instances that were never freed end with the trace.
        let given_back = |row: &&(Option<u16>, u64, Option<i64>)| row.2.is_some();
        assert!(
            kept.iter()
                .filter(given_back)
                .all(|row| there.contains(row))
        );
        assert_eq!(there.len(), kept.len());
    }
}

/// Rank, kind, operation, and times after the first.
type Computed = (Option<u16>, &'static str, Option<u64>, [Nanos; 3]);

/// Returns dependent partitioning of known kinds.
fn partitionings(trace: &Trace) -> BTreeSet<Computed> {
    let known = trace
        .work
        .partitionings
        .iter()
        .filter(|row| row.kind.is_some());
    let first = known.clone().map(|row| row.created).min();
    known
        .map(|row| {
            let rank = trace.sources[row.source.0 as usize].rank;
            let times = [row.created, row.start, row.end].map(|time| time - first.unwrap());
            let operation = row.operation.map(|uid| uid.raw());
            (rank, row.name(), operation, times)
        })
        .collect()
}

/// Divides the time of launches among their tasks, as in the files. Returns the number of such
/// tasks.
fn divide(recording: &mut Recording) -> u64 {
    let index = Index::new(recording);
    let mut divided = 0;
    for launch in &mut recording.work.launches {
        let shares = std::mem::take(&mut launch.shares);
        if shares.len() < 2 {
            continue;
        }
        let mut before = 0.0;
        for (uid, share) in &shares {
            if let Some(Served::Task(row)) = index.served(launch.source, *uid) {
                let task = &mut recording.work.tasks[row as usize];
                let (start, length) = (task.start, (task.end - task.start).0.max(0));
                let at = |share: f64| start + Nanos((share * length as f64).round() as i64);
                (task.start, task.end) = (at(before), at(before + share));
                divided += 1;
            }
            before += share;
        }
    }
    divided
}

/// Returns a table of stats without columns that depend on kernels: only the columns that name a
/// row, count, total, minimum and maximum.
fn columns(trace: &Trace, by: By, names: &[&str]) -> BTreeSet<Vec<String>> {
    let csv = stats::table(trace, by).render(Format::Csv);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows = reader.deserialize::<BTreeMap<String, String>>();
    let names = names.iter().copied();
    let wanted = names.chain(["count", "total_ns", "min_ns", "max_ns"]);
    let wanted: Vec<&str> = wanted.collect();
    rows.map(Result::unwrap)
        .map(|row| wanted.iter().map(|name| row[*name].clone()).collect())
        .collect()
}
