//! NVTX_EVENTS: push/pop and start/end ranges.

use super::calls::process_of;
use super::database::{Database, integer, text};
use super::texts::Texts;
use crate::error::ExportError;
use crate::joined::{Joined, RangeRow, SourceIndex};
use rustc_hash::FxHashSet;
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// The domain whose payloads are launch UIDs.
const WEFT_DOMAIN: &str = "weft";

/// Event types of ranges: push/pop and start/end, each as recorded and as imported.
const RANGES: [i64; 4] = [59, 60, 70, 71];

/// The event type of a row that names a domain.
const DOMAIN: i64 = 75;

pub(super) fn read(
    joined: &mut Joined,
    source: SourceIndex,
    database: &Database,
) -> Result<(), ExportError> {
    let mut texts = Texts::of(database)?;
    let domains = weft_domains(joined, &mut texts, database)?;
    let session_end = Timestamp::from_nanos_since_session_start(end_of_session(database)?);
    let columns = [
        "rowid",
        "start",
        "end",
        "eventType",
        "globalTid",
        "endGlobalTid",
        "domainId",
        "uint64Value",
        "textId",
        "text",
    ];
    database.each_row("NVTX_EVENTS", &columns, |row| {
        let Some(kind) = integer(row, 3) else {
            return false;
        };
        if !RANGES.contains(&kind) {
            return true;
        }
        let (Some(id), Some(start), Some(thread)) =
            (integer(row, 0), integer(row, 1), integer(row, 4))
        else {
            return false;
        };
        let message = match (text(row, 9), integer(row, 8)) {
            (Some(text), _) => joined.strings.intern(text),
            (None, Some(id)) => texts.get(id, &mut joined.strings),
            (None, None) => Default::default(),
        };
        let weft =
            integer(row, 6).is_some_and(|domain| domains.contains(&(process_of(thread), domain)));
        // SQLite holds payloads of 2^63 and above as negative numbers; those are no UIDs.
        let payload = integer(row, 7).filter(|_| weft);
        joined.ranges.push(RangeRow {
            source,
            row: id,
            start: Timestamp::from_nanos_since_session_start(start),
            end: integer(row, 2).map_or(session_end, Timestamp::from_nanos_since_session_start),
            thread,
            crosses_threads: integer(row, 5).is_some_and(|end| end != thread),
            text: message,
            weft,
            launch: payload.and_then(|payload| Uid::from_raw(payload.cast_unsigned())),
        });
        true
    })
}

/// The domains named `weft`, each with its process: domain ids are given out by process.
fn weft_domains(
    joined: &mut Joined,
    texts: &mut Texts<'_>,
    database: &Database,
) -> Result<FxHashSet<(i64, i64)>, ExportError> {
    let mut domains = FxHashSet::default();
    let columns = ["eventType", "globalTid", "domainId", "textId", "text"];
    database.each_row("NVTX_EVENTS", &columns, |row| {
        if integer(row, 0) != Some(DOMAIN) {
            return true;
        }
        let (Some(thread), Some(domain)) = (integer(row, 1), integer(row, 2)) else {
            return false;
        };
        let name = match (text(row, 4), integer(row, 3)) {
            (Some(text), _) => text == WEFT_DOMAIN,
            (None, Some(id)) => {
                let text = texts.get(id, &mut joined.strings);
                joined.strings.get(text) == WEFT_DOMAIN
            }
            (None, None) => false,
        };
        if name {
            domains.insert((process_of(thread), domain));
        }
        true
    })?;
    Ok(domains)
}

/// When ranges end that were never closed.
fn end_of_session(database: &Database) -> Result<i64, ExportError> {
    let mut end = i64::MAX;
    database.each_row("ANALYSIS_DETAILS", &["duration"], |row| {
        end = integer(row, 0).unwrap_or(i64::MAX);
        true
    })?;
    Ok(end)
}
