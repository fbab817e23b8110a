//! Runs of the examples, each in its own folder.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;

use super::trace::Trace;
use super::{Command, program, under_nsys, weft};

/// A profiled run that has ended, its result checked by the program itself.
#[derive(Debug)]
pub(crate) struct Run {
    folder: TempDir,
}

/// Every task is a launch with its own kernel, so that its records follow from the program.
pub(crate) const ONE_BY_ONE: &str = "--fusion=false --max-inline-chunk=0";
/// One launch may serve several tasks. A busy machine may keep operations from being fused, unless
/// each waits for the next.
pub(crate) const FUSED: &str = "--max-inline-chunk=0 --fusion-wait=2000";
/// As users run programs: fused, with small operations inline on the program's own thread.
pub(crate) const USUAL: &str = "--fusion-wait=2000";
/// The flags of the three ways to run. Invariants of every run hold for each of them.
pub(crate) const WAYS: [&str; 3] = [ONE_BY_ONE, FUSED, USUAL];

impl Run {
    /// Runs an example without `weft run`: `flags` are those of WEFT_CONFIG, besides the profile's.
    pub(crate) fn of(name: &str, flags: &str, args: &[&str]) -> Run {
        Run::with(name, flags, args, |_| ())
    }

    /// Runs an example as [`Run::of`] does; `change` can modify the command.
    pub(crate) fn with(
        name: &str,
        flags: &str,
        args: &[&str],
        change: impl FnOnce(&mut Command),
    ) -> Run {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new(program(name));
        command
            .current_dir(folder.path())
            .env("WEFT_CONFIG", format!("--profile {flags}"))
            .env_remove("NVTX_INJECTION64_PATH")
            .args(args)
            .arg("--check");
        change(&mut command);
        command.assert().success();
        Run { folder }
    }

    /// Runs an example by `weft run --nsys --profile`.
    pub(crate) fn under_nsys(name: &str, flags: &[&str], args: &[&str]) -> Run {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let assert = under_nsys(|| {
            let mut command = weft();
            command
                .current_dir(folder.path())
                .args(["run", "--nsys", "--profile"])
                .args(flags)
                .arg(program(name))
                .args(args)
                .arg("--check");
            command
        });
        assert.success();
        Run { folder }
    }

    /// The run's folder.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The run's profile.
    pub(crate) fn prof(&self) -> PathBuf {
        self.folder().join("weft_0.prof")
    }

    /// The records of the run's profile.
    pub(crate) fn trace(&self) -> Trace {
        Trace::read(&self.prof())
    }
}

/// Exports inputs that are complete to a database in `folder`, and opens it.
pub(crate) fn export(inputs: &[&Path], folder: &Path) -> Connection {
    export_with(&[0], inputs, folder)
}

/// Exports inputs that lack records, which the exit status shows, to a database in `folder`, and
/// opens it.
pub(crate) fn export_incomplete(inputs: &[&Path], folder: &Path) -> Connection {
    export_with(&[3], inputs, folder)
}

/// Exports inputs to a database in `folder`, with one of these exit statuses, and opens it.
pub(crate) fn export_with(statuses: &[i32], inputs: &[&Path], folder: &Path) -> Connection {
    let out = folder.join("exported.sqlite");
    let mut command = weft();
    command
        .args(["export", "sqlite", "--force", "-o"])
        .arg(&out)
        .args(inputs);
    let assert = command.assert();
    let output = assert.get_output();
    let status = output.status.code();
    assert!(
        status.is_some_and(|status| statuses.contains(&status)),
        "{output:?}"
    );
    // Losses are reported in one sentence, and only if there are any.
    let told = String::from_utf8_lossy(&output.stderr).lines().count();
    assert_eq!(told, usize::from(status == Some(3)), "{output:?}");
    open(&out)
}

/// Opens a database.
pub(crate) fn open(path: &Path) -> Connection {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    Connection::open_with_flags(path, flags).expect("a database")
}

/// Returns the single number that a query yields.
pub(crate) fn number(database: &Connection, question: &str) -> i64 {
    let answer = database.query_row(question, [], |row| row.get(0));
    answer.unwrap_or_else(|error| panic!("{question}: {error}"))
}

/// Returns the text of a fact in WEFT_META.
pub(crate) fn fact(database: &Connection, key: &str) -> String {
    let question = "SELECT value FROM WEFT_META WHERE key = ?";
    let answer = database.query_row(question, [key], |row| row.get(0));
    answer.unwrap_or_else(|error| panic!("{key}: {error}"))
}

/// Returns a counter in WEFT_LOSS; 0 if absent.
pub(crate) fn loss(database: &Connection, name: &str) -> i64 {
    let question = "SELECT coalesce(sum(value), 0) FROM WEFT_LOSS WHERE name = ?";
    let answer = database.query_row(question, [name], |row| row.get(0));
    answer.unwrap_or_else(|error| panic!("{name}: {error}"))
}
