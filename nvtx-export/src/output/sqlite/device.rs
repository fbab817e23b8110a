//! What CUPTI recorded in the processes, in the tables and columns of Nsight Systems, so that its reports and everybody's
//! queries work on runs that it did not watch. As its own exports, a database has no table without rows.

mod schema;

use super::made::Texts;
use crate::joined::{
    Detail, Joined, Kernel, KernelKind, Recorder, SourceIndex, StringIndex, thread_of,
};
use crate::progress::Progress;
use rusqlite::{CachedStatement, Connection, params};
use rustc_hash::FxHashMap;
use weft_trace::record::{CopyRoute, FillValue, KernelShape, NO_DEVICE};

/// Writes a row for each kernel, memcpy, memset, call and wait that CUPTI in a process saw, with the names of their
/// numbers.
pub(super) fn write(
    joined: &Joined,
    connection: &Connection,
    texts: &mut Texts,
    progress: &Progress,
) -> rusqlite::Result<()> {
    let of_cupti = |kernel: &&Kernel| kernel.recorder == Recorder::Cupti;
    let mut writer = Writer {
        joined,
        connection,
        texts,
        ids: FxHashMap::default(),
    };
    let kernels = || joined.kernels.iter().filter(of_cupti);
    for kind in KernelKind::ALL {
        if kernels().any(|kernel| kernel.kind == *kind) {
            connection.execute_batch(schema::of_kind(*kind))?;
        }
    }
    for kernel in progress.over("writing work on devices", joined.kernels.iter()) {
        if of_cupti(&kernel) {
            writer.work(kernel)?;
        }
    }
    writer.calls()?;
    writer.waits()?;
    writer.memory()?;
    writer.gpus()?;
    let is_any = kernels().next().is_some() || !joined.calls.is_empty();
    if is_any || !joined.synchronizations.is_empty() || !joined.device_memory.is_empty() {
        connection.execute_batch(schema::ENUMS)?;
    }
    Ok(())
}

struct Writer<'a> {
    joined: &'a Joined,
    connection: &'a Connection,
    texts: &'a mut Texts,
    ids: FxHashMap<StringIndex, i64>,
}

