//! Steps through the columns that the projection of ranges needs, on one connection, and does nothing with them: what
//! `benches/nsys_stats.py` compares `weft stats --by range` with.

#![allow(clippy::print_stdout, reason = "a program's output")]

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

const READS: [(&str, &str); 5] = [
    (
        "NVTX_EVENTS",
        "rowid, start, end, eventType, globalTid, endGlobalTid, domainId, textId, text",
    ),
    (
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        "start, end, globalTid, correlationId",
    ),
    (
        "CUPTI_ACTIVITY_KIND_KERNEL",
        "start, end, correlationId, globalPid",
    ),
    (
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        "start, end, correlationId, globalPid",
    ),
    (
        "CUPTI_ACTIVITY_KIND_MEMSET",
        "start, end, correlationId, globalPid",
    ),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: bare_read DATABASE")?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    let (mut rows, mut sum) = (0_u64, 0_i64);
    for (table, columns) in READS {
        let known = "SELECT count(*) FROM sqlite_master WHERE name = ?1";
        if connection.query_row(known, [table], |row| row.get::<_, i64>(0))? == 0 {
            continue;
        }
        let mut statement = connection.prepare(&format!("SELECT {columns} FROM {table}"))?;
        let count = statement.column_count();
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            rows += 1;
            for column in 0..count {
                // The sum keeps the reads from being left out.
                sum = match row.get_ref(column)? {
                    ValueRef::Integer(value) => sum.wrapping_add(value),
                    ValueRef::Text(text) => sum.wrapping_add(text.len() as i64),
                    _ => sum,
                };
            }
        }
    }
    println!("{rows} rows, sum {sum}");
    Ok(())
}
