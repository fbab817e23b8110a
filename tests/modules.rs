//! The order of modules: within each crate, modules use each other in one direction, so that each
//! can be read with those below it alone.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use crate::graph;
use crate::support;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use cargo_metadata::MetadataCommand;
use graph::{Circle, Uses};
use support::repository;

/// A circle of modules that is accepted.
struct Accepted {
    package: &'static str,
    /// The module that contains them; empty for the root of the crate.
    within: &'static str,
    /// The modules, sorted.
    modules: &'static [&'static str],
    reason: &'static str,
}

const fn accepted(
    package: &'static str,
    within: &'static str,
    modules: &'static [&'static str],
    reason: &'static str,
) -> Accepted {
    Accepted {
        package,
        within,
        modules,
        reason,
    }
}

/// The accepted circles. The list may only become shorter: a circle that is gone, or smaller than
/// listed, fails the test.
const ACCEPTED: &[Accepted] = &[
    accepted(
        "weft-tools",
        "",
        &["args", "command"],
        "the arguments of all commands are one type, by which the dispatch selects the command",
    ),
    accepted(
        "weft-trace",
        "file::write",
        &["keeper", "life", "shared"],
        "a file registers with the keeper, which finishes all files when the process ends",
    ),
    accepted(
        "weft-python",
        "",
        &[
            "array",
            "dtype",
            "error",
            "hooks",
            "index",
            "kind",
            "known",
            "lazy",
            "linear",
            "masked",
            "operand",
            "plain",
            "primitive",
            "rolled",
            "scalar",
            "select",
            "task",
            "ufunc",
            "whole",
        ],
        "classes and conversions of Python's arrays create each other's objects",
    ),
    accepted(
        "weft-python",
        "",
        &["frame", "run"],
        "a run of Python code enters a frame, whose place is that of the current run",
    ),
    accepted(
        "weft-array",
        "",
        &["cuda", "library"],
        "a descriptor holds its GPU kernels, which read the parameters of the descriptor",
    ),
    accepted(
        "weft-core",
        "define",
        &[
            "builder",
            "cuda",
            "definition",
            "foreign",
            "gpu",
            "kernel",
            "plan",
            "remedy",
        ],
        "a definition holds its bodies and plans, which refer to the definition",
    ),
    accepted(
        "weft-core",
        "device",
        &[
            "alone", "cpu", "cuda", "executor", "mpi", "posted", "queues",
        ],
        "an executor holds the queues and the ranks; queued messages hold memory of GPUs, and ranks run messages by an executor",
    ),
    accepted(
        "weft-core",
        "device::cpu",
        &["exchange", "omp", "together"],
        "tiles that run together take threads of a group, and exchange values with tiles of other ranks",
    ),
    accepted(
        "weft-core",
        "device::cuda",
        &["arrival", "completion", "foresee", "gpus", "host"],
        "the state of all GPUs holds the queues of its threads, which work on that state",
    ),
    accepted(
        "weft-core",
        "device::mpi",
        &["flight", "gather"],
        "a message under way may belong to a gather, which ends as one",
    ),
    accepted(
        "weft-core",
        "device::mpi",
        &["net", "request"],
        "the network starts requests, and a request returns its buffers to the network",
    ),
    accepted(
        "weft-core",
        "memory",
        &["instance", "pool", "residence", "slot", "store"],
        "a store holds memory of pools, and a pool lists the stores that hold its memory",
    ),
    accepted(
        "weft-core",
        "observe::cupti",
        &["buffers", "collector", "safe"],
        "CUPTI fills buffers for the collector, and the collector takes names from CUPTI",
    ),
    accepted(
        "weft-core",
        "operation",
        &["descriptor", "gpu", "kernels"],
        "a descriptor holds kernels; their GPU functions take a job, which holds the descriptor",
    ),
    accepted(
        "weft-core",
        "operation::gpu",
        &["code", "factor", "work"],
        "work names the kernels to launch, and the code of kernels is launched as work",
    ),
    accepted(
        "weft-core",
        "operation::gpu::code",
        &["elementwise", "kernel"],
        "the key of a chain is a variant of the key of any kernel, to save an allocation per launch",
    ),
    accepted(
        "weft-elements",
        "dtype",
        &["cast", "comparable", "element", "half", "number", "scalar"],
        "the traits of elements have each other as bounds",
    ),
    accepted(
        "weft-kernels",
        "elementwise",
        &["cast", "complex", "declaration", "half"],
        "loops select those of float16 and complex elements, which call them again on blocks of floats",
    ),
    accepted(
        "cuda-emulator",
        "",
        &["cupti", "driver", "machine", "nvrtc"],
        "as in NVIDIA's libraries, CUPTI observes the driver, and both name each other's functions",
    ),
    accepted(
        "cuda-emulator",
        "cupti",
        &["activity", "call", "layout", "session"],
        "a session writes records, whose layout depends on the session's version",
    ),
    accepted(
        "nvtx-recorder",
        "",
        &["call", "entry"],
        "each function records calls for the entry point, which lists all functions",
    ),
    accepted(
        "weft-view",
        "",
        &["api", "by_column", "database", "site", "state", "why"],
        "the state keeps answers of requests, which are computed from the state",
    ),
    accepted(
        "weft-timeline",
        "",
        &["build", "counter", "file", "write"],
        "a file is written while it is built, from the parts built so far",
    ),
];

