//! `weft export nsys-rep`, and the merged report of `weft run --nsys --profile`.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed helper fails its test"
)]

use crate::backends;
use crate::support;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use std::time::Duration;

use backends::{ABIS, backend, calls, event, of};
use rusqlite::Connection;
use serde_json::Value;
use support::example::{Run, WAYS, export, fact, number, open};
use support::{Background, files, tool, under_nsys, weft};

/// A task in the joined file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Task {
    created: i64,
    ready: i64,
    start: i64,
    end: i64,
    operation: u64,
    color: u32,
    /// `file:line`.
    place: String,
    processor: String,
    name: String,
}

fn tasks(joined: &Connection) -> BTreeMap<u64, Task> {
    let question = "
        SELECT t.uid, t.created, t.ready, t.start, t.end, t.opUid, t.color, f.file || ':' || f.line, p.name, t.name
        FROM WEFT_TASK t JOIN WEFT_PROVENANCE f ON f.id = t.provenanceId
        JOIN WEFT_PROCESSOR p ON p.id = t.processorId AND p.sourceId = t.sourceId";
    let mut statement = joined.prepare(question).unwrap();
    let tasks = statement.query_map([], |row| {
        let task = Task {
            created: row.get(1)?,
            ready: row.get(2)?,
            start: row.get(3)?,
            end: row.get(4)?,
            operation: row.get::<_, i64>(5)?.cast_unsigned(),
            color: row.get(6)?,
            place: row.get(7)?,
            processor: row.get(8)?,
            name: row.get(9)?,
        };
        Ok((row.get::<_, i64>(0)?.cast_unsigned(), task))
    });
    let tasks: BTreeMap<u64, Task> = tasks.unwrap().collect::<Result<_, _>>().unwrap();
    assert!(tasks.len() > 20, "{}", tasks.len());
    tasks
}

/// The contents of a report, from `nsys export --type json`.
#[derive(Debug, Default)]
struct Read {
    /// Thread, start, end, text and colour of imported ranges.
    imported: Vec<(u64, i64, i64, String, u32)>,
    /// Names of imported threads and processes, by their numbers.
    names: HashMap<u64, String>,
    /// Start and end of each recorded range by its payload.
    recorded: HashMap<u64, (i64, i64)>,
}

fn read(nsys: &Path, report: &Path) -> Read {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report.json");
    let output = std::process::Command::new(nsys)
        .args(["export", "--type=json", "--output"])
        .arg(&out)
        .arg(report)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let number =
        |value: &Value| -> Option<i64> { value.as_i64().or_else(|| value.as_str()?.parse().ok()) };
    let mut read = Read::default();
    for line in fs::read_to_string(&out).unwrap().lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let meta = &value["NvtxtMetaEvent"];
        for (named, id) in [("Thread", "GlobalThreadId"), ("Process", "GlobalProcessId")] {
            if let (Some(id), Some(name)) = (number(&meta[named][id]), meta[named]["Name"].as_str())
            {
                read.names.insert(id.cast_unsigned(), name.to_owned());
            }
        }
        let imported = &value["NvtxtEvent"]["Nvtx"];
        let recorded = &value["NvtxEvent"];
        let times = |event: &Value| {
            let start = number(&event["Timestamp"])?;
            Some((start, number(&event["EndTimestamp"]).unwrap_or(start)))
        };
        if let Some((start, end)) = times(imported) {
            let thread = number(&imported["GlobalTid"]).unwrap().cast_unsigned();
            let text = imported["Text"].as_str().unwrap().to_owned();
            let color = u32::try_from(number(&imported["Color"]).unwrap()).unwrap();
            read.imported.push((thread, start, end, text, color));
        }
        let payload = number(&recorded["Payload"]["UInt64Value"]);
        if let (Some(payload), Some(times)) = (payload, times(recorded)) {
            read.recorded.insert(payload.cast_unsigned(), times);
        }
    }
    read
}

