//! The files of a run: files of other runs are not removed or replaced without `--force`.
#![allow(clippy::unwrap_used, reason = "a failed helper fails its test")]

use crate::support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::{files, program, weft};
use weft_trace::file::Prof;

/// Files of an earlier run of the name `x`, and unrelated ones.
const EARLIER: [&str; 5] = [
    "x_0.prof",
    "x_7.prof",
    "x_0.nsys-rep",
    "x.sqlite",
    "x.nsys-rep",
];
const OTHERS: [&str; 4] = ["x_a.prof", "weft_0.prof", "x_0.prof.kept", "x_0.sqlite"];

fn folder_with(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        fs::write(folder.path().join(name), "old").unwrap();
    }
    folder
}

/// Checks that all of these files are unchanged.
fn assert_kept(folder: &Path, names: &[&str]) {
    for name in names {
        let text = fs::read(folder.join(name)).unwrap_or_default();
        assert_eq!(text, b"old", "{name}");
    }
}

/// Runs `weft run --profile-name=x` with additional flags and the program. Returns the messages.
fn run_x(folder: &Path, flags: &[&str], program: &Path, arguments: &[&str]) -> String {
    let mut command = weft();
    command
        .current_dir(folder)
        .args(["run", "--profile-name=x"]);
    command.args(flags).arg("--").arg(program).args(arguments);
    let assert = command.assert().success();
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

fn run_id(profile: &Path) -> String {
    Prof::open(profile).unwrap().info().run_id.to_string()
}

const SMALL: [&str; 4] = ["-n", "20", "-i", "2"];

#[test]
fn failed_profile_creation_suggests_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let output = Command::new(program("stencil"))
        .args(["-n", "50", "-i", "1"])
        .env("WEFT_CONFIG", "--profile --logdir file/deep")
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("choose another folder with --logdir"),
        "{said}"
    );
}

#[test]
fn run_without_output_leaves_files_unchanged() {
    let all = [&EARLIER[..], &OTHERS].concat();
    let folder = folder_with(&all);
    let before = files(folder.path());
    run_x(folder.path(), &["--profile"], Path::new("true"), &[]);
    run_x(
        folder.path(),
        &["--profile"],
        &program("stencil"),
        &["--help"],
    );
    // Without a profile the run has no files at all.
    run_x(folder.path(), &[], &program("stencil"), &SMALL);
    assert_eq!(files(folder.path()), before);
    assert_kept(folder.path(), &all);
}

#[test]
fn later_run_uses_a_new_folder() {
    let stencil = program("stencil");
    // Any one of them suffices.
    for name in EARLIER {
        let folder = folder_with(&[name]);
        for number in 1..3 {
            let said = run_x(folder.path(), &["--profile", "--cpus=1"], &stencil, &SMALL);
            let new = format!("weft-run-{number}");
            assert_eq!(
                said,
                format!(
                    "weft: {name} belongs to an earlier run, so the files of this run are in {new}; --force replaces the earlier files\n\
                     weft: the profile is {new}/x_0.prof; next: `weft stats {new}/x_0.prof`, \
                     or `weft export sqlite {new}/x_0.prof -o {new}/x.sqlite`\n"
                )
            );
            assert_eq!(files(&folder.path().join(&new)), ["x_0.prof"]);
        }
        assert_kept(folder.path(), &[name]);
    }
    // Files of other names do not count.
    let folder = folder_with(&OTHERS);
    run_x(folder.path(), &["--profile", "--cpus=1"], &stencil, &SMALL);
    assert!(folder.path().join("x_0.prof").is_file());
    assert_kept(folder.path(), &OTHERS);
}

#[test]
fn force_replaces_only_files_of_the_run() {
    let folder = folder_with(&[&EARLIER[..], &OTHERS].concat());
    let flags = ["--profile", "--cpus=1", "--force"];
    let said = run_x(folder.path(), &flags, &program("stencil"), &SMALL);
    assert!(said.contains("the profile is x_0.prof"), "{said}");
    let mut all = [&EARLIER[..], &OTHERS].concat();
    all.sort_unstable();
    assert_eq!(files(folder.path()), all);
    assert!(Prof::open(&folder.path().join("x_0.prof")).is_ok());
    all.retain(|name| *name != "x_0.prof");
    assert_kept(folder.path(), &all);
}

#[test]
fn force_keeps_files_if_nothing_is_recorded() {
    let all = [&EARLIER[..], &OTHERS].concat();
    let folder = folder_with(&all);
    run_x(
        folder.path(),
        &["--profile", "--force"],
        Path::new("true"),
        &[],
    );
    assert_kept(folder.path(), &all);
}

