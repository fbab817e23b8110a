//! Generated kernels, identified by the properties that their source depends on.

use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::elementwise;

/// The properties that the source of a kernel of a family depends on, and nothing else. Values that
/// may differ from launch to launch (addresses, counts, steps, values) are arguments.
pub trait Source: Debug + Hash + Eq + Any + Send + Sync {
    /// Returns the name of the entry point: the operation and the dtype, for example
    /// `weft_add_mul_f64`. Kernels of different sources have different names.
    fn name(&self) -> String;

    /// Returns complete CUDA C. It needs no header, and has one entry point of that
    /// [`name`](Self::name), whose parameters are 8 bytes wide each.
    fn source(&self) -> String;

    /// Whether the kernel has one more parameter, the last, for the address of
    /// [`TICKETS`](crate::cuda::TICKETS). The dispatcher adds the argument.
    fn takes_tickets(&self) -> bool {
        false
    }

    /// Returns the task whose user wrote a part of the source, which may fail to compile; `None` if
    /// all of it is Weft's.
    fn task(&self) -> Option<&str> {
        None
    }
}

/// A [`Source`] of any type.
trait AnySource: Debug + Any + Send + Sync {
    fn name(&self) -> String;
    fn source(&self) -> String;
    fn takes_tickets(&self) -> bool;
    fn task(&self) -> Option<&str>;
    fn is(&self, other: &dyn Any) -> bool;
    fn mix(&self, state: &mut dyn Hasher);
}

impl<S: Source> AnySource for S {
    fn name(&self) -> String {
        Source::name(self)
    }

    fn source(&self) -> String {
        Source::source(self)
    }

    fn takes_tickets(&self) -> bool {
        Source::takes_tickets(self)
    }

    fn task(&self) -> Option<&str> {
        Source::task(self)
    }

    fn is(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<S>() == Some(self)
    }

    fn mix(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
}

/// Identifies one generated kernel by everything that its source depends on.
#[derive(Clone, Debug)]
pub struct Kernel(Kind);

#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a chain's key is made at each launch, and a box would be an allocation each"
)]
enum Kind {
    /// A chain of elementwise operations.
    Chain(elementwise::ChainKernelKey),
    /// A kernel of a library.
    Library(Arc<dyn AnySource>),
}

impl Kernel {
    /// Creates a kernel of a library's source.
    pub fn from_source(source: impl Source) -> Kernel {
        Kernel(Kind::Library(Arc::new(source)))
    }

    pub(super) fn chain(key: elementwise::ChainKernelKey) -> Kernel {
        Kernel(Kind::Chain(key))
    }

    /// Forces indices of 64 bits in a chain's kernel.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn widen_indices(&mut self) {
        if let Kind::Chain(key) = &mut self.0 {
            key.is_wide = true;
        }
    }

    /// Returns whether it is a chain's kernel with indices of 64 bits.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn has_wide_indices(&self) -> bool {
        matches!(&self.0, Kind::Chain(key) if key.is_wide)
    }

    /// Returns the library's source, if it has this type.
    pub fn library_source<S: Source>(&self) -> Option<&S> {
        match &self.0 {
            Kind::Chain(_) => None,
            Kind::Library(source) => (&**source as &dyn Any).downcast_ref(),
        }
    }

    /// Returns the name of the entry point, see [`Source::name`].
    pub fn name(&self) -> String {
        match &self.0 {
            Kind::Chain(key) => key.name(),
            Kind::Library(source) => source.name(),
        }
    }

    /// Returns the CUDA C, see [`Source::source`].
    pub fn source(&self) -> String {
        match &self.0 {
            Kind::Chain(key) => key.source(),
            Kind::Library(source) => source.source(),
        }
    }

    /// Returns whether it takes tickets, see [`Source::takes_tickets`].
    pub fn takes_tickets(&self) -> bool {
        match &self.0 {
            Kind::Chain(_) => false,
            Kind::Library(source) => source.takes_tickets(),
        }
    }

    /// Returns the task, see [`Source::task`].
    pub fn task(&self) -> Option<&str> {
        match &self.0 {
            Kind::Chain(key) => key.task(),
            Kind::Library(source) => source.task(),
        }
    }
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Kernel) -> bool {
        match (&self.0, &other.0) {
            (Kind::Chain(one), Kind::Chain(other)) => one == other,
            (Kind::Library(one), Kind::Library(other)) => one.is(&**other),
            _ => false,
        }
    }
}

impl Eq for Kernel {}

impl Hash for Kernel {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Kind::Chain(key) => key.hash(state),
            Kind::Library(source) => source.mix(state),
        }
    }
}
