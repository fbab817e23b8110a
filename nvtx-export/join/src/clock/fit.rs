//! The conversion between two clocks, from instants that were recorded on both.

use super::conversion::Conversion;
use weft_trace::time::Timestamp;

/// One instant on two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The time on the clock to convert from.
    pub from: Timestamp,
    /// The time on the clock to convert to.
    pub to: Timestamp,
}

/// A conversion with its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The conversion.
    pub conversion: Conversion,
    /// The number of pairs.
    pub pairs: usize,
    /// The median of the pairs' distances from the conversion, in ns.
    pub residual_median: u64,
    /// The 99th percentile of these distances, in ns.
    pub residual_99: u64,
    /// The largest of these distances, in ns.
    pub residual_max: u64,
    /// The number of pairs at a distance of more than ten medians plus a microsecond.
    pub outliers: usize,
}

/// The number of buckets in time. Each gives one point for the estimate of the drift.
const BUCKETS: usize = 128;

/// The least number of pairs from which a drift is estimated.
const DRIFT_PAIRS: usize = 32;

/// The largest drift between two clocks. Oscillators of computers are accurate to some hundred
/// parts per million; an apparently larger drift results from pairs of different instants.
const MAX_DRIFT: f64 = 1e-3;

/// The drift that is assumed without evidence. Oscillators of computers are accurate to a hundred
/// parts per million.
pub(super) const DRIFT: f64 = 1e-4;

/// The accuracy of a tie, by its readings of both clocks: the times of the first and last, and the
/// error of the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Readings {
    first: i64,
    last: i64,
    best: u64,
}

impl Readings {
    /// Summarizes readings, given as pairs of a time and its largest error in ns; `None` without
    /// readings.
    pub(super) fn from_pairs(readings: impl IntoIterator<Item = (Timestamp, u64)>) -> Option<Self> {
        let each = readings.into_iter().map(|(at, error)| Readings {
            first: at.nanos(),
            last: at.nanos(),
            // Clocks have a resolution of at least a nanosecond.
            best: error.max(1),
        });
        each.reduce(|one, other| Readings {
            first: one.first.min(other.first),
            last: one.last.max(other.last),
            best: one.best.min(other.best),
        })
    }

    /// Returns the error in ns of times in `extent`, converted by a line that differs from the
    /// readings by `error`. It is at least the error of the best reading. It grows outside of the
    /// time that the readings cover, where the drift is unknown.
    pub(super) fn error(&self, error: u64, extent: Option<(i64, i64)>) -> u64 {
        let (begin, end) = extent.unwrap_or((self.first, self.last));
        let before = i128::from(self.first) - i128::from(begin);
        let after = i128::from(end) - i128::from(self.last);
        let outside = before.max(after).max(0) as f64;
        let covered = (i128::from(self.last) - i128::from(self.first)) as f64;
        // The uncertainty of the drift that the readings leave.
        let drift = (2.0 * error.max(self.best) as f64 / covered).min(DRIFT);
        let drift = if covered > 0.0 { drift } else { DRIFT };
        error
            .max(self.best)
            .saturating_add((drift * outside).ceil() as u64)
    }
}

impl Fit {
    /// Fits medians, so up to two fifths of the pairs may be wrong, in any distribution. The drift
    /// is the median over buckets in time of the median slope from one bucket to the others
    /// (Siegel's repeated medians). It is kept only if it moves an instant by more than the pairs
    /// scatter. Pairs near that line then determine its level. `None` without pairs.
    pub fn from_pairs(pairs: &[Pair]) -> Option<Fit> {
        let mut points: Vec<Point> = pairs.iter().map(|pair| Point::from_pair(*pair)).collect();
        points.sort_unstable_by_key(|point| (point.at, point.by));
        let (first, last) = (points.first()?.at, points.last()?.at);
        let flat = Line {
            origin: first.midpoint(last),
            offset: median(points.iter().map(|point| point.by))?,
            drift: 0.0,
        };
        let level = Fit::measure(pairs, flat.near(&points));
        if points.len() < DRIFT_PAIRS {
            return Some(level);
        }
        let tilted = Line::tilted(&points, flat.origin);
        // Wrong pairs with errors in one direction tilt the line; the slope is found again from the
        // pairs near it.
        let near = tilted.map(|line| line.points_near(&points));
        let tilted = near.and_then(|near| Line::tilted(&near, flat.origin));
        let Some(tilted) = tilted else {
            return Some(level);
        };
        let drift = tilted.drift;
        let tilted = Fit::measure(pairs, tilted.near(&points));
        let moved = (drift * (i128::from(last) - i128::from(first)) as f64).abs();
        let scatter = 4.0 * (tilted.residual_median as f64).max(1.0);
        if drift.abs() <= MAX_DRIFT
            && moved > scatter
            && tilted.residual_median < level.residual_median
        {
            Some(tilted)
        } else {
            Some(level)
        }
    }

