//! The failure that explains a store's missing content.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Failure;
use crate::identity::Order;

/// The earliest failed operation that should have written to a store, with its failure. It outlives
/// the store while work on a GPU may still fail.
#[derive(Debug, Default)]
pub(crate) struct FailureCell {
    state: Mutex<Option<(Order, Arc<Failure>)>>,
    /// The number of operations under way that write the store and may still fail.
    doubts: AtomicU32,
}

impl FailureCell {
    fn state(&self) -> MutexGuard<'_, Option<(Order, Arc<Failure>)>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the failure, if any.
    pub(crate) fn get(&self) -> Option<Arc<Failure>> {
        self.state().as_ref().map(|(_, failure)| failure.clone())
    }

    /// Returns the failure of an operation before `reader`. A later operation of the program may
    /// have failed already while tiles of `reader` still run.
    pub(crate) fn before(&self, reader: Order) -> Option<Arc<Failure>> {
        let state = self.state();
        let (writer, failure) = state.as_ref()?;
        (*writer < reader).then(|| failure.clone())
    }

    /// Marks the content as missing, starting with the operation `writer`.
    pub(crate) fn set(&self, writer: Order, failure: &Arc<Failure>) {
        let mut state = self.state();
        if state.as_ref().is_none_or(|(known, _)| writer < *known) {
            *state = Some((writer, failure.clone()));
        }
    }

    /// Notes that an operation that may still fail is about to write the store.
    pub(crate) fn begin_doubt(&self) {
        self.doubts.fetch_add(1, Ordering::SeqCst);
    }

    /// Ends a [doubt](Self::begin_doubt). If the operation has failed, its failure has been set.
    pub(crate) fn end_doubt(&self) {
        self.doubts.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether an operation under way may still set a failure.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.doubts.load(Ordering::SeqCst) > 0
    }
}
