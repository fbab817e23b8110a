//! The example `oom`: the message of a program without enough memory, and its suggestions, which
//! work.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use crate::support;

use std::process::Output;

use support::{Command, program};

/// 5 for each element, and 1 more for all but the first and the last.
const SUM: &str = "sum 6291454";

fn oom(config: &str, way: &[&str], change: impl FnOnce(&mut Command)) -> Output {
    let mut command = Command::new(program("oom"));
    command
        .args(way)
        .env("WEFT_CONFIG", config)
        .env("RUST_BACKTRACE", "0");
    change(&mut command);
    command.output().expect("the program starts")
}

fn on_cpus(flags: &str, way: &[&str]) -> Output {
    oom(&format!("--cpus 1 --gpus 0 {flags}"), way, |_| ())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn assert_runs(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stdout).contains(SUM), "{output:?}");
}

#[test]
fn out_of_memory_error_explains_itself() {
    let output = on_cpus("--sysmem 25", &[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stderr);
    for part in [
        "Error: add at examples/oom/src/main.rs:",
        "failed: out of memory: 8,388,608 bytes (8.0 MiB) requested from SYSTEM_MEM for elements 0..1048576 of the array of ",
        " of its 26,214,400 bytes (25.0 MiB) are in use, ",
        "\n  held by\n    the array of examples/oom/src/main.rs:",
        "8,388,608 bytes (8.0 MiB) with elements 0..1048574, made for fill at examples/oom/src/main.rs:",
        "\n  what would help\n    resize: --sysmem ",
        " or more, enough for all arrays created so far; what the program creates later needs more\n    drop: no pending operation needs the array of ",
        "; dropping it frees 8 MiB\n",
    ] {
        assert!(said.contains(part), "no `{part}` in {said}");
    }
    assert!(
        !said.contains("offload") && !said.contains("spill"),
        "{said}"
    );
}

#[test]
fn suggested_out_of_memory_remedies_work() {
    assert_runs(&on_cpus("--sysmem 33", &[]));
    assert_runs(&on_cpus("--sysmem 25", &["drop"]));
    assert_runs(&on_cpus("--sysmem 25", &["batches"]));
    assert_runs(&on_cpus("--sysmem 4", &["batches"]));
    // A NUMA node's memory comes first, and main memory takes the rest.
    assert_runs(&on_cpus("--sysmem 16 --numamem 20", &[]));
}

#[test]
fn shows_memory_usage_at_the_end() {
    let output = on_cpus("--sysmem 64 --show-memory-usage", &[]);
    assert_runs(&output);
    let said = text(&output.stderr);
    let line = said.lines().find(|line| line.contains("SYSTEM_MEM 0 used"));
    let line = line.unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains(" of 67,108,864 bytes at most ("), "{line}");
}