    /// Fits deliberate samples, sorted by time. If there are too few to find a drift in their
    /// scatter, the result is the line through the first and the last. `None` without pairs.
    pub fn of_samples(pairs: &[Pair]) -> Option<Fit> {
        let (first, last) = (
            Point::from_pair(*pairs.first()?),
            Point::from_pair(*pairs.last()?),
        );
        let span = (i128::from(last.at) - i128::from(first.at)) as f64;
        if pairs.len() >= DRIFT_PAIRS || span <= 0.0 {
            return Fit::from_pairs(pairs);
        }
        let line = Line {
            origin: first.at,
            offset: first.by,
            drift: (last.by - first.by) as f64 / span,
        };
        // A clock that drifts more, or runs backwards, is not valid.
        match line.drift.abs() <= MAX_DRIFT {
            true => Some(Fit::measure(pairs, line)),
            false => Fit::from_pairs(pairs),
        }
    }

    fn measure(pairs: &[Pair], line: Line) -> Fit {
        let conversion = Conversion {
            origin: line.origin,
            offset: line
                .offset
                .clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64,
            drift: line.drift,
        };
        Fit::measured(pairs, conversion)
    }

    /// Returns a given conversion, with its distances from the pairs.
    pub(super) fn measured(pairs: &[Pair], conversion: Conversion) -> Fit {
        let mut residuals: Vec<u64> = pairs
            .iter()
            .map(|pair| {
                conversion
                    .nanos(pair.from.nanos())
                    .abs_diff(pair.to.nanos())
            })
            .collect();
        residuals.sort_unstable();
        let at = |index: usize| residuals.get(index).copied().unwrap_or(0);
        let median = at(residuals.len() / 2);
        let limit = limit(median);
        Fit {
            conversion,
            pairs: pairs.len(),
            residual_median: median,
            residual_99: at(residuals.len() * 99 / 100),
            residual_max: at(residuals.len().saturating_sub(1)),
            outliers: residuals.len() - residuals.partition_point(|residual| *residual <= limit),
        }
    }

    /// Returns the error in ns on the clock to convert to: the 99th percentile of the residuals of
    /// pairs that are not outliers.
    pub fn error(&self) -> u64 {
        self.residual_99.min(limit(self.residual_median))
    }
}

/// Returns the distance above which a pair is an outlier.
fn limit(median: u64) -> u64 {
    median.saturating_mul(10).saturating_add(1_000)
}

/// A pair as an instant and the offset there, in 128 bits to avoid overflow.
#[derive(Clone, Copy)]
struct Point {
    at: i64,
    by: i128,
}

impl Point {
    fn from_pair(pair: Pair) -> Self {
        let (from, to) = (pair.from.nanos(), pair.to.nanos());
        Point {
            at: from,
            by: i128::from(to) - i128::from(from),
        }
    }
}

#[derive(Clone, Copy)]
struct Line {
    origin: i64,
    offset: i128,
    drift: f64,
}

impl Line {
    /// Returns the distance of a point from the line.
    fn distance(&self, point: &Point) -> i128 {
        let since = (i128::from(point.at) - i128::from(self.origin)) as f64;
        point.by - self.offset - (self.drift * since).round() as i128
    }

    /// Returns the line through points sorted by time.
    fn tilted(points: &[Point], origin: i64) -> Option<Self> {
        let line = Line {
            origin,
            offset: points.get(points.len() / 2)?.by,
            // Steeper lines, such as those of a clock that was set back, could overflow.
            drift: slope(points)?.clamp(-1.0, 1.0),
        };
        let offset = line.offset + median(points.iter().map(|point| line.distance(point)))?;
        Some(Line { offset, ..line })
    }

    /// Returns the points that are not much further from the line than the nearer half of all
    /// points.
    fn points_near(&self, points: &[Point]) -> Vec<Point> {
        let Some(typical) = median(points.iter().map(|point| self.distance(point).abs())) else {
            return Vec::new();
        };
        let near = |point: &&Point| self.distance(point).abs() <= 3 * typical;
        points.iter().filter(near).copied().collect()
    }

    /// Returns this line at the level of the points near it. Wrong pairs with errors in one
    /// direction shift the median of all points.
    fn near(self, points: &[Point]) -> Self {
        let near = self.points_near(points);
        let near = near.iter().map(|point| self.distance(point));
        Line {
            offset: self.offset + median(near).unwrap_or(0),
            ..self
        }
    }
}

