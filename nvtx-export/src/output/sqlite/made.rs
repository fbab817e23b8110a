//! NVTX_EVENTS and StringIds in the columns of Nsight Systems, made of launches where no session was recorded; with them
//! what CUPTI recorded in the processes ([`device`](super::device)).

use super::device;
use crate::joined::{Index, Joined, Launch, LaunchIndex};
use crate::output::message;
use crate::progress::Progress;
use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;
use weft_trace::color;

const TABLES: &str = "
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE NVTX_EVENTS (
    start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER, color INTEGER,
    text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER,
    int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, floatValue REAL, jsonTextId INTEGER,
    jsonText TEXT);
CREATE TABLE ENUM_NSYS_EVENT_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_NSYS_EVENT_TYPE VALUES
    (33, 'NvtxCategory', 'NvtxCategory'), (59, 'NvtxPushPopRange', 'NvtxPushPopRange'),
    (75, 'NvtxDomainCreate', 'NvtxDomainCreate');
";

/// The number of domain `weft` in every process.
const DOMAIN: i64 = 1;

/// Rows of NVTX_EVENTS that were made.
#[derive(Debug, Default)]
pub(super) struct Rows {
    made: bool,
}

impl Rows {
    /// The row of a launch.
    pub(super) fn of(&self, launch: LaunchIndex) -> Option<i64> {
        self.made.then_some(i64::from(launch.0) + 1)
    }
}

/// Rows of StringIds.
pub(super) struct Texts {
    ids: FxHashMap<String, i64>,
}

impl Texts {
    pub(super) fn id(&mut self, text: String) -> i64 {
        let next = self.ids.len() as i64 + 1;
        *self.ids.entry(text).or_insert(next)
    }
}

/// Writes one push/pop range a launch, as the runtime gives it to NVTX: row id = launch + 1.
pub(super) fn write(
    joined: &Joined,
    connection: &Connection,
    progress: &Progress,
) -> rusqlite::Result<Rows> {
    connection.execute_batch(TABLES)?;
    let index = Index::of(joined);
    let mut texts = Texts {
        ids: FxHashMap::default(),
    };
    let processors = joined.processors_by_id();
    let process = |launch: &Launch| {
        let pid = joined
            .sources
            .get(launch.source.0 as usize)
            .and_then(|source| source.pid);
        (1 << 48) | (i64::from(pid.unwrap_or(0) & 0xff_ffff) << 24)
    };
    let mut insert = connection.prepare(
        "INSERT INTO NVTX_EVENTS (rowid, start, end, eventType, category, color, globalTid, textId, domainId, uint64Value) \
         VALUES (?1, ?2, ?3, 59, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let launches = progress.over("writing ranges", joined.launches.iter());
    for (row, launch) in launches.enumerate() {
        let processor = processors.get(&(launch.source, launch.processor));
        let thread = processor.map_or(0, |processor| processor.thread);
        let message = message::of(joined, &index, launch);
        insert.execute(params![
            row as i64 + 1,
            launch.start.nanos(),
            launch.end.nanos(),
            processor.map(|processor| processor.kind.variant().code()),
            color::of_task(&message.task),
            process(launch) | i64::from(thread & 0xff_ffff),
            texts.id(message.text),
            DOMAIN,
            launch.uid.raw().cast_signed(),
        ])?;
    }
    let mut domain = connection.prepare(
        "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES (?1, 75, 'weft', ?2, ?3)",
    )?;
    for source in 0..joined.sources.len() as u32 {
        let of_source = |launch: &&Launch| launch.source.0 == source;
        let first = joined
            .launches
            .iter()
            .filter(of_source)
            .min_by_key(|launch| launch.start);
        if let Some(first) = first {
            domain.execute(params![first.start.nanos(), process(first), DOMAIN])?;
        }
    }
    let mut thread_name =
        connection.prepare("INSERT INTO ThreadNames (nameId, globalTid) VALUES (?1, ?2)")?;
    for processor in joined
        .processors
        .iter()
        .filter(|processor| processor.thread != 0)
    {
        let source = joined.sources.get(processor.source.0 as usize);
        let pid = i64::from(source.and_then(|source| source.pid).unwrap_or(0) & 0xff_ffff);
        let name = texts.id(joined.strings.get(processor.name).to_owned());
        let thread = (1 << 48) | (pid << 24) | i64::from(processor.thread & 0xff_ffff);
        thread_name.execute(params![name, thread])?;
    }
    device::write(joined, connection, &mut texts, progress)?;
    let mut text = connection.prepare("INSERT INTO StringIds VALUES (?1, ?2)")?;
    let mut ids: Vec<_> = texts.ids.iter().collect();
    ids.sort_unstable_by_key(|(_, id)| **id);
    for (value, id) in ids {
        text.execute(params![id, value])?;
    }
    Ok(Rows { made: true })
}
