//! The failure that a store's content is missing for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Failure;
use crate::identity::Order;

/// The earliest operation that should have written to a store and failed, with its failure, if any. It outlives the store
/// where work on a GPU may still fail.
#[derive(Debug, Default)]
pub(crate) struct FailureCell(Mutex<Option<(Order, Arc<Failure>)>>);

impl FailureCell {
    fn state(&self) -> MutexGuard<'_, Option<(Order, Arc<Failure>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The failure, if any.
    pub(crate) fn get(&self) -> Option<Arc<Failure>> {
        self.state().as_ref().map(|(_, failure)| failure.clone())
    }

    /// The failure of an operation before `reader`. One that comes later in the program may have failed already, while tiles of
    /// `reader` still run.
    pub(crate) fn before(&self, reader: Order) -> Option<Arc<Failure>> {
        let state = self.state();
        let (writer, failure) = state.as_ref()?;
        (*writer < reader).then(|| failure.clone())
    }

    /// Marks the content as never to come, from the operation `writer` on.
    pub(crate) fn set(&self, writer: Order, failure: &Arc<Failure>) {
        let mut state = self.state();
        if state.as_ref().is_none_or(|(known, _)| writer < *known) {
            *state = Some((writer, failure.clone()));
        }
    }
}
