//! Rule 7: large tasks that run without a concurrent task of their operation.

use super::{Candidate, Facts, count, nanos};
use crate::replay::Change;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use weft_model::StepKind;

/// The least duration in ns of tasks that are worth dividing.
const LARGE: i64 = 50_000;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut tasks: FxHashMap<_, u32> = FxHashMap::default();
    for (_, node) in facts.of_kind(StepKind::Task) {
        *tasks.entry((node.source, node.operation)).or_default() += 1;
    }
    let mut lines: BTreeMap<_, (Vec<_>, i64)> = BTreeMap::new();
    for (at, node) in facts.of_kind(StepKind::Task) {
        let workers = facts.workers(node);
        let own = tasks
            .get(&(node.source, node.operation))
            .copied()
            .unwrap_or(1);
        let may_divide = facts
            .elements(node)
            .is_some_and(|elements| elements >= 2 * u64::from(workers));
        let line = facts.graph.line(at);
        if workers > 1
            && own < workers
            && node.duration > LARGE
            && may_divide
            && facts.is_on_path(at)
            && line.0 != 0
        {
            let row = lines.entry((line, workers.div_ceil(own))).or_default();
            row.0.push(at);
            // A launch can serve other lines too.
            let parts = facts.graph.lines(at).iter();
            let own: f32 = parts.filter(|part| part.0 == line).map(|part| part.1).sum();
            row.1 += (node.duration as f64 * f64::from(own)) as i64;
        }
    }
    let candidate = |((line, parts), (nodes, time)): ((_, u32), (Vec<_>, i64))| Candidate {
        lines: vec![line],
        evidence: vec![
            count("tasks that run alone", nodes.len()),
            nanos("in all", time),
            count("workers for each", parts as usize),
        ],
        assumes: Some(format!("each is divided into {parts} equal parts")),
        changes: vec![Change::Split { nodes, parts }],
        ..Candidate::default()
    };
    lines.into_iter().map(candidate).collect()
}
