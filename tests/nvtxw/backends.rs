//! NVTXW backends for tests, compiled when they are needed with NVIDIA's own headers, which are
//! fetched once. Their report has a line of JSON for every call.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// The two ABIs.
pub(crate) const ABIS: [&str; 2] = ["v1", "v2"];

/// Returns the folder with NVIDIA's headers, `v1/` and `v2/`. Prints a message and returns `None`
/// if they are not available, or if there is no C compiler; the caller then skips its checks.
///
/// # Panics
/// Panics if the headers or the compiler are missing, and `WEFT_TEST_REQUIRE` names `nvtxw-headers`
/// or `cc`.
pub(crate) fn headers() -> Option<&'static Path> {
    static HEADERS: OnceLock<Option<PathBuf>> = OnceLock::new();
    let headers = HEADERS.get_or_init(|| {
        if Command::new("cc").arg("--version").output().is_err() {
            return skip("cc", "no C compiler is here");
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nvtxw-headers");
        let fetch = source_folder().join("fetch-headers.sh");
        let output = Command::new("bash").arg(fetch).arg(&folder).output();
        match output {
            Ok(output) if output.status.success() => Some(folder),
            Ok(output) => skip("nvtxw-headers", &String::from_utf8_lossy(&output.stderr)),
            Err(error) => skip("nvtxw-headers", &error.to_string()),
        }
    });
    headers.as_deref()
}

/// Returns the backend of an ABI, compiled with these definitions.
pub(crate) fn backend(abi: &str, defines: &[&str]) -> Option<PathBuf> {
    let headers = headers()?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nvtxw-backends");
    fs::create_dir_all(&folder).expect("a folder");
    let plain = |char: char| {
        if char.is_ascii_alphanumeric() {
            char
        } else {
            '_'
        }
    };
    let name: String = [&[abi], defines]
        .concat()
        .join("-")
        .chars()
        .map(plain)
        .collect();
    let library = folder.join(format!("lib{name}.so"));
    // Other tests may have the library loaded while this one builds it again.
    let part = tempfile::NamedTempFile::new_in(&folder).expect("a temporary file");
    let output = Command::new("cc")
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror"])
        .args(["-shared", "-fPIC", "-fvisibility=hidden"])
        .arg("-I")
        .arg(headers.join(abi))
        .args(defines.iter().map(|define| format!("-D{define}")))
        .arg(source_folder().join(format!("backend_{abi}.c")))
        .arg("-o")
        .arg(part.path())
        .output()
        .expect("a started compiler");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    part.persist(&library).expect("a renamed library");
    Some(library)
}

/// Returns the calls that a backend recorded.
pub(crate) fn calls(report: &Path) -> Vec<Value> {
    let text = fs::read_to_string(report).expect("a report of UTF-8");
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Returns the calls of one function.
pub(crate) fn of<'a>(calls: &'a [Value], name: &str) -> Vec<&'a Value> {
    calls.iter().filter(|call| call["call"] == name).collect()
}

/// Returns the fields of the event written by a call of `EventWrite`: those of its last payload.
pub(crate) fn event(call: &Value) -> &Value {
    let payloads = call["payloads"].as_array().expect("payloads");
    &payloads.last().expect("a payload")["fields"]
}

fn source_folder() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("a repository").join("tests/nvtxw")
}

fn skip(tool: &str, reason: &str) -> Option<PathBuf> {
    let required = env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
    assert!(
        !required.split(',').any(|required| required.trim() == tool),
        "{reason}"
    );
    eprintln!("skipped: NVIDIA's headers of NVTXW cannot be used: {reason}");
    None
}
