//! Reports through NVTXW backends of both ABIs, which record every call.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed helper fails its test"
)]
#![allow(dead_code, reason = "this target uses a part of the helpers")]

use crate::backends;
mod expected;
mod rich;
use crate::support;

use backends::{ABIS, backend, calls, event, of};
use expected::expected;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Small, join, small};
use tempfile::TempDir;
use weft_model::{SourceKind, Trace};
use weft_nvtx_export::{ExportError, Progress};
use weft_output::nsys_rep::{self, Report, ReportOptions, Search, Writer};
use weft_trace::file::RunId;

/// The wall clock at CLOCK_MONOTONIC 0, in the handmade traces.
const WALL: i64 = 1_700_000_000_000_000_000;

fn options(backend: Option<PathBuf>) -> ReportOptions {
    ReportOptions {
        force: false,
        merge: None,
        search: Search {
            backend,
            variable: None,
            path: "".into(),
            installation: Some("/nowhere".into()),
        },
        progress: Progress::default(),
    }
}

fn plain() -> Trace {
    let (_folder, path) = small(RunId([1; 16]), 5_000, Small::default());
    let mut trace = join(&[path]);
    trace.sources[0].wall_at_zero = Some(WALL);
    trace
}

/// A report in its own folder, with the calls that wrote it.
struct WrittenReport {
    folder: TempDir,
    report: Report,
    calls: Vec<Value>,
}

fn write(trace: &Trace, backend: &Path) -> WrittenReport {
    write_with(trace, &options(Some(backend.to_owned())))
}