impl Read {
    /// Checks that each task is present once, on the thread of its processor, `shift` ns later,
    /// with line, colour and UID.
    fn check_tasks(&self, tasks: &BTreeMap<u64, Task>, shift: i64) {
        for (uid, task) in tasks {
            let mark = format!(" uid={uid}");
            let of_task = |text: &str| {
                text.split_once(&mark).is_some_and(|(before, after)| {
                    before == format!("{} {}", task.name, task.place)
                        && !after.starts_with(|char: char| char.is_ascii_digit())
                })
            };
            let found = self.imported.iter().filter(|(.., text, _)| of_task(text));
            let found: Vec<_> = found.collect();
            let [(thread, start, end, _, color)] = found[..] else {
                panic!("task {uid} {task:?} is there {} times", found.len());
            };
            assert_eq!(
                (*start, *end),
                (task.start + shift, task.end + shift),
                "{task:?}"
            );
            assert_eq!(*color, task.color);
            assert_eq!(self.names.get(thread), Some(&task.processor), "{task:?}");
            assert_eq!(
                self.names.get(&(thread & !0xff_ffff)).unwrap(),
                "Weft rank 0"
            );
        }
    }
}

/// Runs the stencil in this way without nsys. Returns the run, and its tasks on the profile's own
/// clock.
fn stencil(way: &str) -> (Run, BTreeMap<u64, Task>) {
    let flags = format!("{way} --cpus 2 --min-cpu-chunk 256");
    let run = Run::of("stencil", &flags, &["-n", "64", "-i", "5"]);
    let joined = export(&[&run.prof()], run.folder());
    let tasks = tasks(&joined);
    (run, tasks)
}

#[test]
fn nsys_importer_makes_a_readable_report() {
    let Some(nsys) = tool("nsys") else {
        return;
    };
    for way in WAYS {
        check_importer_report(&nsys, way);
    }
}

fn check_importer_report(nsys: &Path, way: &str) {
    let (run, tasks) = stencil(way);
    let out = run.folder().join("weft.nsys-rep");
    let mut command = weft();
    let assert = command
        .args(["export", "nsys-rep", "-o"])
        .arg(&out)
        .arg(run.prof())
        .env_remove("NVTXW3_LIBRARY")
        .assert()
        .success();
    let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(
        text.contains("ImportNvtxt wrote the report, with UIDs in its messages"),
        "{text}"
    );
    let read = read(nsys, &out);
    // The report's clock begins with the first event.
    let first = read.imported.iter().map(|(_, start, ..)| *start).min();
    assert_eq!(first, Some(0));
    let (uid, task) = tasks.iter().next().unwrap();
    let mark = format!(" uid={uid} ");
    let found = read
        .imported
        .iter()
        .find(|(.., text, _)| format!("{text} ").contains(&mark));
    let shift = found.unwrap().1 - task.start;
    read.check_tasks(&tasks, shift);
}

#[test]
fn run_under_nsys_leaves_a_complete_report() {
    let Some(nsys) = tool("nsys") else {
        return;
    };
    for way in WAYS {
        check_run_report(&nsys, way);
    }
}

