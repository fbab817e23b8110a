//! The walk from the last end backwards.

use super::cause::{Cause, Node, cause};
use super::legion::Events;
use super::pieces::{Piece, PieceIndex, PieceRow, Pieces, Program};
use super::split::{self, Stretch};
use rustc_hash::FxHashSet;
use weft_model::{PathStep, RuntimeCall, Served, SourceIndex, StepKind, Trace, Wait, WaitKind};
use weft_trace::id::Uid;

/// Returns all steps of the path, earliest first.
pub(crate) fn walk(trace: &Trace) -> Vec<PathStep> {
    let pieces = Pieces::new(trace);
    let events = Events::new(trace);
    let span = [span(trace, &pieces), events.span()];
    let span = span.into_iter().flatten();
    let span = span.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    let Some((first, last)) = span else {
        return Vec::new();
    };
    let mut walk = Walk {
        pieces: &pieces,
        events: &events,
        first,
        at: last,
        passed: FxHashSet::default(),
        path: Vec::new(),
    };
    walk.go();
    split::steps(&pieces, &walk.path)
}

/// Returns the first and the last time of everything that can be on the path of a run of Weft, if
/// there is anything.
fn span(trace: &Trace, pieces: &Pieces<'_>) -> Option<(i64, i64)> {
    let of_weft = |source: SourceIndex| pieces.is_of_weft(source);
    let work = pieces.all.iter().map(|piece| {
        let (start, end) = piece.issue.unwrap_or((piece.start, piece.end));
        (piece.start.min(start), piece.end.max(end))
    });
    let tasks = trace.work.tasks.iter().filter(|task| of_weft(task.source));
    let copies = trace.work.copies.iter().filter(|copy| of_weft(copy.source));
    let operations = trace.program.operations.iter();
    let operations = operations.filter(|row| of_weft(row.source));
    let others = trace.program.operation_calls.iter();
    let made = tasks.map(|task| task.created);
    let made = made.chain(copies.map(|copy| copy.created));
    let made = made.chain(operations.map(|row| row.created));
    let made = made.chain(others.map(|call| call.created));
    let made = made.map(|at| (at.nanos(), at.nanos()));
    let calls = trace.thread_calls();
    let calls = calls.filter(|(_, call)| of_weft(call.source));
    let calls = calls.map(|(_, call)| (call.start.nanos(), call.end.nanos()));
    let all = work.chain(made).chain(calls);
    all.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
}

struct Walk<'p, 'a> {
    pieces: &'p Pieces<'a>,
    events: &'p Events<'a>,
    /// The beginning of the path.
    first: i64,
    /// The time that the walk has reached.
    at: i64,
    /// The nodes visited at the time `at`.
    passed: FxHashSet<Node>,
    /// Stretches, the last first. Each ends where the next begins.
    path: Vec<Stretch>,
}

impl Walk<'_, '_> {
    /// Walks to the first instant. No node is visited twice at one time, so the walk ends.
    fn go(&mut self) {
        let mut cause = self.last();
        let mut source = SourceIndex::default();
        while let Some(Cause { node, next, .. }) = cause {
            self.passed.insert(node);
            source = self.source(node).unwrap_or(source);
            cause = match node {
                Node::Piece(at) => self.piece(at),
                Node::Issue(at) => self.issue(at),
                Node::Call(row) => self.call(row),
                Node::Program(source) => self.program(source, next),
                Node::Activity(row) => self.activity(row, next),
            };
            self.passed.insert(node);
        }
        let start = Stretch {
            source,
            ..Stretch::new(StepKind::Program)
        };
        self.back(self.first, start);
    }

    fn source(&self, node: Node) -> Option<SourceIndex> {
        match node {
            Node::Piece(at) | Node::Issue(at) => Some(self.pieces.get(at)?.source),
            Node::Call(row) => Some(self.pieces.call(row)?.source),
            Node::Program(source) => Some(source),
            Node::Activity(row) => Some(self.events.get(row)?.source),
        }
    }

