//! Arrays whose dtype is known only at run time. Typed arrays are built on them.

use crate::dtype::DType;
use crate::lower::View;

/// A view of a store: an array of any dtype.
///
/// Clones and views share data, as in NumPy. Calls return errors instead of panicking.
#[derive(Clone)]
pub struct DynArray {
    pub(crate) view: View,
}

impl From<View> for DynArray {
    #[inline]
    fn from(view: View) -> DynArray {
        DynArray { view }
    }
}

impl DynArray {
    /// Returns the type of the elements.
    pub fn dtype(&self) -> DType {
        self.view.dtype()
    }

    /// Returns the number of elements along each axis.
    pub fn shape(&self) -> &[usize] {
        self.view.dims()
    }

    /// Returns the number of axes.
    pub fn ndim(&self) -> usize {
        self.view.ndim()
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.view.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.view.is_empty()
    }

    /// Returns the UID of the store, as in the profile.
    pub fn store_uid(&self) -> weft_trace::id::StoreUid {
        self.view.store.uid
    }

    /// Whether another library can write to the array's memory.
    pub fn is_shared(&self) -> bool {
        self.view.store.is_shared()
    }

    /// Returns a number that grows with every write to the store that the program asks for, through
    /// any view, after the first call of this method. Returns `None` if another library can write
    /// to its memory, since such writes are not counted.
    pub fn writes(&self) -> Option<u64> {
        let store = &self.view.store;
        (!store.is_shared()).then(|| store.writes())
    }

    /// Whether [`writes`](Self::writes) was called for the store.
    #[inline]
    pub fn counts_writes(&self) -> bool {
        self.view.store.counts_writes()
    }
}

impl std::fmt::Debug for DynArray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DynArray<{}>{:?}", self.dtype(), self.shape())
    }
}
