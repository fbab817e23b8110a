//! Several ranks by the real `mpirun` of Open MPI and of MPICH.
#![allow(clippy::expect_used, reason = "a failed helper fails its test")]

use crate::support;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use support::mpi::mpiruns;
use support::{Command, files, weft, weft_path};

/// Returns the output of a command with its lines sorted: ranks print in any order.
fn lines(command: &mut Command) -> Vec<String> {
    let assert = command.assert().success();
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    let mut lines: Vec<String> = text.lines().map(Into::into).collect();
    lines.sort();
    lines
}

/// Returns the status and the messages on standard error.
fn ended(command: &mut Command) -> (Option<i32>, String) {
    let output = command.output().expect("the command runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), text)
}

/// The cores that this test may use.
fn cores() -> Vec<usize> {
    weft_config::machine::allowed("self")
}

#[test]
fn ranks_receive_their_numbers_and_environment() {
    let script = "echo $WEFT_RANK $WEFT_LOCAL_RANK ${OMPI_COMM_WORLD_RANK-$PMI_RANK} of \
                  ${OMPI_COMM_WORLD_SIZE-$PMI_SIZE}, $WEFT_CONFIG, $UCX_ODD";
    for mpirun in mpiruns() {
        let mut command = mpirun.weft_run(3);
        command
            .env("UCX_ODD", "a b")
            .args(["--cpus", "2"])
            .args(mpirun.script(script));
        let expected = [0, 1, 2].map(|rank| format!("{rank} {rank} {rank} of 3, --cpus 2, a b"));
        assert_eq!(lines(&mut command), expected, "{mpirun:?}");
    }
}

#[test]
fn ranks_have_disjoint_cores() {
    let all = cores();
    let script = "grep Cpus_allowed_list /proc/self/status";
    for mpirun in mpiruns() {
        let found = lines(mpirun.weft_run(2).args(mpirun.script(script)));
        let list = |line: &String| {
            let (_, list) = line.split_once(':').expect("a field");
            weft_config::list::parse(list.trim()).expect("a list")
        };
        let lists: Vec<Vec<usize>> = found.iter().map(list).collect();
        assert_eq!(lists.len(), 2);
        if all.len() < 2 {
            assert!(lists.iter().all(|list| *list == all));
            continue;
        }
        let together: HashSet<usize> = lists.concat().into_iter().collect();
        assert_eq!(together.len(), lists[0].len() + lists[1].len(), "{lists:?}");
        assert_eq!(together, all.iter().copied().collect(), "{lists:?}");
        // More ranks than cores may use all cores: the operating system schedules them.
        let ranks = all.len() + 1;
        if ranks <= 9 {
            let found = lines(mpirun.weft_run(ranks).args(mpirun.script(script)));
            assert!(found.iter().map(list).all(|list| list == all), "{found:?}");
        }
    }
}

#[test]
fn binds_each_rank_by_list() {
    let all = cores();
    let (first, last) = (all[0], all[all.len() - 1]);
    let script = "echo $WEFT_RANK $(grep Cpus_allowed_list /proc/self/status) $CUDA_VISIBLE_DEVICES $UCX_NET_DEVICES";
    for mpirun in mpiruns() {
        let mut command = mpirun.weft_run(2);
        command.args(["--cpu-bind", &format!("{last}/{first}")]);
        command.args(["--gpu-bind=0,1/2", "--nic-bind=eth0/eth1,eth2"]);
        command.args(mpirun.script(script));
        let expected = [
            format!("0 Cpus_allowed_list: {last} 0,1 eth0"),
            format!("1 Cpus_allowed_list: {first} 2 eth1,eth2"),
        ];
        assert_eq!(lines(&mut command), expected, "{mpirun:?}");
    }
}

#[test]
fn binds_memory_to_numa_nodes() {
    if !fs::exists("/proc/self/numa_maps").unwrap_or(false) {
        eprintln!("skipped: this machine has no NUMA nodes to bind to");
        return;
    }
    let mut command = weft();
    // `cat` itself: a shell would read the file before it becomes the program in question.
    let output = command
        .args(["run", "--mem-bind", "0", "cat", "/proc/self/numa_maps"])
        .output()
        .expect("weft runs");
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("Operation not permitted") {
        eprintln!("skipped: this container may not bind memory");
        return;
    }
    assert!(output.status.success(), "{said}");
    let maps = String::from_utf8_lossy(&output.stdout);
    assert!(maps.lines().all(|line| line.contains(" bind:0")), "{maps}");
    assert!(maps.lines().count() > 3, "{maps}");
}

#[test]
fn writes_rank_output_to_files() {
    for mpirun in mpiruns() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let logdir = dir.path().join("a b");
        fs::create_dir(&logdir).expect("a folder");
        // Files of an earlier run with more ranks, and an unrelated file: both stay, and this run
        // gets its own folder.
        for name in ["x_7.out", "x_0.prof"] {
            fs::write(logdir.join(name), "old").expect("a file");
        }
        let mut command = mpirun.weft_run(2);
        let assert = command
            .current_dir(dir.path())
            .args(["--log-to-file", "--logdir=a b", "--profile-name=x"])
            .args(mpirun.script("echo out $WEFT_RANK; echo err $WEFT_RANK >&2"))
            .assert();
        assert
            .success()
            .stdout("")
            .stderr("weft: the output of each rank is in 'a b/weft-run-1'/x_*.out and 'a b/weft-run-1'/x_*.err\n");
        assert_eq!(
            files(&logdir),
            ["weft-run-1", "x_0.prof", "x_7.out"],
            "{mpirun:?}"
        );
        let logdir = logdir.join("weft-run-1");
        let names = ["x_0.err", "x_0.out", "x_1.err", "x_1.out"];
        assert_eq!(files(&logdir), names, "{mpirun:?}");
        for rank in [0, 1] {
            for stream in ["out", "err"] {
                let text = fs::read_to_string(logdir.join(format!("x_{rank}.{stream}")));
                assert_eq!(text.ok(), Some(format!("{stream} {rank}\n")));
            }
        }
    }
}

