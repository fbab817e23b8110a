//! Operations of the random programs are fused, according to the profile of a run.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use weft_trace::file::Prof;
use weft_trace::record::Record;

use super::program::program;
use super::run::run;
use super::runtime;

/// The launches of a run.
#[derive(Debug, Default)]
struct Launches {
    /// The number of launches by the number of tasks that they serve.
    by_tasks: HashMap<usize, u64>,
    /// The number of launches of several tasks of which the last is a reduction.
    folded: u64,
    /// The number of stores that had an instance in each of their two places.
    swapped: usize,
}

fn launches(path: &Path) -> Launches {
    let prof = Prof::open(path).unwrap();
    let mut found = Launches::default();
    let mut names: HashMap<u32, String> = HashMap::new();
    let mut operations = HashMap::new();
    let mut tasks = HashMap::new();
    let mut served = Vec::new();
    let mut stores = HashSet::new();
    let mut swapped = HashSet::new();
    for record in prof.records() {
        match record {
            Record::Name(name) => drop(names.insert(name.id.0, name.text.to_owned())),
            Record::Operation(operation) => {
                operations.insert(operation.uid, operation.name.0);
            }
            Record::Task(task) => {
                tasks.insert(task.uid, task.operation);
            }
            Record::Launch(launch) => {
                let tasks: Vec<_> = launch.shares.iter().map(|(uid, _)| uid).collect();
                // A launch without shares serves the task with its own UID.
                *found.by_tasks.entry(tasks.len().max(1)).or_default() += 1;
                served.push(tasks);
            }
            Record::Instance(instance) if !stores.insert(instance.store) => {
                swapped.insert(instance.store);
            }
            _ => {}
        }
    }
    let reductions = ["sum", "prod", "min", "max", "any", "all", "count_nonzero"];
    let is_reduction = |task| {
        let name = tasks.get(task).and_then(|uid| operations.get(uid));
        name.and_then(|name| names.get(name))
            .is_some_and(|name| reductions.contains(&name.as_str()))
    };
    let several = served.iter().filter(|tasks| tasks.len() > 1);
    found.folded = several
        .filter(|tasks| tasks.last().is_some_and(is_reduction))
        .count() as u64;
    found.swapped = swapped.len();
    found
}

#[test]
fn groups_neighboring_operations() {
    let folder = tempfile::tempdir().unwrap();
    let mut runner = TestRunner::deterministic();
    let programs: Vec<_> = (0..200)
        .map(|_| program(70).new_tree(&mut runner).unwrap().current())
        .collect();
    let of = |words: &str, name: &str| {
        let logdir = folder.path().display();
        let runtime = runtime(&format!(
            "{words} --cpus 1 --max-inline-chunk 0 --fusion-wait 2000 --profile --logdir {logdir} --profile-name {name}"
        ));
        for program in &programs {
            run(&runtime, program, false);
        }
        runtime.finish().unwrap();
        launches(&folder.path().join(format!("{name}_0.prof")))
    };
    let fused = of("", "fused");
    let apart = of("--fusion=false", "apart");
    println!("{fused:?}\n{apart:?}");
    assert_eq!(apart.by_tasks.keys().collect::<Vec<_>>(), [&1]);
    let several: u64 = fused
        .by_tasks
        .iter()
        .filter(|(tasks, _)| **tasks > 1)
        .map(|(_, n)| n)
        .sum();
    let most = fused.by_tasks.keys().max().copied().unwrap_or(0);
    assert!(several > 200, "{several} launches of several tasks");
    assert!(most >= 8, "at most {most} tasks together");
    assert!(
        fused.folded > 10,
        "{} reductions with their values",
        fused.folded
    );
    assert!(fused.swapped > 10, "{} stores were swapped", fused.swapped);
}
