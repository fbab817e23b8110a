//! Tools that a test may need and a machine may lack.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and reports what it skips"
)]

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Prints that a tool is absent. Panics if `WEFT_TEST_REQUIRE` names the tool.
pub(crate) fn absent<T>(name: &str, why: &str) -> Option<T> {
    let required = env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
    let required = required.split(',').any(|required| required.trim() == name);
    assert!(!required, "{name} is required but {why}");
    println!("skipped: {name}: {why}");
    None
}

/// Returns the program that the variable names, or else the one on PATH.
pub(crate) fn program(name: &str, variable: &str) -> Option<PathBuf> {
    if let Some(path) = env::var_os(variable) {
        return Some(path.into());
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let path = env::split_paths(&folders).map(|folder| folder.join(name));
    let found = path.into_iter().find(|path| path.is_file());
    found.or_else(|| absent(name, &format!("not on PATH, and {variable} names none")))
}

/// Returns a Python with this version of a package from PyPI, in its own environment in the
/// target folder.
pub(crate) fn python_with(package: &str, version: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("venv-{package}"));
    let python = folder.join("bin/python");
    // Several test programs may need it at the same time.
    let lock = std::fs::File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    let has = || {
        let import = Command::new(&python)
            .args(["-c", &format!("import {package}, google.protobuf")])
            .output();
        import.is_ok_and(|output| output.status.success())
    };
    if has() {
        return Some(python);
    }
    let make = Command::new("python3")
        .args(["-m", "venv"])
        .arg(&folder)
        .output();
    if let Some(why) = failure(make) {
        return absent(package, &format!("python3 -m venv failed: {why}"));
    }
    let install = Command::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            &format!("{package}~={version}"),
            "protobuf",
        ])
        .output();
    if let Some(why) = failure(install) {
        return absent(package, &format!("pip could not install it: {why}"));
    }
    assert!(has(), "pip installed {package}, but it cannot be imported");
    Some(python)
}

/// Returns the reason why a command failed, if it did.
pub(crate) fn failure(output: std::io::Result<Output>) -> Option<String> {
    match output {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Some(error.to_string()),
    }
}
