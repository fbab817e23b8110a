//! What can stand on the critical path, and where it is found: pieces of work by processor, rank and what they depend on; calls of
//! the runtime; what the program did.

mod gather;
mod sort;

use crate::joined::{self, Index, Joined, LaunchIndex, RuntimeCall, Served, Side, SourceIndex};
use rustc_hash::{FxHashMap, FxHashSet};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::{ProcessorKind, RuntimeCallKind};
use weft_trace::time::Timestamp;

/// A row of [`Pieces::all`].
pub(super) type PieceIndex = u32;

/// Whose times a piece has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A launch, with all that it served.
    Launch(LaunchIndex),
    /// A task whose launch is not known.
    Task(u32),
    /// A message, or a copy whose launch is not known.
    Copy(u32),
}

/// Work that is done as one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) what: What,
    pub(super) source: SourceIndex,
    /// Where, unless it is on no processor.
    pub(super) processor: Option<ProcessorId>,
    /// The latest time at which any of what it serves was made.
    pub(super) created: i64,
    /// From when to when it ran; on a GPU, its kernels.
    pub(super) start: i64,
    pub(super) end: i64,
    /// From when to when it was handed to a GPU.
    pub(super) issue: Option<(i64, i64)>,
}

/// Something that the program's own thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Deed {
    /// It ran a task.
    Ran(PieceIndex),
    /// It waited, or analysed: a row of [`Joined::runtime_calls`].
    Called(u32),
}

/// Sides of messages that began and ended as one.
type Together = (SourceIndex, Uid, Timestamp, Timestamp);

fn together(side: &Side) -> Together {
    (side.source, side.operation, side.start, side.end)
}

/// Lists sorted by a key and an end; who looks asks for what ended last before a moment.
type ByEnd<K, V> = Vec<(K, i64, V)>;

/// All that can stand on the path.
pub(super) struct Pieces<'a> {
    pub(super) joined: &'a Joined,
    pub(super) index: Index,
    pub(super) all: Vec<Piece>,
    of_task: Vec<PieceIndex>,
    of_copy: Vec<PieceIndex>,
    /// Rows of dependences, by the later task.
    edges: Vec<u32>,
    by_processor: ByEnd<(SourceIndex, ProcessorId), PieceIndex>,
    by_issue: ByEnd<(SourceIndex, ProcessorId), PieceIndex>,
    by_source: ByEnd<SourceIndex, PieceIndex>,
    calls_by_processor: ByEnd<(SourceIndex, ProcessorId), u32>,
    calls_by_operation: ByEnd<(SourceIndex, Uid), u32>,
    deeds: ByEnd<SourceIndex, Deed>,
    programs: FxHashSet<(SourceIndex, ProcessorId)>,
    /// What ended the operations that the program waited for, on each rank.
    awaited: FxHashMap<(SourceIndex, Uid), PieceIndex>,
    /// Of what went together in one collective call: the UID that dependences name, by the other UIDs, and of the copies that
    /// came, or else of those that went, the one that began last.
    first_of: FxHashMap<(SourceIndex, Uid), Uid>,
    last_of: FxHashMap<Together, (bool, Timestamp, u32)>,
    /// Calls of ranks whose operations have their row under another source.
    created: Vec<(SourceIndex, Uid, i64)>,
}

/// Of a sorted list, the places of what has this key and ended at `until` or before, latest first.
fn before<K: Ord + Copy, V: Copy>(
    list: &ByEnd<K, V>,
    key: K,
    until: i64,
) -> impl Iterator<Item = (i64, V)> + '_ {
    let end = list.partition_point(|row| (row.0, row.1) <= (key, until));
    let rows = list.get(..end).unwrap_or_default().iter().rev();
    rows.take_while(move |row| row.0 == key)
        .map(|row| (row.1, row.2))
}

