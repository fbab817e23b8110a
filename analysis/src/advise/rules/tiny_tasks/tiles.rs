//! Tiles of an operation that are shorter than the cost of starting them. Each tile depends on all
//! earlier ones that it touches, so the number of dependences grows with the square of the number
//! of tiles.

use super::super::super::facts::{median, total};
use super::super::{Candidate, Facts, count, nanos};
use crate::replay::{Change, Node, NodeIndex};
use std::collections::BTreeMap;
use weft_model::{ProvenanceIndex, SourceIndex, StepKind};
use weft_trace::id::Uid;

/// The least number of tasks of a line.
const MANY: usize = 64;
/// The least duration in ns of a tile that is worth its own task.
const ENOUGH: i64 = 50_000;

/// The advice.
const CHANGE: &str = "Use fewer and larger tiles: raise --min-cpu-chunk; for a task of your own, lower `work` or use `whole`";

/// The tiles of an operation, in order.
type Tiles<'a> = Vec<(u32, NodeIndex, &'a Node)>;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let lines = facts.by_line.keys();
    lines.filter_map(|line| candidate(facts, *line)).collect()
}

fn candidate(facts: &Facts<'_>, line: ProvenanceIndex) -> Option<Candidate> {
    let mut operations: BTreeMap<(SourceIndex, Option<Uid>), Tiles<'_>> = BTreeMap::new();
    for (at, node) in facts.of_line(line, StepKind::Task) {
        let Some(task) = facts.task(node).filter(|_| !facts.is_on_gpu(at)) else {
            continue;
        };
        let tiles = operations.entry((node.source, node.operation)).or_default();
        tiles.push((task.point, at, node));
    }
    operations.retain(|_, tiles| tiles.len() > 1);
    let tasks: usize = operations.values().map(Vec::len).sum();
    if tasks < MANY {
        return None;
    }
    let nodes = || operations.values().flatten().map(|(_, _, node)| *node);
    let usual = median(nodes().map(|node| node.duration).collect());
    let analysis: Vec<(NodeIndex, &Node)> = facts.of_line(line, StepKind::Analysis).collect();
    let overhead =
        total(analysis.iter().map(|(_, node)| *node)) + nodes().map(|node| node.delay).sum::<i64>();
    let each = overhead / tasks as i64;
    if usual >= each || usual >= ENOUGH {
        return None;
    }
    let work = median(
        operations
            .values()
            .map(|tiles| total(tiles.iter().map(|(_, _, node)| *node)))
            .collect(),
    );
    let many = tasks.div_ceil(operations.len());
    let few = usize::try_from(work / ENOUGH)
        .unwrap_or(0)
        .clamp(1, many - 1);
    let (mut trace, mut gone) = (Vec::new(), Vec::new());
    for tiles in operations.values_mut() {
        tiles.sort_unstable_by_key(|(point, at, _)| (*point, *at));
        for part in tiles.chunks(tiles.len().div_ceil(few)) {
            let time = total(part.iter().map(|(_, _, node)| *node));
            trace.extend(part.first().map(|(_, at, _)| (*at, time)));
            gone.extend(part.iter().skip(1).map(|(_, at, _)| *at));
        }
    }
    let all = operations.values().flatten();
    let waits: usize = all.map(|(_, at, _)| facts.data(*at).count()).sum();
    let factor = few as f64 / many as f64;
    Some(Candidate {
        lines: vec![line],
        change: Some(CHANGE.to_owned()),
        evidence: vec![
            count("tasks", tasks),
            count("of each operation", many),
            count("others that each waits for", waits / tasks),
            nanos("a task takes", usual),
            nanos("to start one", each),
        ],
        assumes: Some(match few {
            1 => "each operation is one task, which takes as long as its tiles together".to_owned(),
            few => format!("each operation is {few} tasks, which take as long together"),
        }),
        changes: vec![
            Change::Take { nodes: trace },
            Change::Remove { nodes: gone },
            Change::Scale {
                nodes: analysis.into_iter().map(|(at, _)| at).collect(),
                factor,
            },
        ],
        ..Candidate::default()
    })
}
