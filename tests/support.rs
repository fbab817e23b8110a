//! What the end-to-end tests share: the built binaries, and tools that a machine may lack.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a helper that cannot go on fails its test"
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

/// The command `weft`, without flags from the environment.
pub(crate) fn weft() -> Command {
    let mut command = Command::new(weft_path());
    command.env_remove("WEFT_CONFIG").env_remove("COLUMNS");
    command
}

/// The binary `weft`.
pub(crate) fn weft_path() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_weft"))
}

/// The programs of `examples/` that tests run.
const PROGRAMS: [&str; 4] = ["cg", "oom", "stencil", "threshold"];
/// Those of `runtime/array/examples/`.
const RUNTIME_EXAMPLES: [&str; 4] = ["endless", "mistakes", "plate", "varied"];

/// The example program of this name, built once for this test's profile into the same target folder.
pub(crate) fn program(name: &str) -> PathBuf {
    assert!(PROGRAMS.contains(&name), "{name} is built: add it above");
    built().join(name)
}

/// The program `runtime/array/examples/<name>.rs`, built as [`program`] is.
pub(crate) fn runtime_example(name: &str) -> PathBuf {
    let is_known = RUNTIME_EXAMPLES.contains(&name);
    assert!(is_known, "{name} is built: add it above");
    built().join("examples").join(name)
}

/// Has Cargo build all programs at once, at the first call: it takes a second to see that nothing is to be done. Returns the profile's
/// folder, where they are.
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
            // With the features that `cargo test --workspace` has: those of all crates, and of what tests need, which count where an
            // example is built. With others the runtime and half of its dependences would be built again.
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

/// The folder of the repository.
pub(crate) fn repository() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("the crate is in the repository")
}

/// A trace of `tests/data` or, for those that others recorded, of the shared data beside the repository, unpacked into `folder`;
/// `None`, with a word why, where it is one of the latter and not there.
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

/// The content of a file of one zstd frame.
pub(crate) fn unpack(packed: &Path) -> Vec<u8> {
    let packed = BufReader::new(File::open(packed).expect("the file opens"));
    let mut bytes = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed).expect("a zstd file");
    decoder.read_to_end(&mut bytes).expect("a whole zstd frame");
    bytes
}

/// A tool's path. `None`: it is not installed; the caller skips what needs it, which this has said.
///
/// `nsys` is the calling thread's, and so its test's, until it ends: two sessions that start at the same time fail now
/// and then, before the program has begun.
///
/// # Panics
/// The tool is not installed, but the variable `WEFT_TEST_REQUIRE` (names with commas) has its name.
pub(crate) fn tool(name: &str) -> Option<PathBuf> {
    tool_by(name, name)
}

/// The same, of a tool whose `program` has another name.
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

/// Waits until no other test uses nsys, in whichever process it runs.
fn take_nsys() {
    thread_local! {
        static TAKEN: RefCell<Option<File>> = const { RefCell::new(None) };
    }
    TAKEN.with_borrow_mut(|taken| {
        if taken.is_none() {
            let path = weft_path().with_file_name("nsys-in-tests.lock");
            let file = File::create(path).expect("a file beside the binaries");
            file.lock().expect("a lock");
            *taken = Some(file);
        }
    });
}

/// Runs a command that runs a program under nsys. On a busy machine nsys 2022.4 fails about once in fifty sessions before
/// the program begins, in one of several ways ("Connection reset by peer", "End of file", `sem_open`): it leaves no report,
/// the program has printed nothing, and the command is tried again.
pub(crate) fn under_nsys(make: impl Fn() -> Command) -> assert_cmd::assert::Assert {
    until_nsys_begins(make, |output, said| {
        !output.stdout.is_empty() || !said.contains("weft: nsys wrote no report ")
    })
}

/// The same of so many ranks, of which each prints its number.
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

/// How long a program under nsys may take before nsys counts as hanging.
const LONGEST_NSYS: Duration = Duration::from_secs(120);
/// How often a run under nsys is tried.
pub(crate) const NSYS_TRIES: usize = 5;

/// Runs a command until what it says shows that its program began, some times at most.
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

/// A folder to stand for PATH, with links to these programs of the machine only.
pub(crate) fn path_with(programs: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in programs {
        let target = tool(name).expect("the program is on every machine");
        std::os::unix::fs::symlink(target, folder.path().join(name)).expect("a link");
    }
    folder
}

/// Names of the files in a folder, sorted.
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

/// Whether this process ignores a signal, as under nohup, and so what it starts does; says so.
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

/// A program that runs in the background and is ended with this value.
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
        // It has ended where the test went well.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
