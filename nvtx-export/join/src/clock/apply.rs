//! Conversion of all times in all tables to the base clock.

use super::conversion::Conversion;
use weft_model::Recording;

/// Converts every time of every row by the conversion of its source. Times that CUPTI recorded in
/// the process of a source are converted by those in `devices`.
pub(super) fn convert(
    recording: &mut Recording,
    conversions: &[Conversion],
    devices: &[Conversion],
) {
    if (conversions.iter())
        .chain(devices)
        .all(|conversion| *conversion == Conversion::default())
    {
        return;
    }
    recording.times_mut(|of, time| {
        let conversions = match of.by_cupti {
            true => devices,
            false => conversions,
        };
        if let Some(conversion) = conversions.get(of.source.0 as usize) {
            *time = conversion.apply(*time);
        }
    });
    for session in &mut recording.devices.sessions {
        let conversion = conversions.get(session.source.0 as usize);
        if let (Some(conversion), Some(spans)) = (conversion, &mut session.spans) {
            spans.convert(|time| conversion.apply(time));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_model::{SourceIndex, Wait, WaitKind};
    use weft_trace::id::Uid;
    use weft_trace::time::Timestamp;

    #[test]
    fn converts_rows_by_their_own_source() {
        let at = Timestamp::from_nanos_since_boot;
        let waits = [0, 1].map(|source| Wait {
            source: SourceIndex(source),
            kind: WaitKind::Event,
            task: Uid::from_raw(1),
            processor: None,
            operation: None,
            start: at(10),
            ready: at(20),
            end: at(30),
        });
        let mut recording = Recording::default();
        recording.work.waits = waits.into();
        let conversions = [Conversion::shift(-10), Conversion::default()];
        convert(&mut recording, &conversions, &conversions);
        let starts = recording
            .work
            .waits
            .iter()
            .map(|wait| (wait.start.nanos(), wait.end.nanos()));
        assert_eq!(starts.collect::<Vec<_>>(), [(0, 20), (10, 30)]);
    }
}