fn check_run_report(nsys: &Path, way: &str) {
    let flags = ["--cpus", "2", "--min-cpu-chunk", "256"];
    let flags: Vec<&str> = way.split_whitespace().chain(flags).collect();
    let run = Run::under_nsys("stencil", &flags, &["-n", "64", "-i", "5"]);
    let joined = open(&run.folder().join("weft.sqlite"));
    let tasks = tasks(&joined);
    let merged = read(nsys, &run.folder().join("weft.nsys-rep"));
    // On the clock of the session, as in the joined file.
    merged.check_tasks(&tasks, 0);
    // Every range that nsys recorded is still in its place, around the row of its task.
    let recorded = read(nsys, &run.folder().join("weft_0.nsys-rep"));
    assert_eq!(merged.recorded, recorded.recorded);
    let launches = number(&joined, "SELECT count(*) FROM WEFT_LAUNCH");
    assert_eq!(i64::try_from(merged.recorded.len()), Ok(launches));
    let question = "SELECT taskUid, launchUid FROM WEFT_LAUNCH_TASK";
    let mut statement = joined.prepare(question).unwrap();
    let served = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let served: HashMap<i64, i64> = served.unwrap().collect::<Result<_, _>>().unwrap();
    for (uid, task) in &tasks {
        let launch = served[&uid.cast_signed()];
        let (start, end) = merged.recorded[&launch.cast_unsigned()];
        let middle = task.start.midpoint(task.end);
        assert!(start <= middle && middle <= end, "{task:?}");
    }

    // The merged report made by hand, from the joined file and from the profile.
    for input in ["weft_0.prof", "weft.sqlite"] {
        let out = run.folder().join("again.nsys-rep");
        let mut command = weft();
        command
            .current_dir(run.folder())
            .args([
                "export",
                "nsys-rep",
                "--force",
                "--merge",
                "weft_0.nsys-rep",
                "-o",
            ])
            .arg(&out)
            .arg(input)
            .assert()
            .success();
        let again = read(nsys, &out);
        assert_eq!(again.recorded, merged.recorded, "{input}");
        again.check_tasks(&tasks, 0);
    }
}

/// The importer's clock begins with the session: earlier rows are counted as losses, others are
/// present.
#[test]
fn counts_events_before_the_session() {
    let Some(nsys) = tool("nsys") else {
        return;
    };
    let (earlier, tasks_of_earlier) = stencil("");
    let later = Run::under_nsys("stencil", &["--cpus", "1"], &["-n", "64", "-i", "5"]);
    let session = later.folder().join("weft_0.nsys-rep");
    let out = later.folder().join("out.nsys-rep");
    let mut command = weft();
    let assert = command
        .args(["export", "nsys-rep", "--mix-runs", "--merge"])
        .arg(&session)
        .arg("-o")
        .arg(&out)
        .args([later.prof(), earlier.prof()])
        .assert()
        .success();
    let told = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    let count = told
        .split(" events were left out of the report")
        .next()
        .unwrap();
    let count: usize = count.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(count >= tasks_of_earlier.len(), "{told}");
    let joined = open(&later.folder().join("weft.sqlite"));
    let merged = read(&nsys, &out);
    assert_eq!(merged.recorded, read(&nsys, &session).recorded);
    let run = |name: &String| name.starts_with("Weft run ") && name.ends_with(" rank 0");
    assert!(merged.names.values().any(run), "{:?}", merged.names);
    let starts: Vec<i64> = merged
        .imported
        .iter()
        .map(|(_, start, ..)| *start)
        .collect();
    for (uid, task) in tasks(&joined) {
        assert!(starts.contains(&task.start), "task {uid}");
    }
}

#[test]
fn run_without_report_writer_warns_and_succeeds() {
    if tool("nsys").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let assert = under_nsys(|| {
        let mut command = weft();
        command
            .current_dir(folder.path())
            .env("WEFT_NSIGHT_SYSTEMS", "/nowhere")
            .args(["run", "--nsys", "--profile", "--cpus=1"])
            .arg(support::program("stencil"))
            .args(["-n", "20", "-i", "1"]);
        command
    });
    let assert = assert.success();
    let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    let said = "weft: weft.nsys-rep was not written: cannot write an .nsys-rep: ";
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("weft: "))
        .collect();
    let [first, last] = lines[..] else {
        panic!("{text}");
    };
    assert!(
        first.starts_with(said) && first.contains("install Nsight Systems"),
        "{text}"
    );
    assert!(
        last.starts_with("weft: open weft_0.nsys-rep in nsys-ui"),
        "{text}"
    );
    assert_eq!(
        files(folder.path()),
        ["weft.sqlite", "weft_0.nsys-rep", "weft_0.prof"]
    );
}

/// The backend of each ABI gets every task of a real run with its whole payload.
#[test]
fn backend_receives_every_task() {
    for way in WAYS {
        check_backend_tasks(way);
    }
}

