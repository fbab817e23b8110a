//! Columns of ranges, with their names as in reports of Nsight Systems.

use super::super::texts::stored;
use super::tally::{Tally, time};
use rusqlite::Row;
use rustc_hash::FxHashMap;
use weft_database::{Database, Room, integer, text};
use weft_model::{
    ExportError, Progress, RangeColumns, RecordKind, Spans, StringIndex, Threads, process_of,
};

/// Ranges of a slice of rows. Names are indices into `names`, threads into `threads`.
#[derive(Default)]
struct Ranges {
    columns: RangeColumns,
    /// Rows of `columns` whose ranges were never closed.
    open: Vec<usize>,
    /// The latest start or end of any range.
    latest: Option<i64>,
    threads: Threads,
    names: FxHashMap<Name, u32>,
    domains: Vec<Domain>,
    /// The size of the texts in names and domains, in bytes.
    texts: usize,
    untimed: Tally,
    /// The number of ranges that another thread closed.
    across_threads: u64,
}

impl Room for Ranges {
    fn reserve(&mut self, rows: usize) {
        self.columns.reserve(rows);
    }

    fn texts(&self) -> usize {
        self.texts
    }
}

/// The parts of a name.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Name {
    process: i64,
    domain: Option<i64>,
    text_id: Option<i64>,
    text: Option<Box<str>>,
}

/// A row that names a domain.
struct Domain {
    process: i64,
    id: i64,
    start: i64,
    text: Box<str>,
}

const COLUMNS: [&str; 9] = [
    "rowid",
    "start",
    "end",
    "eventType",
    "globalTid",
    "endGlobalTid",
    "domainId",
    "textId",
    "text",
];

pub(super) fn read(
    spans: &mut Spans,
    database: &Database,
    progress: &Progress,
    untimed: &mut Tally,
) -> Result<(), ExportError> {
    let mut slices = database.each_slice("NVTX_EVENTS", &COLUMNS, progress, read_row)?;
    let domains = domains(&mut slices);
    let mut texts = FxHashMap::default();
    let mut open = Vec::new();
    // Ranges that were never closed end with the last event of any range, as in the reports of
    // Nsight Systems.
    let latest = slices.iter().filter_map(|slice| slice.latest).max();
    let count = slices.iter().map(|slice| slice.columns.id.len()).sum();
    spans.ranges.reserve(count);
    for slice in slices {
        untimed.add(slice.untimed);
        spans.across_threads += slice.across_threads;
        let threads: Vec<u32> = (slice.threads.ids().iter())
            .map(|id| spans.threads.add(*id))
            .collect();
        let mut names = vec![StringIndex::default(); slice.names.len()];
        for (name, index) in &slice.names {
            let text = match name.text_id {
                Some(id) => texts
                    .entry(id)
                    .or_insert_with(|| stored(database, id))
                    .as_deref(),
                None => None,
            };
            let text = text.or(name.text.as_deref()).unwrap_or_default();
            let domain = name.domain.and_then(|id| domains.get(&(name.process, id)));
            let full = match domain {
                Some((_, domain)) => spans.names.intern(&format!("{domain}:{text}")),
                None => spans.names.intern(text),
            };
            if let Some(slot) = names.get_mut(*index as usize) {
                *slot = full;
            }
        }
        let before = spans.ranges.id.len();
        open.extend(slice.open.iter().map(|row| before + row));
        append(&mut spans.ranges, slice.columns, &threads, &names);
    }
    for row in open {
        if let (Some(end), Some(latest)) = (spans.ranges.end.get_mut(row), latest) {
            *end = latest;
        }
    }
    Ok(())
}

fn read_row(slice: &mut Ranges, row: &Row<'_>) -> bool {
    let Some(kind) = integer(row, 3) else {
        return false;
    };
    if !matches!(kind, 59 | 60 | 70 | 71 | 75) {
        return true;
    }
    let (Some(start), Some(thread)) = (integer(row, 1), integer(row, 4)) else {
        return false;
    };
    let process = process_of(thread);
    if kind == 75 {
        if let (Some(id), Some(text)) = (integer(row, 6), text(row, 8)) {
            slice.texts += text.len();
            slice.domains.push(Domain {
                process,
                id,
                start,
                text: text.into(),
            });
        }
        return true;
    }
    let end = integer(row, 2);
    if !slice
        .untimed
        .check(RecordKind::Range, time(start), end.map(time))
    {
        return true;
    }
    slice.latest = slice.latest.max(Some(start)).max(end);
    // A range that was closed on another thread does not represent the time of a thread.
    if integer(row, 5).is_some() {
        slice.across_threads += 1;
        return true;
    }
    let Some(id) = integer(row, 0) else {
        return false;
    };
    if end.is_none() {
        slice.open.push(slice.columns.id.len());
    }
    let name = Name {
        process,
        domain: integer(row, 6),
        text_id: integer(row, 7),
        text: text(row, 8).map(Into::into),
    };
    let count = slice.names.len() as u32;
    let columns = &mut slice.columns;
    columns.id.push(id);
    columns.thread.push(slice.threads.add(thread));
    columns.start.push(start);
    columns.end.push(end.unwrap_or(i64::MIN));
    let texts = &mut slice.texts;
    let bytes = name.text.as_ref().map_or(0, |text| text.len());
    columns
        .name
        .push(StringIndex(*slice.names.entry(name).or_insert_with(|| {
            *texts += bytes;
            count
        })));
    columns.pushed.push(matches!(kind, 59 | 70));
    true
}

/// Returns the earliest name of each domain of each process.
fn domains(slices: &mut [Ranges]) -> FxHashMap<(i64, i64), (i64, Box<str>)> {
    let mut domains: FxHashMap<(i64, i64), (i64, Box<str>)> = FxHashMap::default();
    for domain in slices.iter_mut().flat_map(|slice| slice.domains.drain(..)) {
        let key = (domain.process, domain.id);
        let earlier = |known: &(i64, Box<str>)| known.0 <= domain.start;
        if !domains.get(&key).is_some_and(earlier) {
            domains.insert(key, (domain.start, domain.text));
        }
    }
    domains
}

fn append(to: &mut RangeColumns, from: RangeColumns, threads: &[u32], names: &[StringIndex]) {
    let thread = |index: u32| threads.get(index as usize).copied().unwrap_or_default();
    let name = |index: StringIndex| names.get(index.0 as usize).copied().unwrap_or_default();
    to.id.extend(from.id);
    to.thread.extend(from.thread.into_iter().map(thread));
    to.start.extend(from.start);
    to.end.extend(from.end);
    to.name.extend(from.name.into_iter().map(name));
    to.pushed.extend(from.pushed);
}
