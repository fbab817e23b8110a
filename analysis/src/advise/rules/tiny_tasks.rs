//! Rule 4: tasks that are shorter than the cost of starting them. The lines of a loop are one
//! candidate, and so are the tiles of a line's operations.

mod tiles;

use super::super::facts::{median, total};
use super::{Candidate, Facts, count, element_loop, nanos};
use crate::replay::{Change, NodeIndex};
use rustc_hash::FxHashSet;
use weft_model::{ProvenanceIndex, SourceIndex, StepKind};
use weft_trace::id::Uid;

/// The least number of operations of a line in a loop.
const LOOP: usize = 64;
/// The simulated length of batches, in ns.
const BATCH: i64 = 1_000_000;

/// The number of steps back in which the predecessors of an operation are searched.
const NEAR: usize = 64;

/// A line in a loop.
struct Line {
    line: ProvenanceIndex,
    operations: usize,
    /// The time from its first to its last task.
    span: (i64, i64),
    tasks: i64,
    overhead: i64,
}

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let lines = facts.lines();
    let mut lines: Vec<Line> = lines.filter_map(|line| line_of(facts, line)).collect();
    lines.sort_by_key(|line| (line.span.0, line.line));
    let mut found = Vec::new();
    while !lines.is_empty() {
        let first = lines.remove(0);
        let is_with = |other: &Line| {
            let alike = other.operations <= first.operations * 4
                && first.operations <= other.operations * 4;
            alike && other.span.0 < first.span.1 && first.span.0 < other.span.1
        };
        let (with, rest) = lines.into_iter().partition(is_with);
        lines = rest;
        let body: Vec<Line> = std::iter::once(first).chain(with).collect();
        found.extend(candidate(facts, &body));
    }
    found.extend(tiles::find(facts));
    found
}

fn line_of(facts: &Facts<'_>, line: ProvenanceIndex) -> Option<Line> {
    let tasks = facts.tasks(line);
    let launches = tasks
        .iter()
        .map(|(_, node, _)| (node.source, node.operation));
    let launches: FxHashSet<_> = launches.collect();
    if launches.len() < LOOP || element_loop::is_one(facts, line) {
        return None;
    }
    // Reading of values is covered by rule 1, and NumPy's own computations are not tasks that the
    // runtime starts.
    let named = |name: &str| {
        let tasks = tasks.iter();
        tasks
            .filter(|(_, node, _)| facts.name(node) == name)
            .count()
    };
    if named("read") * 4 > tasks.len() || named("fallback") > 0 || is_carried(facts, line) {
        return None;
    }
    let usual = median(tasks.iter().map(|row| row.1.duration).collect());
    let program = total(facts.of_line(line, StepKind::Program).map(|row| row.1));
    let analysis = total(facts.of_line(line, StepKind::Analysis).map(|row| row.1));
    let delays: i64 = tasks.iter().map(|(_, node, _)| node.delay).sum();
    let overhead = program + analysis + delays;
    let time = tasks.iter().map(|row| row.2).sum();
    let first = tasks.iter().map(|(_, node, _)| node.start).min()?;
    let last = tasks.iter().map(|(_, node, _)| node.end()).max()?;
    let tiny = usual < BATCH / 10 && time < 2 * overhead;
    tiny.then_some(Line {
        line,
        operations: launches.len(),
        span: (first, last),
        tasks: time,
        overhead,
    })
}

/// Returns whether operations of a line depend on the one before them, so that they cannot be
/// combined. Launches can hold operations of several iterations, so tasks are examined if their
/// dependences were recorded.
fn is_carried(facts: &Facts<'_>, line: ProvenanceIndex) -> bool {
    let tasks: Vec<(SourceIndex, Uid)> = facts.tasks_like_first(line);
    let needed = tasks.windows(2).filter(|pair| {
        let [before, after] = pair else {
            return false;
        };
        let mut open = vec![after.1];
        let mut seen = 0;
        while let Some(uid) = open.pop().filter(|_| seen < NEAR) {
            seen += 1;
            if uid == before.1 {
                return true;
            }
            let earlier = facts.made_from((after.0, uid)).iter();
            open.extend(earlier.filter(|other| **other >= before.1));
        }
        false
    });
    needed.count() * 4 > tasks.len()
}

/// Returns a candidate that combines iterations, for the lines that do not depend on earlier
/// iterations. Other lines of the loop are unchanged.
fn candidate(facts: &Facts<'_>, body: &[Line]) -> Option<Candidate> {
    let is_free = |line: &&Line| !facts.is_carried(&[line.line]);
    let body: Vec<&Line> = body.iter().filter(is_free).collect();
    let lines: Vec<ProvenanceIndex> = body.iter().map(|line| line.line).collect();
    let operations: usize = body.iter().map(|line| line.operations).sum();
    let tasks: i64 = body.iter().map(|line| line.tasks).sum();
    let overhead: i64 = body.iter().map(|line| line.overhead).sum();
    let most = body.iter().map(|line| line.operations).max()?;
    let iterations = facts.iterations(&lines).unwrap_or(most).min(most);
    if iterations < 2 {
        return None;
    }
    let each = tasks / iterations as i64;
    let batch = (BATCH / each.max(1)).clamp(2, iterations as i64) as usize;
    let (mut gone, mut waits) = (Vec::new(), Vec::new());
    let (mut shared, mut prompt) = (Vec::new(), Vec::new());
    for line in body {
        for kind in [StepKind::Program, StepKind::Analysis, StepKind::Issue] {
            let rows: Vec<NodeIndex> = facts.of_line(line.line, kind).map(|row| row.0).collect();
            gone.extend(without_every(&rows, batch));
        }
        let rows: Vec<NodeIndex> = facts
            .of_line(line.line, StepKind::Wait)
            .map(|row| row.0)
            .collect();
        waits.extend(without_every(&rows, batch));
        let tasks = facts.tasks(line.line);
        for (at, node, _) in &tasks {
            // Work that the program ran itself is then large enough to be divided among workers.
            if node.pool.is_none() && !facts.is_on_gpu(*at) {
                shared.push((*at, node.duration / i64::from(facts.most_workers())));
            }
        }
        let rows: Vec<NodeIndex> = tasks.iter().map(|row| row.0).collect();
        prompt.extend(without_every(&rows, batch));
    }
    Some(Candidate {
        lines,
        evidence: vec![
            count("operations", operations),
            nanos("a task takes", tasks / operations as i64),
            nanos("to start one", overhead / operations as i64),
        ],
        assumes: Some(format!(
            "{batch} iterations at a time, whose tasks take as long together"
        )),
        changes: vec![
            Change::Remove { nodes: gone },
            Change::DropWaits { nodes: waits },
            Change::Take { nodes: shared },
            Change::Prompt {
                nodes: prompt,
                delay: 0,
            },
        ],
        ..Candidate::default()
    })
}

/// Returns all rows except every `batch`-th.
fn without_every(rows: &[NodeIndex], batch: usize) -> impl Iterator<Item = NodeIndex> + '_ {
    let rows = rows.iter().enumerate();
    rows.filter(move |(row, _)| row % batch != 0)
        .map(|(_, node)| *node)
}
