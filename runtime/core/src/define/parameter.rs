//! What a task is given.

use super::Reduction;
use crate::dtype::DType;

/// What a task does with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Reads an array.
    In,
    /// Writes all of its tile of an array.
    Out,
    /// Reads and writes an array.
    InOut,
    /// Adds to an array, or combines with what is there in another way.
    Reduce(Reduction),
    /// Finds elements: the call gives a new array of those of all tiles, one after the other.
    Unbound,
    /// Takes one value.
    Scalar,
}

/// A parameter of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, by which constraints refer to it.
    pub name: String,
    /// What is done with it.
    pub kind: Kind,
    /// The dtype that it must have; `None` where any will do.
    pub dtype: Option<DType>,
    /// The number of axes that it must have; `None` where any will do.
    pub rank: Option<usize>,
}

impl Parameter {
    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        !matches!(self.kind, Kind::Scalar | Kind::Unbound)
    }

    /// Whether a call gives an argument for it.
    pub fn is_given(&self) -> bool {
        self.kind != Kind::Unbound
    }

    /// Whether its array is written at the indices of a tile.
    pub(super) fn is_written(&self) -> bool {
        matches!(self.kind, Kind::Out | Kind::InOut)
    }
}
