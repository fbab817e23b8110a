//! Rule 18: analysis, issue and hand-over determine the length of the run.

use super::{Candidate, Facts, nanos, share};
use crate::replay::Change;
use std::collections::BTreeMap;
use weft_model::{ProvenanceIndex, StepKind};

/// The least fraction of the length for a run that is bound by the runtime.
const MUCH: f64 = 0.2;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut lines: BTreeMap<ProvenanceIndex, i64> = BTreeMap::new();
    let mut all = 0;
    for at in facts.base.path() {
        let Some(node) = facts.graph.node(at) else {
            continue;
        };
        // For the first work, it is unknown how much earlier the run could have begun.
        let delay = match facts.graph.before(at).is_empty() {
            true => 0,
            false => node.delay,
        };
        let own = match node.kind {
            StepKind::Analysis | StepKind::Issue => node.duration + delay,
            _ => delay,
        };
        all += own;
        *lines.entry(facts.graph.line(at)).or_default() += own;
    }
    let length = facts.baseline.replayed.max(1) as f64;
    if (all as f64) < length * MUCH {
        return Vec::new();
    }
    let mut lines: Vec<(i64, ProvenanceIndex)> =
        lines.into_iter().map(|(line, time)| (time, line)).collect();
    lines.retain(|row| row.1.0 != 0);
    lines.sort_unstable_by(|a, b| b.cmp(a));
    vec![Candidate {
        lines: lines.iter().take(3).map(|row| row.1).collect(),
        evidence: vec![
            nanos("analysis, issue and hand-over on the critical path", all),
            share("of the run", all as f64 / length),
        ],
        assumes: Some("none of it takes time, which is the most that can be saved".to_owned()),
        changes: vec![Change::NoOverhead],
        is_ceiling: true,
        ..Candidate::default()
    }]
}
