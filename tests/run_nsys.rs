//! `weft run --nsys`: one command from a program to the joined file.
#![allow(clippy::unwrap_used, reason = "a failed helper fails its test")]

use crate::support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use support::{Background, NSYS_TRIES, files, is_ignored, tool, under_nsys, weft};

/// Returns the rows of a query on a joined file, without the heading.
fn ask(folder: &Path, question: &str) -> Vec<String> {
    let mut command = weft();
    let assert = command
        .args(["query", "--format", "csv", question])
        .arg(folder.join("weft.sqlite"))
        .assert()
        .success();
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    text.lines().skip(1).map(Into::into).collect()
}

#[test]
fn does_not_start_the_program_without_nsys() {
    let path = support::path_with(&["touch"]);
    let dir = tempfile::tempdir().unwrap();
    let mut command = weft();
    let assert = command
        .current_dir(dir.path())
        .env("PATH", path.path())
        .args(["run", "--nsys", "--profile", "touch", "started"])
        .assert();
    let output = assert.code(1).get_output().stderr.clone();
    let text = String::from_utf8(output).unwrap();
    assert!(
        text.starts_with("weft: --nsys needs Nsight Systems: no `nsys` in PATH; install "),
        "{text}"
    );
    assert_eq!(files(dir.path()), Vec::<String>::new());
}

#[test]
fn profiled_run_leaves_a_joined_file() {
    if tool("nsys").is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let assert = under_nsys(|| {
        let mut command = weft();
        command
            .current_dir(dir.path())
            .args(["run", "--nsys", "--profile", "--cpus=2", "--logdir=50% off"])
            .arg(support::program("stencil"))
            .args(["-n", "60", "-i", "4"]);
        command
    });
    let assert = assert.success();
    let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    let line =
        "weft: open '50% off/weft.nsys-rep' in nsys-ui; next: `weft stats '50% off/weft.sqlite'`";
    assert_eq!(text.lines().last(), Some(line), "{text}");
    let folder = dir.path().join("50% off");
    assert_eq!(
        files(&folder),
        [
            "weft.nsys-rep",
            "weft.sqlite",
            "weft_0.nsys-rep",
            "weft_0.prof"
        ]
    );
    // Every launch of the profile is a range recorded by nsys, and vice versa.
    let ranges = "SELECT uint64Value FROM NVTX_EVENTS WHERE eventType = 59 AND uint64Value IS NOT NULL ORDER BY 1";
    let launches = ask(&folder, "SELECT uid FROM WEFT_LAUNCH ORDER BY 1");
    assert!(launches.len() > 10, "{launches:?}");
    assert_eq!(ask(&folder, ranges), launches);
    let sums = "SELECT (SELECT count(*) FROM WEFT_KERNEL) - (SELECT count(DISTINCT kernelId) FROM WEFT_KERNEL_TASK) \
                - (SELECT count(*) FROM WEFT_UNMATCHED)";
    assert_eq!(ask(&folder, sums), ["0"]);
}

#[test]
fn passes_on_program_status_and_joins_its_files() {
    if tool("nsys").is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let script = r#""$0" -n 20 -i 1; exit 7"#;
    let assert = under_nsys(|| {
        let mut command = weft();
        command
            .args(["run", "--nsys", "--profile", "--logdir"])
            .arg(dir.path())
            .args(["sh", "-c", script])
            .arg(support::program("stencil"));
        command
    });
    assert.code(7);
    assert!(!ask(dir.path(), "SELECT uid FROM WEFT_TASK").is_empty());
}

/// Returns the number of run folders with a report that is not empty.
fn reports(folder: &Path) -> usize {
    let runs = files(folder).into_iter();
    let runs = runs.filter(|name| name.starts_with("weft-run-"));
    let report = runs.map(|name| folder.join(name).join("weft_0.nsys-rep"));
    let size = report.map(|path| path.metadata().map_or(0, |known| known.len()));
    size.filter(|size| *size > 1000).count()
}

