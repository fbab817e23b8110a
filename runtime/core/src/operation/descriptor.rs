//! What an operation is, as data: its name, its operands, how it is cut, what may be fused, and its kernels by kind of processor.

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

/// A descriptor that operations share.
pub type Body = Handle<Descriptor>;

/// An operand, as a descriptor declares it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Declared {
    /// What is done with it.
    pub access: Access,
    /// Which part of it a tile works on.
    pub projection: Projection,
    /// Whether indices or a search lead through it: a tile then reads about as many elements of it as it writes, and not all.
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

    /// Read by a projection.
    pub const fn read(projection: Projection) -> Declared {
        Declared {
            access: Access::Read,
            projection,
            is_led: false,
        }
    }

    /// Written by a projection.
    pub const fn write(projection: Projection) -> Declared {
        Declared {
            access: Access::Write,
            projection,
            is_led: false,
        }
    }

    /// The same, where indices or a search lead through it.
    pub fn led(self) -> Declared {
        Declared {
            is_led: true,
            ..self
        }
    }
}

/// How an operation can be done together with others, tile by tile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fusion {
    /// Not at all.
    Alone,
    /// It is a function of the elements at one index, which it writes to its last operand.
    Step {
        /// Which.
        kind: StepKind,
        /// Whether what is written depends on what was there before, which is then the function's last input.
        keeps: bool,
    },
    /// It reduces its first operand to one value a tile, its last.
    Fold(Handle<dyn Fold>),
}

/// What an operation is. Operands stand in the order in which they are declared.
pub struct Descriptor<K: ?Sized + 'static = dyn Kernels> {
    /// The operation's name in outputs.
    pub name: &'static str,
    /// The name of its kernels, without the dtype.
    pub kernel: &'static str,
    /// What the runtime itself does with it.
    pub role: Role,
    /// Its operands.
    pub operands: Cow<'static, [Declared]>,
    /// What decides how it is cut.
    pub tiling: Tiling,
    /// What may be fused.
    pub fusion: Fusion,
    /// What it computes for each element of its shape, in units of elements that could be touched meanwhile; 0 where it touches elements
    /// alone.
    pub effort: Effort,
    /// Whether it leaves memory as it is.
    pub writes_nothing: bool,
    /// Whether its kernels run code that may wait for locks of its own, such as that of an interpreter: it then never runs at once on the
    /// program's thread, which holds a lock of the runtime meanwhile.
    pub is_foreign: bool,
    /// Its kernels.
    pub kernels: K,
}

/// A number for each element of an operation's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effort {
    /// So many
    pub times: usize,
    /// for so many elements.
    pub over: usize,
}

impl Effort {
    /// None.
    pub const NONE: Effort = Effort { times: 0, over: 1 };
}

impl<K> Descriptor<K> {
    /// An operation of this name, whose kernels have it too, cut by shape and processors, and done alone.
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

    /// The same, cut in another way.
    pub fn tiled(self, tiling: Tiling) -> Descriptor<K> {
        Descriptor { tiling, ..self }
    }

    /// The same, which never runs at once on the program's thread where its kernels are [foreign](Descriptor::is_foreign).
    pub fn foreign(self, is_foreign: bool) -> Descriptor<K> {
        Descriptor { is_foreign, ..self }
    }

    /// The same, with a step that others can be fused with.
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
    /// As one that ends with its last user.
    pub fn shared(self) -> Body {
        Handle::shared(Arc::new(self))
    }

    /// As one of the process.
    pub fn of_process(&'static self) -> Body {
        Handle::fixed(self)
    }
}

impl Descriptor {
    /// An operand as it is declared.
    ///
    /// # Panics
    /// If it has fewer operands: requests have as many as are declared.
    #[inline]
    pub fn operand(&self, index: usize) -> &Declared {
        &self.operands[index]
    }

    /// Whether it is a function of the elements at one index.
    #[inline]
    pub fn is_elementwise(&self) -> bool {
        matches!(self.fusion, Fusion::Step { .. })
    }

    /// Whether one tile of all elements works on all of every operand.
    #[inline]
    pub fn is_of_elements(&self) -> bool {
        let mut operands = self.operands.iter();
        operands.all(|operand| matches!(operand.projection, Projection::Same))
    }

    /// What it computes over a shape, in elements that could be touched meanwhile; 0 where it touches elements alone.
    #[inline]
    pub fn work(&self, shape: &Shape) -> usize {
        match self.effort.times {
            0 => 0,
            times => shape.len().saturating_mul(times) / self.effort.over,
        }
    }

    /// Adds what it is to the hash by which ranks compare their programs.
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
