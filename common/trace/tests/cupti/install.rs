//! The places of the installed pip packages.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// A version of CUPTI installed by pip.
pub(crate) struct Install {
    /// The path of the library.
    pub(crate) library: PathBuf,
    /// The folders with headers.
    pub(crate) includes: Vec<PathBuf>,
    /// The version suffixes of the structs in the header, by name; none for a struct of the first
    /// version.
    pub(crate) structs: &'static [(&'static str, &'static str)],
    /// The `cuptiGetVersion` of the library.
    pub(crate) version: u32,
}

/// Returns CUDA 13.0.
pub(crate) fn cuda_13() -> Option<Install> {
    let packages = packages("cupti13")?;
    Some(Install {
        library: packages.join("cu13/lib/libcupti.so.13"),
        includes: vec![packages.join("cu13/include")],
        structs: &[
            ("CUpti_ActivityKernel", "10"),
            ("CUpti_ActivityMemcpy", "6"),
            ("CUpti_ActivityMemcpyPtoP", "4"),
            ("CUpti_ActivityMemset", "4"),
            ("CUpti_ActivityMemory", "4"),
            ("CUpti_ActivitySynchronization", "2"),
            ("CUpti_ActivityOverhead", "3"),
            ("CUpti_ActivityGraphTrace", "2"),
            ("CUpti_ActivityUnifiedMemoryCounter", "3"),
        ],
        version: 130_001,
    })
}

/// Returns CUDA 12.4.
pub(crate) fn cuda_12() -> Option<Install> {
    let packages = packages("cupti12")?;
    Some(Install {
        library: packages.join("cuda_cupti/lib/libcupti.so.12"),
        includes: vec![
            packages.join("cuda_cupti/include"),
            packages.join("cuda_runtime/include"),
        ],
        structs: &[
            ("CUpti_ActivityKernel", "9"),
            ("CUpti_ActivityMemcpy", "5"),
            ("CUpti_ActivityMemcpyPtoP", "4"),
            ("CUpti_ActivityMemset", "4"),
            ("CUpti_ActivityMemory", "3"),
            ("CUpti_ActivityOverhead", "3"),
            ("CUpti_ActivityGraphTrace", "2"),
            ("CUpti_ActivityUnifiedMemoryCounter", "2"),
        ],
        version: 22,
    })
}

/// Returns the folder `nvidia` of an environment. Prints a reason and returns `None` if there is
/// none.
fn packages(tool: &str) -> Option<PathBuf> {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("venv-{tool}"));
    let pythons = fs::read_dir(venv.join("lib")).ok();
    let found = pythons.into_iter().flatten().flatten().find_map(|python| {
        let packages = python.path().join("site-packages/nvidia");
        packages.is_dir().then_some(packages)
    });
    if found.is_none() {
        skip(
            tool,
            &format!(
                "{} has no packages of NVIDIA's; tests/cupti/install.sh brings them",
                venv.display()
            ),
        );
    }
    found
}

/// Reports that a test is skipped, which is a failure if `WEFT_TEST_REQUIRE` lists the missing
/// tool.
pub(crate) fn skip(tool: &str, reason: &str) {
    let required = env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
    assert!(
        !required.split([',', ' ']).any(|name| name == tool),
        "{reason}"
    );
    eprintln!("skipped: {reason}");
}