#[test]
fn passes_on_every_status_and_keeps_earlier_reports() {
    if tool("nsys").is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("weft_0.nsys-rep"), "old").unwrap();
    let scripts = [
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -KILL $$", 137),
        ("kill -SEGV $$", 139),
    ];
    for (script, status) in scripts {
        // After a retry of nsys, an earlier folder has no report.
        let before = reports(dir.path());
        let assert = under_nsys(|| {
            let mut command = weft();
            command.current_dir(dir.path());
            command.args([
                "run",
                "--nsys",
                "--nsys-extra=-tnvtx -snone",
                "--",
                "sh",
                "-c",
                script,
            ]);
            command
        });
        assert.code(status);
        assert_eq!(reports(dir.path()), before + 1, "{script}");
    }
    assert_eq!(
        fs::read(dir.path().join("weft_0.nsys-rep")).unwrap(),
        b"old"
    );
}

#[test]
fn joins_files_of_interrupted_programs() {
    if tool("nsys").is_none() || is_ignored("INT", 2) {
        return;
    }
    let script = r#""$0" -n 20 -i 1; echo ready; exec sleep 600"#;
    let stencil = support::program("stencil");
    let (dir, mut weft, lines) = (0..NSYS_TRIES)
        .find_map(|_| {
            let dir = tempfile::tempdir().unwrap();
            let logdir = dir.path().to_str().unwrap();
            let mut weft = Background::weft(&[
                "run",
                "--nsys",
                "--profile",
                "--logdir",
                logdir,
                "sh",
                "-c",
                script,
                stencil.to_str().unwrap(),
            ]);
            let output = BufReader::new(weft.0.stdout.take().unwrap());
            let mut lines = output.lines().map_while(Result::ok);
            // Occasionally nsys fails before the program begins.
            let is_ready = lines.any(|line| line == "ready");
            is_ready.then_some((dir, weft, lines))
        })
        .expect("nsys runs the program");
    weft.signal("INT");
    // Reads nsys's remaining output, which would otherwise fill the pipe.
    lines.for_each(drop);
    assert_eq!(weft.0.wait().unwrap().code(), Some(130));
    assert!(!ask(dir.path(), "SELECT uid FROM WEFT_TASK").is_empty());
    assert!(fs::metadata(dir.path().join("weft_0.nsys-rep")).is_ok());
}

/// Creates a folder with the target part of an installation of nsys, which records, but cannot make
/// reports.
fn target_part(nsys: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let nsys = nsys.canonicalize().unwrap();
    // In some versions the program in `bin` precedes that of the target part.
    let installed = nsys.ancestors().map(|home| home.join("target-linux-x64"));
    let installed = { installed }.find(|path| path.join("nsys").is_file());
    let installed = installed.unwrap().canonicalize().unwrap();
    let target = folder.path().join("target-linux-x64");
    fs::create_dir(&target).unwrap();
    for entry in fs::read_dir(installed).unwrap() {
        let entry = entry.unwrap();
        let to = target.join(entry.file_name());
        // The programs look for the other files in their own folder.
        if entry.file_name().to_string_lossy().starts_with("nsys") {
            fs::copy(entry.path(), to).unwrap();
        } else {
            std::os::unix::fs::symlink(entry.path(), to).unwrap();
        }
    }
    folder
}

#[test]
fn makes_reports_omitted_by_nsys() {
    let Some(nsys) = tool("nsys") else {
        return;
    };
    let target = target_part(&nsys);
    let empty = tempfile::tempdir().unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}/target-linux-x64:{path}", target.path().display());
    for importer in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let assert = under_nsys(|| {
            let mut command = weft();
            command.current_dir(dir.path()).env("PATH", &path);
            if !importer {
                command.env("WEFT_NSIGHT_SYSTEMS", empty.path());
            }
            command.args(["run", "--nsys", "--gpus=0", "--logdir=l", "echo", "began"]);
            command
        });
        let output = assert.get_output();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let left = files(&dir.path().join("l"));
        if importer {
            assert_eq!(output.status.code(), Some(0), "{said}");
            assert_eq!(left, ["weft.sqlite", "weft_0.nsys-rep"], "{said}");
            let line = "weft: nsys recorded rank 0 but wrote no report; Weft made l/weft_0.nsys-rep from the recording";
            assert!(said.lines().any(|said| said == line), "{said}");
        } else {
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert_eq!(left, ["weft_0.qdstrm"], "{said}");
            assert!(
                said.contains("weft_0.qdstrm` where the host part of Nsight Systems is installed"),
                "{said}"
            );
        }
    }
}
