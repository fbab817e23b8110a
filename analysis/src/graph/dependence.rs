//! A dependence between tasks or copies.

use super::stores::Through;
use weft_model::Served;
use weft_trace::record::DependencyKind;

/// A dependence of one task or copy on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dependence {
    pub(super) from: Served,
    pub(super) to: Served,
    /// The kind; `None` if only the order is known.
    pub(super) kind: Option<DependencyKind>,
    /// The store that both access, if known.
    pub(super) through: Option<Through>,
    /// Number of bytes that the later one moves, if the earlier one was the last that it waited
    /// for.
    pub(super) moved: u64,
}
