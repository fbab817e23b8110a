//! What a body gets of an array: its part, and where in the array that stands.

use std::ops::{Deref, DerefMut, Range};

use ndarray::{ArrayView, ArrayViewMut, Dim, Dimension, Ix};

/// The indices along each axis of an array that a view of it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Covered<const D: usize> {
    pub(super) first: [usize; D],
    pub(super) end: [usize; D],
}

impl<const D: usize> Covered<D> {
    fn range(&self, axis: usize) -> Range<usize> {
        self.first[axis]..self.end[axis]
    }

    /// An index of the array as one of the view; `None` where it lies outside.
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
        /// The indices of the array that the view covers along an axis; with a halo, those of the halo too.
        ///
        /// # Panics
        /// If there is no such axis.
        pub fn range(&self, axis: usize) -> Range<usize> {
            self.covered.range(axis)
        }

        /// Those along each axis.
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
    /// The element at an index of the array; `None` where the view does not cover it.
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

/// Declares a view that a body writes to.
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
    /// Elements of an array that a task writes, each of them. What they are before is not defined, but a value of the type.
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
    /// What a tile contributes to an array, which all tiles contribute to: all of the array, of values that change nothing at first.
    ///
    /// It is an [`ArrayViewMut`]. The contributions are combined with the array in the order of the tiles.
    Reduce
}
