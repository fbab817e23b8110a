//! Recordings of a real GPU by CUPTI and Nsight Systems, checked against their table of kernels
//! (`tests/data/h100`).
#![allow(clippy::expect_used, reason = "a failed helper fails its test")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::example::{export_with, loss, number};
use crate::support::weft;

/// A recording, unpacked.
struct Recording {
    folder: TempDir,
    files: Vec<PathBuf>,
}

impl Recording {
    fn of(names: &[&str]) -> Recording {
        let folder = tempfile::tempdir().expect("a folder");
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/h100");
        let files = names.iter().map(|name| {
            let packed = fs::File::open(data.join(format!("{name}.zst"))).expect("a recording");
            let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed).expect("zstd");
            let mut bytes = Vec::new();
            decoder.read_to_end(&mut bytes).expect("a whole recording");
            let file = folder.path().join(name);
            fs::write(&file, bytes).expect("written");
            file
        });
        let files = files.collect();
        Recording { folder, files }
    }

    /// The joined file; `status` is what `weft export` ends with.
    fn database(&self, status: i32) -> Connection {
        let files: Vec<&Path> = self.files.iter().map(PathBuf::as_path).collect();
        export_with(&[status], &files, self.folder.path())
    }

    /// The rows of `weft stats --by` a key.
    fn stats(&self, by: &str) -> Vec<Value> {
        let output = weft()
            .args(["stats", "--by", by, "--format", "json"])
            .args(&self.files)
            .output()
            .expect("weft runs");
        assert!(matches!(output.status.code(), Some(0 | 3)), "{output:?}");
        serde_json::from_slice(&output.stdout).expect("a table")
    }
}

/// The sum of a question's second column for each value of its first.
fn sums(database: &Connection, question: &str) -> BTreeMap<String, i64> {
    let mut question = database.prepare(question).expect("a question");
    let rows = question
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("an answer");
    rows.map(|row| row.expect("a row")).collect()
}

/// The methods by which the kernels were linked.
fn methods(database: &Connection) -> BTreeMap<String, i64> {
    let question = "SELECT method, count(DISTINCT kernelId) FROM WEFT_KERNEL_TASK GROUP BY method";
    sums(database, question)
}

/// The time of a column, by the line of the program.
fn by_line(rows: &[Value], column: &str) -> BTreeMap<String, i64> {
    let rows = rows.iter().filter_map(|row| {
        let line = row["line"].as_str()?.rsplit(':').next()?;
        Some((line.to_owned(), row[column].as_i64()?))
    });
    rows.filter(|(_, time)| *time > 0).collect()
}

const BY_CUPTI: [(&str, i64); 3] = [("stencil", 71), ("cg", 301), ("cggraph", 301)];

#[test]
fn links_all_recorded_work_and_records_all_issued_work() {
    for (name, work) in BY_CUPTI {
        let recording = Recording::of(&[&format!("{name}.prof")]);
        let database = recording.database(0);
        assert_eq!(number(&database, "SELECT count(*) FROM WEFT_KERNEL"), work);
        assert_eq!(number(&database, "SELECT count(*) FROM WEFT_UNMATCHED"), 0);
        assert_eq!(methods(&database).values().sum::<i64>(), work, "{name}");
        for counter in ["gpu_work_unexplained", "cupti_dropped", "cupti_untimed"] {
            assert_eq!(loss(&database, counter), 0, "{name}: {counter}");
        }
    }
}

/// The times of lines are those of the kernels that their operations issued, and nothing is counted
/// twice.
#[test]
fn line_times_match_their_kernel_times() {
    for (name, _) in BY_CUPTI {
        let recording = Recording::of(&[&format!("{name}.prof")]);
        let database = recording.database(0);
        let lines = by_line(&recording.stats("line"), "kernel_time_ns");
        let kernels = number(&database, "SELECT sum(end - start) FROM WEFT_KERNEL");
        let all: i64 = lines.values().sum();
        // A launch for several tasks is divided among them in whole nanoseconds.
        assert!((all - kernels).abs() <= 200, "{name}: {all} of {kernels}");
        let alone = sums(
            &database,
            "SELECT CAST(p.line AS TEXT), sum(k.end - k.start) FROM WEFT_KERNEL k
             JOIN (SELECT kernelId, min(taskUid) AS taskUid FROM WEFT_KERNEL_TASK GROUP BY kernelId HAVING count(*) = 1) l ON l.kernelId = k.id
             JOIN WEFT_TASK t ON t.uid = l.taskUid JOIN WEFT_OPERATION o ON o.uid = t.opUid
             JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId GROUP BY p.line",
        );
        let shared = sums(
            &database,
            "SELECT DISTINCT CAST(p.line AS TEXT), 0 FROM WEFT_KERNEL_TASK l
             JOIN WEFT_TASK t ON t.uid = l.taskUid JOIN WEFT_OPERATION o ON o.uid = t.opUid
             JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId
             WHERE l.kernelId IN (SELECT kernelId FROM WEFT_KERNEL_TASK GROUP BY kernelId HAVING count(*) > 1)",
        );
        assert!(alone.len() >= 3, "{alone:?}");
        for (line, time) in &alone {
            if !shared.contains_key(line) {
                assert_eq!(lines.get(line), Some(time), "{name}, line {line}");
            }
        }
    }
}

