//! Inputs with wrong bytes. Reading, analysing and writing them ends without a panic.
//!
//! `WEFT_TEST_MUTATIONS` sets the number of inputs of each format, 300 by default. They are the
//! same in each run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use crate::support;

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use support::{Small, small};
use weft_analysis::stats::{self, By};
use weft_nvtx_export::{Progress, ReadOptions, RequiredParts, read};
use weft_output::text::{TextOptions, render};
use weft_output::{legion, perfetto, query};
use weft_trace::file::RunId;

/// Pseudo-random numbers, the same in each run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Values for which arithmetic and sizes may fail.
const EDGES: [u64; 8] = [
    0,
    1,
    u64::MAX,
    i64::MAX as u64,
    i64::MIN as u64,
    u32::MAX as u64,
    1 << 31,
    0x7f80_0000_0000_0001,
];

/// Changes a few bytes: single bits, whole values, or sequences that are removed, repeated or
/// zeroed.
fn mutate(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    for _ in 0..=numbers.below(6) {
        let at = numbers.below(bytes.len());
        let rest = bytes.len() - at;
        match numbers.below(8) {
            0..4 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << numbers.below(8);
                }
            }
            4 | 5 => {
                let value = EDGES[numbers.below(EDGES.len())].to_le_bytes();
                let size = rest.min([1, 2, 4, 8][numbers.below(4)]);
                bytes[at..at + size].copy_from_slice(&value[..size]);
            }
            6 => {
                let size = rest.min(numbers.below(64));
                bytes[at..at + size].fill(0);
            }
            _ => {
                let size = rest.min(numbers.below(200));
                match numbers.below(3) {
                    0 => bytes.truncate(at),
                    1 => drop(bytes.drain(at..at + size)),
                    _ => {
                        let copy = bytes[at..at + size].to_vec();
                        bytes.splice(at..at, copy);
                    }
                }
            }
        }
    }
}

/// Does everything that can be done with one input. `outputs` includes files, which take longer.
fn try_all(path: &Path, folder: &Path, outputs: bool) {
    for keep in [
        RequiredParts::Everything,
        RequiredParts::Costs,
        RequiredParts::Ranges,
    ] {
        let options = ReadOptions {
            keep,
            ..ReadOptions::default()
        };
        // An error is a valid result.
        let Ok(trace) = read(&[path.to_owned()], &options) else {
            continue;
        };
        let all = [
            By::Task,
            By::Operation,
            By::Line,
            By::Kernel,
            By::Processor,
            By::Memory,
            By::Channel,
        ];
        match keep {
            RequiredParts::Ranges => {
                stats::table(&trace, By::Range).rows();
                stats::table(&trace, By::RangeName);
            }
            RequiredParts::Costs => all.iter().for_each(|by| drop(stats::table(&trace, *by))),
            RequiredParts::Everything => {
                stats::table(&trace, By::Critical);
                render(&trace, &TextOptions { relative: true });
                if outputs {
                    let sql = "SELECT * FROM weft_by_line";
                    let _ = query::select(&trace, sql, &Progress::default());
                    let options = perfetto::PerfettoOptions {
                        force: true,
                        ..perfetto::PerfettoOptions::default()
                    };
                    let _ = perfetto::write(&trace, &folder.join("out.pftrace"), &options);
                    let options = legion::LegionOptions {
                        force: true,
                        ..legion::LegionOptions::default()
                    };
                    let _ = legion::write(&trace, &folder.join("out_%.prof"), &options);
                }
            }
        }
    }
}

/// Mutates the seeds in turn.
fn check(format: &str, seeds: &[Vec<u8>]) {
    let count = std::env::var("WEFT_TEST_MUTATIONS").map_or(300, |text| text.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mutated");
    for number in 0..count {
        let mut bytes = seeds[number % seeds.len()].clone();
        mutate(&mut bytes, &mut Numbers(number as u64));
        std::fs::write(&path, &bytes).unwrap();
        let outcome = catch_unwind(|| try_all(&path, folder.path(), number % 8 == 0));
        if outcome.is_err() {
            let kept = std::env::temp_dir().join(format!("weft-mutated-{format}-{number}"));
            std::fs::write(&kept, &bytes).unwrap();
            panic!(
                "input {number} of {format} panics; it is in {}",
                kept.display()
            );
        }
    }
}

fn seed(name: &str) -> Vec<u8> {
    let seeds = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fuzz/seeds");
    std::fs::read(seeds.join(name)).unwrap()
}

#[test]
fn mutated_weft_profiles_never_panic() {
    let (_folder, path) = small(RunId([1; 16]), 5_000, Small::default());
    let mut bytes = std::fs::read(path).unwrap();
    // The rest of the block is unused.
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    bytes.truncate(used + 64);
    // The second profile has no checksums, so wrong bytes reach the records.
    check("prof", &[bytes, seed("weft_prof/small.prof")]);
}

#[test]
fn mutated_legion_profiles_never_panic() {
    let names = [
        "legion_prof/legion_1011.prof",
        "legion_prof/legion_1_0.prof",
    ];
    check("legion", &names.map(seed));
}

#[test]
fn mutated_nsys_databases_never_panic() {
    check("nsys", &[seed("nsys_sqlite/nsys.sqlite")]);
}
