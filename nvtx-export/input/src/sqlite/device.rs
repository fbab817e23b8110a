//! CUPTI's records from the processes, in a database that has them in the tables of Nsight Systems
//! because there was no session. Each row of work is also a row of WEFT_KERNEL, in the same order.

use crate::nsys::Texts;
use rustc_hash::FxHashMap;
use weft_database::Database;
use weft_database::schema::{
    CudaMemoryRow, CuptiCallRow, CuptiCopyRow, CuptiFillRow, CuptiKernelRow, CuptiWaitRow, GpuRow,
};
use weft_model::{
    ApiCall, Detail, DetailIndex, DeviceMemory, ExportError, FailedCall, GpuProcessor, KernelKind,
    ProcessorKey, Recorder, Recording, SourceIndex, Synchronization, process_of, thread_of,
};
use weft_trace::record::{self, CopyRoute, FillValue, KernelShape, NO_DEVICE, ProcessorKind};

pub(super) fn read(recording: &mut Recording, database: &Database) -> Result<(), ExportError> {
    let mut details = Details::for_kind(recording, KernelKind::Kernel);
    CuptiKernelRow::read(database, |row| {
        let shape = KernelShape {
            id: 0,
            grid_x: row.grid_x,
            grid_y: row.grid_y,
            grid_z: row.grid_z,
            block_x: row.block_x,
            block_y: row.block_y,
            block_z: row.block_z,
            registers: row.registers,
            static_shared: row.static_shared,
            dynamic_shared: row.dynamic_shared,
            shared_executed: row.shared_executed.unwrap_or(0),
            local_per_thread: row.local_per_thread,
            local_total: row.local_total.cast_unsigned(),
            // Nsight Systems counts from 1.
            launch_type: row.launch_type.unwrap_or(1).saturating_sub(1),
        };
        details.next(recording, row.process, Detail::Kernel(shape))
    })?;
    let mut details = Details::for_kind(recording, KernelKind::Memcpy);
    CuptiCopyRow::read(database, |row| {
        let route = CopyRoute {
            id: 0,
            copy_kind: row.copy_kind,
            source_kind: memory_kind(row.source_kind),
            destination_kind: memory_kind(row.destination_kind),
            source_device: row.source_device.unwrap_or(NO_DEVICE),
            source_context: row.source_context.unwrap_or(NO_DEVICE),
            destination_device: row.destination_device.unwrap_or(NO_DEVICE),
            destination_context: row.destination_context.unwrap_or(NO_DEVICE),
        };
        details.next(recording, row.process, Detail::Copy(route))
    })?;
    let mut details = Details::for_kind(recording, KernelKind::Memset);
    CuptiFillRow::read(database, |row| {
        let fill = FillValue {
            id: 0,
            value: row.value,
            memory_kind: memory_kind(row.memory_kind),
        };
        details.next(recording, row.process, Detail::Fill(fill))
    })?;
    let sources = Sources::new(recording);
    calls(recording, database, &sources)?;
    waits(recording, database, &sources)?;
    gpus(recording, database)
}

/// Converts a kind of memory to CUPTI's numbers, where "unknown" is the first rather than the last
/// as in Nsight Systems.
fn memory_kind(kind: Option<u32>) -> u32 {
    kind.filter(|kind| *kind < 7).map_or(0, |kind| kind + 1)
}

/// The work of one kind that CUPTI recorded, in order.
struct Details {
    /// The rows; `None` for work with impossible times.
    rows: std::vec::IntoIter<Option<usize>>,
}

impl Details {
    fn for_kind(recording: &Recording, kind: KernelKind) -> Self {
        let rows = recording.devices.kernels.appended();
        let rows = rows.filter(|(_, row)| row.recorder == Recorder::Cupti && row.kind == kind);
        let rows: Vec<Option<usize>> = rows.map(|(row, _)| row).collect();
        Details {
            rows: rows.into_iter(),
        }
    }

    /// Adds the data of its own table to the next row of work. Consecutive rows often have equal
    /// data.
    fn next(&mut self, recording: &mut Recording, process: Option<i64>, detail: Detail) -> bool {
        let Some(row) = self.rows.next() else {
            return false;
        };
        let Some(kernel) = row.and_then(|row| recording.devices.kernels.get_mut(row)) else {
            return true;
        };
        if recording.devices.details.last() != Some(&detail) {
            recording.devices.details.push(detail);
        }
        kernel.process = process;
        kernel.detail = Some(DetailIndex(recording.devices.details.len() as u32 - 1));
        true
    }
}

