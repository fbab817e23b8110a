//! The examples on emulated GPUs: the CPU's results, every kernel linked to its tasks, all losses
//! counted.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use crate::emulator;
use crate::support;

use std::collections::BTreeMap;

use emulator::{Ran, can_emulate};
use rusqlite::Connection;
use support::example::{loss, number};
use support::{Command, program};

/// Runs an example on emulated GPUs, with tiles small enough for several.
fn run(name: &str, gpus: u32, seed: u64, flags: &str, change: impl FnOnce(&mut Command)) -> Ran {
    let args: &[&str] = match name {
        "stencil" => &["-n", "40", "-i", "8", "--check"],
        _ => &["-n", "10", "-m", "25"],
    };
    Ran::of(&program(name), args, gpus, seed, flags, change)
}

/// The last number that a program printed: a sum, or a residual.
fn result(run: &Ran) -> f64 {
    assert_eq!(run.code, Some(0), "{} {}", run.printed, run.said);
    let word = run.printed.split_whitespace().last().expect("a result");
    word.parse().expect("a number")
}

/// Returns the number of links of each method, and the number of launches that have any.
fn methods(database: &Connection) -> BTreeMap<String, i64> {
    let question = "SELECT method, count(DISTINCT kernelId) FROM WEFT_KERNEL_TASK GROUP BY method";
    let mut question = database.prepare(question).expect("a question");
    let rows = question
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("an answer");
    rows.map(|row| row.expect("a row")).collect()
}

/// Checks that every kernel recorded by CUPTI is linked, by these methods alone, and that no GPU
/// launch lacks a kernel.
fn check_all_linked(database: &Connection, expected: &[&str]) {
    let methods = methods(database);
    let kernels = number(database, "SELECT count(*) FROM WEFT_KERNEL");
    assert_eq!(methods.values().sum::<i64>(), kernels);
    assert_eq!(number(database, "SELECT count(*) FROM WEFT_UNMATCHED"), 0);
    assert_eq!(
        methods.keys().map(String::as_str).collect::<Vec<_>>(),
        expected
    );
    assert_eq!(
        number(
            database,
            "SELECT count(*) FROM WEFT_KERNEL WHERE source <> 'cupti'"
        ),
        0
    );
    assert!(kernels > 10, "{kernels}");
}

