//! NVTX_EVENTS and StringIds in the columns of Nsight Systems, derived from launches if no session
//! was recorded, together with the records of CUPTI in the processes ([`device`](super::device)).

use super::device;
use super::texts::Texts;
use rusqlite::Connection;
use weft_database::schema::{
    EVENT_TYPES, Insert, NvtxRow, PrimaryKey, StringRow, ThreadNameRow, create_names, write_rows,
};
use weft_model::{
    Index, Launch, LaunchIndex, Progress, Trace, launch_message as message, thread_of,
};
use weft_trace::color;

/// The event types of push/pop ranges, and of rows that name a domain.
const RANGE: i64 = 59;
const DOMAIN_CREATE: i64 = 75;

/// The number of domain `weft` in every process.
const DOMAIN: i64 = 1;

/// The derived rows of NVTX_EVENTS.
#[derive(Debug, Default)]
pub(super) struct Rows {
    exist: bool,
}

impl Rows {
    /// Returns the row of a launch.
    pub(super) fn row_id(&self, launch: LaunchIndex) -> Option<i64> {
        self.exist.then_some(i64::from(launch.0) + 1)
    }
}

/// Writes one push/pop range per launch, as the runtime passes it to NVTX. The row id is launch +
/// 1.
pub(super) fn write(
    trace: &Trace,
    connection: &Connection,
    progress: &Progress,
) -> rusqlite::Result<Rows> {
    for table in [StringRow::TABLE, ThreadNameRow::TABLE, NvtxRow::TABLE] {
        connection.execute_batch(&table.create())?;
    }
    connection.execute_batch(&create_names(&EVENT_TYPES))?;
    let index = Index::new(trace);
    let mut texts = Texts::default();
    let processors = trace.processors_by_id();
    let process = |launch: &Launch| {
        let source = trace.sources.get(launch.source.0 as usize);
        thread_of(source.and_then(|source| source.pid).unwrap_or(0), 0)
    };
    let mut insert = Insert::into(connection, &NvtxRow::TABLE)?;
    // SQLite numbers the rows of an empty table from 1, as `Rows::row_id` assumes.
    for launch in progress.over("writing ranges", trace.work.launches.iter()) {
        let processor = processors.get(&(launch.source, launch.processor));
        let thread = processor.map_or(0, |processor| processor.thread);
        let variant = processor.map(|processor| processor.kind.variant().code());
        let message = message::compose(trace, &index, launch);
        insert.row(&NvtxRow {
            start: launch.start,
            end: Some(launch.end),
            kind: RANGE,
            category: variant.map(i64::from),
            color: Some(color::of_task(&message.task).into()),
            thread: Some(process(launch) | i64::from(thread & 0xff_ffff)),
            text_id: Some(texts.id(message.text)),
            domain: Some(DOMAIN),
            payload: Some(launch.uid.raw().cast_signed()),
            ..NvtxRow::default()
        })?;
    }
    for source in 0..trace.sources.len() as u32 {
        let of_source = |launch: &&Launch| launch.source.0 == source;
        let first = trace
            .work
            .launches
            .iter()
            .filter(of_source)
            .min_by_key(|launch| launch.start);
        if let Some(first) = first {
            insert.row(&NvtxRow {
                start: first.start,
                kind: DOMAIN_CREATE,
                text: Some("weft".into()),
                thread: Some(process(first)),
                domain: Some(DOMAIN),
                ..NvtxRow::default()
            })?;
        }
    }
    let named = trace
        .machine
        .processors
        .iter()
        .filter(|processor| processor.thread != 0);
    let rows = named.map(|processor| {
        let source = trace.sources.get(processor.source.0 as usize);
        let pid = source.and_then(|source| source.pid).unwrap_or(0);
        ThreadNameRow {
            name: texts.id(trace.strings.get(processor.name).to_owned()),
            thread: Some(thread_of(pid, processor.thread)),
            ..ThreadNameRow::default()
        }
    });
    write_rows(connection, rows)?;
    device::write(trace, connection, &mut texts, progress)?;
    let mut ids: Vec<_> = texts.ids.iter().collect();
    ids.sort_unstable_by_key(|(_, id)| **id);
    let rows = ids.into_iter().map(|(value, id)| StringRow {
        id: PrimaryKey(*id),
        value: value.as_str().into(),
    });
    write_rows(connection, rows)?;
    Ok(Rows { exist: true })
}
