//! Databases that were made to harm their reader, or were damaged. Each is read and exported
//! without harm, and with all of its session.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use support::THREADS;
use support::database::files;
use support::session::Session;
use tempfile::TempDir;
use weft_model::{Severity, Trace};
use weft_nvtx_export::{ExportError, ReadOptions, RequiredParts, read};
use weft_output::sqlite::{self, WriteOptions, WriteReport};

/// Returns a session with two ranges and two kernels, modified by `hostile`.
fn session(hostile: impl FnOnce(&Connection)) -> Session {
    let session = Session::new(0);
    session.range(THREADS[0], 2, None, 100, Some(900));
    session.range(THREADS[1], 2, None, 200, Some(800));
    session.launch(THREADS[0], 10, 300, 310);
    session.launch(THREADS[1], 11, 400, 410);
    let unsafe_again = DbConfig::SQLITE_DBCONFIG_DEFENSIVE;
    session.database.set_db_config(unsafe_again, false).unwrap();
    hostile(&session.database);
    session
}

fn number(database: &Connection, sql: &str) -> i64 {
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Reads a database in every way.
fn read_all(path: &Path) -> Trace {
    for keep in [RequiredParts::Costs, RequiredParts::Ranges] {
        let options = ReadOptions {
            keep,
            ..ReadOptions::default()
        };
        read(&[path.to_owned()], &options).unwrap();
    }
    read(&[path.to_owned()], &ReadOptions::default()).unwrap()
}

fn export(path: &Path) -> (TempDir, WriteReport, Connection) {
    let trace = read_all(path);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.sqlite");
    let report = sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    let database = Connection::open(out).unwrap();
    let check: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    (folder, report, database)
}

/// Exports a session, and checks that the output is complete.
fn check(session: &Session) -> (TempDir, WriteReport, Connection) {
    let (folder, report, database) = export(&session.path);
    for (sql, rows) in [
        ("SELECT count(*) FROM WEFT_KERNEL", 2),
        ("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL", 2),
        ("SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59", 2),
        ("SELECT sum(kernels) FROM weft_by_range", 2),
    ] {
        assert_eq!(number(&database, sql), rows, "{sql}");
    }
    (folder, report, database)
}

#[test]
fn ignores_schema_constraints_and_generated_columns() {
    let session = session(|database| {
        // Evaluating one of these for a single row would fail, or take minutes and gigabytes.
        let endless = "length(hex(zeroblob(400000000))) > 0";
        database
            .execute_batch(&format!(
                "CREATE TABLE CHECKED (x INTEGER CHECK ({endless}), y TEXT CHECK (0));
                 CREATE TABLE COMPUTED (x INTEGER, y TEXT AS (hex(zeroblob(400000000))), z AS (x + 1) STORED);
                 CREATE TABLE DEFAULTS (x INTEGER DEFAULT (abs(-9223372036854775807 - 1)), y TEXT);
                 CREATE TABLE STRICTLY (x INTEGER NOT NULL UNIQUE, y TEXT NOT NULL) STRICT;
                 CREATE TABLE NO_ROWID (x TEXT PRIMARY KEY, y TEXT) WITHOUT ROWID;
                 CREATE TABLE BACKWARDS (x INTEGER PRIMARY KEY DESC, y TEXT);
                 CREATE TABLE \"\"\"); DROP TABLE StringIds; --\" (\"a\"\"b\" TEXT, \"end\" INTEGER);
                 CREATE TABLE rowids (rowid TEXT, _rowid_ TEXT, oid TEXT);
                 CREATE INDEX expression ON DEFAULTS (abs(x));
                 CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET AS SELECT load_extension('evil') AS start;
                 PRAGMA ignore_check_constraints = ON;
                 INSERT INTO CHECKED VALUES (1, 'one');
                 INSERT INTO COMPUTED (x) VALUES (1);
                 INSERT INTO DEFAULTS VALUES (7, 'seven');
                 INSERT INTO STRICTLY VALUES (1, 'one');
                 INSERT INTO NO_ROWID VALUES ('key', 'value');
                 INSERT INTO BACKWARDS VALUES (NULL, 'none'), ('text', 'text');
                 INSERT INTO \"\"\"); DROP TABLE StringIds; --\" VALUES ('a', 1);
                 INSERT INTO rowids VALUES ('a', 'b', 'c');
                 CREATE TRIGGER t AFTER INSERT ON DEFAULTS BEGIN DELETE FROM DEFAULTS; END;
                 CREATE TRIGGER weft_task_uid AFTER INSERT ON StringIds BEGIN DELETE FROM StringIds; END;"
            ))
            .unwrap();
    });
    let (_folder, report, database) = check(&session);
    assert_eq!(report.losses, []);
    for (table, row) in [
        ("CHECKED", "1|one"),
        ("COMPUTED", "1"),
        ("DEFAULTS", "7|seven"),
        ("STRICTLY", "1|one"),
        ("NO_ROWID", "key|value"),
        ("BACKWARDS", "|none"),
        ("\"\"\"); DROP TABLE StringIds; --\"", "a|1"),
        ("rowids", "a|b|c"),
    ] {
        let mut select = database.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let width = select.column_count();
        let found: String = select
            .query_row([], |row| {
                let cells = (0..width).map(|column| {
                    Ok(match row.get_ref(column)? {
                        rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                        value => value
                            .as_str_or_null()
                            .unwrap()
                            .unwrap_or_default()
                            .to_owned(),
                    })
                });
                Ok(cells
                    .collect::<Result<Vec<_>, rusqlite::Error>>()?
                    .join("|"))
            })
            .unwrap();
        assert_eq!(found, row, "{table}");
    }
    let others = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' OR name = 'CUPTI_ACTIVITY_KIND_MEMSET' \
                  OR sql LIKE '%CHECK (%' OR sql LIKE '%zeroblob%' OR sql LIKE '%DEFAULT (%'";
    assert_eq!(number(&database, others), 0);
}

#[test]
fn leaves_disguised_tables_alone() {
    let session = session(|database| {
        database
            .execute_batch(
                "DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME;
                 CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_RUNTIME USING fts5(start, end, globalTid, correlationId);
                 INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 3, 4);
                 CREATE TABLE weft_by_line (x);
                 CREATE TABLE Weft_Kernel (id INTEGER, x TEXT);
                 CREATE TABLE WEFT_META_OF_OTHERS (key TEXT);",
            )
            .unwrap();
    });
    let (_folder, report, database) = export(&session.path);
    assert_eq!(report.kernels, 2);
    let [loss] = report.losses.as_slice() else {
        unreachable!("{:?}", report.losses);
    };
    // The virtual table, and the tables with its content.
    assert_eq!((loss.name.as_str(), loss.value), ("tables_not_copied", 6));
    let no_call = "SELECT count(*) FROM WEFT_UNMATCHED WHERE reason = 'no_api_call'";
    assert_eq!(number(&database, no_call), 2);
    let virtual_tables = "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%VIRTUAL%'";
    assert_eq!(number(&database, virtual_tables), 0);
    assert_eq!(number(&database, "SELECT count(*) FROM weft_by_line"), 1);
}

#[test]
fn counts_excess_tables_without_copying_them() {
    let session = session(|database| {
        database.execute_batch("BEGIN").unwrap();
        for table in 0..2_100 {
            let sql = format!("CREATE TABLE T{table} (x INTEGER)");
            database.execute(&sql, []).unwrap();
        }
        database.execute_batch("COMMIT").unwrap();
    });
    let (_folder, report, database) = check(&session);
    let [loss] = report.losses.as_slice() else {
        unreachable!("{:?}", report.losses);
    };
    assert_eq!(
        (loss.name.as_str(), loss.severity),
        ("tables_not_copied", Severity::Loss)
    );
    let tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name LIKE 'T%' AND name GLOB 'T[0-9]*'";
    assert_eq!(number(&database, tables) as u64 + loss.value, 2_100);
    let said = "SELECT value FROM WEFT_LOSS WHERE name = 'tables_not_copied'";
    assert_eq!(number(&database, said) as u64, loss.value);
}

const PAGE: usize = 512;

/// Directs every pointer of an interior page to page `child`. Returns the original target of the
/// first pointer.
fn lead_to(bytes: &mut [u8], page: usize, child: Option<usize>) -> usize {
    let start = (page - 1) * PAGE;
    assert_eq!(bytes[start], 5, "an interior page of a table");
    let word =
        |bytes: &[u8], at: usize| usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
    let cells = word(bytes, start + 3);
    let places = (0..cells).map(|cell| start + word(bytes, start + 12 + 2 * cell));
    let places: Vec<usize> = places.chain([start + 8]).collect();
    let first = u32::from_be_bytes(bytes[places[0]..][..4].try_into().unwrap()) as usize;
    let child = child.unwrap_or(first) as u32;
    for place in places {
        bytes[place..place + 4].copy_from_slice(&child.to_be_bytes());
    }
    first
}

#[test]
fn repeated_page_reads_end_a_table() {
    let session = session(|database| {
        database
            .execute_batch(
                "CREATE TABLE OTHER (x TEXT);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                 INSERT INTO OTHER SELECT 'row ' || i FROM n;
                 WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                 INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i, i + 1, 0, 7, i, 1, 1 FROM n;
                 PRAGMA page_size = 512; VACUUM;",
            )
            .unwrap();
    });
    for table in ["OTHER", "CUPTI_ACTIVITY_KIND_KERNEL"] {
        let sql = format!("SELECT rootpage FROM sqlite_master WHERE name = '{table}'");
        let root = number(&session.database, &sql) as usize;
        let mut bytes = std::fs::read(&session.path).unwrap();
        // The root becomes a second page of pointers to a page of pointers to one leaf.
        let inner = lead_to(&mut bytes, root, None);
        lead_to(&mut bytes, inner, None);
        let (from, to) = ((inner - 1) * PAGE, (root - 1) * PAGE);
        bytes.copy_within(from..from + PAGE, to);
        lead_to(&mut bytes, root, Some(inner));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("looped.sqlite");
        std::fs::write(&path, &bytes).unwrap();
        let rows = Connection::open(&path).unwrap();
        let rows = number(&rows, &format!("SELECT count(*) FROM {table} NOT INDEXED"));
        assert!(
            rows as usize > bytes.len() / 6,
            "{rows} in {} bytes",
            bytes.len()
        );
        let trace = read_all(&path);
        let out = folder.path().join("out.sqlite");
        let report = sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
        assert!(report.partial, "{table}");
        let damage = format!("damaged_{table}");
        let mut losses = trace.quality.losses.iter().chain(&report.losses);
        assert!(losses.any(|loss| loss.name == damage), "{table}");
    }
}

#[test]
fn copies_no_more_than_the_file_can_hold() {
    // A row of a few bytes represents a long text, which the schema contains once.
    let session = session(|database| {
        database
            .execute_batch(
                "CREATE TABLE LONG (x INTEGER);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                 INSERT INTO LONG SELECT i FROM n;",
            )
            .unwrap();
        let text = "x".repeat(100_000);
        let add = format!("ALTER TABLE LONG ADD COLUMN y TEXT DEFAULT '{text}'");
        database.execute_batch(&add).unwrap();
    });
    let trace = read_all(&session.path);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.sqlite");
    let refused = sqlite::write(&trace, &out, &WriteOptions::default()).unwrap_err();
    let text = refused.sentence();
    assert!(
        text.contains("far more room than in their own database"),
        "{text}"
    );
    assert!(files(folder.path()).is_empty(), "nothing is left");
}

#[test]
fn keeps_names_with_invalid_utf_8_distinct() {
    let session = session(|database| {
        database
            .execute_batch(
                "INSERT INTO StringIds VALUES (2, CAST(x'6b01ff' AS TEXT)), (3, CAST(x'6b01fe' AS TEXT));
                 UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 1 + rowid;
                 UPDATE NVTX_EVENTS SET text = CAST(x'72ff' AS TEXT) WHERE rowid = 3;
                 UPDATE NVTX_EVENTS SET text = CAST(x'72fe' AS TEXT) WHERE rowid = 4;",
            )
            .unwrap();
    });
    let (_folder, _, database) = check(&session);
    let mut names = database
        .prepare("SELECT name FROM WEFT_KERNEL ORDER BY name")
        .unwrap();
    let names = names.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let names: Vec<String> = names.map(Result::unwrap).collect();
    assert_eq!(names, ["k\u{1}\\xfe", "k\u{1}\\xff"]);
    let trace = read_all(&session.path);
    let texts: Vec<&str> = trace
        .work
        .ranges
        .iter()
        .map(|range| trace.strings.get(range.text))
        .collect();
    assert_eq!(texts, ["r\\xff", "r\\xfe"]);
}

/// Returns a session's database under this name in its own folder.
fn placed(name: &[u8]) -> (TempDir, PathBuf) {
    let session = session(|_| {});
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(OsStr::from_bytes(name));
    std::fs::copy(&session.path, &path).unwrap();
    (folder, path)
}

#[test]
fn opens_databases_by_exact_path_bytes() {
    for name in [
        &b"caf\xe9.sqlite"[..],
        b"file:a?mode=memory&b=%41#c d.sqlite",
        b"a%ffb.sqlite",
    ] {
        let (folder, path) = placed(name);
        // The name with its invalid bytes replaced.
        let replaced = folder.path().join("caf\u{fffd}.sqlite");
        let decoy = Connection::open(&replaced).unwrap();
        decoy
            .execute_batch("CREATE TABLE DECOY (x); INSERT INTO DECOY VALUES (1);")
            .unwrap();
        drop(decoy);
        let before = files(folder.path());
        let (_out, _, database) = export(&path);
        let sql = "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL";
        assert_eq!(number(&database, sql), 2);
        let decoys = "SELECT count(*) FROM sqlite_master WHERE name = 'DECOY'";
        assert_eq!(number(&database, decoys), 0);
        assert_eq!(before, files(folder.path()));
        // An output with such a name is written there.
        let out = folder
            .path()
            .join(OsStr::from_bytes(b"file:out\xff?mode=memory"));
        let trace = read_all(&path);
        sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
        assert_eq!(files(folder.path()).len(), before.len() + 1);
        assert_eq!(std::fs::read(&out).unwrap()[..15], *b"SQLite format 3");
    }
}

/// Returns the database in the middle of a transaction that changed its pages, with its journal.
fn with_hot_journal() -> (TempDir, PathBuf) {
    let session = session(|_| {});
    let database = &session.database;
    database
        .execute_batch(
            "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN;
             CREATE TABLE FILL (x TEXT);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
             INSERT INTO FILL SELECT hex(randomblob(2000)) FROM n;
             DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL;
             UPDATE NVTX_EVENTS SET start = -1;",
        )
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hot.sqlite");
    std::fs::copy(&session.path, &path).unwrap();
    let mut journal = session.path.clone().into_os_string();
    journal.push("-journal");
    std::fs::copy(journal, folder.path().join("hot.sqlite-journal")).unwrap();
    (folder, path)
}

#[test]
fn rolls_back_a_hot_journal_in_a_copy() {
    let (folder, path) = with_hot_journal();
    let before = files(folder.path());
    let (_out, _, database) = export(&path);
    let sql = "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL";
    assert_eq!(number(&database, sql), 2);
    let fill = "SELECT count(*) FROM sqlite_master WHERE name = 'FILL'";
    assert_eq!(number(&database, fill), 0);
    let source: String = database
        .query_row("SELECT path FROM WEFT_SOURCE", [], |row| row.get(0))
        .unwrap();
    assert_eq!(source, path.to_str().unwrap());
    assert_eq!(before, files(folder.path()));
}

#[test]
fn journal_cannot_delete_other_files() {
    let (folder, path) = with_hot_journal();
    let victim = folder.path().join("victim.txt");
    std::fs::write(&victim, "unrelated\n").unwrap();
    // The name of a journal over several databases: page, name, length, sum of the bytes, magic.
    let name = victim.as_os_str().as_bytes();
    let journal = folder.path().join("hot.sqlite-journal");
    let mut bytes = std::fs::read(&journal).unwrap();
    let sum: u32 = name.iter().map(|byte| u32::from(*byte)).sum();
    bytes.extend(262_145_u32.to_be_bytes());
    bytes.extend(name);
    bytes.extend((name.len() as u32).to_be_bytes());
    bytes.extend(sum.to_be_bytes());
    bytes.extend([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    std::fs::write(&journal, bytes).unwrap();
    let before = files(folder.path());
    let refused = read(std::slice::from_ref(&path), &ReadOptions::default()).unwrap_err();
    assert!(
        matches!(refused, ExportError::Unfinished { .. }),
        "{refused}"
    );
    assert!(
        refused.sentence().contains("several databases"),
        "{refused}"
    );
    assert_eq!(before, files(folder.path()));
}

#[test]
fn reads_the_write_ahead_log_without_changing_it() {
    let session = session(|_| {});
    let database = &session.database;
    let mode = database.query_row("PRAGMA journal_mode = wal", [], |row| {
        row.get::<_, String>(0)
    });
    assert_eq!(mode.unwrap(), "wal");
    database
        .execute_batch("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid = 1")
        .unwrap();
    let folder = session.path.parent().unwrap();
    let before = files(folder);
    assert_eq!(before.len(), 3, "the log and its index are there");
    let (_out, _, copied) = export(&session.path);
    let sql = "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL";
    assert_eq!(number(&copied, sql), 1);
    assert_eq!(before, files(folder));
}

#[test]
fn survives_every_flipped_byte_of_a_small_database() {
    let session = session(|database| {
        database
            .execute_batch("PRAGMA page_size = 512; VACUUM;")
            .unwrap();
    });
    let bytes = std::fs::read(&session.path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flipped.sqlite");
    let mut read_ones = 0;
    // Every ninth byte: this covers all kinds of fields of headers, cells and records within a
    // second.
    for at in (0..bytes.len()).step_by(9) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&path, flipped).unwrap();
        let Ok(trace) = read(std::slice::from_ref(&path), &ReadOptions::default()) else {
            continue;
        };
        read_ones += 1;
        let out = folder.path().join("out.sqlite");
        let options = WriteOptions {
            force: true,
            ..WriteOptions::default()
        };
        // Whether it is written or rejected, only the two files exist.
        let _ = sqlite::write(&trace, &out, &options);
        assert!(files(folder.path()).len() <= 2);
    }
    assert!(read_ones > 100, "{read_ones}");
}