/// Returns the uses of files in each crate of the workspace, with the crate's name.
fn crates() -> Vec<(String, Uses)> {
    let metadata = MetadataCommand::new()
        .manifest_path(repository().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    let mut crates = Vec::new();
    for package in metadata.workspace_packages() {
        let roots = package.targets.iter().filter(|target| {
            let is_product = target.is_lib() || target.is_bin() || target.is_proc_macro();
            is_product || target.is_cdylib() || target.is_rlib()
        });
        for root in roots {
            let uses = graph::read(root.src_path.as_std_path());
            crates.push((package.name.to_string(), uses));
        }
    }
    let files: usize = crates.iter().map(|(_, uses)| uses.len()).sum();
    assert!(files > 1000, "the sources were found: {files} files");
    crates
}

#[test]
fn modules_have_no_circular_uses_except_accepted_ones() {
    let mut accepted: Vec<&Accepted> = ACCEPTED.iter().collect();
    let mut problems = Vec::new();
    for (package, uses) in crates() {
        for circle in graph::circles(&uses) {
            let Circle {
                within, modules, ..
            } = &circle;
            let known = accepted.iter().position(|known| {
                known.package == package
                    && known.within == within
                    && modules
                        .iter()
                        .any(|one| known.modules.contains(&one.as_str()))
            });
            let Some(known) = known.map(|at| accepted.swap_remove(at)) else {
                problems.push(format!(
                    "{package}: modules of `{within}` use each other in a circle; move what two of them need below both:\n{circle}"
                ));
                continue;
            };
            if modules
                .iter()
                .any(|one| !known.modules.contains(&one.as_str()))
            {
                problems.push(format!(
                    "{package}: the circle in `{within}` was {:?} and is larger now:\n{circle}",
                    known.modules
                ));
            } else if known.modules.len() > modules.len() {
                problems.push(format!(
                    "{package}: the circle in `{within}` is smaller now; list {modules:?}"
                ));
            }
        }
    }
    problems.extend(accepted.iter().map(|gone| {
        format!(
            "{}: the circle of {:?} in `{}` is gone; remove it from the list ({})",
            gone.package, gone.modules, gone.within, gone.reason
        )
    }));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Returns the layers of the core as ARCHITECTURE.md draws them, top first.
fn layers_of_core() -> Vec<Vec<String>> {
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("UTF-8");
    let (_, picture) = text
        .split_once("```layers\n")
        .expect("ARCHITECTURE.md draws the layers of the core");
    let (picture, _) = picture.split_once("```").expect("the picture ends");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    picture.lines().map(words).collect()
}

#[test]
fn core_uses_only_lower_layers() {
    let layers = layers_of_core();
    let layer_of = |file: &str| {
        let folder = file.split("::").next().unwrap_or_default();
        layers
            .iter()
            .position(|layer| layer.iter().any(|name| name == folder))
            .unwrap_or_else(|| panic!("ARCHITECTURE.md: `{folder}` is in no layer of the core"))
    };
    let root: PathBuf = repository().join("runtime/core/src");
    let uses = graph::read(&root.join("lib.rs"));
    let mut wrong = BTreeSet::new();
    for (from, used) in uses.iter().filter(|(from, _)| !from.is_empty()) {
        for (to, paths) in used.iter().filter(|(to, _)| !to.is_empty()) {
            let folder = |file: &str| file.split("::").next().map(str::to_owned);
            if folder(from) != folder(to) && layer_of(to) <= layer_of(from) {
                wrong.insert(format!("{from} uses {to}: {paths:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "ARCHITECTURE.md forbids: {wrong:#?}");
    for name in layers.iter().flatten() {
        let exists = ["", ".rs"].map(|end| root.join(format!("{name}{end}")).exists());
        assert!(
            exists.contains(&true),
            "ARCHITECTURE.md: `{name}` does not exist"
        );
    }
    assert!(uses.len() > 200, "the files of the core were found");
}
