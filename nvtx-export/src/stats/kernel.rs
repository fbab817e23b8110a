//! By kernel.

use super::groups::{Groups, KernelTime};
use super::program::name_cell;
use crate::joined::Joined;
use crate::output::table::{Cell, Table, Unit};

pub(super) fn by_kernel(joined: &Joined) -> Table {
    let mut groups = Groups::new();
    for kernel in &joined.kernels {
        let time = (kernel.end - kernel.start).0;
        groups
            .of((kernel.name, kernel.kind, kernel.recorder))
            .add(time);
    }
    groups.table(
        &["kernel", "kind", "seen by"],
        Unit::Nanos,
        KernelTime::NotShown,
        |(name, kind, recorder)| {
            vec![
                name_cell(joined, Some(name)),
                Cell::Text(kind.name().to_owned()),
                Cell::Text(recorder.name().to_owned()),
            ]
        },
    )
}
