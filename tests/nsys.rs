//! Nsight Systems' records of a run, and the files of `weft run --nsys --profile`.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use crate::support;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::process::Command;

use rusqlite::Connection;
use support::example::{ONE_BY_ONE, Run, WAYS, fact, number, open};
use support::{tool, weft};

/// A run under nsys, its joined file, and nsys's own export of its records.
struct Watched {
    run: Run,
    joined: PathBuf,
    nsys: PathBuf,
}

/// Runs a program under nsys. `None` if nsys is not installed.
fn watched(program: &str, flags: &[&str], args: &[&str]) -> Option<Watched> {
    let nsys = tool("nsys")?;
    let run = Run::under_nsys(program, flags, args);
    let export = run.folder().join("nsys.sqlite");
    let output = Command::new(nsys)
        .args(["export", "--type=sqlite", "--output"])
        .arg(&export)
        .arg(run.folder().join("weft_0.nsys-rep"))
        .output()
        .expect("nsys starts");
    assert!(output.status.success(), "{output:?}");
    Some(Watched {
        joined: run.folder().join("weft.sqlite"),
        nsys: export,
        run,
    })
}

/// A push/pop range of domain `weft`, as recorded by nsys.
#[derive(Debug)]
struct Range {
    /// Process and thread.
    thread: i64,
    start: i64,
    end: i64,
    uid: u64,
    text: String,
}

/// Returns all closed ranges.
fn ranges(database: &Connection) -> Vec<Range> {
    let question = "
        SELECT e.globalTid, e.start, e.end, e.uint64Value, coalesce(e.text, s.value)
        FROM NVTX_EVENTS e LEFT JOIN StringIds s ON s.id = e.textId
        WHERE e.eventType = 59 AND (e.globalTid >> 24, e.domainId) IN
            (SELECT d.globalTid >> 24, d.domainId FROM NVTX_EVENTS d LEFT JOIN StringIds n ON n.id = d.textId
             WHERE d.eventType = 75 AND coalesce(d.text, n.value) = 'weft')";
    let mut statement = database.prepare(question).expect("nsys's own tables");
    let rows = statement.query_map([], |row| {
        Ok(Range {
            thread: row.get(0)?,
            start: row.get(1)?,
            end: row.get(2)?,
            uid: row.get::<_, i64>(3)? as u64,
            text: row.get(4)?,
        })
    });
    let rows: Result<Vec<Range>, _> = rows.expect("rows").collect();
    rows.expect("closed ranges with a payload")
}

/// Checks that the payloads recorded by nsys are the launches of the profile, each once, on the
/// thread of its processor.
fn check_payloads(watched: &Watched) {
    let trace = watched.run.trace();
    let ranges = ranges(&open(&watched.nsys));
    let seen: BTreeMap<u64, &Range> = ranges.iter().map(|range| (range.uid, range)).collect();
    assert_eq!(seen.len(), ranges.len(), "no payload is there twice");
    let launches = trace.launches.iter();
    let launches: BTreeSet<u64> = launches.map(|launch| launch.uid.raw()).collect();
    assert_eq!(seen.keys().copied().collect::<BTreeSet<_>>(), launches);
    for launch in &trace.launches {
        let range = seen[&launch.uid.raw()];
        let thread = trace.processors[&launch.processor].thread;
        assert_eq!(range.thread & 0xff_ffff, i64::from(thread), "{range:?}");
        let length = (launch.end - launch.start).0;
        assert!(range.end - range.start >= length, "{range:?}, {launch:?}");
    }
}

/// Derives the launch of every kernel from nsys's ranges alone: the one whose range is the
/// innermost on the kernel's thread around its middle. Compares it with the recorded links.
fn check_links_by_ranges(watched: &Watched) {
    let joined = open(&watched.joined);
    let mut by_thread: HashMap<i64, Vec<Range>> = HashMap::new();
    for range in ranges(&open(&watched.nsys)) {
        let thread = range.thread & 0xff_ffff;
        by_thread.entry(thread).or_default().push(range);
    }
    let question = "
        SELECT k.id, (k.start + k.end) / 2, p.thread, link.launchUid, link.method, place.file || ':' || place.line
        FROM WEFT_KERNEL k
        JOIN WEFT_PROCESSOR p ON p.id = k.processorId AND p.sourceId = k.sourceId
        LEFT JOIN WEFT_KERNEL_TASK link ON link.kernelId = k.id
        LEFT JOIN WEFT_TASK t ON t.uid = link.taskUid
        LEFT JOIN WEFT_PROVENANCE place ON place.id = t.provenanceId";
    // A row for each task that a kernel serves; its launch's range names one of their lines.
    let mut named: BTreeMap<i64, bool> = BTreeMap::new();
    let mut statement = joined.prepare(question).expect("Weft's tables");
    let mut rows = statement.query([]).expect("rows");
    while let Some(row) = rows.next().expect("a row") {
        let (id, middle, thread): (i64, i64, i64) =
            (row.get_unwrap(0), row.get_unwrap(1), row.get_unwrap(2));
        let recorded: Option<i64> = row.get_unwrap(3);
        assert_eq!(row.get_unwrap::<_, String>(4), "recorded");
        let around = by_thread[&thread].iter();
        let around = around.filter(|range| range.start <= middle && middle <= range.end);
        let innermost = around.max_by_key(|range| range.start);
        let innermost = innermost.unwrap_or_else(|| panic!("no range around kernel {id}"));
        assert_eq!(Some(innermost.uid as i64), recorded, "kernel {id}");
        let place: String = row.get_unwrap(5);
        let text = innermost.text.split(" +").next().unwrap_or_default();
        *named.entry(id).or_default() |= text.ends_with(&place);
    }
    let unnamed: Vec<_> = named.iter().filter(|(_, named)| !**named).collect();
    assert!(unnamed.is_empty(), "kernels of other lines: {unnamed:?}");
    let kernels = named.len() as i64;
    assert_eq!(kernels, number(&joined, "SELECT count(*) FROM WEFT_KERNEL"));
    assert!(kernels > 20, "{kernels}");
}

