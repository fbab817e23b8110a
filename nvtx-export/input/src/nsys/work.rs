//! CUPTI_ACTIVITY_KIND_KERNEL, _MEMCPY, _MEMSET and _GRAPH_TRACE: work on devices.
//!
//! With `--cuda-graph-trace=graph`, which is the default, nsys records a launch of a CUDA graph as
//! one row of the last table, and none of its nodes.

use super::devices::Devices;
use super::texts::{TextIds, Texts, at};
use crate::ReadOptions;
use rusqlite::Row;
use rustc_hash::FxHashMap;
use weft_database::{Database, Room, integer};
use weft_model::{
    Detail, DetailIndex, ExportError, Kernel, KernelKind, Recorder, Recording, Route, SourceIndex,
    StringIndex, Traffic,
};
use weft_trace::record::{CopyRoute, NO_DEVICE};
use weft_trace::time::Timestamp;

const TABLES: [(&str, KernelKind); 4] = [
    ("CUPTI_ACTIVITY_KIND_KERNEL", KernelKind::Kernel),
    ("CUPTI_ACTIVITY_KIND_MEMCPY", KernelKind::Memcpy),
    ("CUPTI_ACTIVITY_KIND_MEMSET", KernelKind::Memset),
    (GRAPHS, KernelKind::Graph),
];

/// Whole CUDA graphs.
pub(super) const GRAPHS: &str = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";

/// The number in place of a device if a graph begins on the host.
const HOST: i64 = i32::MAX as i64;

/// Work of a slice of rows. Names are indices into `texts`; for copies, the name is the kind of
/// copy.
#[derive(Default)]
struct Work {
    rows: Vec<Kernel>,
    texts: TextIds,
}

impl Room for Work {
    fn reserve(&mut self, rows: usize) {
        self.rows.reserve_exact(rows);
    }
}

const COLUMNS: [&str; 18] = [
    "start",
    "end",
    "deviceId",
    "streamId",
    "correlationId",
    "globalPid",
    "bytes",
    "graphNodeId",
    "demangledName",
    "copyKind",
    "contextId",
    "graphId",
    "srcDeviceId",
    "dstDeviceId",
    "srcContextId",
    "dstContextId",
    "srcKind",
    "dstKind",
];

/// The kind of a copy between two GPUs.
const PEER: i64 = 10;

pub(super) fn read(
    recording: &mut Recording,
    source: SourceIndex,
    database: &Database,
    options: &ReadOptions,
) -> Result<(), ExportError> {
    let mut texts = Texts::open(database)?;
    let devices = Devices::read(database)?;
    let mut known: FxHashMap<MemoryKinds, DetailIndex> = FxHashMap::default();
    for (table, kind) in TABLES {
        let each = |work: &mut Work, row: &Row<'_>| match kernel(work, row, source, kind, &devices)
        {
            Some(kernel) => {
                work.rows.push(kernel);
                true
            }
            None => false,
        };
        let slices = database.each_slice(table, &COLUMNS, &options.progress, each)?;
        let count = slices.iter().map(|slice| slice.rows.len()).sum();
        recording.devices.kernels.reserve_exact(count);
        for slice in slices {
            let names = slice.texts.look_up(&mut texts, &mut recording.strings);
            for kernel in slice.rows {
                let name = match kind {
                    KernelKind::Kernel => at(&names, kernel.name),
                    KernelKind::Memcpy => recording
                        .strings
                        .intern(weft_trace::cupti::memcpy_name(kernel.name.0)),
                    KernelKind::Memset => recording.strings.intern("[CUDA memset]"),
                    KernelKind::Graph => {
                        let graph = kernel.graph.unwrap_or(0);
                        recording.strings.intern(&format!("[CUDA graph {graph}]"))
                    }
                };
                let detail = decode_kinds(&kernel, kind)
                    .map(|kinds| detail_of(kinds, &mut known, &mut recording.devices.details));
                recording.devices.kernels.push(Kernel {
                    name,
                    detail,
                    ..kernel
                });
            }
        }
    }
    Ok(())
}

/// Adds data to the work of a joined database that only the session's own tables hold: the process
/// that started it, and the memories of a copy. Both hold the work in the same order. Work without
/// a row there is unchanged.
///
/// # Errors
/// Returns an error if the database cannot be read.
pub(crate) fn complete(
    recording: &mut Recording,
    source: SourceIndex,
    database: &Database,
) -> Result<(), ExportError> {
    let weft_model::Devices {
        kernels, details, ..
    } = &mut recording.devices;
    let mut known: FxHashMap<MemoryKinds, DetailIndex> = FxHashMap::default();
    let columns = [
        "start",
        "streamId",
        "correlationId",
        "globalPid",
        "srcKind",
        "dstKind",
    ];
    for (table, kind) in TABLES {
        let of_session = |kernel: &&mut Kernel| {
            (kernel.source, kernel.recorder, kernel.kind) == (source, Recorder::Nsys, kind)
        };
        let mut own = kernels.iter_mut().filter(of_session).peekable();
        database.each_row(table, &columns, |row| {
            let key = (integer(row, 0), integer(row, 1), integer(row, 2));
            let is_same = |kernel: &&mut Kernel| {
                (
                    Some(kernel.start.nanos()),
                    kernel.stream,
                    kernel.correlation,
                ) == key
            };
            if let Some(kernel) = own.next_if(is_same) {
                kernel.process = integer(row, 3);
                let kinds = integer(row, 4).zip(integer(row, 5));
                kernel.detail = kinds
                    .filter(|_| kind == KernelKind::Memcpy)
                    .map(|kinds| detail_of(memory_kinds(kinds), &mut known, details));
            }
            true
        })?;
    }
    Ok(())
}