fn write_with(trace: &Trace, options: &ReportOptions) -> WrittenReport {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.nsys-rep");
    let report = nsys_rep::write(trace, &out, options).unwrap();
    assert_eq!(names(folder.path()), ["out.nsys-rep"]);
    assert_eq!(report.bytes, fs::metadata(&out).unwrap().len());
    WrittenReport {
        calls: calls(&out),
        folder,
        report,
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Returns each event as its row and fields.
fn events(calls: &[Value]) -> Vec<String> {
    let events = of(calls, "EventWrite").into_iter();
    let mut events: Vec<String> = events
        .map(|call| json!([call["stream"], event(call)]).to_string())
        .collect();
    events.sort();
    events
}

/// The report has all events of the joined trace, and no others, in each ABI.
#[test]
fn events_match_the_joined_trace() {
    for trace in [plain(), rich::trace(plain())] {
        let mut wanted: Vec<String> = expected(&trace, WALL)
            .into_iter()
            .map(|(row, fields)| json!([row, fields]).to_string())
            .collect();
        wanted.sort();
        for abi in ABIS {
            let Some(backend) = backend(abi, &[]) else {
                return;
            };
            let written = write(&trace, &backend);
            let found = events(&written.calls);
            for (found, wanted) in found.iter().zip(&wanted) {
                assert_eq!(found, wanted, "{abi}");
            }
            assert_eq!(found.len(), wanted.len(), "{abi}");
            assert_eq!(written.report.events, wanted.len());
        }
    }
}

#[test]
fn each_row_is_one_stream_in_time_order() {
    for abi in ABIS {
        let Some(backend) = backend(abi, &[]) else {
            return;
        };
        let written = write(&rich::trace(plain()), &backend);
        let mut opened = BTreeSet::new();
        let mut open: Option<(String, i64)> = None;
        for call in &written.calls {
            let stream = || call["stream"].as_str().unwrap().to_owned();
            match call["call"].as_str().unwrap() {
                "StreamOpen" => {
                    let name = call["name"].as_str().unwrap().to_owned();
                    assert!(opened.insert(name.clone()), "{name} is opened once");
                    assert_eq!(open.replace((name, i64::MIN)), None, "{call}");
                }
                "EventWrite" => {
                    let (name, last) = open.as_mut().expect("an open stream");
                    assert_eq!(*name, stream());
                    let start = event(call)["start"].as_i64().unwrap();
                    assert!(*last <= start, "{call}");
                    *last = start;
                }
                "StreamClose" => {
                    let (name, last) = open.take().expect("an open stream");
                    assert_eq!(name, stream());
                    assert!(last > i64::MIN, "{name} has events");
                }
                _ => {}
            }
        }
        assert_eq!(open, None);
        assert_eq!(opened.len(), written.report.rows);
        assert_eq!(
            written.report.left_out, 1,
            "the wait of a task that is not there"
        );
        assert_eq!(written.calls.first().unwrap()["call"], "SessionBegin");
        assert_eq!(
            written.calls.last().unwrap(),
            &json!({"call": "SessionEnd"})
        );
    }
}

/// All attributes with which a stream is opened.
#[test]
fn streams_declare_domain_scope_clock_and_order() {
    let trace = rich::trace(plain());
    for abi in ABIS {
        let Some(backend) = backend(abi, &[]) else {
            return;
        };
        let written = write(&trace, &backend);
        let scopes: Vec<(Value, Value)> = of(&written.calls, "ScopeRegister")
            .into_iter()
            .map(|call| (call["scopeId"].clone(), call["path"].clone()))
            .collect();
        for call in of(&written.calls, "StreamOpen") {
            let mut wanted = json!({
                "call": "StreamOpen", "structSize": 48, "name": call["name"], "domain": call["domain"],
                "orderInterleaving": 0, "orderingType": 2, "orderingSkid": 0, "orderingSkidAmount": 0,
            });
            let scope = if abi == "v1" {
                wanted["timeDomain"] = Value::Null;
                wanted["scope"] = call["scope"].clone();
                call["scope"].clone()
            } else {
                wanted["structSize"] = 56.into();
                // The domain is nanoseconds since 1970.
                wanted["timeDomain"] = 12.into();
                wanted["scopeId"] = call["scopeId"].clone();
                let scope = scopes.iter().find(|(id, _)| *id == call["scopeId"]);
                scope.expect("a registered scope").1.clone()
            };
            assert_eq!(*call, wanted);
            let name = call["name"].as_str().unwrap();
            let scope = scope.as_str().unwrap();
            if abi == "v2" {
                assert_eq!(scope, name);
            }
            let kind = name.split('/').nth(1).unwrap();
            let domain = match kind {
                "CUDA" => "weft.stream",
                "channels" => "weft.channel",
                "memories" => "weft.memory",
                _ => "weft.processor",
            };
            assert_eq!(call["domain"], domain, "{name}");
        }
        for call in of(&written.calls, "ScopeRegister") {
            assert_eq!(
                (&call["structSize"], &call["parentScope"]),
                (&json!(32), &json!(1))
            );
            assert_eq!(call["givenId"], 0);
        }
        // A name with characters that have a meaning in paths.
        let odd = match abi {
            "v1" => "rank 0/CPU/CPU_1 _x_ _",
            _ => r"rank 0/CPU/CPU\/1 \[x\] ü",
        };
        let odd = |call: &&&Value| call["scope"] == odd || call["name"] == odd;
        assert_eq!(
            of(&written.calls, "StreamOpen").iter().filter(odd).count(),
            1,
            "{abi}"
        );
    }
}

/// Golden test of everything but the events.
#[test]
fn registrations_match_the_snapshot() {
    for abi in ABIS {
        let Some(backend) = backend(abi, &[]) else {
            return;
        };
        let written = write(&plain(), &backend);
        let lines: Vec<String> = written
            .calls
            .iter()
            .filter(|call| call["call"] != "EventWrite" && call["call"] != "StringRegister")
            .map(|call| {
                let mut call = call.clone();
                if call["call"] == "SessionBegin" {
                    let name = Path::new(call["name"].as_str().unwrap());
                    let folder = name.parent().unwrap().parent().unwrap();
                    assert_eq!(folder, written.folder.path());
                    call["name"] = name.file_name().unwrap().to_string_lossy().into();
                }
                match call.as_object_mut().unwrap().remove("entries") {
                    Some(Value::Array(entries)) => {
                        let entries = entries.iter().map(|entry| format!("\n    {entry}"));
                        format!("{call}{}", entries.collect::<String>())
                    }
                    _ => call.to_string(),
                }
            })
            .collect();
        insta::assert_snapshot!(format!("registered_{abi}"), lines.join("\n"));
    }
}

/// Rows with nested ranges have another schema than rows with overlapping ranges.
#[test]
fn newer_abi_distinguishes_nested_and_overlapping_rows() {
    let Some(backend) = backend("v2", &[]) else {
        return;
    };
    let written = write(&rich::trace(plain()), &backend);
    let names: BTreeSet<(String, String)> = of(&written.calls, "EventWrite")
        .into_iter()
        .map(|call| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&call["stream"]), text(&call["payloads"][0]["schema"]))
        })
        .collect();
    let overlap = "weft event that may overlap";
    let has = |row: &str, schema: &str| names.contains(&(row.to_owned(), schema.to_owned()));
    assert!(has("rank 0/CPU/CPU 0", "weft event"), "{names:?}");
    assert!(has("rank 0/memories/SYSTEM_MEM", overlap), "{names:?}");
    assert_eq!(names.len(), written.report.rows, "one schema per row");
    for call in of(&written.calls, "SchemaRegister") {
        // NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_STARTEND and _PUSHPOP.
        let flags = if call["name"] == overlap {
            3 << 3
        } else {
            2 << 3
        };
        assert_eq!(call["flags"], flags);
    }
}