fn check_backend_tasks(way: &str) {
    let (run, tasks) = stencil(way);
    let joined = export(&[&run.prof()], run.folder());
    let wall: i64 = fact(&joined, "clock_base_wall_ns").parse().unwrap();
    for abi in ABIS {
        let Some(backend) = backend(abi, &[]) else {
            return;
        };
        let out = run.folder().join(format!("{abi}.nsys-rep"));
        let mut command = weft();
        let assert = command
            .args(["export", "nsys-rep", "-o"])
            .arg(&out)
            .arg(run.prof())
            .arg("--nvtxw-backend")
            .arg(backend)
            .assert()
            .success();
        assert_eq!(String::from_utf8_lossy(&assert.get_output().stderr), "");
        let calls = calls(&out);
        let events = of(&calls, "EventWrite");
        let of_tasks = events.iter().filter(|call| event(call)["kind"] == 1);
        let found: BTreeMap<u64, Task> = of_tasks
            .map(|call| {
                let fields = event(call);
                let time = |name: &str| fields[name].as_i64().unwrap() - wall;
                let text = |name: &str| fields[name].as_str().unwrap().to_owned();
                let place = format!("{}:{}", text("file"), fields["line"]);
                let message = text("message");
                let name = message.strip_suffix(&format!(" {place}")).unwrap();
                let row = call["stream"].as_str().unwrap();
                let task = Task {
                    created: time("created"),
                    ready: time("ready"),
                    start: time("start"),
                    end: time("end"),
                    operation: fields["operation"].as_u64().unwrap(),
                    color: u32::try_from(fields["color"].as_u64().unwrap()).unwrap(),
                    place,
                    processor: row.rsplit('/').next().unwrap().to_owned(),
                    name: name.to_owned(),
                };
                (fields["uid"].as_u64().unwrap(), task)
            })
            .collect();
        assert_eq!(found, tasks, "{abi}");
    }
}

#[test]
fn interrupted_report_export_leaves_no_files() {
    let Some(backend) = backend("v1", &["HANG_CALL=\"EventWrite\""]) else {
        return;
    };
    let (run, _) = stencil("");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.nsys-rep");
    let prof = run.prof();
    let words = [out.as_path(), &prof, &backend].map(|path| path.to_str().unwrap());
    let [out, prof, backend] = words;
    let mut weft = Background::weft(&[
        "export",
        "nsys-rep",
        "-o",
        out,
        prof,
        "--nvtxw-backend",
        backend,
    ]);
    // The backend has begun its report before it hangs.
    let begun = || {
        let names = files(folder.path());
        names
            .iter()
            .any(|name| folder.path().join(name).join("out.nsys-rep").exists())
    };
    while !begun() {
        assert_eq!(weft.0.try_wait().unwrap(), None, "it hangs");
        std::thread::sleep(Duration::from_millis(10));
    }
    weft.signal("TERM");
    assert!(!weft.0.wait().unwrap().success());
    assert_eq!(files(folder.path()), Vec::<String>::new());
}

#[test]
fn info_names_the_export_backend() {
    let Some(backend) = backend("v2", &[]) else {
        return;
    };
    let mut command = weft();
    let assert = command
        .arg("info")
        .env("NVTXW3_LIBRARY", &backend)
        .assert()
        .success();
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    let row = format!(
        "NVTXW backend  {}, interface version 2\n",
        backend.display()
    );
    assert!(text.contains(&row), "{text}");
}

#[test]
fn rejects_report_flags_in_other_exports() {
    for flag in [["--merge", "in.nsys-rep"], ["--nvtxw-backend", "lib.so"]] {
        let mut command = weft();
        let assert = command
            .args(["export", "sqlite", "-o", "out", "in.prof"])
            .args(flag)
            .assert();
        let text = String::from_utf8_lossy(&assert.code(2).get_output().stderr).into_owned();
        assert!(
            text.starts_with("weft: --merge and --nvtxw-backend apply only to nsys-rep; "),
            "{text}"
        );
    }
}
