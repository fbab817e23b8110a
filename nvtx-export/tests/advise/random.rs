//! Random runs that follow the scheduler's rule, and random changes.

use super::scene::{PROGRAM, Scene, UTILITY, cpu};
use crate::made::Random;
use crate::ranks::simulated::{self, World};
use proptest::prelude::*;
use weft_analysis::replay::{Change, Graph, NodeIndex, replay};
use weft_model::{WaitKind, Window};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// A run of one rank: a program that calls and waits, in-order analysis, and two workers that take
/// tasks in the order in which they become ready.
fn scheduled(seed: u64, steps: usize) -> Scene {
    let mut random = Random::new(seed);
    let mut scene = Scene::new(1);
    let (mut program, mut utility) = (0, 0);
    // Operations that were not waited for: their earliest start, and their predecessors.
    let mut open: Vec<(Uid, i64, i64, Vec<Uid>)> = Vec::new();
    let mut ends: Vec<(Uid, Uid, i64)> = Vec::new();
    let mut free = [0; 2];
    for _ in 0..steps {
        program += 1 + random.below(30) as i64;
        let operation = scene.operation(1 + random.below(5) as u32, "matmul", &[64], &[program]);
        let start = utility.max(program);
        utility = start + 1 + random.below(20) as i64;
        scene.analysis(0, operation, [start, utility]);
        let mut after = Vec::new();
        for _ in 0..random.below(3) {
            if let Some(row) = ends.len().checked_sub(1 + random.below(6) as usize) {
                after.push(ends[row].1);
            }
        }
        after.sort_unstable();
        after.dedup();
        open.push((operation, utility, 1 + random.below(200) as i64, after));
        if random.below(4) == 0 || open.len() > 8 {
            run(&mut scene, &mut open, &mut ends, &mut free);
            // A later operation waits for all of these, because its tasks must not begin before
            // theirs.
            let last = ends.iter().map(|row| row.2).max().unwrap();
            let awaited = ends.iter().find(|row| row.2 == last).unwrap();
            let end = program.max(last);
            scene.wait(0, WaitKind::Value, Some(awaited.0), [program, end]);
            program = end;
        }
    }
    run(&mut scene, &mut open, &mut ends, &mut free);
    assert!(
        scene
            .trace
            .machine
            .processors
            .iter()
            .any(|row| row.id == UTILITY || row.id == PROGRAM)
    );
    scene
}

/// Runs the open operations by the scheduler's rule: the first that is ready runs on the worker
/// that is free first.
fn run(
    scene: &mut Scene,
    open: &mut Vec<(Uid, i64, i64, Vec<Uid>)>,
    ends: &mut Vec<(Uid, Uid, i64)>,
    free: &mut [i64; 2],
) {
    while !open.is_empty() {
        let ready = |row: &(Uid, i64, i64, Vec<Uid>)| {
            let earlier = row
                .3
                .iter()
                .filter_map(|uid| ends.iter().find(|end| end.1 == *uid));
            earlier.map(|end| end.2).chain([row.1]).max().unwrap()
        };
        let (at, when) = open
            .iter()
            .map(ready)
            .enumerate()
            .min_by_key(|(at, when)| (*when, *at))
            .unwrap();
        let (operation, _, time, after) = open.remove(at);
        let worker = usize::from(free[1] < free[0]);
        let start = free[worker].max(when);
        free[worker] = start + time;
        let uid = scene.task(
            0,
            operation,
            cpu(worker as u16),
            [start, start + time],
            &after,
        );
        ends.push((operation, uid, start + time));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn unchanged_replay_of_scheduled_runs_is_exact(seed in any::<u64>(), steps in 1_usize..60) {
        let graph = Graph::from_trace(&scheduled(seed, steps).trace);
        let base = graph.baseline();
        prop_assert_eq!(base.replayed, base.measured);
        prop_assert_eq!(graph.dropped, 0);
    }

    /// Two adjacent parts have all of the work. The replay of each is no shorter than its work
    /// allows, and the replay of the whole is as long as the run.
    #[test]
    fn parts_have_the_work_of_the_run(seed in any::<u64>(), steps in 1_usize..60, cut in 0.0_f64..1.0) {
        let trace = scheduled(seed, steps).trace;
        let whole = Graph::from_trace(&trace);
        let begin = trace.first_instant().unwrap().nanos();
        let at = |nanos: i64| Timestamp::from_nanos_since_boot(nanos);
        let middle = at(begin + (whole.measured as f64 * cut) as i64);
        let (first, last) = (at(i64::MIN), at(i64::MAX));
        let parts = [(first, middle), (middle, last)];
        let parts = parts.map(|(from, to)| Graph::of_part(&trace, Some(Window { from, to })));
        let work = |graph: &Graph| graph.nodes.iter().map(|node| node.duration).sum::<i64>();
        prop_assert_eq!(work(&parts[0]) + work(&parts[1]), work(&whole));
        for part in &parts {
            let base = part.baseline();
            prop_assert!(base.measured <= whole.measured);
            // The program and the analysis do one thing at a time, in parallel with two workers.
            prop_assert!(base.replayed * 4 >= work(part));
        }
        let all = Graph::of_part(&trace, Some(Window { from: first, to: last }));
        prop_assert_eq!(all.baseline(), whole.baseline());
    }

    /// Changes preserve the work, and nothing begins before its causes.
    #[test]
    fn changes_preserve_work_and_causality(
        seed in any::<u64>(),
        ranks in 1_usize..4,
        steps in 1_usize..60,
        gpu in any::<bool>(),
    ) {
        let trace = simulated::trace(&World::random(seed, ranks, steps, gpu));
        let graph = Graph::from_trace(&trace);
        let nodes: Vec<NodeIndex> = (0..graph.nodes.len() as u32).map(NodeIndex).collect();
        let own: i64 = graph.nodes.iter().map(|node| node.duration).sum();
        prop_assert_eq!(replay(&graph, &[]).work, own);
        let kept = [
            Change::DropWaits { nodes: nodes.clone() },
            Change::Early { nodes: nodes.clone() },
            Change::Split { nodes: nodes.clone(), parts: 3 },
            Change::Prompt { nodes: nodes.clone(), delay: 0 },
        ];
        for change in &kept {
            prop_assert_eq!(replay(&graph, std::slice::from_ref(change)).work, own);
        }
        let joint = replay(&graph, &kept);
        prop_assert!(joint.makespan >= 0 && joint.work == own);
        let workers = graph.nodes.len().max(1) as i64;
        prop_assert!(joint.makespan * workers >= own);
        let gone = replay(&graph, &[Change::Remove { nodes: nodes.clone() }]);
        prop_assert_eq!(gone.work, 0);
        prop_assert!(gone.makespan <= graph.measured);
        let twice = replay(&graph, &[Change::Scale { nodes, factor: 2.0 }]);
        prop_assert_eq!(twice.work, own * 2);
        // Replaying the same changes again has the same result.
        prop_assert_eq!(replay(&graph, &kept), joint);
    }
}