#[test]
fn registers_each_text_once_per_domain() {
    let Some(backend) = backend("v2", &[]) else {
        return;
    };
    let written = write(&rich::trace(plain()), &backend);
    let texts = of(&written.calls, "StringRegister");
    let all: BTreeSet<String> = texts.iter().map(|call| call.to_string()).collect();
    assert_eq!(all.len(), texts.len());
    let categories = of(&written.calls, "CategoryRegister");
    let of_processors = categories
        .iter()
        .filter(|call| call["domain"] == "weft.processor");
    let pairs: Vec<_> = of_processors
        .map(|call| (&call["category"], &call["name"]))
        .collect();
    assert_eq!(pairs, [(&json!(1), &json!("CPU"))]);
}

/// Features that a backend does not support are left out, but every event is written.
#[test]
fn minimal_backend_receives_all_events() {
    let Some(bare) = backend("v2", &["BARE"]) else {
        return;
    };
    let trace = rich::trace(plain());
    let written = write(&trace, &bare);
    let full = write(&trace, &backend("v2", &[]).unwrap());
    assert_eq!(events(&written.calls), events(&full.calls));
    for call in of(&written.calls, "StreamOpen") {
        assert_eq!(call["scopeId"], 0);
    }
}

/// Without the wall clock, times are unchanged, and the clock is marked as unknown.
#[test]
fn claims_no_clock_without_the_wall_clock() {
    let Some(backend) = backend("v2", &[]) else {
        return;
    };
    let mut trace = plain();
    trace.sources[0].wall_at_zero = None;
    trace.quality.meta.set("clock_base_wall_ns", "");
    let written = write(&trace, &backend);
    for call in of(&written.calls, "StreamOpen") {
        assert_eq!(call["timeDomain"], 0);
    }
    let starts = trace.work.tasks.iter().map(|task| task.start.nanos());
    let events = of(&written.calls, "EventWrite").into_iter().map(event);
    let of_tasks = events.filter(|event| event["kind"] == 1);
    let found: BTreeSet<i64> = of_tasks
        .map(|event| event["start"].as_i64().unwrap())
        .collect();
    assert_eq!(found, starts.collect());
}

/// The backend gets the name of the report to merge with, whose kernels are not written twice.
#[test]
fn merged_report_keeps_its_own_kernels() {
    for abi in ABIS {
        let Some(backend) = backend(abi, &[]) else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().canonicalize().unwrap().join("in.nsys-rep");
        fs::write(&report, "NVIDIA Tegra Profiler Report 1.\n and more").unwrap();
        let mut trace = rich::trace(plain());
        let kernels = |written: &WrittenReport| {
            let events = of(&written.calls, "EventWrite").into_iter();
            let rows = events.filter(|call| call["stream"].as_str().unwrap().contains("CUDA"));
            rows.count()
        };
        assert_eq!(kernels(&write(&trace, &backend)), 3);
        let session = trace.sources.last_mut().unwrap();
        assert_eq!(session.kind, SourceKind::NsysReport);
        session.path = report.clone();
        let mut options = options(Some(backend));
        options.merge = Some(report.clone());
        let written = write_with(&trace, &options);
        assert_eq!(kernels(&written), 1, "that of the other source");
        let config = format!("ReportMerge={}", report.display());
        assert_eq!(written.calls[0]["configString"], config);
        assert_eq!(fs::read(&report).unwrap().len(), 41, "IN is as it was");
    }
}

