//! Conversion of stretches of the path to steps.

use super::pieces::{PieceIndex, PieceRow, Pieces};
use weft_model::{PathStep, SourceIndex, StepKind};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Timestamp;

/// A part of the path, from start to end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) kind: StepKind,
    pub(crate) source: SourceIndex,
    /// The piece of work it belongs to, if any.
    pub(crate) piece: Option<PieceIndex>,
    pub(crate) uid: Option<Uid>,
    pub(crate) operation: Option<Uid>,
    pub(crate) processor: Option<ProcessorId>,
    pub(crate) start: i64,
    pub(crate) end: i64,
}

impl Stretch {
    /// Returns a stretch with this kind, without work and without length.
    pub(crate) fn new(kind: StepKind) -> Self {
        Stretch {
            kind,
            source: SourceIndex::default(),
            piece: None,
            uid: None,
            operation: None,
            processor: None,
            start: 0,
            end: 0,
        }
    }
}

/// Returns the steps of stretches. The stretches are in reverse order.
pub(crate) fn steps(pieces: &Pieces<'_>, path: &[Stretch]) -> Vec<PathStep> {
    let mut steps = Vec::with_capacity(path.len());
    for stretch in path.iter().rev() {
        split(pieces, stretch, &mut steps);
    }
    steps
}

/// Adds the steps of a stretch: one for each task or copy of a launch, with its share of the time.
fn split(pieces: &Pieces<'_>, stretch: &Stretch, steps: &mut Vec<PathStep>) {
    let at = Timestamp::from_nanos_since_session_start;
    let length = stretch.end - stretch.start;
    let step = |uid, operation, part| PathStep {
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
    // A message belongs to the rank that received it.
    if piece.is_some_and(|piece| matches!(piece.what, PieceRow::Copy(_))) {
        served.drain(..served.len().saturating_sub(1));
    }
    if served.is_empty() {
        let alike = steps.last_mut().filter(|last| {
            (last.kind, last.source, last.operation, last.uid)
                == (stretch.kind, stretch.source, stretch.operation, stretch.uid)
                && last.processor == stretch.processor
        });
        match alike {
            Some(last) => {
                last.end = at(stretch.end);
                last.part += length;
            }
            None => steps.push(step(stretch.uid, stretch.operation, length)),
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
