//! Random programs give the same bits whether their operations are fused, run one by one, run at
//! once on the program's thread, or complete before the next one is submitted.
//!
//! `programs.rs` compares results with eager `ndarray`. Here programs are long, use two shapes, and
//! rarely read values, so that operations are fused; `groups_neighboring_operations` checks this.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a mistake in a test must stop it"
)]

mod groups;
mod program;
mod run;
#[path = "../support/runtimes.rs"]
mod support;

use std::cell::Cell;

use proptest::prelude::*;
use weft::{DynArray, Error, Runtime};
use weft_config::Bytes;

use program::{Step, failing_program, keep_whole_values, program, without_reads};
use run::{Outcome, run};
use support::{plan, runtime};

/// Flags that change where operations run, and whether every value is waited for.
const MODES: [(&str, bool); 9] = [
    // Eager and one by one: the reference for all others.
    ("--cpus 1 --max-inline-chunk 0 --fusion=false", true),
    ("--cpus 1 --max-inline-chunk 0", false),
    ("--cpus 2 --max-inline-chunk 0", false),
    ("--cpus 4 --max-inline-chunk 0", false),
    ("--cpus 2 --max-inline-chunk 0", true),
    ("--cpus 2 --max-inline-chunk 0 --fusion=false", false),
    ("--cpus 2 --max-inline-chunk 120", false),
    ("--cpus 2 --max-inline-chunk 100000", false),
    ("--cpus 2 --max-inline-chunk 0 --utility 0", false),
];

/// Returns a runtime for each mode, with memory of `bytes` bytes, and whether every value is waited
/// for.
fn runtimes(bytes: u64) -> Vec<(Runtime, bool)> {
    let with = |(words, eager)| {
        let mut plan = plan(&format!("{words} --min-cpu-chunk 24"));
        // This is less than `--sysmem` accepts.
        plan.sysmem = Bytes(bytes);
        plan.sysmem_soft = plan.sysmem;
        (Runtime::new(plan).unwrap(), eager)
    };
    MODES.map(with).into()
}

/// Returns the number of programs for a run. The default is for every change; `.ci/full` runs
/// 20,000.
fn config(share: u32) -> ProptestConfig {
    let programs = std::env::var("WEFT_TEST_PROGRAMS");
    let programs = programs.ok().and_then(|text| text.parse().ok());
    ProptestConfig {
        cases: programs.unwrap_or(240) / share,
        failure_persistence: None,
        // With several ranks, all of them would need to shrink in the same way.
        max_shrink_iters: if std::env::var_os("WEFT_TEST_RANKS").is_some() {
            0
        } else {
            20_000
        },
        ..Default::default()
    }
}

#[test]
fn programs_give_the_same_bits_in_every_mode() {
    let runtimes = runtimes(1 << 30);
    proptest!(config(1), |(program in program(70))| {
        compare(&runtimes, &program, Failures::Same)?;
    });
    for (runtime, _) in runtimes {
        runtime.finish().unwrap();
    }
}

/// A value that cannot be computed fails in all modes, and no other value does.
#[test]
fn identical_values_fail_in_every_mode() {
    let runtimes = runtimes(16 << 20);
    proptest!(config(2), |(program in failing_program(50).prop_map(keep_whole_values))| {
        compare(&runtimes, &program, Failures::Same)?;
    });
    for (runtime, _) in runtimes {
        assert!(matches!(
            runtime.finish(),
            Err(Error::Failed(_) | Error::Elsewhere(_))
        ));
    }
}

/// If a part of a value has failed, a read of another part may come before the failure is known.
/// Values that do not depend on it are the same in every mode.
#[test]
fn values_independent_of_failures_match_in_every_mode() {
    let runtimes = runtimes(16 << 20);
    proptest!(config(2), |(program in failing_program(50).prop_map(without_reads))| {
        compare(&runtimes, &program, Failures::FewerThanEager)?;
    });
    for (runtime, _) in runtimes {
        assert!(matches!(
            runtime.finish(),
            Err(Error::Failed(_) | Error::Elsewhere(_))
        ));
    }
}

/// The values that may fail in a mode.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Failures {
    /// The values that fail in all others.
    Same,
    /// Some of the values that fail if every value is waited for.
    FewerThanEager,
}

fn compare(
    runtimes: &[(Runtime, bool)],
    program: &[Step],
    failures: Failures,
) -> Result<(), TestCaseError> {
    let mut expected: Option<Vec<Outcome>> = None;
    for ((runtime, eager), (words, _)) in runtimes.iter().zip(MODES) {
        let found = run(runtime, program, *eager);
        let Some(expected) = &expected else {
            expected = Some(found);
            continue;
        };
        prop_assert_eq!(expected.len(), found.len());
        for (at, (expected, found)) in expected.iter().zip(&found).enumerate() {
            let may_differ =
                failures == Failures::FewerThanEager && matches!(expected, Outcome::Failed(_));
            prop_assert!(
                may_differ || expected == found,
                "value {at} with {words}: {}",
                expected.unlike(found)
            );
        }
    }
    Ok(())
}

/// In a memory that is too small, each value has the right bits, or its error says that memory was
/// missing. All memory is freed at the end.
#[test]
fn values_are_exact_or_report_out_of_memory() {
    const BYTES: u64 = 24 << 10;
    let ample = runtime("--cpus 1 --max-inline-chunk 0 --fusion=false");
    let tight = runtimes(BYTES);
    let (right, failed) = (Cell::new(0_u64), Cell::new(0_u64));
    proptest!(config(2), |(program in program(50).prop_map(without_reads))| {
        let expected = run(&ample, &program, true);
        for ((runtime, eager), (words, _)) in tight.iter().zip(MODES) {
            let found = run(runtime, &program, *eager);
            for (at, found) in found.iter().enumerate() {
                match found {
                    Outcome::Failed(_) => failed.set(failed.get() + 1),
                    bits => {
                        right.set(right.get() + 1);
                        let expected = &expected[at];
                        prop_assert!(
                            expected == bits,
                            "value {at} with {words}: {}",
                            expected.unlike(bits)
                        );
                    }
                }
            }
            runtime.wait().unwrap();
            let whole = DynArray::full(runtime, &[BYTES as usize / 8 * 3 / 4], 1.0.into()).unwrap();
            let last = whole.slice(ndarray::s![..1]).unwrap();
            prop_assert!(
                matches!(run::outcome(&last), Outcome::Bits(_)),
                "memory is missing with {words}: {:?}",
                runtime.pool_status()
            );
        }
    });
    let (right, failed) = (right.get(), failed.get());
    println!("{right} values are right, {failed} have no memory");
    assert!(right > 0 && failed > 0);
    // Some values that failed were not read.
    for (runtime, _) in tight {
        assert!(matches!(
            runtime.finish(),
            Err(Error::Failed(_) | Error::Elsewhere(_))
        ));
    }
}
