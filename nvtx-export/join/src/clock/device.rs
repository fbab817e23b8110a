//! The conversion from CUPTI's clock to that of the source whose process CUPTI ran in.

use super::fit::{Fit, Pair};
use weft_model::{DeviceSample, Recording, SourceIndex};

/// Returns the conversion from the samples of a source, and its error in ns. `None` without
/// samples: device times are then on their own clock.
pub(super) fn fit(recording: &Recording, source: SourceIndex) -> Option<(Fit, u64)> {
    let samples = recording.quality.device_samples.iter();
    let of_source = samples.filter(|sample| sample.source == source);
    let mut samples: Vec<&DeviceSample> = of_source.collect();
    samples.sort_unstable_by_key(|sample| sample.device);
    let pairs: Vec<Pair> = samples
        .iter()
        .map(|sample| Pair {
            from: sample.device,
            to: sample.host,
        })
        .collect();
    let fit = Fit::of_samples(&pairs)?;
    let read = samples.iter().map(|sample| sample.error).min()?;
    Some((fit, fit.error().saturating_add(read)))
}