#[test]
fn results_match_cpus() {
    if !can_emulate() {
        return;
    }
    for name in ["stencil", "cg"] {
        let expected = result(&run(name, 0, 0, "", |_| ()));
        for seed in 1..=4 {
            for gpus in [1, 2] {
                for flags in ["", "--cuda-graphs"] {
                    let got = result(&run(name, gpus, seed, flags, |_| ()));
                    let off = ((got - expected) / expected).abs();
                    assert!(
                        off < 1e-3,
                        "{name}, {gpus} GPUs, seed {seed} {flags}: {got}, not {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn links_every_kernel_by_external_id() {
    if !can_emulate() {
        return;
    }
    for name in ["stencil", "cg"] {
        for gpus in [1, 2] {
            let run = run(name, gpus, 5, "", |_| ());
            result(&run);
            let database = run.database();
            check_all_linked(&database, &["external_id"]);
            let agreed = number(
                &database,
                "SELECT CAST(value AS INTEGER) FROM WEFT_META WHERE key = 'external_id_agreed'",
            );
            let all = number(&database, "SELECT count(*) FROM WEFT_KERNEL");
            assert_eq!(agreed, all, "the time of the call says the same");
            let devices = "SELECT count(DISTINCT processorId) FROM WEFT_KERNEL";
            assert_eq!(number(&database, devices), i64::from(gpus));
            let silent = "SELECT count(*) FROM WEFT_LAUNCH l WHERE NOT EXISTS (SELECT 1 FROM WEFT_KERNEL_TASK k
                JOIN WEFT_LAUNCH_TASK t ON t.taskUid = k.taskUid WHERE t.launchUid = l.uid)";
            assert_eq!(number(&database, silent), 0, "each launch has its kernel");
            for counter in ["cupti_dropped", "cupti_untimed", "cupti_unknown"] {
                assert_eq!(loss(&database, counter), 0, "{counter}");
            }
        }
    }
}

/// The example waits for the values it prints at three places; the kernels needed between them are
/// compiled together.
#[test]
fn compiles_kernels_in_parallel() {
    if !can_emulate() {
        return;
    }
    let cache = tempfile::tempdir().expect("a folder");
    let first = run("cg", 1, 1, "", |command| {
        command.env("WEFT_CACHE", cache.path());
        command.env("WEFT_EMULATED_COMPILE_MS", "400");
    });
    let database = first.database();
    let question = "SELECT start, end FROM WEFT_COMPILE WHERE origin = 'compiled' ORDER BY start";
    let mut question = database.prepare(question).expect("a question");
    let rows = question
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("an answer");
    let kernels: Vec<(i64, i64)> = rows.map(|row| row.expect("a row")).collect();
    let (mut rounds, mut first_end) = (0, i64::MIN);
    for (start, end) in &kernels {
        if *start >= first_end {
            (rounds, first_end) = (rounds + 1, *end);
        }
        first_end = first_end.min(*end);
    }
    assert!(kernels.len() >= 8, "{kernels:?}");
    assert!(rounds <= 3, "{rounds} rounds: {kernels:?}");
}

#[test]
fn links_graph_nodes_to_recorded_launches() {
    if !can_emulate() {
        return;
    }
    // A loop is detected if the program is ahead of the GPU, which a busy machine may prevent.
    let replayed = (6..16).find_map(|seed| {
        let run = run("cg", 1, seed, "--cuda-graphs", |_| ());
        result(&run);
        let database = run.database();
        let known = methods(&database);
        (known.get("recorded").copied().unwrap_or(0) > 20).then_some((run, database))
    });
    let (_run, database) = replayed.expect("one of ten runs replays its loop");
    check_all_linked(&database, &["external_id", "recorded"]);
    let disagreed =
        "SELECT CAST(value AS INTEGER) FROM WEFT_META WHERE key = 'external_id_disagreed'";
    assert_eq!(number(&database, disagreed), 0);
}

#[test]
fn older_cupti_records_the_same() {
    if !can_emulate() {
        return;
    }
    for version in ["12.4", "13.0"] {
        let run = run("cg", 2, 7, "--logging runtime=info", |command| {
            command.env("WEFT_EMULATED_CUPTI", version);
        });
        result(&run);
        let database = run.database();
        check_all_linked(&database, &["external_id"]);
        // Their number depends on how far the program was ahead; CUPTI must have recorded each.
        let issued = run
            .said
            .split(" kernels=")
            .nth(1)
            .expect("what GPUs were given");
        let digits = issued.find(|c: char| !c.is_ascii_digit());
        let issued = &issued[..digits.unwrap_or(issued.len())];
        let kernels = number(
            &database,
            "SELECT count(*) FROM WEFT_KERNEL WHERE kind = 'kernel'",
        );
        assert_eq!(kernels.to_string(), issued, "{version}: {}", run.said);
    }
}

#[test]
fn counts_records_dropped_by_cupti() {
    if !can_emulate() {
        return;
    }
    let run = run("cg", 1, 8, "", |command| {
        command
            .env("WEFT_EMULATED_DROP", "9")
            .env("WEFT_EMULATED_UNTIMED", "6");
    });
    result(&run);
    let database = run.incomplete_database();
    assert!(loss(&database, "cupti_dropped") > 10);
    assert!(loss(&database, "cupti_untimed") > 5);
    let linked = number(
        &database,
        "SELECT count(DISTINCT kernelId) FROM WEFT_KERNEL_TASK",
    );
    let unmatched = number(&database, "SELECT count(*) FROM WEFT_UNMATCHED");
    let kernels = number(&database, "SELECT count(*) FROM WEFT_KERNEL");
    assert_eq!(linked + unmatched, kernels);
    // If the id is lost and the call is not, the time of the call identifies the launch.
    assert!(methods(&database)["range"] > 0);
}

#[test]
fn reports_cupti_held_by_another_tool_once() {
    if !can_emulate() {
        return;
    }
    let run = run("stencil", 1, 9, "", |command| {
        command.env("WEFT_EMULATED_CUPTI_HELD", "39");
    });
    result(&run);
    assert_eq!(run.said.matches("uses CUPTI").count(), 1, "{}", run.said);
    let database = run.incomplete_database();
    assert_eq!(loss(&database, "cupti_held"), 1);
    assert!(loss(&database, "gpu_work_without_recorder") > 10);
    assert_eq!(number(&database, "SELECT count(*) FROM WEFT_KERNEL"), 0);
}

#[test]
fn errors_name_the_operation_and_its_line() {
    if !can_emulate() {
        return;
    }
    // Each with the exit status of the export: work on the GPU after the last error has no record.
    let cases = [
        (
            "cuLaunchKernel:4=701",
            "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
            0,
        ),
        ("nvrtcCompileProgram:1+", "does not compile", 0),
        ("kernel:5=700", "CUDA_ERROR_ILLEGAL_ADDRESS", 3),
    ];
    for (order, expected, status) in cases {
        let run = run("cg", 1, 10, "", |command| {
            command.env("WEFT_EMULATED_FAIL", order);
        });
        assert_eq!(run.code, Some(1), "{order}: {}", run.said);
        let is_whole = run.said.contains(expected) && run.said.contains("examples/cg/src/main.rs:");
        assert!(is_whole, "{order}: {}", run.said);
        // Records up to the failure can be read.
        let database = run.partial_database(status);
        assert!(number(&database, "SELECT count(*) FROM WEFT_OPERATION") > 0);
    }
}

/// Calls 1 to 6 fail, until the pool requests the least that it needs. The next call succeeds, and
/// later ones fail.
const ONE_SMALL_SEGMENT: &str = "cuMemAlloc_v2:1,cuMemAlloc_v2:2,cuMemAlloc_v2:3,cuMemAlloc_v2:4,cuMemAlloc_v2:5,cuMemAlloc_v2:6,\
                                 cuMemAlloc_v2:8+";

#[test]
fn permanent_allocation_failure_fails_the_operation() {
    if !can_emulate() {
        return;
    }
    let full = "out of memory: ";
    let cases = [
        ("cuMemAlloc_v2:1+", full),
        (ONE_SMALL_SEGMENT, full),
        ("cuMemAlloc_v2:1+=719", "CUDA_ERROR_LAUNCH_FAILED"),
        ("cuMemAlloc_v2:1+=999", "CUDA_ERROR_UNKNOWN"),
    ];
    for (order, expected) in cases {
        for gpus in [1, 2] {
            refused("cg", 1, gpus, order, expected);
            // All of the stencil fits into that segment.
            if order != ONE_SMALL_SEGMENT {
                refused("stencil", 101, gpus, order, expected);
            }
        }
    }
}

/// Checks a run that ends by itself: with the error, its line in the program, and a profile with
/// consistent counts.
fn refused(name: &str, code: i32, gpus: u32, order: &str, expected: &str) {
    let run = run(name, gpus, 12, "--fbmem 4", |command| {
        command.env("WEFT_EMULATED_FAIL", order);
    });
    // The stencil reads its sum with `item`, which panics.
    assert_eq!(run.code, Some(code), "{name}, {order}: {}", run.said);
    let place = format!("examples/{name}/src/main.rs:");
    for part in [" failed: ", expected, &place] {
        assert!(run.said.contains(part), "{name}, {order}: {}", run.said);
    }
    if expected.starts_with("out of memory") {
        let why = "but the machine has no more memory";
        assert!(run.said.contains(why), "{name}, {order}: {}", run.said);
    }
    // All GPU work is recorded only if it fits into the small segment.
    let status = if order == ONE_SMALL_SEGMENT { 0 } else { 3 };
    let database = run.partial_database(status);
    let produced = loss(&database, "records_produced");
    assert_eq!(loss(&database, "records_written"), produced);
    assert_eq!(loss(&database, "unfinished"), 0);
    assert_eq!(number(&database, "SELECT count(*) FROM WEFT_UNMATCHED"), 0);
    // Completed and failed work has its operation and line.
    let unknown = "SELECT count(*) FROM WEFT_TASK WHERE provenanceId IS NULL OR opUid NOT IN (SELECT uid FROM WEFT_OPERATION)";
    assert_eq!(number(&database, unknown), 0);
    let tasks = number(&database, "SELECT count(*) FROM WEFT_TASK");
    let expected = number(&database, "SELECT sum(tasks) FROM WEFT_OPERATION");
    assert!(expected > 0);
    assert_eq!(tasks, expected, "{name}, {order}");
}

#[test]
fn occasional_allocation_failures_change_no_result() {
    if !can_emulate() {
        return;
    }
    let expected = result(&run("cg", 0, 0, "", |_| ()));
    for order in [
        "cuMemAlloc_v2:1",
        "cuMemAlloc_v2:1,cuMemAlloc_v2:2",
        "cuMemAlloc_v2:2+",
    ] {
        let run = run("cg", 1, 13, "", |command| {
            command.env("WEFT_EMULATED_FAIL", order);
        });
        let off = ((result(&run) - expected) / expected).abs();
        assert!(off < 1e-3, "{order}: {off}");
        check_all_linked(&run.database(), &["external_id"]);
    }
}

#[test]
fn rejects_more_gpus_than_present() {
    if !can_emulate() {
        return;
    }
    let run = run("cg", 3, 11, "", |_| ());
    assert_ne!(run.code, Some(0));
    assert!(
        run.said.contains("--gpus 3") && run.said.contains('2'),
        "{}",
        run.said
    );
}
