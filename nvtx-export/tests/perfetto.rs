//! Perfetto traces, decoded with Perfetto's own definitions by `perfetto_check.py`, and compared
//! with the database of the same trace.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::{made, support, tools};

use made::Shape;
use std::path::Path;
use std::process::Command;
use support::{Small, join, real_database, small};
use weft_model::Trace;
use weft_nvtx_export::ExportError;
use weft_output::perfetto::{self, PerfettoOptions, PerfettoReport};
use weft_output::sqlite;
use weft_trace::file::RunId;

fn dependencies() -> PerfettoOptions {
    PerfettoOptions {
        dependencies: true,
        ..PerfettoOptions::default()
    }
}

fn write_perfetto(trace: &Trace, folder: &Path, options: &PerfettoOptions) -> PerfettoReport {
    perfetto::write(trace, &folder.join("trace.pftrace"), options).unwrap()
}

/// Writes the trace and the database, and checks that each contains every row of the other. Returns
/// the report, and the maximum number of lanes of a track; `None` if Python has no `perfetto`.
fn check(trace: &Trace, options: &PerfettoOptions) -> Option<(PerfettoReport, u64)> {
    let folder = tempfile::tempdir().unwrap();
    let report = write_perfetto(trace, folder.path(), options);
    let python = tools::python_with("perfetto", "0.59")?;
    let database = folder.path().join("weft.sqlite");
    sqlite::write(trace, &database, &sqlite::WriteOptions::default()).unwrap();
    let mut command = Command::new(python);
    command
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/perfetto_check.py"))
        .arg(folder.path().join("trace.pftrace"))
        .arg(&database);
    if options.dependencies {
        command.arg("--dependencies");
    }
    if let Some(shell) = tools::program("trace_processor_shell", "TRACE_PROCESSOR_SHELL") {
        command.arg("--trace-processor").arg(shell);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let counts = serde_json::json!([report.slices, report.flows, report.samples]);
    assert_eq!(found["counts"], counts, "{said}");
    Some((report, found["lanes"].as_u64().unwrap()))
}

#[test]
fn small_run_survives_with_and_without_dependencies() {
    let (_folder, path) = small(RunId([1; 16]), 5_000, Small::default());
    let trace = join(&[path]);
    let Some((report, lanes)) = check(&trace, &PerfettoOptions::default()) else {
        return;
    };
    // Tasks, fused launch, kernels, a wait, a runtime call, an instance, the facts; each kernel has
    // its arrows.
    assert_eq!(
        (report.slices, report.flows, report.shift),
        (4 + 1 + 3 + 1 + 1 + 1 + 1, 4, 0)
    );
    // The fused tasks have equal times.
    assert_eq!(lanes, 2);
    let (report, _) = check(&trace, &dependencies()).unwrap();
    assert_eq!(report.flows, 6);
}

#[test]
fn shifts_negative_times_and_reports_the_shift() {
    let (_folder, path) = small(RunId([1; 16]), -5_000, Small::default());
    let trace = join(&[path]);
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        write_perfetto(&trace, folder.path(), &dependencies()).shift,
        4_995
    );
    check(&trace, &dependencies());
}

#[test]
fn runs_with_all_records_survive_the_export() {
    for seed in 0..4 {
        let shape = Shape {
            seed,
            ranks: 3,
            tasks: 60,
            zero: -700,
            broken: false,
        };
        let Some((report, lanes)) = check(&made::trace(shape), &dependencies()) else {
            return;
        };
        assert!(report.flows > 60 && report.samples > 60 && lanes > 1);
    }
}

#[test]
fn writes_and_counts_dangling_rows_and_disordered_times() {
    for seed in 10..14 {
        let shape = Shape {
            seed,
            ranks: 2,
            tasks: 50,
            zero: 1_000,
            broken: true,
        };
        check(&made::trace(shape), &dependencies());
    }
    check(&Trace::default(), &dependencies());
}

#[test]
fn nsys_databases_survive_with_ranges_and_api_calls() {
    for name in [
        "nsys/nsys-ai_fsdp_2gpu.sqlite.zst",
        "nsys/pipit_saxpy_mpi.sqlite.zst",
        "nsys/nsys-ai_mock.sqlite.zst",
        "legate-nsys/stencil.sqlite.zst",
    ] {
        if let Some((_folder, path)) = real_database(name) {
            check(&join(&[path]), &PerfettoOptions::default());
        }
    }
}

#[test]
fn legate_profiles_survive_the_export() {
    for name in ["legate/stencil.prof.zst", "legate/black_scholes.prof.zst"] {
        if let Some((_folder, path)) = real_database(name) {
            check(&join(&[path]), &dependencies());
        }
    }
}

#[test]
fn output_is_deterministic_and_replaced_only_with_force() {
    let shape = Shape {
        seed: 1,
        ranks: 2,
        tasks: 40,
        zero: 0,
        broken: false,
    };
    let trace = made::trace(shape);
    let folder = tempfile::tempdir().unwrap();
    write_perfetto(&trace, folder.path(), &dependencies());
    let out = folder.path().join("trace.pftrace");
    let first = std::fs::read(&out).unwrap();
    let refused = perfetto::write(&trace, &out, &dependencies()).unwrap_err();
    assert!(matches!(refused, ExportError::Exists { .. }), "{refused}");
    let force = PerfettoOptions {
        force: true,
        ..dependencies()
    };
    assert_eq!(
        perfetto::write(&trace, &out, &force).unwrap().bytes,
        first.len() as u64
    );
    assert_eq!(std::fs::read(&out).unwrap(), first);
}
