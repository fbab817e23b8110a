//! The ties of clocks, as properties of the trace.

use super::alignment::Alignment;
use super::edge::Tie;
use super::fit::Fit;
use weft_model::{LossRow, Recording, Severity, SourceIndex, SourceKind};

/// The median distance of pairs above which inputs are probably not of one run, in ns. In one run,
/// it is within microseconds.
const STRANGE: u64 = 1_000_000;

/// Records the base clock.
pub(super) fn base(recording: &mut Recording, base: SourceIndex) {
    if let Some(source) = recording.sources.get(base.0 as usize) {
        let clock = match source.kind {
            SourceKind::WeftProf => "CLOCK_MONOTONIC",
            SourceKind::LegionProf => "ns since the ZeroTime of Legion Prof",
            SourceKind::NsysSqlite | SourceKind::NsysReport => "nsys session",
        };
        recording.quality.meta.set("clock_base", clock);
        recording.quality.meta.set("clock_base_source", base.id());
        if let Some(wall) = source.wall_at_zero {
            recording.quality.meta.set("clock_base_wall_ns", wall);
        }
    }
}

/// Records the tie of a source. `known` states whether there is a path to the base.
pub(super) fn source(
    recording: &mut Recording,
    source: SourceIndex,
    alignment: &Alignment,
    known: bool,
) {
    let key = |what: &str| format!("source_{}_clock_{what}", source.id());
    let word = match alignment.tie {
        Some(tie) => tie.name(),
        None if known => "same",
        None => "nothing",
    };
    let through = alignment.through.map_or_else(String::new, |through| {
        format!(", through source {}", through.id())
    });
    let meta = &mut recording.quality.meta;
    meta.set(key("tie"), format!("{word}{through}"));
    // This is added at `origin`, a time of the source.
    meta.set(key("offset_ns"), alignment.conversion.offset);
    meta.set(key("origin_ns"), alignment.conversion.origin);
    meta.set(key("drift_ppm"), alignment.conversion.drift * 1e6);
    if known {
        meta.set(key("error_ns"), alignment.error);
    }
    let Some(fit) = alignment.tie.and_then(Tie::fit) else {
        return;
    };
    self::fit(recording, &format!("source_{}_clock", source.id()), &fit);
    if fit.residual_median > STRANGE {
        recording.quality.losses.push(LossRow {
            source: Some(source),
            name: "clock_pairs_apart".to_owned(),
            severity: Severity::Loss,
            value: fit.residual_median,
            meaning: "ns between ranges and their tasks, in the median: the session is probably from another run"
                .to_owned(),
        });
    }
}

/// Records the tie of CUPTI's clock to that of its source.
pub(super) fn device(recording: &mut Recording, source: SourceIndex, fit: &Fit, error: u64) {
    let key = format!("source_{}_device_clock", source.id());
    let offset = fit.conversion.offset;
    recording
        .quality
        .meta
        .set(format!("{key}_offset_ns"), offset);
    let origin = fit.conversion.origin;
    recording
        .quality
        .meta
        .set(format!("{key}_origin_ns"), origin);
    let drift = fit.conversion.drift;
    recording
        .quality
        .meta
        .set(format!("{key}_drift_ppm"), drift * 1e6);
    recording.quality.meta.set(format!("{key}_error_ns"), error);
    self::fit(recording, &key, fit);
}

fn fit(recording: &mut Recording, key: &str, fit: &Fit) {
    let meta = &mut recording.quality.meta;
    meta.set(format!("{key}_pairs"), fit.pairs);
    meta.set(format!("{key}_residual_median_ns"), fit.residual_median);
    meta.set(format!("{key}_residual_99_ns"), fit.residual_99);
    meta.set(format!("{key}_residual_max_ns"), fit.residual_max);
    meta.set(format!("{key}_outliers"), fit.outliers);
}
