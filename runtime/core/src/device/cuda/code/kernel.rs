//! Generated kernels, by what their source depends on.

use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::elementwise;

/// What the source of one of a family's kernels depends on, and nothing else. Everything that may differ from launch to launch (addresses,
/// counts, steps, values) is an argument.
pub trait Source: Debug + Hash + Eq + Any + Send + Sync {
    /// The name of its entry: what it does and to which dtype, as `weft_add_mul_f64`. Kernels of different sources have different names.
    fn name(&self) -> String;

    /// Its CUDA C, complete: needs no header, and has one entry of that [`name`](Self::name), each of whose parameters is 8 bytes wide.
    fn source(&self) -> String;

    /// The task whose user wrote a part of it, which need not compile; `None` of Weft's own.
    fn task(&self) -> Option<&str> {
        None
    }
}

/// A [`Source`] of any type.
trait AnySource: Debug + Any + Send + Sync {
    fn name(&self) -> String;
    fn source(&self) -> String;
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

/// Names one generated kernel: everything its source depends on.
#[derive(Clone, Debug)]
pub struct Kernel(Kind);

#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a chain's key is made at each launch, and a box would be an allocation each"
)]
enum Kind {
    /// A chain of elementwise operations.
    Chain(elementwise::Key),
    /// One of a library.
    Library(Arc<dyn AnySource>),
}

impl Kernel {
    /// That of a library's source.
    pub fn of(source: impl Source) -> Kernel {
        Kernel(Kind::Library(Arc::new(source)))
    }

    pub(super) fn chain(key: elementwise::Key) -> Kernel {
        Kernel(Kind::Chain(key))
    }

    /// Gives a chain's kernel indices of 64 bits, whatever it needs.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn widen_indices(&mut self) {
        if let Kind::Chain(key) = &mut self.0 {
            key.is_wide = true;
        }
    }

    /// Whether it is a chain's, and has such indices.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn has_wide_indices(&self) -> bool {
        matches!(&self.0, Kind::Chain(key) if key.is_wide)
    }

    /// The library's source, where it is of this type.
    pub fn library_source<S: Source>(&self) -> Option<&S> {
        match &self.0 {
            Kind::Chain(_) => None,
            Kind::Library(source) => (&**source as &dyn Any).downcast_ref(),
        }
    }

    /// The name of its entry, as [`Source::name`].
    pub fn name(&self) -> String {
        match &self.0 {
            Kind::Chain(key) => key.name(),
            Kind::Library(source) => source.name(),
        }
    }

    /// Its CUDA C, as [`Source::source`].
    pub fn source(&self) -> String {
        match &self.0 {
            Kind::Chain(key) => key.source(),
            Kind::Library(source) => source.source(),
        }
    }

    /// As [`Source::task`].
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
