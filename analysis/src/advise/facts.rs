//! The data that rules examine.

use crate::iterations::{Iteration, Iterations, Outlines};
use crate::replay::{Baseline, EdgeKind, Graph, Node, NodeIndex, Schedule, times};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use weft_model::{Index, Operation, ProvenanceIndex, Served, SourceIndex, StepKind, Trace};
use weft_trace::id::Uid;
use weft_trace::record::{DependencyKind, ProcessorKind};

/// A trace with its replay, by line.
pub(super) struct Facts<'a> {
    pub(super) trace: &'a Trace,
    pub(super) graph: &'a Graph,
    pub(super) index: Index,
    pub(super) baseline: Baseline,
    /// The unchanged schedule.
    pub(super) base: Schedule,
    /// Whether each node is on the critical path of the unchanged schedule.
    pub(super) on_path: Vec<bool>,
    /// Nodes by the line that they mostly serve, without nodes that have no line.
    pub(super) by_line: BTreeMap<ProvenanceIndex, Vec<NodeIndex>>,
    /// Tasks with their shares, by each line that they serve.
    shares: BTreeMap<ProvenanceIndex, Vec<(NodeIndex, f32)>>,
    /// The predecessors whose results each task read.
    made_from: FxHashMap<(SourceIndex, Uid), Vec<Uid>>,
    /// The operations that read the results of each task.
    read_by: FxHashMap<(SourceIndex, Uid), Vec<Uid>>,
    /// The tasks whose results a later task overwrites.
    overwritten: FxHashSet<(SourceIndex, Uid)>,
    /// The row of the launch of each task that shares a launch with others.
    fused: FxHashMap<(SourceIndex, Uid), usize>,
    /// For each row of tasks, whether it needs a result of an earlier iteration of its loop.
    carried: Vec<bool>,
    /// The iteration of each row of operations.
    iterations: Iterations,
    outlines: Outlines,
}

