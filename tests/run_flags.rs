//! Flags of `weft run` and `WEFT_CONFIG`: accepted, rejected and printed values.
#![allow(clippy::unwrap_used, reason = "a failed helper fails its test")]

use crate::support;

use support::weft;

fn stdout(command: &mut support::Command) -> String {
    let output = command.assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

/// The status and the text on standard error.
fn refusal(command: &mut support::Command) -> (i32, String) {
    let output = command.output().unwrap();
    assert_eq!(output.stdout, b"", "nothing ran");
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn dry_run_shows_command_and_environment_without_running() {
    let dir = tempfile::tempdir().unwrap();
    let text = stdout(
        weft()
            .current_dir(dir.path())
            .args([
                "run",
                "--dry-run",
                "--profile",
                "--logdir",
                "a b",
                "--cpus",
                "1",
                "--cpus=2",
            ])
            .args(["--run-id", "000102030405060708090a0b0c0d0e0f"])
            .args(["--", "touch", "made by it"]),
    );
    let here = dir.path().canonicalize().unwrap();
    let text = text.replace(&here.display().to_string(), "<here>");
    insta::assert_snapshot!(text, @r"
    WEFT_CONFIG='--cpus 2 --profile --run-id 000102030405060708090a0b0c0d0e0f --logdir '\''<here>/a b'\''' \
    touch 'made by it'
    ");
    assert_eq!(support::files(dir.path()), Vec::<String>::new());
}

#[test]
fn dry_run_with_nsys_shows_the_wrapper() {
    let text = stdout(weft().args([
        "run",
        "--dry-run",
        "--nsys",
        "--run-id=000102030405060708090a0b0c0d0e0f",
        "--logdir=/x",
        "--profile-name=p",
        "--nsys-extra=--trace=nvtx --stats true",
        "prog",
        "--cpus",
    ]));
    insta::assert_snapshot!(text, @r"
    WEFT_CONFIG='--profile-name p --nsys --run-id 000102030405060708090a0b0c0d0e0f --logdir /x' \
    nsys profile --sample=none --cpuctxsw=none --force-overwrite=true --output /x/p_0 --trace=nvtx --stats true prog --cpus
    ");
}

#[test]
fn dry_run_shows_the_plan_on_request() {
    let args = [
        "run",
        "--dry-run",
        "--show-config",
        "--auto-config=no",
        "prog",
    ];
    let text = stdout(weft().args(args));
    assert!(text.contains("- cpus = 1\n"), "{text}");
    assert!(
        text.contains("- sysmem = 4,294,967,296 (4,096 MiB)\n"),
        "{text}"
    );
}

#[test]
fn verbose_shows_and_runs_the_program() {
    let mut command = weft();
    let assert = command
        .args(["run", "--verbose", "--cpus", "3", "echo", "hi"])
        .assert();
    assert
        .success()
        .stdout("hi\n")
        .stderr("WEFT_CONFIG='--cpus 3' \\\necho hi\n");
}

#[test]
fn command_line_overrides_the_environment() {
    let shell = "printf '%s' \"$WEFT_CONFIG\"";
    let text = stdout(
        weft()
            .env("WEFT_CONFIG", "--cpus 4 --logging 'info, io=debug'")
            .args(["run", "--cpus=2", "sh", "-c", shell]),
    );
    assert_eq!(text, "--logging 'info, io=debug' --cpus 2");
    let text = stdout(weft().args(["run", "sh", "-c", "echo ${WEFT_CONFIG-unset}"]));
    assert_eq!(text, "unset\n");
}

#[test]
fn rejects_invalid_values_with_the_reason() {
    let cases = [
        (
            ["--cpus", "0"],
            "weft: --cpus 0: without OMP groups, no processor can run tasks; give at least 1, or --omps\n",
        ),
        (
            ["--cpus", "many"],
            "weft: --cpus many: it is not a whole number; give a whole number from 0 to 4096\n",
        ),
        (
            ["--sysmem", "-1"],
            "weft: --sysmem -1: it is negative; give a size of at least 1 MiB, such as 4096 (MiB), 100M, 1.5GiB or 50%\n",
        ),
        (
            ["--profile-name", "a/b"],
            "weft: --profile-name a/b: it has a slash; give a name without a slash\n",
        ),
        (
            ["--profile=maybe", "--verbose"],
            "weft: --profile maybe: it is neither true nor false; give one of 0, 1, f, t, n, y, no, yes, false, true\n",
        ),
        (
            ["--nsys-extra=-o x", "--nsys"],
            "weft: --nsys-extra sets nsys's output file, which Weft chooses; use --logdir and --profile-name\n",
        ),
    ];
    for (flags, message) in cases {
        let refused = refusal(weft().arg("run").args(flags).args(["echo", "ran"]));
        assert_eq!(refused, (2, message.to_owned()), "{flags:?}");
    }
}

#[test]
fn rejects_unknown_flags_with_a_suggestion() {
    let (status, text) = refusal(weft().args(["run", "--cpu", "2", "echo", "ran"]));
    assert_eq!(status, 2);
    assert!(text.contains("'--cpus'"), "{text}");
}

#[test]
fn run_without_program_requires_python() {
    let mut command = weft();
    command
        .env("WEFT_PYTHON", "/no/python")
        .args(["run", "--profile"]);
    let (status, text) = refusal(&mut command);
    assert_eq!(status, 1);
    assert!(
        text.starts_with("weft: the Python interpreter /no/python was not found"),
        "{text}"
    );
}

#[test]
fn names_invalid_environment_variables() {
    let cases = [
        (
            "--utilty 2",
            "weft: in WEFT_CONFIG, --utilty: no flag has this name; did you mean --utility? --help lists all\n",
        ),
        (
            "--dry-run",
            "weft: in WEFT_CONFIG, --dry-run: is not for WEFT_CONFIG; give it to `weft run`\n",
        ),
        (
            "--logdir 'x",
            "weft: in WEFT_CONFIG, WEFT_CONFIG '--logdir '\\''x': a quote is not closed; quote it as for a shell\n",
        ),
    ];
    for (config, message) in cases {
        let refused = refusal(
            weft()
                .env("WEFT_CONFIG", config)
                .args(["run", "echo", "ran"]),
        );
        assert_eq!(refused, (2, message.to_owned()), "{config}");
    }
}

#[test]
fn help_lists_the_flags_with_their_defaults() {
    let text = stdout(weft().args(["run", "--help"]));
    for flag in [
        "--cpus <N>",
        "--sysmem <SIZE>",
        "--nsys-extra <STR>",
        "--profile[=<BOOL>]",
    ] {
        assert!(text.contains(flag), "{flag}: {text}");
    }
    assert!(
        text.contains("[default: one per core; 0 with --omps]"),
        "{text}"
    );
    assert!(!text.contains("--run-id"), "{text}");
}
