//! From the last end backwards.

use super::pieces::{Deed, Piece, PieceIndex, Pieces, What};
use super::step::{Step, StepKind};
use crate::joined::{Joined, Served, SourceIndex};
use rustc_hash::FxHashSet;
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Timestamp;

/// What the path is at, going backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// Work.
    Piece(PieceIndex),
    /// The handing of work to a GPU.
    Issue(PieceIndex),
    /// A call of the runtime for an operation.
    Call(u32),
    /// The program of a rank, before it called for an operation.
    Program(SourceIndex, Option<Uid>),
}

/// A part of the path, from when to when.
struct Stretch {
    kind: StepKind,
    source: SourceIndex,
    piece: Option<PieceIndex>,
    operation: Option<Uid>,
    processor: Option<ProcessorId>,
    start: i64,
    end: i64,
}

/// All steps of the path, earliest first.
pub(super) fn walk(joined: &Joined) -> Vec<Step> {
    let pieces = Pieces::of(joined);
    let Some((first, last)) = pieces.span() else {
        return Vec::new();
    };
    let mut walk = Walk {
        pieces: &pieces,
        first,
        at: last,
        seen: FxHashSet::default(),
        path: Vec::new(),
    };
    walk.go(last);
    let mut steps = Vec::with_capacity(walk.path.len());
    for stretch in walk.path.iter().rev() {
        split(&pieces, stretch, &mut steps);
    }
    steps
}

struct Walk<'p, 'a> {
    pieces: &'p Pieces<'a>,
    /// Where the path begins.
    first: i64,
    /// How far back it has come.
    at: i64,
    seen: FxHashSet<Node>,
    /// Stretches, the last first; each ends where the next begins.
    path: Vec<Stretch>,
}

impl Walk<'_, '_> {
    /// Walks from `last`. Nothing is passed twice, so that it ends.
    fn go(&mut self, last: i64) {
        let mut node = self.latest(last);
        while let Some(next) = node {
            self.seen.insert(next);
            node = match next {
                Node::Piece(at) => self.piece(at),
                Node::Issue(at) => self.issue(at),
                Node::Call(row) => self.call(row),
                Node::Program(source, operation) => self.program(source, operation),
            };
        }
    }

    /// What ends the run: work, or what the program did after it.
    fn latest(&self, last: i64) -> Option<Node> {
        let sources = (0..self.pieces.joined.sources.len() as u32).map(SourceIndex);
        let work = sources.clone().filter_map(|source| {
            let (end, at) = self.pieces.of_rank(source, last).next()?;
            Some((end, Node::Piece(at)))
        });
        let deeds = sources.filter_map(|source| {
            let (end, deed) = self.pieces.deeds(source, last).next()?;
            matches!(deed, Deed::Called(_)).then_some((end, Node::Program(source, None)))
        });
        let latest = work.chain(deeds).max_by_key(|(end, _)| *end);
        latest.map(|(_, node)| node)
    }

    /// Notes that the time back to `from` went into something.
    fn back(&mut self, from: i64, stretch: impl FnOnce() -> Stretch) {
        let from = from.clamp(self.first, self.at.max(self.first));
        if from < self.at {
            self.path.push(Stretch {
                start: from,
                end: self.at,
                ..stretch()
            });
            self.at = from;
        }
    }

    fn of_piece(&self, kind: StepKind, at: PieceIndex, piece: &Piece) -> Stretch {
        Stretch {
            kind,
            source: piece.source,
            piece: Some(at),
            operation: None,
            processor: piece.processor,
            start: 0,
            end: 0,
        }
    }

    /// The latest of what could have held something up; the first of several.
    fn held_by(&self, candidates: impl IntoIterator<Item = (i64, Node)>) -> Option<(i64, Node)> {
        let mut held = None;
        for (end, node) in candidates {
            let end = end.min(self.at);
            if held.is_none_or(|(latest, _)| end > latest) && !self.seen.contains(&node) {
                held = Some((end, node));
            }
        }
        held
    }

    /// Of what ended before, latest first, the first that the path has not passed.
    fn fresh<V>(
        &self,
        ended: impl Iterator<Item = (i64, V)>,
        node: impl Fn(V) -> Node,
    ) -> Option<(i64, Node)> {
        let mut nodes = ended.map(|(end, value)| (end, node(value)));
        nodes.find(|(_, node)| !self.seen.contains(node))
    }

