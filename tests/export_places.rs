//! The outputs of exports: never over an input, through devices and pipes, and without remains if
//! memory or disk is full.
#![allow(clippy::unwrap_used, reason = "a failed helper fails its test")]

use crate::support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use rusqlite::Connection;
use support::example::Run;
use support::weft_path;

#[path = "../common/files/src/test_helpers.rs"]
mod helpers;

use helpers::{make_pipe, names as files, reader};

fn run() -> Run {
    Run::of("stencil", "--cpus=2", &["-n", "40", "-i", "3"])
}

/// Returns a command of a shell that runs `weft` in a folder.
fn shell(folder: &Path, before: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{before} exec \"$@\""), "sh"]);
    command.arg(weft_path()).args(arguments).current_dir(folder);
    command.env_remove("WEFT_CONFIG").output().unwrap()
}

fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn export_never_replaces_its_input() {
    let run = run();
    let folder = run.folder();
    let at = |name: &str| folder.join(name);
    let before = fs::read(at("weft_0.prof")).unwrap();
    fs::hard_link(at("weft_0.prof"), at("hard.prof")).unwrap();
    symlink("weft_0.prof", at("soft.prof")).unwrap();
    fs::create_dir(at("below")).unwrap();
    for out in [
        "weft_0.prof",
        "./below/../weft_0.prof",
        "hard.prof",
        "soft.prof",
    ] {
        for format in ["sqlite", "perfetto", "legion", "text", "nsys-rep"] {
            let output = shell(
                folder,
                "",
                &["export", format, "weft_0.prof", "-o", out, "--force"],
            );
            assert_eq!(output.status.code(), Some(2), "{format} {out}");
            let sentence =
                format!("weft: {out} is the input weft_0.prof; choose another name with -o\n");
            assert_eq!(stderr_text(&output), sentence);
            assert!(
                fs::read(at("weft_0.prof")).unwrap() == before,
                "{format} {out}"
            );
        }
    }
    // A file of one rank that the pattern leads to.
    let output = shell(
        folder,
        "",
        &[
            "export",
            "legion",
            "weft_0.prof",
            "-o",
            "weft_%.prof",
            "--force",
        ],
    );
    assert_eq!(output.status.code(), Some(2), "{}", stderr_text(&output));
    assert!(fs::read(at("weft_0.prof")).unwrap() == before);
    assert!(at("soft.prof").is_symlink());
}

