//! Views of arrays that bodies get: a part of the array, and its position in the array.

use std::ops::{Deref, DerefMut, Range};

use ndarray::{ArrayView, ArrayViewMut, Dim, Dimension, Ix};

/// The indices along each axis of an array that a view covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Covered<const D: usize> {
    pub(super) first: [usize; D],
    pub(super) end: [usize; D],
}

impl<const D: usize> Covered<D> {
    fn range(&self, axis: usize) -> Range<usize> {
        self.first[axis]..self.end[axis]
    }

    /// Converts an index of the array to one of the view; `None` if it is outside.
    fn own(&self, index: [usize; D]) -> Option<[usize; D]> {
        let mut own = [0; D];
        for axis in 0..D {
            if !self.range(axis).contains(&index[axis]) {
                return None;
            }
            own[axis] = index[axis] - self.first[axis];
        }
        Some(own)
    }
}

macro_rules! ranges {
    () => {
        /// Returns the indices of the array that the view covers along an axis, including a halo.
        ///
        /// # Panics
        /// Panics if there is no such axis.
        pub fn range(&self, axis: usize) -> Range<usize> {
            self.covered.range(axis)
        }

        /// Returns the indices of the array that the view covers along each axis, including a halo.
        pub fn ranges(&self) -> [Range<usize>; D] {
            std::array::from_fn(|axis| self.covered.range(axis))
        }
    };
}

/// Elements of an array that a task reads.
///
/// It is an [`ArrayView`]; indices count from the first element of the view.
pub struct In<'a, T, const D: usize>
where
    Dim<[Ix; D]>: Dimension,
{
    pub(super) view: ArrayView<'a, T, Dim<[Ix; D]>>,
    pub(super) covered: Covered<D>,
}

impl<T, const D: usize> In<'_, T, D>
where
    Dim<[Ix; D]>: Dimension,
{
    ranges!();
}

impl<T, const D: usize> In<'_, T, D>
where
    [Ix; D]: ndarray::NdIndex<Dim<[Ix; D]>>,
    Dim<[Ix; D]>: Dimension,
{
    /// Returns the element at an index of the array; `None` if the view does not cover it.
    pub fn at(&self, index: [usize; D]) -> Option<&T> {
        self.view.get(self.covered.own(index)?)
    }
}

impl<'a, T, const D: usize> Deref for In<'a, T, D>
where
    Dim<[Ix; D]>: Dimension,
{
    type Target = ArrayView<'a, T, Dim<[Ix; D]>>;

    fn deref(&self) -> &Self::Target {
        &self.view
    }
}

/// Declares a view that a body writes.
macro_rules! written {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name<'a, T, const D: usize>
        where
            Dim<[Ix; D]>: Dimension,
        {
            pub(super) view: ArrayViewMut<'a, T, Dim<[Ix; D]>>,
            pub(super) covered: Covered<D>,
        }

        impl<T, const D: usize> $name<'_, T, D>
        where
            Dim<[Ix; D]>: Dimension,
        {
            ranges!();
        }

        impl<'a, T, const D: usize> Deref for $name<'a, T, D>
        where
            Dim<[Ix; D]>: Dimension,
        {
            type Target = ArrayViewMut<'a, T, Dim<[Ix; D]>>;

            fn deref(&self) -> &Self::Target {
                &self.view
            }
        }

        impl<T, const D: usize> DerefMut for $name<'_, T, D>
        where
            Dim<[Ix; D]>: Dimension,
        {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.view
            }
        }
    };
}

written! {
    /// Elements of an array that a task writes completely. Before that they have arbitrary values
    /// of the type.
    ///
    /// It is an [`ArrayViewMut`]; indices count from the first element of the view.
    Out
}

written! {
    /// Elements of an array that a task reads and writes.
    ///
    /// It is an [`ArrayViewMut`]; indices count from the first element of the view.
    InOut
}

written! {
    /// The contribution of a tile to an array that all tiles contribute to. It has the array's
    /// whole shape, and is initialised to the identity.
    ///
    /// It is an [`ArrayViewMut`]. The contributions are combined with the array in the order of the
    /// tiles.
    Reduce
}
