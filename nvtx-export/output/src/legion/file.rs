//! One file: its preamble, the machine and operations. Other rows are described when they are first
//! referred to.

use super::Shared;
use super::ids::{NO_OPERATION, NONE, Node, memory_kind, processor_kind};
use super::records::{
    self, MachineDesc, MaxDimDesc, MemDesc, MetaDesc, MultiTask, OpDesc, OperationInstance,
    ProcDesc, ProcMDesc, Provenance, Record, RuntimeCallDesc, RuntimeConfig, TaskKind, TaskVariant,
    ZeroTime,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::{self, Write};
use weft_model::text::place;
use weft_model::{End, Memory, Operation, ProvenanceIndex, SourceIndex, StringIndex};
use weft_trace::id::{MemoryId, ProcessorId, Uid};
use weft_trace::record::{MemoryKind, ProcessorKind};

/// The version of the format. The reader compares it with its own.
const VERSION: u32 = 1012;

/// The kind of an operation, encoded as in `OpDesc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum OperationKind {
    Operation = 0,
    Task = 1,
    Copy = 2,
    Fill = 3,
}

/// A processor of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileProcessor {
    pub(super) kind: ProcessorKind,
    pub(super) number: u64,
}

/// A file that is being written.
pub(super) struct File<'s, 'a, W> {
    to: W,
    pub(super) shared: &'s mut Shared<'a>,
    pub(super) source: SourceIndex,
    pub(super) node: Node,
    buffer: Vec<u8>,
    described: FxHashSet<Described>,
    processors: FxHashMap<ProcessorId, FileProcessor>,
    next_processor: u32,
    next_event: u64,
    /// Placeholders for the instances that copies and fills used, one per memory.
    pub(super) whole_instances: FxHashMap<(Node, MemoryId), u64>,
}

/// An object of the file that is described once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Described {
    Task(u32),
    Variant(u32, u32),
    Provenance(u32),
    Meta(u32),
    RuntimeCall(u32),
    Memory(Node, MemoryId),
}

impl<'s, 'a, W: Write> File<'s, 'a, W> {
    /// Writes the preamble and the machine.
    pub(super) fn begin(
        mut to: W,
        shared: &'s mut Shared<'a>,
        source: SourceIndex,
        node: Node,
        nodes: u32,
    ) -> io::Result<Self> {
        let version = env!("CARGO_PKG_VERSION");
        write!(
            to,
            "FileType: BinaryLegionProf v: {VERSION}\nweft-{version}\n"
        )?;
        writeln!(to, "{}", records::kinds())?;
        let mut file = File {
            to,
            source,
            node,
            buffer: Vec::new(),
            described: FxHashSet::default(),
            processors: FxHashMap::default(),
            next_processor: 0,
            // 0 represents unknown events; the events of tasks follow it.
            next_event: 1 + shared.trace.work.tasks.len() as u64,
            shared,
            whole_instances: FxHashMap::default(),
        };
        file.machine(nodes)?;
        Ok(file)
    }

    fn machine(&mut self, nodes: u32) -> io::Result<()> {
        let trace = self.shared.trace;
        let row = trace.sources.get(self.source.0 as usize);
        let host = row.and_then(|row| row.host.as_deref()).unwrap_or("unknown");
        // Ranks with the same boot are on one machine.
        let boot = row.and_then(|row| row.boot_id.as_ref());
        let same = |other: &&weft_model::Source| other.boot_id.as_ref() == boot;
        let first = trace.sources.iter().position(|other| same(&other));
        self.put(&MachineDesc {
            node_id: self.node.0.into(),
            num_nodes: nodes,
            hostname: host,
            host_id: first.unwrap_or(0) as u64,
            process_id: row.and_then(|row| row.pid).unwrap_or(0),
        })?;
        let zero_time = self.shared.clock.wall();
        self.put(&ZeroTime { zero_time })?;
        self.put(&MaxDimDesc { max_dim: 1 })?;
        // All options that make a run of Legion slow are off.
        self.put(&RuntimeConfig {
            debug: false,
            spy: false,
            gc: false,
            inorder: false,
            safe_mapper: false,
            safe_runtime: false,
            safe_ctrlrepl: false,
            part_checks: false,
            bounds_checks: false,
            resilient: false,
        })?;
        for (kind, name) in [
            (OperationKind::Operation, "Operation"),
            (OperationKind::Task, "Task"),
            (OperationKind::Copy, "Copy"),
            (OperationKind::Fill, "Fill"),
        ] {
            self.put(&OpDesc {
                kind: kind as u32,
                name,
            })?;
        }
        let source = self.source;
        let ours = trace.machine.processors.iter();
        for processor in ours.filter(|row| row.source == source) {
            if !self.processors.contains_key(&processor.id) {
                let number = self.add_processor(processor.kind)?;
                let place = FileProcessor {
                    kind: processor.kind,
                    number,
                };
                self.processors.insert(processor.id, place);
            }
        }
        let ours = trace.machine.memories.iter();
        for memory in ours.filter(|row| row.source == source) {
            self.describe_memory(self.node, memory.id, memory.kind, memory.capacity)?;
        }
        Ok(())
    }

