//! Records without a known duration. Tables count them in the rows to which they belong.

use weft_model::{KernelKind, RecordKind, Recorder, Trace, Untimed};

/// Returns device work and kernels of CPUs, with the kind and recorder of each.
pub(super) fn kernels(trace: &Trace) -> impl Iterator<Item = (&Untimed, KernelKind, Recorder)> {
    trace.quality.untimed.iter().filter_map(|row| {
        let kind = row.kind.kernel()?;
        let source = trace.sources.get(row.source.0 as usize)?;
        let recorder = match (source.kind.is_nsys(), row.device) {
            (true, _) => Recorder::Nsys,
            (false, Some(_)) => Recorder::Cupti,
            (false, None) => Recorder::Host,
        };
        Some((row, kind, recorder))
    })
}

/// Returns the records of one kind.
pub(super) fn of_kind(trace: &Trace, kind: RecordKind) -> impl Iterator<Item = &Untimed> {
    trace
        .quality
        .untimed
        .iter()
        .filter(move |row| row.kind == kind)
}
