//! Tests in their own processes, with the emulator in place of NVIDIA's libraries.

use std::cell::Cell;
use std::env;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::host::{Module, cache_folder};
use crate::install::{NAMES, install, library};

/// The variable with the number of a test's process.
const WHICH: &str = "WEFT_EMULATED_PROCESS";

/// Returns a folder with the emulator under the names of NVIDIA's libraries, made once. If it is
/// first in `LD_LIBRARY_PATH`, the emulator is loaded in their place.
pub fn folder() -> io::Result<PathBuf> {
    let library = library()?;
    let name = library.display().to_string().replace('/', "%");
    // A build for other libraries has its own folder.
    let folder = cache_folder().join(format!("links{}{name}", NAMES.len()));
    if !folder.is_dir() {
        let making = cache_folder().join(format!(
            "links.{}.{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        install(&making)?;
        if let Err(error) = std::fs::rename(&making, &folder) {
            // Another process was first, or the folder cannot be made.
            std::fs::remove_dir_all(&making)?;
            if !folder.is_dir() {
                return Err(error);
            }
        }
    }
    Ok(folder)
}

/// Sets a command up to find the emulator first.
pub fn emulate(command: &mut Command) -> io::Result<&mut Command> {
    let mut path = vec![folder()?];
    path.extend(env::split_paths(
        &env::var_os("LD_LIBRARY_PATH").unwrap_or_default(),
    ));
    let path = env::join_paths(path).map_err(io::Error::other)?;
    // Weft's variables that name NVIDIA's own libraries.
    for library in ["NVRTC", "CUBLAS", "CUFFT", "CUSOLVER", "CUPTI"] {
        command.env_remove(format!("WEFT_{library}"));
    }
    Ok(command.env("LD_LIBRARY_PATH", path))
}

/// Runs the body of a test in another process of this test binary, with these variables, and
/// returns its output. Prints a message and returns `None` on a machine without a C++ compiler.
///
/// # Panics
/// Panics if the process does not start, or tests run one after the other on the main thread, which
/// has no test's name.
#[allow(clippy::panic, clippy::print_stdout, reason = "a test cannot continue")]
pub fn end_of(variables: &[(&str, &str)], body: impl FnOnce()) -> Option<Output> {
    thread_local! {
        static CALLS: Cell<u32> = const { Cell::new(0) };
    }
    let which = CALLS.replace(CALLS.get() + 1).to_string();
    match env::var(WHICH) {
        Ok(wanted) if wanted == which => {
            body();
            std::process::exit(0);
        }
        Ok(_) => return None,
        Err(_) => {}
    }
    if !Module::can_compile() {
        let required = env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
        if required.split(',').any(|name| name.trim() == "c++") {
            panic!("there is no C++ compiler, but WEFT_TEST_REQUIRE names it");
        }
        println!("skipped: there is no C++ compiler");
        return None;
    }
    let thread = std::thread::current();
    let test = thread.name().filter(|name| *name != "main");
    let Some(test) = test else {
        panic!("the test's name is its thread's: leave out --test-threads=1");
    };
    let run = || {
        let mut command = Command::new(env::current_exe()?);
        emulate(&mut command)?
            .args([
                test,
                "--exact",
                "--nocapture",
                "--include-ignored",
                "--test-threads=2",
            ])
            .env(WHICH, which)
            .envs(variables.iter().copied())
            .output()
    };
    match run() {
        Ok(output) => Some(output),
        Err(error) => panic!("{error}"),
    }
}

/// Runs the body of a test as [`end_of`] does; the body must not fail.
///
/// # Panics
/// Panics if the body failed; its output is in the message.
#[allow(clippy::panic, reason = "a test fails by panicking")]
pub fn emulated(variables: &[(&str, &str)], body: impl FnOnce()) {
    let Some(output) = end_of(variables, body) else {
        return;
    };
    if !output.status.success() {
        let [out, err] =
            [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        panic!("{variables:?}: {}\n{out}\n{err}", output.status);
    }
}