    fn piece(&mut self, at: PieceIndex) -> Option<Node> {
        let piece = *self.pieces.get(at)?;
        // A path that ends in a piece begins where the piece ends.
        let kind = match piece.what {
            What::Copy(row) => match self.pieces.copy(row)?.message {
                Some(_) => StepKind::Message,
                None => StepKind::Copy,
            },
            What::Task(_) => StepKind::Task,
            What::Launch(row) => {
                let launch = self.pieces.joined.launches.get(row.0 as usize)?;
                let mut served = launch.served();
                let copies = served.any(|(uid, _)| {
                    let served = self.pieces.index.served(launch.source, uid);
                    matches!(served, Some(Served::Copy(_)))
                });
                match copies {
                    true => StepKind::Copy,
                    false => StepKind::Task,
                }
            }
        };
        let stretch = self.of_piece(kind, at, &piece);
        self.back(piece.start, || stretch);
        let served = self.pieces.served(&piece);
        if self.pieces.is_inline(&piece) {
            let operation = served.first().map(|row| row.2);
            return Some(Node::Program(piece.source, operation));
        }
        let mut candidates = Vec::new();
        if let Some((_, end)) = piece.issue {
            candidates.push((end, Node::Issue(at)));
        }
        for (source, uid, ..) in &served {
            let earlier = self.pieces.earlier(*source, *uid);
            candidates.extend(earlier.map(|(end, earlier)| (end, Node::Piece(earlier))));
        }
        if piece.issue.is_none() {
            candidates.extend(self.made(&piece, &served));
        }
        if let Some(processor) = piece.processor {
            let earlier = self.pieces.on(piece.source, processor, self.at);
            candidates.extend(self.fresh(earlier, Node::Piece));
        }
        self.step_to(at, &piece, candidates)
    }

    fn issue(&mut self, at: PieceIndex) -> Option<Node> {
        let piece = *self.pieces.get(at)?;
        let (start, _) = piece.issue?;
        let stretch = self.of_piece(StepKind::Issue, at, &piece);
        self.back(start, || stretch);
        let served = self.pieces.served(&piece);
        let mut candidates = self.made(&piece, &served);
        // What runs on the GPU need not end before more is issued.
        for (source, uid, ..) in &served {
            let earlier = self.pieces.earlier(*source, *uid);
            let of_host = earlier.filter(|(_, earlier)| {
                let earlier = self.pieces.get(*earlier);
                earlier.is_some_and(|earlier| earlier.issue.is_none())
            });
            candidates.extend(of_host.map(|(end, earlier)| (end, Node::Piece(earlier))));
        }
        if let Some(processor) = piece.processor {
            let earlier = self.pieces.issued(piece.source, processor, self.at);
            candidates.extend(self.fresh(earlier, Node::Issue));
        }
        self.step_to(at, &piece, candidates)
    }

    /// What made the tasks of a piece: the runtime's calls for their operations, or else the program's.
    fn made(&self, piece: &Piece, served: &[(SourceIndex, Uid, Uid, f64)]) -> Vec<(i64, Node)> {
        let mut made = Vec::new();
        for (source, _, operation, _) in served {
            let calls = self.pieces.calls_for(*source, *operation, self.at);
            made.extend(self.fresh(calls, Node::Call));
        }
        if made.is_empty() {
            for (source, _, operation, _) in served {
                let asked = self.pieces.asked(*source, *operation);
                let program = Node::Program(*source, Some(*operation));
                made.push((asked.unwrap_or(piece.created), program));
            }
        }
        made
    }

    /// Goes on to what held a piece up; what lies between is the time in which it could have begun.
    fn step_to(
        &mut self,
        at: PieceIndex,
        piece: &Piece,
        candidates: Vec<(i64, Node)>,
    ) -> Option<Node> {
        let (end, node) = match self.held_by(candidates) {
            Some(held) => held,
            None => (self.at, Node::Program(piece.source, None)),
        };
        let stretch = self.of_piece(StepKind::Queue, at, piece);
        self.back(end, || stretch);
        Some(node)
    }

