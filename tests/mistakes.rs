//! Messages about a user's mistakes, and ways for a program to handle failures.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use crate::support;

use std::collections::HashMap;
use std::process::Output;

use support::trace::Trace;
use support::{Command, program, repository, runtime_example};

const SOURCE: &str = "runtime/array/examples/mistakes.rs";

/// Returns the line with this name as a comment.
fn line(name: &str) -> usize {
    let source = std::fs::read_to_string(repository().join(SOURCE)).expect("the source");
    let comment = format!("// {name}");
    let mut lines = source.lines();
    let at = lines.position(|line| line.ends_with(&comment));
    at.unwrap_or_else(|| panic!("no line of {SOURCE} ends with {comment}")) + 1
}

fn mistake(name: &str, config: &str) -> Output {
    let mut command = Command::new(runtime_example("mistakes"));
    command
        .arg(name)
        .env("WEFT_CONFIG", config)
        .env("RUST_BACKTRACE", "0");
    command.output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Checks that the program panicked at the line of this name. Returns the message.
fn message_at(name: &str, output: &Output) -> String {
    let text = text(&output.stderr);
    assert_eq!(output.status.code(), Some(101), "{name}: {text}");
    let place = format!("panicked at {SOURCE}:{}:", line(name));
    let (_, after) = text
        .split_once(&place)
        .unwrap_or_else(|| panic!("{name}: no `{place}` in {text}"));
    // The column, then the sentence on its own line.
    let mut lines = after.lines().skip(1);
    lines.next().unwrap_or_default().to_owned()
}

#[test]
fn call_errors_panic_at_the_callers_line() {
    for (name, sentence) in [
        (
            "broadcast",
            "add: shapes [3] and [4, 5] do not broadcast together",
        ),
        (
            "slice",
            "index 5 is out of bounds for axis 0 with 3 elements",
        ),
        (
            "dimensions",
            "axis 1 is out of bounds for an array of 1 dimensions",
        ),
        ("item", "item: [3] has 3 elements, not one"),
        (
            "reshape",
            "reshape: shape [4, 5] has 20 elements, which do not fit shape [3, 7]",
        ),
        ("dot", "dot: shapes [4, 5] and [3] do not match"),
        ("matmul", "matmul: shapes [4, 5] and [4, 5] do not match"),
        (
            "assign",
            "assign: shapes [4, 5] and [3] do not broadcast together",
        ),
        (
            "axis",
            "axis 2 is out of bounds for an array of 2 dimensions",
        ),
        (
            "stretched",
            "fill: cannot write into a broadcast view; copy it first",
        ),
    ] {
        let said = message_at(name, &mistake(name, "--cpus 1"));
        assert_eq!(said, sentence, "{name}");
    }
}

#[test]
fn out_of_memory_error_names_operation_line_and_uid() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let logdir = folder.path().to_str().expect("a path in UTF-8");
    let output = mistake(
        "memory",
        &format!("--cpus 2 --sysmem 4 --profile --logdir {logdir}"),
    );
    assert!(output.status.success(), "{output:?}");
    let text = text(&output.stdout);
    // Explanations of a failure follow it in their own lines, which begin with spaces.
    let text = text.replace("\n  ", "; ");
    let said: HashMap<&str, &str> = text
        .lines()
        .filter_map(|line| line.split_once(": "))
        .collect();
    assert_eq!(said.len(), 5, "{text}");

    // Every read of a dependent value returns the same failure, and so does the end of the run.
    let failure = said["read"];
    assert_eq!(said["later"], failure);
    assert_eq!(said["again"], failure);
    let (facts, sentence) = failure.split_once(": ").expect("a sentence");
    assert_eq!(said["finish"], sentence);
    let facts: Vec<&str> = facts.split(' ').collect();
    let at = line("memory").to_string();
    let (bytes, capacity) = ((8 << 20).to_string(), (4 << 20).to_string());
    let uid = facts[3];
    assert_eq!(
        facts,
        ["failed", "fill", &at, uid, "memory", &bytes, &capacity]
    );
    let start =
        format!("fill at {SOURCE}:{at} (operation {uid}) failed: out of memory: 8,388,608 bytes");
    assert!(sentence.starts_with(&start), "{sentence}");
    assert!(sentence.contains("resize: --sysmem"), "{sentence}");

    // The program continued, and the profile has the operation.
    assert_eq!(said["small"], "100");
    let trace = Trace::read(&folder.path().join("weft_0.prof"));
    let operation = trace
        .operations
        .iter()
        .find(|operation| operation.uid.raw().to_string() == uid)
        .expect("the operation");
    let (file, line) = trace.place(operation.provenance).expect("its line");
    assert_eq!((file, line.to_string()), (SOURCE, at));
    assert_eq!(trace.losses.produced, trace.losses.written);
}

#[test]
fn finished_runtime_refuses_operations() {
    let output = mistake("finished", "--cpus 1");
    let refusal = "this array's runtime has finished; use arrays before `weft::finish()`";
    assert_eq!(message_at("finished", &output), refusal);
    assert_eq!(text(&output.stdout), format!("sum: 10\nread: {refusal}\n"));
}

#[test]
fn invalid_configuration_stops_with_one_sentence() {
    for (config, sentence) in [
        (
            "--cpus 0",
            "--cpus 0: without OMP groups, no processor can run tasks; give at least 1",
        ),
        ("--cpus many", "--cpus many: it is not a whole number; "),
        ("--sysmem=-1", "--sysmem -1: it is negative; "),
        (
            "--cpu 2",
            "--cpu: no flag has this name; did you mean --cpus? ",
        ),
        (
            "--dry-run",
            "--dry-run: is not for WEFT_CONFIG; give it to `weft run`",
        ),
        ("--logdir 'x", "a quote is not closed; "),
        ("stray", "stray: is not a flag; "),
    ] {
        let mut command = Command::new(program("stencil"));
        let assert = command
            .env("WEFT_CONFIG", config)
            .assert()
            .code(1)
            .stdout("");
        let said = text(&assert.get_output().stderr);
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(
            said.starts_with("Error: ") && said.contains(sentence),
            "{said}"
        );

        // If the first array starts the runtime, the message is that of a panic at its line.
        let said = message_at("unstarted", &mistake("unstarted", config));
        assert!(said.contains(sentence), "{said}");
    }
}

#[test]
fn first_array_starts_the_runtime() {
    let output = mistake("unstarted", "--cpus 1");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(text(&output.stdout), "1\n");
}

#[test]
fn out_of_range_numbers_are_rejected_with_their_flag() {
    for (arguments, sentence) in [
        (
            ["stats", "weft_0.prof", "--limit", "-1"],
            "invalid value '-1' for '--limit <ROWS>'",
        ),
        (
            ["query", "SELECT 1", "--row-limit=-1", "weft_0.prof"],
            "invalid value '-1' for '--row-limit <ROWS>'",
        ),
        (
            ["query", "SELECT 1", "--time-limit=-1", "weft_0.prof"],
            "--time-limit -1 is not a duration",
        ),
    ] {
        let output = support::weft()
            .args(arguments)
            .output()
            .expect("weft starts");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(sentence), "{said}");
    }
    let mut stencil = Command::new(program("stencil"));
    let output = stencil.args(["-n", "18446744073709551615"]).output();
    let said = text(&output.expect("the example starts").stderr);
    assert!(
        said.contains("invalid value '18446744073709551615' for '--size <SIZE>'"),
        "{said}"
    );
}