#[test]
fn merge_requires_a_report_among_the_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("in.nsys-rep");
    let mut options = options(None);
    options.merge = Some(report.clone());
    let refused = |options: &ReportOptions| {
        let out = folder.path().join("out.nsys-rep");
        nsys_rep::write(&plain(), &out, options).unwrap_err()
    };
    assert!(matches!(refused(&options), ExportError::Read { .. }));
    fs::write(&report, "SQLite format 3\0").unwrap();
    let error = refused(&options).to_string();
    assert!(error.contains("it is not an .nsys-rep"), "{error}");
    fs::write(&report, "NVIDIA Tegra Profiler Report 1.\n").unwrap();
    let error = refused(&options).to_string();
    assert!(
        error.contains("the report's session is not among the inputs"),
        "{error}"
    );
    assert_eq!(names(folder.path()), ["in.nsys-rep"]);
}

#[test]
fn replaces_existing_output_only_with_force() {
    let Some(backend) = backend("v1", &[]) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.nsys-rep");
    fs::write(&out, "mine").unwrap();
    let mut options = options(Some(backend));
    let error = nsys_rep::write(&plain(), &out, &options).unwrap_err();
    assert!(matches!(error, ExportError::Exists { .. }), "{error}");
    assert_eq!(fs::read(&out).unwrap(), b"mine");
    options.force = true;
    nsys_rep::write(&plain(), &out, &options).unwrap();
    assert!(!calls(&out).is_empty());
    assert_eq!(names(folder.path()), ["out.nsys-rep"]);
}

/// The session has the output's name, with any extension.
#[test]
fn accepts_any_output_name() {
    let Some(backend) = backend("v2", &[]) else {
        return;
    };
    for name in ["a.b.nsys-rep", "report", "ü [x].sqlite"] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join(name);
        nsys_rep::write(&plain(), &out, &options(Some(backend.clone()))).unwrap();
        assert_eq!(names(folder.path()), [name]);
        let stem = name.strip_suffix(".nsys-rep").unwrap_or(name);
        let session = calls(&out)[0]["name"].as_str().unwrap().to_owned();
        assert!(session.ends_with(&format!("/{stem}")), "{session}");
    }
}

/// The error names the failed call and its code. Unfinished files are removed.
#[test]
fn failing_backend_leaves_no_files() {
    let both = ["SessionBegin", "SessionEnd", "StreamOpen", "StreamClose"];
    let both = both
        .into_iter()
        .chain(["SchemaRegister", "EnumRegister", "EventWrite"]);
    let both = both.flat_map(|call| ABIS.map(|abi| (abi, call)));
    let newer = [
        "DomainRegister",
        "CategoryRegister",
        "StringRegister",
        "ScopeRegister",
    ];
    for (abi, call) in both.chain(newer.map(|call| ("v2", call))) {
        let fail = format!("FAIL_CALL=\"{call}\"");
        let Some(backend) = backend(abi, &[&fail, "FAIL_CODE=2"]) else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out.nsys-rep");
        let error = nsys_rep::write(&plain(), &out, &options(Some(backend))).unwrap_err();
        let text = error.sentence();
        let wanted = format!("failed in {call} with code 2 (INVALID_ARGUMENT)");
        assert!(text.contains(&wanted), "{abi}: {text}");
        assert_eq!(names(folder.path()), Vec::<String>::new(), "{abi} {call}");
    }
}

