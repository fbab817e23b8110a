//! Kernels without a launch, by the innermost range around the call that started them, each with
//! the reason.

use super::lines::Writer;
use rustc_hash::FxHashMap;
use std::io;
use weft_model::{Kernel, Outcome, RangeIndex, Reason, Trace};

type Unmatched<'a> = (&'a Kernel, Reason);

pub(super) fn write(writer: &Writer<'_>, to: &mut dyn io::Write) -> io::Result<()> {
    let trace = writer.trace;
    let mut groups = groups(trace);
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(to, "\nunmatched")?;
    let outside = groups.remove(&None);
    let mut ranges: Vec<_> = groups.into_iter().collect();
    ranges.sort_by_key(|(range, _)| {
        let row = range.and_then(|range| trace.work.ranges.get(range.0 as usize));
        row.map(|row| (row.source, row.start, row.end, row.row))
    });
    for (range, kernels) in ranges {
        let row = range.and_then(|range| trace.work.ranges.get(range.0 as usize));
        let Some(row) = row else { continue };
        let domain = match writer.text(row.domain) {
            none if none.is_empty() => String::new(),
            domain => format!("{domain}: "),
        };
        writeln!(
            to,
            "  range {domain}{} on thread {} of {}: {} to {}",
            writer.text(row.text),
            row.thread & 0xff_ffff,
            (row.thread >> 24) & 0xff_ffff,
            writer.time(row.start),
            writer.time(row.end),
        )?;
        list(writer, to, &kernels)?;
    }
    if let Some(kernels) = outside {
        writeln!(to, "  no range")?;
        list(writer, to, &kernels)?;
    }
    Ok(())
}

fn list(writer: &Writer<'_>, to: &mut dyn io::Write, kernels: &[Unmatched<'_>]) -> io::Result<()> {
    for (kernel, reason) in kernels {
        writer.kernel(to, "    ", kernel, None, &format!(": {reason}"))?;
    }
    Ok(())
}

fn groups(trace: &Trace) -> FxHashMap<Option<RangeIndex>, Vec<Unmatched<'_>>> {
    let mut groups: FxHashMap<Option<RangeIndex>, Vec<Unmatched<'_>>> = FxHashMap::default();
    let ranges = trace.links.kernel_ranges.iter().copied();
    let ranges = ranges.chain(std::iter::repeat(None));
    for ((kernel, outcome), range) in trace
        .devices
        .kernels
        .iter()
        .zip(&trace.links.outcomes)
        .zip(ranges)
    {
        if let Outcome::Unmatched(reason) = outcome {
            let range = range.filter(|range| (range.0 as usize) < trace.work.ranges.len());
            groups.entry(range).or_default().push((kernel, *reason));
        }
    }
    for list in groups.values_mut() {
        list.sort_by_key(|(kernel, _)| {
            let name = trace.strings.get(kernel.name);
            let times = (kernel.start, kernel.end);
            (
                kernel.source,
                times,
                kernel.correlation,
                kernel.device,
                name,
            )
        });
    }
    groups
}
