//! The session: when it began, and what wrote the export.

use super::database::{Database, integer, text};
use crate::error::ExportError;
use crate::joined::{Joined, SourceIndex};

/// The table of facts about the export, by version: up to 2022.4, and later.
const VERSION_TABLES: [&str; 2] = ["EXPORT_META_DATA", "META_DATA_EXPORT"];

pub(super) fn read(
    joined: &mut Joined,
    source: SourceIndex,
    database: &Database,
) -> Result<(), ExportError> {
    let mut began = None;
    database.each_row("TARGET_INFO_SESSION_START_TIME", &["utcEpochNs"], |row| {
        began = began.or(integer(row, 0));
        true
    })?;
    if let Some(source) = joined.sources.get_mut(source.0 as usize) {
        source.wall_at_zero = began;
    }
    let id = source.id();
    for table in VERSION_TABLES {
        database.each_row(table, &["name", "value"], |row| {
            let key = match text(row, 0) {
                Some("EXPORT_SCHEMA_VERSION") => "nsys_schema",
                Some("EXPORT_PRODUCT_VERSION") => "nsys_version",
                _ => return true,
            };
            if let Some(value) = text(row, 1) {
                joined.meta.set(format!("source_{id}_{key}"), value);
            }
            true
        })?;
    }
    Ok(())
}
