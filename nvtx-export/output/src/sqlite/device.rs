//! CUPTI's records from the processes, in the tables and columns of Nsight Systems. Reports and
//! queries for its databases then work on runs that it did not record. As in its own exports,
//! tables without rows are absent.

use super::texts::Texts;
use rusqlite::Connection;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use weft_database::schema::{
    CUDA_NAMES, CudaMemoryRow, CuptiCallRow, CuptiCopyRow, CuptiFillRow, CuptiKernelRow,
    CuptiWaitRow, GpuFaultRow, GpuRow, HostFaultRow, ProfilerOverheadRow, Table, create_names,
    write_rows,
};
use weft_model::{
    Detail, GpuProcessor, Gpus, Kernel, KernelKind, PageEventKind, Progress, Recorder, SourceIndex,
    StringIndex, Trace, thread_of,
};
use weft_trace::record::{CopyRoute, FillValue, KernelShape, NO_DEVICE};

/// Writes a row for each kernel, memcpy, memset, call and wait that CUPTI recorded in a process,
/// and the tables that name their numbers.
pub(super) fn write(
    trace: &Trace,
    connection: &Connection,
    texts: &mut Texts,
    progress: &Progress,
) -> rusqlite::Result<()> {
    let mut writer = Writer {
        trace,
        connection,
        texts,
        ids: FxHashMap::default(),
    };
    progress.begin("writing work on devices", 0);
    let work = writer.work()?;
    let calls = writer.calls()?;
    let waits = writer.waits()?;
    let memory = writer.memory()?;
    let faults = writer.faults()?;
    let overheads = writer.overheads()?;
    writer.gpus()?;
    if work || calls || waits || memory || faults || overheads {
        for names in &CUDA_NAMES {
            connection.execute_batch(&create_names(names))?;
        }
    }
    Ok(())
}

struct Writer<'a> {
    trace: &'a Trace,
    connection: &'a Connection,
    texts: &'a mut Texts,
    ids: FxHashMap<StringIndex, i64>,
}

/// Writes each table, and returns whether it has rows.
impl<'a> Writer<'a> {
    fn create(&self, table: &Table) -> rusqlite::Result<()> {
        self.connection.execute_batch(&table.create())
    }

    fn text(&mut self, text: StringIndex) -> i64 {
        let (trace, texts) = (self.trace, &mut *self.texts);
        let ids = self.ids.entry(text);
        *ids.or_insert_with(|| texts.id(trace.strings.get(text).to_owned()))
    }

