//! Everything that can be on the critical path of a run of Weft, with its order: pieces of work by
//! place, rank and dependences; calls of the runtime; the activity of the program's thread.

mod gather;
mod sort;

use rustc_hash::{FxHashMap, FxHashSet};
use weft_model as trace;
use weft_model::{
    COMPILE, Index, LaunchIndex, RuntimeCall, Served, Side, SourceIndex, StepKind, Trace, Wait,
};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Timestamp;

/// A row of [`Pieces::all`].
pub type PieceIndex = u32;

/// The row that provides the times of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceRow {
    /// A launch, with all that it served.
    Launch(LaunchIndex),
    /// A task without a known launch.
    Task(u32),
    /// A message, or a copy without a known launch.
    Copy(u32),
}

/// A place in which pieces follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// A processor that does one thing at a time.
    Processor(ProcessorId),
    /// A stream of a GPU: device, context and stream.
    Stream(Option<i64>, Option<i64>, Option<i64>),
}

/// A unit of work.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The row that provides the times.
    pub what: PieceRow,
    /// A source of its rank.
    pub source: SourceIndex,
    /// The processor, if any.
    pub processor: Option<ProcessorId>,
    /// The place in which it follows other pieces, if any.
    pub place: Option<Lane>,
    /// The latest creation of the tasks and copies that it serves.
    pub created: i64,
    /// Start of execution. On a GPU, the start of its first kernel.
    pub start: i64,
    /// End of execution.
    pub end: i64,
    /// The start and end of its issue to a GPU.
    pub issue: Option<(i64, i64)>,
}

/// An activity of the program's own thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    /// A task that it ran.
    Ran(PieceIndex),
    /// Analysis: a row of [`Work::runtime_calls`](weft_model::Work::runtime_calls).
    Called(u32),
    /// A wait: a row of [`Work::waits`](weft_model::Work::waits).
    Waited(u32),
}

/// The key of message sides that began and ended together.
type SidesKey = (SourceIndex, Uid, Timestamp, Timestamp);

fn sides_key(side: &Side) -> SidesKey {
    (side.source, side.operation, side.start, side.end)
}

/// Rows sorted by a key and an end, to find the last one that ended before a time.
type ByEnd<K, V> = Vec<(K, i64, V)>;

/// Everything that can be on the path.
pub struct Pieces<'a> {
    /// The trace.
    pub trace: &'a Trace,
    /// Its rows by UID.
    pub index: Index,
    /// All pieces.
    pub all: Vec<Piece>,
    of_task: Vec<PieceIndex>,
    of_copy: Vec<PieceIndex>,
    /// Rows of dependences, by the later task.
    edges: Vec<u32>,
    by_place: ByEnd<(SourceIndex, Lane), PieceIndex>,
    /// Issues, by the thread that did them.
    by_issuer: ByEnd<(SourceIndex, u32), PieceIndex>,
    by_source: ByEnd<SourceIndex, PieceIndex>,
    calls_by_processor: ByEnd<(SourceIndex, ProcessorId), u32>,
    calls_by_operation: ByEnd<(SourceIndex, Uid), u32>,
    by_program: ByEnd<SourceIndex, Program>,
    programs: FxHashSet<(SourceIndex, ProcessorId)>,
    /// The threads of processors that have one.
    threads: FxHashMap<(SourceIndex, ProcessorId), u32>,
    /// The piece that ended last of each operation that the program waited for, on each rank.
    awaited: FxHashMap<(SourceIndex, Uid), PieceIndex>,
    /// The time at which each rank began to wait for the others, by operation.
    meetings: FxHashMap<Uid, Vec<(SourceIndex, i64)>>,
    /// A launch of each operation that shares launches with others.
    together: FxHashMap<(SourceIndex, Uid), LaunchIndex>,
    /// The UID that dependences refer to, by the other UIDs that the same collective call combined.
    first_of: FxHashMap<(SourceIndex, Uid), Uid>,
    /// The copy that began last in each collective call. Received copies take precedence.
    last_of: FxHashMap<SidesKey, (bool, Timestamp, u32)>,
    /// Calls by ranks whose operations have their row under another source.
    created: Vec<(SourceIndex, Uid, i64)>,
}

