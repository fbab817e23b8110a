//! Comparison of databases, and lists of files.

use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the rows of every table, by its name.
pub(crate) fn tables(path: &Path) -> BTreeMap<String, Vec<Vec<Value>>> {
    let database = Connection::open(path).unwrap();
    let mut names = database
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        .unwrap();
    let names = names.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let names: Vec<String> = names.map(Result::unwrap).collect();
    let rows = |name: &String| {
        let mut select = database
            .prepare(&format!("SELECT * FROM \"{name}\""))
            .unwrap();
        let width = select.column_count();
        let row = |row: &rusqlite::Row<'_>| (0..width).map(|column| row.get(column)).collect();
        let rows = select.query_map([], row).unwrap();
        rows.map(Result::unwrap).collect::<Vec<Vec<Value>>>()
    };
    names
        .iter()
        .map(|name| (name.clone(), rows(name)))
        .collect()
}

/// Panics if two databases have different tables or rows.
pub(crate) fn assert_same(first: &Path, second: &Path) {
    let (first, second) = (tables(first), tables(second));
    let names = |tables: &BTreeMap<String, Vec<Vec<Value>>>| -> Vec<String> {
        tables.keys().cloned().collect()
    };
    assert_eq!(names(&first), names(&second));
    for (name, rows) in &first {
        let others = &second[name];
        assert_eq!(rows.len(), others.len(), "rows of {name}");
        for (number, (row, other)) in rows.iter().zip(others).enumerate() {
            assert_eq!(row, other, "row {number} of {name}");
        }
    }
}

/// Returns the names and contents of all files of a folder.
pub(crate) fn files(folder: &Path) -> BTreeMap<std::ffi::OsString, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name(), std::fs::read(entry.path()).unwrap())
        })
        .collect()
}
