//! Exports that are interrupted, killed, or run out of space keep earlier outputs, and progress
//! bars appear on terminals only.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use support::disk::Disk;
use support::{Background, files, is_ignored, tool, weft, weft_path};
use tempfile::TempDir;

/// Creates a session with enough launches for its export to be interrupted midway.
fn session(folder: &Path) -> PathBuf {
    let path = folder.join("session.sqlite");
    let database = Connection::open(&path).unwrap();
    database
        .execute_batch(
            "PRAGMA journal_mode = OFF;
             CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
             INSERT INTO StringIds VALUES (1, 'kernel'), (2, 'cudaLaunchKernel');
             CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
               globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL);
             CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
               deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000)
             INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 10, i * 10 + 5, (1 << 48) | 1, i, 2 FROM n;
             INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
             SELECT start + 20, start + 27, 0, 7, correlationId, 1 << 48, 1 FROM CUPTI_ACTIVITY_KIND_RUNTIME;",
        )
        .unwrap();
    path
}

/// Exports, and sends `signal` as soon as something has been written next to the output.
fn interrupt(shell: &str, input: &Path, out: &Path, signal: &str) -> ExitStatus {
    let folder = out.parent().unwrap();
    let before = files(folder);
    let mut command = Command::new("sh");
    command.args(["-c", shell]).arg(weft_path());
    command.args(["export", "sqlite", "--force"]).arg(input);
    let mut export = Background::of(command.arg("-o").arg(out));
    let begun = || {
        let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
        let mut sizes = entries.filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let size = entry.metadata().ok()?.len();
            (!before.contains(&name)).then_some(size)
        });
        sizes.any(|size| size > 0)
    };
    while !begun() {
        assert_eq!(export.0.try_wait().unwrap(), None, "it ended too early");
        sleep(Duration::from_millis(1));
    }
    export.signal(signal);
    export.0.wait().unwrap()
}

/// Creates a folder with an earlier output.
fn outputs() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.sqlite");
    fs::write(&out, "what was there before").unwrap();
    (folder, out)
}

const PLAIN: &str = "exec \"$0\" \"$@\"";

#[test]
fn interrupted_export_keeps_the_previous_output() {
    let inputs = tempfile::tempdir().unwrap();
    let input = session(inputs.path());
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        if is_ignored(signal, number) {
            continue;
        }
        let (folder, out) = outputs();
        let status = interrupt(PLAIN, &input, &out, signal);
        assert_eq!(status.signal(), Some(number), "{status}");
        assert_eq!(files(folder.path()), ["out.sqlite"], "{signal}");
        assert_eq!(fs::read(&out).unwrap(), b"what was there before");
    }
}

#[test]
fn killed_export_leaves_no_partial_output() {
    let inputs = tempfile::tempdir().unwrap();
    let input = session(inputs.path());
    let (folder, out) = outputs();
    fs::remove_file(&out).unwrap();
    let status = interrupt(PLAIN, &input, &out, "KILL");
    assert_eq!(status.signal(), Some(9), "{status}");
    assert!(!out.exists());
    // The process cannot clean up after this signal; the remaining file does not look like an
    // output.
    for name in files(folder.path()) {
        assert!(name.starts_with(".weft-"), "{name}");
    }
}

