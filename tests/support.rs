//! Common parts of the end-to-end tests: the built binaries, and optional tools.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

pub(crate) mod disk;
pub(crate) mod example;
pub(crate) mod mpi;
pub(crate) mod rewrite;
pub(crate) mod trace;
mod watched;

use std::cell::RefCell;
use std::env;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;
use std::time::Duration;

pub(crate) use assert_cmd::Command;

use watched::Watched;

/// Returns the command `weft`, without flags from the environment.
pub(crate) fn weft() -> Command {
    let mut command = Command::new(weft_path());
    command.env_remove("WEFT_CONFIG").env_remove("COLUMNS");
    command
}

/// Returns the binary `weft`.
pub(crate) fn weft_path() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_weft"))
}

/// The programs of `examples/` used in tests.
const PROGRAMS: [&str; 4] = ["cg", "oom", "stencil", "threshold"];
/// The programs of `runtime/array/examples/` used in tests.
const RUNTIME_EXAMPLES: [&str; 4] = ["endless", "mistakes", "plate", "varied"];

/// Returns the example program of this name, built once for this test's profile into the same
/// target folder.
pub(crate) fn program(name: &str) -> PathBuf {
    assert!(PROGRAMS.contains(&name), "{name} is built: add it above");
    built().join(name)
}

/// Returns the program `runtime/array/examples/<name>.rs`, built as by [`program`].
pub(crate) fn runtime_example(name: &str) -> PathBuf {
    let is_known = RUNTIME_EXAMPLES.contains(&name);
    assert!(is_known, "{name} is built: add it above");
    built().join("examples").join(name)
}

/// Builds all programs at the first call, since Cargo takes a second even if everything is up to
/// date. Returns the profile's folder, which contains them.
fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = weft_path().parent().expect("binaries are in a folder");
        let profile = match folder.file_name().and_then(|name| name.to_str()) {
            Some("debug") | None => "dev",
            Some(profile) => profile,
        };
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = std::process::Command::new(cargo)
            .args(["build", "--quiet", "--profile", profile])
            // With the features of `cargo test --workspace`: those of all crates, including the
            // ones for tests, which affect examples. With other features the runtime and half of
            // its dependences would be built again.
            .arg("--workspace")
            .args(PROGRAMS.iter().flat_map(|name| ["--bin", name]))
            .args(RUNTIME_EXAMPLES.iter().flat_map(|name| ["--example", name]))
            .arg("--manifest-path")
            .arg(repository().join("Cargo.toml"))
            .arg("--target-dir")
            .arg(
                folder
                    .parent()
                    .expect("a profile's folder is in the target folder"),
            )
            .status()
            .expect("cargo starts");
        assert!(status.success(), "the examples do not build");
        folder.to_owned()
    })
}

/// Returns the folder of the repository.
pub(crate) fn repository() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("the crate is in the repository")
}

/// Unpacks a trace of `tests/data`, or of the shared data if it was recorded with other programs,
/// into `folder`. Prints a message and returns `None` if shared data are absent.
pub(crate) fn shared(name: &str, folder: &Path) -> Option<PathBuf> {
    let foreign = name.starts_with("nsys/");
    let packed = match foreign {
        true => repository().parent()?.join("shared/data").join(name),
        false => repository().join("tests/data").join(name),
    };
    if foreign && !packed.exists() {
        let required = env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
        let required = required.split(',').any(|name| name.trim() == "shared-data");
        assert!(!required, "{} is not there", packed.display());
        eprintln!("skipped: {} is not there", packed.display());
        return None;
    }
    let file = packed.file_stem().expect("a file's name");
    let path = folder.join(file);
    fs::write(&path, unpack(&packed)).expect("the file is written");
    Some(path)
}

/// Returns the content of a file of one zstd frame.
pub(crate) fn unpack(packed: &Path) -> Vec<u8> {
    let packed = BufReader::new(File::open(packed).expect("the file opens"));
    let mut bytes = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed).expect("a zstd file");
    decoder.read_to_end(&mut bytes).expect("a whole zstd frame");
    bytes
}

/// Returns a tool's path. Prints a message and returns `None` if it is not installed; the caller
/// then skips its checks.
///
/// `nsys` is reserved for the calling thread, and so its test, until the thread ends: of two
/// sessions that start at the same time, one occasionally fails before the program has begun.
///
/// # Panics
/// Panics if the tool is not installed, and the variable `WEFT_TEST_REQUIRE` (names separated by
/// commas) contains its name.
pub(crate) fn tool(name: &str) -> Option<PathBuf> {
    tool_by(name, name)
}

