//! The examples on GPUs that are emulated: the CPU's results, every kernel linked to its tasks, nothing lost unseen.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a helper that cannot go on fails its test"
)]

#[path = "support/emulator.rs"]
mod emulator;
mod support;

use std::collections::BTreeMap;

use emulator::{can_emulate, emulate};
use rusqlite::Connection;
use support::example::{export, loss, number};
use support::{Command, program};
use tempfile::TempDir;

/// What a run left.
struct Run {
    folder: TempDir,
    printed: String,
    said: String,
    code: Option<i32>,
}

impl Run {
    /// The joined file.
    fn database(&self) -> Connection {
        export(
            &[&self.folder.path().join("weft_0.prof")],
            self.folder.path(),
        )
    }
}

/// Runs an example on emulated GPUs, with tiles small enough for several.
fn run(name: &str, gpus: u32, seed: u64, flags: &str, change: impl FnOnce(&mut Command)) -> Run {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(program(name));
    emulate(&mut command, folder.path(), 2, seed);
    let args: &[&str] = match name {
        "stencil" => &["-n", "40", "-i", "8", "--check"],
        _ => &["-n", "10", "-m", "25"],
    };
    command
        .current_dir(folder.path())
        .env(
            "WEFT_CONFIG",
            format!("--profile --gpus {gpus} --min-gpu-chunk 64 {flags}"),
        )
        .env_remove("NVTX_INJECTION64_PATH")
        .args(args);
    change(&mut command);
    let output = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run {
        folder,
        printed: text(&output.stdout),
        said: text(&output.stderr),
        code: output.status.code(),
    }
}

/// The last number that a program printed: a sum, or a residual.
fn result(run: &Run) -> f64 {
    assert_eq!(run.code, Some(0), "{} {}", run.printed, run.said);
    let word = run.printed.split_whitespace().last().expect("a result");
    word.parse().expect("a number")
}

/// How many links there are of each method, and how many launches have any.
fn methods(database: &Connection) -> BTreeMap<String, i64> {
    let question = "SELECT method, count(DISTINCT kernelId) FROM WEFT_KERNEL_TASK GROUP BY method";
    let mut question = database.prepare(question).expect("a question");
    let rows = question
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("an answer");
    rows.map(|row| row.expect("a row")).collect()
}

/// Every kernel that CUPTI saw is linked, by these methods alone, and no launch of GPUs is without a kernel.
fn all_is_linked(database: &Connection, expected: &[&str]) {
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
fn results_are_those_of_cpus() {
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
fn every_kernel_is_linked_by_its_external_id() {
    if !can_emulate() {
        return;
    }
    for name in ["stencil", "cg"] {
        for gpus in [1, 2] {
            let run = run(name, gpus, 5, "", |_| ());
            result(&run);
            let database = run.database();
            all_is_linked(&database, &["external_id"]);
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

#[test]
fn nodes_of_graphs_are_linked_as_they_were_recorded() {
    if !can_emulate() {
        return;
    }
    // A loop is seen where the program is ahead of the GPU, which a busy machine may keep it from being.
    let replayed = (6..16).find_map(|seed| {
        let run = run("cg", 1, seed, "--cuda-graphs", |_| ());
        result(&run);
        let database = run.database();
        let known = methods(&database);
        (known.get("recorded").copied().unwrap_or(0) > 20).then_some((run, database))
    });
    let (_run, database) = replayed.expect("one of ten runs replays its loop");
    all_is_linked(&database, &["external_id", "recorded"]);
    let disagreed =
        "SELECT CAST(value AS INTEGER) FROM WEFT_META WHERE key = 'external_id_disagreed'";
    assert_eq!(number(&database, disagreed), 0);
}

#[test]
fn an_older_cupti_tells_the_same() {
    if !can_emulate() {
        return;
    }
    for version in ["12.4", "13.0"] {
        let run = run("cg", 2, 7, "--logging runtime=info", |command| {
            command.env("WEFT_EMULATED_CUPTI", version);
        });
        result(&run);
        let database = run.database();
        all_is_linked(&database, &["external_id"]);
        // How many there are depends on how far the program was ahead; CUPTI must have seen each.
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
fn records_that_cupti_drops_are_counted() {
    if !can_emulate() {
        return;
    }
    let run = run("cg", 1, 8, "", |command| {
        command
            .env("WEFT_EMULATED_DROP", "9")
            .env("WEFT_EMULATED_UNTIMED", "6");
    });
    result(&run);
    let database = run.database();
    assert!(loss(&database, "cupti_dropped") > 10);
    assert!(loss(&database, "cupti_untimed") > 5);
    let linked = number(
        &database,
        "SELECT count(DISTINCT kernelId) FROM WEFT_KERNEL_TASK",
    );
    let unmatched = number(&database, "SELECT count(*) FROM WEFT_UNMATCHED");
    let kernels = number(&database, "SELECT count(*) FROM WEFT_KERNEL");
    assert_eq!(linked + unmatched, kernels);
    // Where the id is lost and the call is not, the time of the call says which launch it was.
    assert!(methods(&database)["range"] > 0);
}

#[test]
fn another_tool_that_holds_cupti_is_told_once() {
    if !can_emulate() {
        return;
    }
    let run = run("stencil", 1, 9, "", |command| {
        command.env("WEFT_EMULATED_CUPTI_HELD", "39");
    });
    result(&run);
    assert_eq!(run.said.matches("holds CUPTI").count(), 1, "{}", run.said);
    let database = run.database();
    assert_eq!(loss(&database, "cupti_held"), 1);
    assert_eq!(number(&database, "SELECT count(*) FROM WEFT_KERNEL"), 0);
}

#[test]
fn errors_name_the_operation_and_its_line() {
    if !can_emulate() {
        return;
    }
    let cases = [
        ("cuLaunchKernel:4=701", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
        ("nvrtcCompileProgram:1", "does not compile"),
        ("kernel:5=700", "CUDA_ERROR_ILLEGAL_ADDRESS"),
    ];
    for (order, expected) in cases {
        let run = run("cg", 1, 10, "", |command| {
            command.env("WEFT_EMULATED_FAIL", order);
        });
        assert_eq!(run.code, Some(1), "{order}: {}", run.said);
        let is_whole = run.said.contains(expected) && run.said.contains("examples/cg/src/main.rs:");
        assert!(is_whole, "{order}: {}", run.said);
        // What was recorded until then can be read.
        assert!(number(&run.database(), "SELECT count(*) FROM WEFT_OPERATION") > 0);
    }
}

#[test]
fn more_gpus_than_there_are_cannot_be_had() {
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
