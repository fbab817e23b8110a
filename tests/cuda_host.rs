//! Operations without code for GPUs, and memories that are too small, on emulated GPUs: the CPU's
//! results, and every kernel and copy in the profile.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use crate::emulator;
use crate::support;

use std::collections::BTreeSet;

use emulator::{Ran, can_emulate};
use rusqlite::Connection;
use support::example::{loss, number};
use support::{program, runtime_example};

/// Runs a part of the example `varied`, which must succeed.
fn varied(part: &str, gpus: u32, seed: u64, flags: &str) -> Ran {
    let program = runtime_example("varied");
    let flags = format!("--cpus 2 {flags}");
    let run = Ran::of(&program, &[part], gpus, seed, &flags, |command| {
        // Transforms run on the host without cuFFT, and eigenvalues without cuSOLVER.
        if part != "spectra" {
            command.env("WEFT_CUFFT", "/nowhere/libcufft.so");
            command.env("WEFT_CUSOLVER", "/nowhere/libcusolver.so");
        }
    });
    assert_eq!(run.code, Some(0), "{part}: {}", run.said);
    run
}

/// Returns the rows of a query with two columns of text.
fn pairs(database: &Connection, question: &str) -> BTreeSet<(String, String)> {
    let mut statement = database.prepare(question).expect("a question");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let rows = rows.expect("an answer");
    rows.map(|row| row.expect("a row")).collect()
}

/// Checks that every kernel of either machine is linked, to tasks that have their operation and
/// line, or to copies, and that nothing is lost.
fn check_all_linked(database: &Connection) {
    let count = |question: &str| number(database, question);
    assert!(count("SELECT count(*) FROM WEFT_KERNEL") > 0);
    assert_eq!(count("SELECT count(*) FROM WEFT_UNMATCHED"), 0);
    let methods = "SELECT DISTINCT k.source, l.method FROM WEFT_KERNEL_TASK l JOIN WEFT_KERNEL k ON k.id = l.kernelId";
    for (source, method) in pairs(database, methods) {
        let expected = if source == "host" {
            "recorded"
        } else {
            "external_id"
        };
        assert_eq!(method, expected, "{source}");
    }
    let unknown = "SELECT count(*) FROM WEFT_TASK WHERE provenanceId IS NULL OR opUid NOT IN (SELECT uid FROM WEFT_OPERATION)";
    assert_eq!(count(unknown), 0, "tasks without operation or line");
    let silent =
        "SELECT count(*) FROM WEFT_TASK WHERE uid NOT IN (SELECT taskUid FROM WEFT_KERNEL_TASK)";
    assert_eq!(count(silent), 0, "tasks without a kernel");
    // On the processor of its task, and of the same kind.
    let elsewhere = "SELECT count(*) FROM WEFT_KERNEL_TASK l JOIN WEFT_KERNEL k ON k.id = l.kernelId \
                     JOIN WEFT_TASK t ON t.uid = l.taskUid JOIN WEFT_PROCESSOR p ON p.id = t.processorId \
                     WHERE k.processorId <> t.processorId OR (k.source = 'host') <> (p.kind = 'CPU') OR t.variant <> p.kind";
    assert_eq!(count(elsewhere), 0, "kernels on another processor");
    let shares = "SELECT count(*) FROM (SELECT 1 FROM WEFT_LAUNCH_TASK GROUP BY launchUid HAVING abs(sum(share) - 1) > 1e-9)";
    assert_eq!(count(shares), 0, "shares of launches");
    // CUPTI also recorded each copy between memories.
    let unseen =
        "SELECT count(*) FROM WEFT_COPY WHERE uid NOT IN (SELECT taskUid FROM WEFT_KERNEL_TASK)";
    assert_eq!(count(unseen), 0, "copies without a memcpy");
    for counter in ["records_dropped", "cupti_dropped", "cupti_untimed"] {
        assert_eq!(loss(database, counter), 0, "{counter}");
    }
    let produced = loss(database, "records_produced");
    assert_eq!(loss(database, "records_written"), produced);
}

/// Returns the names of the kernels that CPU workers ran.
fn on_host(database: &Connection) -> BTreeSet<String> {
    let question = "SELECT name, kind FROM WEFT_KERNEL WHERE source = 'host'";
    let kernels = pairs(database, question).into_iter();
    kernels
        .map(|(name, kind)| {
            assert_eq!(kind, "kernel", "{name}");
            name
        })
        .collect()
}