/// In a CG the product of the matrix takes most of the GPU's time, and the loop's lines follow.
#[test]
fn matrix_product_is_the_top_line() {
    for name in ["cg.prof", "cggraph.prof"] {
        let rows = Recording::of(&[name]).stats("line");
        let first = rows[0]["line"].as_str().expect("a line");
        assert!(first.ends_with("cg/src/main.rs:64"), "{name}: {first}");
        let share = rows[0]["share"].as_f64().expect("a share");
        assert!((0.6..0.62).contains(&share), "{name}: {share}");
    }
}

/// Between its first and its last work the GPU is busy or has a gap, each instant once.
#[test]
fn gaps_and_work_fill_the_gpu_time() {
    for (name, _) in BY_CUPTI {
        let recording = Recording::of(&[&format!("{name}.prof")]);
        let database = recording.database(0);
        let question = "SELECT start, end FROM WEFT_KERNEL ORDER BY start";
        let mut question = database.prepare(question).expect("a question");
        let rows = question
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .expect("an answer");
        let kernels: Vec<(i64, i64)> = rows.map(|row| row.expect("a row")).collect();
        let (mut idle, mut end) = (0, kernels[0].1);
        for (start, stop) in kernels {
            idle += (start - end).max(0);
            end = end.max(stop);
        }
        let gaps = recording.stats("gap");
        let gaps = gaps.iter().filter(|row| row["processor"] == "GPU 0");
        let gaps: i64 = gaps.filter_map(|row| row["total_ns"].as_i64()).sum();
        assert_eq!(gaps, idle, "{name}");
    }
}

/// The critical path is the run, instant by instant.
#[test]
fn critical_path_parts_sum_to_the_run() {
    for (name, _) in BY_CUPTI {
        let recording = Recording::of(&[&format!("{name}.prof")]);
        let database = recording.database(0);
        let length = "SELECT max(end) - min(start) FROM WEFT_CRITICAL_PATH";
        let parts = "SELECT sum(part) FROM WEFT_CRITICAL_PATH";
        assert_eq!(
            number(&database, parts),
            number(&database, length),
            "{name}"
        );
        let path = recording.stats("critical");
        let path: i64 = path.iter().filter_map(|row| row["total_ns"].as_i64()).sum();
        assert_eq!(path, number(&database, length), "{name}");
    }
}

#[test]
fn links_nsys_kernels_by_the_range_around_their_call() {
    let recording = Recording::of(&["cg-nsys.prof", "cg-nsys.sqlite"]);
    let methods = methods(&recording.database(0));
    assert_eq!(methods, BTreeMap::from([("range".to_owned(), 160)]));
}

/// The runtime does not have the node ids of Nsight Systems, so the join assigns nodes to launches
/// by their order.
#[test]
fn assigns_each_nsys_graph_node_to_one_launch() {
    let recording = Recording::of(&["cgnode.prof", "cgnode.sqlite"]);
    let database = recording.database(0);
    let expected = [("range".to_owned(), 108), ("recorded".to_owned(), 616)];
    assert_eq!(methods(&database), BTreeMap::from(expected));
    // The name of a node shows its function; each line has one function, or a group of such.
    let wrong = "SELECT count(*) FROM WEFT_KERNEL k JOIN WEFT_KERNEL_TASK l ON l.kernelId = k.id
        JOIN WEFT_TASK t ON t.uid = l.taskUid JOIN WEFT_OPERATION o ON o.uid = t.opUid
        WHERE k.name LIKE 'weft_matvec%' AND o.name <> 'matvec' OR k.name LIKE 'weft_dot%' AND o.name <> 'dot'";
    assert_eq!(number(&database, wrong), 0);
    let rows = recording.stats("line");
    let first = rows[0]["line"].as_str().expect("a line");
    assert!(first.ends_with("cg/src/main.rs:64"), "{first}");
}

#[test]
fn counts_work_omitted_by_nsys() {
    let graphs = Recording::of(&["cgtrace.prof", "cgtrace.sqlite"]).database(3);
    assert_eq!(number(&graphs, "SELECT count(*) FROM WEFT_KERNEL"), 108);
    assert_eq!(loss(&graphs, "gpu_work_in_unrecorded_graphs"), 616);
    let ended = Recording::of(&["py.prof", "py.sqlite"]).database(3);
    assert_eq!(number(&ended, "SELECT count(*) FROM WEFT_KERNEL"), 1);
    assert_eq!(loss(&ended, "gpu_work_outside_recording"), 4);
}