impl<'a> Writer<'a> {
    fn insert(&self, sql: &str) -> rusqlite::Result<CachedStatement<'a>> {
        self.connection.prepare_cached(sql)
    }

    fn text(&mut self, text: StringIndex) -> i64 {
        let (joined, texts) = (self.joined, &mut *self.texts);
        let ids = self.ids.entry(text);
        *ids.or_insert_with(|| texts.id(joined.strings.get(text).to_owned()))
    }

    fn work(&mut self, kernel: &Kernel) -> rusqlite::Result<()> {
        let detail = kernel
            .detail
            .and_then(|detail| self.joined.details.get(detail.0 as usize));
        match kernel.kind {
            KernelKind::Kernel => {
                let shape = match detail {
                    Some(Detail::Kernel(shape)) => *shape,
                    _ => UNKNOWN_SHAPE,
                };
                self.kernel(kernel, &shape)
            }
            KernelKind::Memcpy => {
                let route = match detail {
                    Some(Detail::Copy(route)) => *route,
                    _ => UNKNOWN_ROUTE,
                };
                self.copy(kernel, &route)
            }
            KernelKind::Memset => {
                let value = match detail {
                    Some(Detail::Fill(value)) => *value,
                    _ => UNKNOWN_VALUE,
                };
                self.fill(kernel, &value)
            }
        }
    }

    fn kernel(&mut self, kernel: &Kernel, shape: &KernelShape) -> rusqlite::Result<()> {
        let name = self.text(kernel.name);
        let short = short_name(self.joined.strings.get(kernel.name)).to_owned();
        let short = self.texts.id(short);
        let mut insert = self.insert(schema::INSERT_KERNEL)?;
        insert.execute(params![
            kernel.start.nanos(),
            kernel.end.nanos(),
            kernel.device.unwrap_or(0),
            kernel.context.unwrap_or(0),
            kernel.stream.unwrap_or(0),
            kernel.correlation,
            kernel.process,
            name,
            short,
            // CUPTI counts from 0, Nsight Systems from 1.
            shape.launch_type.saturating_add(1),
            shape.registers,
            shape.grid_x,
            shape.grid_y,
            shape.grid_z,
            shape.block_x,
            shape.block_y,
            shape.block_z,
            shape.static_shared,
            shape.dynamic_shared,
            shape.local_per_thread,
            shape.local_total.cast_signed(),
            shape.shared_executed,
            kernel.graph_node,
            kernel.graph,
        ])?;
        Ok(())
    }

    fn copy(&mut self, kernel: &Kernel, route: &CopyRoute) -> rusqlite::Result<()> {
        let known = |number: u32| (number != NO_DEVICE).then_some(number);
        let mut insert = self.insert(schema::INSERT_MEMCPY)?;
        insert.execute(params![
            kernel.start.nanos(),
            kernel.end.nanos(),
            kernel.device.unwrap_or(0),
            kernel.context.unwrap_or(0),
            kernel.stream.unwrap_or(0),
            kernel.correlation,
            kernel.process,
            kernel.bytes.unwrap_or(0).cast_signed(),
            route.copy_kind,
            memory_kind(route.source_kind),
            memory_kind(route.destination_kind),
            known(route.source_device),
            known(route.source_context),
            known(route.destination_device),
            known(route.destination_context),
            kernel.graph_node,
        ])?;
        Ok(())
    }

    fn fill(&mut self, kernel: &Kernel, fill: &FillValue) -> rusqlite::Result<()> {
        let mut insert = self.insert(schema::INSERT_MEMSET)?;
        insert.execute(params![
            kernel.start.nanos(),
            kernel.end.nanos(),
            kernel.device.unwrap_or(0),
            kernel.context.unwrap_or(0),
            kernel.stream.unwrap_or(0),
            kernel.correlation,
            kernel.process,
            fill.value,
            kernel.bytes.unwrap_or(0).cast_signed(),
            kernel.graph_node,
            memory_kind(fill.memory_kind),
        ])?;
        Ok(())
    }

    fn calls(&mut self) -> rusqlite::Result<()> {
        if self.joined.calls.is_empty() {
            return Ok(());
        }
        self.connection.execute_batch(schema::RUNTIME)?;
        let failed = self.joined.failed_calls.iter();
        let failed: FxHashMap<(SourceIndex, i64), u32> = failed
            .map(|call| ((call.source, call.correlation), call.result))
            .collect();
        let mut insert = self.insert(schema::INSERT_RUNTIME)?;
        for call in &self.joined.calls {
            let is_driver = !self.joined.strings.get(call.name).starts_with("cuda");
            let result = failed.get(&(call.source, call.correlation));
            insert.execute(params![
                call.start.nanos(),
                call.end.nanos(),
                i64::from(is_driver),
                call.thread,
                call.correlation,
                self.text(call.name),
                result.copied().unwrap_or(0),
            ])?;
        }
        Ok(())
    }

    fn waits(&mut self) -> rusqlite::Result<()> {
        if self.joined.synchronizations.is_empty() {
            return Ok(());
        }
        self.connection.execute_batch(schema::SYNCHRONIZATION)?;
        // CUPTI tells the context alone.
        let with_context = self
            .joined
            .kernels
            .iter()
            .filter_map(|kernel| Some(((kernel.source, kernel.context?), kernel.device?)));
        let devices: FxHashMap<(SourceIndex, i64), i64> = with_context.collect();
        let mut insert = self.insert(schema::INSERT_SYNCHRONIZATION)?;
        for wait in &self.joined.synchronizations {
            let record = &wait.record;
            let context = i64::from(record.context);
            insert.execute(params![
                record.start.nanos(),
                record.end.nanos(),
                devices.get(&(wait.source, context)).copied().unwrap_or(0),
                context,
                record.stream,
                record.correlation,
                self.process(wait.source),
                record.kind,
                record.event,
            ])?;
        }
        Ok(())
    }

    fn memory(&mut self) -> rusqlite::Result<()> {
        if self.joined.device_memory.is_empty() {
            return Ok(());
        }
        self.connection.execute_batch(schema::MEMORY)?;
        let mut insert = self.insert(schema::INSERT_MEMORY)?;
        for memory in &self.joined.device_memory {
            let record = &memory.record;
            insert.execute(params![
                record.at.nanos(),
                self.process(memory.source),
                record.device,
                record.context,
                record.address.cast_signed(),
                record.bytes.cast_signed(),
                memory_kind(record.memory_kind),
                // CUPTI counts from 1, Nsight Systems from 0.
                record.operation.saturating_sub(1),
                record.correlation,
            ])?;
        }
        Ok(())
    }

    fn gpus(&mut self) -> rusqlite::Result<()> {
        if self.joined.gpus.is_empty() {
            return Ok(());
        }
        self.connection.execute_batch(schema::GPU)?;
        let mut insert = self.insert(schema::INSERT_GPU)?;
        // Ranks on one machine each number the GPUs that they see.
        let mut known: Vec<u32> = Vec::new();
        for gpu in &self.joined.gpus {
            if known.contains(&gpu.device) {
                continue;
            }
            known.push(gpu.device);
            insert.execute(params![
                self.process(gpu.source) & !0xffff_ffff_ffff,
                gpu.device,
                self.joined.strings.get(gpu.name),
                gpu.memory.cast_signed(),
                gpu.multiprocessors,
                gpu.device,
                gpu.capability.0,
                gpu.capability.1,
            ])?;
        }
        Ok(())
    }

    fn process(&self, source: SourceIndex) -> i64 {
        let source = self.joined.sources.get(source.0 as usize);
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

/// A kind of memory as Nsight Systems counts them: unknown is the last there, the first with CUPTI.
fn memory_kind(kind: u32) -> u32 {
    kind.checked_sub(1).unwrap_or(7)
}

/// The function's own name: without result, scope, template arguments and parameters.
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
    fn a_short_name_is_the_functions_own() {
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
    fn kinds_of_memory_are_those_of_nsys() {
        assert_eq!([0, 1, 2, 3, 7].map(memory_kind), [7, 0, 1, 2, 6]);
    }
}
