//! Statistics by kernel.

use super::flow::{Memories, moved};
use super::groups::{Groups, KernelTime};
use super::program::name_cell;
use super::untimed;
use weft_model::Trace;
use weft_model::table::{Cell, Table, Unit};

pub(super) fn by_kernel(trace: &Trace) -> Table {
    let mut groups = Groups::new();
    let mut memories = Memories::new(trace);
    for kernel in &trace.devices.kernels {
        let time = (kernel.end - kernel.start).0;
        let sum = groups.entry((kernel.name, kernel.kind, kernel.recorder));
        sum.add(time);
        if let Some(bytes) = moved(trace, kernel) {
            sum.flow.add(bytes as f64, memories.span(kernel));
        }
    }
    for (row, kind, recorder) in untimed::kernels(trace) {
        groups
            .entry((row.name.unwrap_or_default(), kind, recorder))
            .add_untimed();
    }
    let groups = groups.with_bandwidth(memories.speeds());
    groups.table(
        &["kernel", "kind", "seen by"],
        Unit::Nanos,
        KernelTime::NotShown,
        |(name, kind, recorder)| {
            vec![
                name_cell(trace, Some(name)),
                Cell::Text(kind.name().to_owned()),
                Cell::Text(recorder.name().to_owned()),
            ]
        },
    )
}
