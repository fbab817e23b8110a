//! Advice on real profiles, as text and as JSON.

use super::scene::{Scene, cpu};
use crate::support;
use weft_analysis::advise::{self, Advice};
use weft_analysis::replay::{Graph, LineTimes, what_if_line};
use weft_nvtx_export::{ReadOptions, read};

/// Checks that every figure of an answer is plausible: lengths are positive and no longer than
/// without changes, and each next finding saves more.
fn check(advice: &Advice) {
    let replay = &advice.replay;
    assert!(replay.measured_ns > 0 && replay.replayed_ns > 0);
    assert!((0.0..=1.0).contains(&replay.explained));
    let mut length = replay.replayed_ns;
    for finding in &advice.findings {
        assert!(
            finding.alone.saving_ns > replay.error_ns,
            "{}",
            finding.rule
        );
        assert!(finding.with_previous.length_ns < length, "{}", finding.rule);
        length = finding.with_previous.length_ns;
        assert!(length >= 0 && !finding.lines.is_empty() && !finding.evidence.is_empty());
        assert!(finding.evidence.iter().all(|figure| figure.value >= 0.0));
    }
    assert_eq!(advice.joint.length_ns, length);
    let text = advise::render(advice);
    let place = |line: &str| line.trim_start().starts_with('/');
    assert!(
        text.lines()
            .all(|line| line.chars().count() <= 80 || place(line)),
        "{text}"
    );
}

#[test]
fn advice_on_legate_profiles_is_plausible() {
    for name in [
        "legate/black_scholes.prof.zst",
        "legate/cg.prof.zst",
        "legate/stencil.prof.zst",
    ] {
        let Some((_folder, path)) = support::shared(name, "legate_0.prof") else {
            continue;
        };
        let trace = read(&[path], &ReadOptions::default()).unwrap();
        let graph = Graph::from_trace(&trace);
        let base = graph.baseline();
        assert!(base.share() < 0.15, "{name}: {}", base.share());
        check(&advise::answer_from(&trace, &graph, 10));
        // Reducing the time of a line never lengthens the run, except by the order of a queue.
        for line in LineTimes::new(&graph).0.keys() {
            let half = what_if_line(&graph, *line, 0.5);
            assert!(half <= base.replayed + base.replayed / 20, "{name}");
            assert_eq!(what_if_line(&graph, *line, 1.0), base.replayed);
        }
    }
}

#[test]
fn json_is_stable() {
    let mut scene = Scene::new(1);
    let mut now = 1;
    for _ in 0..4 {
        let operation = scene.operation(4, "sort", &[100_000], &[0]);
        let last: Vec<_> = scene
            .trace
            .work
            .tasks
            .last()
            .map(|task| task.uid)
            .into_iter()
            .collect();
        scene.task(0, operation, cpu(0), [now, now + 1000], &last);
        now += 1000;
    }
    let advice = scene.advice();
    check(&advice);
    let json = serde_json::to_string_pretty(&advice).unwrap();
    assert_eq!(serde_json::from_str::<Advice>(&json).unwrap(), advice);
    insta::assert_snapshot!(json);
    insta::assert_snapshot!(advise::render(&advice));
}

#[test]
fn document_lists_all_rules() {
    let document = include_str!("../../../docs/advice.md");
    for rule in advise::rules() {
        let row = format!("| `{}` | {} | {} |", rule.id, rule.title, rule.needs);
        assert!(document.contains(&row), "{row}");
    }
}
