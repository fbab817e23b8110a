//! Threads that write arrays while another thread uses them. Calls that read an array several times
//! use one state of it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a mistake in a test must stop it"
)]

use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::s;

use weft::program::Bins;
use weft::{Array, Runtime};

#[path = "support/runtimes.rs"]
mod runtimes;

use runtimes::runtime;

/// The number of elements: many blocks of a mask, and a few tiles.
const N: usize = 50_000;
const ROUNDS: usize = 40;

/// Runs `reads` while another thread repeats `writes`.
fn while_writing(runtime: &Runtime, writes: impl Fn(usize) + Sync, reads: impl Fn(usize)) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            runtime.enter(|| {
                for round in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    writes(round);
                }
            });
        });
        struct Stop<'a>(&'a AtomicBool);
        impl Drop for Stop<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let _stop = Stop(&stop);
        runtime.enter(|| (0..ROUNDS).for_each(reads));
    });
}

/// Sets a mask in one half, in the other, everywhere, or nowhere.
fn change(mask: &Array<bool>, round: usize) {
    mask.slice(s![..N as isize / 2])
        .fill(round.is_multiple_of(2));
    mask.slice(s![N as isize / 2..])
        .fill(round.is_multiple_of(3));
}

/// Asserts that elements were selected from 0, 1, 2 and so on: each once and in order.
fn assert_picked(picked: &[i64]) {
    assert!(picked.iter().all(|at| (0..N as i64).contains(at)));
    assert!(picked.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn mask_selection_is_atomic_under_concurrent_writes() {
    let runtime = runtime("--cpus 2");
    let (mask, x) = runtime.enter(|| {
        (
            weft::full::<bool>(&[N], true),
            weft::arange::<i64>(N as i64),
        )
    });
    while_writing(
        &runtime,
        |round| change(&mask, round),
        |round| match round % 4 {
            0 => assert_picked(&x.take_where(&mask).to_vec().unwrap()),
            1 => assert_picked(&mask.flatnonzero().to_vec().unwrap()),
            2 => assert_picked(&x.compress(&mask).to_vec().unwrap()),
            _ => {
                // There are as many values as selected elements, and they are written to where they
                // were selected.
                let picked = x.take_where(&mask);
                let out = weft::full::<i64>(&[N], -1);
                if out.try_put_where(&mask, &picked).is_ok() {
                    let written = out.to_vec().unwrap();
                    let written: Vec<i64> = written.into_iter().filter(|at| *at >= 0).collect();
                    assert_eq!(written, picked.to_vec().unwrap());
                }
            }
        },
    );
    runtime.finish().unwrap();
}

#[test]
fn histogram_counts_every_element_once_under_writes() {
    let runtime = runtime("--cpus 2");
    let x = runtime.enter(|| weft::arange::<f64>(N as f64));
    let total = |counts: &Array<i64>| counts.sum().item();
    while_writing(
        &runtime,
        |round| x.slice(s![..N as isize / 2]).fill((round % 7) as f64 * 1e4),
        |_| {
            let (counts, edges) = x.histogram(10);
            assert_eq!(total(&counts), N as i64, "edges {:?}", edges.to_vec());
            let (counts, _) = x.histogram_range(10, -1.0, N as f64 * 2.0);
            assert_eq!(total(&counts), N as i64);
            let edges = weft::from_slice(&[-1.0, 5e3, N as f64 * 2.0]);
            let (counts, _) = x
                .as_dyn()
                .histogram(Bins::Edges(edges.as_dyn()), None)
                .unwrap();
            assert_eq!(counts.to_ndarray::<i64>().unwrap().sum(), N as i64);
        },
    );
    runtime.finish().unwrap();
}

#[test]
fn bincount_is_consistent_under_concurrent_writes() {
    let runtime = runtime("--cpus 2");
    let x = runtime.enter(|| weft::arange::<i64>(N as i64));
    while_writing(
        &runtime,
        |round| x.fill((round % 5) as i64 * 1000),
        |_| assert_eq!(x.bincount(0).sum().item(), N as i64),
    );
    runtime.finish().unwrap();
}
