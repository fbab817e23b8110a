//! The key and the name of a generator's kernel.

use super::super::name::digits;
use crate::dtype::DType;

/// A kernel that generates values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GenerateKernelKey {
    pub(super) kind: Kind,
    /// The type of the elements.
    pub(super) dtype: DType,
    /// The number of loops.
    pub(super) rank: u8,
    /// Whether the innermost loop goes to the next element in memory.
    pub(super) is_dense: bool,
    /// Whether a thread computes the two elements of one pair of numbers.
    pub(super) is_paired: bool,
    /// Whether indices need 64 bits.
    pub(super) is_wide: bool,
}

/// The kind of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Arange,
    Linspace,
    Eye,
    Uniform,
    Normal,
    Integers,
}

impl Kind {
    pub(super) fn is_random(self) -> bool {
        matches!(self, Kind::Uniform | Kind::Normal | Kind::Integers)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Arange => "arange",
            Kind::Linspace => "linspace",
            Kind::Eye => "eye",
            Kind::Uniform => "uniform",
            Kind::Normal => "normal",
            Kind::Integers => "integers",
        }
    }
}

impl GenerateKernelKey {
    /// Returns the name: the kind and the dtype. [`digits`] follow unless the loops are the usual
    /// ones of such an array: dense, and one loop (for a diagonal, two).
    pub(crate) fn name(&self) -> String {
        let (kind, dtype) = (self.kind.name(), self.dtype);
        let plain = GenerateKernelKey {
            kind: self.kind,
            dtype,
            rank: if self.kind == Kind::Eye { 2 } else { 1 },
            is_dense: true,
            is_paired: self.kind.is_random(),
            is_wide: false,
        };
        if *self == plain {
            format!("weft_{kind}_{dtype}")
        } else {
            format!("weft_{kind}_{dtype}_{}", digits(self))
        }
    }
}
