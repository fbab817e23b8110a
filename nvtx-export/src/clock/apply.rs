//! All times of all tables onto the base clock.

use super::conversion::Conversion;
use crate::joined::{Joined, Recorder, SourceIndex};
use weft_trace::time::Timestamp;

/// Converts every time of every row by the conversion of its source. What CUPTI saw in the process of a source is
/// converted by that of `devices`.
pub(super) fn convert(joined: &mut Joined, conversions: &[Conversion], devices: &[Conversion]) {
    if (conversions.iter())
        .chain(devices)
        .all(|conversion| *conversion == Conversion::default())
    {
        return;
    }
    let by = |conversions: &[Conversion], source: SourceIndex, times: &mut [&mut Timestamp]| {
        if let Some(conversion) = conversions.get(source.0 as usize) {
            for time in times {
                **time = conversion.apply(**time);
            }
        }
    };
    let each = |source: SourceIndex, times: &mut [&mut Timestamp]| by(conversions, source, times);
    for row in &mut joined.operations {
        each(row.source, &mut [&mut row.created]);
    }
    for row in &mut joined.operation_calls {
        each(row.source, &mut [&mut row.created]);
    }
    for row in &mut joined.tasks {
        let times = &mut [
            &mut row.created,
            &mut row.ready,
            &mut row.start,
            &mut row.end,
        ];
        each(row.source, times);
        if let Some((start, end)) = &mut row.device {
            each(row.source, &mut [start, end]);
        }
    }
    for row in &mut joined.launches {
        each(row.source, &mut [&mut row.start, &mut row.end]);
    }
    for row in &mut joined.kernels {
        let conversions = match row.recorder {
            Recorder::Cupti => devices,
            Recorder::Host | Recorder::Nsys => conversions,
        };
        by(conversions, row.source, &mut [&mut row.start, &mut row.end]);
    }
    for row in &mut joined.ranges {
        each(row.source, &mut [&mut row.start, &mut row.end]);
    }
    for row in &mut joined.calls {
        by(devices, row.source, &mut [&mut row.start, &mut row.end]);
    }
    for row in &mut joined.synchronizations {
        let record = &mut row.record;
        by(
            devices,
            row.source,
            &mut [&mut record.start, &mut record.end],
        );
    }
    for row in &mut joined.device_memory {
        by(devices, row.source, &mut [&mut row.record.at]);
    }
    for session in &mut joined.sessions {
        let Some(conversion) = conversions.get(session.source.0 as usize) else {
            continue;
        };
        session.end = session.end.map(|end| conversion.apply(end));
        if let Some(spans) = &mut session.spans {
            spans.convert(|time| conversion.apply(time));
        }
    }
    for row in &mut joined.diagnostics {
        each(row.source, &mut [&mut row.at]);
    }
    for row in &mut joined.waits {
        each(
            row.source,
            &mut [&mut row.start, &mut row.ready, &mut row.end],
        );
    }
    for row in &mut joined.runtime_calls {
        each(row.source, &mut [&mut row.start, &mut row.end]);
    }
    for row in &mut joined.instances {
        each(row.source, &mut [&mut row.created, &mut row.ready]);
        if let Some(destroyed) = &mut row.destroyed {
            each(row.source, &mut [destroyed]);
        }
    }
    for row in &mut joined.memory_uses {
        each(row.source, &mut [&mut row.at]);
    }
    for message in &mut joined.messages {
        for row in [&mut message.sent, &mut message.received]
            .into_iter()
            .flatten()
        {
            let times = &mut [
                &mut row.created,
                &mut row.ready,
                &mut row.start,
                &mut row.passed,
                &mut row.end,
            ];
            each(row.source, times);
        }
    }
    for row in &mut joined.copies {
        let times = &mut [
            &mut row.created,
            &mut row.ready,
            &mut row.start,
            &mut row.end,
        ];
        each(row.source, times);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joined::Wait;
    use weft_trace::id::Uid;

    #[test]
    fn a_row_is_converted_by_its_own_source() {
        let at = Timestamp::from_nanos_since_boot;
        let waits = [0, 1].map(|source| Wait {
            source: SourceIndex(source),
            task: Uid::from_raw(1).unwrap(),
            start: at(10),
            ready: at(20),
            end: at(30),
        });
        let mut joined = Joined {
            waits: waits.into(),
            ..Joined::default()
        };
        let conversions = [Conversion::shift(-10), Conversion::default()];
        convert(&mut joined, &conversions, &conversions);
        let starts = joined
            .waits
            .iter()
            .map(|wait| (wait.start.nanos(), wait.end.nanos()));
        assert_eq!(starts.collect::<Vec<_>>(), [(0, 20), (10, 30)]);
    }
}
