//! What a library declares once and operations share.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A declaration, for as long as the process or as long as somebody uses it. Two are equal where they are the same one.
pub(crate) enum Handle<T: ?Sized + 'static> {
    /// One of the process.
    Static(&'static T),
    /// One that ends with its last user.
    Shared(Arc<T>),
}

impl<T: ?Sized> Handle<T> {
    fn address(&self) -> usize {
        std::ptr::from_ref::<T>(self).cast::<()>().addr()
    }
}

impl<T: ?Sized> Deref for Handle<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Handle::Static(one) => one,
            Handle::Shared(one) => one,
        }
    }
}

impl<T: ?Sized> Clone for Handle<T> {
    #[inline]
    fn clone(&self) -> Self {
        match self {
            Handle::Static(one) => Handle::Static(one),
            Handle::Shared(one) => Handle::Shared(one.clone()),
        }
    }
}

impl<T: ?Sized> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.address() == other.address()
    }
}

impl<T: ?Sized> Eq for Handle<T> {}

impl<T: ?Sized> Hash for Handle<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address().hash(state);
    }
}

impl<T: ?Sized + std::fmt::Debug> std::fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}