#[test]
fn prefers_the_newer_interface_and_detects_the_older() {
    let interface = |abi: &str, defines: &[&str]| {
        let search = options(Some(backend(abi, defines)?)).search;
        match nsys_rep::backend(&search) {
            Ok(Writer::Backend { interface, .. }) => Some(interface.to_owned()),
            Ok(Writer::Importer { .. }) => None,
            Err(why) => Some(why.join(", ")),
        }
    };
    if backends::headers().is_none() {
        return;
    }
    assert_eq!(interface("v2", &[]).unwrap(), "interface version 2");
    assert_eq!(interface("v1", &[]).unwrap(), "interface CORE_V1");
    // The same symbol and number mean another table in the older ABI.
    let both = interface("v1", &["ALSO_GET_INTERFACE"]).unwrap();
    assert_eq!(both, "interface CORE_V1");
    for (abi, defines, why) in [
        (
            "v1",
            "TOO_SMALL",
            "its interface CORE_V1 has 64 bytes, too few",
        ),
        (
            "v1",
            "FAIL_CALL=\"GetInterface\"",
            "GetInterface failed (FAILED)",
        ),
        (
            "v1",
            "FAIL_CALL=\"nvtxwLoadImplementation\"",
            "nvtxwLoadImplementation failed (FAILED)",
        ),
        (
            "v2",
            "LACKS_EVENT_WRITE",
            "its interface version 2 lacks EventWrite",
        ),
        (
            "v2",
            "FAIL_CALL=\"nvtxwGetInterface\"",
            "it rejects interface version 2 (FAILED)",
        ),
    ] {
        let said = interface(abi, &[defines]).unwrap();
        assert!(said.ends_with(why), "{said}");
    }
}

/// A library that is not a backend, and a path without a file.
#[test]
fn rejects_libraries_that_are_not_backends() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |backend: &Path| {
        let out = folder.path().join("out.nsys-rep");
        let error = nsys_rep::write(&plain(), &out, &options(Some(backend.to_owned())));
        error.unwrap_err().to_string()
    };
    let libc = refused("libc.so.6".as_ref());
    let lacks = "libc.so.6: it exports neither nvtxwGetInterface nor nvtxwLoadImplementation";
    assert!(libc.contains(lacks), "{libc}");
    let text = folder.path().join("libNvtxwBackend.so");
    fs::write(&text, "no library").unwrap();
    let named = refused(&text);
    assert!(named.contains("libNvtxwBackend.so: "), "{named}");
    assert_eq!(
        refused(folder.path()),
        named,
        "a folder has the library of that name"
    );
    assert_eq!(names(folder.path()), ["libNvtxwBackend.so"]);
}

#[test]
fn missing_report_writer_suggests_an_installation() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.nsys-rep");
    let error = nsys_rep::write(&plain(), &out, &options(None)).unwrap_err();
    assert!(matches!(error, ExportError::NoReportWriter), "{error}");
    assert!(error.remedy().contains("install Nsight Systems"), "{error}");
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

/// The importer would write no report without events, and still report success.
#[test]
fn rejects_empty_reports_before_calling_the_importer() {
    let folder = tempfile::tempdir().unwrap();
    let options = importer(folder.path(), "touch called");
    let out = folder.path().join("out.nsys-rep");
    let error = nsys_rep::write(&Trace::default(), &out, &options).unwrap_err();
    assert!(
        matches!(error, ExportError::NothingToReport { left_out: 0 }),
        "{error}"
    );
    assert_eq!(names(folder.path()), ["home"]);
}

/// Returns options with a script as importer, in an installation below `folder`.
fn importer(folder: &Path, script: &str) -> ReportOptions {
    let host = folder.join("home/host-linux-x64");
    fs::create_dir_all(&host).unwrap();
    let importer = host.join("ImportNvtxt");
    fs::write(&importer, format!("#!/bin/sh\n{script}\n")).unwrap();
    let mut mode = fs::metadata(&importer).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    fs::set_permissions(&importer, mode).unwrap();
    let mut options = options(None);
    options.search.installation = Some(folder.join("home"));
    options
}

/// An importer that fails, and one that reports success without writing a report.
#[test]
fn failing_importer_leaves_no_files() {
    for (script, why) in [
        ("echo first; echo last >&2; exit 1", "it printed: last"),
        ("exit 0", "wrote no report"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let options = importer(folder.path(), script);
        let out = folder.path().join("out.nsys-rep");
        let error = nsys_rep::write(&plain(), &out, &options)
            .unwrap_err()
            .to_string();
        assert!(error.contains(why), "{error}");
        assert_eq!(names(folder.path()), ["home"]);
    }
}
