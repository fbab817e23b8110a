//! WEFT_KERNEL, and for each row WEFT_KERNEL_TASK or WEFT_UNMATCHED; WEFT_KERNEL_RANGE,
//! WEFT_RANGE_TASK.

use super::range;
use crate::sqlite::made;
use rusqlite::Connection;
use weft_database::schema::{
    Bytes, Count, Insert, KernelRangeRow, KernelRow, KernelTaskRow, PrimaryKey, RangeTaskRow,
    UnmatchedRow, write_rows,
};
use weft_model::{Floats, Index, Method, Outcome, Progress, Trace};

pub(super) fn write(
    trace: &Trace,
    index: &Index,
    connection: &Connection,
    ranges: &range::Ids,
    rows: &made::Rows,
    progress: &Progress,
) -> rusqlite::Result<()> {
    let mut insert = Insert::into(connection, &KernelRow::TABLE)?;
    let mut link = Insert::into(connection, &KernelTaskRow::TABLE)?;
    let mut unmatched = Insert::into(connection, &UnmatchedRow::TABLE)?;
    let mut around = Insert::into(connection, &KernelRangeRow::TABLE)?;
    let called = (0..trace.devices.kernels.len())
        .map(|row| trace.links.kernel_calls.get(row).copied().flatten());
    let findings = trace
        .links
        .outcomes
        .iter()
        .zip(&trace.links.kernel_ranges)
        .zip(called);
    let computed = Floats::of_kernels(trace, index);
    let kernels = progress.over("writing kernels", trace.devices.kernels.iter());
    let rows_of = (1_i64..).zip(kernels.zip(findings)).zip(computed);
    for ((id, (kernel, ((outcome, range), called))), computed) in rows_of {
        insert.row(&KernelRow {
            id: PrimaryKey(id),
            source: kernel.source,
            recorder: kernel.recorder,
            kind: kernel.kind,
            name: trace.strings.get(kernel.name).into(),
            rank: kernel.rank,
            processor: kernel.processor,
            device: kernel.device,
            context: kernel.context,
            stream: kernel.stream,
            correlation: kernel.correlation,
            graph: kernel.graph,
            graph_node: kernel.graph_node,
            called,
            start: kernel.start,
            end: kernel.end,
            bytes_read: kernel.traffic.read.map(Bytes),
            bytes_written: kernel.traffic.written.map(Bytes),
            float_operations: computed.map(|floats| Count(floats.total())),
            from_device: kernel.route.map(|route| route.from),
            to_device: kernel.route.map(|route| route.to),
        })?;
        let mut row = None;
        match *outcome {
            Outcome::Unmatched(reason) => {
                let kernel = PrimaryKey(id);
                unmatched.row(&UnmatchedRow { kernel, reason })?;
            }
            Outcome::Linked { launch, method } => {
                row = rows.row_id(launch);
                let Some(launch) = trace.work.launches.get(launch.0 as usize) else {
                    continue;
                };
                for (task, share) in launch.served() {
                    link.row(&KernelTaskRow {
                        kernel: id,
                        source: launch.source,
                        launch: launch.uid,
                        task,
                        method,
                        share,
                        estimated: Some(launch.split.is_estimated()),
                    })?;
                }
            }
        }
        let range = range.and_then(|range| ranges.row_id(trace, range));
        if let Some(range) = range.or(row) {
            let kernel = PrimaryKey(id);
            around.row(&KernelRangeRow { kernel, range })?;
        }
    }
    let bodies = trace.links.range_tasks.iter().filter_map(|link| {
        Some(RangeTaskRow {
            range: PrimaryKey(ranges.row_id(trace, link.range)?),
            source: link.source,
            task: link.task,
            method: Method::NameTime,
        })
    });
    write_rows(connection, bodies)
}