    /// Returns the cause that ended the run.
    fn last(&self) -> Option<Cause> {
        let trace = self.pieces.trace;
        let sources = (0..trace.sources.len() as u32).map(SourceIndex);
        let work = sources.clone().filter_map(|source| {
            let (at, piece) = self.pieces.of_rank(source, i64::MAX).next()?;
            Some(cause(at, Node::Piece(piece)))
        });
        let programs = sources.filter_map(|source| {
            let (at, _) = self.pieces.program(source, i64::MAX).next()?;
            Some(cause(at, Node::Program(source)))
        });
        let calls = (0..).zip(&trace.work.runtime_calls).filter(|(_, call)| {
            self.pieces.is_of_weft(call.source)
                && !self.pieces.is_program(call.source, call.processor)
        });
        let calls = calls.map(|(row, call)| cause(call.end.nanos(), Node::Call(row)));
        let asked = trace.program.operations.iter().filter_map(|row| {
            let is_ours = self.pieces.is_of_weft(row.source);
            let last = cause(row.created.nanos(), Node::Program(row.source));
            let next = Some(row.uid);
            is_ours.then_some(Cause { next, ..last })
        });
        latest(
            work.chain(programs)
                .chain(calls)
                .chain(asked)
                .chain(self.events.last()),
        )
    }

    /// Adds the time back to `from` as a stretch.
    fn back(&mut self, from: i64, stretch: Stretch) {
        let from = from.clamp(self.first, self.at.max(self.first));
        if from < self.at {
            self.path.push(Stretch {
                start: from,
                end: self.at,
                ..stretch
            });
            self.at = from;
            self.passed.clear();
        }
    }

    /// Returns the latest of the possible causes, except those visited at the current time.
    fn held_by(&self, causes: impl IntoIterator<Item = Cause>) -> Option<Cause> {
        let fresh = |cause: &Cause| cause.at < self.at || !self.passed.contains(&cause.node);
        latest(causes.into_iter().filter(fresh))
    }

    fn piece(&mut self, at: PieceIndex) -> Option<Cause> {
        let piece = *self.pieces.get(at)?;
        let kind = self.kind(&piece)?;
        let stretch = of_piece(kind, at, &piece);
        self.back(piece.start, stretch);
        self.passed.insert(Node::Piece(at));
        let mut causes = self.dependence_causes(at, |_| true);
        match piece.issue {
            Some((_, end)) => causes.push(cause(end, Node::Issue(at))),
            None => causes.extend(self.creation_causes(&piece)),
        }
        let before = self.pieces.before_in_place(&piece, self.at);
        let mut before = before.filter(|(_, other)| *other != at);
        causes.extend(before.next().map(|(end, other)| self.end_of(end, other)));
        drop(before);
        self.step_to(stretch, causes)
    }

    fn issue(&mut self, at: PieceIndex) -> Option<Cause> {
        let piece = *self.pieces.get(at)?;
        let (start, _) = piece.issue?;
        let stretch = of_piece(StepKind::Issue, at, &piece);
        self.back(start, stretch);
        self.passed.insert(Node::Issue(at));
        // Work on a GPU need not end before more is issued.
        let mut causes = self.dependence_causes(at, |earlier| earlier.issue.is_none());
        causes.extend(self.creation_causes(&piece));
        let before = self.pieces.issued_before(&piece, self.at);
        let mut before = before.filter(|(_, other)| *other != at);
        let issued = before.next();
        causes.extend(issued.map(|(end, other)| cause(end, Node::Issue(other))));
        drop(before);
        self.step_to(stretch, causes)
    }

    fn kind(&self, piece: &Piece) -> Option<StepKind> {
        Some(match piece.what {
            PieceRow::Task(_) => StepKind::Task,
            PieceRow::Copy(row) => match self.pieces.copy(row)?.message {
                Some(_) => StepKind::Message,
                None => StepKind::Copy,
            },
            PieceRow::Launch(row) => {
                let launch = self.pieces.trace.work.launches.get(row.0 as usize)?;
                let is_copy = launch.served().any(|(uid, _)| {
                    let served = self.pieces.index.served(launch.source, uid);
                    matches!(served, Some(Served::Copy(_)))
                });
                match is_copy {
                    true => StepKind::Copy,
                    false => StepKind::Task,
                }
            }
        })
    }

    /// Returns the end of a piece as a cause. The program's thread may have run the piece.
    fn end_of(&self, at: i64, piece: PieceIndex) -> Cause {
        match self.pieces.get(piece) {
            Some(row) if self.pieces.is_inline(row) => cause(at, Node::Program(row.source)),
            _ => cause(at, Node::Piece(piece)),
        }
    }

