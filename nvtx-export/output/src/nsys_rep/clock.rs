//! Conversion from the base clock of the joined trace to the clock of the report.

use super::merge::Merged;
use weft_model::{Source, SourceIndex, Trace};

/// Returns the wall clock (ns since 1970) when the base clock read 0; `None` if no input records
/// it.
pub(super) fn wall_at_zero(trace: &Trace) -> Option<i64> {
    let read = base(trace).and_then(|source| source.wall_at_zero);
    let kept = || trace.quality.meta.get("clock_base_wall_ns")?.parse().ok();
    read.or_else(kept)
}

/// Returns the shift in ns from times of the base clock to times of the merged session, which begin
/// with the session. `None` if the two clocks cannot be related.
pub(super) fn to_session(trace: &Trace, merged: &Merged) -> Option<i64> {
    if base_index(trace) == merged.source {
        return Some(0);
    }
    let source = trace.sources.get(merged.source.0 as usize)?;
    // The opposite of the shift that put this session onto the base clock.
    Some(wall_at_zero(trace)?.saturating_sub(source.wall_at_zero?))
}

fn base_index(trace: &Trace) -> SourceIndex {
    let kept = trace.quality.meta.get("clock_base_source");
    let kept = kept.and_then(|id| id.parse::<u32>().ok()?.checked_sub(1));
    SourceIndex(kept.unwrap_or(0))
}

fn base(trace: &Trace) -> Option<&Source> {
    trace.sources.get(base_index(trace).0 as usize)
}