    fn of_kind(&self, kind: KernelKind) -> Vec<&'a Kernel> {
        let kernels = self.trace.devices.kernels.iter();
        kernels
            .filter(|kernel| kernel.recorder == Recorder::Cupti && kernel.kind == kind)
            .collect()
    }

    fn detail(&self, kernel: &Kernel) -> Option<&'a Detail> {
        self.trace.devices.details.get(kernel.detail?.0 as usize)
    }

    fn work(&mut self) -> rusqlite::Result<bool> {
        let connection = self.connection;
        let kernels = self.of_kind(KernelKind::Kernel);
        if !kernels.is_empty() {
            self.create(&CuptiKernelRow::TABLE)?;
            let rows = kernels.iter().map(|kernel| self.kernel(kernel));
            write_rows(connection, rows)?;
        }
        let copies = self.of_kind(KernelKind::Memcpy);
        if !copies.is_empty() {
            self.create(&CuptiCopyRow::TABLE)?;
            let rows = copies.iter().map(|copy| self.copy(copy));
            write_rows(connection, rows)?;
        }
        let fills = self.of_kind(KernelKind::Memset);
        if !fills.is_empty() {
            self.create(&CuptiFillRow::TABLE)?;
            let rows = fills.iter().map(|fill| self.fill(fill));
            write_rows(connection, rows)?;
        }
        Ok(!(kernels.is_empty() && copies.is_empty() && fills.is_empty()))
    }

    fn kernel(&mut self, kernel: &Kernel) -> CuptiKernelRow {
        let shape = match self.detail(kernel) {
            Some(Detail::Kernel(shape)) => *shape,
            _ => UNKNOWN_SHAPE,
        };
        let short = short_name(self.trace.strings.get(kernel.name)).to_owned();
        CuptiKernelRow {
            start: kernel.start,
            end: kernel.end,
            device: kernel.device.unwrap_or(0),
            context: kernel.context.unwrap_or(0),
            stream: kernel.stream.unwrap_or(0),
            correlation: kernel.correlation,
            process: kernel.process,
            demangled_name: self.text(kernel.name),
            short_name: self.texts.id(short),
            // CUPTI counts from 0, Nsight Systems from 1.
            launch_type: Some(shape.launch_type.saturating_add(1)),
            registers: shape.registers,
            grid_x: shape.grid_x,
            grid_y: shape.grid_y,
            grid_z: shape.grid_z,
            block_x: shape.block_x,
            block_y: shape.block_y,
            block_z: shape.block_z,
            static_shared: shape.static_shared,
            dynamic_shared: shape.dynamic_shared,
            local_per_thread: shape.local_per_thread,
            local_total: shape.local_total.cast_signed(),
            shared_executed: Some(shape.shared_executed),
            graph_node: kernel.graph_node,
            graph: kernel.graph,
            ..CuptiKernelRow::default()
        }
    }

    fn copy(&mut self, kernel: &Kernel) -> CuptiCopyRow {
        let route = match self.detail(kernel) {
            Some(Detail::Copy(route)) => *route,
            _ => UNKNOWN_ROUTE,
        };
        let known = |number: u32| (number != NO_DEVICE).then_some(number);
        CuptiCopyRow {
            start: kernel.start,
            end: kernel.end,
            device: kernel.device.unwrap_or(0),
            context: kernel.context.unwrap_or(0),
            stream: kernel.stream.unwrap_or(0),
            correlation: kernel.correlation,
            process: kernel.process,
            bytes: kernel.traffic.written.unwrap_or(0).cast_signed(),
            copy_kind: route.copy_kind,
            source_kind: Some(memory_kind(route.source_kind)),
            destination_kind: Some(memory_kind(route.destination_kind)),
            source_device: known(route.source_device),
            source_context: known(route.source_context),
            destination_device: known(route.destination_device),
            destination_context: known(route.destination_context),
            graph_node: kernel.graph_node,
            ..CuptiCopyRow::default()
        }
    }

    fn fill(&mut self, kernel: &Kernel) -> CuptiFillRow {
        let fill = match self.detail(kernel) {
            Some(Detail::Fill(value)) => *value,
            _ => UNKNOWN_VALUE,
        };
        CuptiFillRow {
            start: kernel.start,
            end: kernel.end,
            device: kernel.device.unwrap_or(0),
            context: kernel.context.unwrap_or(0),
            stream: kernel.stream.unwrap_or(0),
            correlation: kernel.correlation,
            process: kernel.process,
            value: fill.value,
            bytes: kernel.traffic.written.unwrap_or(0).cast_signed(),
            graph_node: kernel.graph_node,
            memory_kind: Some(memory_kind(fill.memory_kind)),
            ..CuptiFillRow::default()
        }
    }

    fn calls(&mut self) -> rusqlite::Result<bool> {
        let trace = self.trace;
        if trace.devices.calls.is_empty() {
            return Ok(false);
        }
        self.create(&CuptiCallRow::TABLE)?;
        let failed = trace.devices.failed_calls.iter();
        let failed: FxHashMap<(SourceIndex, i64), u32> = failed
            .map(|call| ((call.source, call.correlation), call.result))
            .collect();
        let connection = self.connection;
        let rows = trace.devices.calls.iter().map(|call| {
            let is_driver = !trace.strings.get(call.name).starts_with("cuda");
            let result = failed.get(&(call.source, call.correlation));
            CuptiCallRow {
                start: call.start,
                end: call.end,
                class: i64::from(is_driver),
                thread: Some(call.thread),
                correlation: Some(call.correlation),
                name: self.text(call.name),
                result: result.copied().unwrap_or(0),
                call_chain: None,
            }
        });
        write_rows(connection, rows)?;
        Ok(true)
    }

    fn waits(&self) -> rusqlite::Result<bool> {
        let trace = self.trace;
        if trace.devices.synchronizations.is_empty() {
            return Ok(false);
        }
        self.create(&CuptiWaitRow::TABLE)?;
        // CUPTI records only the context.
        let with_context = trace
            .devices
            .kernels
            .iter()
            .filter_map(|kernel| Some(((kernel.source, kernel.context?), kernel.device?)));
        let devices: FxHashMap<(SourceIndex, i64), i64> = with_context.collect();
        let rows = trace.devices.synchronizations.iter().map(|wait| {
            let record = &wait.record;
            let context = i64::from(record.context);
            CuptiWaitRow {
                start: record.start,
                end: record.end,
                device: devices.get(&(wait.source, context)).copied().unwrap_or(0),
                context,
                green_context: None,
                stream: i64::from(record.stream),
                correlation: Some(i64::from(record.correlation)),
                process: Some(self.process(wait.source)),
                kind: record.kind,
                event: i64::from(record.event),
            }
        });
        write_rows(self.connection, rows)?;
        Ok(true)
    }

    fn memory(&self) -> rusqlite::Result<bool> {
        let trace = self.trace;
        if trace.devices.device_memory.is_empty() {
            return Ok(false);
        }
        self.create(&CudaMemoryRow::TABLE)?;
        let rows = trace.devices.device_memory.iter().map(|memory| {
            let record = &memory.record;
            CudaMemoryRow {
                at: record.at,
                process: self.process(memory.source),
                device: i64::from(record.device),
                context: i64::from(record.context),
                address: record.address.cast_signed(),
                bytes: record.bytes.cast_signed(),
                memory_kind: memory_kind(record.memory_kind),
                // CUPTI counts from 1, Nsight Systems from 0.
                operation: record.operation.saturating_sub(1),
                correlation: Some(i64::from(record.correlation)),
                ..CudaMemoryRow::default()
            }
        });
        write_rows(self.connection, rows)?;
        Ok(true)
    }

    fn faults(&mut self) -> rusqlite::Result<bool> {
        let trace = self.trace;
        let events = || trace.devices.page_events.iter();
        let of_kind = |kind| events().filter(move |event| event.kind() == kind);
        let of_gpus = of_kind(PageEventKind::GpuFault).map(|event| {
            let record = &event.record;
            GpuFaultRow {
                start: record.start,
                end: record.end,
                process: self.process(event.source),
                device: i64::from(record.source),
                address: record.address.cast_signed(),
                faults: record.value.cast_signed(),
                access: record.flags,
            }
        });
        let of_gpus: Vec<GpuFaultRow> = of_gpus.collect();
        let has_rows = !of_gpus.is_empty();
        if has_rows {
            self.create(&GpuFaultRow::TABLE)?;
            write_rows(self.connection, of_gpus.into_iter())?;
        }
        // CUPTI does not name the function.
        let unknown = self.texts.id(String::new());
        let of_host = of_kind(PageEventKind::HostFault).map(|event| HostFaultRow {
            at: event.record.start,
            process: self.process(event.source),
            address: event.record.address.cast_signed(),
            counter: Some(event.record.value.cast_signed()),
            function: unknown,
            module: unknown,
            unresolved: Some(1),
        });
        let of_host: Vec<HostFaultRow> = of_host.collect();
        if of_host.is_empty() {
            return Ok(has_rows);
        }
        self.create(&HostFaultRow::TABLE)?;
        write_rows(self.connection, of_host.into_iter())?;
        Ok(true)
    }

    fn overheads(&mut self) -> rusqlite::Result<bool> {
        let trace = self.trace;
        if trace.devices.overheads.is_empty() {
            return Ok(false);
        }
        self.create(&ProfilerOverheadRow::TABLE)?;
        let connection = self.connection;
        let rows = trace.devices.overheads.iter();
        let rows = rows.map(|overhead| ProfilerOverheadRow {
            start: overhead.start,
            end: overhead.end,
            thread: overhead.thread,
            name: self.text(overhead.name),
            kind: Some(overhead.kind.nsys_number()),
            result: Some(0),
        });
        write_rows(connection, rows)?;
        Ok(true)
    }

    fn gpus(&self) -> rusqlite::Result<()> {
        let trace = self.trace;
        if trace.devices.gpus.is_empty() {
            return Ok(());
        }
        self.create(&GpuRow::TABLE)?;
        // Each rank numbers the GPUs that it sees. If another GPU already has the number, the next
        // free one is used.
        let identity = Gpus::new(trace);
        let mut taken: BTreeSet<i64> = BTreeSet::new();
        let own = |gpu: &&GpuProcessor| {
            let key = (gpu.source, gpu.processor);
            identity.processor(key) == key
        };
        let rows = trace.devices.gpus.iter().filter(own).map(|gpu| {
            let mut id = i64::from(gpu.device);
            while !taken.insert(id) {
                id += 1;
            }
            GpuRow {
                machine: self.process(gpu.source) & !0xffff_ffff_ffff,
                id,
                name: Some(trace.strings.get(gpu.name).into()),
                memory: Some(gpu.memory.cast_signed()),
                multiprocessors: Some(gpu.multiprocessors),
                uuid: gpu.uuid.map(|uuid| trace.strings.get(uuid).into()),
                device: Some(gpu.device),
                major: Some(gpu.capability.0),
                minor: Some(gpu.capability.1),
                ..GpuRow::default()
            }
        });
        write_rows(self.connection, rows)
    }

    fn process(&self, source: SourceIndex) -> i64 {
        let source = self.trace.sources.get(source.0 as usize);
        thread_of(source.and_then(|source| source.pid).unwrap_or(0), 0)
    }
}

