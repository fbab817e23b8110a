//! Files of several ranks: joined files, and ranks without files.
#![allow(clippy::unwrap_used, reason = "a failed helper fails its test")]

use crate::support;
use std::cell::RefCell;

use std::fs;
use std::path::Path;

use support::example::{Run, number, open};
use support::mpi::mpiruns;
use support::rewrite::rewrite_as;
use support::{files, ranks_under_nsys, tool, weft, weft_path};
use weft_trace::file::{Prof, RunInfo, WriterOptions};
use weft_trace::id::Rank;

const RUN: &str = "000102030405060708090a0b0c0d0e0f";

/// Creates profiles of `ranks` ranks of one run, `0.prof` and so on: a real one, and copies of it
/// with the identities of the others.
fn profiles(folder: &Path, ranks: u16) {
    let run = Run::of(
        "stencil",
        &format!("--cpus 1 --run-id {RUN}"),
        &["-n", "30", "-i", "2"],
    );
    let prof = Prof::open(&run.prof()).unwrap();
    for rank in 0..ranks {
        let info = RunInfo {
            rank: Rank::new(rank).unwrap(),
            ranks,
            ..prof.info().clone()
        };
        let to = folder.join(format!("{rank}.prof"));
        rewrite_as(&prof, &info, &to, WriterOptions::default(), |records| {
            records
        });
    }
}

#[test]
fn joins_profiles_of_all_ranks() {
    for mpirun in mpiruns() {
        let dir = tempfile::tempdir().unwrap();
        profiles(dir.path(), 2);
        let mut command = mpirun.weft_run(2);
        command
            .current_dir(dir.path())
            .args(["--profile", "--logdir=l", "--run-id", RUN]);
        let assert = command
            .args(mpirun.script("cp $WEFT_RANK.prof l/weft_$WEFT_RANK.prof"))
            .assert();
        assert.success().stderr(
            "weft: the profiles of 2 ranks are joined in l/weft.sqlite; next: `weft stats l/weft.sqlite`\n",
        );
        let logdir = dir.path().join("l");
        assert_eq!(
            files(&logdir),
            ["weft.sqlite", "weft_0.prof", "weft_1.prof"]
        );
        let database = open(&logdir.join("weft.sqlite"));
        assert_eq!(number(&database, "SELECT count(*) FROM WEFT_SOURCE"), 2);
        let tasks = |rank: u16| {
            number(
                &database,
                &format!(
                    "SELECT count(*) FROM WEFT_TASK WHERE sourceId = (SELECT id FROM WEFT_SOURCE WHERE rank = {rank})"
                ),
            )
        };
        assert!(tasks(0) > 0 && tasks(0) == tasks(1));
    }
}

#[test]
fn names_ranks_without_profiles() {
    for mpirun in mpiruns() {
        let dir = tempfile::tempdir().unwrap();
        profiles(dir.path(), 3);
        // A file of an earlier run with more ranks.
        fs::create_dir(dir.path().join("l")).unwrap();
        fs::write(dir.path().join("l/weft_5.prof"), "old").unwrap();
        for (end, code) in [("exit 0", 3), ("exit 7", 7)] {
            // The others have finished before the one without a profile ends.
            let script = format!(
                "if [ $WEFT_RANK = 1 ]; then while ! [ -e l/0.done -a -e l/2.done ]; do sleep 0.02; done; {end}; fi; \
                 cp $WEFT_RANK.prof l/weft_$WEFT_RANK.prof; touch l/$WEFT_RANK.done"
            );
            let mut command = mpirun.weft_run(3);
            command.current_dir(dir.path()).args([
                "--profile",
                "--force",
                "--logdir=l",
                "--run-id",
                RUN,
            ]);
            let output = command.args(mpirun.script(&script)).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{mpirun:?} {end}: {said}");
            let mut lines = said.lines().rev();
            assert_eq!(
                lines.next(),
                Some(
                    "weft: the profiles of 2 ranks are joined in l/weft.sqlite; next: `weft stats l/weft.sqlite`"
                ),
                "{said}"
            );
            assert_eq!(
                lines.next(),
                Some("weft: ranks 0,2 of 3 wrote a profile, but rank 1 did not"),
                "{said}"
            );
            for rank in [0, 2] {
                fs::remove_file(dir.path().join(format!("l/{rank}.done"))).unwrap();
            }
        }
        assert_eq!(
            files(&dir.path().join("l")),
            ["weft.sqlite", "weft_0.prof", "weft_2.prof", "weft_5.prof"]
        );
        // The file of the earlier run is neither joined nor removed.
        assert_eq!(fs::read(dir.path().join("l/weft_5.prof")).unwrap(), b"old");
    }
}