/// Returns the rows of a sorted list with this key that ended at `until` or before, latest first.
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
    /// Collects the pieces of the runs of Weft in a trace.
    pub fn new(trace: &'a Trace) -> Self {
        let mut pieces = Pieces {
            trace,
            index: Index::new(trace),
            all: Vec::with_capacity(trace.work.launches.len() + trace.work.copies.len()),
            of_task: vec![PieceIndex::MAX; trace.work.tasks.len()],
            of_copy: vec![PieceIndex::MAX; trace.work.copies.len()],
            edges: (0..trace.work.dependencies.len() as u32).collect(),
            by_place: Vec::new(),
            by_issuer: Vec::new(),
            by_source: Vec::new(),
            calls_by_processor: Vec::new(),
            calls_by_operation: Vec::new(),
            by_program: Vec::new(),
            programs: FxHashSet::default(),
            threads: FxHashMap::default(),
            awaited: FxHashMap::default(),
            meetings: FxHashMap::default(),
            together: FxHashMap::default(),
            first_of: FxHashMap::default(),
            last_of: FxHashMap::default(),
            created: Vec::new(),
        };
        pieces.gather();
        pieces.put_together();
        pieces.sort();
        pieces
    }

    /// Returns a piece.
    pub fn get(&self, at: PieceIndex) -> Option<&Piece> {
        self.all.get(at as usize)
    }

    /// Returns a row of [`Work::runtime_calls`](weft_model::Work::runtime_calls).
    pub fn call(&self, row: u32) -> Option<&'a RuntimeCall> {
        self.trace.work.runtime_calls.get(row as usize)
    }

    /// Returns a row of [`Work::waits`](weft_model::Work::waits).
    pub fn wait(&self, row: u32) -> Option<&'a Wait> {
        self.trace.work.waits.get(row as usize)
    }

    /// Returns a row of [`Work::copies`](weft_model::Work::copies).
    pub fn copy(&self, row: u32) -> Option<&'a trace::Copy> {
        self.trace.work.copies.get(row as usize)
    }

    /// Returns whether the program's own thread ran the piece.
    pub fn is_inline(&self, piece: &Piece) -> bool {
        let processor = piece.processor;
        processor.is_some_and(|processor| self.is_program(piece.source, processor))
    }

    /// Returns whether the processor represents the program's own thread.
    pub fn is_program(&self, source: SourceIndex, processor: ProcessorId) -> bool {
        self.programs.contains(&(source, processor))
    }

    /// Returns the tasks and copies that a piece serves: sources, UIDs, operations and shares. For
    /// a message, both sides.
    pub fn served(&self, piece: &Piece) -> Vec<(SourceIndex, Uid, Uid, f64)> {
        let trace = self.trace;
        let operation = |source, uid| match self.index.served(source, uid)? {
            Served::Task(row) => trace
                .work
                .tasks
                .get(row as usize)
                .map(|task| task.operation),
            Served::Copy(row) => trace
                .work
                .copies
                .get(row as usize)
                .map(|copy| copy.operation),
        };
        match piece.what {
            PieceRow::Launch(row) => {
                let launch = trace.work.launches.get(row.0 as usize);
                let served = launch.into_iter().flat_map(|launch| {
                    launch.served().filter_map(|(uid, share)| {
                        Some((launch.source, uid, operation(launch.source, uid)?, share))
                    })
                });
                served.collect()
            }
            PieceRow::Task(row) => {
                let task = trace.work.tasks.get(row as usize);
                let one = |task: &trace::Task| (task.source, task.uid, task.operation, 1.0);
                task.map(one).into_iter().collect()
            }
            PieceRow::Copy(row) => {
                let Some(copy) = self.copy(row) else {
                    return Vec::new();
                };
                let message = copy
                    .message
                    .and_then(|row| trace.work.messages.get(row.0 as usize));
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

    /// Returns the predecessors of the task or copy with this UID, each with its end. For a
    /// dependence on a side of a message, this is the end of the side.
    pub fn earlier(
        &self,
        source: SourceIndex,
        uid: Uid,
    ) -> impl Iterator<Item = (i64, PieceIndex)> + '_ {
        let trace = self.trace;
        let edge = move |row: &u32| trace.work.dependencies.get(*row as usize);
        let uid = self.first_of.get(&(source, uid)).copied().unwrap_or(uid);
        let first = self
            .edges
            .partition_point(|row| edge(row).is_some_and(|edge| edge.to < uid));
        let rows = self.edges.get(first..).unwrap_or_default().iter();
        let edges = rows.map_while(edge).take_while(move |edge| edge.to == uid);
        let run = trace.run_of(source);
        let own = edges.filter(move |edge| trace.run_of(edge.source) == run);
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
                        .and_then(|row| trace.work.messages.get(row.0 as usize));
                    let side = message.and_then(|message| {
                        let mut sides = message.sides();
                        let own = sides.find(|(_, side)| side.uid == edge.from);
                        own.map(|(_, side)| side)
                    });
                    let last = side.and_then(|side| self.last_of.get(&sides_key(side)));
                    let row = last.map_or(row, |(.., row)| *row);
                    let at = *self.of_copy.get(row as usize)?;
                    let end = side.map(|side| side.end.nanos());
                    Some((end.unwrap_or(self.get(at)?.end), at))
                }
            },
        )
    }

    /// Returns the pieces in the place of this one that ended at `until` or before, the last first.
    pub fn before_in_place(
        &self,
        piece: &Piece,
        until: i64,
    ) -> impl Iterator<Item = (i64, PieceIndex)> + '_ {
        let place = piece.place.map(|place| (piece.source, place));
        let rows = place.map(|key| before(&self.by_place, key, until));
        rows.into_iter().flatten()
    }

    /// Returns the pieces that this one's issuing thread had issued by then, the last first.
    pub fn issued_before(
        &self,
        piece: &Piece,
        until: i64,
    ) -> impl Iterator<Item = (i64, PieceIndex)> + '_ {
        let key = (piece.source, self.issuer(piece));
        before(&self.by_issuer, key, until)
    }

    /// Returns the kind of step that a call of the runtime makes on the path.
    pub fn call_kind(&self, call: &RuntimeCall) -> StepKind {
        match self.trace.strings.get(call.kind) {
            COMPILE => StepKind::Compile,
            _ => StepKind::Analysis,
        }
    }

    /// Returns the pieces that the host thread of a processor had issued by then, the last first.
    pub fn issued_on(
        &self,
        source: SourceIndex,
        processor: ProcessorId,
        until: i64,
    ) -> impl Iterator<Item = (i64, PieceIndex)> + '_ {
        before(
            &self.by_issuer,
            (source, self.thread_of(source, processor)),
            until,
        )
    }

    /// Returns the thread that issues a piece. If its processor has no thread of its own, the
    /// result is the processor with a mark.
    pub fn issuer(&self, piece: &Piece) -> u32 {
        let processor = piece.processor;
        processor.map_or(u32::MAX, |processor| {
            self.thread_of(piece.source, processor)
        })
    }

    fn thread_of(&self, source: SourceIndex, processor: ProcessorId) -> u32 {
        let thread = self.threads.get(&(source, processor));
        thread.copied().unwrap_or(1 << 31 | u32::from(processor.0))
    }

    /// Returns the pieces of a rank that its program did not run itself, the last first.
    pub fn of_rank(
        &self,
        source: SourceIndex,
        until: i64,
    ) -> impl Iterator<Item = (i64, PieceIndex)> + '_ {
        before(&self.by_source, source, until)
    }

    /// Returns the calls of the runtime on a processor, the last first.
    pub fn calls_on(
        &self,
        source: SourceIndex,
        processor: ProcessorId,
        until: i64,
    ) -> impl Iterator<Item = (i64, u32)> + '_ {
        before(&self.calls_by_processor, (source, processor), until)
    }

    /// Returns the calls of the runtime for an operation, the last first.
    pub fn calls_for(
        &self,
        source: SourceIndex,
        operation: Uid,
        until: i64,
    ) -> impl Iterator<Item = (i64, u32)> + '_ {
        before(&self.calls_by_operation, (source, operation), until)
    }

    /// Returns the activities of the program's thread of a rank, the last first.
    pub fn program(
        &self,
        source: SourceIndex,
        until: i64,
    ) -> impl Iterator<Item = (i64, Program)> + '_ {
        before(&self.by_program, source, until)
    }

    /// Returns the piece that ended last of an operation that the program of a rank waited for.
    pub fn awaited(&self, source: SourceIndex, operation: Uid) -> Option<PieceIndex> {
        self.awaited.get(&(source, operation)).copied()
    }

    /// Returns the rank that arrived last at the synchronization of all ranks for this operation,
    /// and its time.
    pub fn met_last(&self, source: SourceIndex, operation: Uid) -> Option<(SourceIndex, i64)> {
        let run = self.trace.run_of(source);
        let ranks = self.meetings.get(&operation)?.iter();
        let ranks = ranks.filter(|(rank, _)| self.trace.run_of(*rank) == run);
        ranks.max_by_key(|(_, came)| *came).copied()
    }

    /// Returns the last call, at `until` or before, for the operations that share launches with
    /// this one.
    pub fn asked_last(
        &self,
        source: SourceIndex,
        operation: Uid,
        until: i64,
    ) -> Option<(i64, Uid)> {
        let own = self.called_at(source, operation).map(|at| (at, operation));
        let launch = self.together.get(&(source, operation));
        let launch = launch.and_then(|row| self.trace.work.launches.get(row.0 as usize));
        let served = launch.into_iter().flat_map(|launch| launch.served());
        let others = served.filter_map(|(uid, _)| {
            let Served::Task(row) = self.index.served(source, uid)? else {
                return None;
            };
            let other = self.trace.work.tasks.get(row as usize)?.operation;
            let at = self.called_at(source, other)?;
            (at <= until).then_some((at, other))
        });
        own.into_iter().chain(others).max_by_key(|(at, _)| *at)
    }

    /// Returns the time at which the program of a rank called an operation.
    pub fn called_at(&self, source: SourceIndex, operation: Uid) -> Option<i64> {
        let row = self.index.operation(source, operation)?;
        let known = self.trace.program.operations.get(row)?;
        if known.source == source {
            return Some(known.created.nanos());
        }
        let key = (source, operation);
        let at = self.created.partition_point(|row| (row.0, row.1) < key);
        let row = self.created.get(at).filter(|row| (row.0, row.1) == key)?;
        Some(row.2)
    }
}
