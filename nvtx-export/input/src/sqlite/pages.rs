//! WEFT_PAGE_EVENT. The kernels of its rows follow from times, as before.

use weft_database::Database;
use weft_database::schema::PageEventRow;
use weft_model::{ExportError, PageEvent, Recording};
use weft_trace::record::{self, NO_DEVICE};

pub(super) fn read(recording: &mut Recording, database: &Database) -> Result<(), ExportError> {
    PageEventRow::read(database, |row| {
        recording.devices.page_events.push(PageEvent {
            source: row.source,
            recorder: row.recorder,
            record: record::PageEvent {
                counter: row.counter,
                value: row.value.cast_unsigned(),
                address: row.address.cast_unsigned(),
                source: row.from_device.unwrap_or(NO_DEVICE),
                destination: row.to_device.unwrap_or(NO_DEVICE),
                flags: row.flags,
                start: row.start,
                end: row.end,
            },
        });
        true
    })
}
