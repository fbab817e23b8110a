//! The layering of the workspace, and the sizes of its files.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand};
use support::repository;

/// The crates of the workspace that each crate may be built with. Dependences of its tests are not
/// restricted.
const LAYERS: [(&str, &[&str]); 23] = [
    ("weft-macros", &[]),
    ("weft-trace", &[]),
    ("weft-config", &[]),
    ("weft-files", &[]),
    ("weft-geometry", &[]),
    ("weft-numeric", &[]),
    ("weft-elements", &["weft-geometry"]),
    ("weft-kernels", &["weft-elements", "weft-numeric"]),
    (
        "weft-core",
        &[
            "weft-config",
            "weft-elements",
            "weft-files",
            "weft-geometry",
            "weft-trace",
        ],
    ),
    (
        "weft-array",
        &[
            "weft-config",
            "weft-core",
            "weft-files",
            "weft-geometry",
            "weft-kernels",
            "weft-macros",
            "weft-trace",
        ],
    ),
    // It enables a feature that tests need.
    ("weft-features", &["weft-core"]),
    ("weft-model", &["weft-files", "weft-geometry", "weft-trace"]),
    (
        "weft-database",
        &["weft-files", "weft-geometry", "weft-model", "weft-trace"],
    ),
    (
        "weft-input",
        &[
            "weft-database",
            "weft-files",
            "weft-geometry",
            "weft-model",
            "weft-trace",
        ],
    ),
    ("weft-join", &["weft-model", "weft-trace"]),
    ("weft-critical", &["weft-model", "weft-trace"]),
    (
        "weft-output",
        &[
            "weft-critical",
            "weft-database",
            "weft-files",
            "weft-geometry",
            "weft-join",
            "weft-model",
            "weft-trace",
        ],
    ),
    (
        "weft-nvtx-export",
        &[
            "weft-database",
            "weft-files",
            "weft-input",
            "weft-join",
            "weft-model",
            "weft-output",
        ],
    ),
    (
        "weft-analysis",
        &["weft-critical", "weft-geometry", "weft-model", "weft-trace"],
    ),
    (
        "weft-timeline",
        &["weft-database", "weft-files", "weft-model", "weft-trace"],
    ),
    ("weft-python", &["weft-array", "weft-config"]),
    (
        "weft-tools",
        &[
            "weft-analysis",
            "weft-config",
            "weft-files",
            "weft-input",
            "weft-model",
            "weft-nvtx-export",
            "weft-output",
            "weft-timeline",
            "weft-trace",
            "weft-view",
        ],
    ),
    (
        "weft-view",
        &[
            "weft-analysis",
            "weft-files",
            "weft-model",
            "weft-nvtx-export",
            "weft-timeline",
        ],
    ),
];

/// The allowed dependences of an example.
const EXAMPLE: &[&str] = &["weft-array"];

/// The allowed dependences of tools for tests.
const TOOL: &[&str] = &[];

fn may_use(name: &str, folder: &Path) -> &'static [&'static str] {
    let layer = LAYERS.iter().find(|(layer, _)| *layer == name);
    match layer {
        Some((_, allowed)) => allowed,
        None if folder.starts_with(repository().join("examples")) => EXAMPLE,
        None if folder.starts_with(repository().join("tests")) => TOOL,
        None => panic!("{name}: no layer is known for it; add one here and in ARCHITECTURE.md"),
    }
}

#[test]
fn crates_depend_on_lower_layers_only() {
    let metadata = MetadataCommand::new()
        .manifest_path(repository().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    let own: BTreeSet<&str> = metadata
        .workspace_packages()
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    for (layer, _) in LAYERS {
        assert!(own.contains(layer), "the crate {layer} is in the workspace");
    }
    for package in metadata.workspace_packages() {
        let folder = package.manifest_path.parent().expect("a folder");
        let allowed = may_use(&package.name, folder.as_std_path());
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            let built_with = dependency.kind != DependencyKind::Development;
            if built_with && own.contains(name) {
                assert!(
                    allowed.contains(&name),
                    "{} may not depend on {name}",
                    package.name
                );
            }
        }
    }
}