#[test]
fn single_rank_without_launcher_behaves_alike() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut command = weft();
    command
        .current_dir(dir.path())
        .args(["run", "--log-to-file", "--gpu-bind=3", "sh", "-c"])
        .arg("echo $WEFT_RANK $CUDA_VISIBLE_DEVICES; exit 4")
        .assert()
        .code(4)
        .stdout("")
        .stderr("weft: the output of each rank is in weft_*.out and weft_*.err\n");
    let text = fs::read_to_string(dir.path().join("weft_0.out"));
    assert_eq!(text.ok().as_deref(), Some("0 3\n"));
}

#[test]
fn substitutes_the_rank_in_wrappers() {
    for mpirun in mpiruns() {
        let mut command = mpirun.weft_run(2);
        command.args([
            "--wrapper=env A=%%WEFT_RANK%%",
            "--wrapper-inner",
            "env B=b%%WEFT_RANK%%",
        ]);
        command.args(mpirun.script("echo $A $B %%WEFT_RANK%%"));
        let expected = ["0 b0 %%WEFT_RANK%%", "1 b1 %%WEFT_RANK%%"];
        assert_eq!(lines(&mut command), expected, "{mpirun:?}");
    }
    let wrapper = ["run", "--wrapper=echo %%WEFT_RANK%%", "prog-%%WEFT_RANK%%"];
    // The program is checked before anything starts.
    let (code, said) = ended(weft().args(wrapper));
    assert_eq!(code, Some(1), "{said}");
    let mut command = weft();
    command.args(["run", "--wrapper=echo %%WEFT_RANK%%", "true"]);
    command.assert().success().stdout("0 true\n");
}

#[test]
fn dying_rank_ends_the_run() {
    for mpirun in mpiruns() {
        let by_signal = (137, "137 (signal 9)");
        for (end, (code, shown)) in [("exit 3", (3, "3")), ("kill -9 $$", by_signal)] {
            let dir = tempfile::tempdir().expect("a temporary folder");
            // Long enough for any signal to reach the ranks, and short enough if none does.
            let script = format!("if [ $WEFT_RANK = 1 ]; then {end}; fi; sleep 60; touch survived");
            let mut command = mpirun.weft_run(2);
            command.current_dir(dir.path()).args(mpirun.script(&script));
            let (status, said) = ended(&mut command);
            assert_eq!(status, Some(code), "{mpirun:?}: {said}");
            let last = format!(
                "weft: {} ended with status {shown} and ended the ranks; its messages are above",
                mpirun.path.display()
            );
            assert_eq!(said.lines().last(), Some(last.as_str()), "{said}");
            assert_eq!(files(dir.path()), Vec::<String>::new(), "{mpirun:?}");
        }
    }
}

#[test]
fn unbindable_rank_ends_the_run() {
    let first = cores()[0];
    for mpirun in mpiruns() {
        let mut command = mpirun.weft_run(2);
        command.args(["--cpu-bind", &format!("{first}/{first},1023"), "sh", "-c"]);
        command.arg("sleep 60; echo survived");
        let output = command.output().expect("weft runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert_eq!(output.stdout, b"", "{mpirun:?}");
        let start = format!(
            "weft: rank 1: the process cannot be bound to hardware threads {first},1023 of this machine: \
             only {first} of them exist; "
        );
        assert!(said.contains(&start), "{said}");
    }
}

#[test]
fn timing_prints_start_and_end() {
    let (code, said) = ended(weft().args(["run", "--timing", "true"]));
    assert_eq!(code, Some(0));
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].starts_with("weft: start 20") && said[0].ends_with('Z'),
        "{said:?}"
    );
    assert!(
        said[1].starts_with("weft: end 20") && said[1].ends_with(" s"),
        "{said:?}"
    );
}

