//! Rule 5: elementwise operations in a chain, each with its own kernel.

use super::{Candidate, Facts, bytes, count, nanos};
use crate::replay::{Change, NodeIndex};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use weft_model::StepKind;

/// Parts of the names of operations that can join a chain.
const ELEMENTWISE: &[&str] = &[
    "binary", "unary", "add", "subtract", "multiply", "divide", "negative", "sqrt", "square",
    "exp", "log", "sin", "cos", "tanh", "abs", "maximum", "minimum", "where", "greater", "less",
    "equal", "logical", "power", "cast", "fill",
];
/// The least number of elements. Smaller arrays stay in a cache between kernels.
const LARGE: u64 = 1 << 18;
/// The fraction of an operation's traffic for a temporary: one of its three arrays, the most
/// frequent number.
const PART: f64 = 1.0 / 3.0;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let can_join = |at: NodeIndex| {
        let node = facts.graph.node(at)?;
        let name = facts.name(node).to_lowercase();
        let is_one = ELEMENTWISE.iter().any(|part| name.contains(part));
        let is_large = facts
            .elements(node)
            .is_some_and(|elements| elements >= LARGE);
        (node.kind == StepKind::Task && is_one && is_large && facts.graph.lines(at).len() <= 1)
            .then_some(node)
    };
    let mut lines: BTreeMap<_, (Vec<NodeIndex>, i64, u64)> = BTreeMap::new();
    let mut scaled = FxHashSet::default();
    for (at, _) in facts.of_kind(StepKind::Task) {
        let mut readers = facts.readers(at);
        let (Some(reader), None) = (readers.next(), readers.next()) else {
            continue;
        };
        let (Some(made), Some(read)) = (can_join(at), can_join(reader)) else {
            continue;
        };
        // One expression is already fused as far as possible.
        if facts.is_one_statement(facts.graph.line(reader), facts.graph.line(at)) {
            continue;
        }
        if made.source != read.source || facts.elements(made) != facts.elements(read) {
            continue;
        }
        let own = lines
            .entry((facts.graph.line(reader), facts.graph.line(at)))
            .or_default();
        own.1 += read.duration;
        own.2 += facts.elements(made).unwrap_or(0) * 8;
        own.0
            .extend([at, reader].into_iter().filter(|node| scaled.insert(*node)));
    }
    let candidate = |((line, other), (nodes, time, sum)): ((_, _), (Vec<NodeIndex>, i64, u64))| {
        let mut lines = vec![line];
        lines.extend((other != line).then_some(other));
        Candidate {
            lines,
            evidence: vec![
                count("kernels of the chain", nodes.len()),
                nanos("reading the temporaries", time),
                bytes("written and read once (8 bytes per element)", sum),
            ],
            assumes: Some(
                "time is proportional to bytes, and a third of them are the temporary's".to_owned(),
            ),
            changes: vec![Change::Scale {
                nodes,
                factor: 1.0 - PART,
            }],
            ..Candidate::default()
        }
    };
    lines.into_iter().map(candidate).collect()
}
