//! Savings of lines, and the reasons why they are unknown.

use super::*;

/// Returns the reason why savings of lines are unknown.
fn unsaved(served: &Served) -> Value {
    served.json("/api/source?file=0")["unsaved"].clone()
}

/// Returns the number of lines of the first file with a saving, 0 included, and the number of all
/// its lines.
fn saved(served: &Served) -> (usize, usize) {
    let source = served.json("/api/source?file=0");
    let lines = source["lines"].as_array().unwrap();
    let known = lines.iter().filter(|line| !line["savedNs"].is_null());
    (known.count(), lines.len())
}

#[test]
fn does_not_simulate_savings_of_too_many_rows() {
    let served = plain();
    let database = Connection::open(served.folder.path().join("weft.sqlite")).unwrap();
    let last = |table: &str| -> i64 {
        let sql = format!("SELECT ifnull(max(rowid), 0) FROM {table}");
        database.query_row(&sql, [], |row| row.get(0)).unwrap_or(0)
    };
    // Rows are counted by their largest number, which simulates a run with many calls.
    let sql = "UPDATE NVTX_EVENTS SET rowid = 4000000 WHERE rowid = ?1";
    assert_eq!(database.execute(sql, [last("NVTX_EVENTS")]).unwrap(), 1);
    let others = ["WEFT_TASK", "WEFT_KERNEL", "WEFT_DEPENDENCY", "WEFT_COPY"];
    let rows = 4_000_000 + others.map(last).iter().sum::<i64>();
    assert_eq!(
        unsaved(&served),
        format!(
            "savings of lines are not simulated: the trace has {rows} rows, and the simulation takes at most 4000000"
        )
    );
    let (known, all) = saved(&served);
    assert!(known == 0 && all > 0, "{known} of {all}");
}

/// Returns a chain of tasks, one after the other on one processor, each with its own line.
fn chain(length: u32) -> Trace {
    let mut trace = made_trace(Shape {
        seed: 3,
        ranks: 1,
        tasks: 1,
        zero: 0,
        broken: false,
    });
    let mut task = trace.work.tasks.remove(0);
    // The time of a GPU task is that of its kernels, and the chain has none.
    (task.processor, task.device) = (ProcessorId(0), None);
    let mut operation = trace.program.operations.remove(0);
    trace.work.launches.clear();
    trace.devices.kernels.clear();
    trace.links.outcomes.clear();
    trace.links.kernel_ranges.clear();
    trace.links.kernel_calls.clear();
    trace.work.waits.clear();
    let recording = &mut trace.recording;
    let file = recording.strings.intern("chain.py");
    for number in 1..=length {
        let place = ProvenanceRow {
            file,
            line: number,
            function: Default::default(),
        };
        let uid = |rank| Uid::new(rank, u64::from(number)).unwrap();
        let at = |step: u32| Timestamp::from_nanos_since_boot(i64::from(100 * number + step));
        operation.uid = uid(Rank::REPLICATED);
        operation.provenance = recording.program.provenances.intern(place);
        operation.created = at(0);
        operation.tasks = 1;
        task.uid = uid(Rank::new(0).unwrap());
        task.operation = operation.uid;
        (task.created, task.ready, task.start, task.end) = (at(0), at(0), at(0), at(100));
        if let Some(before) = recording.work.tasks.last() {
            recording.work.dependencies.push(Dependency {
                source: task.source,
                from: before.uid,
                to: task.uid,
                kind: DependencyKind::ReadAfterWrite,
                store: None,
                bytes: None,
            });
        }
        recording.program.operations.push(operation.clone());
        recording.work.tasks.push(task);
        recording.work.launches.push(Launch {
            source: task.source,
            run: RunIndex(0),
            uid: task.uid,
            processor: task.processor,
            start: task.start,
            end: task.end,
            shares: Box::default(),
            split: ShareOrigin::Measured,
        });
    }
    trace
}

#[test]
fn simulates_savings_of_lines_within_the_limit() {
    let served = serve_trace(|trace, _| *trace = chain(3_000), |_| Options::default());
    let files = served.json("/api/sources");
    let files = files["files"].as_array().unwrap();
    let file = files
        .iter()
        .position(|file| file["path"] == "chain.py")
        .unwrap();
    let source = served.json(&format!("/api/source?file={file}"));
    let lines = source["lines"].as_array().unwrap();
    let known = lines
        .iter()
        .filter(|line| !line["savedNs"].is_null())
        .count();
    let critical = lines
        .iter()
        .filter(|line| line["criticalNs"].as_i64() > Some(0))
        .count();
    assert!(0 < known && known < critical, "{known} of {critical}");
    assert_eq!(
        source["unsaved"],
        format!(
            "savings are simulated for the {known} lines with most time on the critical path, of {critical}"
        )
    );
}

#[test]
fn explains_missing_savings() {
    let served = plain();
    assert_eq!(unsaved(&served), Value::Null);
    // A profile of Legion without its graph of events.
    let served = serve_trace(
        |trace, _| {
            trace.sources[0].kind = SourceKind::LegionProf;
            trace.links.critical_path = None;
            trace.work.events.triggers.clear();
        },
        |_| Options::default(),
    );
    assert_eq!(
        unsaved(&served),
        "savings of lines are not simulated: no line is on the critical path"
    );
    // A live run.
    let served = serve_trace(
        |_, _| {},
        |_| Options {
            live: true,
            ..Options::default()
        },
    );
    assert_eq!(
        unsaved(&served),
        "savings of lines are simulated when the run has ended"
    );
    let (known, all) = saved(&served);
    assert!(known == 0 && all > 0, "{known} of {all}");
    // A later release rewrites the file: the open trace stays valid, but cannot be replayed.
    let served = plain();
    let database = Connection::open(served.folder.path().join("weft.sqlite")).unwrap();
    let sql = "UPDATE WEFT_META SET value = '99.0' WHERE key = 'weft_schema'";
    assert_eq!(database.execute(sql, []).unwrap(), 1);
    let text = unsaved(&served);
    let text = text.as_str().unwrap();
    assert!(
        text.starts_with("savings of lines could not be simulated: ") && text.contains("99.0"),
        "{text}"
    );
    let lines = &served.json("/api/source?file=0")["lines"];
    assert!(!lines.as_array().unwrap().is_empty());
}

#[test]
fn legion_trace_names_the_file_with_its_event_graph() {
    let profile =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/legate/stencil.prof.zst");
    let legion = weft_nvtx_export::read(&[profile], &Default::default()).unwrap();
    let served = serve_trace(|trace, _| *trace = legion, |_| Options::default());
    let text = unsaved(&served);
    let text = text.as_str().unwrap();
    let why =
        "savings of lines are not simulated: a database does not hold the Legion event graph of ";
    assert!(
        text.starts_with(why) && text.contains("stencil.prof.zst"),
        "{text}"
    );
}