/// Returns the lines of `cargo tree` in this format, each once.
fn tree(format: &str, args: &[&str]) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = std::process::Command::new(cargo)
        .args(["tree", "--locked", "--prefix", "none"])
        .args(["--format", format])
        .args(args)
        .arg("--manifest-path")
        .arg(repository().join("Cargo.toml"))
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{output:?}");
    let tree = String::from_utf8_lossy(&output.stdout);
    // Repeated entries are marked.
    let lines = tree.lines().map(|line| line.trim_end_matches(" (*)"));
    lines.map(str::to_owned).collect()
}

/// The core runs the operations of any library, those of arrays like others. It is built without
/// the array library, also for its tests, and its sources name none of its functions.
#[test]
fn core_does_not_depend_on_array_functions() {
    let tree = tree(
        "{p}",
        &["-p", "weft-core", "--edges", "all", "--all-features"],
    );
    let names: BTreeSet<&str> = tree
        .iter()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(names.contains("weft-elements"), "{names:?}");
    for name in ["weft-array", "weft-kernels", "weft-numeric"] {
        assert!(!names.contains(name), "weft-core is built with {name}");
    }
    let mut seen = 0;
    for path in sources()
        .keys()
        .filter(|path| path.starts_with("runtime/core"))
    {
        let text = fs::read_to_string(repository().join(path)).expect("UTF-8");
        for (at, line) in text.lines().enumerate() {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let named = words.find(|word| OF_ARRAYS.contains(word));
            assert_eq!(named, None, "{}:{}: {line}", path.display(), at + 1);
        }
        seen += 1;
    }
    assert!(seen > 100, "the core's sources were found: {seen}");
}

/// Names that only the array library uses.
const OF_ARRAYS: [&str; 10] = [
    "UnaryOp",
    "BinaryOp",
    "ReduceOp",
    "ScanOp",
    "FourierOp",
    "FactorOp",
    "DynArray",
    "NumPy",
    "weft_array",
    "weft_kernels",
];

/// Parts that need more than a Rust toolchain are a workspace of their own, or a feature that is
/// off. The default build has none of them.
#[test]
fn default_build_does_not_need_libclang() {
    let tree = tree("{p}", &["--workspace", "--edges", "all"]);
    let has = |name: &str| tree.iter().any(|line| line.split(' ').next() == Some(name));
    assert!(has("weft-array") && has("libc"), "{tree:?}");
    for name in ["bindgen", "clang-sys", "mpi", "nvtx", "nvtx-sys"] {
        assert!(!has(name), "{name} is built by default");
    }
}

/// Libraries have the same features in every build as in the build of all tests; otherwise most of
/// the workspace would be compiled again. `tests/features` adds the missing ones.
#[test]
fn partial_builds_use_workspace_features() {
    let format = "{p} {f}";
    // Our own crates have features for families of functions, which programs may disable.
    let libraries = |args: &[&str]| -> BTreeSet<String> {
        let lines = tree(format, args).into_iter();
        lines.filter(|line| !line.starts_with("weft-")).collect()
    };
    let whole = libraries(&["--workspace"]);
    let parts: [&[&str]; 3] = [
        // The default selection.
        &[],
        // As in `tests/mpi` and `python/package.sh`.
        &[
            "-p",
            "weft-array",
            "-p",
            "weft-tools",
            "-p",
            "weft-features",
        ],
        &[
            "-p",
            "weft-python",
            "-p",
            "weft-tools",
            "-p",
            "weft-features",
        ],
    ];
    for part in parts {
        let built = libraries(&[part, &["--edges", "normal,build"]].concat());
        assert!(built.len() > 100, "{built:?}");
        let other: Vec<_> = built.difference(&whole).collect();
        assert!(other.is_empty(), "features of {part:?} alone: {other:?}");
    }
}

