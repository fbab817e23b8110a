//! The speed of main memory, to which statistics relate memory traffic. It is measured at the end
//! of a profiled run, by as many threads as the run had workers, each in memory of its own.
//!
//! The threads go over more memory than their caches hold, twice a round: they read it, and copy
//! half of it over the other half. The best round of each kind counts, since other work on the
//! machine only slows them down.

#![allow(unsafe_code, reason = "maps memory of its own")]

use std::collections::HashMap;
use std::fs;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};
use std::time::{Duration, Instant};

use weft_trace::record;

use super::supply::{HUGE, Supply, System};

/// Ratio of memory to caches. The caches hold at most a third of the memory, so that little is
/// still cached when it is read again.
const CACHES: u64 = 3;
/// The bytes that are measured if the sizes of caches are unknown.
const UNKNOWN: u64 = 64 << 20;
/// Minimum bytes for each thread, whose core has its own caches.
const EACH: u64 = 8 << 20;
/// The smallest page size.
const SMALL_PAGE: usize = 4096;
/// Time limits of a measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Time by which all pages must be present. If they are not, the machine is too busy for a
    /// measurement.
    fill: Duration,
    /// Time after which no round begins.
    last_round: Duration,
}

/// The limits at the end of a run.
pub(crate) const SHORT: Patience = Patience {
    fill: Duration::from_millis(60),
    last_round: Duration::from_millis(75),
};

/// A cache of the highest level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cache {
    bytes: u64,
    /// Number of hardware threads that it serves.
    serves: usize,
    /// Number of those on which this rank runs.
    own: usize,
}

/// Returns the number of bytes that make caches matter little for this many threads. Each of the
/// `ranks` on a machine takes its part of a shared cache. If the ranks `are_apart`, each has
/// hardware threads of its own; otherwise they share all.
pub(crate) fn enough(threads: usize, caches: &[Cache], ranks: usize, are_apart: bool) -> u64 {
    let part = |cache: &Cache| {
        let sharing = match are_apart {
            true => (cache.serves / cache.own.max(1)).min(ranks),
            false => ranks,
        };
        cache.bytes / sharing.max(1) as u64
    };
    let mut parts: Vec<u64> = caches.iter().map(part).collect();
    parts.sort_unstable_by(|a, b| b.cmp(a));
    let all: u64 = parts.iter().take(threads).sum();
    let bytes = match all {
        0 => UNKNOWN,
        all => all * CACHES,
    };
    bytes.max(EACH * threads as u64)
}

/// Returns the caches of the highest level that serve these hardware threads.
pub(crate) fn last_caches(allowed: &[usize]) -> Vec<Cache> {
    let mut caches: HashMap<String, Cache> = HashMap::new();
    for cpu in allowed {
        let read = |level: usize, what: &str| {
            let path = format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{level}/{what}");
            fs::read_to_string(path).ok()
        };
        let last = (0..5).rev().find_map(|level| {
            let bytes = size_of_cache(&read(level, "size")?)?;
            Some((read(level, "shared_cpu_list")?, bytes))
        });
        let Some((shared, bytes)) = last else {
            continue;
        };
        let serves = weft_config::list::parse(shared.trim()).map_or(1, |list| list.len());
        let none = Cache {
            bytes,
            serves,
            own: 0,
        };
        caches.entry(shared).or_insert(none).own += 1;
    }
    caches.into_values().collect()
}

/// Parses a size such as `36608K` into bytes.
fn size_of_cache(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, unit) = match text.strip_suffix(['K', 'M']) {
        Some(number) if text.ends_with('K') => (number, 10),
        Some(number) => (number, 20),
        None => (text, 0),
    };
    number.parse::<u64>().ok()?.checked_shl(unit)
}

/// Memory of one thread.
struct Part {
    start: u64,
    words: usize,
}

impl Part {
    fn new(bytes: usize) -> Option<Part> {
        let start = System.allocate(bytes).ok()?;
        let words = bytes / size_of::<u64>();
        Some(Part { start, words })
    }

    fn words(&mut self) -> &mut [u64] {
        let start = std::ptr::with_exposed_provenance_mut(self.start as usize);
        // SAFETY: a mapping of `words` words, which are 0 at first, used by this part alone until
        // it is dropped.
        unsafe { std::slice::from_raw_parts_mut(start, self.words) }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        System.release(self.start, self.words * size_of::<u64>());
    }
}

/// Measures with this number of threads, which `pin` places, over `bytes` of memory in total.
/// Returns `None` if there was no memory or no thread, or the machine was too busy.
pub(crate) fn measure(
    threads: usize,
    bytes: u64,
    patience: Patience,
    pin: impl Fn(usize) + Sync,
) -> Option<record::Bandwidth> {
    let part = usize::try_from(bytes).ok()? / threads / (2 * HUGE) * (2 * HUGE);
    if part == 0 {
        return None;
    }
    let walk = Walk {
        begin: Instant::now(),
        patience,
        barrier: Barrier::new(threads),
        is_over: AtomicBool::new(false),
        least: [const { AtomicU64::new(u64::MAX) }; 2],
    };
    // No thread may wait at the barrier for a thread that was not started.
    let are_all_there = Mutex::new(false);
    std::thread::scope(|scope| {
        let mut all = are_all_there.lock().unwrap_or_else(PoisonError::into_inner);
        let (walk, pin, are_all_there) = (&walk, &pin, &are_all_there);
        let started = (0..threads).map(|number| {
            std::thread::Builder::new().spawn_scoped(scope, move || {
                if *are_all_there.lock().unwrap_or_else(PoisonError::into_inner) {
                    pin(number);
                    walk.run(number == 0, part);
                }
            })
        });
        // Either all threads are started, or none runs.
        *all = started.filter(Result::is_ok).count() == threads;
    });
    let all = (part * threads) as u64;
    let rate = |nanos: u64| {
        let rate = u128::from(all) * 1_000_000_000 / u128::from(nanos.max(1));
        u64::try_from(rate).unwrap_or(u64::MAX)
    };
    let least = walk.least.map(AtomicU64::into_inner);
    let is_known = least.iter().all(|nanos| *nanos != u64::MAX);
    is_known.then(|| record::Bandwidth {
        threads: threads as u32,
        bytes: all,
        read: rate(least[0]),
        copy: rate(least[1]),
    })
}

