//! Failures of the operations of a group.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::error::Failure;
use crate::fusion::Fused;
use crate::health::Health;
use crate::memory::Store;
use crate::operation::{Operand, Operation};

/// The failure of each operation, if any.
pub(super) type Failures = SmallVec<[Option<Arc<Failure>>; 8]>;

/// Returns the store that a step of a group would write if it ran alone.
fn written(operation: &Operation) -> Option<&Store> {
    match operation.operands.last() {
        Some(Operand::Array { store, .. }) => Some(store),
        _ => None,
    }
}

/// Returns whether the store that a step writes has failed.
pub(super) fn has_failed(operation: &Operation) -> bool {
    written(operation).is_some_and(|store| store.failure().is_some())
}

/// Fails the operations that need results of failed ones, in program order. A failed store stays
/// failed when it is overwritten: a step that takes its value from a step of the group fails as if
/// the operations ran one by one.
pub(super) fn spread(health: &Health, fused: &Fused, failures: &mut Failures) {
    for (at, operation) in fused.operations.iter().enumerate() {
        let cause = |from: u16| {
            let from = usize::from(from);
            let earlier = || operation.failure_of(written(&fused.operations[from])?);
            failures[from].clone().or_else(earlier)
        };
        let inherited = match (fused.steps.get(at), &fused.folded) {
            (Some(step), _) => step.steps().find_map(cause),
            (None, Some((folded, _))) => cause(folded.step),
            (None, None) => None,
        };
        // Run alone, the operation would not have been tried: the earlier failure is the reason.
        let found = inherited.or_else(|| failures[at].clone());
        if let Some(failure) = &found {
            health.fail(operation, failure);
        }
        failures[at] = found;
    }
}

/// Fails every operation that reads an input which an earlier operation failed to write. Later
/// operations of the same group may have failed by now, in other tiles.
pub(super) fn note(fused: &Fused, input: usize, store: &Store, failures: &mut Failures) {
    if store.failure().is_none() {
        return;
    }
    let readers = fused.operations.iter().zip(&fused.steps).zip(failures);
    for ((operation, step), failed) in readers {
        if failed.is_none() && step.reads(input as u16) {
            *failed = operation.failure_of(store);
        }
    }
}
