//! Rule 1: the program waits for a scalar in a loop. Waits of the lines of one loop are one
//! candidate, because each of them alone delays the program as long as the others do.

use super::{Candidate, Facts, count, nanos};
use crate::replay::{Change, EdgeKind, NodeIndex};
use weft_model::{ProvenanceIndex, StepKind};
use weft_trace::id::CallNumber;

/// The simulated fix keeps one of this number of waits.
const KEPT: usize = 10;
/// The least number of waits in a loop. With fewer, reading every 10th value reads only one.
const LOOP: usize = KEPT;

/// The advice if the program itself reads no values.
const INSIDE: &str = "The function waits for its own intermediate values: call it once for all of the data, such as with `axis=`, or \
                      less often";

/// A line that waits.
struct Line {
    line: ProvenanceIndex,
    waits: Vec<NodeIndex>,
    /// The time by which the program was delayed, in ns.
    blocked: i64,
    span: (i64, i64),
    /// Whether functions of the front end read the values, rather than the program.
    is_inside: bool,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let lines = facts.by_line.keys();
    let mut lines: Vec<Line> = lines.filter_map(|line| line_of(facts, *line)).collect();
    lines.sort_by_key(|line| (line.span.0, line.line));
    let mut found = Vec::new();
    while !lines.is_empty() {
        let first = lines.remove(0);
        let is_with = |other: &Line| {
            let alike = other.waits.len() <= first.waits.len() * 2
                && first.waits.len() <= other.waits.len() * 2;
            alike && other.span.0 < first.span.1 && first.span.0 < other.span.1
        };
        let (with, rest) = lines.into_iter().partition(is_with);
        lines = rest;
        let mut body: Vec<Line> = std::iter::once(first).chain(with).collect();
        body.sort_by_key(|line| (std::cmp::Reverse(line.blocked), line.line));
        let dropped = body.iter().flat_map(|line| {
            let waits = line.waits.iter().enumerate();
            waits.filter(|(row, _)| row % KEPT != KEPT - 1)
        });
        let is_inside = body.iter().all(|line| line.is_inside);
        let rarely = match is_inside {
            true => "the function is called",
            false => "values are read",
        };
        found.push(Candidate {
            change: is_inside.then(|| INSIDE.to_owned()),
            lines: body.iter().map(|line| line.line).collect(),
            evidence: vec![
                count("waits", body.iter().map(|line| line.waits.len()).sum()),
                nanos("blocked for", body.iter().map(|line| line.blocked).sum()),
            ],
            assumes: Some(format!("{rarely} every {KEPT}th time")),
            changes: vec![Change::DropWaits {
                nodes: dropped.map(|(_, node)| *node).collect(),
            }],
            ..Candidate::default()
        });
    }
    found
}

/// Returns the waits of a line in a loop that delayed the program.
fn line_of(facts: &Facts<'_>, line: ProvenanceIndex) -> Option<Line> {
    let rows = facts.of_line(line, StepKind::Wait);
    let rows = rows.filter_map(|(at, node)| Some((at, node.start, blocked(facts, at)?)));
    let rows: Vec<(NodeIndex, i64, i64)> = rows.collect();
    let (first, last) = (rows.first()?.1, rows.last()?.1);
    let held = rows.iter().filter(|row| row.2 > 0).count();
    let is_inside = |at: NodeIndex| {
        let node = facts.graph.node(at)?;
        let call = facts.operation(node.source, node.operation)?.call;
        CallNumber::from_number(call).map(CallNumber::is_indirect)
    };
    (held >= LOOP).then(|| Line {
        line,
        waits: rows.iter().map(|row| row.0).collect(),
        blocked: rows.iter().map(|row| row.2).sum(),
        span: (first, last),
        is_inside: rows.iter().all(|row| is_inside(row.0) == Some(true)),
    })
}

/// Returns the time by which the awaited event delayed the program, in ns; `None` if unknown.
fn blocked(facts: &Facts<'_>, at: NodeIndex) -> Option<i64> {
    let node = facts.graph.node(at)?;
    let before = facts.graph.before(at);
    let came = before.iter().filter(|edge| edge.kind == EdgeKind::Order);
    let came = came
        .filter_map(|edge| Some(facts.graph.node(edge.node)?.end()))
        .max();
    let awaits = before.iter().any(|edge| edge.kind == EdgeKind::Wait);
    awaits.then_some(node.start - came.unwrap_or(node.start))
}
