//! `weft simulate` on a recorded program. `tests/mpi/simulate.sh` compares its messages with those
//! of real ranks.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use crate::support;

use std::path::{Path, PathBuf};

use support::{Command, repository, runtime_example, weft};
use tempfile::TempDir;
use weft_analysis::simulate::{ExchangeCosts, Machine, Network, Prediction, Program, predict};
use weft_model::Trace;
use weft_nvtx_export::{Progress, ReadOptions, read};

/// A recorded run of the example `plate`.
struct Plate {
    folder: TempDir,
}

impl Plate {
    fn of(rows: usize, flags: &str) -> Plate {
        let folder = tempfile::tempdir().unwrap();
        let config = format!("--profile --cpus 2 --min-cpu-chunk 1000 {flags}");
        Command::new(runtime_example("plate"))
            .current_dir(folder.path())
            .env("WEFT_CONFIG", config)
            .args([&rows.to_string(), "50", "4"])
            .assert()
            .success();
        Plate { folder }
    }

    fn prof(&self) -> PathBuf {
        self.folder.path().join("weft_0.prof")
    }

    fn trace(&self) -> Trace {
        read(&[self.prof()], &ReadOptions::default()).unwrap()
    }
}

/// Flags with which operations are fused, and thus tiled, in the same way in each run.
const OPERANDS: &str = "--profile-operands --max-inline-chunk 0 --fusion-wait 2000";

fn on(program: &Program, ranks: u16) -> Prediction {
    let machine = Machine {
        ranks,
        ranks_per_node: 1,
        cores_per_rank: program.workers(),
        cores_per_node: None,
        overlap: true,
        exchange: ExchangeCosts::default(),
    };
    let progress = Progress::default();
    predict(program, machine, Network::default(), true, &progress)
}

fn simulate(arguments: &[&str], prof: &Path) -> Command {
    let mut command = weft();
    command.arg("simulate").arg(prof).args(arguments);
    command
}

#[test]
fn stretched_program_matches_the_larger_problem() {
    let (small, large) = (Plate::of(400, OPERANDS), Plate::of(1200, OPERANDS));
    let (small, large) = (small.trace(), large.trace());
    let program = Program::from_trace(&small)
        .unwrap()
        .stretched(&small, 3)
        .unwrap();
    let larger = Program::from_trace(&large).unwrap();
    assert_eq!(program.steps().len(), larger.steps().len());
    for (one, other) in program.steps().iter().zip(larger.steps()) {
        let line = small.program.provenances.get(one.provenance).line;
        let place = format!("{} in line {line}", one.name);
        assert_eq!(one.name, other.name, "{place}");
        assert_eq!(one.shape, other.shape, "{place}");
        assert_eq!(one.tiling, other.tiling, "{place}");
        let views = one.views.iter().zip(&other.views);
        assert_eq!(one.views.len(), other.views.len(), "{place}");
        for (view, other) in views {
            assert_eq!(view.layout.shape, other.layout.shape, "{place}");
            assert_eq!(view.layout.offset, other.layout.offset, "{place}");
            assert_eq!(
                (view.access, &view.projection),
                (other.access, &other.projection)
            );
        }
    }
    // Its messages are also the same.
    for ranks in [2, 5] {
        let (one, other) = (on(&program, ranks), on(&larger, ranks));
        assert!(!one.channels.is_empty());
        assert_eq!(one.channels, other.channels);
    }
}

#[test]
fn simulation_keeps_the_task_time() {
    let trace = Plate::of(300, OPERANDS).trace();
    let program = Program::from_trace(&trace).unwrap();
    let prediction = on(&program, 1);
    let recorded = trace
        .work
        .launches
        .iter()
        .map(|launch| (launch.end - launch.start).0);
    let recorded = recorded.sum::<i64>() as f64;
    let predicted: f64 = prediction.lines.values().map(|line| line.tasks).sum();
    // A sum that was fused with its input may be tiled differently on its own.
    let ratio = predicted / recorded;
    assert!((0.8..1.25).contains(&ratio), "{predicted} of {recorded}");
    assert!(prediction.time >= prediction.busy / program.workers() as f64);
    assert_eq!((prediction.messages, prediction.bytes), (0, 0));
}

