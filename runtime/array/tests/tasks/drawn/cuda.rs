//! Random tasks with bodies in CUDA C, on emulated GPUs.

mod text;

use std::sync::atomic::Ordering;

use proptest::prelude::*;

use super::task::{Bodies, ON_CPUS, RandomTask, drawn};
use super::verify::{What, find_all};
use super::{cases, check, config};
use crate::cuda::{flags, with_gpus};
use crate::support::runtime_on_gpus;

pub(super) use text::source;

/// Whether GPUs have the same bits for all reductions of the task.
fn runs_on_gpus(task: &RandomTask) -> bool {
    let mut reduced = task.reduced.iter();
    reduced.all(|one| one.has_one_result() || task.unordered)
}

/// Checks that calls with these bodies have the oracle's results, and that CPUs compute the tiles
/// that they must.
fn run(task: &RandomTask, calls: &[Bodies], words: &str) {
    let runtime = runtime_on_gpus(words);
    let before = ON_CPUS.load(Ordering::Relaxed);
    runtime.enter(|| check(task, calls, words));
    let done = ON_CPUS.load(Ordering::Relaxed) - before;
    let is_on_gpus = runs_on_gpus(task) && calls.iter().all(|call| *call == Bodies::Both);
    assert_eq!(
        done == 0,
        is_on_gpus,
        "{done} tiles on CPUs, {words}: {task:?}"
    );
    runtime.finish().unwrap();
}

fn calls() -> impl Strategy<Value = Vec<Bodies>> {
    let bodies = prop::sample::select(vec![Bodies::Both, Bodies::Both, Bodies::Cpu]);
    prop::collection::vec(bodies, 1..4)
}

#[test]
fn gpu_bodies_match_the_oracle() {
    with_gpus(|| {
        proptest!(config(cases(8)), |(task in drawn(), calls in calls())| {
            for gpus in [1, 2] {
                run(&task, &calls, &flags(gpus, "--min-cpu-chunk 20"));
            }
            run(&task, &calls, &flags(2, "--verify"));
        });
    });
}

#[test]
fn verify_finds_planted_errors() {
    let all = [
        What::ReadOutside,
        What::WriteOutside,
        What::Unwritten,
        What::ReadOutput,
        What::ReadBeyond,
        What::WriteBeyond,
    ];
    with_gpus(|| {
        find_all(cases(8), &all, Bodies::Both, &flags(2, ""), runtime_on_gpus);
    });
}

/// Uses the GPUs that this process has: `tests/mpi/gpus.sh` runs it on several ranks.
#[test]
#[ignore = "needs a GPU"]
fn tasks_on_gpus_match_the_oracle() {
    proptest!(config(cases(10)), |(task in drawn(), calls in calls())| {
        let words = flags(1, "--min-cpu-chunk 20 --fbmem 100");
        let runtime = runtime_on_gpus(&words);
        runtime.enter(|| check(&task, &calls, &words));
        runtime.finish().unwrap();
    });
}
