//! By NVTX range.

use super::groups::Groups;
use super::program::name_cell;
use crate::joined::{Index, Joined, Outcome, StringIndex};
use crate::output::message;
use crate::output::table::{Cell, Table, Unit};

/// The ranges that a session recorded, or, without one, those that the runtime would have given it.
pub(super) fn by_range(joined: &Joined) -> Table {
    if joined.sources.iter().any(|source| source.kind.is_nsys()) {
        by_recorded(joined)
    } else {
        by_launch(joined)
    }
}

fn by_recorded(joined: &Joined) -> Table {
    let mut groups: Groups<Option<StringIndex>> = Groups::new();
    for range in &joined.ranges {
        groups.of(Some(range.text)).add((range.end - range.start).0);
    }
    for (kernel, range) in joined.kernels.iter().zip(&joined.kernel_ranges) {
        let range = range.and_then(|range| joined.ranges.get(range.0 as usize));
        let sum = groups.of(range.map(|range| range.text));
        sum.kernel_time += (kernel.end - kernel.start).0 as f64;
    }
    groups.table(&["range"], Unit::Nanos, true, |text| match text {
        Some(text) => vec![name_cell(joined, Some(text))],
        None => vec![Cell::Text("(no range)".to_owned())],
    })
}

fn by_launch(joined: &Joined) -> Table {
    let index = Index::of(joined);
    let mut texts = crate::joined::Strings::default();
    let mut groups: Groups<Option<StringIndex>> = Groups::new();
    let mut launches = Vec::with_capacity(joined.launches.len());
    for launch in &joined.launches {
        let text = texts.intern(&message::of(joined, &index, launch).text);
        groups.of(Some(text)).add((launch.end - launch.start).0);
        launches.push(text);
    }
    for (kernel, outcome) in joined.kernels.iter().zip(&joined.outcomes) {
        let text = match outcome {
            Outcome::Linked { launch, .. } => launches.get(launch.0 as usize).copied(),
            Outcome::Unmatched(_) => None,
        };
        groups.of(text).kernel_time += (kernel.end - kernel.start).0 as f64;
    }
    groups.table(&["range"], Unit::Nanos, true, |text| {
        let text = text.map_or("(no range)", |text| texts.get(text));
        vec![Cell::Text(text.to_owned())]
    })
}
