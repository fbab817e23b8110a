//! The session: its beginning and end, its GPUs, and the writer of the export.

use super::devices::Devices;
use weft_database::{Database, integer, text};
use weft_model::{
    Bandwidth, BandwidthOrigin, ExportError, Gpu, Recording, Session, SourceIndex, StringIndex,
    check_times,
};
use weft_trace::time::Timestamp;

/// The table of facts about the export: up to 2022.4, and in later versions.
const VERSION_TABLES: [&str; 2] = ["EXPORT_META_DATA", "META_DATA_EXPORT"];

pub(super) fn read(
    recording: &mut Recording,
    source: SourceIndex,
    database: &Database,
) -> Result<(), ExportError> {
    let mut began = None;
    database.each_row("TARGET_INFO_SESSION_START_TIME", &["utcEpochNs"], |row| {
        began = began.or(integer(row, 0));
        true
    })?;
    if let Some(source) = recording.sources.get_mut(source.0 as usize) {
        source.wall_at_zero = began;
    }
    let id = source.id();
    for table in VERSION_TABLES {
        database.each_row(table, &["name", "value"], |row| {
            let key = match text(row, 0).as_deref() {
                Some("EXPORT_SCHEMA_VERSION") => "nsys_schema",
                Some("EXPORT_PRODUCT_VERSION") => "nsys_version",
                _ => return true,
            };
            if let Some(value) = text(row, 1) {
                recording
                    .quality
                    .meta
                    .set(format!("source_{id}_{key}"), value);
            }
            true
        })?;
    }
    add(recording, source, database)
}

/// Appends the session without its times.
pub(super) fn add(
    recording: &mut Recording,
    source: SourceIndex,
    database: &Database,
) -> Result<(), ExportError> {
    let gpus = gpus(recording, source, database)?;
    let zero = Timestamp::from_nanos_since_session_start(0);
    let end = end(database)?.map(Timestamp::from_nanos_since_session_start);
    // A length of 0 means that it is unknown.
    let end = end.filter(|end| check_times(zero, Some(*end)).is_ok());
    recording.devices.sessions.push(Session {
        source,
        end,
        gpus,
        spans: None,
    });
    Ok(())
}

fn gpus(
    recording: &mut Recording,
    source: SourceIndex,
    database: &Database,
) -> Result<Vec<Gpu>, ExportError> {
    let mut gpus: Vec<Gpu> = Vec::new();
    let devices = Devices::read(database)?;
    let columns = [
        "id",
        "name",
        "uuid",
        "totalMemory",
        "smCount",
        "memoryBandwidth",
    ];
    let mut listed = devices.listed().iter().copied();
    database.each_row("TARGET_INFO_GPU", &columns, |row| {
        let Some(id) = integer(row, 0).and_then(|_| listed.next()) else {
            return false;
        };
        if gpus.iter().any(|known| known.id == id) {
            return true;
        }
        let mut interned = |column| {
            let text = text(row, column);
            text.map_or_else(StringIndex::default, |text| recording.strings.intern(&text))
        };
        let (name, uuid) = (interned(1), interned(2));
        // A joined database has it in a separate table.
        let is_known = |known: &Bandwidth| known.source == source && known.device == Some(id);
        let speed = integer(row, 5).filter(|speed| *speed > 0);
        if let Some(speed) = speed.filter(|_| !recording.machine.bandwidths.iter().any(is_known)) {
            recording.machine.bandwidths.push(Bandwidth {
                source,
                device: Some(id),
                origin: BandwidthOrigin::Theoretical,
                per_second: speed.unsigned_abs(),
            });
        }
        gpus.push(Gpu {
            id,
            name,
            uuid,
            memory: integer(row, 3).and_then(|bytes| bytes.try_into().ok()),
            multiprocessors: integer(row, 4).and_then(|count| count.try_into().ok()),
        });
        true
    })?;
    Ok(gpus)
}

/// Returns the end of the recording. ANALYSIS_DETAILS counts from the session's start, as all times
/// do.
fn end(database: &Database) -> Result<Option<i64>, ExportError> {
    let mut end = None;
    database.each_row("ANALYSIS_DETAILS", &["duration"], |row| {
        end = end.max(integer(row, 0));
        true
    })?;
    Ok(end)
}