#[test]
fn prints_rows_by_ranks_lines_or_channels() {
    let plate = Plate::of(300, "--profile-operands");
    let table = |arguments: &[&str]| {
        let output = simulate(arguments, &plate.prof()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let mut reader = csv::Reader::from_reader(&output.stdout[..]);
        let head: Vec<String> = reader
            .headers()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect();
        let rows: Vec<Vec<String>> = reader
            .records()
            .map(|row| row.unwrap().iter().map(str::to_owned).collect())
            .collect();
        (head, rows)
    };
    for scaling in ["strong", "weak"] {
        let (head, rows) = table(&["--ranks", "1,2,...,8", "--scaling", scaling]);
        assert_eq!(head[..2], ["ranks", "time_ns"]);
        let ranks: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(ranks, ["1", "2", "4", "8"]);
        let messages = head
            .iter()
            .position(|name| name == "messages_per_rank")
            .unwrap();
        let messages: Vec<f64> = rows
            .iter()
            .map(|row| row[messages].parse().unwrap())
            .collect();
        assert!(messages[0] == 0.0 && messages[1] > 0.0, "{messages:?}");
    }
    for by in ["ranks", "line", "channel"] {
        let arguments = ["--ranks", "1,3", "--by", by, "--format", "table"];
        let mut narrow = simulate(&arguments, &plate.prof());
        let output = narrow.env("COLUMNS", "80").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut rows = text.lines().filter(|line| line.starts_with('|'));
        assert!(rows.all(|row| row.chars().count() <= 80), "{text}");
    }
    let (_, said) = printed(&["--ranks", "1,3", "--by", "line"], &plate.prof());
    assert!(said.contains("weft: the table is for 3 ranks\n"), "{said}");
    let (_, lines) = table(&["--ranks", "3", "--by", "line"]);
    assert!(
        lines.iter().all(|row| row[0].contains("plate.rs:")),
        "{lines:?}"
    );
    let (_, channels) = table(&["--ranks", "3", "--by", "channel"]);
    let sum: u64 = channels
        .iter()
        .map(|row| row[2].parse::<u64>().unwrap())
        .sum();
    let trace = plate.trace();
    assert_eq!(sum, on(&Program::from_trace(&trace).unwrap(), 3).messages);
}

/// Returns the output: the table, and the messages.
fn printed(arguments: &[&str], prof: &Path) -> (String, String) {
    let output = simulate(arguments, prof).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn prediction_is_deterministic() {
    let plate = Plate::of(300, OPERANDS);
    let prof = plate.prof();
    for by in ["ranks", "line", "channel"] {
        let arguments = ["--ranks", "1,2,...,16", "--by", by];
        assert_eq!(
            printed(&arguments, &prof),
            printed(&arguments, &prof),
            "{by}"
        );
    }
    // Measured costs are printed as flags that repeat the prediction.
    let ranks = ["--ranks", "2,8"];
    let (table, said) = printed(&["--ranks", "2,8", "--calibrate"], &prof);
    let flags = said
        .lines()
        .find_map(|line| line.strip_prefix("weft: analysis, measured here: "))
        .unwrap_or_else(|| panic!("{said}"));
    let arguments: Vec<&str> = ranks.into_iter().chain(flags.split(' ')).collect();
    let (again, said) = printed(&arguments, &prof);
    assert_eq!(again, table);
    let line = format!("weft: analysis, assumed, not measured: {flags}");
    assert!(said.contains(&line), "{said}");
    // One rank has no messages to measure.
    let (_, said) = printed(&["--ranks", "1", "--calibrate"], &prof);
    assert!(!said.contains("measured here"), "{said}");
    let assumed =
        "weft: analysis, assumed, not measured: --exchange-known 150ns --exchange-new 5us";
    assert!(said.lines().any(|line| line == assumed), "{said}");
}

#[test]
fn efficiency_is_relative_to_one_rank() {
    let plate = Plate::of(300, OPERANDS);
    for scaling in ["strong", "weak"] {
        // However slow this machine was during the recording, 64 ranks wait for messages.
        let slow = ["--latency", "1s", "--node-latency", "1s"];
        let rows = |ranks: &str| {
            let arguments = [&["--ranks", ranks, "--scaling", scaling], &slow[..]].concat();
            let (table, _) = printed(&arguments, &plate.prof());
            let mut reader = csv::Reader::from_reader(table.as_bytes());
            let head = reader.headers().unwrap().clone();
            assert_eq!(&head[2], "speed-up_over_1_rank");
            assert_eq!(&head[3], "efficiency_to_1_rank");
            let rows = reader.records().map(Result::unwrap);
            rows.map(|row| row.iter().map(str::to_owned).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        let [alone, all] = [rows("64"), rows("1,64")];
        assert_eq!(
            all[0][2..4]
                .iter()
                .map(|cell| cell.parse().unwrap())
                .collect::<Vec<f64>>(),
            [1.0, 1.0]
        );
        let efficiency: f64 = alone[0][3].parse().unwrap();
        assert!(efficiency < 0.9, "{scaling}: {efficiency}");
        assert_eq!(alone[0], all[1], "{scaling}");
    }
}

#[test]
fn joined_database_simulates_like_its_profile() {
    let plate = Plate::of(100, OPERANDS);
    let database = plate.folder.path().join("weft.sqlite");
    weft()
        .args(["export", "sqlite"])
        .arg(plate.prof())
        .arg("-o")
        .arg(&database)
        .assert()
        .success();
    let (expected, _) = printed(&["--ranks", "1,4"], &plate.prof());
    let (found, _) = printed(&["--ranks", "1,4"], &database);
    assert_eq!(found, expected);
}

#[test]
fn simulation_errors_give_the_reason() {
    let plain = Plate::of(100, "");
    simulate(&[], &plain.prof()).assert().code(1).stderr(
        "weft: 44 of 44 operations have no recorded operands; record the run again with `weft run --profile --profile-operands`\n",
    );
    let plate = Plate::of(100, OPERANDS);
    let network = plate.folder.path().join("network.json");
    std::fs::write(&network, r#"{"far": {"latency": 1, "bandwidth": 0}}"#).unwrap();
    let output = simulate(&["--network"], &plate.prof())
        .arg(&network)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("network.json does not describe a network"),
        "{said}"
    );
    simulate(&["--network"], &plate.prof()).arg(plate.prof()).assert().code(1).stderr(
        "weft: the profiles hold no message recorded by both its ranks; give profiles of a run with several ranks, or --latency and --bandwidth\n",
    );
    simulate(&["--ranks", "4,2"], &plate.prof())
        .assert()
        .code(2);
    simulate(&["--ranks", "4096", "--by", "channel"], &plate.prof()).assert().code(2).stderr(
        "weft: --by channel has a row for each pair of ranks, too many of 4096 ranks; give at most 2048 ranks with --ranks\n",
    );
    let other = repository().join("tests/data/legate/stencil.prof.zst");
    simulate(&[], &other).assert().code(1).stderr(format!(
        "weft: {} is a Legion Prof file, which does not record the operands of operations; give a profile of Weft, recorded with `weft run --profile --profile-operands`\n",
        other.display()
    ));
}
