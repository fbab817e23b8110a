//! Vectors whose memory is reused by the thread that drops them, so that operations need not
//! allocate it each time.

use std::ops::{Deref, DerefMut};

use smallvec::{Array, SmallVec};

/// Maximum number of vectors of one type that a thread keeps.
const KEPT: usize = 64;
/// Capacity of the largest vector that is kept, in elements.
const LARGEST: usize = 32;

/// An element type of recycled vectors.
pub trait Recycled: Sized + 'static {
    /// Calls `with` with the empty vectors that this thread keeps; does not call it while the
    /// thread ends.
    fn with_kept<R>(with: impl FnOnce(&mut Vec<Vec<Self>>) -> R) -> Option<R>;
}

/// Implements recycling of vectors of a type.
macro_rules! recycled {
    ($type:ty) => {
        impl $crate::recycle::Recycled for $type {
            fn with_kept<R>(with: impl FnOnce(&mut Vec<Vec<Self>>) -> R) -> Option<R> {
                thread_local! {
                    static KEPT: std::cell::RefCell<Vec<Vec<$type>>> = const { std::cell::RefCell::new(Vec::new()) };
                }
                KEPT.try_with(|kept| Some(with(&mut *kept.try_borrow_mut().ok()?)))
                    .ok()
                    .flatten()
            }
        }
    };
}

pub(crate) use recycled;

/// A vector in recycled memory.
pub struct Recycle<T: Recycled>(Vec<T>);

impl<T: Recycled> Default for Recycle<T> {
    fn default() -> Recycle<T> {
        Recycle(T::with_kept(Vec::pop).flatten().unwrap_or_default())
    }
}

impl<T: Recycled> Drop for Recycle<T> {
    fn drop(&mut self) {
        let mut elements = std::mem::take(&mut self.0);
        elements.clear();
        if (1..=LARGEST).contains(&elements.capacity()) {
            T::with_kept(|kept| {
                if kept.len() < KEPT {
                    kept.push(elements);
                }
            });
        }
    }
}

impl<T: Recycled> Deref for Recycle<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Recycled> DerefMut for Recycle<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T: Recycled> FromIterator<T> for Recycle<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Recycle<T> {
        let mut vector = Recycle::default();
        vector.extend(elements);
        vector
    }
}

impl<'a, T: Recycled> IntoIterator for &'a Recycle<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T: Recycled, A: Array<Item = T>> From<SmallVec<A>> for Recycle<T> {
    fn from(elements: SmallVec<A>) -> Recycle<T> {
        elements.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    recycled!(u64);

    #[test]
    fn reuses_freed_memory() {
        let first: Recycle<u64> = (0..4).collect();
        let address = first.as_ptr();
        drop(first);
        let second: Recycle<u64> = (4..8).collect();
        assert_eq!(
            (second.as_ptr(), second.as_slice()),
            (address, &[4, 5, 6, 7][..])
        );
    }
}
