//! The conversion between two clocks, from instants that both saw.

use weft_trace::time::Timestamp;

/// The same instant on two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// On the clock to convert from.
    pub from: Timestamp,
    /// On the clock to convert to.
    pub to: Timestamp,
}

/// `to = from + offset + drift * (from - origin)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Conversion {
    /// Where the offset holds, on the clock to convert from.
    pub origin: i64,
    /// Nanoseconds to add at the origin.
    pub offset: i64,
    /// Nanoseconds to add for every nanosecond since the origin.
    pub drift: f64,
}

impl Conversion {
    /// The conversion that adds `offset` nanoseconds.
    pub const fn shift(offset: i64) -> Self {
        Conversion {
            origin: 0,
            offset,
            drift: 0.0,
        }
    }

    /// An instant on the clock to convert to.
    pub fn apply(&self, from: Timestamp) -> Timestamp {
        let nanos = from.nanos();
        let drifted = (self.drift * nanos.saturating_sub(self.origin) as f64).round() as i64;
        let sum = nanos.saturating_add(self.offset).saturating_add(drifted);
        Timestamp::from_nanos_since_session_start(sum)
    }
}

/// A conversion with its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The conversion.
    pub conversion: Conversion,
    /// Number of pairs it was found from.
    pub pairs: usize,
    /// Median of the distances from it, in ns.
    pub residual_median: u64,
    /// 99th percentile of the distances from it, in ns.
    pub residual_99: u64,
    /// The largest distance from it, in ns.
    pub residual_max: u64,
    /// Pairs further than ten medians and a microsecond from it.
    pub outliers: usize,
}

/// Buckets in time, each of which gives one point to the estimate of the drift.
const BUCKETS: usize = 128;

/// Pairs below which no drift is looked for.
const DRIFT_PAIRS: usize = 32;

impl Fit {
    /// Fits medians, so that up to half the pairs may be wrong. The drift is the median of the slopes between the
    /// medians of buckets in time (Theil and Sen), and is kept only where it moves an instant by more than the pairs
    /// scatter. `None` without pairs.
    pub fn of(pairs: &[Pair]) -> Option<Fit> {
        let mut points: Vec<(i64, i64)> = pairs.iter().map(|pair| difference(*pair)).collect();
        points.sort_unstable();
        let (first, last) = (points.first()?.0, points.last()?.0);
        let flat = Conversion {
            origin: first + (last - first) / 2,
            offset: median(points.iter().map(|point| point.1))?,
            drift: 0.0,
        };
        let level = Fit::measure(pairs, flat);
        if points.len() < DRIFT_PAIRS {
            return Some(level);
        }
        let Some(drift) = slope(&points) else {
            return Some(level);
        };
        let rest = points
            .iter()
            .map(|(at, by)| by - (drift * (at - flat.origin) as f64).round() as i64);
        let tilted = Conversion {
            drift,
            offset: median(rest)?,
            ..flat
        };
        let tilted = Fit::measure(pairs, tilted);
        let moved = (drift * (last - first) as f64).abs();
        let scatter = 4.0 * (tilted.residual_median as f64).max(1.0);
        if moved > scatter && tilted.residual_median < level.residual_median {
            Some(tilted)
        } else {
            Some(level)
        }
    }

    fn measure(pairs: &[Pair], conversion: Conversion) -> Fit {
        let mut residuals: Vec<u64> = pairs
            .iter()
            .map(|pair| (conversion.apply(pair.from) - pair.to).0.unsigned_abs())
            .collect();
        residuals.sort_unstable();
        let at = |index: usize| residuals.get(index).copied().unwrap_or(0);
        let median = at(residuals.len() / 2);
        let limit = median.saturating_mul(10).saturating_add(1_000);
        Fit {
            conversion,
            pairs: pairs.len(),
            residual_median: median,
            residual_99: at(residuals.len() * 99 / 100),
            residual_max: at(residuals.len().saturating_sub(1)),
            outliers: residuals.len() - residuals.partition_point(|residual| *residual <= limit),
        }
    }
}

