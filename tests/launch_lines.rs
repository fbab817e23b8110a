//! The command lines of every launcher, and flags for ranks that are rejected. Nothing is started
//! here: `srun` and `jsrun` are not on every machine, and their lines are all that can be checked.
#![allow(clippy::unwrap_used, reason = "a failed helper fails its test")]

use crate::support;

use std::os::unix::fs::symlink;
use std::path::Path;

use support::mpi::mpiruns;
use support::{weft, weft_path};

/// The lines of a dry run in an empty environment with these flags; `mpirun` is the given one, if
/// any.
fn dry_run(mpirun: Option<&Path>, flags: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    if let Some(mpirun) = mpirun {
        symlink(mpirun, folder.path().join("mpirun")).unwrap();
    }
    let assert = weft()
        .env_clear()
        .env("PATH", folder.path())
        .env("LD_LIBRARY_PATH", "/x")
        .env("HOME", "/home")
        .args(["run", "--dry-run"])
        .args(shell_words::split(flags).unwrap())
        .args(["prog", "-n", "4"])
        .assert();
    let text = String::from_utf8(assert.success().get_output().stdout.clone()).unwrap();
    text.replace(weft_path().to_str().unwrap(), "<weft>")
        // Only root needs it, for Open MPI.
        .replace(" --allow-run-as-root", "")
}

#[test]
fn shows_mpirun_command_lines() {
    let flags = "--nodes 2 --ranks-per-node 2 --launcher mpirun --cpus 3 --cpu-bind 0-3/4-7 --gpu-bind 0,1/2,3 \
                 --launcher-extra '--host a:2,b:2' --launcher-extra=--verbose";
    for mpirun in mpiruns() {
        let line = match mpirun.make {
            "openmpi" => {
                "mpirun -n 4 --map-by ppr:2:node:OVERSUBSCRIBE --bind-to none -x LD_LIBRARY_PATH -x PATH -x WEFT_CONFIG"
            }
            _ => "mpirun -n 4 -ppn 2 -bind-to none -genvall",
        };
        assert_eq!(
            dry_run(Some(&mpirun.path), flags),
            format!(
                "WEFT_CONFIG='--cpus 3' \\\n\
                 {line} --host a:2,b:2 --verbose <weft> bind --cpus 0-3/4-7 --gpus 0,1/2,3 -- prog -n 4\n"
            )
        );
    }
}

#[test]
fn shows_srun_and_jsrun_command_lines() {
    let flags =
        "--nodes 2 --ranks-per-node 2 --cpu-bind 0-3/4-7 --mem-bind 0/1 --launcher-extra='-p gpu'";
    let step = "<weft> bind --cpus 0-3/4-7 --mems 0/1 -- prog -n 4\n";
    assert_eq!(
        dry_run(None, &format!("--launcher srun {flags}")),
        format!(
            "srun -N 2 -n 4 --ntasks-per-node 2 --kill-on-bad-exit=1 --export=ALL --cpu-bind=none --mem-bind=none -p gpu {step}"
        )
    );
    assert_eq!(
        dry_run(None, &format!("--launcher jsrun {flags}")),
        format!("jsrun -n 2 -r 1 -a 2 -c ALL_CPUS -g ALL_GPUS -b none -X 1 -p gpu {step}")
    );
    assert_eq!(
        dry_run(None, "--launcher srun --gdb"),
        "srun -N 1 -n 1 --ntasks-per-node 1 --kill-on-bad-exit=1 --export=ALL --pty <weft> bind -- gdb --args prog -n 4\n"
    );
}

#[test]
fn wrappers_follow_legate_order() {
    let all = "--wrapper 'a 1' --wrapper=b --cuda-gdb --memcheck --valgrind --wrapper-inner c";
    assert_eq!(
        dry_run(None, all),
        "a 1 b cuda-gdb --args compute-sanitizer valgrind c prog -n 4\n"
    );
    let several = "--launcher srun --ranks-per-node 2 --nsys --gpus 0 --logdir '/50% x' --wrapper a --memcheck --wrapper-inner c \
                   --run-id=000102030405060708090a0b0c0d0e0f --log-to-file";
    assert_eq!(
        dry_run(None, several),
        "WEFT_CONFIG='--gpus 0 --nsys --run-id 000102030405060708090a0b0c0d0e0f --logdir '\\''/50% x'\\''' \\\n\
         srun -N 1 -n 2 --ntasks-per-node 2 --kill-on-bad-exit=1 --export=ALL <weft> bind --logs '/50% x/weft' --session -- \
         a nsys profile --trace=nvtx,osrt --sample=none --cpuctxsw=none --force-overwrite=true \
         --output '/50%% x/weft_%q{WEFT_RANK}' compute-sanitizer c prog -n 4\n"
    );
}

