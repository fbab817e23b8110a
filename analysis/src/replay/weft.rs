//! The graphs of runs of Weft, from the same pieces as the critical path.

use super::build::{Builder, RecordedNode};
use super::graph::EdgeKind;
use rustc_hash::{FxHashMap, FxHashSet};
use weft_critical::pieces::{Lane, Piece, PieceIndex, PieceRow, Pieces, Program};
use weft_model::{ProvenanceIndex, Served, SourceIndex, StepKind, Trace, Wait, WaitKind};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::ProcessorKind;

/// The node of a piece without a node.
const NONE: u32 = u32::MAX;
/// Number of the last ended pieces that count as causes when the program waited for all.
const LAST: usize = 16;

/// Adds the nodes and edges of all runs of Weft.
pub(super) fn add(trace: &Trace, builder: &mut Builder) {
    let pieces = Pieces::new(trace);
    let mut weft = Weft {
        trace,
        builder,
        pools: FxHashMap::default(),
        nodes: vec![NONE; pieces.all.len()],
        issues: vec![NONE; pieces.all.len()],
        calls: vec![NONE; trace.work.runtime_calls.len()],
        callers: FxHashMap::default(),
        waits: Vec::new(),
        arrived: FxHashMap::default(),
        pieces: &pieces,
    };
    weft.make_pools();
    for source in (0..trace.sources.len().max(1) as u32).map(SourceIndex) {
        if pieces.is_of_weft(source) {
            weft.program(source);
        }
    }
    weft.analysis();
    weft.work();
    weft.order();
    weft.causes();
    weft.waits();
}

struct Weft<'a, 'p> {
    trace: &'a Trace,
    pieces: &'p Pieces<'a>,
    builder: &'p mut Builder,
    /// Pool and worker of each processor.
    pools: FxHashMap<(SourceIndex, ProcessorId), (u32, u32)>,
    /// The node of each piece.
    nodes: Vec<u32>,
    /// For pieces on a GPU, the node of their issue.
    issues: Vec<u32>,
    /// The node of each call of the runtime.
    calls: Vec<u32>,
    /// The last node of the program before it called for an operation.
    callers: FxHashMap<(SourceIndex, Uid), u32>,
    /// Waits of programs, with their nodes.
    waits: Vec<(u32, u32)>,
    /// The last node of each rank's program before it met the others.
    arrived: FxHashMap<Uid, Vec<u32>>,
}

/// The place of a call of the runtime, and its operation.
type CallKey = (SourceIndex, ProcessorId, Option<Uid>);

/// A step of a program, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Did {
    Called(Uid),
    Event(Program),
}

impl Weft<'_, '_> {
    /// Creates the pools: workers of a kind share a queue.
    fn make_pools(&mut self) {
        let mut sizes: FxHashMap<(SourceIndex, ProcessorKind), Vec<ProcessorId>> =
            FxHashMap::default();
        for row in &self.trace.machine.processors {
            if matches!(row.kind, ProcessorKind::Cpu | ProcessorKind::Omp) {
                sizes
                    .entry((row.source, row.kind))
                    .or_default()
                    .push(row.id);
            }
        }
        let mut sizes: Vec<_> = sizes.into_iter().collect();
        sizes.sort_by_key(|((source, kind), _)| (*source, kind.name()));
        for ((source, _), ids) in sizes {
            let pool = self.builder.pool(ids.len() as u32);
            for (worker, id) in (0..).zip(ids) {
                self.pools.insert((source, id), (pool, worker));
            }
        }
    }

    fn line(&self, source: SourceIndex, operation: Uid) -> ProvenanceIndex {
        let row = self.pieces.index.operation(source, operation);
        let row = row.and_then(|row| self.trace.program.operations.get(row));
        row.map_or(ProvenanceIndex(0), |row| row.provenance)
    }

