//! `docs/schema.md`, generated from the declarations.

use super::table::sentence;
use super::view::VIEWS;
use super::{Column, NSYS_TABLES, Table, VERSION, WEFT_TABLES};
use std::fmt::Write;

const HEAD: &str = "\
<!-- Made from nvtx-export/database/src/schema by `WEFT_UPDATE_SCHEMA=1 cargo test -p weft-nvtx-export --test pipeline schema`. -->

# Tables and views of a joined database

`weft export sqlite` writes these tables, and `weft query` provides them for any inputs. `.tables` lists them, `.schema NAME` shows one.

Times are nanoseconds on one clock, which WEFT_META names. A column with `Id` or `Uid` in its name refers to a row of another
table: `sourceId` WEFT_SOURCE, `provenanceId` WEFT_PROVENANCE, `processorId` WEFT_PROCESSOR, `memoryId` WEFT_MEMORY, `opUid`
WEFT_OPERATION, `taskUid` WEFT_TASK, `launchUid` WEFT_LAUNCH, `storeUid` WEFT_STORE, `kernelId` WEFT_KERNEL. UIDs are unique
within a run; join them by `sourceId` too. UIDs and addresses of 2^63 and above are negative, since SQLite has no unsigned
numbers. Lists are JSON, such as `[2000, 2000]`.
";

const NSYS: &str = "\
## Tables of Nsight Systems

If an input is a session of Nsight Systems, all of its tables are copied under their own names. Their columns are recreated
from names and types only: defaults, constraints, indexes, views, triggers and primary keys other than the row id are left
out. Without a session, Weft writes these tables from the records of the processes:
";

/// Returns the page.
pub fn page() -> String {
    let mut page =
        format!("{HEAD}\nThis is version {VERSION} of the tables.\n\n## Weft's tables\n");
    let mut tables = WEFT_TABLES;
    tables.sort_unstable_by_key(|table| table.name);
    for table in &tables {
        write_table(&mut page, table);
    }
    page.push_str("\n## Views\n");
    for view in &VIEWS {
        let _ = write!(page, "\n### {}\n\n{}\n\n", view.name, view.doc);
        page.push_str("| column | unit | meaning |\n|---|---|---|\n");
        for (name, unit, doc) in view.columns {
            let _ = writeln!(page, "| {name} | {unit} | {doc} |");
        }
    }
    let _ = write!(page, "\n{NSYS}");
    for table in &NSYS_TABLES {
        write_table(&mut page, table);
    }
    page
}

/// Returns the views that [`page`] describes, with their columns.
pub fn views() -> Vec<(&'static str, Vec<&'static str>)> {
    let columns = |view: &super::view::View| view.columns.iter().map(|column| column.0).collect();
    VIEWS
        .iter()
        .map(|view| (view.name, columns(view)))
        .collect()
}

fn write_table(page: &mut String, table: &Table) {
    let _ = write!(page, "\n### {}\n\n{}\n\n", table.name, sentence(table.doc));
    page.push_str("| column | type | unit | meaning |\n|---|---|---|---|\n");
    for column in table.columns {
        let Column {
            name, kind, unit, ..
        } = column;
        let optional = match column.constraint {
            "" => ", or NULL",
            _ => "",
        };
        let meaning = meaning(column);
        let _ = writeln!(page, "| {name} | {kind}{optional} | {unit} | {meaning} |");
    }
}

/// Returns the description of a column, with the words that it can hold.
fn meaning(column: &Column) -> String {
    let words = (column.words)();
    let doc = sentence(column.doc);
    if words.is_empty() {
        return doc;
    }
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let words = words.join(", ");
    if doc.is_empty() {
        format!("One of {words}.")
    } else {
        format!("One of {words}. {doc}")
    }
}
