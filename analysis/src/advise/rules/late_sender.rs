//! Rule 9: a rank waits for a message that is sent late, because the sender takes longer than other
//! ranks for its data.

use super::{Candidate, EVEN, Facts, count, nanos};
use crate::replay::{Change, NodeIndex};
use std::collections::BTreeMap;
use weft_model::{ProvenanceIndex, StepKind};

/// The least duration of waits in ns. Shorter ones are the cost of a message.
const LATE: i64 = 20_000;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    // The number and length of waits, by the sender's line and rank.
    let mut roots: BTreeMap<(ProvenanceIndex, u32), (usize, i64)> = BTreeMap::new();
    for (at, node) in facts.of_kind(StepKind::Message) {
        let message = facts.copy(node).and_then(|copy| copy.message);
        let message = message.and_then(|row| facts.trace.work.messages.get(row.0 as usize));
        let Some((sent, received)) = message.and_then(|row| Some((row.sent?, row.received?)))
        else {
            continue;
        };
        let late = (sent.start - received.start).0;
        if late < LATE {
            continue;
        }
        // The last work of the sender that the message waited for.
        let work = facts
            .data(at)
            .filter_map(|earlier| Some((earlier, facts.graph.node(earlier)?)));
        let own =
            work.filter(|(_, work)| work.source == sent.source && work.kind == StepKind::Task);
        if let Some((root, _)) = own.max_by_key(|(_, work)| work.end()) {
            let row = roots
                .entry((facts.graph.line(root), sent.source.0))
                .or_default();
            row.0 += 1;
            row.1 += late;
        }
    }
    let mut found = Vec::new();
    for ((line, rank), (messages, late)) in roots {
        // The time of the line on each rank.
        let mut ranks: BTreeMap<u32, (Vec<NodeIndex>, i64)> = BTreeMap::new();
        for (at, node) in facts.of_line(line, StepKind::Task) {
            let own = ranks.entry(node.source.0).or_default();
            own.0.push(at);
            own.1 += node.duration;
        }
        let all: i64 = ranks.values().map(|row| row.1).sum();
        let mean = all as f64 / ranks.len().max(1) as f64;
        let Some((nodes, own)) = ranks.remove(&rank).filter(|row| row.1 as f64 > mean * EVEN)
        else {
            continue;
        };
        let source = facts.trace.sources.get(rank as usize);
        let name = source.and_then(|source| source.rank).unwrap_or(rank as u16);
        let mut changes = vec![Change::Scale {
            nodes,
            factor: mean / own as f64,
        }];
        // Work that is taken off one rank is added to the others.
        for (nodes, own) in ranks.into_values().filter(|row| row.1 > 0) {
            let factor = mean / own as f64;
            changes.push(Change::Scale { nodes, factor });
        }
        found.push(Candidate {
            lines: vec![line],
            evidence: vec![
                count("late messages", messages),
                nanos("receivers waited", late),
                nanos(&format!("the line takes on rank {name}"), own),
                nanos("on each rank, the mean", mean as i64),
            ],
            assumes: Some("the line takes equally long on every rank".to_owned()),
            changes,
            ..Candidate::default()
        });
    }
    found
}