    /// Describes one more processor, and returns its id.
    pub(super) fn add_processor(&mut self, kind: ProcessorKind) -> io::Result<u64> {
        let number = self.node.processor(self.next_processor);
        self.next_processor += 1;
        self.put(&ProcDesc {
            proc_id: number,
            kind: processor_kind(kind),
            uuid_size: 16,
            cuda_device_uuid: [0; 16],
        })?;
        Ok(number)
    }

    /// Returns the processor of a row. The row may refer to one that no record describes.
    pub(super) fn processor(&mut self, id: ProcessorId) -> io::Result<FileProcessor> {
        if let Some(place) = self.processors.get(&id) {
            return Ok(*place);
        }
        let kind = ProcessorKind::Other;
        let number = self.add_processor(kind)?;
        let place = FileProcessor { kind, number };
        self.processors.insert(id, place);
        Ok(place)
    }

    fn describe_memory(
        &mut self,
        node: Node,
        id: MemoryId,
        kind: MemoryKind,
        capacity: u64,
    ) -> io::Result<u64> {
        let mem_id = node.memory(id);
        if self.described.insert(Described::Memory(node, id)) {
            self.put(&MemDesc {
                mem_id,
                kind: memory_kind(kind),
                capacity,
            })?;
            if kind == MemoryKind::Framebuffer {
                self.describe_affinity(node, id)?;
            }
        }
        Ok(mem_id)
    }

    /// Describes the processor that the memory of a GPU is near. The reader's page names such a
    /// memory by this processor, and fails without one.
    fn describe_affinity(&mut self, node: Node, id: MemoryId) -> io::Result<()> {
        let mut gpus: Vec<(ProcessorId, u64)> = self
            .processors
            .iter()
            .filter(|(_, place)| place.kind == ProcessorKind::Gpu)
            .map(|(id, place)| (*id, place.number))
            .collect();
        gpus.sort_unstable();
        // Memories of GPUs have the numbers of the GPUs.
        let memories = self.shared.trace.machine.memories.iter();
        let is_before = |memory: &&Memory| {
            memory.source == self.source && memory.kind == MemoryKind::Framebuffer && memory.id < id
        };
        let at = memories.filter(is_before).count();
        let gpu = gpus.get(at).or(gpus.first()).map(|gpu| gpu.1);
        let proc_id = match gpu.or_else(|| self.processors.values().map(|one| one.number).min()) {
            Some(number) => number,
            None => self.add_processor(ProcessorKind::Other)?,
        };
        // Not measured. The reader takes the highest value, so the description by the rank that
        // owns the memory (1) takes precedence over those by other ranks (0).
        let bandwidth = u32::from(node == self.node);
        self.put(&ProcMDesc {
            proc_id,
            mem_id: node.memory(id),
            bandwidth,
            latency: 0,
        })
    }

    /// Returns the memory of a row. The row may refer to one that no record describes.
    pub(super) fn memory(&mut self, id: MemoryId) -> io::Result<u64> {
        self.describe_memory(self.node, id, MemoryKind::Other, 0)
    }

    /// Returns the memory at an end of a copy, which may belong to another rank.
    pub(super) fn memory_of(&mut self, end: End) -> io::Result<u64> {
        let mut memories = self.shared.trace.machine.memories.iter();
        let known = memories.find(|row| (row.source, row.id) == (end.source, end.memory));
        let (kind, capacity) = known.map_or((MemoryKind::Other, 0), |row| (row.kind, row.capacity));
        self.describe_memory(self.node_of(end), end.memory, kind, capacity)
    }

    /// Returns the node of an end of a copy.
    pub(super) fn node_of(&self, end: End) -> Node {
        end.rank.map_or(self.node, Node)
    }

