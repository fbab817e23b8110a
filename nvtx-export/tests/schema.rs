//! The tables of a joined database: their page, and that reading and writing them again preserves
//! their content.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use rusqlite::Connection;
use std::path::{Path, PathBuf};
use support::database::assert_same;
use support::session::Session;
use support::{ProfFile, Small, THREADS, at, join, operation_uid, real_database, small};
use weft_database::schema;
use weft_geometry::words::{View, from_tiling};
use weft_geometry::{Access, Layout, Projection, Shape, Tiling};
use weft_model::{KernelKind, Trace, Traffic};
use weft_nvtx_export::{ExportError, ReadOptions, read};
use weft_output::sqlite::{self, WriteOptions};
use weft_trace::file::RunId;
use weft_trace::id::{NameId, ProvenanceId};
use weft_trace::record::{List, Name, Operands, Operation};

fn write(trace: &Trace, out: &Path) {
    sqlite::write(trace, out, &WriteOptions::default()).unwrap();
}

/// Writes the joined inputs, reads them back and writes them again.
fn check_round_trip(inputs: &[PathBuf]) -> Trace {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    write(&join(inputs), &first);
    let back = join(std::slice::from_ref(&first));
    write(&back, &second);
    assert_same(&first, &second);
    back
}

#[test]
fn schema_page_matches_the_declarations() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema.md");
    if std::env::var_os("WEFT_UPDATE_SCHEMA").is_some() {
        std::fs::write(&page, schema::page()).unwrap();
    }
    let found = std::fs::read_to_string(&page).unwrap_or_default();
    assert!(
        found == schema::page(),
        "docs/schema.md is not that of the declarations: run this test with WEFT_UPDATE_SCHEMA=1"
    );
}

#[test]
fn describes_every_view_with_its_columns() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.sqlite");
    write(&join(&[prof]), &out);
    let database = Connection::open(out).unwrap();
    let mut select = database
        .prepare(
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c \
             WHERE m.type = 'view' ORDER BY m.name, c.cid",
        )
        .unwrap();
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let found: Vec<(String, String)> = rows.unwrap().map(Result::unwrap).collect();
    let described = schema::views().into_iter().flat_map(|(view, columns)| {
        let columns = columns.into_iter();
        columns.map(move |column| (view.to_owned(), column.to_owned()))
    });
    assert_eq!(found, described.collect::<Vec<_>>());
}

#[test]
fn run_data_survives_a_round_trip() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    check_round_trip(&[prof]);
}

#[test]
fn session_data_survives_a_round_trip() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let sessions = [Session::new(0), Session::new(5_000)];
    for (which, session) in (0..).zip(&sessions) {
        session.watch_small();
        session.range(THREADS[0], 2, None, 700, Some(800));
        session.launch(THREADS[0], 10 + which, 710, 720);
    }
    let [first, second] = sessions.each_ref().map(|session| session.path.clone());
    check_round_trip(&[prof, first, second]);
    if let Some((_folder, path)) = real_database("nsys/nsys-ai_fsdp_2gpu.sqlite.zst") {
        check_round_trip(&[path]);
    }
}

#[test]
fn legate_data_survives_a_round_trip() {
    for (name, computations) in [
        ("legate/stencil.prof.zst", 254),
        ("legate-nsys/stencil.prof.zst", 153),
    ] {
        if let Some((_folder, path)) = real_database(name) {
            let back = check_round_trip(&[path]);
            assert_eq!(back.work.partitionings.len(), computations, "{name}");
        }
    }
}

#[test]
fn operands_survive_a_round_trip() {
    let mut profile = ProfFile::new(RunId([1; 16]), 0);
    profile.write(Name {
        id: NameId(1),
        text: "add",
    });
    let contiguous = Layout::contiguous(Shape::new(&[5, 6]).unwrap());
    let view = |store, access, projection, layout| View {
        store,
        layout,
        access,
        projection,
    };
    let reversed = contiguous.slice(1, Some(-1), None, -2).unwrap();
    let mut expected = Vec::new();
    for (sequence, grain) in [
        (1, Tiling::Processors { work: 1 << 40 }),
        (2, Tiling::Along { axis: 1 }),
    ] {
        profile.write(Operation {
            uid: operation_uid(sequence),
            parent: None,
            name: NameId(1),
            provenance: ProvenanceId(0),
            created: at(0),
            tasks: 1,
            scope: Default::default(),
            stack: Default::default(),
            shape: List::Items(&[5, 6]),
        });
        let views = [
            view(1 << 63 | 7, Access::Read, Projection::Same, reversed),
            view(8, Access::ReadWrite, Projection::except(1), contiguous),
            view(9, Access::Write, Projection::blocks(4096), contiguous),
        ];
        let mut words = Vec::new();
        views
            .iter()
            .for_each(|view| view.put(|_| unreachable!(), |word| words.push(word)));
        let grain = from_tiling(grain, true);
        profile.write(Operands {
            operation: operation_uid(sequence),
            grain,
            views: List::Items(&words),
        });
        expected.push((operation_uid(sequence).0, grain, words));
    }
    let (_folder, path) = profile.finish();
    let back = check_round_trip(&[path]);
    let operands = back.program.operands.iter();
    let found: Vec<_> = operands
        .map(|row| (row.operation, row.tiling, row.views.to_vec()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn version_1_database_keeps_kernel_bytes() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let mut trace = join(&[prof]);
    trace.devices.kernels[1].kind = KernelKind::Memcpy;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.sqlite");
    write(&trace, &out);
    let database = Connection::open(&out).unwrap();
    let views: Vec<String> = {
        let views = "SELECT name FROM sqlite_master WHERE type = 'view'";
        let mut views = database.prepare(views).unwrap();
        let names = views.query_map([], |row| row.get(0)).unwrap();
        names.map(Result::unwrap).collect()
    };
    for view in views {
        database.execute(&format!("DROP VIEW {view}"), []).unwrap();
    }
    let as_before = "ALTER TABLE WEFT_KERNEL DROP COLUMN bytesRead; \
                     ALTER TABLE WEFT_KERNEL RENAME COLUMN bytesWritten TO bytes; \
                     UPDATE WEFT_META SET value = '1.2' WHERE key = 'weft_schema'";
    database.execute_batch(as_before).unwrap();
    drop(database);
    let back = join(std::slice::from_ref(&out));
    let traffic: Vec<_> = back
        .devices
        .kernels
        .iter()
        .map(|kernel| kernel.traffic)
        .collect();
    let of = |read| Traffic {
        read,
        written: Some(32),
    };
    assert_eq!(traffic, [of(None), of(Some(32)), of(None)]);
}

#[test]
fn upgrades_earlier_databases_and_rejects_later_ones() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    write(&join(&[prof]), &first);
    let set = |version: &str| {
        let database = Connection::open(&first).unwrap();
        let update = "UPDATE WEFT_META SET value = ?1 WHERE key = 'weft_schema'";
        assert_eq!(database.execute(update, [version]).unwrap(), 1);
    };
    let version = |path: &Path| -> String {
        let database = Connection::open(path).unwrap();
        let select = "SELECT value FROM WEFT_META WHERE key = 'weft_schema'";
        database.query_row(select, [], |row| row.get(0)).unwrap()
    };
    let now = version(&first);
    set("1.0");
    write(&join(std::slice::from_ref(&first)), &second);
    assert_eq!(version(&second), now);
    set("99.0");
    let refused = read(std::slice::from_ref(&first), &ReadOptions::default()).unwrap_err();
    assert!(
        matches!(refused, ExportError::NewerSchema { .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains("99.0"), "{refused}");
}
