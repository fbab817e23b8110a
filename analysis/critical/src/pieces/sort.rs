//! The order in which pieces, calls and activities of the program are searched.

use super::{PieceIndex, Pieces, Program};
use rustc_hash::FxHashSet;
use weft_model::WaitKind;

impl Pieces<'_> {
    /// Sorts everything in the order in which it is searched.
    pub fn sort(&mut self) {
        let trace = self.trace;
        let to = |row: &u32| {
            trace
                .work
                .dependencies
                .get(*row as usize)
                .map(|edge| edge.to)
        };
        // Dependences of one task are in the order in which they were recorded.
        self.edges.sort_by_key(to);
        for (at, piece) in (0..).zip(&self.all) {
            if self.is_inline(piece) {
                let row = (piece.source, piece.end, Program::Ran(at));
                self.by_program.push(row);
                continue;
            }
            self.by_source.push((piece.source, piece.end, at));
            if let Some(place) = piece.place {
                let key = (piece.source, place);
                self.by_place.push((key, piece.end, at));
            }
            if let Some((_, end)) = piece.issue {
                let key = (piece.source, self.issuer(piece));
                self.by_issuer.push((key, end, at));
            }
        }
        for (row, call) in (0..).zip(&trace.work.runtime_calls) {
            if !self.is_of_weft(call.source) {
                continue;
            }
            let (key, end) = ((call.source, call.processor), call.end.nanos());
            match self.is_program(call.source, call.processor) {
                true => {
                    let row = (call.source, end, Program::Called(row));
                    self.by_program.push(row);
                }
                false => self.calls_by_processor.push((key, end, row)),
            }
            if let Some(operation) = call.operation {
                let key = (call.source, operation);
                self.calls_by_operation.push((key, end, row));
            }
        }
        self.sort_waits();
        self.created = trace
            .program
            .operation_calls
            .iter()
            .map(|call| (call.source, call.operation, call.created.nanos()))
            .collect();
        self.by_place.sort_unstable();
        self.by_issuer.sort_unstable();
        self.by_source.sort_unstable();
        self.calls_by_processor.sort_unstable();
        self.calls_by_operation.sort_unstable();
        self.by_program.sort_unstable();
        self.created.sort_unstable();
    }

    /// Sorts the waits of programs, and finds the piece that ended last of each awaited operation.
    fn sort_waits(&mut self) {
        let trace = self.trace;
        let mut waited = FxHashSet::default();
        for (row, wait) in (0..).zip(&trace.work.waits) {
            if wait.task.is_some() || !self.is_of_weft(wait.source) {
                continue;
            }
            let end = wait.end.nanos();
            self.by_program
                .push((wait.source, end, Program::Waited(row)));
            match (wait.kind, wait.operation) {
                (WaitKind::Agreement, Some(operation)) => {
                    let came = (wait.source, wait.start.nanos());
                    self.meetings.entry(operation).or_default().push(came);
                }
                (_, Some(operation)) => drop(waited.insert((wait.source, operation))),
                (_, None) => {}
            }
        }
        for (task, at) in trace.work.tasks.iter().zip(&self.of_task) {
            let key = (task.source, task.operation);
            if waited.contains(&key) {
                let latest = self.awaited.entry(key).or_insert(*at);
                let end = |at: PieceIndex| self.all.get(at as usize).map(|piece| piece.end);
                if end(*at) > end(*latest) {
                    *latest = *at;
                }
            }
        }
    }
}