    /// Returns the ends of a piece's predecessors for which `counts` returns `true`.
    fn dependence_causes(&self, at: PieceIndex, counts: impl Fn(&Piece) -> bool) -> Vec<Cause> {
        let mut causes = Vec::new();
        let Some(piece) = self.pieces.get(at) else {
            return causes;
        };
        for (source, uid, ..) in self.pieces.served(piece) {
            for (end, earlier) in self.pieces.earlier(source, uid) {
                let row = self.pieces.get(earlier);
                if earlier != at && row.is_some_and(&counts) {
                    causes.push(self.end_of(end, earlier));
                }
            }
        }
        causes
    }

    /// Returns the creation of a piece's tasks: the runtime's calls for their operations, or else
    /// the program's calls.
    fn creation_causes(&self, piece: &Piece) -> Vec<Cause> {
        let served = self.pieces.served(piece);
        let calls = served.iter().filter_map(|(source, _, operation, _)| {
            let mut calls = self.pieces.calls_for(*source, *operation, self.at);
            self.end_of_call(*source, *operation, calls.next()?)
        });
        let made: Vec<Cause> = calls.collect();
        if !made.is_empty() {
            return made;
        }
        let asked = served.iter().map(|(source, _, operation, _)| Cause {
            at: (self.pieces.called_at(*source, *operation)).unwrap_or(piece.created),
            node: Node::Program(*source),
            next: Some(*operation),
        });
        asked.collect()
    }

    /// Continues at the cause of a delay. The time since that cause becomes a stretch.
    fn step_to(&mut self, held: Stretch, causes: Vec<Cause>) -> Option<Cause> {
        let unknown = cause(self.at, Node::Program(held.source));
        let held_by = self.held_by(causes);
        let next = held_by.or_else(|| self.held_by([unknown]))?;
        let queue = Stretch {
            kind: StepKind::Queue,
            ..held
        };
        self.back(next.at, queue);
        Some(next)
    }

    fn call(&mut self, row: u32) -> Option<Cause> {
        let call = self.pieces.call(row)?;
        let stretch = Stretch {
            source: call.source,
            operation: call.operation,
            processor: Some(call.processor),
            ..Stretch::new(self.pieces.call_kind(call))
        };
        self.back(call.start.nanos(), stretch);
        self.passed.insert(Node::Call(row));
        let compiled = match stretch.kind {
            StepKind::Compile => self.before_compile(row, call),
            _ => Vec::new(),
        };
        let calls = self.pieces.calls_on(call.source, call.processor, self.at);
        let mut calls = calls.map(|(end, row)| cause(end, Node::Call(row)));
        let before = calls.find(|call| !self.passed.contains(&call.node));
        drop(calls);
        let asked = call.operation.and_then(|operation| {
            let asked = self.pieces.asked_last(call.source, operation, self.at);
            let (at, operation) = asked?;
            Some(Cause {
                at,
                node: Node::Program(call.source),
                next: Some(operation),
            })
        });
        let causes = asked.into_iter().chain(before).chain(compiled);
        self.step_to(stretch, causes.collect())
    }

    /// Returns the ends of the work before a compilation: earlier work that its thread issued, and
    /// the analysis of its operation.
    fn before_compile(&self, row: u32, call: &RuntimeCall) -> Vec<Cause> {
        let mut issued = self.pieces.issued_on(call.source, call.processor, self.at);
        let issued = issued.next().map(|(end, at)| cause(end, Node::Issue(at)));
        let analysed = call.operation.and_then(|operation| {
            let mut calls = self.pieces.calls_for(call.source, operation, self.at);
            let (end, row) = calls.find(|(_, other)| *other != row)?;
            self.end_of_call(call.source, operation, (end, row))
        });
        issued.into_iter().chain(analysed).collect()
    }

    /// Returns the end of a call of the runtime for an operation. The program's thread may have
    /// made the call.
    fn end_of_call(
        &self,
        source: SourceIndex,
        operation: Uid,
        (at, row): (i64, u32),
    ) -> Option<Cause> {
        let call = self.pieces.call(row)?;
        let node = match self.pieces.is_program(source, call.processor) {
            true => Node::Program(source),
            false => Node::Call(row),
        };
        let next = Some(operation);
        Some(Cause { at, node, next })
    }