impl<'a> Pieces<'a> {
    pub(super) fn of(joined: &'a Joined) -> Self {
        let processors = joined.processors.iter();
        let programs = processors.filter(|row| row.kind == ProcessorKind::Program);
        let mut pieces = Pieces {
            joined,
            index: Index::of(joined),
            all: Vec::with_capacity(joined.launches.len() + joined.copies.len()),
            of_task: vec![PieceIndex::MAX; joined.tasks.len()],
            of_copy: vec![PieceIndex::MAX; joined.copies.len()],
            edges: (0..joined.dependencies.len() as u32).collect(),
            by_processor: Vec::new(),
            by_issue: Vec::new(),
            by_source: Vec::new(),
            calls_by_processor: Vec::new(),
            calls_by_operation: Vec::new(),
            deeds: Vec::new(),
            programs: programs.map(|row| (row.source, row.id)).collect(),
            awaited: FxHashMap::default(),
            first_of: FxHashMap::default(),
            last_of: FxHashMap::default(),
            created: Vec::new(),
        };
        pieces.gather();
        pieces.put_together();
        pieces.sort();
        pieces
    }

    pub(super) fn get(&self, at: PieceIndex) -> Option<&Piece> {
        self.all.get(at as usize)
    }

    pub(super) fn call(&self, row: u32) -> Option<&'a RuntimeCall> {
        self.joined.runtime_calls.get(row as usize)
    }

    pub(super) fn is_wait(&self, call: &RuntimeCall) -> bool {
        self.joined.strings.get(call.kind) == RuntimeCallKind::Wait.name()
    }

    pub(super) fn copy(&self, row: u32) -> Option<&'a joined::Copy> {
        self.joined.copies.get(row as usize)
    }

    /// Whether the program's own thread ran it.
    pub(super) fn is_inline(&self, piece: &Piece) -> bool {
        let processor = piece.processor;
        processor.is_some_and(|processor| self.programs.contains(&(piece.source, processor)))
    }

    /// What a piece serves: UIDs with their sources, operations and shares. Of a message, both sides.
    pub(super) fn served(&self, piece: &Piece) -> Vec<(SourceIndex, Uid, Uid, f64)> {
        let joined = self.joined;
        let operation = |source, uid| match self.index.served(source, uid)? {
            Served::Task(row) => joined.tasks.get(row as usize).map(|task| task.operation),
            Served::Copy(row) => joined.copies.get(row as usize).map(|copy| copy.operation),
        };
        match piece.what {
            What::Launch(row) => {
                let launch = joined.launches.get(row.0 as usize);
                let served = launch.into_iter().flat_map(|launch| {
                    launch.served().filter_map(|(uid, share)| {
                        Some((launch.source, uid, operation(launch.source, uid)?, share))
                    })
                });
                served.collect()
            }
            What::Task(row) => {
                let task = joined.tasks.get(row as usize);
                let one = |task: &crate::joined::Task| (task.source, task.uid, task.operation, 1.0);
                task.map(one).into_iter().collect()
            }
            What::Copy(row) => {
                let Some(copy) = self.copy(row) else {
                    return Vec::new();
                };
                let message = copy
                    .message
                    .and_then(|row| joined.messages.get(row.0 as usize));
                match message {
                    Some(message) => message
                        .sides()
                        .map(|(_, side)| (side.source, side.uid, side.operation, 1.0))
                        .collect(),
                    None => vec![(copy.source, copy.uid, copy.operation, 1.0)],
                }
            }
        }
    }

    /// What the task or copy with this UID waits for, each with its end. The end of what waits for a side of a message is that of the side.
    pub(super) fn earlier(
        &self,
        source: SourceIndex,
        uid: Uid,
    ) -> impl Iterator<Item = (i64, PieceIndex)> + '_ {
        let joined = self.joined;
        let edge = move |row: &u32| joined.dependencies.get(*row as usize);
        let uid = self.first_of.get(&(source, uid)).copied().unwrap_or(uid);
        let first = self
            .edges
            .partition_point(|row| edge(row).is_some_and(|edge| edge.to < uid));
        let rows = self.edges.get(first..).unwrap_or_default().iter();
        let edges = rows.map_while(edge).take_while(move |edge| edge.to == uid);
        let run = joined.run_of(source);
        let own = edges.filter(move |edge| joined.run_of(edge.source) == run);
        own.filter_map(
            move |edge| match self.index.served(edge.source, edge.from)? {
                Served::Task(row) => {
                    let at = *self.of_task.get(row as usize)?;
                    Some((self.get(at)?.end, at))
                }
                Served::Copy(row) => {
                    let copy = self.copy(row)?;
                    let message = copy
                        .message
                        .and_then(|row| joined.messages.get(row.0 as usize));
                    let side = message.and_then(|message| {
                        let mut sides = message.sides();
                        let own = sides.find(|(_, side)| side.uid == edge.from);
                        own.map(|(_, side)| side)
                    });
                    let last = side.and_then(|side| self.last_of.get(&together(side)));
                    let row = last.map_or(row, |(.., row)| *row);
                    let at = *self.of_copy.get(row as usize)?;
                    let end = side.map(|side| side.end.nanos());
                    Some((end.unwrap_or(self.get(at)?.end), at))
                }
            },
        )
    }

    /// Pieces on a processor that ended at `until` or before, the last first.
    pub(super) fn on(
        &self,
        source: SourceIndex,
        processor: ProcessorId,
        until: i64,
    ) -> impl Iterator<Item = (i64, PieceIndex)> + '_ {
        before(&self.by_processor, (source, processor), until)
    }

    /// Pieces that had been handed to a GPU by then, the last first.
    pub(super) fn issued(
        &self,
        source: SourceIndex,
        processor: ProcessorId,
        until: i64,
    ) -> impl Iterator<Item = (i64, PieceIndex)> + '_ {
        before(&self.by_issue, (source, processor), until)
    }

    /// Pieces of a rank, the last first.
    pub(super) fn of_rank(
        &self,
        source: SourceIndex,
        until: i64,
    ) -> impl Iterator<Item = (i64, PieceIndex)> + '_ {
        before(&self.by_source, source, until)
    }

    /// Calls of the runtime on a processor, the last first.
    pub(super) fn calls_on(
        &self,
        source: SourceIndex,
        processor: ProcessorId,
        until: i64,
    ) -> impl Iterator<Item = (i64, u32)> + '_ {
        before(&self.calls_by_processor, (source, processor), until)
    }

    /// Calls of the runtime for an operation, the last first.
    pub(super) fn calls_for(
        &self,
        source: SourceIndex,
        operation: Uid,
        until: i64,
    ) -> impl Iterator<Item = (i64, u32)> + '_ {
        before(&self.calls_by_operation, (source, operation), until)
    }

    /// What the program's thread of a rank did, the last first.
    pub(super) fn deeds(
        &self,
        source: SourceIndex,
        until: i64,
    ) -> impl Iterator<Item = (i64, Deed)> + '_ {
        before(&self.deeds, source, until)
    }

    /// What ended last of an operation that the program of a rank waited for.
    pub(super) fn awaited(&self, source: SourceIndex, operation: Uid) -> Option<PieceIndex> {
        self.awaited.get(&(source, operation)).copied()
    }

    /// When the program of a rank called for an operation.
    pub(super) fn asked(&self, source: SourceIndex, operation: Uid) -> Option<i64> {
        let row = self.index.operation(source, operation)?;
        let known = self.joined.operations.get(row)?;
        if known.source == source {
            return Some(known.created.nanos());
        }
        let key = (source, operation);
        let at = self.created.partition_point(|row| (row.0, row.1) < key);
        let row = self.created.get(at).filter(|row| (row.0, row.1) == key)?;
        Some(row.2)
    }

    /// The first and the last time of anything that can stand on the path; `None` where there is nothing.
    pub(super) fn span(&self) -> Option<(i64, i64)> {
        let joined = self.joined;
        let pieces = self.all.iter().map(|piece| {
            let (start, end) = piece.issue.unwrap_or((piece.start, piece.end));
            (piece.start.min(start), piece.end.max(end))
        });
        let tasks = joined.tasks.iter().map(|task| task.created.nanos());
        let copies = joined.copies.iter().map(|copy| copy.created.nanos());
        let made = tasks.chain(copies).map(|at| (at, at));
        let calls = joined.runtime_calls.iter();
        let calls = calls.map(|call| (call.start.nanos(), call.end.nanos()));
        let operations = joined.operations.iter();
        let operations = operations.map(|row| (row.created.nanos(), row.created.nanos()));
        let others = self.created.iter().map(|row| (row.2, row.2));
        let all = pieces.chain(made).chain(calls);
        let all = all.chain(operations).chain(others);
        all.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }
}
