//! The order in which pieces, calls and deeds are looked for.

use super::{Deed, PieceIndex, Pieces};
use rustc_hash::FxHashSet;

impl Pieces<'_> {
    /// Puts everything in the order in which it is looked for.
    pub(super) fn sort(&mut self) {
        let joined = self.joined;
        let to = |row: &u32| joined.dependencies.get(*row as usize).map(|edge| edge.to);
        self.edges.sort_unstable_by_key(to);
        for (at, piece) in (0..).zip(&self.all) {
            self.by_source.push((piece.source, piece.end, at));
            let Some(processor) = piece.processor else {
                continue;
            };
            let key = (piece.source, processor);
            if self.programs.contains(&key) {
                self.deeds.push((piece.source, piece.end, Deed::Ran(at)));
            }
            self.by_processor.push((key, piece.end, at));
            if let Some((_, end)) = piece.issue {
                self.by_issue.push((key, end, at));
            }
        }
        let mut waited = FxHashSet::default();
        for (row, call) in (0..).zip(&joined.runtime_calls) {
            let (key, end) = ((call.source, call.processor), call.end.nanos());
            let waits = self.is_wait(call);
            if waits || self.programs.contains(&key) {
                self.deeds.push((call.source, end, Deed::Called(row)));
            }
            match call.operation {
                Some(operation) if waits => drop(waited.insert((call.source, operation))),
                Some(operation) => {
                    let key = (call.source, operation);
                    self.calls_by_operation.push((key, end, row));
                }
                None => {}
            }
            if !waits {
                self.calls_by_processor.push((key, end, row));
            }
        }
        for (task, at) in joined.tasks.iter().zip(&self.of_task) {
            let key = (task.source, task.operation);
            if waited.contains(&key) {
                let latest = self.awaited.entry(key).or_insert(*at);
                let end = |at: PieceIndex| self.all.get(at as usize).map(|piece| piece.end);
                if end(*at) > end(*latest) {
                    *latest = *at;
                }
            }
        }
        self.created = joined
            .operation_calls
            .iter()
            .map(|call| (call.source, call.operation, call.created.nanos()))
            .collect();
        self.by_processor.sort_unstable();
        self.by_issue.sort_unstable();
        self.by_source.sort_unstable();
        self.calls_by_processor.sort_unstable();
        self.calls_by_operation.sort_unstable();
        self.deeds.sort_unstable();
        self.created.sort_unstable();
    }
}
