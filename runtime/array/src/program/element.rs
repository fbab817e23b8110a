//! Single elements at once, for front ends whose programs look at one element after another.
//!
//! To note, order and run an operation takes about a microsecond; to read a number takes some nanoseconds. Where nothing that uses
//! an array is under way, and nobody records operations, its elements are read and written where they lie, without an operation.

use super::DynArray;
use crate::dtype::{Scalar, ScalarBits};
use crate::shape::{Layout, MAX_DIMS, Shape};
use weft_core::memory::{element_of, set_element_of};

impl DynArray {
    /// The element at these places, one along each axis, where it can be had at once. `None` if an operation that uses the
    /// array is under way or has failed, where operations are recorded, with GPUs, on many ranks, and if there is no such element.
    pub fn element(&self, places: &[usize]) -> Option<Scalar> {
        let at = self.element_at(places)?;
        let _held = self.view.core.at_once(&self.view.store)?;
        Some(element_of(&self.view.store, at)?.scalar(self.dtype()))
    }

    /// The value of a result without axes whose operation has ended, also where operations are recorded. `None` with GPUs, on
    /// many ranks, and where the operation is under way or failed.
    pub fn result(&self) -> Option<Scalar> {
        let at = self.element_at(&[])?;
        let _held = self.view.core.computed(&self.view.store)?;
        Some(element_of(&self.view.store, at)?.scalar(self.dtype()))
    }

    /// Whether this run computes what is small at once, as long as no operation that uses the same arrays is under way.
    pub fn is_computed_at_once(&self) -> bool {
        self.view.core.computes_at_once()
    }

    /// Writes a value of the array's dtype at these places, where that can be done at once; `false`, and nothing is written,
    /// as [`element`](Self::element) says, and where the value has another dtype or elements share memory.
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
        let written = set_element_of(&self.view.store, at, &ScalarBits::of(&value));
        if written {
            self.view.store.overwrites(&element);
            self.view.store.count_write();
        }
        written
    }

    /// The number of an element within the store.
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
