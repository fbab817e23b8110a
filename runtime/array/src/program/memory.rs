//! Control of memory: hints, moving data, the state of the pools, and batches that fit.

use std::ops::Range;

pub use weft_trace::record::MemoryKind;

use super::{Array, DynArray};
use crate::dtype::Element;
use weft_core::error::{CallError, Error, at_call};
use weft_core::runtime::current;
use weft_core::site::Site;

/// Consecutive ranges of indices, each of which fits into a memory.
///
/// ```
/// let rows: Vec<_> = weft::Batches::new(10, 4).collect();
/// assert_eq!(rows, [0..4, 4..8, 8..10]);
/// ```
#[derive(Clone, Debug)]
pub struct Batches {
    next: usize,
    end: usize,
    step: usize,
}

impl Batches {
    /// Divides `length` indices into ranges of at most `step` (at least 1).
    pub fn new(length: usize, step: usize) -> Batches {
        Batches {
            next: 0,
            end: length,
            step: step.max(1),
        }
    }

    /// Returns the number of indices in each range except the last, which may be shorter.
    pub fn step(&self) -> usize {
        self.step
    }
}

impl Iterator for Batches {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.next == self.end {
            return None;
        }
        let first = self.next;
        self.next = first.saturating_add(self.step).min(self.end);
        Some(first..self.next)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.end - self.next).div_ceil(self.step);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Batches {}

/// Divides `length` indices into ranges whose arrays fit into the free memory for new arrays (that
/// of all GPUs if there are any), for data larger than a memory. `bytes_each` is the size of one
/// index in all arrays that a range needs at once, including temporaries. Waits for running
/// operations.
///
/// ```
/// # fn main() -> Result<(), weft::Error> {
/// let mut total = 0.0;
/// // Two arrays of f64 are there at a time.
/// for part in weft::batches(1_000_000, 16) {
///     let x = weft::full::<f64>(&[part.len()], 0.5);
///     total += (&x * &x).sum().item();
/// }
/// assert_eq!(total, 250_000.0);
/// # Ok(())
/// # }
/// ```
///
/// # Panics
/// Panics like [`pool_status`](crate::pool_status).
#[track_caller]
pub fn batches(length: usize, bytes_each: usize) -> Batches {
    let runtime = at_call(current());
    at_call(runtime.wait());
    let free = runtime.core().room_for_arrays();
    Batches::new(length, free / bytes_each.max(1))
}

impl DynArray {
    /// Announces that the array will be read through views shifted by up to `low[i]` elements
    /// towards smaller indices of axis `i`, and `high[i]` towards larger ones. With several GPUs,
    /// each part is then allocated with this halo from the start; otherwise it is allocated again
    /// when the first shifted view is read, with both allocations alive. With one memory for the
    /// whole array, this has no effect.
    ///
    /// # Errors
    /// Returns an error unless there is one number for each axis.
    pub fn stencil_hint(&self, low: &[usize], high: &[usize]) -> Result<(), CallError> {
        if low.len() != self.ndim() || high.len() != self.ndim() {
            let why = format!(
                "{low:?} and {high:?} are not numbers for {} axes",
                self.ndim()
            );
            return Err(CallError::Shape {
                operation: "stencil_hint",
                why,
            });
        }
        let reach = |numbers: &[usize]| -> usize {
            let steps = numbers.iter().zip(&self.view.layout.strides);
            steps
                .map(|(number, step)| number * step.unsigned_abs())
                .sum()
        };
        if self.view.core.has_gpus() {
            self.view.store.widen(reach(low), reach(high));
        }
        Ok(())
    }

    /// Copies the array's data to a memory of this kind before it is needed there. Returns at once.
    ///
    /// # Errors
    /// Returns an error if the run has no memory of this kind.
    #[track_caller]
    pub fn prefetch(&self, memory: MemoryKind) -> Result<(), CallError> {
        let _call = Site::enter_caller();
        self.move_by(memory, false)
    }

    /// Moves the data of this array's whole store to a memory of this kind and frees it elsewhere.
    /// Returns at once; later operations move it back or use it in place.
    ///
    /// # Errors
    /// Returns an error if the run has no memory of this kind.
    #[track_caller]
    pub fn offload_to(&self, memory: MemoryKind) -> Result<(), CallError> {
        let _call = Site::enter_caller();
        self.move_by(memory, true)
    }

    fn move_by(&self, to: MemoryKind, alone: bool) -> Result<(), CallError> {
        let operation = if alone { "offload_to" } else { "prefetch" };
        if !self.view.core.has_memory(to) {
            let memory = to.name();
            return Err(CallError::Memory { operation, memory });
        }
        self.view.moved(to, alone)
    }
}

impl<T: Element> Array<T> {
    /// Announces that the array will be read through views shifted by up to `low[i]` elements
    /// towards smaller indices of axis `i`, and `high[i]` towards larger ones; see
    /// [`DynArray::stencil_hint`].
    ///
    /// # Panics
    /// Panics at the caller's line unless there is one number for each axis.
    #[track_caller]
    pub fn stencil_hint(&self, low: &[usize], high: &[usize]) {
        at_call(self.as_dyn().stencil_hint(low, high));
    }

    /// Copies the array's data to a memory of this kind before it is needed there. Returns at once.
    ///
    /// # Panics
    /// Panics at the caller's line if this run has no such memory.
    /// [`try_prefetch`](Self::try_prefetch) returns that error.
    #[track_caller]
    pub fn prefetch(&self, memory: MemoryKind) {
        at_call(self.try_prefetch(memory));
    }

    /// Like [`prefetch`](Self::prefetch), but returns errors.
    ///
    /// # Errors
    /// Returns an error if the run has no memory of this kind.
    #[track_caller]
    pub fn try_prefetch(&self, memory: MemoryKind) -> Result<(), Error> {
        Ok(self.as_dyn().prefetch(memory)?)
    }

    /// Moves the data of this array's whole store to a memory of this kind and frees it elsewhere;
    /// see [`DynArray::offload_to`].
    ///
    /// # Panics
    /// Panics at the caller's line if this run has no such memory.
    /// [`try_offload_to`](Self::try_offload_to) returns that error.
    #[track_caller]
    pub fn offload_to(&self, memory: MemoryKind) {
        at_call(self.try_offload_to(memory));
    }

    /// Like [`offload_to`](Self::offload_to), but returns errors.
    ///
    /// # Errors
    /// Returns an error if the run has no memory of this kind.
    #[track_caller]
    pub fn try_offload_to(&self, memory: MemoryKind) -> Result<(), Error> {
        Ok(self.as_dyn().offload_to(memory)?)
    }

    /// Returns views of consecutive rows (indices of the first axis), as many at a time as fit into
    /// free memory with `bytes_each_row` bytes each: [`batches`].
    ///
    /// # Panics
    /// Panics at the caller's line if the array has no axes, and like [`batches`].
    #[track_caller]
    pub fn row_batches(&self, bytes_each_row: usize) -> impl Iterator<Item = Array<T>> + use<T> {
        let array = self.clone();
        let rows = at_call(
            self.shape()
                .first()
                .copied()
                .ok_or(CallError::Axis { axis: 0, dims: 0 }),
        );
        at_call(self.as_dyn().view.core.wait_for_all());
        let free = self.as_dyn().view.core.room_for_arrays();
        Batches::new(rows, free / bytes_each_row.max(1)).map(move |rows| array.rows(rows))
    }

    /// Returns the view of some rows, which must exist.
    fn rows(&self, rows: Range<usize>) -> Array<T> {
        Array::wrap(self.as_dyn().view.part(0, rows.start, rows.end).into())
    }
}
