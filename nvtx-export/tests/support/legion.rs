//! Handmade Legion Prof files.

#![allow(dead_code, reason = "each test program uses a part")]

/// A file that is being written: its kinds with their fields, then the records.
pub(crate) struct LegionFile {
    text: String,
    kinds: Vec<(String, u32, Vec<String>)>,
    records: Vec<u8>,
}

/// The value of a field.
#[derive(Clone, Copy)]
pub(crate) enum V<'a> {
    /// A number, written with the size of the field.
    N(u64),
    /// A text.
    T(&'a str),
    /// Raw bytes.
    B(&'a [u8]),
}

/// The kinds that the tests use, as in version 1011.
const KINDS: &[&str] = &[
    "MachineDesc node_id:unsigned:4, num_nodes:unsigned:4, hostname:string:-1, host_id:unsigned long long:8, process_id:unsigned:4",
    "ZeroTime zero_time:long long:8",
    "MaxDimDesc max_dim:maxdim:4",
    "OpDesc kind:unsigned:4, name:string:-1",
    "ProcDesc proc_id:ProcID:8, kind:ProcKind:4, uuid_size:uuid_size:4, cuda_device_uuid:uuid:1",
    "MemDesc mem_id:MemID:8, kind:MemKind:4, capacity:unsigned long long:8",
    "TaskKind task_id:TaskID:4, name:string:-1, overwrite:bool:1",
    "Provenance provenance:unsigned long long:8, prov:string:-1",
    "OperationInstance op_id:UniqueID:8, parent_id:UniqueID:8, kind:unsigned:4, provenance:unsigned long long:8",
    "MultiTask op_id:UniqueID:8, task_id:TaskID:4",
    "SliceOwner parent_id:UniqueID:8, op_id:UniqueID:8",
    "TaskWaitInfo op_id:UniqueID:8, task_id:TaskID:4, variant_id:VariantID:4, wait_start:timestamp_t:8, wait_ready:timestamp_t:8, wait_end:timestamp_t:8, wait_event:unsigned long long:8",
    "TaskInfo op_id:UniqueID:8, task_id:TaskID:4, variant_id:VariantID:4, proc_id:ProcID:8, create:timestamp_t:8, ready:timestamp_t:8, start:timestamp_t:8, stop:timestamp_t:8, creator:unsigned long long:8, critical:unsigned long long:8, fevent:unsigned long long:8",
    "GPUTaskInfo op_id:UniqueID:8, task_id:TaskID:4, variant_id:VariantID:4, proc_id:ProcID:8, create:timestamp_t:8, ready:timestamp_t:8, start:timestamp_t:8, stop:timestamp_t:8, gpu_start:timestamp_t:8, gpu_stop:timestamp_t:8, creator:unsigned long long:8, critical:unsigned long long:8, fevent:unsigned long long:8",
    "CopyInfo op_id:UniqueID:8, size:unsigned long long:8, create:timestamp_t:8, ready:timestamp_t:8, start:timestamp_t:8, stop:timestamp_t:8, creator:unsigned long long:8, critical:unsigned long long:8, fevent:unsigned long long:8, collective:unsigned:4, reduction:unsigned:4, copy_expr:unsigned long long:8",
    "CopyInstInfo src:MemID:8, dst:MemID:8, src_fid:unsigned:4, dst_fid:unsigned:4, src_inst:unsigned long long:8, dst_inst:unsigned long long:8, src_expr:unsigned long long:8, dst_expr:unsigned long long:8, fevent:unsigned long long:8, num_hops:unsigned:4, indirect:bool:1",
    "MapperCallInfo mapper_id:MapperID:4, mapper_proc:ProcID:8, kind:MappingCallKind:4, op_id:UniqueID:8, start:timestamp_t:8, stop:timestamp_t:8, proc_id:ProcID:8, fevent:unsigned long long:8",
    "MapperCallDesc kind:unsigned:4, name:string:-1",
    "IndexSpacePointDesc unique_id:unsigned long long:8, dim:unsigned:4, rem:point:8",
    "PhysicalInstanceUsage inst_uid:unsigned long long:8, mode:unsigned:4, redop:unsigned:4",
];

impl LegionFile {
    /// Returns a file of version 1011 with the usual kinds, numbered from `first`.
    pub(crate) fn new(first: u32) -> Self {
        let mut file = Self::with_header("1011\nlegion-25.12");
        for (kind, id) in KINDS.iter().zip(first..) {
            let (name, fields) = kind.split_once(' ').unwrap();
            file = file.kind(id, name, fields);
        }
        file
    }

    /// Returns a file without kinds, whose text begins with `header` after the tag.
    pub(crate) fn with_header(header: &str) -> Self {
        LegionFile {
            text: format!("FileType: BinaryLegionProf v: {header}\n"),
            kinds: Vec::new(),
            records: Vec::new(),
        }
    }

    /// Adds a kind of records. It replaces an earlier one with the same name.
    pub(crate) fn kind(mut self, id: u32, name: &str, fields: &str) -> Self {
        self.text
            .push_str(&format!("{name} {{id:{id}, {fields}}}\n"));
        let fields = fields.split(", ").map(str::to_owned).collect();
        self.kinds.retain(|kind| kind.0 != name);
        self.kinds.push((name.to_owned(), id, fields));
        self
    }

    /// Adds a record. Fields that are not given are 0; a `point` has the given bytes.
    pub(crate) fn record(mut self, name: &str, values: &[(&str, V<'_>)]) -> Self {
        let (_, id, fields) = self.kinds.iter().find(|kind| kind.0 == name).unwrap();
        self.records.extend(id.to_le_bytes());
        for field in fields {
            let (rest, size) = field.rsplit_once(':').unwrap();
            let (field, _) = rest.split_once(':').unwrap();
            let value = values.iter().find(|value| value.0 == field);
            let size: i32 = size.parse().unwrap();
            match value.map(|value| value.1) {
                Some(V::N(number)) => {
                    let bytes = number.to_le_bytes();
                    self.records.extend(&bytes[..size as usize]);
                }
                Some(V::T(text)) => {
                    self.records.extend(text.bytes());
                    self.records.push(0);
                }
                Some(V::B(bytes)) => self.records.extend(bytes),
                None if size < 0 => self.records.push(0),
                None => self.records.extend(vec![0; size as usize]),
            }
        }
        self
    }

    /// Returns the offset of the records.
    pub(crate) fn start(&self) -> usize {
        self.text.len() + 1
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.text.clone().into_bytes();
        bytes.push(b'\n');
        bytes.extend(&self.records);
        bytes
    }
}

/// Returns Legion's id of a CPU or a memory.
pub(crate) const fn cpu(node: u64, number: u64) -> u64 {
    0x1d << 56 | node << 40 | number
}

pub(crate) const fn memory(node: u64, number: u64) -> u64 {
    0x1e << 56 | node << 40 | number
}

/// Returns the event with this number.
pub(crate) const fn event(number: u64) -> u64 {
    1 << 63 | number << 20 | 1
}

/// Adds the first records of a node's file: the node, a CPU, and two tasks' names.
pub(crate) fn node(file: LegionFile, node: u64, nodes: u64) -> LegionFile {
    use V::{B, N, T};
    file.record(
        "MachineDesc",
        &[
            ("node_id", N(node)),
            ("num_nodes", N(nodes)),
            ("hostname", T("host")),
            ("process_id", N(4242)),
        ],
    )
    .record("ZeroTime", &[("zero_time", N(1_000_000))])
    .record("MaxDimDesc", &[("max_dim", N(2))])
    .record(
        "ProcDesc",
        &[
            ("proc_id", N(cpu(node, 3))),
            ("kind", N(2)),
            ("uuid_size", N(16)),
            ("cuda_device_uuid", B(&[7; 16])),
        ],
    )
    .record("TaskKind", &[("task_id", N(9)), ("name", T("unnamed"))])
    .record(
        "TaskKind",
        &[("task_id", N(9)), ("name", T("add")), ("overwrite", N(1))],
    )
    .record("OpDesc", &[("kind", N(30)), ("name", T("Task"))])
    .record("OpDesc", &[("kind", N(20)), ("name", T("Fill"))])
}

/// Adds a task that ran for `time` ns from `start`.
pub(crate) fn task(file: LegionFile, id: u64, processor: u64, start: u64, time: u64) -> LegionFile {
    use V::N;
    let values = [
        ("op_id", N(id)),
        ("task_id", N(9)),
        ("proc_id", N(processor)),
        ("create", N(start - 2)),
        ("ready", N(start - 1)),
        ("start", N(start)),
        ("stop", N(start + time)),
    ];
    file.record("TaskInfo", &values)
}

/// Adds an operation of a task, or a slice or point of one.
pub(crate) fn operation(file: LegionFile, id: u64, provenance: u64) -> LegionFile {
    use V::N;
    let values = [
        ("op_id", N(id)),
        ("parent_id", N(u64::MAX)),
        ("kind", N(30)),
        ("provenance", N(provenance)),
    ];
    file.record("OperationInstance", &values)
}

/// Makes `id` a slice or point of `parent`.
pub(crate) fn part(file: LegionFile, id: u64, parent: u64) -> LegionFile {
    file.record(
        "SliceOwner",
        &[("op_id", V::N(id)), ("parent_id", V::N(parent))],
    )
}
