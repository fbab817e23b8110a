//! The number of heap allocations in the steady state of a program, counted by the allocator.
//!
//! A single test has all counts, since every thread of the process is counted.

#![allow(
    clippy::unwrap_used,
    unsafe_code,
    reason = "a test: a mistake here must stop it; an allocator is unsafe by contract"
)]

#[path = "support/runtimes.rs"]
mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::s;
use weft::Array;

/// The system's allocator with counters of its calls.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static OWN: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    // A thread that is ending has no counter any more.
    let _ = OWN.try_with(|own| own.set(own.get() + 1));
}

// SAFETY: every call is forwarded unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller upholds the contract of this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of this function.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller upholds the contract of this function.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of allocations of each round of a program: by its own thread, and by all threads.
#[derive(Debug)]
struct PerRound {
    own: f64,
    all: f64,
}

fn counts() -> [u64; 2] {
    [OWN.with(Cell::get), ALLOCATIONS.load(Ordering::Relaxed)]
}

/// Runs rounds until the steady state, and counts the allocations of the same number of further
/// rounds.
fn per_round(
    words: &str,
    rounds: u32,
    program: impl FnOnce(&mut dyn FnMut(&mut dyn FnMut())),
) -> PerRound {
    let runtime = support::runtime(words);
    let mut found = None;
    runtime.enter(|| {
        program(&mut |round| {
            for _ in 0..rounds {
                round();
            }
            runtime.wait().unwrap();
            let before = counts();
            for _ in 0..rounds {
                round();
            }
            runtime.wait().unwrap();
            found = Some([before, counts()]);
        });
    });
    runtime.finish().unwrap();
    let [before, after] = found.unwrap();
    let each = |at: usize| (after[at] - before[at]) as f64 / f64::from(rounds);
    PerRound {
        own: each(0),
        all: each(1),
    }
}

/// Counts for `sum = sum + one` of 100 elements.
fn adds(words: &str) -> PerRound {
    per_round(words, 4000, |run| {
        let one = weft::ones::<f64>(&[100]);
        let mut sum = weft::zeros::<f64>(&[100]);
        run(&mut || sum = &sum + &one);
    })
}

/// Counts for an iteration of the stencil: six operations.
fn stencil(words: &str) -> PerRound {
    per_round(words, 300, |run| {
        let grid = weft::ones::<f64>(&[202, 202]);
        let view = |down: usize, right: usize| -> Array<f64> {
            grid.slice(s![down..down + 200, right..right + 200])
        };
        let (center, north, west) = (view(1, 1), view(0, 1), view(1, 0));
        let (east, south) = (view(1, 2), view(2, 1));
        run(&mut || {
            let average = &center + &north + &east + &west + &south;
            center.assign(0.2 * average);
        });
    })
}

/// The most allocations of a round: by the program's thread, and by all threads together.
struct Most {
    own: f64,
    all: f64,
}

#[test]
fn limits_heap_allocations_per_iteration() {
    let profile = format!(
        "--profile --force --profile-name frugal --logdir {}",
        env!("CARGO_TARGET_TMPDIR")
    );
    let workers = "--cpus 2 --max-inline-chunk 0";
    let apart = format!("{workers} --fusion=false");
    let tiles = "--min-cpu-chunk 8192";
    let mut wrong = Vec::new();
    let mut hold = |name: &str, found: PerRound, most: Most| {
        let PerRound { own, all } = found;
        println!("{name}: {own:.2} allocations a round by the program, {all:.2} by all threads");
        // Tables and queues that grow once more do not count as an allocation each round.
        if own > most.own + 0.1 || all > most.all + 0.1 {
            wrong.push(format!("{name}: {own} and {all}"));
        }
    };
    let most = |own: u32, all: u32| Most {
        own: own.into(),
        all: all.into(),
    };
    // The limits are measured values, rounded up, so that they do not regress.
    hold("add at once", adds(""), most(1, 1));
    hold("add at once, profiled", adds(&profile), most(1, 1));
    hold("add by workers", adds(&apart), most(3, 4));
    hold("add by workers, together", adds(workers), most(3, 4));
    // Six operations, with one tile for each worker or one for all. This is mostly 38, and a few
    // more if a busy machine lets tasks queue up.
    hold(
        "stencil",
        stencil(&format!("{apart} {tiles}")),
        most(17, 44),
    );
    hold(
        "stencil, together",
        stencil(&format!("{workers} {tiles}")),
        most(17, 40),
    );
    assert!(wrong.is_empty(), "more than at most: {wrong:#?}");
}
