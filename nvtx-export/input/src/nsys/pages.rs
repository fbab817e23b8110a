//! CUDA_UM_CPU_PAGE_FAULT_EVENTS and CUDA_UM_GPU_PAGE_FAULT_EVENTS: faults of pages of unified
//! memory. Their moves are copies in CUPTI_ACTIVITY_KIND_MEMCPY.

use super::devices::Devices;
use weft_database::Database;
use weft_database::schema::{GpuFaultRow, HostFaultRow};
use weft_model::{ExportError, PageEvent, Recorder, Recording, SourceIndex};
use weft_trace::record::{self, NO_DEVICE};

/// Numbers of `CUpti_ActivityUnifiedMemoryCounterKind`.
const HOST_FAULT: u32 = 3;
const GPU_FAULT: u32 = 4;

pub(super) fn read(
    recording: &mut Recording,
    source: SourceIndex,
    database: &Database,
) -> Result<(), ExportError> {
    let devices = Devices::read(database)?;
    let mut events = Vec::new();
    GpuFaultRow::read(database, |row| {
        let device = devices.of_process(Some(row.process), row.device);
        events.push(record::PageEvent {
            counter: GPU_FAULT,
            value: row.faults.cast_unsigned(),
            address: row.address.cast_unsigned(),
            source: u32::try_from(device).unwrap_or(NO_DEVICE),
            destination: NO_DEVICE,
            flags: row.access,
            start: row.start,
            end: row.end,
        });
        true
    })?;
    HostFaultRow::read(database, |row| {
        events.push(record::PageEvent {
            counter: HOST_FAULT,
            value: row.counter.unwrap_or(0).cast_unsigned(),
            address: row.address.cast_unsigned(),
            source: NO_DEVICE,
            destination: NO_DEVICE,
            flags: 0,
            start: row.at,
            end: row.at,
        });
        true
    })?;
    for record in events {
        recording.devices.page_events.push(PageEvent {
            source,
            recorder: Recorder::Nsys,
            record,
        });
    }
    Ok(())
}
