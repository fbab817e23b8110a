//! The end of processes whose operations failed. Failures that were not read are printed, and a
//! status of 0 becomes 1.
//!
//! There is no test harness: each case is a run of this program, as an ordinary one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a mistake in a test must stop it"
)]

use std::process::{Command, ExitCode, Output};
use std::sync::OnceLock;

use weft::{Array, Error, Plan, Runtime};
use weft_config::Machine;

/// Returns an array that is larger than any machine's memory. The handle keeps it from being a
/// temporary without memory.
fn too_large() -> Array<f64> {
    let array = weft::zeros(&[1 << 40]);
    std::mem::forget(array.clone());
    array
}

fn own_runtime() -> Runtime {
    Runtime::new(Plan::from_words(&["--cpus".into(), "1".into()], &Machine::probe()).unwrap())
        .unwrap()
}

/// Runs the program of a case, and returns how it ends.
fn program(name: &str) -> Result<ExitCode, Error> {
    println!("begins");
    match name {
        "nothing fails" => drop(weft::ones::<f64>(&[100_000]).sum()),
        "never read" => drop(too_large()),
        "never read, under a guard" => {
            let _running = weft::start()?;
            drop(too_large());
        }
        "never read, what depends on it" => drop((too_large() + 1.0).sum()),
        "read" => {
            let error = too_large().to_vec().unwrap_err();
            assert!(error.is_out_of_memory());
        }
        "what depends on it is read" => {
            let _running = weft::start()?;
            drop((too_large() + 1.0).sum().to_vec().unwrap_err());
        }
        "what depends on it is read, later" => {
            let _running = weft::start()?;
            let failing = too_large();
            // The operation has failed by then, so operations that depend on it are not tried.
            std::thread::sleep(std::time::Duration::from_millis(100));
            let error = (failing + 1.0).sum().to_vec().unwrap_err();
            assert!(error.to_string().contains("fill at"), "{error}");
        }
        "returned by a read" => drop(too_large().to_vec()?),
        "one read, one not" => {
            drop(too_large().to_vec());
            drop(too_large());
        }
        "many" => (0..100).for_each(|_| drop(too_large())),
        "returned by finish" => {
            drop(too_large());
            assert!(weft::finish().is_err());
        }
        "exit 0" => {
            drop(too_large());
            std::process::exit(0);
        }
        "exit 3" => {
            drop(too_large());
            std::process::exit(3);
        }
        "returns 5" => {
            drop(too_large());
            return Ok(ExitCode::from(5));
        }
        "its own runtime" => own_runtime().enter(|| drop(too_large())),
        "a runtime that is never dropped" => {
            static OWN: OnceLock<Runtime> = OnceLock::new();
            OWN.get_or_init(own_runtime).enter(|| drop(too_large()));
        }
        other => unreachable!("{other}"),
    }
    Ok(ExitCode::SUCCESS)
}

/// The expected end of each program: the status, and the number of failures that it prints.
const CASES: [(&str, i32, usize); 16] = [
    ("nothing fails", 0, 0),
    ("never read", 1, 1),
    ("never read, under a guard", 1, 1),
    ("never read, what depends on it", 1, 1),
    ("read", 0, 0),
    ("what depends on it is read", 0, 0),
    ("what depends on it is read, later", 0, 0),
    ("returned by a read", 1, 0),
    ("one read, one not", 1, 1),
    ("many", 1, 1),
    ("returned by finish", 0, 0),
    ("exit 0", 1, 1),
    ("exit 3", 3, 0),
    ("returns 5", 5, 0),
    ("its own runtime", 1, 1),
    ("a runtime that is never dropped", 1, 1),
];

fn check(name: &str, status: i32, printed: usize, output: &Output) {
    let text = String::from_utf8_lossy(&output.stderr);
    let all = format!("{name}: {:?}, standard error:\n{text}", output.status);
    assert_eq!(output.status.code(), Some(status), "{all}");
    // Earlier output is not lost.
    assert_eq!(output.stdout, b"begins\n", "{all}");
    let lines = text.lines().filter(|line| {
        let is_line = line.starts_with("weft: fill at") || line.starts_with("weft: zeros at");
        is_line && line.contains("exit/main.rs:") && line.contains("(operation ")
    });
    let lines = lines.count();
    match status {
        // An operation that has not started does not run, so it may not have failed.
        3 | 5 => {}
        _ => assert_eq!(lines, printed, "{all}"),
    }
    if name == "many" {
        assert!(
            text.contains("weft: and 99 more operations failed for the same reason"),
            "{all}"
        );
    }
}

fn main() -> Result<ExitCode, Error> {
    if let Ok(name) = std::env::var("WEFT_TEST_PROGRAM") {
        return program(&name);
    }
    let own = std::env::current_exe().unwrap();
    for (name, status, printed) in CASES {
        let mut command = Command::new(&own);
        let output = command.env("WEFT_TEST_PROGRAM", name).output().unwrap();
        check(name, status, printed, &output);
        println!("test {name} ... ok");
    }
    Ok(ExitCode::SUCCESS)
}