const UNKNOWN_SHAPE: KernelShape = KernelShape {
    id: 0,
    grid_x: 0,
    grid_y: 0,
    grid_z: 0,
    block_x: 0,
    block_y: 0,
    block_z: 0,
    registers: 0,
    static_shared: 0,
    dynamic_shared: 0,
    shared_executed: 0,
    local_per_thread: 0,
    local_total: 0,
    launch_type: 0,
};
const UNKNOWN_ROUTE: CopyRoute = CopyRoute {
    id: 0,
    copy_kind: 0,
    source_kind: 0,
    destination_kind: 0,
    source_device: NO_DEVICE,
    source_context: NO_DEVICE,
    destination_device: NO_DEVICE,
    destination_context: NO_DEVICE,
};
const UNKNOWN_VALUE: FillValue = FillValue {
    id: 0,
    value: 0,
    memory_kind: 0,
};

/// Converts a kind of memory from CUPTI's numbers to those of Nsight Systems, where "unknown" is
/// the last rather than the first.
fn memory_kind(kind: u32) -> u32 {
    kind.checked_sub(1).unwrap_or(7)
}

/// Returns the unqualified name of the function: without result, scope, template arguments and
/// parameters.
fn short_name(mut name: &str) -> &str {
    const UNNAMED: &str = "(anonymous namespace)::";
    while let Some((scope, rest)) = name.split_once(UNNAMED) {
        if scope.contains(['<', '(']) {
            break;
        }
        name = rest;
    }
    let end = name.find(['<', '(']).unwrap_or(name.len());
    let name = name.get(..end).unwrap_or(name).trim_end();
    let start = name.rfind([':', ' ']).map_or(0, |at| at + 1);
    name.get(start..).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extracts_short_function_names() {
        for (name, short) in [
            ("weft_add_mul_f64", "weft_add_mul_f64"),
            (
                "void cutlass::Kernel<float, (int)4>(int, cutlass::A::B)",
                "Kernel",
            ),
            ("ns::add(double*)", "add"),
            ("void (anonymous namespace)::f(int)", "f"),
            ("ns::f<(anonymous namespace)::T>(int)", "f"),
            ("", ""),
        ] {
            assert_eq!(short_name(name), short, "{name}");
        }
    }

    #[test]
    fn memory_kinds_match_nsys() {
        assert_eq!([0, 1, 2, 3, 7].map(memory_kind), [7, 0, 1, 2, 6]);
    }
}