/// Returns every Rust file of the repository with its number of lines.
fn sources() -> BTreeMap<PathBuf, usize> {
    let mut sources = BTreeMap::new();
    let mut folders = vec![repository().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            if path.is_dir() && !name.starts_with('.') && name != "target" {
                folders.push(path);
            } else if is_rust {
                let text = fs::read_to_string(&path).expect("UTF-8");
                let path = path.strip_prefix(repository()).expect("below");
                sources.insert(path.to_owned(), text.lines().count());
            }
        }
    }
    sources
}

#[test]
fn files_are_small() {
    let sources = sources();
    for (path, lines) in &sources {
        assert!(*lines <= 800, "{} has {lines} lines", path.display());
    }
    let mut sizes: Vec<usize> = sources.values().copied().collect();
    sizes.sort_unstable();
    let median = sizes[sizes.len() / 2];
    assert!(median <= 150, "the median file has {median} lines");
    assert!(sizes.len() > 100, "all files were found");
}

#[test]
fn no_crate_exceeds_a_fifth_of_the_source() {
    let metadata = MetadataCommand::new()
        .manifest_path(repository().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    let packages = metadata.workspace_packages();
    let folders = packages.iter().map(|package| {
        let folder = package.manifest_path.parent().expect("a folder");
        folder.strip_prefix(repository()).expect("below").to_owned()
    });
    let folders: Vec<_> = folders.collect();
    // A file belongs to the innermost crate around it.
    let mut lines: BTreeMap<&Path, usize> = BTreeMap::new();
    for (path, count) in sources() {
        let around = folders.iter().filter(|folder| path.starts_with(folder));
        if let Some(folder) = around.max_by_key(|folder| folder.as_str().len()) {
            *lines.entry(folder.as_std_path()).or_default() += count;
        }
    }
    let all: usize = lines.values().sum();
    assert!(all > 100_000, "the sources were found: {all} lines");
    for (folder, count) in lines {
        assert!(
            5 * count <= all,
            "{} has {count} of {all} lines",
            folder.display()
        );
    }
}

/// Builds differ in `device/` only, and in whole families of array functions. Code for tests is not
/// part of a program's build.
#[test]
fn stages_declare_no_features() {
    let stages = [
        "runtime/elements/src",
        "runtime/kernels/src",
        "runtime/core/src",
        "runtime/array/src",
        "common/trace/src",
        "common/config/src",
        "nvtx-export",
        "analysis",
        "view/timeline/src",
    ];
    for path in sources().keys() {
        let is_stage = stages.iter().any(|stage| path.starts_with(stage));
        let is_device = path
            .with_extension("")
            .starts_with("runtime/core/src/device");
        if !is_stage || is_device {
            continue;
        }
        let text = fs::read_to_string(repository().join(path)).expect("UTF-8");
        let lines = text.lines().zip(text.lines().skip(1).chain([""]));
        for (at, (line, next)) in lines.enumerate() {
            // Families of functions are whole modules.
            let is_module = next.contains("mod ") || next.contains(" use ");
            let is_family = ["linalg", "fft"].iter().any(|name| line.contains(name));
            let line = line.replace("feature = \"testing\"", "");
            let choice = line.contains("cfg") && line.contains("feature =");
            let is_allowed = is_module && is_family;
            assert!(
                !choice || is_allowed,
                "{}:{}: {line}",
                path.display(),
                at + 1
            );
        }
    }
}

#[test]
fn modules_are_named_after_their_folders() {
    for path in sources().keys() {
        assert!(!path.ends_with("mod.rs"), "{}", path.display());
    }
}

/// The stages of the array library, each with those it may use, and the modules that all of them
/// share. Data goes one way: a call is lowered to operations, which are descriptors with kernels.
const STAGES: [(&str, &[&str]); 3] = [
    ("program", &["lower"]),
    ("lower", &["library"]),
    // The kernels for GPUs are part of the descriptors.
    ("library", &["cuda"]),
];

/// Modules of the array library below its stages.
const VOCABULARY: [&str; 3] = ["dtype", "kernel", "shape"];

/// Returns the sources of a stage of the array library without their tests: path within
/// `runtime/array/src`, and code.
fn stage(name: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new("runtime/array/src");
    let of_stage = |path: &PathBuf| {
        let inner = path.strip_prefix(root).ok()?.to_owned();
        let first = inner.components().next()?.as_os_str().to_owned();
        let is_inside = Path::new(&first).with_extension("") == Path::new(name);
        let text = fs::read_to_string(repository().join(path)).ok()?;
        let is_code = !inner.ends_with("tests.rs");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let code = lines.collect::<Vec<_>>().join("\n");
        (is_inside && is_code).then_some((inner, code))
    };
    let files: Vec<_> = sources().keys().filter_map(of_stage).collect();
    assert!(files.len() > 10, "{name}: {files:?}");
    files
}

/// Returns the words of code.
fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn array_stages_use_only_lower_stages() {
    for (name, below) in STAGES {
        for (path, code) in stage(name) {
            for (at, _) in code.match_indices("crate::") {
                let path_of_crate = &code[at + "crate::".len()..];
                // The name of another crate may end this way, as may `$crate`.
                let before = code[..at].chars().next_back();
                if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                    continue;
                }
                let used = words(path_of_crate).next().unwrap_or_default();
                let is_allowed =
                    used == name || below.contains(&used) || VOCABULARY.contains(&used);
                assert!(is_allowed, "{}: crate::{used}", path.display());
            }
            // Paths through the modules above are not allowed either.
            let depth = path.components().count() - 1;
            let out = "super::".repeat(depth + 1);
            assert!(!code.contains(&out), "{}: {out}", path.display());
        }
    }
}

