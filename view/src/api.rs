//! The requests of the page, one module each.

pub(crate) mod advise;
pub(crate) mod changes;
pub(crate) mod counter;
pub(crate) mod critical;
pub(crate) mod graph;
pub(crate) mod info;
pub(crate) mod item;
pub(crate) mod ledger;
pub(crate) mod line;
pub(crate) mod lookup;
pub(crate) mod memory;
pub(crate) mod search;
pub(crate) mod source;
pub(crate) mod tiles;
pub(crate) mod unknown;

use crate::state::ViewError;

/// The error of an invalid request.
pub(crate) fn bad_request(sentence: impl Into<String>) -> ViewError {
    ViewError::BadRequest(sentence.into())
}
