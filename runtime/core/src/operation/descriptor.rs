//! The description of an operation as data: its name, operands, tiling, fusion rules, and kernels
//! by kind of processor.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use weft_geometry::{Access, Projection, Tiling};

use super::kernels::Kernels;
use super::role::Role;
use crate::shape::Shape;
use weft_elements::Handle;
use weft_elements::chain::{Fold, StepKind};

/// A descriptor shared by operations.
pub type Body = Handle<Descriptor>;

/// An operand, as a descriptor declares it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Declared {
    /// The access to it.
    pub access: Access,
    /// The part of it that a tile works on.
    pub projection: Projection,
    /// Whether it is accessed indirectly, by indices or a search. A tile then reads about as many
    /// elements of it as it writes, and not all.
    pub is_led: bool,
}

impl Declared {
    const fn same(access: Access) -> Declared {
        Declared {
            access,
            projection: Projection::Same,
            is_led: false,
        }
    }

    /// Read at the operation's indices.
    pub const READ: Declared = Declared::same(Access::Read);
    /// Written at the operation's indices, all of it.
    pub const WRITE: Declared = Declared::same(Access::Write);
    /// Written at some of the operation's indices, or read and written.
    pub const UPDATE: Declared = Declared::same(Access::ReadWrite);

    /// Read through a projection.
    pub const fn read(projection: Projection) -> Declared {
        Declared {
            access: Access::Read,
            projection,
            is_led: false,
        }
    }

    /// Written through a projection.
    pub const fn write(projection: Projection) -> Declared {
        Declared {
            access: Access::Write,
            projection,
            is_led: false,
        }
    }

    /// Marks it as accessed indirectly, by indices or a search.
    pub fn led(self) -> Declared {
        Declared {
            is_led: true,
            ..self
        }
    }
}

/// The ways in which an operation can be fused with others, tile by tile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fusion {
    /// It cannot be fused.
    Alone,
    /// A function of the elements at one index, written to the last operand.
    Step {
        /// The function.
        kind: StepKind,
        /// Whether the result depends on the previous value of the output, which is then the
        /// function's last input.
        keeps: bool,
    },
    /// A reduction of the first operand to one value for each tile, written to the last operand.
    Fold(Handle<dyn Fold>),
    /// A reduction of the first operand along an axis, written to the last operand, which does not
    /// have the axis. GPUs fuse it, unless an operand is cut into several tiles.
    FoldLines(Handle<dyn Fold>),
}

/// The description of an operation. Operands are in the order of their declarations.
pub struct Descriptor<K: ?Sized + 'static = dyn Kernels> {
    /// The operation's name in outputs.
    pub name: &'static str,
    /// The name of its kernels, without the dtype.
    pub kernel: &'static str,
    /// The runtime's own part in it.
    pub role: Role,
    /// Its operands, as declared.
    pub operands: Cow<'static, [Declared]>,
    /// The rule by which it is cut.
    pub tiling: Tiling,
    /// The way in which it can be fused.
    pub fusion: Fusion,
    /// Computation for each element of its shape, in units of elements that could be touched in
    /// that time; 0 if touching elements dominates.
    pub effort: Effort,
    /// Whether it writes no memory.
    pub writes_nothing: bool,
    /// Whether its kernels run code that may wait for other locks, such as an interpreter's.
    /// Such an operation never runs inline on the program's thread, which holds a lock of the
    /// runtime at that point.
    pub is_foreign: bool,
    /// Its kernels.
    pub kernels: K,
}

/// An amount for each element of an operation's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effort {
    /// The amount for `over` elements.
    pub times: usize,
    /// The number of elements that `times` is for.
    pub over: usize,
}

impl Effort {
    /// No computation.
    pub const NONE: Effort = Effort { times: 0, over: 1 };
}

impl<K> Descriptor<K> {
    /// Describes an operation of this name, which its kernels share. It is cut by shape and
    /// processors, and cannot be fused.
    pub fn new(
        name: &'static str,
        operands: impl Into<Cow<'static, [Declared]>>,
        kernels: K,
    ) -> Descriptor<K> {
        Descriptor {
            name,
            kernel: name,
            role: Role::Compute,
            operands: operands.into(),
            tiling: Tiling::Processors { work: 1 },
            fusion: Fusion::Alone,
            effort: Effort::NONE,
            writes_nothing: false,
            is_foreign: false,
            kernels,
        }
    }

    /// Sets the tiling.
    pub fn tiled(self, tiling: Tiling) -> Descriptor<K> {
        Descriptor { tiling, ..self }
    }

    /// Sets whether its kernels are [foreign](Descriptor::is_foreign), so that it never runs inline
    /// on the program's thread.
    pub fn foreign(self, is_foreign: bool) -> Descriptor<K> {
        Descriptor { is_foreign, ..self }
    }

    /// Makes it a step that can be fused.
    pub fn step(self, kind: impl Into<StepKind>) -> Descriptor<K> {
        let kind = kind.into();
        let keeps = self.operands.last().map(|last| last.access) == Some(Access::ReadWrite);
        Descriptor {
            fusion: Fusion::Step { kind, keeps },
            ..self
        }
    }
}

impl<K: Kernels> Descriptor<K> {
    /// Wraps it in a handle with shared ownership.
    pub fn shared(self) -> Body {
        Handle::shared(Arc::new(self))
    }

    /// Wraps a static descriptor in a handle.
    pub fn wrap_static(&'static self) -> Body {
        Handle::fixed(self)
    }
}

impl Descriptor {
    /// Returns the declaration of an operand.
    ///
    /// # Panics
    /// Panics if the index is out of range: requests have as many operands as are declared.
    #[inline]
    pub fn operand(&self, index: usize) -> &Declared {
        &self.operands[index]
    }

    /// Whether it is a function of the elements at one index.
    #[inline]
    pub fn is_elementwise(&self) -> bool {
        matches!(self.fusion, Fusion::Step { .. })
    }

    /// Whether a single tile of all elements works on all of every operand.
    #[inline]
    pub fn is_of_elements(&self) -> bool {
        let mut operands = self.operands.iter();
        operands.all(|operand| matches!(operand.projection, Projection::Same))
    }

    /// Returns its computation over a shape, in elements that could be touched in that time; 0 if
    /// touching elements dominates.
    #[inline]
    pub fn work(&self, shape: &Shape) -> usize {
        match self.effort.times {
            0 => 0,
            times => shape.len().saturating_mul(times) / self.effort.over,
        }
    }

    /// Adds the description to the hash by which ranks compare their programs.
    pub fn mix(&self, state: &mut impl Hasher) {
        (self.name, self.kernel, self.role, self.tiling).hash(state);
        self.operands.hash(state);
        self.kernels.mix(state);
    }
}

impl fmt::Debug for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Descriptor")
            .field("name", &self.name)
            .field("role", &self.role)
            .field("operands", &self.operands)
            .field("tiling", &self.tiling)
            .field("kernels", &&self.kernels)
            .finish_non_exhaustive()
    }
}