#[test]
fn replaces_symlink_target_and_keeps_the_link() {
    let run = run();
    let folder = run.folder();
    fs::create_dir(folder.join("far")).unwrap();
    fs::write(folder.join("far/out"), "old").unwrap();
    symlink("far/out", folder.join("link")).unwrap();
    let refused = shell(folder, "", &["export", "text", "weft_0.prof", "-o", "link"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr_text(&refused));
    let output = shell(
        folder,
        "",
        &["export", "text", "weft_0.prof", "-o", "link", "--force"],
    );
    assert!(output.status.success(), "{}", stderr_text(&output));
    assert!(folder.join("link").is_symlink());
    assert!(
        fs::read_to_string(folder.join("far/out"))
            .unwrap()
            .contains("stencil")
    );
    assert_eq!(files(&folder.join("far")), ["out"]);
}

#[test]
fn keeps_write_protected_files_despite_force() {
    let run = run();
    let folder = run.folder();
    let out = folder.join("out");
    fs::write(&out, "precious").unwrap();
    let mut rights = out.metadata().unwrap().permissions();
    rights.set_readonly(true);
    fs::set_permissions(&out, rights).unwrap();
    for format in ["text", "sqlite", "perfetto"] {
        let arguments = ["export", format, "weft_0.prof", "-o", "out", "--force"];
        let output = shell(folder, "", &arguments);
        assert_eq!(output.status.code(), Some(1), "{format}");
        let sentence = "weft: cannot write out: the file is write-protected; make it writable, or choose another name with -o\n";
        assert_eq!(stderr_text(&output), sentence, "{format}");
    }
    assert_eq!(fs::read(&out).unwrap(), b"precious");
    assert_eq!(files(folder), ["out", "weft_0.prof"]);
}

#[test]
fn writes_through_devices_and_pipes() {
    let run = run();
    let folder = run.folder();
    let dashes = shell(
        folder,
        "",
        &["export", "text", "weft_0.prof", "--relative", "-o", "-"],
    );
    assert!(dashes.stdout.len() > 1000);
    for force in [None, Some("--force")] {
        let mut arguments = vec![
            "export",
            "text",
            "weft_0.prof",
            "--relative",
            "-o",
            "/dev/stdout",
        ];
        arguments.extend(force);
        let output = shell(folder, "", &arguments);
        assert!(output.status.success(), "{}", stderr_text(&output));
        assert!(output.stdout == dashes.stdout);
        assert!(Path::new("/dev/stdout").is_symlink());
    }
    // A redirected output keeps everything written before and after.
    let script = "{ echo first; \"$0\" export text weft_0.prof --relative -o /dev/stdout --force; echo last; } > file";
    let status = Command::new("sh")
        .args(["-c", script])
        .arg(weft_path())
        .current_dir(folder)
        .status();
    assert!(status.unwrap().success());
    let text = fs::read(folder.join("file")).unwrap();
    assert!(text == [b"first\n", &dashes.stdout[..], b"last\n"].concat());

    // SQLite's output, which it opens by name, through a pipe.
    let pipe = folder.join("pipe");
    make_pipe(&pipe);
    let reader = reader(&pipe);
    let output = shell(
        folder,
        "",
        &["export", "sqlite", "weft_0.prof", "-o", "pipe"],
    );
    assert!(output.status.success(), "{}", stderr_text(&output));
    let copy = folder.join("copy.sqlite");
    fs::write(&copy, reader.join().unwrap()).unwrap();
    let database = Connection::open(&copy).unwrap();
    let tasks: i64 = database
        .query_row("SELECT count(*) FROM WEFT_TASK", [], |row| row.get(0))
        .unwrap();
    assert!(tasks > 0);
    assert!(
        fs::symlink_metadata(folder.join("pipe")).unwrap().len() == 0,
        "it is a pipe still"
    );
    // A reader that stops early is not an error.
    let script = "\"$0\" export text weft_0.prof -o /dev/stdout | head -n 1; exit ${PIPESTATUS[0]}";
    let output = Command::new("bash")
        .args(["-c", script])
        .arg(weft_path())
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr_text(&output));
    assert_eq!(stderr_text(&output), "");
}

#[test]
fn file_size_limit_fails_without_output() {
    let run = run();
    let before = files(run.folder());
    for format in ["text", "sqlite", "perfetto"] {
        let output = shell(
            run.folder(),
            "ulimit -f 8;",
            &["export", format, "weft_0.prof", "-o", "out"],
        );
        assert_eq!(output.status.code(), Some(1), "{format}: {output:?}");
        let text = stderr_text(&output);
        assert!(
            text.starts_with("weft: cannot write out"),
            "{format}: {text}"
        );
        assert_eq!(text.lines().count(), 1, "{text}");
        assert_eq!(files(run.folder()), before, "{format}");
    }
}

#[test]
fn low_memory_fails_without_output() {
    let run = Run::of(
        "stencil",
        "--cpus=2 --min-cpu-chunk=64 --fusion=false",
        &["-n", "200", "-i", "400"],
    );
    let before = files(run.folder());
    let mut refused = 0;
    // From too little to read anything to enough.
    for mib in [40, 60, 80, 100, 120, 140, 160, 200, 260] {
        let limit = format!("ulimit -v {};", mib * 1024);
        let output = shell(
            run.folder(),
            &limit,
            &["export", "sqlite", "weft_0.prof", "-o", "out.sqlite"],
        );
        let text = stderr_text(&output);
        match output.status.code() {
            Some(0) => fs::remove_file(run.folder().join("out.sqlite")).unwrap(),
            Some(1) => {
                refused += 1;
                assert!(
                    text.starts_with("weft: ") && text.contains("ulimit -v"),
                    "{mib}: {text}"
                );
                assert_eq!(text.lines().count(), 1, "{mib}: {text}");
            }
            // Too little for the dynamic linker.
            Some(127) => {}
            other => panic!("{mib} MiB: {other:?}: {text}"),
        }
        assert_eq!(files(run.folder()), before, "{mib}");
    }
    assert!(refused > 0);
}
