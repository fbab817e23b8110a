//! `weft run` and the program it runs: status, signals, files.

use crate::support;

use std::fs;
use std::io::{BufRead, BufReader};

use support::{Background, files, is_ignored, weft};

#[test]
fn passes_on_the_exit_status() {
    for (script, status) in [
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -9 $$", 137),
        ("kill -TERM $$", 143),
    ] {
        weft()
            .args(["run", "sh", "-c", script])
            .assert()
            .code(status);
    }
}

#[test]
fn passes_through_input_and_output() {
    let mut command = weft();
    let assert = command.args(["run", "cat"]).write_stdin("text").assert();
    assert.success().stdout("text").stderr("");
}

#[test]
fn names_missing_programs() {
    let mut command = weft();
    command
        .args(["run", "no-such-program-anywhere"])
        .assert()
        .code(1)
        .stderr("weft: the program no-such-program-anywhere was not found; give its path, or add its folder to PATH\n");
    let mut command = weft();
    command
        .args(["run", "./Cargo.toml"])
        .assert()
        .code(1)
        .stderr("weft: the program ./Cargo.toml was not found; check the path and that the file is executable\n");
    for folder in [".", "src/"] {
        let mut command = weft();
        let message = format!(
            "weft: {folder} is a folder, not a program; name the program's file, as in `weft run -- target/release/stencil`\n"
        );
        let folder = ["run", "--", folder];
        command.args(folder).assert().code(1).stderr(message);
    }
}

#[test]
fn reports_profiles_of_failed_programs() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = weft();
    let assert = command
        .current_dir(dir.path())
        .env("RUST_BACKTRACE", "0")
        .args(["run", "--profile", "--cpus=1", "--sysmem=1"])
        .arg(support::program("stencil"))
        .args(["-n", "1000", "-i", "1"])
        .assert()
        .code(101);
    let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    let last = text.lines().last().unwrap_or_default();
    assert!(
        last.starts_with(
            "weft: the profile is weft_0.prof, of what ran until the program ended with status 101; next: "
        ),
        "{text}"
    );
    let stats = weft()
        .arg("stats")
        .arg(dir.path().join("weft_0.prof"))
        .assert()
        .success();
    let text = String::from_utf8_lossy(&stats.get_output().stderr).into_owned();
    assert!(
        text.contains("ran no kernel, because their operation failed")
            && text.contains("the first is fill at "),
        "{text}"
    );
}

#[test]
fn signals_reach_the_program() {
    for (signal, number, status) in [("TERM", 15, 43), ("INT", 2, 42), ("HUP", 1, 41)] {
        // A shell cannot set a trap for it then.
        if is_ignored(signal, number) {
            continue;
        }
        let script = "trap 'exit 43' TERM; trap 'exit 42' INT; trap 'exit 41' HUP; echo ready; \
                      while :; do sleep 0.05; done";
        let mut weft = Background::weft(&["run", "sh", "-c", script]);
        let mut line = String::new();
        let output = weft.0.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        weft.signal(signal);
        assert_eq!(weft.0.wait().unwrap().code(), Some(status), "{signal}");
    }
}

#[test]
fn creates_the_folder_or_fails_before_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = weft();
    command
        .current_dir(dir.path())
        .args(["run", "--profile", "--logdir", "a b/c", "true"])
        .assert()
        .success()
        .stderr(
            "weft: true wrote no profile; unless a message above says why, check that it uses Weft arrays\n",
        );
    let mut command = weft();
    command
        .current_dir(dir.path())
        .args(["run", "--profile", "--logdir", "a b/c", "false"])
        .assert()
        .code(1)
        .stderr("weft: false ended with status 1 and wrote no profile\n");
    assert!(dir.path().join("a b/c").is_dir());

    fs::write(dir.path().join("file"), "").unwrap();
    let mut command = weft();
    let assert = command
        .current_dir(dir.path())
        .args(["run", "--profile", "--logdir", "file/x", "echo", "ran"])
        .assert();
    let output = assert.code(1).stdout("").get_output().stderr.clone();
    let text = String::from_utf8(output).unwrap();
    assert!(
        text.starts_with("weft: cannot create the folder "),
        "{text}"
    );
    assert!(text.contains("choose another --logdir"), "{text}");
}

#[test]
fn writes_a_profile_and_suggests_next_commands() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = weft();
    let assert = command
        .current_dir(dir.path())
        .args(["run", "--profile", "--cpus=2", "--logdir=a b"])
        .arg(support::program("stencil"))
        .args(["-n", "40", "-i", "3", "--check"])
        .assert();
    assert.success().stderr(
        "weft: the profile is 'a b/weft_0.prof'; next: `weft stats 'a b/weft_0.prof'`, \
         or `weft export sqlite 'a b/weft_0.prof' -o 'a b/weft.sqlite'`\n",
    );
    assert_eq!(files(&dir.path().join("a b")), ["weft_0.prof"]);
    let mut command = weft();
    let question = "SELECT count(*) > 0 FROM WEFT_TASK JOIN WEFT_PROVENANCE p ON p.id = provenanceId \
                    WHERE p.file LIKE '%stencil%'";
    let output = command
        .current_dir(dir.path())
        .args(["query", question, "a b/weft_0.prof"])
        .assert()
        .success();
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert_eq!(text.lines().last(), Some("1"), "{text}");
}
