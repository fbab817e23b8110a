//! Databases of several sessions, of damaged ones, and their views.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use rusqlite::Connection;
use std::path::Path;
use std::sync::{Arc, Mutex};
use support::session::Session;
use support::{Small, THREADS, join, real_database, small};
use weft_analysis::stats::{self, By};
use weft_model::Trace;
use weft_model::table::{Cell, Table};
use weft_nvtx_export::{Progress, Watch};
use weft_output::query;
use weft_output::sqlite::{self, WriteOptions, WriteReport};
use weft_trace::file::RunId;

fn number(database: &Connection, sql: &str) -> i64 {
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn write(trace: &Trace, out: &Path) -> (WriteReport, Connection) {
    let report = sqlite::write(trace, out, &WriteOptions::default()).unwrap();
    (report, Connection::open(out).unwrap())
}

#[test]
fn ranges_of_every_session_survive_a_round_trip() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let sessions = [Session::new(0), Session::new(5_000)];
    for (which, session) in (0..).zip(&sessions) {
        session.watch_small();
        session.range(THREADS[0], 2, None, 700, Some(800));
        session.launch(THREADS[0], 10 + which, 710, 720);
    }
    let inputs = [prof, sessions[0].path.clone(), sessions[1].path.clone()];
    let trace = join(&inputs);
    let folder = tempfile::tempdir().unwrap();
    let (_, database) = write(&trace, &folder.path().join("a.sqlite"));
    let ranges = number(
        &database,
        "SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59",
    );
    let others = number(&database, "SELECT count(*) FROM WEFT_RANGE");
    assert_eq!((ranges, others), (4, 4));
    let ids = "SELECT count(*) FROM WEFT_RANGE WHERE id IN (SELECT rowid FROM NVTX_EVENTS)";
    assert_eq!(number(&database, ids), 0, "one numbering for both");
    let unknown = "SELECT count(*) FROM WEFT_KERNEL_RANGE r WHERE NOT EXISTS (SELECT 1 FROM NVTX_EVENTS e \
                   WHERE e.rowid = r.nvtxRowId) AND NOT EXISTS (SELECT 1 FROM WEFT_RANGE w WHERE w.id = r.nvtxRowId)";
    assert_eq!(number(&database, unknown), 0);
    let around = "SELECT count(*) FROM WEFT_KERNEL k JOIN WEFT_KERNEL_RANGE r ON r.kernelId = k.id \
                  WHERE k.source = 'nsys'";
    assert_eq!(number(&database, around), 2);
    let said =
        "SELECT count(*) FROM WEFT_LOSS WHERE name = 'nsys_tables_not_copied' AND sourceId = 3";
    assert_eq!(number(&database, said), 1);
    let by_range = "SELECT sum(ranges) = 8 AND sum(kernels) = (SELECT count(*) FROM WEFT_KERNEL) FROM weft_by_range";
    assert_eq!(number(&database, by_range), 1);

    // Reading back and writing again neither loses nor duplicates anything.
    let back = join(&[folder.path().join("a.sqlite")]);
    assert_eq!(back.work.ranges.len(), trace.work.ranges.len());
    assert_eq!(
        back.links.kernel_ranges.len(),
        trace.links.kernel_ranges.len()
    );
    for (ours, theirs) in trace
        .links
        .kernel_ranges
        .iter()
        .zip(&back.links.kernel_ranges)
    {
        let row = |trace: &Trace, range: Option<weft_model::RangeIndex>| {
            let range = trace.work.ranges[range?.0 as usize];
            Some((range.source, range.row, range.start.nanos(), range.open))
        };
        assert_eq!(row(&trace, *ours), row(&back, *theirs));
    }
    let (_, again) = write(&back, &folder.path().join("b.sqlite"));
    assert_eq!(number(&again, "SELECT count(*) FROM WEFT_RANGE"), 4);
    assert_eq!(number(&again, said), 1);
}

#[test]
fn view_sums_match_the_cost_tables() {
    let Some((_folder, path)) = real_database("nsys/nsys-ai_fsdp_2gpu.sqlite.zst") else {
        return;
    };
    let trace = join(&[path]);
    let folder = tempfile::tempdir().unwrap();
    let (_, database) = write(&trace, &folder.path().join("out.sqlite"));
    let kernels = stats::table(&trace, By::Kernel);
    let mut select = database
        .prepare("SELECT name, kind, kernels, total FROM weft_by_kernel ORDER BY 1, 2")
        .unwrap();
    let rows = select.query_map([], |row| {
        Ok([
            Cell::Text(row.get(0)?),
            Cell::Text(row.get(1)?),
            Cell::Integer(row.get(2)?),
            Cell::Integer(row.get(3)?),
        ])
    });
    let mut rows: Vec<_> = rows.unwrap().map(Result::unwrap).collect();
    let cells = |table: &Table| -> Vec<[Cell; 4]> {
        let rows = table.rows().iter();
        rows.map(|row| [0, 1, 3, 4].map(|column| row[column].clone()))
            .collect()
    };
    let mut expected = cells(&kernels);
    rows.sort_by_key(|row| format!("{row:?}"));
    expected.sort_by_key(|row| format!("{row:?}"));
    assert_eq!(rows, expected);
    let all = "SELECT sum(kernels) = (SELECT count(*) FROM WEFT_KERNEL) AND sum(kernelTime) = \
               (SELECT sum(end - start) FROM WEFT_KERNEL) AND sum(ranges) = \
               (SELECT count(*) FROM NVTX_EVENTS WHERE eventType IN (59, 60)) FROM weft_by_range";
    assert_eq!(number(&database, all), 1);
}