fn median(values: impl Iterator<Item = i128>) -> Option<i128> {
    let mut values: Vec<i128> = values.collect();
    if values.is_empty() {
        return None;
    }
    let middle = values.len() / 2;
    Some(*values.select_nth_unstable(middle).1)
}

fn median_slope(mut slopes: Vec<f64>) -> Option<f64> {
    if slopes.is_empty() {
        return None;
    }
    let middle = slopes.len() / 2;
    Some(*slopes.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// Returns the drift, from points sorted by time.
fn slope(points: &[Point]) -> Option<f64> {
    let size = points.len().div_ceil(BUCKETS);
    let medians: Vec<(i128, i128)> = points
        .chunks(size)
        .filter_map(|bucket| {
            let at = median(bucket.iter().map(|point| i128::from(point.at)))?;
            Some((at, median(bucket.iter().map(|point| point.by))?))
        })
        .collect();
    let of_one = |one: &(i128, i128)| {
        let others = medians.iter().filter(|other| other.0 != one.0);
        let slopes = others.map(|other| (other.1 - one.1) as f64 / (other.0 - one.0) as f64);
        median_slope(slopes.collect())
    };
    median_slope(medians.iter().filter_map(of_one).collect())
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

    /// Returns a number below `below`, scattered by `seed`.
    fn scatter(seed: i64, below: i64) -> i64 {
        (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64) >> 33).rem_euclid(below)
    }

    #[test]
    fn one_pair_gives_an_offset() {
        let fit = Fit::from_pairs(&[pair(1_000, -500)]).unwrap();
        assert_eq!(
            fit.conversion
                .apply(Timestamp::from_nanos_since_boot(1_700))
                .nanos(),
            200
        );
        assert_eq!((fit.pairs, fit.residual_max), (1, 0));
        assert_eq!(Fit::from_pairs(&[]), None);
    }

    #[test]
    fn finds_offset_despite_noise_and_two_fifths_outliers() {
        let pairs: Vec<Pair> = (0..1_000)
            .map(|n| {
                let at = n * 10_000;
                let wrong = if n % 5 < 2 { scatter(n, 50_000_000) } else { 0 };
                pair(at, at - 777_000_000 + scatter(n, 101) - 50 + wrong)
            })
            .collect();
        let fit = Fit::from_pairs(&pairs).unwrap();
        let error = fit
            .conversion
            .apply(Timestamp::from_nanos_since_boot(5_000_000))
            .nanos()
            - (5_000_000 - 777_000_000);
        assert!(error.abs() <= 60, "{error} {fit:?}");
        assert!(fit.outliers >= 350, "{fit:?}");
    }

    #[test]
    fn finds_drift_but_not_in_noise() {
        let drift = 20e-6;
        let drifting: Vec<Pair> = (0..2_000)
            .map(|n| {
                let at = 1_000_000_000_000 + n * 5_000_000;
                let moved = ((n * 5_000_000) as f64 * drift) as i64;
                pair(at, at - 1_000_000_000_000 + moved + scatter(n, 201) - 100)
            })
            .collect();
        let fit = Fit::from_pairs(&drifting).unwrap();
        assert!((fit.conversion.drift - drift).abs() < 1e-7, "{fit:?}");
        assert!(fit.residual_max < 150, "{fit:?}");

        let steady: Vec<Pair> = (0..2_000)
            .map(|n| pair(n * 5_000_000, n * 5_000_000 + scatter(n, 201)))
            .collect();
        assert_eq!(Fit::from_pairs(&steady).unwrap().conversion.drift, 0.0);
    }

    /// Returns pairs of an hour at ten per second, with 200 ppm drift and 100 ns noise. `wrong`
    /// replaces some of them.
    fn hour(origin: i64, offset: i128, wrong: impl Fn(i64) -> Option<i64>) -> Vec<Pair> {
        (0..36_000)
            .map(|n| {
                let since = n * 100_000_000;
                let at = origin + since;
                let right = i128::from(at) + offset + i128::from(since / 5_000);
                let noise = scatter(n, 201) - 100 + wrong(n).unwrap_or(0);
                pair(at, (right + i128::from(noise)) as i64)
            })
            .collect()
    }

    fn check_hour(pairs: &[Pair], offset: i128, error: i64) {
        let fit = Fit::from_pairs(pairs).unwrap();
        assert!((fit.conversion.drift - 200e-6).abs() < 1e-9, "{fit:?}");
        let first = pairs[0].from.nanos();
        for since in [0, 1_234_567_890_123, 3_599_000_000_000] {
            let found = fit.conversion.nanos(first + since);
            let right = i128::from(first + since) + offset + i128::from(since / 5_000);
            let off = i128::from(found) - right;
            assert!(off.abs() <= i128::from(error), "{off} at {since}: {fit:?}");
        }
        assert!(fit.error() < 2_100, "{fit:?}");
    }

    #[test]
    fn finds_drift_over_an_hour_despite_outliers_anywhere() {
        let late = |n: i64| scatter(n + 7, 300_000_000);
        let offset = -7_000_000_000_000;
        // Wrong pairs spread over the hour, all with errors in one direction.
        let mixed = hour(5, offset, |n| (n % 5 < 2).then(|| late(n)));
        check_hour(&mixed, offset, 110);
        // Two fifths of the hour in one piece, with equal errors.
        let shifted = hour(5, offset, |n| (n < 14_400).then_some(40_000_000));
        check_hour(&shifted, offset, 60);
        let end = hour(5, offset, |n| (n >= 21_600).then(|| -late(n)));
        check_hour(&end, offset, 60);
    }

    #[test]
    fn fits_times_before_the_reference_and_near_63_bits() {
        check_hour(
            &hour(-3_000_000_000_000, -90_000_000_000_000, |_| None),
            -90_000_000_000_000,
            60,
        );
        let edge = i64::MAX - 3_700_000_000_000;
        check_hour(&hour(edge, -1_000_000_000, |_| None), -1_000_000_000, 60);
        // The largest distance of two 64-bit times.
        let across = -i128::from(i64::MAX) - 1;
        check_hour(
            &hour(i64::MAX - 3_600_000_000_000, across, |_| None),
            across,
            60,
        );
        let both = [pair(i64::MIN, i64::MAX), pair(i64::MAX, i64::MIN)];
        let fit = Fit::from_pairs(&both).unwrap();
        assert_eq!(fit.pairs, 2);
    }

    #[test]
    fn ignores_implausible_drift() {
        let pairs: Vec<Pair> = (0..1_000)
            .map(|n| pair(n * 1_000_000, n * 1_200_000))
            .collect();
        let fit = Fit::from_pairs(&pairs).unwrap();
        assert_eq!(fit.conversion.drift, 0.0);
        assert!(fit.residual_median > 1_000_000, "{fit:?}");
    }

    #[test]
    fn fits_backward_clocks_by_their_level() {
        let back: Vec<Pair> = (0..1_000).map(|n| pair(n * 1_000, -n * 1_000)).collect();
        for fit in [Fit::from_pairs(&back), Fit::of_samples(&back[..2])] {
            let fit = fit.unwrap();
            assert_eq!(fit.conversion.drift, 0.0);
            assert!(fit.residual_max >= 1_000, "{fit:?}");
        }
        // From one end of the 64-bit range to the other, and back within nanoseconds.
        let ends = |n: i64| {
            if n % 2 == 0 {
                i64::MAX - n
            } else {
                i64::MIN + n
            }
        };
        let wild: Vec<Pair> = (0..1_000).map(|n| pair(n, ends(n))).collect();
        assert_eq!(Fit::from_pairs(&wild).unwrap().conversion.drift, 0.0);
        let wild: Vec<Pair> = (0..1_000).map(|n| pair(ends(n), ends(n + 1))).collect();
        assert_eq!(Fit::from_pairs(&wild).unwrap().pairs, 1_000);
    }

    #[test]
    fn error_of_one_reading_grows_with_distance() {
        let at = Timestamp::from_nanos_since_boot;
        let one = Readings::from_pairs([(at(500), 20)]).unwrap();
        assert_eq!(one.error(0, None), 20);
        // A second after the only reading, the drift is unknown.
        assert_eq!(one.error(0, Some((0, 1_000_000_500))), 20 + 100_000);
        let many = (0..2_000).map(|n| (at(n * 500_000), 20));
        let many = Readings::from_pairs(many).unwrap();
        assert!(many.error(50, Some((0, 1_000_000_500))) < 60);
        assert_eq!(
            Readings::from_pairs([(at(0), 0)]).unwrap().error(0, None),
            1
        );
        assert_eq!(Readings::from_pairs([]), None);
    }

    #[test]
    fn simultaneous_pairs_give_no_drift() {
        let same = vec![pair(7, 9); 100];
        let fit = Fit::from_pairs(&same).unwrap();
        assert_eq!((fit.conversion.drift, fit.residual_max), (0.0, 0));
        assert_eq!(fit.conversion.nanos(7), 9);
    }
}
