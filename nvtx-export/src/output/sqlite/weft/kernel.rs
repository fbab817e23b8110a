//! WEFT_KERNEL, and for each row WEFT_KERNEL_TASK or WEFT_UNMATCHED; WEFT_KERNEL_RANGE, WEFT_RANGE_TASK.

use super::{integer, range};
use crate::joined::{Joined, Method, Outcome};
use crate::output::sqlite::made;
use crate::progress::Progress;
use rusqlite::{Connection, params};

pub(super) fn write(
    joined: &Joined,
    connection: &Connection,
    ranges: &range::Ids,
    rows: &made::Rows,
    progress: &Progress,
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare(
        "INSERT INTO WEFT_KERNEL VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let mut link = connection.prepare("INSERT INTO WEFT_KERNEL_TASK VALUES (?, ?, ?, ?, ?, ?)")?;
    let mut unmatched = connection.prepare("INSERT INTO WEFT_UNMATCHED VALUES (?, ?)")?;
    let mut around = connection.prepare("INSERT INTO WEFT_KERNEL_RANGE VALUES (?, ?)")?;
    let findings = joined.outcomes.iter().zip(&joined.kernel_ranges);
    let kernels = progress.over("writing kernels", joined.kernels.iter());
    for (id, (kernel, (outcome, range))) in (1_i64..).zip(kernels.zip(findings)) {
        insert.execute(params![
            id,
            kernel.source.id(),
            kernel.recorder.name(),
            kernel.kind.name(),
            joined.strings.get(kernel.name),
            kernel.rank,
            kernel.processor.map(|processor| processor.0),
            kernel.device,
            kernel.context,
            kernel.stream,
            kernel.correlation,
            kernel.graph,
            kernel.graph_node,
            kernel.start.nanos(),
            kernel.end.nanos(),
            kernel.bytes.map(integer),
        ])?;
        let mut row = None;
        match *outcome {
            Outcome::Unmatched(reason) => {
                unmatched.execute(params![id, reason.name()])?;
            }
            Outcome::Linked { launch, method } => {
                row = rows.of(launch);
                let Some(launch) = joined.launches.get(launch.0 as usize) else {
                    continue;
                };
                for (task, share) in launch.served() {
                    link.execute(params![
                        id,
                        launch.source.id(),
                        integer(launch.uid.raw()),
                        integer(task.raw()),
                        method.name(),
                        share,
                    ])?;
                }
            }
        }
        let range = range.and_then(|range| ranges.of(joined, range));
        if let Some(row) = range.or(row) {
            around.execute(params![id, row])?;
        }
    }
    let mut body = connection.prepare("INSERT INTO WEFT_RANGE_TASK VALUES (?, ?, ?, ?)")?;
    for link in &joined.range_tasks {
        if let Some(row) = ranges.of(joined, link.range) {
            body.execute(params![
                row,
                link.source.id(),
                integer(link.task.raw()),
                Method::NameTime.name(),
            ])?;
        }
    }
    Ok(())
}
