//! Arrays whose dtype is known only at run time. Typed arrays are built on them.

use std::sync::Arc;

use crate::dtype::DType;
use crate::shape::Layout;
use weft_core::memory::Store;
use weft_core::runtime::Core;

/// A view of a store: an array of any dtype.
///
/// Clones and views share data, as in NumPy. Calls return errors instead of panicking.
#[derive(Clone)]
pub struct DynArray {
    pub(crate) core: Arc<Core>,
    pub(crate) store: Arc<Store>,
    pub(crate) layout: Layout,
}

impl DynArray {
    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.store.dtype
    }

    /// Number of elements along each axis.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape.dims()
    }

    /// Number of axes.
    pub fn ndim(&self) -> usize {
        self.layout.shape.rank()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.layout.shape.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.layout.shape.is_empty()
    }

    /// The UID of the store, as in the profile.
    pub fn store_uid(&self) -> weft_trace::id::StoreUid {
        self.store.uid
    }

    /// A number that grows with every write to the store, through any view of it, that the program asks for from the first call of this
    /// on; `None` where another library can write to its memory, which nobody counts.
    pub fn writes(&self) -> Option<u64> {
        (!self.store.is_shared()).then(|| self.store.writes())
    }

    /// Whether [`writes`](Self::writes) was called for the store.
    #[inline]
    pub fn counts_writes(&self) -> bool {
        self.store.counts_writes()
    }

    /// The same store through another layout.
    pub(crate) fn with_layout(&self, layout: Layout) -> DynArray {
        DynArray {
            core: self.core.clone(),
            store: self.store.clone(),
            layout,
        }
    }
}

impl std::fmt::Debug for DynArray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DynArray<{}>{:?}", self.dtype(), self.shape())
    }
}