#[test]
fn range_view_works_without_ranges() {
    let Some((_folder, path)) = real_database("nsys/nsys-ai_mock.sqlite.zst") else {
        return;
    };
    let trace = join(&[path]);
    let sql = "SELECT ifnull(sum(kernels), 0) AS kernels FROM weft_by_range";
    let table = query::select(&trace, sql, &Progress::default()).unwrap();
    assert_eq!(table.rows(), [vec![Cell::Integer(3)]]);
}

/// Overwrites a page in the middle of a table.
fn damage(path: &Path, table: &str) {
    let database = Connection::open(path).unwrap();
    let page_size = number(&database, "PRAGMA page_size") as usize;
    let root = format!("SELECT rootpage FROM sqlite_master WHERE name = '{table}'");
    let root = number(&database, &root) as usize;
    drop(database);
    let mut bytes = std::fs::read(path).unwrap();
    // The cells of an interior page refer to its children. The one in the middle is overwritten.
    let page = &bytes[(root - 1) * page_size..root * page_size];
    assert_eq!(page[0], 5, "the table has several pages");
    let cells = u16::from_be_bytes([page[3], page[4]]) as usize;
    let pointer = 12 + cells / 2 * 2;
    let cell = u16::from_be_bytes([page[pointer], page[pointer + 1]]) as usize;
    let child = u32::from_be_bytes(page[cell..cell + 4].try_into().unwrap()) as usize;
    bytes[(child - 1) * page_size..child * page_size].fill(0xab);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn copies_damaged_tables_up_to_the_damage() {
    // One table that the reader uses, and one that it does not.
    for (table, read) in [("CUPTI_ACTIVITY_KIND_KERNEL", true), ("OTHER", false)] {
        let Some((_folder, path)) = real_database("nsys/nsys-ai_fsdp_2gpu.sqlite.zst") else {
            return;
        };
        let database = Connection::open(&path).unwrap();
        let other = "CREATE TABLE OTHER (text TEXT);
                     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                     INSERT INTO OTHER SELECT 'row ' || i FROM n;";
        database.execute_batch(other).unwrap();
        let rows = format!("SELECT count(*) FROM {table}");
        let whole = number(&database, &rows);
        drop(database);
        damage(&path, table);
        let trace = join(std::slice::from_ref(&path));
        assert_eq!(trace.is_partial(), read);
        let folder = tempfile::tempdir().unwrap();
        let (report, out) = write(&trace, &folder.path().join("out.sqlite"));
        assert!(report.partial);
        assert_eq!(report.losses.is_empty(), read);
        let kept = number(&out, &rows);
        assert!(0 < kept && kept < whole, "{kept} of {whole}");
        let loss = format!(
            "SELECT count(*) FROM WEFT_LOSS WHERE name = 'damaged_{table}' AND severity = 'damage' AND value > 0"
        );
        assert_eq!(number(&out, &loss), 1);
        let check: String = out
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(check, "ok", "the output itself is whole");
        let all = "SELECT count(*) FROM WEFT_KERNEL";
        assert_eq!(number(&out, all), trace.devices.kernels.len() as i64);
        let table = query::select(&trace, all, &Progress::default()).unwrap();
        assert_eq!(
            table.rows(),
            [vec![Cell::Integer(trace.devices.kernels.len() as i64)]]
        );
    }
}

#[test]
fn preserves_row_ids_of_the_session() {
    let session = Session::new(0);
    session.watch_small();
    session.range(THREADS[0], 2, None, 700, Some(800));
    for gap in [false, true] {
        if gap {
            let delete = "DELETE FROM NVTX_EVENTS WHERE rowid = 3";
            session.database.execute(delete, []).unwrap();
        }
        let rows = |database: &Connection| -> Vec<(i64, i64)> {
            let mut select = database
                .prepare("SELECT rowid, start FROM NVTX_EVENTS ORDER BY rowid")
                .unwrap();
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
            rows.unwrap().map(Result::unwrap).collect()
        };
        let folder = tempfile::tempdir().unwrap();
        let trace = join(std::slice::from_ref(&session.path));
        let (_, out) = write(&trace, &folder.path().join("out.sqlite"));
        assert_eq!(rows(&out), rows(&session.database));
    }
}

#[derive(Default)]
struct Steps(Mutex<Vec<(String, u64, u64)>>);

impl Watch for Steps {
    fn begin(&self, what: &str, units: u64) {
        self.0.lock().unwrap().push((what.to_owned(), units, 0));
    }

    fn advance(&self, units: u64) {
        self.0.lock().unwrap().last_mut().unwrap().2 += units;
    }
}

#[test]
fn progress_reports_steps_within_their_units() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let steps = Arc::new(Steps::default());
    let progress = Progress::to(steps.clone());
    let options = weft_nvtx_export::ReadOptions {
        progress: progress.clone(),
        ..weft_nvtx_export::ReadOptions::default()
    };
    let trace = weft_nvtx_export::read(&[prof], &options).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = WriteOptions {
        progress,
        ..WriteOptions::default()
    };
    sqlite::write(&trace, &folder.path().join("out.sqlite"), &options).unwrap();
    let steps = steps.0.lock().unwrap();
    let names: Vec<&str> = steps.iter().map(|(what, ..)| what.as_str()).collect();
    assert!(names[0].starts_with("reading "), "{names:?}");
    for step in [
        "joining kernels and launches",
        "writing tasks",
        "making indexes",
    ] {
        assert!(names.contains(&step), "{step}: {names:?}");
    }
    for (what, units, done) in steps.iter() {
        assert!(*units == 0 || done <= units, "{what}: {done} of {units}");
    }
}
