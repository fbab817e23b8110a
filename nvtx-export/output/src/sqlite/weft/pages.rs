//! WEFT_PAGE_EVENT: faults and moves of pages, with their kernels.

use rusqlite::Connection;
use weft_database::schema::{Bytes, Count, PageEventRow, PrimaryKey, write_rows};
use weft_model::{PageEventKind, Trace, page_kernels};
use weft_trace::record::NO_DEVICE;

pub(super) fn write(trace: &Trace, connection: &Connection) -> rusqlite::Result<()> {
    let kernels = page_kernels(trace);
    let events = trace.devices.page_events.iter().zip(kernels);
    let device = |number: u32| (number != NO_DEVICE).then_some(number);
    let rows = (1_i64..).zip(events).map(|(id, (event, kernel))| {
        let (record, kind) = (&event.record, event.kind());
        let moved = matches!(
            kind,
            PageEventKind::HostToDevice
                | PageEventKind::DeviceToHost
                | PageEventKind::DeviceToDevice
        );
        PageEventRow {
            id: PrimaryKey(id),
            source: event.source,
            recorder: event.recorder,
            kind,
            counter: record.counter,
            start: record.start,
            end: record.end,
            address: record.address.cast_signed(),
            faults: (kind == PageEventKind::GpuFault).then(|| Count(event.gpu_faults())),
            moved: moved.then(|| Bytes(event.moved())),
            value: record.value.cast_signed(),
            from_device: device(record.source),
            to_device: device(record.destination),
            flags: record.flags,
            // Rows of WEFT_KERNEL are numbered from 1.
            kernel: kernel.ok().map(|kernel| i64::from(kernel.0) + 1),
            reason: kernel.err(),
        }
    });
    write_rows(connection, rows)
}