    /// Adds the thread of a program: its own time before each call, the work that it ran inline,
    /// and its waits.
    fn program(&mut self, source: SourceIndex) {
        let mut did = Vec::new();
        // Operations that the program's thread ran inline: it also called for the operations within
        // them.
        let mut own: FxHashSet<Uid> = FxHashSet::default();
        for (_, event) in self.pieces.program(source, i64::MAX) {
            did.push((self.event_start(event), Did::Event(event)));
            if matches!(event, Program::Ran(_)) {
                own.extend(self.operation_of(Did::Event(event)));
            }
        }
        for row in &self.trace.program.operations {
            if row.parent.is_none_or(|parent| own.contains(&parent))
                && self.trace.run_of(source) == row.run
                && let Some(at) = self.pieces.called_at(source, row.uid)
            {
                did.push((at, Did::Called(row.uid)));
            }
        }
        did.sort_unstable();
        self.join_polls(&mut did);
        // The operations of the calls ahead: the program's own time counts for the next one.
        let mut next: Vec<Option<Uid>> = vec![None; did.len()];
        let mut known = None;
        for (at, row) in did.iter().enumerate().rev() {
            known = self.operation_of(row.1).or(known);
            next[at] = known;
        }
        let mut last = None;
        let mut at = did.first().map_or(0, |row| row.0);
        for ((start, what), next) in did.into_iter().zip(next) {
            if start > at || last.is_none() {
                let gap = RecordedNode {
                    operation: next,
                    ..RecordedNode::new(StepKind::Program, source, at.min(start), start)
                };
                last = Some(self.follow(last, gap));
                at = start;
            }
            match what {
                Did::Called(uid) => {
                    self.callers.insert((source, uid), last.unwrap_or(NONE));
                }
                Did::Event(event) => {
                    let node = self.event(source, event, at, last);
                    if let Some((node, end)) = node {
                        last = Some(node);
                        at = at.max(end);
                    }
                }
            }
        }
    }

    /// Joins consecutive waits for one operation: a front end that checks signals meanwhile waits
    /// repeatedly.
    fn join_polls(&self, did: &mut Vec<(i64, Did)>) {
        let wait = |what: Did| match what {
            Did::Event(Program::Waited(row)) => self.pieces.wait(row),
            _ => None,
        };
        let mut kept: Vec<(i64, Did)> = Vec::with_capacity(did.len());
        for row in did.drain(..) {
            let last = kept.last().copied();
            let poll = last.and_then(|last| wait(last.1)).zip(wait(row.1));
            let is_again = poll.is_some_and(|(poll, again)| {
                let awaited = poll
                    .operation
                    .and_then(|uid| self.pieces.awaited(poll.source, uid));
                let end = awaited
                    .and_then(|piece| self.pieces.get(piece))
                    .map(|piece| piece.end);
                let same = (poll.kind, poll.operation) == (again.kind, again.operation);
                same && end.is_some_and(|end| end > poll.end.nanos())
            });
            match (is_again, last) {
                (true, Some((start, _))) => {
                    kept.pop();
                    kept.push((start, row.1));
                }
                _ => kept.push(row),
            }
        }
        *did = kept;
    }

    fn event_start(&self, event: Program) -> i64 {
        match event {
            Program::Ran(at) => self.pieces.get(at).map_or(0, |piece| piece.start),
            Program::Called(row) => self.pieces.call(row).map_or(0, |call| call.start.nanos()),
            Program::Waited(row) => self.pieces.wait(row).map_or(0, |wait| wait.start.nanos()),
        }
    }

    fn operation_of(&self, did: Did) -> Option<Uid> {
        match did {
            Did::Called(uid) => Some(uid),
            Did::Event(Program::Ran(at)) => {
                let piece = self.pieces.get(at)?;
                self.pieces.served(piece).first().map(|row| row.2)
            }
            Did::Event(Program::Called(row)) => self.pieces.call(row)?.operation,
            Did::Event(Program::Waited(row)) => self.pieces.wait(row)?.operation,
        }
    }

    /// Adds a node after the previous one on its thread; its line is that of its operation.
    fn follow(&mut self, last: Option<u32>, made: RecordedNode) -> u32 {
        let line = made.operation.map(|uid| self.line(made.source, uid));
        let node = self.builder.node(made);
        if let Some(line) = line.filter(|line| line.0 != 0) {
            self.builder.part(node, line, 1.0);
        }
        if let Some(last) = last {
            self.builder.edge(last, node, EdgeKind::Order);
        }
        node
    }

