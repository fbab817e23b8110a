//! Rule 22: the run waits for the compiler.

use super::{Candidate, Facts, count, nanos};
use crate::replay::{Change, NodeIndex};
use std::collections::BTreeMap;
use weft_model::{ProvenanceIndex, StepKind};
use weft_trace::record::CodeOrigin;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut lines: BTreeMap<ProvenanceIndex, i64> = BTreeMap::new();
    let (mut kernels, mut compiled, mut waited, mut all) = (0, 0, 0, 0);
    for row in &facts.trace.work.compilations {
        if !facts.graph.holds(row.start) {
            continue;
        }
        let wait = row.waited_from().map_or(0, |from| (row.end - from).0);
        all += wait;
        if row.origin != CodeOrigin::Compiled {
            continue;
        }
        waited += wait;
        let time = (row.made - row.start).0;
        kernels += 1;
        compiled += time;
        if let Some(operation) = facts.operation(row.source, Some(row.operation)) {
            *lines.entry(operation.provenance).or_default() += time;
        }
    }
    if compiled == 0 {
        return Vec::new();
    }
    let mut lines: Vec<(i64, ProvenanceIndex)> =
        lines.into_iter().map(|(line, time)| (time, line)).collect();
    lines.retain(|row| row.1.0 != 0);
    lines.sort_unstable_by(|a, b| b.cmp(a));
    let nodes: Vec<NodeIndex> = facts.of_kind(StepKind::Compile).map(|(at, _)| at).collect();
    vec![Candidate {
        lines: lines.iter().take(3).map(|row| row.1).collect(),
        evidence: vec![
            count("kernels that were compiled", kernels),
            nanos("compiling them", compiled),
            nanos("waiting for them", waited),
        ],
        assumes: Some("all kernels are cached on disk, as in the next run".to_owned()),
        changes: vec![Change::Scale {
            nodes,
            factor: 1.0 - waited as f64 / all.max(1) as f64,
        }],
        ..Candidate::default()
    }]
}