/// Returns the kinds of memories of copies: from, to.
fn channels(database: &Connection) -> BTreeSet<(String, String)> {
    let question = "SELECT a.kind, b.kind FROM WEFT_COPY c JOIN WEFT_MEMORY a ON a.id = c.srcMemoryId \
                    JOIN WEFT_MEMORY b ON b.id = c.dstMemoryId";
    pairs(database, question)
}

fn channel(from: &str, to: &str) -> (String, String) {
    (from.to_owned(), to.to_owned())
}

/// Checks that results have the same bits as on CPUs, wherever operations run. Calls `of` with the
/// profile of each run.
fn same_bits(part: &str, mut of: impl FnMut(&Connection)) {
    let expected = varied(part, 0, 0, "").printed;
    assert!(expected.lines().count() >= 3, "{expected}");
    for (gpus, seed, flags) in [
        (1, 1, ""),
        (1, 2, "--cuda-graphs"),
        (2, 3, ""),
        (1, 4, "--zcmem 0"),
    ] {
        let run = varied(part, gpus, seed, flags);
        assert_eq!(run.printed, expected, "{gpus} GPUs, seed {seed} {flags}");
        let database = run.database();
        check_all_linked(&database);
        of(&database);
    }
}

#[test]
fn operations_without_gpu_code_run_on_the_host() {
    if !can_emulate() {
        return;
    }
    same_bits("host", |database| {
        let host = on_host(database);
        for name in ["rfft_f64", "eigvals_f64"] {
            assert!(host.contains(name), "no {name}: {host:?}");
        }
        let variants = pairs(
            database,
            "SELECT DISTINCT name, variant FROM WEFT_TASK WHERE name IN ('sort', 'rfft', 'eigvals', 'multiply', 'add')",
        );
        let expected = [
            ("add", "GPU"),
            ("eigvals", "CPU"),
            ("multiply", "GPU"),
            ("rfft", "CPU"),
            ("sort", "GPU"),
        ];
        assert_eq!(variants, expected.map(|(a, b)| channel(a, b)).into());
        // Operands come to main memory, pinned or not, and results go back.
        let channels = channels(database);
        let is_host = |kind: &str| kind == "ZCMEM" || kind == "SYSTEM_MEM";
        assert!(
            channels
                .iter()
                .any(|(from, to)| from == "FBMEM" && is_host(to))
        );
        assert!(
            channels
                .iter()
                .any(|(from, to)| is_host(from) && to == "FBMEM")
        );
    });
}

/// A library may do one piece of work with several kernels, all of which belong to its task.
#[test]
fn fourier_transforms_run_on_gpus() {
    if !can_emulate() {
        return;
    }
    same_bits("spectra", |database| {
        let host = on_host(database);
        assert!(!host.iter().any(|name| name.contains("fft")), "{host:?}");
        let variants = pairs(
            database,
            "SELECT DISTINCT name, variant FROM WEFT_TASK WHERE name LIKE '%fft'",
        );
        let names = ["fft", "hfft", "ifft", "ihfft", "irfft", "rfft"];
        assert_eq!(variants, names.map(|name| channel(name, "GPU")).into());
        // Lines of 900 and 33 elements take two kernels each.
        let kernels = |name: &str| {
            let question = format!(
                "SELECT count(*) FROM WEFT_KERNEL_TASK l JOIN WEFT_KERNEL k ON k.id = l.kernelId \
                 JOIN WEFT_TASK t ON t.uid = l.taskUid WHERE t.name = 'rfft' AND k.name LIKE '{name}'"
            );
            number(database, &question)
        };
        let both = [
            kernels("%regular_fft_first<double>%"),
            kernels("%vector_fft<double>%"),
        ];
        assert!(both[0] == both[1] && both[0] >= 3, "{both:?}");
        let plans = "SELECT count(*) FROM WEFT_COMPILE c JOIN WEFT_OPERATION o ON o.uid = c.opUid \
                     WHERE c.kernel LIKE 'cufft_%' AND o.name LIKE '%fft' AND c.waited > 0";
        assert!(number(database, plans) >= 6);
    });
}

