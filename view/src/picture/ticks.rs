//! Round times for an axis, and durations as text.

/// ns between ticks, so that about `count` of them are in a span.
pub(super) fn step(span: u64, count: u64) -> u64 {
    let rough = (span / count.max(1)).max(1);
    let power = 10_u64.saturating_pow(rough.ilog10());
    let steps = [1, 2, 5, 10].map(|step| power.saturating_mul(step));
    steps
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(rough)
}

/// A time in the unit that suits a step.
pub(super) fn moment(ns: u64, step: u64) -> String {
    let (unit, name) = match step {
        1_000_000_000.. => (1e9, "s"),
        1_000_000.. => (1e6, "ms"),
        1_000.. => (1e3, "µs"),
        _ => (1.0, "ns"),
    };
    format!("{} {name}", ns as f64 / unit)
}

/// A duration with three digits.
pub(super) fn duration(ns: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];
    let unit = units.into_iter().find(|(unit, _)| ns >= unit * 0.9995);
    let (unit, name) = unit.unwrap_or((1.0, "ns"));
    let value = ns / unit;
    match value {
        0.0..9.995 => format!("{value:.2} {name}"),
        9.995..99.95 => format!("{value:.1} {name}"),
        _ => format!("{value:.0} {name}"),
    }
}

/// Formats a percentage as in tables. A positive value that would be rounded to 0 becomes `< 0.1
/// %`.
pub(super) fn percent(share: f64) -> String {
    match share {
        share if share > 0.0 && share < 0.05 => "< 0.1 %".to_owned(),
        share => format!("{share:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        for span in [
            1,
            7,
            999,
            1_000,
            123_456,
            98_765_432,
            3_600_000_000_000,
            u64::MAX,
        ] {
            let step = step(span, 8);
            let digits = step.to_string();
            assert!(span / step <= 8, "{span} by {step}");
            assert!(digits.starts_with(['1', '2', '5']), "{step}");
            assert!(digits[1..].bytes().all(|digit| digit == b'0'), "{step}");
        }
    }

    #[test]
    fn formats_times_and_percentages() {
        assert_eq!(moment(2_500_000, 500_000), "2500 µs");
        assert_eq!(moment(20_000_000, 10_000_000), "20 ms");
        assert_eq!(duration(999.6), "1.00 µs");
        assert_eq!(duration(12_340_000.0), "12.3 ms");
        assert_eq!(duration(0.0), "0.00 ns");
        assert_eq!(
            [0.0, 0.04, 0.05, 67.13, 100.0].map(percent),
            ["0.0 %", "< 0.1 %", "0.1 %", "67.1 %", "100.0 %"]
        );
    }
}
