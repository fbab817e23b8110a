//! On which ranks the elements of a store are up to date.

use std::sync::Arc;

use crate::pieces::Pieces;

/// Where the elements of a store are up to date: everywhere, unless a rank has written what others have not got since. What nobody
/// has written counts as everywhere, since nobody reads it.
///
/// Equal spreads that one [`Exchanges`](crate::Exchanges) has made are one, so that what follows from them is looked up.
#[derive(Clone, Debug, Default)]
pub struct Spread(Option<Arc<State>>);

/// A spread that is not everywhere.
#[derive(Debug)]
pub(crate) struct State {
    /// The same for equal ones only.
    pub(crate) id: u64,
    pub(crate) pieces: Pieces,
}

impl Spread {
    pub(crate) fn of(state: Arc<State>) -> Spread {
        Spread(Some(state))
    }

    /// Whether every rank has all that there is.
    #[inline]
    pub fn is_everywhere(&self) -> bool {
        self.0.is_none()
    }

    /// The same for equal spreads; 0 where every rank has all.
    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.0.as_ref().map_or(0, |state| state.id)
    }

    /// The blocks that not every rank has.
    pub(crate) fn pieces(&self) -> Pieces {
        self.0
            .as_ref()
            .map_or_else(Pieces::default, |state| state.pieces.clone())
    }
}