    /// Walks along the program's thread back to a wait.
    fn program(&mut self, source: SourceIndex, mut next: Option<Uid>) -> Option<Cause> {
        let pieces = self.pieces;
        let stretch = |kind, operation| Stretch {
            source,
            operation,
            ..Stretch::new(kind)
        };
        for (end, row) in pieces.program(source, self.at) {
            if end > self.at {
                // Threads of a program may overlap, and this one was active elsewhere.
                continue;
            }
            self.back(end, stretch(StepKind::Program, next));
            match row {
                Program::Ran(at) => {
                    let piece = pieces.get(at)?;
                    self.back(piece.start, of_piece(StepKind::Task, at, piece));
                    next = pieces.served(piece).first().map(|row| row.2).or(next);
                }
                Program::Called(row) => {
                    let call = pieces.call(row)?;
                    let analysis = Stretch {
                        processor: Some(call.processor),
                        ..stretch(StepKind::Analysis, call.operation)
                    };
                    self.back(call.start.nanos(), analysis);
                    next = call.operation.or(next);
                }
                Program::Waited(row) => {
                    let wait = pieces.wait(row)?;
                    let waits = stretch(StepKind::Wait, wait.operation.or(next));
                    next = wait.operation.or(next);
                    let came = self.released(wait);
                    let came = came.filter(|came| came.at > wait.start.nanos());
                    if let Some(came) = self.held_by(came) {
                        self.back(came.at, waits);
                        self.passed.insert(Node::Program(source));
                        return Some(came);
                    }
                    self.back(wait.start.nanos(), waits);
                }
            }
        }
        self.back(self.first, stretch(StepKind::Program, next));
        None
    }

    /// Returns the cause that ended a wait of the program.
    fn released(&self, wait: &Wait) -> Option<Cause> {
        let until = wait.end.nanos();
        match (wait.kind, wait.operation) {
            (WaitKind::Agreement, Some(operation)) => {
                let (rank, came) = self.pieces.met_last(wait.source, operation)?;
                let next = Some(operation);
                let node = Node::Program(rank);
                (rank != wait.source).then_some(Cause {
                    at: came,
                    node,
                    next,
                })
            }
            (WaitKind::Agreement | WaitKind::Event | WaitKind::Exchange, _) => None,
            (_, Some(operation)) => {
                let piece = self.pieces.awaited(wait.source, operation)?;
                let end = self.pieces.get(piece)?.end;
                Some(self.end_of(end.min(until), piece))
            }
            (_, None) => {
                let (end, piece) = self.pieces.of_rank(wait.source, until).next()?;
                Some(cause(end, Node::Piece(piece)))
            }
        }
    }

    /// Walks along an activity of Legion back to a wait, or to its start.
    fn activity(&mut self, row: u32, next: Option<Uid>) -> Option<Cause> {
        let activity = self.events.get(row)?;
        let own = self.events.stretch(activity, next);
        for pause in self.events.pauses(row, self.at) {
            self.back(pause.end.nanos(), own);
            let wait = Stretch {
                kind: StepKind::Wait,
                ..own
            };
            let came = self.events.fired(activity.source, pause.event);
            let came = came.filter(|came| {
                came.at > pause.start.nanos()
                    && came.at <= self.at
                    && came.node != Node::Activity(row)
            });
            if let Some(came) = self.held_by(came) {
                self.back(came.at, wait);
                self.passed.insert(Node::Activity(row));
                return Some(came);
            }
            self.back(pause.start.nanos(), wait);
        }
        self.back(activity.start.nanos(), own);
        self.passed.insert(Node::Activity(row));
        let causes = self.events.causes(row, self.at);
        let held_by = self.held_by(causes);
        let program = || self.held_by(self.events.program(activity.source, self.at));
        let came = held_by.or_else(program)?;
        let queue = Stretch {
            kind: StepKind::Queue,
            ..own
        };
        self.back(came.at, queue);
        Some(Cause {
            next: came.next.or(activity.operation).or(next),
            ..came
        })
    }
}

/// Returns the latest of several causes; of those at the same time, the first.
fn latest(causes: impl Iterator<Item = Cause>) -> Option<Cause> {
    causes.reduce(|last, cause| match cause.at > last.at {
        true => cause,
        false => last,
    })
}

fn of_piece(kind: StepKind, at: PieceIndex, piece: &Piece) -> Stretch {
    Stretch {
        source: piece.source,
        piece: Some(at),
        processor: piece.processor,
        ..Stretch::new(kind)
    }
}
