//! Handles to descriptions that are created once and compared often.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;

/// A shared description, such as that of a function. Two handles are equal if they refer to the
/// same description in memory. Comparing and hashing cost as little as for an address, and the
/// described type need not be comparable.
pub struct Handle<T: ?Sized + 'static>(Place<T>);

enum Place<T: ?Sized + 'static> {
    Static(&'static T),
    Shared(Arc<T>),
}

impl<T: ?Sized> Handle<T> {
    /// Creates a handle to a static value.
    ///
    /// # Panics
    /// Panics if the value has no bytes, since its address may not be unique.
    pub const fn fixed(of: &'static T) -> Handle<T> {
        assert!(
            size_of_val(of) > 0,
            "a value without bytes has no address of its own"
        );
        Handle(Place::Static(of))
    }

    /// Creates a handle that keeps a value alive.
    pub const fn shared(of: Arc<T>) -> Handle<T> {
        Handle(Place::Shared(of))
    }
}

impl<T: ?Sized> Deref for Handle<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match &self.0 {
            Place::Static(of) => of,
            Place::Shared(of) => of,
        }
    }
}

impl<T: ?Sized> Clone for Handle<T> {
    #[inline]
    fn clone(&self) -> Handle<T> {
        Handle(match &self.0 {
            Place::Static(of) => Place::Static(of),
            Place::Shared(of) => Place::Shared(of.clone()),
        })
    }
}

impl<T: ?Sized> PartialEq for Handle<T> {
    #[inline]
    fn eq(&self, other: &Handle<T>) -> bool {
        // Compares addresses without method tables, since one type may have several.
        match (&self.0, &other.0) {
            (Place::Static(a), Place::Static(b)) => ptr::addr_eq(*a, *b),
            (Place::Shared(a), Place::Shared(b)) => ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b)),
            _ => false,
        }
    }
}

impl<T: ?Sized> Eq for Handle<T> {}

impl<T: ?Sized> Hash for Handle<T> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        ptr::from_ref::<T>(self).cast::<()>().hash(state);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> From<&'static T> for Handle<T> {
    fn from(of: &'static T) -> Handle<T> {
        Handle::fixed(of)
    }
}

impl<T: ?Sized> From<Arc<T>> for Handle<T> {
    fn from(of: Arc<T>) -> Handle<T> {
        Handle::shared(of)
    }
}