/// Checks that the join derived the same links from ranges, and reports the agreement of the
/// clocks.
fn check_join_consistency(watched: &Watched) {
    let joined = open(&watched.joined);
    let kernels = number(&joined, "SELECT count(*) FROM WEFT_KERNEL");
    assert_eq!(fact(&joined, "kernels_linked"), kernels.to_string());
    assert_eq!(fact(&joined, "range_agreed"), kernels.to_string());
    assert_eq!(fact(&joined, "range_disagreed"), "0");
    assert_eq!(fact(&joined, "range_absent"), "0");
    let around = "SELECT count(DISTINCT r.kernelId) FROM WEFT_KERNEL_RANGE r JOIN WEFT_KERNEL_TASK link USING (kernelId) \
                  JOIN NVTX_EVENTS e ON e.rowid = r.nvtxRowId WHERE e.uint64Value = link.launchUid";
    assert_eq!(number(&joined, around), kernels);
    let residuals = "SELECT count(*) FROM WEFT_META WHERE key LIKE '%residual_max_ns' \
                     AND CAST(value AS INTEGER) >= 0";
    assert_eq!(number(&joined, residuals), 1, "the error of the clocks");
}

/// Checks that nsys's rows are unchanged in the joined file.
fn check_copied_rows(watched: &Watched) {
    let joined = open(&watched.joined);
    joined
        .execute("ATTACH ? AS nsys", [watched.nsys.to_str()])
        .expect("both files");
    let columns = "start, end, eventType, rangeId, category, color, text, globalTid, textId, domainId, uint64Value";
    for (more, less) in [("main", "nsys"), ("nsys", "main")] {
        for (table, columns) in [("NVTX_EVENTS", columns), ("StringIds", "id, value")] {
            let question = format!(
                "SELECT count(*) FROM (SELECT {columns} FROM {more}.{table} \
                 EXCEPT SELECT {columns} FROM {less}.{table})"
            );
            assert_eq!(number(&joined, &question), 0, "{question}");
        }
    }
}

#[test]
fn stencil_joins_completely() {
    for way in WAYS {
        let flags = flags(way, &["--cpus", "2", "--min-cpu-chunk", "256"]);
        let Some(watched) = watched("stencil", &flags, &["-n", "64", "-i", "20"]) else {
            return;
        };
        check_payloads(&watched);
        check_links_by_ranges(&watched);
        check_join_consistency(&watched);
        check_copied_rows(&watched);
        let fused = watched.run.trace().fused();
        assert_eq!(fused > 0, way != ONE_BY_ONE, "`{way}`");
    }
}

/// Returns the flags of a way, with additional ones.
fn flags<'a>(way: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    way.split_whitespace().chain(more.iter().copied()).collect()
}

#[test]
fn conjugate_gradients_join_completely() {
    for way in WAYS {
        let flags = flags(way, &["--cpus", "2", "--min-cpu-chunk", "64"]);
        let Some(watched) = watched("cg", &flags, &["-n", "14", "-m", "50"]) else {
            return;
        };
        check_conjugate_gradients(&watched);
    }
}

fn check_conjugate_gradients(watched: &Watched) {
    check_payloads(watched);
    check_links_by_ranges(watched);
    check_join_consistency(watched);

    // The cost of a line, by Weft.
    let mut command = weft();
    let assert = command
        .args(["stats", "--by", "line", "--format", "csv"])
        .arg(&watched.joined)
        .assert()
        .success();
    let table = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    let line = line_of("examples/cg/src/main.rs", "let ap = a.dot(&p);");
    let place = format!("examples/cg/src/main.rs:{line}");
    assert!(table.contains(&place), "{place} is not in {table}");

    // The cost of the line in the same file, by nsys.
    let nsys = tool("nsys").expect("it ran above");
    let output = Command::new(nsys)
        .args(["stats", "--report", "nvtxsum", "--format", "csv"])
        .arg(&watched.joined)
        .output()
        .expect("nsys starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    let place = format!("examples/cg/src/main.rs:{line}");
    assert!(text.contains(&place), "{place} is not in {text}");
}

/// Returns the first line of a source file with this text.
fn line_of(file: &str, text: &str) -> usize {
    let source = std::fs::read_to_string(support::repository().join(file)).expect("a source");
    let at = source.lines().position(|line| line.contains(text));
    at.expect("the text") + 1
}
