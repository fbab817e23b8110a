//! CUPTI_ACTIVITY_KIND_KERNEL, _MEMCPY and _MEMSET: work on devices.

use super::database::{Database, integer};
use super::texts::Texts;
use crate::error::ExportError;
use crate::joined::{Joined, Kernel, KernelKind, Recorder, SourceIndex};
use weft_trace::time::Timestamp;

const TABLES: [(&str, KernelKind); 3] = [
    ("CUPTI_ACTIVITY_KIND_KERNEL", KernelKind::Kernel),
    ("CUPTI_ACTIVITY_KIND_MEMCPY", KernelKind::Memcpy),
    ("CUPTI_ACTIVITY_KIND_MEMSET", KernelKind::Memset),
];

pub(super) fn read(
    joined: &mut Joined,
    source: SourceIndex,
    database: &Database,
) -> Result<(), ExportError> {
    let mut texts = Texts::of(database)?;
    for (table, kind) in TABLES {
        let columns = [
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
        ];
        database.each_row(table, &columns, |row| {
            let (Some(start), Some(end)) = (integer(row, 0), integer(row, 1)) else {
                return false;
            };
            let name = match kind {
                KernelKind::Kernel => integer(row, 8)
                    .map_or_else(Default::default, |id| texts.get(id, &mut joined.strings)),
                KernelKind::Memcpy => joined.strings.intern(memcpy_name(integer(row, 9))),
                KernelKind::Memset => joined.strings.intern("[CUDA memset]"),
            };
            joined.kernels.push(Kernel {
                source,
                recorder: Recorder::Nsys,
                kind,
                name,
                rank: None,
                processor: None,
                device: integer(row, 2),
                stream: integer(row, 3),
                context: integer(row, 10),
                graph: integer(row, 11),
                graph_node: integer(row, 7),
                correlation: integer(row, 4),
                start: Timestamp::from_nanos_since_session_start(start),
                end: Timestamp::from_nanos_since_session_start(end),
                bytes: integer(row, 6).map(i64::cast_unsigned),
                recorded: None,
                external: None,
                process: integer(row, 5),
            });
            true
        })?;
    }
    Ok(())
}

/// What Nsight Systems calls a copy of this kind in its reports.
fn memcpy_name(kind: Option<i64>) -> &'static str {
    match kind {
        Some(1) => "[CUDA memcpy HtoD]",
        Some(2) => "[CUDA memcpy DtoH]",
        Some(3) => "[CUDA memcpy HtoA]",
        Some(4) => "[CUDA memcpy AtoH]",
        Some(5) => "[CUDA memcpy AtoA]",
        Some(6) => "[CUDA memcpy AtoD]",
        Some(7) => "[CUDA memcpy DtoA]",
        Some(8) => "[CUDA memcpy DtoD]",
        Some(9) => "[CUDA memcpy HtoH]",
        Some(10) => "[CUDA memcpy PtoP]",
        Some(11) => "[CUDA Unified Memory memcpy HtoD]",
        Some(12) => "[CUDA Unified Memory memcpy DtoH]",
        Some(13) => "[CUDA Unified Memory memcpy DtoD]",
        _ => "[CUDA memcpy]",
    }
}