/// Exports in every format, each interrupted by a signal at a random moment. An output is the
/// earlier one or complete, and only a signal that cannot be caught leaves temporary files.
/// `WEFT_TEST_SIGNALS` sets the number.
#[test]
fn random_signals_leave_only_complete_outputs() {
    let signals = std::env::var("WEFT_TEST_SIGNALS").map_or(64, |text| text.parse().unwrap());
    let inputs = tempfile::tempdir().unwrap();
    let input = inputs.path().join("session.sqlite");
    assert_eq!(session(inputs.path()), input);
    Connection::open(&input)
        .unwrap()
        .execute_batch(
            "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId > 20000;
             DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId > 20000;
             VACUUM;",
        )
        .unwrap();
    let formats = ["sqlite", "text", "perfetto"];
    let whole = formats.map(|format| {
        let out = inputs.path().join(format!("whole.{format}"));
        let mut command = weft();
        command.args(["export", format]).arg(&input).arg("-o");
        let start = Instant::now();
        command.arg(&out).assert().success();
        (fs::metadata(&out).unwrap().len(), start.elapsed())
    });
    let names = ["INT", "TERM", "HUP", "KILL"];
    let mut ended_by_signal = 0;
    for number in 0..signals {
        let signal = names[number / formats.len() % names.len()];
        let format = formats[number % formats.len()];
        let (size, length) = whole[number % formats.len()];
        let (folder, out) = outputs();
        let mut command = Command::new(weft_path());
        command.args(["export", format, "--force"]).arg(&input);
        let mut export = Background::of(command.arg("-o").arg(&out));
        let part = RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64;
        sleep(length.mul_f64(part));
        export.signal(signal);
        let status = export.0.wait().unwrap();
        ended_by_signal += u32::from(status.signal().is_some());
        let found = fs::read(&out).unwrap();
        let context = format!("{signal} in {format} after {part} of {length:?}: {status}");
        if status.success() || found != b"what was there before" {
            assert_eq!(found.len() as u64, size, "{context}");
        }
        for name in files(folder.path()) {
            let is_left = signal == "KILL" && name.starts_with('.');
            assert!(name == "out.sqlite" || is_left, "{name}: {context}");
        }
    }
    assert!(ended_by_signal > 0 || signals == 0);
}

#[test]
fn ignored_signals_stay_ignored() {
    let inputs = tempfile::tempdir().unwrap();
    let input = session(inputs.path());
    let (folder, out) = outputs();
    let ignoring = "trap '' HUP; exec \"$0\" \"$@\"";
    let status = interrupt(ignoring, &input, &out, "HUP");
    assert!(status.success(), "{status}");
    assert_eq!(files(folder.path()), ["out.sqlite"]);
    let kernels =
        Connection::open(&out)
            .unwrap()
            .query_row("SELECT count(*) FROM WEFT_KERNEL", [], |row| row.get(0));
    assert_eq!(kernels, Ok(400_000_i64));
}

#[test]
fn full_disk_fails_without_output() {
    let Some(disk) = Disk::mounted(1 << 20) else {
        return;
    };
    let inputs = tempfile::tempdir().unwrap();
    let input = session(inputs.path());
    for format in ["sqlite", "text"] {
        let out = disk.path().join("out");
        let mut command = weft();
        command.args(["export", format]).arg(&input).arg("-o");
        let assert = command.arg(&out).assert().code(1);
        let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert_eq!(text.lines().count(), 1, "{text}");
        let expected = format!("weft: cannot write {}", out.display());
        assert!(text.starts_with(&expected), "{text}");
        assert!(text.ends_with("check the folder, its permissions and the free space\n"));
        assert_eq!(files(disk.path()), Vec::<String>::new(), "{format}");
    }
}

#[test]
fn shows_progress_bars_only_on_terminals() {
    let folder = tempfile::tempdir().unwrap();
    let input = session(folder.path());
    let out = folder.path().join("out.sqlite");
    let commands = [
        vec!["stats", "--by", "kernel"],
        vec!["query", "SELECT count(*) FROM WEFT_KERNEL"],
        vec!["export", "sqlite", "--force", "-o", out.to_str().unwrap()],
    ];
    for arguments in &commands {
        let mut command = weft();
        command
            .args(arguments)
            .arg(&input)
            .assert()
            .success()
            .stderr("");
    }
    // `script` provides a terminal.
    if tool("script").is_none() {
        return;
    }
    for arguments in &commands {
        let quoted: Vec<String> = arguments.iter().map(|text| format!("'{text}'")).collect();
        let line = format!(
            "'{}' {} '{}' >/dev/null",
            weft_path().display(),
            quoted.join(" "),
            input.display()
        );
        let shown = Command::new("script")
            .args(["-q", "-e", "-c", &line, "/dev/null"])
            .stdin(Stdio::null())
            .env("TERM", "xterm")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(shown.status.success(), "{text}");
        assert!(text.contains("reading "), "{text}");
        // The last update removes the line from the terminal.
        let rest = text.rsplit("\u{1b}[2K").next().unwrap();
        assert_eq!(rest.trim(), "", "{text}");
    }
}
