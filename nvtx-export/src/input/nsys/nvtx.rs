//! NVTX_EVENTS: push/pop and start/end ranges.

use super::database::{Database, integer, text};
use super::texts::Texts;
use crate::error::ExportError;
use crate::joined::{Joined, RangeKind, RangeRow, SourceIndex, StringIndex, process_of};
use rustc_hash::FxHashMap;
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
    let domains = domains(joined, &mut texts, database)?;
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
        "color",
    ];
    let default_domain = StringIndex::default();
    let weft_domain = joined.strings.intern(WEFT_DOMAIN);
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
        let domain = integer(row, 6)
            .and_then(|domain| domains.get(&(process_of(thread), domain)).copied())
            .unwrap_or(default_domain);
        let weft = domain == weft_domain;
        // SQLite holds payloads of 2^63 and above as negative numbers; those are no UIDs.
        let payload = integer(row, 7).filter(|_| weft);
        joined.ranges.push(RangeRow {
            source,
            row: id,
            start: Timestamp::from_nanos_since_session_start(start),
            end: integer(row, 2).map_or(session_end, Timestamp::from_nanos_since_session_start),
            kind: if kind == 59 || kind == 70 {
                RangeKind::PushPop
            } else {
                RangeKind::StartEnd
            },
            open: integer(row, 2).is_none(),
            thread,
            end_thread: integer(row, 5).filter(|end| *end != thread),
            text: message,
            domain,
            color: integer(row, 10).map(|color| color as u32),
            weft,
            launch: payload.and_then(|payload| Uid::from_raw(payload.cast_unsigned())),
        });
        true
    })
}

/// Names of domains by process and id: ids are given out by process.
fn domains(
    joined: &mut Joined,
    texts: &mut Texts<'_>,
    database: &Database,
) -> Result<FxHashMap<(i64, i64), StringIndex>, ExportError> {
    let mut domains = FxHashMap::default();
    let columns = ["eventType", "globalTid", "domainId", "textId", "text"];
    database.each_row("NVTX_EVENTS", &columns, |row| {
        if integer(row, 0) != Some(DOMAIN) {
            return true;
        }
        let (Some(thread), Some(domain)) = (integer(row, 1), integer(row, 2)) else {
            return false;
        };
        let name = match (text(row, 4), integer(row, 3)) {
            (Some(text), _) => joined.strings.intern(text),
            (None, Some(id)) => texts.get(id, &mut joined.strings),
            (None, None) => StringIndex::default(),
        };
        domains.insert((process_of(thread), domain), name);
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