/// State shared by the threads.
struct Walk {
    begin: Instant,
    patience: Patience,
    barrier: Barrier,
    is_over: AtomicBool,
    /// The least time of reading and of copying, in ns.
    least: [AtomicU64; 2],
}

impl Walk {
    /// Runs one thread of the measurement; one of them leads.
    fn run(&self, leads: bool, bytes: usize) {
        let mut part = Part::new(bytes);
        let mut none: [u64; 0] = [];
        let words = part.as_mut().map_or(&mut none[..], Part::words);
        if words.is_empty() || !self.fill(words) {
            self.is_over.store(true, Ordering::Relaxed);
        }
        self.barrier.wait();
        // It does not change before the next barrier.
        while !self.is_over.load(Ordering::Relaxed) {
            self.round(leads, 0, || read(words));
            self.round(leads, 1, || copy(words));
            if leads && self.begin.elapsed() > self.patience.last_round {
                self.is_over.store(true, Ordering::Relaxed);
            }
            self.barrier.wait();
        }
    }

    /// Touches all pages; returns false if that takes too long.
    fn fill(&self, words: &mut [u64]) -> bool {
        for piece in words.chunks_mut(HUGE / size_of::<u64>()) {
            for page in piece.chunks_mut(SMALL_PAGE / size_of::<u64>()) {
                page[0] = 1;
            }
            if self.begin.elapsed() > self.patience.fill {
                return false;
            }
        }
        true
    }

    /// Runs `what` on all threads at the same time; keeps the time if it is the shortest.
    fn round(&self, leads: bool, which: usize, what: impl FnOnce()) {
        self.barrier.wait();
        let begin = Instant::now();
        what();
        self.barrier.wait();
        if leads && let Some(least) = self.least.get(which) {
            let nanos = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
            least.fetch_min(nanos, Ordering::Relaxed);
        }
    }
}

/// Reads one word of each cache line, which loads the whole line.
fn read(words: &[u64]) {
    const LINE: usize = 8;
    let mut found = [0; 8];
    for lines in words.chunks_exact(8 * LINE) {
        for (found, line) in found.iter_mut().zip(lines.chunks_exact(LINE)) {
            *found ^= line[0];
        }
    }
    black_box(found);
}

/// Copies the first half to the second: the bytes read and written add up to both halves.
fn copy(words: &mut [u64]) {
    let (from, to) = words.split_at_mut(words.len() / 2);
    to.copy_from_slice(black_box(from));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_cache_sizes() {
        assert_eq!(size_of_cache("36608K\n"), Some(36_608 << 10));
        assert_eq!(size_of_cache("2M"), Some(2 << 20));
        assert_eq!(size_of_cache("512"), Some(512));
        assert_eq!(size_of_cache("many"), None);
    }

    const MIB: u64 = 1 << 20;

    fn cache(mib: u64, serves: usize, own: usize) -> Cache {
        Cache {
            bytes: mib * MIB,
            serves,
            own,
        }
    }

    #[test]
    fn ranks_split_only_shared_caches() {
        // One rank on each of two sockets: each has its cache for itself.
        assert_eq!(enough(8, &[cache(64, 8, 8)], 2, true), 192 * MIB);
        // Four ranks on two sockets, then four on one.
        assert_eq!(enough(4, &[cache(64, 8, 4)], 4, true), 96 * MIB);
        assert_eq!(enough(2, &[cache(64, 8, 2)], 4, true), 48 * MIB);
        // Two small ranks on a socket that could hold more.
        assert_eq!(enough(2, &[cache(64, 8, 2)], 2, true), 96 * MIB);
        // Ranks that may run on any core share all caches.
        let both = [cache(64, 8, 8), cache(64, 8, 8)];
        assert_eq!(enough(4, &both, 2, false), 192 * MIB);
        assert_eq!(enough(16, &both, 1, false), 384 * MIB);
        // A thread uses one cache at a time.
        assert_eq!(enough(1, &both, 1, false), 192 * MIB);
    }

    #[test]
    fn unknown_caches_use_default_sizes() {
        assert_eq!(enough(1, &[], 3, true), UNKNOWN);
        assert_eq!(enough(100, &[], 1, false), 100 * EACH);
        for cache in last_caches(&[0]) {
            assert!(cache.own == 1 && cache.serves >= 1, "{cache:?}");
        }
    }

    #[test]
    fn measured_memory_bandwidth_is_plausible() {
        // There is no time limit here.
        let patience = Patience {
            fill: Duration::MAX,
            last_round: Duration::ZERO,
        };
        let found = measure(2, 8 << 20, patience, |_| ()).unwrap();
        assert_eq!((found.threads, found.bytes), (2, 8 << 20));
        // Up to 100 TB a second; there is no lower bound, since the machine may be busy.
        for rate in [found.read, found.copy] {
            assert!((1..100_000_000_000_000).contains(&rate), "{found:?}");
        }
        assert_eq!(measure(4, 4 << 20, patience, |_| ()), None);
        // On a machine that is too busy there is no result.
        let hurried = Patience {
            fill: Duration::ZERO,
            ..patience
        };
        assert_eq!(measure(2, 8 << 20, hurried, |_| ()), None);
    }
}