#[test]
fn rank_output_replaces_no_files() {
    let folder = folder_with(&["x_0.out", "x_3.err"]);
    let said = run_x(
        folder.path(),
        &["--log-to-file"],
        Path::new("echo"),
        &["hi"],
    );
    assert!(said.contains("weft-run-1/x_*.out"), "{said}");
    let new = folder.path().join("weft-run-1");
    assert_eq!(fs::read_to_string(new.join("x_0.out")).unwrap(), "hi\n");
    assert_kept(folder.path(), &["x_0.out", "x_3.err"]);
    run_x(
        folder.path(),
        &["--log-to-file", "--force"],
        Path::new("echo"),
        &["hi"],
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("x_0.out")).unwrap(),
        "hi\n"
    );
}

/// Returns the command of the program itself, without `weft run`.
fn by_itself(folder: &Path, config: &str) -> Command {
    let mut command = Command::new(program("stencil"));
    command.current_dir(folder).env("WEFT_CONFIG", config);
    command
        .args(SMALL)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

#[test]
fn program_without_weft_run_replaces_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let run = |config: &str| {
        let output = by_itself(folder.path(), config).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(run("--cpus 1 --profile"), "");
    let first = run_id(&at("weft_0.prof"));
    let said = run("--cpus 1 --profile");
    assert!(
        said.contains("weft_0.prof belongs to an earlier run, so the profile of this run is weft-run-1/weft_0.prof; --force replaces the earlier one"),
        "{said}"
    );
    assert_eq!(run_id(&at("weft_0.prof")), first);
    let second = run_id(&at("weft-run-1/weft_0.prof"));
    assert_ne!(second, first);
    // A dangling link blocks the name like a file.
    std::os::unix::fs::symlink(at("planted"), at("y_0.prof")).unwrap();
    run("--cpus 1 --profile --profile-name y");
    assert!(!at("planted").exists() && at("weft-run-2/y_0.prof").is_file());

    assert_eq!(run("--cpus 1 --profile --force"), "");
    assert_ne!(run_id(&at("weft_0.prof")), first);
    assert_eq!(run_id(&at("weft-run-1/weft_0.prof")), second);
}

/// Returns the profiles in a folder and its subfolders.
fn profiles(folder: &Path) -> Vec<PathBuf> {
    let below = files(folder).into_iter().map(|name| folder.join(name));
    let folders: Vec<PathBuf> = below.filter(|path| path.is_dir()).collect();
    let folders = [folder.to_owned()].into_iter().chain(folders);
    let profile = folders.map(|folder| folder.join("weft_0.prof"));
    profile.filter(|path| path.is_file()).collect()
}

#[test]
fn concurrent_runs_in_one_folder_have_separate_profiles() {
    const RUNS: usize = 4;
    let folder = tempfile::tempdir().unwrap();
    let mut direct: Vec<_> = (0..RUNS)
        .map(|_| {
            by_itself(folder.path(), "--cpus 1 --profile")
                .spawn()
                .unwrap()
        })
        .collect();
    let mut by_command: Vec<_> = (0..RUNS)
        .map(|_| {
            let mut command = Command::new(support::weft_path());
            command.current_dir(folder.path()).env_remove("WEFT_CONFIG");
            command
                .args(["run", "--cpus=1", "--profile"])
                .arg(program("stencil"))
                .args(SMALL);
            command
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for run in &mut direct {
        assert!(run.wait().unwrap().success());
    }
    let mut named = BTreeSet::new();
    for run in by_command.drain(..) {
        let output = run.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        // Each prints the place of its own profile.
        let path = said
            .split("the profile is ")
            .nth(1)
            .and_then(|rest| rest.split("; next:").next());
        let path = folder.path().join(path.unwrap_or_else(|| panic!("{said}")));
        assert!(path.is_file(), "{said}");
        named.insert(path);
    }
    assert_eq!(named.len(), RUNS, "{named:?}");
    let found = profiles(folder.path());
    let ids: BTreeSet<String> = found.iter().map(|path| run_id(path)).collect();
    assert_eq!((found.len(), ids.len()), (2 * RUNS, 2 * RUNS), "{found:?}");
}

/// `ulimit -v`: the file is mapped for a part of the limit, and a message says so.
#[test]
fn limited_address_space_shrinks_the_profile_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let run = |limit: &str, size: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v {limit}; exec \"$@\""), "sh"]);
        command
            .arg(program("stencil"))
            .args(["-n", size, "-i", "3"]);
        command.current_dir(folder.path()).stdout(Stdio::null());
        command.env("WEFT_CONFIG", "--cpus 2 --sysmem 256 --profile --force");
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        said
    };
    let said = run("4194304", "100");
    assert!(
        said.contains("the profile may grow to 1,073,741,824 bytes (1024.0 MiB), not 4,294,967,296 bytes (4096.0 MiB): "),
        "{said}"
    );
    assert!(said.contains("`ulimit -v`"), "{said}");
    let prof = Prof::open(&folder.path().join("weft_0.prof")).unwrap();
    assert!(prof.records().count() > 100);
    assert_eq!(run("unlimited", "20"), "");
}
