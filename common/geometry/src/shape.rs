//! Shapes, and the layouts that place them in memory.
//!
//! A [`Shape`] is the number of elements along each dimension. A [`Layout`] adds a step for each
//! dimension, so that views (slices, transposes, broadcasts) are layouts over one allocation. Both
//! are small and `Copy`.

mod layout;

pub use layout::Layout;

use std::fmt;

/// The largest number of dimensions.
pub const MAX_DIMS: usize = 8;

/// The number of elements along each dimension; up to [`MAX_DIMS`] of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    rank: u8,
    /// Dimensions beyond the rank are 0, so that derived equality and hash are right.
    dims: [usize; MAX_DIMS],
}

impl Shape {
    /// The shape of one element without dimensions.
    pub const SCALAR: Shape = Shape {
        rank: 0,
        dims: [0; MAX_DIMS],
    };

    /// Creates a shape from its dimensions. Returns `None` if there are more than [`MAX_DIMS`], or
    /// more elements than an `isize` can count (not counting zero-length dimensions).
    #[inline]
    pub fn new(dims: &[usize]) -> Option<Shape> {
        if dims.len() > MAX_DIMS {
            return None;
        }
        let nonzero = dims.iter().filter(|&&dim| dim != 0);
        let span = nonzero.copied().try_fold(1usize, usize::checked_mul)?;
        if isize::try_from(span).is_err() {
            return None;
        }
        let mut shape = Shape::SCALAR;
        shape.dims[..dims.len()].copy_from_slice(dims);
        shape.rank = dims.len() as u8;
        Some(shape)
    }

    /// Returns the number of dimensions.
    #[inline]
    pub const fn rank(&self) -> usize {
        self.rank as usize
    }

    /// Returns the number of elements along each dimension.
    #[inline]
    pub fn dims(&self) -> &[usize] {
        &self.dims[..self.rank()]
    }

    /// Returns the number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.dims().iter().product()
    }

    /// Whether there are no elements, because a dimension is 0.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.dims().contains(&0)
    }

    /// Returns the size in bytes of an array of this shape; `None` if it does not fit an `isize`.
    pub fn checked_bytes(&self, element_size: usize) -> Option<usize> {
        let bytes = self.len().checked_mul(element_size)?;
        isize::try_from(bytes).ok().map(|_| bytes)
    }

    /// Returns the shape to which both broadcast by NumPy's rule (aligned at the last dimension; 1
    /// stretches); `None` if they do not agree.
    pub fn broadcast(a: Shape, b: Shape) -> Option<Shape> {
        let rank = a.rank().max(b.rank());
        let mut dims = [0; MAX_DIMS];
        for (back, dim) in dims[..rank].iter_mut().rev().enumerate() {
            let of = |shape: &Shape| match shape.rank().checked_sub(back + 1) {
                Some(at) => shape.dims[at],
                None => 1,
            };
            *dim = match (of(&a), of(&b)) {
                (x, y) if x == y => x,
                (1, y) => y,
                (x, 1) => x,
                _ => return None,
            };
        }
        Shape::new(&dims[..rank])
    }

    /// Returns the steps of a row-major array of this shape, in elements. Those beyond the rank are
    /// 0.
    #[inline]
    pub fn row_major_strides(&self) -> [isize; MAX_DIMS] {
        let mut strides = [0; MAX_DIMS];
        let mut step = 1isize;
        for axis in (0..self.rank()).rev() {
            strides[axis] = step;
            step *= self.dims[axis].max(1) as isize;
        }
        strides
    }

    /// Returns the shape without dimension `axis`, or unchanged if it has no such dimension.
    #[inline]
    pub fn without(&self, axis: usize) -> Shape {
        let mut shape = *self;
        if axis < self.rank() {
            shape.dims.copy_within(axis + 1.., axis);
            shape.dims[MAX_DIMS - 1] = 0;
            shape.rank -= 1;
        }
        shape
    }

    /// Returns the shape with dimension `axis` set to `dim`; `None` if there is no such dimension,
    /// or there are too many elements.
    #[inline]
    pub fn with_dim(&self, axis: usize, dim: usize) -> Option<Shape> {
        let mut dims = self.dims;
        *dims[..self.rank()].get_mut(axis)? = dim;
        Shape::new(&dims[..self.rank()])
    }

    /// Returns the row-major number of the element at `index`; the inverse of
    /// [`unravel`](Shape::unravel).
    pub fn ravel(&self, index: &[usize]) -> usize {
        self.dims()
            .iter()
            .zip(index)
            .fold(0, |flat, (&dim, &at)| flat * dim + at)
    }

    /// Returns the index of the element with row-major number `flat`. Entries beyond the rank are
    /// 0.
    pub fn unravel(&self, mut flat: usize) -> [usize; MAX_DIMS] {
        let mut index = [0; MAX_DIMS];
        for axis in (0..self.rank()).rev() {
            let dim = self.dims[axis].max(1);
            index[axis] = flat % dim;
            flat /= dim;
        }
        index
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.dims(), f)
    }
}

impl fmt::Display for Shape {
    /// Formats the shape as Python does: `(2, 3)`, `(4,)`, `()`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (axis, dim) in self.dims().iter().enumerate() {
            if axis > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{dim}")?;
        }
        f.write_str(if self.rank == 1 { ",)" } else { ")" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(dims: &[usize]) -> Shape {
        Shape::new(dims).unwrap()
    }

    #[test]
    fn rejects_too_many_dimensions_or_elements() {
        assert!(Shape::new(&[1; MAX_DIMS]).is_some());
        assert!(Shape::new(&[1; MAX_DIMS + 1]).is_none());
        assert!(Shape::new(&[1 << 40, 1 << 40]).is_none());
        assert!(Shape::new(&[1 << 40, 1 << 40, 0]).is_none());
        assert_eq!(shape(&[1 << 61]).checked_bytes(8), None);
    }

    #[test]
    fn broadcast_aligns_the_last_dimension() {
        let both = |a: &[usize], b: &[usize]| Shape::broadcast(shape(a), shape(b));
        assert_eq!(both(&[3, 1], &[4]), Some(shape(&[3, 4])));
        assert_eq!(both(&[], &[2, 0]), Some(shape(&[2, 0])));
        assert_eq!(both(&[1], &[0]), Some(shape(&[0])));
        assert_eq!(both(&[3], &[4]), None);
    }

    #[test]
    fn strides_and_flat_indices_are_row_major() {
        let s = shape(&[2, 3, 4]);
        assert_eq!(s.row_major_strides()[..4], [12, 4, 1, 0]);
        for flat in 0..s.len() {
            assert_eq!(s.ravel(&s.unravel(flat)[..3]), flat);
        }
        assert_eq!(s.without(1), shape(&[2, 4]));
        assert_eq!(s.with_dim(1, 1), Some(shape(&[2, 1, 4])));
    }

    #[test]
    fn formats_shapes_as_tuples() {
        assert_eq!(shape(&[]).to_string(), "()");
        assert_eq!(shape(&[4]).to_string(), "(4,)");
        assert_eq!(shape(&[2, 3]).to_string(), "(2, 3)");
    }
}
