//! `docs/numpy.md` against the functions that there are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Adds the names behind each piece of documentation in a folder's sources: of public functions, and of rows of macros
/// that make some.
fn documented(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            documented(&path, names);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let mut is_documented = false;
        for line in text.lines().map(str::trim) {
            if line.starts_with("///") {
                is_documented = true;
            } else if !line.starts_with("#[") && is_documented {
                is_documented = false;
                let item = line.strip_prefix("pub fn ").unwrap_or(line);
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let (name, rest) = item.split_at(item.find(|c| !is_part(c)).unwrap_or(item.len()));
                if rest.trim_start().starts_with(['(', ',', '<', '=']) {
                    names.insert(name.to_owned());
                }
            }
        }
    }
}

#[test]
fn the_table_of_names_is_that_of_the_sources() {
    let mut names = BTreeSet::new();
    documented(&repository().join("runtime/src/program"), &mut names);
    assert!(names.contains("sort") && names.contains("sqrt") && names.contains("stack"));
    let table = fs::read_to_string(repository().join("docs/numpy.md")).unwrap();
    let again = "run `python3 docs/numpy_table.py`";
    let mut rows = 0;
    let (table, _) = table.split_once("## Where results differ").unwrap();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split(" | ").collect();
        let (numpy, weft, remark) = (cells[0].trim_matches(['|', ' ', '`']), cells[1], cells[2]);
        rows += 1;
        for name in weft.split('`').skip(1).step_by(2) {
            let name = name.trim_start_matches("weft::");
            assert!(
                names.contains(name),
                "{numpy} is not `{name}` any more: {again}"
            );
        }
        let is_left_out = weft == "-" && remark.trim_matches(['|', ' ']).is_empty();
        assert!(
            !is_left_out || !names.contains(numpy),
            "there is a `{numpy}`: {again}"
        );
    }
    assert!(rows > 400, "{rows} rows of the table were found");
}