fn difference(pair: Pair) -> (i64, i64) {
    (
        pair.from.nanos(),
        pair.to.nanos().saturating_sub(pair.from.nanos()),
    )
}

fn median(values: impl Iterator<Item = i64>) -> Option<i64> {
    let mut values: Vec<i64> = values.collect();
    if values.is_empty() {
        return None;
    }
    let middle = values.len() / 2;
    Some(*values.select_nth_unstable(middle).1)
}

/// The drift, from points sorted by time.
fn slope(points: &[(i64, i64)]) -> Option<f64> {
    let size = points.len().div_ceil(BUCKETS);
    let medians: Vec<(i64, i64)> = points
        .chunks(size)
        .filter_map(|bucket| {
            let at = median(bucket.iter().map(|point| point.0))?;
            Some((at, median(bucket.iter().map(|point| point.1))?))
        })
        .collect();
    let mut slopes: Vec<f64> = Vec::new();
    for (index, early) in medians.iter().enumerate() {
        let later = medians
            .iter()
            .skip(index + 1)
            .filter(|late| late.0 > early.0);
        slopes.extend(later.map(|late| (late.1 - early.1) as f64 / (late.0 - early.0) as f64));
    }
    if slopes.is_empty() {
        return None;
    }
    let middle = slopes.len() / 2;
    Some(*slopes.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(from: i64, to: i64) -> Pair {
        Pair {
            from: Timestamp::from_nanos_since_boot(from),
            to: Timestamp::from_nanos_since_session_start(to),
        }
    }

    /// A number below `below`, scattered by `seed`.
    fn scatter(seed: i64, below: i64) -> i64 {
        (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64) >> 33).rem_euclid(below)
    }

    #[test]
    fn one_pair_gives_an_offset() {
        let fit = Fit::of(&[pair(1_000, -500)]).unwrap();
        assert_eq!(
            fit.conversion
                .apply(Timestamp::from_nanos_since_boot(1_700))
                .nanos(),
            200
        );
        assert_eq!((fit.pairs, fit.residual_max), (1, 0));
        assert_eq!(Fit::of(&[]), None);
    }

    #[test]
    fn an_offset_is_found_under_noise_and_two_fifths_outliers() {
        let pairs: Vec<Pair> = (0..1_000)
            .map(|n| {
                let at = n * 10_000;
                let wrong = if n % 5 < 2 { scatter(n, 50_000_000) } else { 0 };
                pair(at, at - 777_000_000 + scatter(n, 101) - 50 + wrong)
            })
            .collect();
        let fit = Fit::of(&pairs).unwrap();
        let error = fit
            .conversion
            .apply(Timestamp::from_nanos_since_boot(5_000_000))
            .nanos()
            - (5_000_000 - 777_000_000);
        assert!(error.abs() <= 60, "{error} {fit:?}");
        assert!(fit.outliers >= 350, "{fit:?}");
    }

    #[test]
    fn a_drift_is_found_and_noise_is_not_taken_for_one() {
        let drift = 20e-6;
        let drifting: Vec<Pair> = (0..2_000)
            .map(|n| {
                let at = 1_000_000_000_000 + n * 5_000_000;
                let moved = ((n * 5_000_000) as f64 * drift) as i64;
                pair(at, at - 1_000_000_000_000 + moved + scatter(n, 201) - 100)
            })
            .collect();
        let fit = Fit::of(&drifting).unwrap();
        assert!((fit.conversion.drift - drift).abs() < 1e-7, "{fit:?}");
        assert!(fit.residual_max < 150, "{fit:?}");

        let steady: Vec<Pair> = (0..2_000)
            .map(|n| pair(n * 5_000_000, n * 5_000_000 + scatter(n, 201)))
            .collect();
        assert_eq!(Fit::of(&steady).unwrap().conversion.drift, 0.0);
    }
}