fn kernel(
    work: &mut Work,
    row: &Row<'_>,
    source: SourceIndex,
    kind: KernelKind,
    devices: &Devices,
) -> Option<Kernel> {
    let (start, end) = (integer(row, 0)?, integer(row, 1)?);
    let name = match kind {
        KernelKind::Kernel => work.texts.add(integer(row, 8)),
        KernelKind::Memcpy => {
            StringIndex(integer(row, 9).map_or(0, |kind| kind.clamp(0, 99) as u32))
        }
        KernelKind::Memset | KernelKind::Graph => StringIndex::default(),
    };
    let process = integer(row, 5);
    let device = integer(row, 2).filter(|device| *device != HOST);
    let device = device.map(|device| devices.of_process(process, device));
    Some(Kernel {
        source,
        recorder: Recorder::Nsys,
        kind,
        name,
        rank: None,
        processor: None,
        device,
        stream: integer(row, 3),
        context: integer(row, 10),
        graph: integer(row, 11),
        graph_node: integer(row, 7),
        correlation: integer(row, 4),
        start: Timestamp::from_nanos_since_session_start(start),
        end: Timestamp::from_nanos_since_session_start(end),
        traffic: Traffic::new(kind, integer(row, 6).map(i64::cast_unsigned)),
        recorded: None,
        external: None,
        process,
        // Until the row is kept, this encodes the kinds of memory of a copy.
        detail: (kind == KernelKind::Memcpy)
            .then(|| {
                Some(encode_kinds(memory_kinds((
                    integer(row, 16)?,
                    integer(row, 17)?,
                ))))
            })
            .flatten(),
        route: match kind {
            KernelKind::Memcpy => route(row, process, device, devices),
            _ => None,
        },
    })
}

/// Returns the GPUs of a copy from one GPU to another.
fn route(
    row: &Row<'_>,
    process: Option<i64>,
    own: Option<i64>,
    devices: &Devices,
) -> Option<Route> {
    let side = |device: usize, context: usize| {
        let device = integer(row, device).filter(|device| (0..HOST).contains(device));
        let of_context = || devices.of_context(process, integer(row, context)?);
        let device = device.or_else(of_context)?;
        Some(devices.of_process(process, device))
    };
    let is_peer = integer(row, 9) == Some(PEER);
    let (from, to) = (side(12, 14), side(13, 15));
    match (from, to) {
        (Some(from), Some(to)) if is_peer || from != to => Some(Route { from, to }),
        (Some(from), None) if is_peer => own.map(|to| Route { from, to }),
        (None, Some(to)) if is_peer => own.map(|from| Route { from, to }),
        _ => None,
    }
}

/// The kinds of memory that a copy reads and writes, in the numbers of CUPTI. They are one greater
/// than those of Nsight Systems.
type MemoryKinds = (u32, u32);

fn memory_kinds((source, destination): (i64, i64)) -> MemoryKinds {
    let kind = |kind: i64| kind.clamp(0, 254) as u32 + 1;
    (kind(source), kind(destination))
}

fn encode_kinds((source, destination): MemoryKinds) -> DetailIndex {
    DetailIndex(source << 8 | destination)
}

fn decode_kinds(kernel: &Kernel, kind: KernelKind) -> Option<MemoryKinds> {
    let kinds = kernel.detail.filter(|_| kind == KernelKind::Memcpy)?.0;
    Some((kinds >> 8, kinds & 0xff))
}

/// Returns the detail that all copies between these kinds of memory share.
fn detail_of(
    kinds: MemoryKinds,
    known: &mut FxHashMap<MemoryKinds, DetailIndex>,
    details: &mut Vec<Detail>,
) -> DetailIndex {
    *known.entry(kinds).or_insert_with(|| {
        details.push(Detail::Copy(copy_route(kinds)));
        DetailIndex(details.len() as u32 - 1)
    })
}

fn copy_route((source_kind, destination_kind): MemoryKinds) -> CopyRoute {
    CopyRoute {
        id: 0,
        copy_kind: 0,
        source_kind,
        destination_kind,
        source_device: NO_DEVICE,
        source_context: NO_DEVICE,
        destination_device: NO_DEVICE,
        destination_context: NO_DEVICE,
    }
}