#[test]
fn verbose_shows_and_runs_the_command_line() {
    for mpirun in mpiruns() {
        let mut command = mpirun.weft_run(1);
        let output = command.args(["--verbose", "echo", "ran"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let start = format!("{} -n 1 ", mpirun.path.display());
        assert!(said.starts_with(&start), "{said}");
        assert!(said.trim_end().ends_with(" bind -- echo ran"), "{said}");
        assert_eq!(output.stdout, b"ran\n");
    }
}

#[test]
fn show_config_prints_the_plan_of_one_rank() {
    let text = |ranks: &str| dry_run(None, &format!("--launcher srun --show-config {ranks}"));
    let value = |text: &str, name: &str| -> u64 {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(&format!("- {name} = ")));
        let digits: String = line.unwrap().chars().take_while(|c| *c != ' ').collect();
        digits.replace(',', "").parse().unwrap()
    };
    let (one, four) = (text(""), text("--ranks-per-node 4"));
    assert_eq!(value(&four, "cpus"), value(&one, "cpus").div_ceil(4));
    // The machine's free memory varies a little from one moment to the next.
    let (all, quarter) = (value(&one, "sysmem"), value(&four, "sysmem"));
    assert!(quarter < all / 2 && quarter > all / 8, "{quarter} of {all}");
}

#[test]
fn launch_errors_are_one_sentence() {
    let fake = tempfile::tempdir().unwrap();
    let odd = fake.path().join("mpirun");
    std::fs::write(&odd, "#!/bin/sh\necho Odd MPI 1.0\n").unwrap();
    std::fs::set_permissions(&odd, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let odd = odd.to_str().unwrap();
    let odd_flags = ["--ranks-per-node=2", "--launcher", odd];
    let cases: &[(&[&str], i32, &str)] = &[
        (
            &["--launcher", "dask"],
            2,
            "--launcher dask: it is not a launcher; give mpirun, srun, jsrun, none, or the path of an mpirun",
        ),
        (
            &[
                "--launcher",
                "srun",
                "--ranks-per-node",
                "3",
                "--cpu-bind",
                "0/1",
            ],
            2,
            "--cpu-bind 0/1 has lists for 2 ranks, but a node has 3; give one list for each rank of a node, separated by slashes",
        ),
        (
            &["--cpu-bind", "0-x"],
            2,
            "--cpu-bind 0-x: \"0-x\" is not a list of numbers; give numbers for each rank of a node, as in 0-3,8/4-7,9 for two",
        ),
        (
            &["--gpu-bind", "0//1"],
            2,
            "--gpu-bind 0//1: the list of the node's rank 1 is empty; give names for each rank of a node, as in a,b/c,d for two",
        ),
        (
            &["--ranks-per-node", "0"],
            2,
            "--ranks-per-node 0: it is too small; give a whole number from 1 to 32767",
        ),
        (
            &["--ranks-per-node=2", "--launcher=none"],
            2,
            "--ranks-per-node 2 with --launcher none: no launcher has started this process as a rank; \
             give --launcher mpirun, srun or jsrun, or have one of them start `weft run` itself",
        ),
        (
            &["--ranks-per-node=2", "--launcher=srun", "--gdb"],
            2,
            "--gdb: 2 ranks would share one terminal; run one rank, or open a window for each with --wrapper 'xterm -e gdb --args'",
        ),
        (
            &["--gdb", "--cuda-gdb"],
            2,
            "--gdb and --cuda-gdb exclude each other; use only one: cuda-gdb does all that gdb does",
        ),
        (
            &["--ranks-per-node=2", "--launcher=/no/mpirun"],
            1,
            "the launcher /no/mpirun was not found; install Open MPI or MPICH (Debian: packages openmpi-bin, mpich), or give its path",
        ),
        (
            &["--wrapper", "no-such-wrapper -x"],
            1,
            "--wrapper no-such-wrapper: the program was not found; give its path, or add its folder to PATH",
        ),
    ];
    for (flags, status, sentence) in cases {
        let mut command = weft();
        let assert = command
            .arg("run")
            .args(*flags)
            .args(["echo", "ran"])
            .assert();
        assert
            .code(*status)
            .stdout("")
            .stderr(format!("weft: {sentence}\n"));
    }
    let mut command = weft();
    let assert = command
        .arg("run")
        .args(odd_flags)
        .args(["echo", "ran"])
        .assert();
    assert.code(1).stdout("").stderr(format!(
        "weft: {odd} is neither Open MPI's nor MPICH's; it printed \"Odd MPI 1.0\"; \
         choose another --launcher, or start `weft run` itself with this launcher and without --launcher\n"
    ));
}

#[test]
fn names_invalid_launch_variables() {
    for (variables, sentence) in [
        (
            &[("PMI_RANK", "0")][..],
            "PMI_RANK 0: PMI_SIZE must be set too, but is not",
        ),
        (
            &[("OMPI_COMM_WORLD_RANK", "x"), ("OMPI_COMM_WORLD_SIZE", "2")],
            "OMPI_COMM_WORLD_RANK x: it is not a whole number",
        ),
    ] {
        let mut command = weft();
        command.envs(variables.iter().copied());
        let assert = command.args(["run", "echo", "ran"]).assert();
        assert.code(2).stdout("").stderr(format!(
            "weft: {sentence}; start the ranks with mpirun, srun or `weft run --launcher`, \
             or unset the variable if this process is not a rank of a launch\n"
        ));
    }
}

#[test]
fn help_contains_examples() {
    for flag in ["-h", "--help"] {
        let assert = weft().args(["run", flag]).assert().success();
        let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
        assert!(
            text.contains("weft run --ranks-per-node 2 --profile -- ./prog"),
            "{text}"
        );
        assert!(text.contains("Ranks:"), "{text}");
    }
    // The step between launcher and program is not a command for users.
    let assert = weft().arg("--help").assert().success();
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(!text.contains("  bind"), "{text}");
}