    fn call(&mut self, row: u32) -> Option<Node> {
        let call = *self.pieces.call(row)?;
        let stretch = |kind| Stretch {
            kind,
            source: call.source,
            piece: None,
            operation: call.operation,
            processor: Some(call.processor),
            start: 0,
            end: 0,
        };
        self.back(call.start.nanos(), || stretch(StepKind::Analysis));
        let mut candidates = Vec::new();
        let calls = self.pieces.calls_on(call.source, call.processor, self.at);
        candidates.extend(self.fresh(calls, Node::Call));
        let asked = call
            .operation
            .and_then(|operation| self.pieces.asked(call.source, operation));
        let program = Node::Program(call.source, call.operation);
        candidates.extend(asked.map(|asked| (asked, program)));
        let (end, node) = self.held_by(candidates).unwrap_or((self.at, program));
        self.back(end, || stretch(StepKind::Queue));
        Some(node)
    }

    fn program(&mut self, source: SourceIndex, operation: Option<Uid>) -> Option<Node> {
        let deeds = self.pieces.deeds(source, self.at);
        let deed = deeds
            .map(|(end, deed)| {
                let node = match deed {
                    Deed::Ran(at) => Node::Piece(at),
                    Deed::Called(row) => Node::Call(row),
                };
                (end, deed, node)
            })
            .find(|(_, _, node)| !self.seen.contains(node));
        let stretch = |kind, operation| Stretch {
            kind,
            source,
            piece: None,
            operation,
            processor: None,
            start: 0,
            end: 0,
        };
        let Some((end, deed, node)) = deed else {
            self.back(self.first, || stretch(StepKind::Program, operation));
            return None;
        };
        self.back(end, || stretch(StepKind::Program, operation));
        let Deed::Called(row) = deed else {
            return Some(node);
        };
        let call = *self.pieces.call(row)?;
        if !self.pieces.is_wait(&call) {
            return Some(node);
        }
        self.seen.insert(node);
        // What it waited for; of no operation in particular, what ended last.
        let awaited = match call.operation {
            Some(operation) => self.pieces.awaited(source, operation),
            None => {
                let ended = self.pieces.of_rank(source, self.at);
                ended.map(|(_, at)| at).next()
            }
        };
        let ended = awaited.and_then(|at| Some((self.pieces.get(at)?.end, Node::Piece(at))));
        let ended =
            ended.filter(|(end, node)| *end > call.start.nanos() && !self.seen.contains(node));
        let (end, next) = match ended {
            Some((end, node)) => (end, node),
            None => (call.start.nanos(), Node::Program(source, call.operation)),
        };
        self.back(end, || stretch(StepKind::Wait, call.operation));
        Some(next)
    }
}

/// The steps of a stretch: one for each task or copy of a launch, with its share of the time.
fn split(pieces: &Pieces<'_>, stretch: &Stretch, steps: &mut Vec<Step>) {
    let at = Timestamp::from_nanos_since_session_start;
    let length = stretch.end - stretch.start;
    let step = |uid, operation, part| Step {
        kind: stretch.kind,
        source: stretch.source,
        uid,
        operation,
        processor: stretch.processor,
        start: at(stretch.start),
        end: at(stretch.end),
        part,
    };
    let piece = stretch.piece.and_then(|at| pieces.get(at));
    let mut served = piece.map_or_else(Vec::new, |piece| pieces.served(piece));
    // A message is one of the rank that received it.
    if piece.is_some_and(|piece| matches!(piece.what, What::Copy(_))) {
        served.drain(..served.len().saturating_sub(1));
    }
    if served.is_empty() {
        let joined = steps.last_mut().filter(|last| {
            (last.kind, last.source, last.operation, last.uid)
                == (stretch.kind, stretch.source, stretch.operation, None)
                && last.processor == stretch.processor
        });
        match joined {
            Some(last) => {
                last.end = at(stretch.end);
                last.part += length;
            }
            None => steps.push(step(None, stretch.operation, length)),
        }
        return;
    }
    let mut left = length;
    let last = served.len() - 1;
    for (number, (_, uid, operation, share)) in served.into_iter().enumerate() {
        let part = match number == last {
            true => left,
            false => ((length as f64 * share).round() as i64).clamp(0, left),
        };
        left -= part;
        steps.push(step(Some(uid), Some(operation), part));
    }
}