impl<'a> Facts<'a> {
    pub(super) fn new(trace: &'a Trace, graph: &'a Graph) -> Facts<'a> {
        let base = times(graph, &[]);
        let mut on_path = vec![false; graph.nodes.len()];
        for node in base.path() {
            if let Some(is_on) = on_path.get_mut(node.0 as usize) {
                *is_on = true;
            }
        }
        let mut by_line: BTreeMap<ProvenanceIndex, Vec<NodeIndex>> = BTreeMap::new();
        let mut shares: BTreeMap<ProvenanceIndex, Vec<(NodeIndex, f32)>> = BTreeMap::new();
        for (at, node) in graph.iter() {
            let tasks = graph
                .lines(at)
                .iter()
                .filter(|_| node.kind == StepKind::Task);
            for (line, share) in tasks.filter(|part| part.0.0 != 0) {
                shares.entry(*line).or_default().push((at, *share));
            }
            let line = graph.line(at);
            if line.0 != 0 {
                by_line.entry(line).or_default().push(at);
            }
        }
        let index = Index::new(trace);
        let made_from = made_from(trace);
        let iterations = Iterations::detect(trace, &index);
        Facts {
            trace,
            graph,
            carried: carried(trace, &index, &iterations, &made_from),
            iterations,
            read_by: read_by(trace, &index),
            overwritten: overwritten(trace),
            fused: fused(trace),
            index,
            baseline: graph.baseline(),
            base,
            on_path,
            by_line,
            shares,
            made_from,
            outlines: Outlines::new(trace),
        }
    }

    pub(super) fn is_on_path(&self, node: NodeIndex) -> bool {
        self.on_path.get(node.0 as usize).copied().unwrap_or(false)
    }

    /// Returns the nodes of a line with this kind.
    pub(super) fn of_line(
        &self,
        line: ProvenanceIndex,
        kind: StepKind,
    ) -> impl Iterator<Item = (NodeIndex, &'a Node)> + '_ {
        let nodes = self.by_line.get(&line).into_iter().flatten();
        let nodes = nodes.filter_map(|at| Some((*at, self.graph.node(*at)?)));
        nodes.filter(move |(_, node)| node.kind == kind)
    }

    /// Returns the tasks that serve a line, perhaps with other lines, with the time of the line's
    /// share in ns.
    pub(super) fn tasks(&self, line: ProvenanceIndex) -> Vec<(NodeIndex, &'a Node, i64)> {
        let rows = self.shares.get(&line).into_iter().flatten();
        let timed = rows.filter_map(|(at, share)| {
            let node = self.graph.node(*at)?;
            let time = node.duration as f64 * f64::from(*share);
            Some((*at, node, time as i64))
        });
        let mut timed: Vec<_> = timed.collect();
        // A launch can have several operations of one line.
        timed.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            earlier.2 += if is_same { later.2 } else { 0 };
            is_same
        });
        timed
    }

    /// Returns the first task of each of a line's operations that have the name of the line's first
    /// operation, in order.
    pub(super) fn tasks_like_first(&self, line: ProvenanceIndex) -> Vec<(SourceIndex, Uid)> {
        let mut name = None;
        let tasks = self.trace.work.tasks.iter().filter(|task| {
            let row = self.operation(task.source, Some(task.operation));
            self.graph.holds(task.start)
                && row.is_some_and(|row| {
                    row.provenance == line
                        && task.point == 0
                        && *name.get_or_insert(row.name) == row.name
                })
        });
        tasks.map(|task| (task.source, task.uid)).collect()
    }

    /// Returns the tasks whose results a task read.
    pub(super) fn made_from(&self, task: (SourceIndex, Uid)) -> &[Uid] {
        self.made_from.get(&task).map_or(&[], Vec::as_slice)
    }

    /// Returns the operations that read the results of a task, each once.
    pub(super) fn read_by(&self, task: (SourceIndex, Uid)) -> &[Uid] {
        self.read_by.get(&task).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a later task writes to the results of a task.
    pub(super) fn is_overwritten(&self, task: (SourceIndex, Uid)) -> bool {
        self.overwritten.contains(&task)
    }

    /// Returns the tasks that a node of a task computes, each with its share of the time.
    pub(super) fn served(&self, node: &Node) -> Vec<(Uid, f64)> {
        let Some(task) = self.task(node) else {
            return Vec::new();
        };
        let launch = self.fused.get(&(task.source, task.uid));
        let launch = launch.and_then(|row| self.trace.work.launches.get(*row));
        launch.map_or_else(|| vec![(task.uid, 1.0)], |launch| launch.served().collect())
    }

    /// Returns whether the operation of a task has this name.
    pub(super) fn is_named(&self, source: SourceIndex, task: Uid, name: &str) -> bool {
        let Some(Served::Task(row)) = self.index.served(source, task) else {
            return false;
        };
        let task = self.trace.work.tasks.get(row as usize);
        let operation = task.and_then(|task| self.operation(source, Some(task.operation)));
        operation.is_some_and(|row| self.trace.strings.get(row.name) == name)
    }

    /// Returns whether two lines belong to one statement, by the text of the program.
    pub(super) fn is_one_statement(&self, one: ProvenanceIndex, other: ProvenanceIndex) -> bool {
        let [one, other] = [one, other].map(|place| self.trace.program.provenances.get(place));
        if one.file != other.file {
            return false;
        }
        let outline = self.outlines.get(one.file);
        one.line == other.line
            || outline.is_some_and(|text| text.statement(one.line) == text.statement(other.line))
    }

    /// Returns the line of a task.
    pub(super) fn line_of_task(&self, source: SourceIndex, task: Uid) -> Option<ProvenanceIndex> {
        let Served::Task(row) = self.index.served(source, task)? else {
            return None;
        };
        let task = self.trace.work.tasks.get(row as usize)?;
        let operation = self.operation(task.source, Some(task.operation))?;
        Some(operation.provenance)
    }

    /// Returns whether at least half of the iterations have a task of these lines that needs a
    /// result of an earlier iteration of their loop, itself or through others of its iteration.
    /// Such iterations cannot be combined, even if they also have independent tasks.
    pub(super) fn is_carried(&self, lines: &[ProvenanceIndex]) -> bool {
        let mut iterations: FxHashMap<Option<Iteration>, bool> = FxHashMap::default();
        let (mut all, mut carried) = (0, 0);
        for (row, task) in self.trace.work.tasks.iter().enumerate() {
            let operation = self.index.operation(task.source, task.operation);
            let known = operation.and_then(|row| self.trace.program.operations.get(row));
            let is_of_lines = known.is_some_and(|row| lines.contains(&row.provenance));
            if !is_of_lines || !self.graph.holds(task.start) {
                continue;
            }
            let is_carried = self.carried.get(row) == Some(&true);
            let iteration = operation.and_then(|row| self.iterations.of.get(row).copied());
            match iteration.flatten() {
                None => {
                    all += 1;
                    carried += usize::from(is_carried);
                }
                iteration => *iterations.entry(iteration).or_default() |= is_carried,
            }
        }
        all += iterations.len();
        carried += iterations.values().filter(|carried| **carried).count();
        all > 0 && 2 * carried >= all
    }

    /// Returns the number of iterations with operations of these lines; `None` if they are in no
    /// loop.
    pub(super) fn iterations(&self, lines: &[ProvenanceIndex]) -> Option<usize> {
        let rows = self
            .trace
            .program
            .operations
            .iter()
            .zip(&self.iterations.of);
        let own = rows.filter(|(operation, _)| lines.contains(&operation.provenance));
        let own = own.filter_map(|(_, iteration)| iteration.map(|known| (known.of, known.number)));
        let known: FxHashSet<_> = own.collect();
        (!known.is_empty()).then_some(known.len())
    }

    /// Returns all lines that tasks serve.
    pub(super) fn lines(&self) -> impl Iterator<Item = ProvenanceIndex> + '_ {
        self.shares.keys().copied()
    }

    /// Returns all nodes with this kind.
    pub(super) fn of_kind(
        &self,
        kind: StepKind,
    ) -> impl Iterator<Item = (NodeIndex, &'a Node)> + '_ {
        self.graph.iter().filter(move |(_, node)| node.kind == kind)
    }

    pub(super) fn operation(&self, source: SourceIndex, uid: Option<Uid>) -> Option<&'a Operation> {
        let row = self.index.operation(source, uid?)?;
        self.trace.program.operations.get(row)
    }

    /// Returns the name of the operation of a node; empty if it has none.
    pub(super) fn name(&self, node: &Node) -> &'a str {
        let row = self.operation(node.source, node.operation);
        row.map_or("", |row| self.trace.strings.get(row.name))
    }

    /// Returns the number of elements that the tasks of the operation of a node cover together.
    pub(super) fn elements(&self, node: &Node) -> Option<u64> {
        let row = self.operation(node.source, node.operation)?;
        Some(row.shape.iter().product())
    }

    /// Returns the nodes whose results a node uses.
    pub(super) fn data(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let edges = self.graph.before(node).iter();
        edges
            .filter(|edge| edge.kind == EdgeKind::Data)
            .map(|edge| edge.node)
    }

    /// Returns the nodes that use the results of a node.
    pub(super) fn readers(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let edges = self.graph.after(node).iter();
        edges
            .filter(|edge| edge.kind == EdgeKind::Data)
            .map(|edge| edge.node)
    }

    /// Returns the number of workers in the pool of a node, 1 without a pool.
    pub(super) fn workers(&self, node: &Node) -> u32 {
        let pool = node
            .pool
            .and_then(|pool| self.graph.pools.get(pool as usize));
        pool.copied().unwrap_or(1)
    }

    /// Returns the largest number of workers that share a queue.
    pub(super) fn most_workers(&self) -> u32 {
        self.graph.pools.iter().copied().max().unwrap_or(1)
    }

    /// Returns the copy of a node, if it is one.
    pub(super) fn copy(&self, node: &Node) -> Option<&'a weft_model::Copy> {
        match node.work? {
            Served::Copy(row) => self.trace.work.copies.get(row as usize),
            Served::Task(_) => None,
        }
    }

    /// Returns the task of a node, if it is one.
    pub(super) fn task(&self, node: &Node) -> Option<&'a weft_model::Task> {
        match node.work? {
            Served::Task(row) => self.trace.work.tasks.get(row as usize),
            Served::Copy(_) => None,
        }
    }

    /// Returns whether a node ran on a GPU.
    pub(super) fn is_on_gpu(&self, node: NodeIndex) -> bool {
        let issued = self.graph.before(node).iter().any(|edge| {
            let before = self.graph.node(edge.node);
            before.is_some_and(|before| before.kind == StepKind::Issue)
        });
        issued
            || self
                .graph
                .node(node)
                .is_some_and(|node| self.has_kind(node, ProcessorKind::Gpu))
    }

    fn has_kind(&self, node: &Node, kind: ProcessorKind) -> bool {
        let Some(task) = self.task(node) else {
            return false;
        };
        let mut processors = self.trace.machine.processors.iter();
        processors.any(|row| (row.source, row.id, row.kind) == (task.source, task.processor, kind))
    }
}