    /// Adds the node of an event on the program's thread, and returns it with its end. An event
    /// within another begins when that one ends.
    fn event(
        &mut self,
        source: SourceIndex,
        event: Program,
        at: i64,
        last: Option<u32>,
    ) -> Option<(u32, i64)> {
        match event {
            Program::Ran(index) => {
                let piece = *self.pieces.get(index)?;
                let node = self.piece(&piece, at.max(piece.start), None);
                if let Some(last) = last {
                    self.builder.edge(last, node, EdgeKind::Order);
                }
                self.nodes[index as usize] = node;
                Some((node, piece.end))
            }
            Program::Called(row) => {
                let call = self.pieces.call(row)?;
                let (start, end) = (call.start.nanos().max(at), call.end.nanos());
                let made = RecordedNode {
                    operation: call.operation,
                    ..RecordedNode::new(StepKind::Analysis, source, start, end)
                };
                let node = self.follow(last, made);
                self.calls[row as usize] = node;
                Some((node, end))
            }
            Program::Waited(row) => {
                let wait = self.pieces.wait(row)?;
                let end = wait.end.nanos().max(at);
                if let (WaitKind::Agreement, Some(operation)) = (wait.kind, wait.operation) {
                    let arrived = self.arrived.entry(operation).or_default();
                    arrived.extend(last);
                }
                // A wait begins when it is over: until then the program is held up.
                let made = RecordedNode {
                    operation: wait.operation,
                    ..RecordedNode::new(StepKind::Wait, source, end, end)
                };
                let node = self.follow(last, made);
                self.waits.push((row, node));
                Some((node, end))
            }
        }
    }

    /// Adds calls of the runtime on their own threads; consecutive calls for one operation are
    /// one node.
    fn analysis(&mut self) {
        let mut rows: Vec<u32> = (0..self.trace.work.runtime_calls.len() as u32).collect();
        let call = |row: &u32| self.pieces.call(*row);
        rows.retain(|row| {
            call(row).is_some_and(|call| {
                self.pieces.is_of_weft(call.source)
                    && !self.pieces.is_program(call.source, call.processor)
            })
        });
        rows.sort_by_key(|row| {
            call(row).map(|call| (call.source, call.processor, call.start, call.end))
        });
        let mut last: Option<(u32, CallKey, i64)> = None;
        let mut compiled = Vec::new();
        let mut at = 0;
        while let Some(row) = rows.get(at) {
            let Some(call) = self.pieces.call(*row) else {
                break;
            };
            let key = (call.source, call.processor, call.operation);
            let (start, mut end) = (call.start.nanos(), call.end.nanos());
            let mut until = at + 1;
            while let Some(next) = rows.get(until).and_then(|row| self.pieces.call(*row)) {
                let is_same = (next.source, next.processor, next.operation) == key;
                if !is_same || key.2.is_none() || next.start.nanos() > end {
                    break;
                }
                end = end.max(next.end.nanos());
                until += 1;
            }
            let before = last.filter(|(_, other, _)| (other.0, other.1) == (key.0, key.1));
            let start = before.map_or(start, |(_, _, ended)| start.max(ended));
            let made = RecordedNode {
                operation: key.2,
                ..RecordedNode::new(self.pieces.call_kind(call), key.0, start, end)
            };
            let node = self.follow(before.map(|(node, ..)| node), made);
            for row in rows.get(at..until).unwrap_or_default() {
                if let Some(place) = self.calls.get_mut(*row as usize) {
                    *place = node;
                }
            }
            last = Some((node, key, end.max(start)));
            if let Some(operation) = key.2 {
                let own = self.callers.get(&(key.0, operation)).copied();
                let latest = self.pieces.asked_last(key.0, operation, start);
                let latest = latest.and_then(|(_, uid)| self.callers.get(&(key.0, uid)).copied());
                for asked in own.into_iter().chain(latest).filter(|node| *node != NONE) {
                    self.builder.edge(asked, node, EdgeKind::Submit);
                }
                if self.pieces.call_kind(call) == StepKind::Compile {
                    compiled.push((*row, node));
                }
            }
            at = until;
        }
        // A kernel is compiled after the analysis of the operation that needs it.
        for (row, node) in compiled {
            let Some(call) = self.pieces.call(row) else {
                continue;
            };
            let calls = call.operation.into_iter().flat_map(|operation| {
                let until = call.start.nanos();
                self.pieces.calls_for(call.source, operation, until)
            });
            let mut nodes = calls.filter_map(|(_, row)| self.calls.get(row as usize).copied());
            let analysis = nodes.find(|other| *other != NONE && *other != node);
            drop(nodes);
            if let Some(analysis) = analysis {
                self.builder.edge(analysis, node, EdgeKind::Submit);
            }
        }
    }