#[test]
fn weft_run_within_a_launch_joins_it() {
    for mpirun in mpiruns() {
        let mut command = mpirun.by_hand(2);
        command
            .arg(weft_path())
            .args(["run", "--launcher=none", "--cpus=1"]);
        command.args(mpirun.script("echo $WEFT_RANK $WEFT_CONFIG"));
        assert_eq!(
            lines(&mut command),
            ["0 --cpus 1", "1 --cpus 1"],
            "{mpirun:?}"
        );

        let mut command = mpirun.by_hand(2);
        command
            .arg(weft_path())
            .args(["run", "--ranks-per-node=3", "echo", "ran"]);
        let output = command.output().expect("mpirun runs");
        let said = String::from_utf8_lossy(&output.stderr);
        let by = if mpirun.make == "openmpi" {
            "Open MPI"
        } else {
            "MPICH"
        };
        let sentence = format!(
            "of 2, started by {by}, with 2 on this node; omit these flags, or start that many ranks with the launcher"
        );
        assert!(
            said.contains("weft: --ranks-per-node 3: this process is rank "),
            "{said}"
        );
        assert!(said.contains(&sentence), "{said}");
        assert_eq!(output.stdout, b"");
        assert_eq!(output.status.code(), Some(2), "{said}");
    }
}

#[test]
fn signals_reach_the_ranks() {
    for mpirun in mpiruns() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let folder = dir.path().to_str().expect("a name in UTF-8");
        let path = mpirun.path.to_str().expect("a name in UTF-8");
        let script = "trap ': >$0/ended_$WEFT_RANK; exit 0' TERM; echo $$ >$0/ready_$WEFT_RANK; \
                      while :; do sleep 1 & wait; done";
        let mut run = support::Background::weft(&[
            "run",
            "--launcher",
            path,
            "--ranks-per-node=2",
            "sh",
            "-c",
            script,
            folder,
        ]);
        while files(dir.path()).len() < 2 {
            assert_eq!(run.0.try_wait().expect("a child"), None, "{mpirun:?} ended");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        run.signal("TERM");
        run.0.wait().expect("it ends");
        // A launcher waits only briefly before it kills running ranks.
        let found = files(dir.path());
        assert!(
            found.iter().any(|name| name.starts_with("ended_")),
            "{mpirun:?}: {found:?}"
        );
        for rank in [0, 1] {
            let pid = fs::read_to_string(dir.path().join(format!("ready_{rank}")));
            let process = Path::new("/proc").join(pid.expect("a file").trim());
            while process.exists() {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
    }
}

/// Launchers have their own status for interrupts.
#[test]
fn interrupted_run_ends_by_the_signal() {
    if support::is_ignored("INT", 2) {
        return;
    }
    for mpirun in mpiruns() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let folder = dir.path().to_str().expect("a name in UTF-8");
        let path = mpirun.path.to_str().expect("a name in UTF-8");
        let script = "echo $$ >$0/ready_$WEFT_RANK; exec sleep 60";
        let mut run = support::Background::weft(&[
            "run",
            "--launcher",
            path,
            "--ranks-per-node=2",
            "sh",
            "-c",
            script,
            folder,
        ]);
        while files(dir.path()).len() < 2 {
            assert_eq!(run.0.try_wait().expect("a child"), None, "{mpirun:?} ended");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        run.signal("INT");
        let status = run.0.wait().expect("it ends");
        assert_eq!(status.code(), Some(130), "{mpirun:?}");
    }
}

/// The check precedes the opening of files: a profile would replace that of the intended rank.
#[test]
fn program_without_mpi_fails_among_other_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = std::process::Command::new(support::program("stencil"))
        .current_dir(folder.path())
        .env("WEFT_CONFIG", "--profile")
        .envs([("OMPI_COMM_WORLD_SIZE", "2"), ("OMPI_COMM_WORLD_RANK", "1")])
        .envs([
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "2"),
            ("OMPI_COMM_WORLD_LOCAL_RANK", "1"),
        ])
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(
        said.contains("rank 1 of 2") && said.contains("built without MPI"),
        "{said}"
    );
    assert!(said.contains("--features weft/mpi"), "{said}");
    assert_eq!(files(folder.path()), Vec::<String>::new());
}