fn made_from(trace: &Trace) -> FxHashMap<(SourceIndex, Uid), Vec<Uid>> {
    let mut made: FxHashMap<_, Vec<Uid>> = FxHashMap::default();
    let rows = trace.work.dependencies.iter();
    for row in rows.filter(|row| row.kind == DependencyKind::ReadAfterWrite) {
        made.entry((row.source, row.to)).or_default().push(row.from);
    }
    made
}

fn overwritten(trace: &Trace) -> FxHashSet<(SourceIndex, Uid)> {
    let rows = trace.work.dependencies.iter();
    let rows = rows.filter(|row| row.kind == DependencyKind::WriteAfterWrite);
    rows.map(|row| (row.source, row.from)).collect()
}

fn fused(trace: &Trace) -> FxHashMap<(SourceIndex, Uid), usize> {
    let launches = trace.work.launches.iter().enumerate();
    let launches = launches.filter(|(_, launch)| launch.shares.len() > 1);
    let served = launches.flat_map(|(row, launch)| {
        let source = launch.source;
        launch.served().map(move |(uid, _)| ((source, uid), row))
    });
    served.collect()
}

fn read_by(trace: &Trace, index: &Index) -> FxHashMap<(SourceIndex, Uid), Vec<Uid>> {
    let mut read: FxHashMap<_, Vec<Uid>> = FxHashMap::default();
    // One result can have as many readers as the trace has operations.
    let mut seen: FxHashSet<(SourceIndex, Uid, Uid)> = FxHashSet::default();
    let rows = trace.work.dependencies.iter();
    for row in rows.filter(|row| row.kind == DependencyKind::ReadAfterWrite) {
        let Some(Served::Task(reader)) = index.served(row.source, row.to) else {
            continue;
        };
        let reader = trace
            .work
            .tasks
            .get(reader as usize)
            .map(|task| task.operation);
        let known = read.entry((row.source, row.from)).or_default();
        known.extend(reader.filter(|reader| seen.insert((row.source, row.from, *reader))));
    }
    read
}