    /// Adds the node of a piece that began at `start`.
    fn piece(&mut self, piece: &Piece, start: i64, worker: Option<(u32, u32)>) -> u32 {
        let served = self.pieces.served(piece);
        let copy = |row: u32| self.pieces.copy(row);
        let (mut kind, mut bytes) = (StepKind::Task, 0);
        let first = match piece.what {
            PieceRow::Task(row) => Some(Served::Task(row)),
            PieceRow::Copy(row) => Some(Served::Copy(row)),
            PieceRow::Launch(_) => {
                let first = served.first();
                first.and_then(|row| self.pieces.index.served(row.0, row.1))
            }
        };
        if let Some(Served::Copy(row)) = first
            && let Some(copy) = copy(row)
        {
            bytes = copy.bytes;
            kind = match copy.message {
                Some(_) => StepKind::Message,
                None => StepKind::Copy,
            };
        }
        // The last side of a message is the receiver.
        let own = match kind {
            StepKind::Message => served.last(),
            _ => served.first(),
        };
        let made = RecordedNode {
            operation: own.map(|row| row.2),
            work: first,
            worker,
            bytes,
            ..RecordedNode::new(kind, piece.source, start, piece.end)
        };
        let node = self.builder.node(made);
        let all: f64 = served.iter().map(|row| row.3).sum();
        for (source, _, operation, share) in &served {
            let line = self.line(*source, *operation);
            let share = if all > 0.0 { share / all } else { 0.0 };
            if line.0 != 0 {
                self.builder.part(node, line, share);
            }
        }
        node
    }

    /// Adds work on workers, GPUs and networks.
    fn work(&mut self) {
        for (at, piece) in (0..).zip(&self.pieces.all) {
            if self.pieces.is_inline(piece) {
                continue;
            }
            let worker = match piece.place {
                Some(Lane::Processor(id)) => self.pools.get(&(piece.source, id)).copied(),
                _ => None,
            };
            let node = self.piece(piece, piece.start, worker);
            self.nodes[at as usize] = node;
            if let Some((start, end)) = piece.issue {
                let own = self.pieces.served(piece);
                let made = RecordedNode {
                    operation: own.first().map(|row| row.2),
                    ..RecordedNode::new(
                        StepKind::Issue,
                        piece.source,
                        start,
                        end.min(piece.start).max(start),
                    )
                };
                let issue = self.follow(None, made);
                self.issues[at as usize] = issue;
                self.builder.edge(issue, node, EdgeKind::Submit);
            }
        }
    }

