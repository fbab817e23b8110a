//! Random programs give the same bits whether their operations are done together, one by one, at once on the program's
//! thread, or each before the next is asked for.
//!
//! What eager `ndarray` would give is checked in `programs.rs`. Here programs are long, keep to two shapes, and ask for values rarely, so that
//! operations do come together; `operations_come_together` holds that they do.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test: a mistake here must stop it"
)]

mod groups;
mod program;
mod run;

use std::cell::Cell;

use proptest::prelude::*;
use weft::{Error, Plan, Runtime};
use weft_config::Bytes;

use program::{Step, failing_program, program};
use run::{Outcome, run};

/// Who does what, and whether every value is waited for.
const MODES: [(&str, bool); 9] = [
    // Eager, one by one: what all others are compared with.
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

fn plan(words: &str) -> Plan {
    let words: Vec<String> = words.split_whitespace().map(String::from).collect();
    Plan::from_words(&words, &weft_config::Machine::probe()).unwrap()
}

fn runtime(words: &str) -> Runtime {
    Runtime::new(plan(words)).unwrap()
}

/// A runtime for each mode, with memory of so many bytes, and whether every value is waited for.
fn runtimes(bytes: u64) -> Vec<(Runtime, bool)> {
    let with = |(words, eager)| {
        let mut plan = plan(&format!("{words} --min-cpu-chunk 24"));
        // Less than `--sysmem` takes.
        plan.sysmem = Bytes(bytes);
        plan.sysmem_soft = plan.sysmem;
        (Runtime::new(plan).unwrap(), eager)
    };
    MODES.map(with).into()
}

/// Programs a run: the default is what CI runs.
fn config(share: u32) -> ProptestConfig {
    let programs = std::env::var("WEFT_TEST_PROGRAMS");
    let programs = programs.ok().and_then(|text| text.parse().ok());
    ProptestConfig {
        cases: programs.unwrap_or(600) / share,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Default::default()
    }
}

#[test]
fn programs_give_the_same_bits_in_every_mode() {
    let runtimes = runtimes(1 << 30);
    proptest!(config(1), |(program in program(70))| {
        same_outcomes(&runtimes, &program)?;
    });
    for (runtime, _) in runtimes {
        runtime.finish().unwrap();
    }
}

/// What cannot be computed is not in any mode, and nothing else.
#[test]
fn the_same_values_fail_in_every_mode() {
    let runtimes = runtimes(16 << 20);
    proptest!(config(2), |(program in failing_program(50))| {
        same_outcomes(&runtimes, &program)?;
    });
    for (runtime, _) in runtimes {
        assert!(matches!(runtime.finish(), Err(Error::Failed(_))));
    }
}

fn same_outcomes(runtimes: &[(Runtime, bool)], program: &[Step]) -> Result<(), TestCaseError> {
    let mut expected: Option<Vec<Outcome>> = None;
    for ((runtime, eager), (words, _)) in runtimes.iter().zip(MODES) {
        let found = run(runtime, program, *eager);
        match &expected {
            None => expected = Some(found),
            Some(expected) => {
                prop_assert_eq!(expected.len(), found.len());
                for (at, (expected, found)) in expected.iter().zip(&found).enumerate() {
                    prop_assert!(
                        expected == found,
                        "value {at} with {words}: {}",
                        expected.unlike(found)
                    );
                }
            }
        }
    }
    Ok(())
}

/// Under a memory that is too small for them, programs give for every value the bits that it has, or the error that says why not. What
/// they took is given back.
#[test]
fn values_are_right_or_say_that_there_was_no_memory() {
    const BYTES: u64 = 24 << 10;
    let ample = runtime("--cpus 1 --max-inline-chunk 0 --fusion=false");
    let tight = runtimes(BYTES);
    let (right, failed) = (Cell::new(0_u64), Cell::new(0_u64));
    proptest!(config(2), |(program in program(50))| {
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
            runtime.wait();
            let most = weft::DynArray::full(runtime, &[BYTES as usize / 8 - 64], 1.0.into()).unwrap();
            let last = most.slice(ndarray::s![..1]).unwrap();
            prop_assert!(matches!(run::outcome(&last), Outcome::Bits(_)), "memory is missing with {}", words);
        }
    });
    let (right, failed) = (right.get(), failed.get());
    println!("{right} values are right, {failed} have no memory");
    assert!(right > 0 && failed > 0);
}

#[test]
#[ignore = "a tool"]
fn shrink() {
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
    let tries: usize = std::env::var("TRIES")
        .ok()
        .and_then(|t| t.parse().ok())
        .unwrap_or(40);
    let seeds: u64 = std::env::var("SEEDS")
        .ok()
        .and_then(|t| t.parse().ok())
        .unwrap_or(200);
    let huge = std::env::var("HUGE").is_ok();
    let (main, all) = (runtimes(16 << 20), MODES);
    let only: Option<usize> = std::env::var("MODE").ok().and_then(|t| t.parse().ok());
    let check = |program: &[Step], times: usize| -> Option<String> {
        let expected = run(&main[0].0, program, true);
        for _ in 0..times {
            for (m, ((runtime, eager), (words, _))) in main.iter().zip(all).enumerate().skip(1) {
                if only.is_some_and(|o| o != m) {
                    continue;
                }
                let found = run(runtime, program, *eager);
                for (at, (e, f)) in expected.iter().zip(&found).enumerate() {
                    if e != f {
                        return Some(format!(
                            "value {at} of {} with {m} {words}: {}",
                            found.len(),
                            e.unlike(f)
                        ));
                    }
                }
            }
        }
        None
    };
    for seed in 0..seeds {
        let mut bytes = [0u8; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let mut runner = TestRunner::new_with_rng(
            ProptestConfig::default(),
            TestRng::from_seed(RngAlgorithm::ChaCha, &bytes),
        );
        let program = if huge {
            failing_program(70).new_tree(&mut runner).unwrap().current()
        } else {
            program(70).new_tree(&mut runner).unwrap().current()
        };
        let Some(mut why) = check(&program, 2) else {
            continue;
        };
        println!("seed {seed}: {why}");
        let mut program = program;
        let mut changed = true;
        while changed {
            changed = false;
            let mut size = program.len().div_ceil(2).max(1);
            loop {
                let mut at = 0;
                while at < program.len() {
                    let mut less = program.clone();
                    less.drain(at..(at + size).min(program.len()));
                    if let Some(w) = check(&less, tries) {
                        program = less;
                        why = w;
                        changed = true;
                    } else {
                        at += size;
                    }
                }
                if size == 1 {
                    break;
                }
                size = size.div_ceil(2);
            }
        }
        println!("--- seed {seed}: {why}");
        for step in &program {
            println!("    {step:?}");
        }
        return;
    }
}
