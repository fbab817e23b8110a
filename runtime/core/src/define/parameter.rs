//! Parameters of tasks.

use super::Reduction;
use crate::dtype::DType;

/// The use of an argument by a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An array that is read.
    In,
    /// An array of which each tile writes all of its part.
    Out,
    /// An array that is read and written.
    InOut,
    /// An array that contributions are added to, or combined with in another way.
    Reduce(Reduction),
    /// A result of unknown length: a new array of the elements found by all tiles, in order.
    Unbound,
    /// A single value.
    Scalar,
}

/// A parameter of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name, by which constraints refer to it.
    pub name: String,
    /// Use of the argument.
    pub kind: Kind,
    /// Required dtype; `None` if any is allowed.
    pub dtype: Option<DType>,
    /// Required number of axes; `None` if any is allowed.
    pub rank: Option<usize>,
}

impl Parameter {
    /// Returns whether it is an array.
    pub fn is_array(&self) -> bool {
        !matches!(self.kind, Kind::Scalar | Kind::Unbound)
    }

    /// Returns whether a call passes an argument for it.
    pub fn is_given(&self) -> bool {
        self.kind != Kind::Unbound
    }

    /// Returns whether tiles write their parts of its array.
    pub(super) fn is_written(&self) -> bool {
        matches!(self.kind, Kind::Out | Kind::InOut)
    }
}
