//! Programs on emulated GPUs.

#![allow(clippy::expect_used, reason = "a failed helper fails its test")]

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use tempfile::TempDir;

use super::support::Command;
use super::support::example::{export, export_incomplete, export_with};

/// The time that a program may take before it counts as hanging.
const LONGEST: Duration = Duration::from_secs(240);

/// The results of a program.
pub(crate) struct Ran {
    folder: TempDir,
    /// Its output.
    pub(crate) printed: String,
    /// Its errors.
    pub(crate) said: String,
    /// The exit status; `None` if a signal ended it, or it was killed as hanging.
    pub(crate) code: Option<i32>,
}

impl Ran {
    /// Runs a program with a profile on this many of two emulated GPUs. `change` can modify the
    /// command.
    pub(crate) fn of(
        program: &Path,
        args: &[&str],
        gpus: u32,
        seed: u64,
        flags: &str,
        change: impl FnOnce(&mut Command),
    ) -> Ran {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new(program);
        emulate(&mut command, folder.path(), 2, seed);
        let flags = format!("--profile --gpus {gpus} --min-gpu-chunk 64 {flags}");
        command
            .current_dir(folder.path())
            .env("WEFT_CONFIG", flags)
            .env("RUST_BACKTRACE", "0")
            .env_remove("NVTX_INJECTION64_PATH")
            .timeout(LONGEST)
            .args(args);
        change(&mut command);
        let output = command.output().expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran {
            folder,
            printed: text(&output.stdout),
            said: text(&output.stderr),
            code: output.status.code(),
        }
    }

    /// Returns the joined file.
    pub(crate) fn database(&self) -> Connection {
        let prof = self.folder.path().join("weft_0.prof");
        export(&[&prof], self.folder.path())
    }

    /// Returns the joined file of a run whose records are incomplete.
    #[allow(dead_code, reason = "not every test target loses records")]
    pub(crate) fn incomplete_database(&self) -> Connection {
        let prof = self.folder.path().join("weft_0.prof");
        export_incomplete(&[&prof], self.folder.path())
    }

    /// Returns the joined file of a run that ended with an error. `status` is the exit status of
    /// the export: 3 if GPU work has no record.
    pub(crate) fn partial_database(&self, status: i32) -> Connection {
        let prof = self.folder.path().join("weft_0.prof");
        export_with(&[status], &[&prof], self.folder.path())
    }
}

/// Returns whether programs can run on emulated GPUs. Prints a message if this machine has no C++
/// compiler for the emulator.
///
/// # Panics
/// Panics if a compiler is missing, and the variable `WEFT_TEST_REQUIRE` contains `c++`.
pub(crate) fn can_emulate() -> bool {
    let can = cuda_emulator::host::Module::can_compile();
    if !can {
        let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
        assert!(
            !required.split(',').any(|name| name.trim() == "c++"),
            "there is no C++ compiler, but WEFT_TEST_REQUIRE names it"
        );
        eprintln!("skipped: there is no C++ compiler");
    }
    can
}

/// Sets a command up for emulated GPUs; `folder` holds Weft's cached kernels.
pub(crate) fn emulate(command: &mut Command, folder: &Path, gpus: u32, seed: u64) {
    let libraries =
        cuda_emulator::folder().expect("the emulator, which Cargo builds with this test");
    for name in [
        "CUDA_VISIBLE_DEVICES",
        "CUDA_HOME",
        "CUDA_PATH",
        "WEFT_NVRTC",
        "WEFT_CUBLAS",
        "WEFT_CUFFT",
        "WEFT_CUSOLVER",
        "WEFT_CUPTI",
        "WEFT_KERNEL_BUNDLE",
    ] {
        command.env_remove(name);
    }
    command
        .env("LD_LIBRARY_PATH", libraries)
        .env("WEFT_CACHE", folder.join("kernels"))
        .env("WEFT_EMULATED_GPUS", gpus.to_string())
        .env("WEFT_EMULATED_SEED", seed.to_string());
}