#[test]
fn ranks_of_a_foreign_launch_keep_all_profiles() {
    for mpirun in mpiruns() {
        let dir = tempfile::tempdir().unwrap();
        profiles(dir.path(), 2);
        fs::create_dir(dir.path().join("l")).unwrap();
        for name in ["weft_0.prof", "weft_9.prof", "weft.sqlite"] {
            fs::write(dir.path().join("l").join(name), "old").unwrap();
        }
        // Each waits for the other's complete file, so that both exist when either ends.
        let script = "cp $WEFT_RANK.prof l/$WEFT_RANK.tmp; mv l/$WEFT_RANK.tmp l/weft_$WEFT_RANK.prof; touch $WEFT_RANK.done; \
                      until [ -e 0.done -a -e 1.done ]; do sleep 0.02; done";
        let mut command = mpirun.by_hand(2);
        command.current_dir(dir.path()).arg(weft_path());
        command
            .args(["run", "--profile", "--force", "--logdir=l"])
            .args(mpirun.script(script));
        let assert = command.assert().success();
        let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        let told = "weft: each of the 2 ranks writes a profile; when all have ended, run `weft stats l/weft_*.prof`";
        assert_eq!(
            said.lines().filter(|line| *line == told).count(),
            1,
            "{said}"
        );
        assert_eq!(
            files(&dir.path().join("l")),
            ["weft.sqlite", "weft_0.prof", "weft_1.prof", "weft_9.prof"]
        );
        for kept in ["weft.sqlite", "weft_9.prof"] {
            assert_eq!(fs::read(dir.path().join("l").join(kept)).unwrap(), b"old");
        }
        // They agree on a run id themselves.
        let mut command = mpirun.by_hand(2);
        command.current_dir(dir.path()).arg(weft_path());
        command.args([
            "run",
            "--profile",
            "--logdir=l",
            "sh",
            "-c",
            "echo \"$WEFT_CONFIG\"",
        ]);
        let assert = command.assert().success();
        let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
        assert!(
            text.contains("--profile") && !text.contains("--run-id"),
            "{text}"
        );
    }
}

#[test]
fn every_rank_gets_an_nsys_report() {
    if tool("nsys").is_none() {
        return;
    }
    for mpirun in mpiruns() {
        // A folder for each try: files of a run that hangs belong to an earlier run.
        let folders = RefCell::new(Vec::new());
        let assert = ranks_under_nsys(2, || {
            let folder = tempfile::tempdir().unwrap();
            let mut command = mpirun.weft_run(2);
            command
                .current_dir(folder.path())
                .args(["--nsys", "--gpus=0", "--logdir=50% off"]);
            command.args(mpirun.script("echo $WEFT_RANK"));
            folders.borrow_mut().push(folder);
            command
        });
        let output = assert.get_output();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said}");
        let dir = folders.take().pop().unwrap();
        let found = files(&dir.path().join("50% off"));
        assert_eq!(
            found,
            ["weft.sqlite", "weft_0.nsys-rep", "weft_1.nsys-rep"],
            "{said}"
        );
    }
}

#[test]
fn show_progress_prints_source_lines() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = weft();
    let assert = command
        .current_dir(dir.path())
        .args(["run", "--show-progress", "--cpus=1", "--fusion=false"])
        .arg(support::program("stencil"))
        .args(["-n", "40", "-i", "1"])
        .assert()
        .success();
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    let tasks = said.lines().filter(|line| line.contains(" task debug: "));
    let with_lines =
        tasks.filter(|line| line.contains("stencil/src/") && line.ends_with(" starts"));
    assert!(with_lines.count() > 3, "{said}");
}