/// Sources by process, as numbered by Nsight Systems.
struct Sources(FxHashMap<i64, SourceIndex>);

impl Sources {
    fn new(recording: &Recording) -> Self {
        let mut sources = FxHashMap::default();
        for (index, source) in (0..).map(SourceIndex).zip(&recording.sources) {
            let process = thread_of(source.pid.unwrap_or(0), 0);
            sources.entry(process).or_insert(index);
        }
        Sources(sources)
    }

    fn get(&self, thread: i64) -> Option<SourceIndex> {
        self.0.get(&process_of(thread)).copied()
    }
}

fn calls(
    recording: &mut Recording,
    database: &Database,
    sources: &Sources,
) -> Result<(), ExportError> {
    let mut texts = Texts::open(database)?;
    CuptiCallRow::read(database, |row| {
        let (Some(thread), Some(correlation)) = (row.thread, row.correlation) else {
            return false;
        };
        let Some(source) = sources.get(thread) else {
            return false;
        };
        if row.result != 0 {
            recording.devices.failed_calls.push(FailedCall {
                source,
                correlation,
                result: row.result,
            });
        }
        recording.devices.calls.push(ApiCall {
            source,
            name: texts.get(row.name, &mut recording.strings),
            thread,
            correlation,
            start: row.start,
            end: row.end,
        });
        true
    })
}

fn waits(
    recording: &mut Recording,
    database: &Database,
    sources: &Sources,
) -> Result<(), ExportError> {
    let number = |number: i64| u32::try_from(number).unwrap_or(NO_DEVICE);
    CuptiWaitRow::read(database, |row| {
        let Some(source) = row.process.and_then(|process| sources.get(process)) else {
            return false;
        };
        recording.devices.synchronizations.push(Synchronization {
            source,
            record: record::Synchronization {
                kind: row.kind,
                context: number(row.context),
                stream: number(row.stream),
                event: number(row.event),
                correlation: number(row.correlation.unwrap_or(-1)),
                start: row.start,
                end: row.end,
            },
        });
        true
    })?;
    CudaMemoryRow::read(database, |row| {
        let Some(source) = sources.get(row.process) else {
            return false;
        };
        recording.devices.device_memory.push(DeviceMemory {
            source,
            record: record::DeviceMemory {
                // Nsight Systems counts from 0.
                operation: row.operation + 1,
                memory_kind: memory_kind(Some(row.memory_kind)),
                device: number(row.device),
                context: number(row.context),
                correlation: number(row.correlation.unwrap_or(-1)),
                address: row.address.cast_unsigned(),
                bytes: row.bytes.cast_unsigned(),
                at: row.at,
            },
        });
        true
    })
}

/// Reads the rows of GPUs. Rows without a UUID belong to the remaining processors, in their order.
fn gpus(recording: &mut Recording, database: &Database) -> Result<(), ExportError> {
    let named: Vec<ProcessorKey> = recording
        .devices
        .gpus
        .iter()
        .map(|gpu| (gpu.source, gpu.processor))
        .collect();
    let processors = recording.machine.processors.iter();
    let gpus = processors.filter(|processor| processor.kind == ProcessorKind::Gpu);
    let gpus = gpus.map(|gpu| (gpu.source, gpu.id));
    let rest: Vec<ProcessorKey> = gpus.filter(|key| !named.contains(key)).collect();
    let mut rest = rest.into_iter();
    GpuRow::read(database, |row| {
        let uuid = row
            .uuid
            .as_deref()
            .map(|uuid| recording.strings.intern(uuid));
        let (source, processor) = match uuid {
            Some(_) => Default::default(),
            None => rest.next().unwrap_or_default(),
        };
        let read = GpuProcessor {
            source,
            processor,
            device: row.device.unwrap_or(0),
            name: recording
                .strings
                .intern(row.name.as_deref().unwrap_or_default()),
            memory: row.memory.unwrap_or(0).cast_unsigned(),
            multiprocessors: row.multiprocessors.unwrap_or(0),
            capability: (row.major.unwrap_or(0), row.minor.unwrap_or(0)),
            uuid,
        };
        let same = |gpu: &&mut GpuProcessor| uuid.is_some() && gpu.uuid == uuid;
        let mut is_known = false;
        for gpu in recording.devices.gpus.iter_mut().filter(same) {
            let (source, processor) = (gpu.source, gpu.processor);
            *gpu = GpuProcessor {
                source,
                processor,
                ..read.clone()
            };
            is_known = true;
        }
        if !is_known {
            recording.devices.gpus.push(read);
        }
        true
    })
}
