//! Measurement of the processors' peak rate, to which statistics relate a program's arithmetic.
//!
//! It runs after a profiled run, on as many threads as the run had workers, with multiplications
//! and additions of numbers in registers. The best of a few rounds counts, since other work on the
//! machine only slows them down. A round lasts from the first thread's start to the last thread's
//! end, so the result is a rate that all threads reached together.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};
use std::time::{Duration, Instant};

use weft_trace::record;

use weft_elements::peak;

/// Time that a thread computes in a round.
const ROUND: Duration = Duration::from_micros(400);

/// Number of rounds of each width. None begins after [`LAST`].
const ROUNDS: usize = 4;

/// Latest start of a round.
const LAST: Duration = Duration::from_millis(6);

/// Kernels for numbers of 64 and of 32 bits. Each returns its number of operations.
const WIDTHS: [fn() -> u64; 2] = [peak::doubles, peak::singles];

/// Results of a round, shared by its threads.
struct Round {
    /// Start and end in nanoseconds since the measurement began.
    first: AtomicU64,
    last: AtomicU64,
    operations: AtomicU64,
}

impl Round {
    /// Computes for the time of a round.
    fn run(&self, begin: Instant, compute: fn() -> u64) {
        let nanos = || u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.first.fetch_min(nanos(), Ordering::Relaxed);
        let (own, mut operations) = (Instant::now(), 0);
        while own.elapsed() < ROUND {
            operations += compute();
        }
        self.operations.fetch_add(operations, Ordering::Relaxed);
        self.last.fetch_max(nanos(), Ordering::Relaxed);
    }

    /// Returns the number of operations per second; 0 if no thread ran.
    fn rate(&self) -> u64 {
        let [first, last, operations] =
            [&self.first, &self.last, &self.operations].map(|word| word.load(Ordering::Relaxed));
        let nanos = last.saturating_sub(first).max(1);
        let rate = u128::from(operations) * 1_000_000_000 / u128::from(nanos);
        u64::try_from(rate).unwrap_or(u64::MAX)
    }
}

/// Measures with `threads` threads, each placed by `pin`. Takes a few milliseconds. Returns `None`
/// if a thread could not be started, or if the machine was too busy for one round of each width.
pub(crate) fn measure(threads: usize, pin: impl Fn(usize) + Sync) -> Option<record::FloatSpeed> {
    let begin = Instant::now();
    let barrier = Barrier::new(threads);
    let new = || Round {
        first: AtomicU64::new(u64::MAX),
        last: AtomicU64::new(0),
        operations: AtomicU64::new(0),
    };
    let rounds: [[Round; 2]; ROUNDS] = std::array::from_fn(|_| [new(), new()]);
    let is_late = [const { AtomicBool::new(false) }; ROUNDS];
    // A missing thread would make the others wait at the barrier forever.
    let are_all_there = Mutex::new(false);
    std::thread::scope(|scope| {
        let mut all = are_all_there.lock().unwrap_or_else(PoisonError::into_inner);
        let (rounds, is_late, barrier) = (&rounds, &is_late, &barrier);
        let (pin, are_all_there) = (&pin, &are_all_there);
        let started = (0..threads).map(|number| {
            std::thread::Builder::new().spawn_scoped(scope, move || {
                if !*are_all_there.lock().unwrap_or_else(PoisonError::into_inner) {
                    return;
                }
                pin(number);
                for (round, is_late) in rounds.iter().zip(is_late) {
                    if number == 0 && begin.elapsed() > LAST {
                        is_late.store(true, Ordering::Relaxed);
                    }
                    barrier.wait();
                    // The value does not change after the barrier.
                    if is_late.load(Ordering::Relaxed) {
                        return;
                    }
                    for (of_width, compute) in round.iter().zip(WIDTHS) {
                        barrier.wait();
                        of_width.run(begin, compute);
                    }
                }
            })
        });
        // Either all threads have started, or none runs.
        *all = started.filter(Result::is_ok).count() == threads;
    });
    let best = |width: usize| {
        let rates = rounds
            .iter()
            .filter_map(|round| round.get(width).map(Round::rate));
        rates.max().filter(|rate| *rate > 0)
    };
    let (double, single) = (best(0)?, best(1)?);
    Some(record::FloatSpeed {
        threads: threads as u32,
        double,
        // Numbers of half the size are never slower; a lower rate comes from other work on the
        // machine.
        single: single.max(double),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_peak_is_plausible() {
        // A machine that is too busy gives no result.
        let Some(found) = measure(2, |_| ()) else {
            return;
        };
        assert_eq!(found.threads, 2);
        // Up to 100 Tflop/s. There is no lower limit, since the machine may be busy.
        for rate in [found.double, found.single] {
            assert!((1..100_000_000_000_000).contains(&rate), "{found:?}");
        }
    }

    #[test]
    fn round_lasts_from_first_start_to_last_end() {
        let round = Round {
            first: AtomicU64::new(1_000),
            last: AtomicU64::new(3_000),
            operations: AtomicU64::new(4_000),
        };
        assert_eq!(round.rate(), 2_000_000_000);
    }
}