/// Operations on arrays are submitted by the stage that lowers calls, and the line of a call is
/// determined where the program calls.
#[test]
fn only_one_stage_lowers_calls() {
    let named = |stage_name: &str, word: &str| -> Vec<PathBuf> {
        let files = stage(stage_name).into_iter();
        let naming = files.filter(|(_, code)| words(code).any(|own| own == word));
        naming.map(|(path, _)| path).collect()
    };
    for (stage_name, word) in [
        ("program", "Request"),
        ("program", "submit"),
        ("library", "Request"),
        ("library", "submit"),
        ("lower", "track_caller"),
        ("lower", "caller"),
        ("library", "caller"),
    ] {
        let files = named(stage_name, word);
        assert!(files.is_empty(), "{word} is named in {files:?}");
    }
    for (stage_name, word) in [("lower", "submit"), ("program", "enter_caller")] {
        let files = named(stage_name, word);
        assert!(files.len() > 10, "{word} is named in {files:?} only");
    }
}

/// The top-level folders, in the order of the path of data.
const FOLDERS: [&str; 10] = [
    "runtime",
    "common",
    "nvtx-export",
    "analysis",
    "view",
    "cli",
    "python",
    "examples",
    "tests",
    "docs",
];

#[test]
fn top_level_folders_match_the_list() {
    let entries = fs::read_dir(repository()).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").path());
    let folders: BTreeSet<String> = names
        .filter(|path| path.is_dir())
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .filter(|name| !name.starts_with('.') && name != "target" && name != "dist")
        .collect();
    let expected: BTreeSet<String> = FOLDERS.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(folders, expected);
}

/// Returns the paths in backticks: those with a folder, of letters, digits and the like.
fn named_paths(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split('`').skip(1).step_by(2);
    code.filter(|path| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
        let mut folders = FOLDERS.iter();
        path.chars().all(is_plain) && folders.any(|folder| path.starts_with(&format!("{folder}/")))
    })
}

#[test]
fn documents_name_existing_files() {
    let mut checked = 0;
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"] {
        let text = fs::read_to_string(repository().join(document)).expect("UTF-8");
        for path in named_paths(&text) {
            let exists = repository().join(path).exists();
            assert!(exists, "{document} names {path}, which does not exist");
            checked += 1;
        }
    }
    assert!(checked > 30, "paths were found: {checked}");
}