    /// Returns a task's kind and variant, and describes them at their first use.
    pub(super) fn task_kind(
        &mut self,
        operation: Option<&Operation>,
        variant: ProcessorKind,
    ) -> io::Result<(u32, u32)> {
        let name = operation.map_or(StringIndex(0), |operation| operation.name);
        let variant = variant.variant();
        let (task_id, variant_id) = (name.0, u32::from(variant.code()));
        if self.described.insert(Described::Task(task_id)) {
            self.put(&TaskKind {
                task_id,
                name: self.name(name),
                overwrite: false,
            })?;
        }
        if self
            .described
            .insert(Described::Variant(task_id, variant_id))
        {
            self.put(&TaskVariant {
                task_id,
                variant_id,
                name: variant.name(),
            })?;
        }
        Ok((task_id, variant_id))
    }

    /// Returns a kind of meta task, and describes it at its first use.
    pub(super) fn meta(&mut self, name: StringIndex) -> io::Result<u32> {
        if self.described.insert(Described::Meta(name.0)) {
            self.put(&MetaDesc {
                kind: name.0,
                message: false,
                ordered_vc: false,
                name: self.name(name),
            })?;
        }
        Ok(name.0)
    }

    /// Returns a kind of runtime call, and describes it at its first use.
    pub(super) fn runtime_call(&mut self, name: StringIndex) -> io::Result<u32> {
        if self.described.insert(Described::RuntimeCall(name.0)) {
            self.put(&RuntimeCallDesc {
                kind: name.0,
                name: self.name(name),
            })?;
        }
        Ok(name.0)
    }

    fn name(&self, name: StringIndex) -> &'a str {
        match self.shared.trace.strings.get(name) {
            "" => "(unknown)",
            name => name,
        }
    }

    /// Writes a source position in the form of Legate: `["file:line", {"file": file, "line":
    /// line}]`. Returns its id.
    fn provenance(&mut self, index: ProvenanceIndex) -> io::Result<u64> {
        let trace = self.shared.trace;
        let Some(human) = place(trace, index) else {
            return Ok(NONE);
        };
        if self.described.insert(Described::Provenance(index.0)) {
            let row = trace.program.provenances.get(index);
            let mut machine = serde_json::json!({
                "file": trace.strings.get(row.file),
                "line": row.line,
            });
            let function = trace.strings.get(row.function);
            if !function.is_empty() {
                machine["function"] = function.into();
            }
            let human = serde_json::Value::from(human);
            self.put(&Provenance {
                provenance: index.0.into(),
                prov: &format!("[{human}, {machine}]"),
            })?;
        }
        Ok(index.0.into())
    }

    /// Describes the operation, task, copy or fill `uid`. Later descriptions of the same UID are
    /// skipped.
    pub(super) fn operation(
        &mut self,
        uid: Uid,
        parent: Option<Uid>,
        kind: OperationKind,
        provenance: ProvenanceIndex,
    ) -> io::Result<()> {
        if !self.shared.described.insert(uid) {
            return Ok(());
        }
        let provenance = self.provenance(provenance)?;
        self.put(&OperationInstance {
            op_id: uid.raw(),
            parent_id: parent.map_or(NO_OPERATION, Uid::raw),
            kind: kind as u32,
            provenance,
        })
    }

    /// Describes the operations that this source was the first to record.
    pub(super) fn operations(&mut self) -> io::Result<()> {
        let trace = self.shared.trace;
        let source = self.source;
        let ours = trace.program.operations.iter();
        for operation in ours.filter(|row| row.source == source) {
            let kind = OperationKind::Operation;
            self.operation(operation.uid, operation.parent, kind, operation.provenance)?;
            if operation.tasks > 1 {
                self.put(&MultiTask {
                    op_id: operation.uid.raw(),
                    task_id: operation.name.0,
                })?;
                if self.described.insert(Described::Task(operation.name.0)) {
                    self.put(&TaskKind {
                        task_id: operation.name.0,
                        name: self.name(operation.name),
                        overwrite: false,
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Returns the operation that a row of this source refers to.
    pub(super) fn operation_row(&self, uid: Uid) -> Option<&'a Operation> {
        let row = self.shared.index.operation(self.source, uid)?;
        self.shared.trace.program.operations.get(row)
    }

    /// Creates an event for something other than a task.
    pub(super) fn event(&mut self) -> u64 {
        self.next_event += 1;
        self.node.event(self.next_event)
    }

    /// Returns the id of an unknown event.
    pub(super) fn unknown_event(&self) -> u64 {
        self.node.event(0)
    }

    /// Writes a record.
    pub(super) fn put(&mut self, record: &impl Record) -> io::Result<()> {
        self.shared.report.records += 1;
        self.buffer.clear();
        record.put(&mut self.buffer);
        self.to.write_all(&self.buffer)
    }
}
