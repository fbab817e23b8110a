//! NVTX_EVENTS: push/pop and start/end ranges.

use super::texts::{TextIds, Texts, at};
use rusqlite::Row;
use rustc_hash::FxHashMap;
use weft_database::{Database, Room, integer, text};
use weft_model::{
    ExportError, Progress, RangeKind, RangeRow, Recording, SourceIndex, StringIndex, Strings,
    process_of,
};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// The domain whose payloads are launch UIDs.
const WEFT_DOMAIN: &str = "weft";

/// Event types of ranges: push/pop and start/end, each as recorded and as imported.
const RANGES: [i64; 4] = [59, 60, 70, 71];

/// The event type of a row that names a domain.
const DOMAIN: i64 = 75;

/// Ranges of a slice of rows, as far as they are known without all domains and texts.
#[derive(Default)]
struct Ranges {
    rows: Vec<Unnamed>,
    domains: Vec<(i64, i64, Text)>,
    ids: TextIds,
    texts: Strings,
}

impl Room for Ranges {
    fn reserve(&mut self, rows: usize) {
        self.rows.reserve_exact(rows);
    }

    fn texts(&self) -> usize {
        self.texts.bytes()
    }
}

/// A range with texts of the slice.
struct Unnamed {
    row: RangeRow,
    text: Text,
    domain: Option<i64>,
    payload: Option<i64>,
}

/// A text, stored in its row or under an id.
#[derive(Clone, Copy)]
enum Text {
    Here(StringIndex),
    Id(StringIndex),
}

const COLUMNS: [&str; 11] = [
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

/// Appends the ranges. Those that were never closed have no end until [`close`].
pub(super) fn read(
    recording: &mut Recording,
    source: SourceIndex,
    database: &Database,
    progress: &Progress,
) -> Result<(), ExportError> {
    let mut texts = Texts::open(database)?;
    let each = |slice: &mut Ranges, row: &Row<'_>| read_row(slice, row, source);
    let slices = database.each_slice("NVTX_EVENTS", &COLUMNS, progress, each)?;
    let named: Vec<InternedTexts> = slices
        .iter()
        .map(|slice| InternedTexts::intern(slice, &mut texts, &mut recording.strings))
        .collect();
    let mut domains = FxHashMap::default();
    for (slice, named) in slices.iter().zip(&named) {
        for (process, id, text) in &slice.domains {
            domains.insert((*process, *id), named.get(*text));
        }
    }
    let weft_domain = recording.strings.intern(WEFT_DOMAIN);
    let count = slices.iter().map(|slice| slice.rows.len()).sum();
    recording.work.ranges.reserve_exact(count);
    for (slice, named) in slices.into_iter().zip(named) {
        recording
            .work
            .ranges
            .extend(slice.rows.into_iter().map(|range| {
                let process = process_of(range.row.thread);
                let domain = range.domain.and_then(|id| domains.get(&(process, id)));
                let domain = domain.copied().unwrap_or_default();
                let weft = domain == weft_domain;
                // SQLite stores payloads of 2^63 and above as negative numbers. They are not UIDs.
                let payload = range.payload.filter(|_| weft);
                RangeRow {
                    text: named.get(range.text),
                    domain,
                    weft,
                    launch: payload.and_then(|payload| Uid::from_raw(payload.cast_unsigned())),
                    ..range.row
                }
            }));
    }
    Ok(())
}

/// Sets the end of ranges that were never closed.
pub(super) fn close(recording: &mut Recording, source: SourceIndex, end: Timestamp) {
    let open = |range: &&mut RangeRow| range.open && range.source == source;
    for range in recording.work.ranges.iter_mut().filter(open) {
        range.end = end.max(range.start);
    }
}

/// The texts of a slice, interned in the trace.
struct InternedTexts {
    ids: Vec<StringIndex>,
    texts: Vec<StringIndex>,
}

impl InternedTexts {
    fn intern(slice: &Ranges, texts: &mut Texts<'_>, strings: &mut Strings) -> Self {
        let here = slice.texts.iter();
        InternedTexts {
            texts: here.map(|(_, text)| strings.intern(text)).collect(),
            ids: slice.ids.look_up(texts, strings),
        }
    }

    fn get(&self, text: Text) -> StringIndex {
        match text {
            Text::Here(index) => at(&self.texts, index),
            Text::Id(index) => at(&self.ids, index),
        }
    }
}

fn read_row(slice: &mut Ranges, row: &Row<'_>, source: SourceIndex) -> bool {
    let Some(kind) = integer(row, 3) else {
        return false;
    };
    if kind != DOMAIN && !RANGES.contains(&kind) {
        return true;
    }
    let Some(thread) = integer(row, 4) else {
        return false;
    };
    let message = match text(row, 9) {
        Some(text) => Text::Here(slice.texts.intern(&text)),
        None => Text::Id(slice.ids.add(integer(row, 8))),
    };
    let domain = integer(row, 6);
    if kind == DOMAIN {
        slice
            .domains
            .extend(domain.map(|id| (process_of(thread), id, message)));
        return domain.is_some();
    }
    let (Some(id), Some(start)) = (integer(row, 0), integer(row, 1)) else {
        return false;
    };
    let (start, end) = (
        Timestamp::from_nanos_since_session_start(start),
        integer(row, 2).map(Timestamp::from_nanos_since_session_start),
    );
    let payload = integer(row, 7);
    let row = RangeRow {
        source,
        row: id,
        start,
        end: end.unwrap_or(start),
        kind: if kind == 59 || kind == 70 {
            RangeKind::PushPop
        } else {
            RangeKind::StartEnd
        },
        open: end.is_none(),
        thread,
        end_thread: integer(row, 5).filter(|end| *end != thread),
        text: StringIndex::default(),
        domain: StringIndex::default(),
        color: integer(row, 10).map(|color| color as u32),
        weft: false,
        launch: None,
    };
    slice.rows.push(Unnamed {
        row,
        text: message,
        domain,
        payload,
    });
    true
}