/// Returns for each row of tasks whether it needs a result of an earlier iteration of its loop,
/// itself or through others of its iteration.
fn carried(
    trace: &Trace,
    index: &Index,
    iterations: &Iterations,
    made_from: &FxHashMap<(SourceIndex, Uid), Vec<Uid>>,
) -> Vec<bool> {
    let iteration = |row: usize| {
        let task = trace.work.tasks.get(row)?;
        let operation = index.operation(task.source, task.operation)?;
        iterations.of.get(operation).copied().flatten()
    };
    let mut carried = vec![false; trace.work.tasks.len()];
    let mut order: Vec<usize> = (0..trace.work.tasks.len()).collect();
    order.sort_by_key(|row| trace.work.tasks.get(*row).map(|task| task.uid.sequence()));
    for row in order {
        let (Some(task), Some(own)) = (trace.work.tasks.get(row), iteration(row)) else {
            continue;
        };
        let made = made_from
            .get(&(task.source, task.uid))
            .map_or(&[][..], Vec::as_slice);
        let is_carried = made.iter().any(|uid| {
            let Some(Served::Task(other)) = index.served(task.source, *uid) else {
                return false;
            };
            let other = other as usize;
            iteration(other)
                .filter(|other| other.of == own.of)
                .is_some_and(|before| {
                    before.number < own.number || carried.get(other) == Some(&true)
                })
        });
        if let Some(carried) = carried.get_mut(row) {
            *carried = is_carried;
        }
    }
    carried
}

/// Returns the total duration of nodes, in ns.
pub(super) fn total<'a>(nodes: impl IntoIterator<Item = &'a Node>) -> i64 {
    nodes.into_iter().map(|node| node.duration).sum()
}

/// Returns the median, or the upper of two; 0 if empty.
pub(super) fn median(mut values: Vec<i64>) -> i64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}
