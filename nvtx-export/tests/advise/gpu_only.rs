//! Advice on inputs without tasks: databases of Nsight Systems.

use crate::support;
use weft_analysis::advise::{self, Advice};
use weft_analysis::replay::Graph;
use weft_model::Trace;
use weft_nvtx_export::{ReadOptions, read};
use weft_output::sqlite::{self, WriteOptions};

fn advice(name: &str) -> Option<Advice> {
    let (_folder, path) = support::shared(name, "report.sqlite")?;
    let trace = read(&[path], &ReadOptions::default()).unwrap();
    let graph = Graph::from_trace(&trace);
    assert_eq!(advise::refusal(&trace, &graph), None);
    Some(advise::answer_from(&trace, &graph, 10))
}

#[test]
fn estimates_from_gpu_work_and_call_times() {
    // The host registers memory, copies from pageable memory, waits for streams, and launches
    // kernels that are shorter than their launch.
    for (name, rules) in [
        (
            "nsys/pipit_saxpy_mpi.sqlite.zst",
            &["gpu-gap", "synchronous-copy"][..],
        ),
        ("nsys/nsys-ai_fsdp_2gpu.sqlite.zst", &["gpu-gap"][..]),
        ("nsys/nsys-ai_mock.sqlite.zst", &["gpu-gap"][..]),
        ("gpu/cg-nsys.sqlite.zst", &["gpu-gap"][..]),
    ] {
        let Some(advice) = advice(name) else {
            continue;
        };
        assert!(advice.estimated && advice.replay.measured_ns > 0, "{name}");
        let found: Vec<&str> = advice
            .findings
            .iter()
            .map(|found| found.rule.as_str())
            .collect();
        for rule in rules {
            assert!(found.contains(rule), "{name}: {found:?}");
        }
        for finding in &advice.findings {
            assert!(finding.at_most && finding.assumes.is_some(), "{name}");
            let saving = finding.alone.saving_ns;
            assert!(
                saving > advice.replay.least_ns && saving <= advice.replay.measured_ns,
                "{name}: {finding:?}"
            );
        }
        let text = advise::render(&advice);
        assert!(
            text.contains("savings are estimates") && text.contains("at most"),
            "{text}"
        );
        assert!(!text.contains("Replayed unchanged"), "{text}");
    }
}

#[test]
fn joined_database_gives_the_advice_of_its_session() {
    for name in [
        "nsys/pipit_saxpy_mpi.sqlite.zst",
        "nsys/nsys-ai_mock.sqlite.zst",
        "gpu/cg-nsys.sqlite.zst",
    ] {
        let Some((folder, path)) = support::shared(name, "report.sqlite") else {
            continue;
        };
        let trace = read(&[path], &ReadOptions::default()).unwrap();
        let written = folder.path().join("weft.sqlite");
        sqlite::write(&trace, &written, &WriteOptions::default()).unwrap();
        let back = read(&[written], &ReadOptions::default()).unwrap();
        let [direct, back] =
            [trace, back].map(|trace| advise::answer_from(&trace, &Graph::from_trace(&trace), 10));
        assert_eq!(back, direct, "{name}");
    }
}

#[test]
fn refuses_inputs_with_neither_tasks_nor_gpu_work() {
    let trace = Trace::default();
    let why = advise::refusal(&trace, &Graph::from_trace(&trace)).unwrap();
    assert!(why.contains("nothing to advise on"), "{why}");
}

/// 100 pageable copies of 64 KiB that take 100 us, one per ms, on each of `gpus` GPUs at the same
/// times, without launching calls.
fn copies_on(gpus: i64) -> Advice {
    let session = support::session::Session::new(0);
    let create = "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
        correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER)";
    session.database.execute_batch(create).unwrap();
    let insert =
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?1, ?2, ?3, 7, ?4, ?5, 65536, 1, 0, 2)";
    for (gpu, row) in (0..gpus).flat_map(|gpu| (0..100).map(move |row| (gpu, row))) {
        let start = 1_000_000_000 + row * 1_000_000;
        let process = support::session::PROCESS;
        let row = rusqlite::params![start, start + 100_000, gpu, gpu * 100 + row, process];
        session.database.execute(insert, row).unwrap();
    }
    let trace = read(std::slice::from_ref(&session.path), &ReadOptions::default()).unwrap();
    advise::answer_from(&trace, &Graph::from_trace(&trace), 10)
}

#[test]
fn parallel_gpus_save_no_more_than_one() {
    let (one, two) = (copies_on(1), copies_on(2));
    let rules = |advice: &Advice| {
        let rules = advice.findings.iter().map(|found| found.rule.clone());
        rules.collect::<Vec<String>>()
    };
    assert_eq!(rules(&one), ["gpu-gap", "small-copies", "synchronous-copy"]);
    assert_eq!(rules(&two), rules(&one));
    assert_eq!(two.joint, one.joint);
    for (two, one) in two.findings.iter().zip(&one.findings) {
        assert_eq!(
            (two.alone, two.with_previous),
            (one.alone, one.with_previous)
        );
    }
    assert!(two.joint.saving_ns <= two.replay.measured_ns);
}
