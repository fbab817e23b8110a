//! Access to single elements at once, for front ends whose programs read one element after another.
//!
//! Recording, ordering and running an operation takes about a microsecond, and reading a number
//! some nanoseconds. If no operation that uses an array is under way, and operations are not
//! recorded, its elements are read and written directly, without an operation.

use super::DynArray;
use crate::dtype::{Scalar, ScalarBits};
use crate::shape::{Layout, MAX_DIMS, Shape};
use weft_core::memory::{element_of, set_element_of};

impl DynArray {
    /// Returns the element at these places, one along each axis, at once. Returns `None` if an
    /// operation that uses the array is under way or has failed, operations are recorded, there are
    /// GPUs or several ranks, or there is no such element.
    pub fn element(&self, places: &[usize]) -> Option<Scalar> {
        let at = self.element_at(places)?;
        let _held = self.view.core.at_once(&self.view.store)?;
        Some(element_of(&self.view.store, at)?.scalar(self.dtype()))
    }

    /// Returns the value of a result without axes whose operation has ended, even if operations are
    /// recorded. Returns `None` with GPUs, on several ranks, and if the operation is under way or
    /// has failed.
    pub fn result(&self) -> Option<Scalar> {
        let at = self.element_at(&[])?;
        let _held = self.view.core.computed(&self.view.store)?;
        Some(element_of(&self.view.store, at)?.scalar(self.dtype()))
    }

    /// Whether this run computes small operations at once, as long as no operation on the same
    /// arrays is under way.
    pub fn is_computed_at_once(&self) -> bool {
        self.view.core.computes_at_once()
    }

    /// Writes a value of the array's dtype at these places at once. Returns `false` and writes
    /// nothing in the cases of [`element`](Self::element), if the value has another dtype, or if
    /// elements share memory.
    pub fn set_element(&self, places: &[usize], value: Scalar) -> bool {
        let Some(at) = self.element_at(places) else {
            return false;
        };
        if value.dtype() != self.dtype() || self.view.has_repeated_elements() {
            return false;
        }
        let Some(_held) = self.view.core.at_once(&self.view.store) else {
            return false;
        };
        let element = Layout {
            shape: Shape::SCALAR,
            strides: [0; MAX_DIMS],
            offset: at,
        };
        let written = set_element_of(&self.view.store, at, &ScalarBits::from_scalar(&value));
        if written {
            self.view.store.overwrites(&element);
            self.view.store.count_write();
        }
        written
    }

    /// Returns the number of an element within the store.
    fn element_at(&self, places: &[usize]) -> Option<usize> {
        let dims = self.view.layout.shape.dims();
        let is_inside =
            places.len() == dims.len() && places.iter().zip(dims).all(|(at, dim)| at < dim);
        if !is_inside {
            return None;
        }
        let steps = places.iter().zip(&self.view.layout.strides);
        let offset = steps.map(|(at, step)| *at as isize * step).sum();
        self.view.layout.offset.checked_add_signed(offset)
    }
}
