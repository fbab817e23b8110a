//! Advice on several ranks.

use super::scene::{Scene, cpu};
use weft_model::WaitKind;
use weft_trace::id::Uid;

const LARGE: &[u64] = &[100_000];

/// Rank 0 takes `slow` ns for the data that rank 1 needs.
fn sending(slow: i64) -> Scene {
    let mut scene = Scene::new(2);
    let (mut now, mut last) = (1, [Vec::new(), Vec::new()]);
    for _ in 0..10 {
        let operation = scene.operation(2, "matmul", LARGE, &[0, 0]);
        let both = |scene: &mut Scene, rank: u32, operation, times, after: &[Uid]| {
            [0, 1].map(|on| scene.task(rank, operation, cpu(on), times, after))
        };
        let first = both(&mut scene, 0, operation, [now, now + slow], &last[0]);
        let second = both(&mut scene, 1, operation, [now, now + 500], &last[1]);
        let sent = now + slow;
        let message = scene.message(operation, [sent, sent + 10], [now, sent + 10], &first);
        let used = scene.operation(3, "add", LARGE, &[0, 0]);
        let end = sent.max(now + 500) + 10 + 100;
        let needs = [message, second[0], second[1]];
        let read = both(&mut scene, 1, used, [end - 100, end], &needs);
        last = [first.to_vec(), read.to_vec()];
        now = end;
    }
    scene
}

#[test]
fn finds_late_senders() {
    let scene = sending(1500);
    let advice = scene.advice();
    let rules: Vec<&str> = advice
        .findings
        .iter()
        .map(|finding| &*finding.rule)
        .collect();
    assert!(rules.contains(&"late-sender"), "{rules:?}");
    assert!(!sending(500).found().contains("late-sender"));
}

/// Ranks synchronize after work that takes these times.
fn meeting(times: [i64; 2]) -> Scene {
    let mut scene = Scene::new(2);
    let mut now = 1;
    for _ in 0..10 {
        let operation = scene.operation(4, "matmul", LARGE, &[now, now]);
        let end = now + times[0].max(times[1]) + 20;
        for (rank, time) in (0..).zip(times) {
            for worker in [0, 1] {
                scene.task(rank, operation, cpu(worker), [now + 1, now + 1 + time], &[]);
            }
            scene.wait(
                rank,
                WaitKind::Value,
                Some(operation),
                [now, now + 1 + time],
            );
            scene.wait(
                rank,
                WaitKind::Agreement,
                Some(operation),
                [now + 1 + time, end],
            );
        }
        now = end;
    }
    scene
}

#[test]
fn finds_ranks_late_for_collectives() {
    let found = meeting([2000, 500]).found();
    assert!(found.contains("collective-wait"), "{found:?}");
    assert!(!meeting([1000, 1000]).found().contains("collective-wait"));
}

/// The program of each rank takes this time before each call, and both synchronize afterwards.
fn prepared(times: [i64; 2]) -> Scene {
    let mut scene = Scene::new(2);
    let mut now = 1;
    for _ in 0..10 {
        let asked = times.map(|time| now + time);
        let operation = scene.operation(5, "matmul", LARGE, &asked);
        let end = asked[0].max(asked[1]) + 120;
        for (rank, asked) in (0..).zip(asked) {
            let own = asked + 100;
            for worker in [0, 1] {
                scene.task(rank, operation, cpu(worker), [asked, own], &[]);
            }
            scene.wait(rank, WaitKind::Value, Some(operation), [asked, own]);
            scene.wait(rank, WaitKind::Agreement, Some(operation), [own, end]);
        }
        now = end;
    }
    scene
}

#[test]
fn advice_distributes_work_of_one_rank_first() {
    let advice = prepared([2000, 0]).advice();
    let rules: Vec<&str> = advice
        .findings
        .iter()
        .map(|finding| &*finding.rule)
        .collect();
    assert_eq!(rules, ["collective-wait", "slow-host"]);
    // Half of it, and then the rest, which is the maximum.
    let run = advice.replay.replayed_ns as f64;
    let saved = advice.findings[0].alone.saving_ns as f64;
    assert!((0.4..0.5).contains(&(saved / run)), "{saved} of {run}");
    assert!(!advice.findings[0].at_most && advice.findings[1].at_most);
    let even = prepared([1000, 1000]).advice();
    let is_even = |rule: &str, at_most: bool| rule != "collective-wait" && !at_most;
    assert!(
        even.findings
            .iter()
            .all(|finding| is_even(&finding.rule, finding.at_most))
    );
}
