//! Which operations of a group cannot be done, and why.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::error::Failure;
use crate::fusion::Fused;
use crate::memory::Store;
use crate::operation::{Operand, Operation};
use crate::runtime::Health;

/// Of each operation: why it cannot be done.
pub(super) type Failures = SmallVec<[Option<Arc<Failure>>; 8]>;

/// The store that a step of a group writes, were it done alone.
fn written(operation: &Operation) -> Option<&Store> {
    match operation.operands.last() {
        Some(Operand::Array { store, .. }) => Some(store),
        _ => None,
    }
}

/// Whether the store that a step writes has failed, now or earlier.
pub(super) fn has_failed(operation: &Operation) -> bool {
    written(operation).is_some_and(|store| store.failure().is_some())
}

/// Fails what needs what has failed, in program order. A store that has failed stays so when it is written over: who takes
/// its value from a step of the group fails as if the operations were done one by one.
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
        // Done alone it would not have been tried: the failure that came first is the reason.
        let found = inherited.or_else(|| failures[at].clone());
        if let Some(failure) = &found {
            health.fail(operation, failure);
        }
        failures[at] = found;
    }
}

/// Notes that every operation fails that reads an input which an earlier one should have written and has not. Those of the
/// same group that come later may have failed by now, in other tiles.
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
