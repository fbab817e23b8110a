//! Common part of the fuzz targets: reads any bytes as an input of `weft`, joins and adds them up
//! within a memory limit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use weft_model::{Trace, Outcome};
use weft_output::text::{self, TextOptions};
use weft_analysis::stats::{self, By};
use weft_nvtx_export::{RequiredParts, ReadOptions, read};

/// Bytes that reading may hold for each byte of input.
const FACTOR: usize = 16;

/// Bytes that reading may hold for any input: buffers, caches and tables that do not grow with it.
const BASE: usize = 8 << 20;

/// The system's allocator, counting.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller's promise is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `at` came from `alloc`, which is the system's.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        let live = LIVE.fetch_add(size, Ordering::Relaxed) + size;
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: `at` came from `alloc`, which is the system's.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Reads `bytes` as a file, in every possible way, and makes everything that needs no other file.
///
/// # Panics
/// Panics if reading held more memory than [`FACTOR`] times the input, or a reader panicked: the
/// findings of the fuzzer.
pub fn try_input(bytes: &[u8]) {
    let Ok(mut file) = tempfile::NamedTempFile::new() else {
        return;
    };
    if file.write_all(bytes).and_then(|()| file.flush()).is_err() {
        return;
    }
    for keep in [RequiredParts::Everything, RequiredParts::Costs, RequiredParts::Ranges] {
        let options = ReadOptions {
            keep,
            ..ReadOptions::default()
        };
        let before = LIVE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let trace = read(&[file.path().to_owned()], &options);
        let held = PEAK.load(Ordering::Relaxed).saturating_sub(before);
        let limit = bytes.len() * FACTOR + BASE;
        assert!(
            held <= limit,
            "{held} bytes held for an input of {}",
            bytes.len()
        );
        let Ok(trace) = trace else { continue };
        if keep == RequiredParts::Ranges {
            // Its rows are computed on demand.
            stats::table(&trace, By::Range).rows();
            stats::table(&trace, By::RangeName);
            continue;
        }
        check_outcomes(&trace, bytes);
        for by in [By::Task, By::Operation, By::Line, By::Kernel, By::Processor] {
            stats::table(&trace, by);
        }
        if keep == RequiredParts::Everything {
            text::render(&trace, &TextOptions { relative: true });
        }
    }
}

/// Checks that every kernel is linked to an existing launch or has a reason for having none, and is
/// counted once.
fn check_outcomes(trace: &Trace, bytes: &[u8]) {
    assert_eq!(trace.links.outcomes.len(), trace.devices.kernels.len());
    assert_eq!(trace.links.kernel_ranges.len(), trace.devices.kernels.len());
    for outcome in &trace.links.outcomes {
        if let Outcome::Linked { launch, .. } = outcome {
            assert!(
                trace.work.launches.get(launch.0 as usize).is_some(),
                "{outcome:?}"
            );
        }
    }
    for range in trace.links.kernel_ranges.iter().flatten() {
        assert!(trace.work.ranges.get(range.0 as usize).is_some(), "{range:?}");
    }
    // A joined database has the facts of the join that wrote it, whatever was changed in it since.
    let fact_table = b"WEFT_META";
    if bytes
        .windows(fact_table.len())
        .any(|part| part == fact_table)
    {
        return;
    }
    let fact = |name: &str| trace.quality.meta.get(name)?.parse::<usize>().ok();
    if let (Some(linked), Some(unmatched)) = (fact("kernels_linked"), fact("kernels_unmatched")) {
        let reasons = trace.links.outcomes.iter();
        let reasons = reasons.filter(|outcome| matches!(outcome, Outcome::Unmatched(_)));
        assert_eq!((linked, unmatched), (trace.linked(), reasons.count()));
        assert_eq!(fact("kernels"), Some(trace.devices.kernels.len()));
    }
}