    /// Adds the order of work that runs one at a time: in streams, on other threads, and on threads
    /// that issue work.
    fn order(&mut self) {
        let pieces = self.pieces;
        let mut lanes: Vec<((SourceIndex, Lane), i64, u32)> = Vec::new();
        let mut issues: Vec<((SourceIndex, u32), i64, u32)> = Vec::new();
        for (at, piece) in pieces.all.iter().enumerate() {
            if pieces.is_inline(piece) {
                continue;
            }
            if piece.issue.is_some() {
                let start = piece.issue.map_or(0, |issue| issue.0);
                issues.push(((piece.source, pieces.issuer(piece)), start, self.issues[at]));
            }
            let Some(place) = piece.place else { continue };
            let is_pooled =
                (self.builder.get(self.nodes[at])).is_some_and(|made| made.worker.is_some());
            if !is_pooled {
                lanes.push(((piece.source, place), piece.start, self.nodes[at]));
            }
        }
        lanes.sort_unstable();
        issues.sort_unstable();
        for pair in lanes.windows(2) {
            if let [before, after] = pair
                && before.0 == after.0
            {
                self.builder.edge(before.2, after.2, EdgeKind::Order);
            }
        }
        for pair in issues.windows(2) {
            if let [before, after] = pair
                && before.0 == after.0
            {
                self.builder.edge(before.2, after.2, EdgeKind::Order);
            }
        }
    }

    /// Adds the dependences of each piece, and its origin.
    fn causes(&mut self) {
        let pieces = self.pieces;
        for (at, piece) in (0_u32..).zip(&pieces.all) {
            let (node, issue) = (self.nodes[at as usize], self.issues[at as usize]);
            if node == NONE {
                continue;
            }
            for (source, uid, operation, _) in pieces.served(piece) {
                for (_, earlier) in pieces.earlier(source, uid) {
                    let (Some(row), Some(before)) =
                        (pieces.get(earlier), self.nodes.get(earlier as usize))
                    else {
                        continue;
                    };
                    if earlier == at || *before == NONE {
                        continue;
                    }
                    self.builder.edge(*before, node, EdgeKind::Data);
                    // Work on a GPU need not end before more is issued.
                    if issue != NONE && row.issue.is_none() {
                        self.builder.edge(*before, issue, EdgeKind::Data);
                    }
                }
                let to = if issue == NONE { node } else { issue };
                self.add_creation(source, operation, piece, to);
            }
        }
    }

    /// Adds the origin of an operation's work: its analysis, or else the program's call.
    fn add_creation(&mut self, source: SourceIndex, operation: Uid, piece: &Piece, to: u32) {
        if self.pieces.is_inline(piece) {
            return;
        }
        let mut calls = self.pieces.calls_for(source, operation, i64::MAX);
        let call = calls.find_map(|(_, row)| {
            let known = self.calls.get(row as usize).copied()?;
            let start = self.pieces.call(row)?.start.nanos();
            (known != NONE && start <= piece.start).then_some(known)
        });
        drop(calls);
        let asked = || self.callers.get(&(source, operation)).copied();
        if let Some(cause) = call.or_else(asked).filter(|node| *node != NONE) {
            self.builder.edge(cause, to, EdgeKind::Submit);
        }
    }

    /// Adds the causes of the program's waits.
    fn waits(&mut self) {
        for (row, node) in std::mem::take(&mut self.waits) {
            if let Some(wait) = self.pieces.wait(row) {
                for cause in self.released(wait) {
                    if cause != NONE {
                        self.builder.edge(cause, node, EdgeKind::Wait);
                    }
                }
            }
        }
    }

    /// Returns the causes of a wait. They are those of the critical path, but with several ranks
    /// all of them, and for a wait for all work the last pieces.
    fn released(&self, wait: &Wait) -> Vec<u32> {
        let node = |piece: PieceIndex| self.nodes.get(piece as usize).copied().unwrap_or(NONE);
        let until = wait.end.nanos();
        match (wait.kind, wait.operation) {
            (WaitKind::Agreement, Some(operation)) => {
                self.arrived.get(&operation).cloned().unwrap_or_default()
            }
            (WaitKind::Agreement | WaitKind::Event | WaitKind::Exchange, _) => Vec::new(),
            (_, Some(operation)) => {
                let awaited = self.pieces.awaited(wait.source, operation);
                awaited.into_iter().map(node).collect()
            }
            (kind, None) => {
                let last = self.pieces.of_rank(wait.source, until);
                let count = if kind == WaitKind::Limit { 1 } else { LAST };
                last.take(count).map(|(_, piece)| node(piece)).collect()
            }
        }
    }
}