/// Checks that all kernels are the GPU's, and that they include kernels of each of these dtypes.
fn check_all_on_gpus(part: &str, dtypes: &[&str]) {
    same_bits(part, |database| {
        assert_eq!(on_host(database), BTreeSet::new());
        for dtype in dtypes {
            let kernels = format!(
                "SELECT count(*) FROM WEFT_KERNEL WHERE source = 'cupti' AND kind = 'kernel' AND name LIKE '%{dtype}%'"
            );
            assert!(number(database, &kernels) > 0, "no kernel of {dtype}");
        }
    });
}

#[test]
fn half_precision_runs_on_gpus() {
    if can_emulate() {
        check_all_on_gpus("half", &["f16", "sort_short_f16", "cast_f32"]);
    }
}

#[test]
fn complex_numbers_run_on_gpus() {
    if can_emulate() {
        check_all_on_gpus("complex", &["complex128", "sum_complex128", "f64"]);
    }
}

#[test]
fn stencil_with_hint_matches_cpus() {
    if !can_emulate() {
        return;
    }
    same_bits("halo", |database| {
        assert_eq!(on_host(database), BTreeSet::new());
        let stores = "SELECT count(*) FROM WEFT_INSTANCE i JOIN WEFT_MEMORY m ON m.id = i.memoryId WHERE m.kind = 'FBMEM'";
        assert!(number(database, stores) > 0);
    });
}

/// Runs the example `oom` on one emulated GPU.
fn oom(way: &[&str], seed: u64, flags: &str) -> Ran {
    Ran::of(&program("oom"), way, 1, seed, flags, |_| ())
}

/// 5 for each element, and 1 more for all but the first and the last.
const SUM: &str = "sum 6291454";

#[test]
fn gpu_out_of_memory_remedies_work() {
    if !can_emulate() {
        return;
    }
    let failed = oom(&[], 1, "--fbmem 25");
    assert_eq!(failed.code, Some(1), "{}", failed.said);
    for part in [
        "Error: add at examples/oom/src/main.rs:",
        "failed: out of memory: 8,388,608 bytes (8.0 MiB) requested from FBMEM for elements 0..1048576 of the array of ",
        "\n    resize: --fbmem 32 or more\n    drop: no pending operation needs the array of ",
        "\n    offload: moving the array of examples/oom/src/main.rs:",
        "\n    spill: --spill would move up to 16 MiB to SYSTEM_MEM automatically",
    ] {
        assert!(failed.said.contains(part), "no `{part}` in {}", failed.said);
    }
    let database = failed.database();
    assert_eq!(number(&database, "SELECT count(*) FROM WEFT_UNMATCHED"), 0);
    // Failed operations and those that needed them have no kernel, but they are recorded.
    let absent =
        "SELECT count(*) FROM WEFT_OPERATION WHERE uid NOT IN (SELECT opUid FROM WEFT_TASK)";
    assert_eq!(number(&database, absent), 0, "operations without a task");
    let failed =
        "SELECT count(*) FROM WEFT_TASK WHERE uid NOT IN (SELECT taskUid FROM WEFT_KERNEL_TASK)";
    assert!(
        number(&database, failed) >= 2,
        "`c + 3` and its sum at least"
    );

    let to_main_memory = BTreeSet::from([channel("FBMEM", "SYSTEM_MEM")]);
    let cases: [(&[&str], &str, bool); 5] = [
        (&[], "--fbmem 33", false),
        (&["drop"], "--fbmem 25", false),
        (&["offload"], "--fbmem 25", true),
        (&[], "--fbmem 25 --spill", true),
        (&["batches"], "--fbmem 4", false),
    ];
    for (way, flags, moves) in cases {
        for seed in 2..4 {
            let run = oom(way, seed, flags);
            assert_eq!(run.code, Some(0), "{way:?} {flags}: {}", run.said);
            assert!(
                run.printed.contains(SUM),
                "{way:?} {flags}: {}",
                run.printed
            );
            let database = run.database();
            check_all_linked(&database);
            let moved = channels(&database);
            let expected = if moves {
                &to_main_memory
            } else {
                &BTreeSet::new()
            };
            assert_eq!(&moved, expected, "{way:?} {flags}");
            let most = "SELECT max(peak) FROM WEFT_MEMORY_USE JOIN WEFT_MEMORY ON id = memoryId WHERE kind = 'FBMEM'";
            let room = "SELECT capacity FROM WEFT_MEMORY WHERE kind = 'FBMEM'";
            assert!(
                number(&database, most) <= number(&database, room),
                "{flags}"
            );
        }
    }
}
