//! The ranks on which the elements of a store are up to date.

use std::sync::Arc;

use crate::pieces::Pieces;

/// Where the elements of a store are up to date: everywhere, unless a rank has written elements
/// that others have not received since. Elements that were never written count as up to date
/// everywhere, since they are never read.
///
/// An [`Exchanges`](crate::Exchanges) makes equal spreads only once, so that they can be keys of
/// its cache.
#[derive(Clone, Debug, Default)]
pub struct Spread(Option<Arc<State>>);

/// A spread that is not everywhere.
#[derive(Debug)]
pub(crate) struct State {
    /// A number that equal states share, and others do not.
    pub(crate) id: u64,
    pub(crate) pieces: Pieces,
}

impl Spread {
    pub(crate) fn new(state: Arc<State>) -> Spread {
        Spread(Some(state))
    }

    /// Whether every rank has all elements.
    #[inline]
    pub fn is_everywhere(&self) -> bool {
        self.0.is_none()
    }

    /// Returns a number that equal spreads share, and others do not; 0 if every rank has all
    /// elements.
    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.0.as_ref().map_or(0, |state| state.id)
    }

    /// Returns the blocks that not every rank has.
    pub(crate) fn pieces(&self) -> Pieces {
        self.0
            .as_ref()
            .map_or_else(Pieces::default, |state| state.pieces.clone())
    }
}