/// Returns the path of a tool whose `program` has another name, as [`tool`] does.
pub(crate) fn tool_by(name: &str, program: &str) -> Option<PathBuf> {
    let found = env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .map(|folder| folder.join(program))
        .find(|path| path.is_file());
    if found.is_none() {
        let required = env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
        assert!(
            !required.split(',').any(|required| required.trim() == name),
            "{name} is not installed, but WEFT_TEST_REQUIRE names it"
        );
        eprintln!("skipped: {name} is not installed");
    } else if name == "nsys" {
        take_nsys();
    }
    found
}

/// Waits until no other test uses nsys, in any process.
fn take_nsys() {
    thread_local! {
        static TAKEN: RefCell<Option<File>> = const { RefCell::new(None) };
    }
    TAKEN.with_borrow_mut(|taken| {
        if taken.is_none() {
            let path = weft_path().with_file_name("nsys-in-tests.lock");
            let file = File::create(path).expect("a file next to the binaries");
            file.lock().expect("a lock");
            *taken = Some(file);
        }
    });
}

/// Runs a command that runs a program under nsys. On a busy machine nsys 2022.4 fails about once in
/// fifty sessions before the program begins, in one of several ways ("Connection reset by peer",
/// "End of file", `sem_open`). It leaves no report, and the program has printed nothing; the
/// command is then tried again.
pub(crate) fn under_nsys(make: impl Fn() -> Command) -> assert_cmd::assert::Assert {
    until_nsys_begins(make, |output, said| {
        !output.stdout.is_empty() || !said.contains("weft: nsys wrote no report ")
    })
}

/// Runs a command that runs `ranks` ranks under nsys, each of which prints its number.
pub(crate) fn ranks_under_nsys(
    ranks: usize,
    make: impl Fn() -> Command,
) -> assert_cmd::assert::Assert {
    until_nsys_begins(make, |output, said| {
        let text = String::from_utf8_lossy(&output.stdout);
        let began = |rank: usize| text.lines().any(|line| line == rank.to_string());
        let misses = [
            "weft: nsys wrote no report ",
            " left a report of nsys, and ",
        ];
        (0..ranks).all(began) || !misses.iter().any(|text| said.contains(text))
    })
}

/// The time that a program may take under nsys before nsys counts as hanging.
const LONGEST_NSYS: Duration = Duration::from_secs(120);
/// The maximum number of tries of a run under nsys.
pub(crate) const NSYS_TRIES: usize = 5;

/// Runs a command until its output shows that its program began, a limited number of times.
fn until_nsys_begins(
    make: impl Fn() -> Command,
    began: impl Fn(&std::process::Output, &str) -> bool,
) -> assert_cmd::assert::Assert {
    let mut tries = 1;
    loop {
        let watched = Watched::new(LONGEST_NSYS);
        let assert = make().env(Watched::NAME, &watched.value).assert();
        let hangs = watched.was_ended();
        let output = assert.get_output();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if !hangs && began(output, &said) || tries == NSYS_TRIES {
            return assert;
        }
        eprintln!("nsys failed before the program began, or hangs, and is tried again: {said}");
        tries += 1;
    }
}

/// Creates a folder to be used as PATH, with links to these programs of the machine only.
pub(crate) fn path_with(programs: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in programs {
        let target = tool(name).expect("the program is on every machine");
        std::os::unix::fs::symlink(target, folder.path().join(name)).expect("a link");
    }
    folder
}

/// Returns the names of the files in a folder, sorted.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut names: Vec<String> = entries
        .map(|entry| {
            let name = entry.expect("an entry").file_name();
            name.to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    names
}

/// Returns whether this process, and so its children, ignores a signal, as under nohup. Prints a
/// message if so.
pub(crate) fn is_ignored(name: &str, number: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").expect("/proc");
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let is_ignored = mask.expect("a mask of signals") & (1 << (number - 1)) != 0;
    if is_ignored {
        eprintln!("skipped: {name} is ignored here, as under nohup, and stays so");
    }
    is_ignored
}

/// A program that runs in the background and is killed on drop.
pub(crate) struct Background(pub(crate) std::process::Child);

impl Background {
    /// Starts `weft` with these arguments, its outputs piped.
    pub(crate) fn weft(args: &[&str]) -> Background {
        let mut command = std::process::Command::new(weft_path());
        command.env_remove("WEFT_CONFIG").args(args);
        Background::of(&mut command)
    }

    /// Starts a command, its outputs piped.
    pub(crate) fn of(command: &mut std::process::Command) -> Background {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Background(command.spawn().expect("the command starts"))
    }

    /// Sends a signal, by its name without `SIG`.
    pub(crate) fn signal(&self, name: &str) {
        let status = std::process::Command::new("kill")
            .args([&format!("-{name}"), &self.0.id().to_string()])
            .status();
        assert!(status.is_ok_and(|status| status.success()), "kill -{name}");
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // It has already ended if the test succeeded.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
