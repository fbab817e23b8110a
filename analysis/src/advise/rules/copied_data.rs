//! Rule 15: copies of arrays that other operations read once, as made by `roll`.

use super::{Candidate, Facts, count, nanos, share};
use crate::replay::{Change, NodeIndex};
use std::collections::BTreeMap;
use weft_model::{ProvenanceIndex, SourceIndex, StepKind};
use weft_trace::id::Uid;

/// The least part of a line's task time that copying must take.
const MOST: f64 = 0.4;
/// The least number of copies of a line.
const MANY: usize = 8;

/// The copies of a line.
#[derive(Default)]
struct Copies {
    /// Nodes with their time without copying, in ns.
    nodes: Vec<(NodeIndex, i64)>,
    count: usize,
    time: i64,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut lines: BTreeMap<ProvenanceIndex, Copies> = BTreeMap::new();
    for (at, node) in facts.of_kind(StepKind::Task) {
        let line = facts.graph.line(at);
        if line.0 == 0 {
            continue;
        }
        let served = facts.served(node);
        let is_alone = served.len() == 1;
        let copies = served.iter().filter(|(uid, _)| {
            facts.is_named(node.source, *uid, "copy")
                && facts.line_of_task(node.source, *uid) == Some(line)
                && is_read_copy(facts, line, (node.source, *uid), is_alone)
        });
        let shares: Vec<f64> = copies.map(|(_, share)| *share).collect();
        if shares.is_empty() {
            continue;
        }
        let time = (node.duration as f64 * shares.iter().sum::<f64>()) as i64;
        let own = lines.entry(line).or_default();
        own.count += shares.len();
        own.time += time;
        own.nodes.push((at, node.duration.saturating_sub(time)));
    }
    let mut found = Vec::new();
    for (line, copies) in lines {
        let Copies {
            nodes,
            count: number,
            time,
        } = copies;
        let all: i64 = facts.tasks(line).iter().map(|row| row.2).sum();
        if number < MANY || (time as f64) < MOST * all as f64 {
            continue;
        }
        found.push(Candidate {
            lines: vec![line],
            evidence: vec![
                count("copies", number),
                nanos("copying", time),
                share(
                    "of the time of the line's tasks",
                    time as f64 / all.max(1) as f64,
                ),
            ],
            assumes: Some(
                "reading slices of the array takes as long as reading the copies".to_owned(),
            ),
            changes: vec![Change::Take { nodes }],
            ..Candidate::default()
        });
    }
    found
}

/// Returns whether a slice of the source could replace a copy: another operation reads the copy,
/// none overwrites it, and it does not store a value that its line has just computed in a part of
/// an array. Such a value has no other reader, and is not recorded if one launch computes and
/// copies it.
fn is_read_copy(
    facts: &Facts<'_>,
    line: ProvenanceIndex,
    copy: (SourceIndex, Uid),
    is_alone: bool,
) -> bool {
    let made = facts.made_from(copy);
    let is_assigned = made.iter().any(|uid| {
        let maker = facts.line_of_task(copy.0, *uid);
        maker == Some(line) && facts.read_by((copy.0, *uid)).len() == 1
    });
    let is_known = is_alone || !made.is_empty();
    is_known && !is_assigned && !facts.is_overwritten(copy) && !facts.read_by(copy).is_empty()
}
