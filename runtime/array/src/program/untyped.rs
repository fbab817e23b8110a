//! Arrays of a dtype that is known only at run time, from values and back to values, for front ends
//! without Rust's types.

use std::sync::Arc;
use std::time::Duration;

use smallvec::SmallVec;
use weft_trace::record::RuntimeCallKind;

use super::DynArray;
use crate::dtype::{DType, Parameter, Scalar, ScalarBits};
use crate::lower::generate::Generator;
use crate::lower::memory::Requested;
use crate::lower::{View, checked, wrong};
use weft_core::error::{CallError, Error};
use weft_core::memory::{Store, bytes_of};
use weft_core::runtime::{Runtime, TurnRequest, Waiting, Whole};
use weft_core::site::Site;
use weft_core::words;

/// A value that was requested, and may not be available yet.
pub struct Pending(Requested);

/// The value of an array, in main memory.
pub struct HostValue {
    copy: View,
}

fn stores(arrays: &[&DynArray]) -> SmallVec<[Arc<Store>; 4]> {
    let stores = arrays.iter().map(|array| array.view.store.clone());
    stores.collect()
}

impl Pending {
    /// Whether the value is available.
    pub fn is_ready(&self) -> bool {
        self.0.latch.is_open()
    }

    /// Waits until the value is available or the time is over. Returns whether it is available.
    pub fn wait_for(&self, most: Duration) -> bool {
        let Requested { copy, latch, uid } = &self.0;
        let wait = || copy.core.await_latch_for(latch, Some(most));
        copy.core.waiting(RuntimeCallKind::Wait, Some(*uid), wait)
    }

    /// Waits until the value is available, and returns it.
    ///
    /// # Errors
    /// Returns an error if an operation that the value depends on failed.
    pub fn value(self) -> Result<HostValue, Error> {
        let Requested { copy, latch, uid } = self.0;
        let core = &copy.core;
        // The wait may be over already, after calls of `wait_for`.
        if !latch.is_open() {
            core.waiting(RuntimeCallKind::Wait, Some(uid), || {
                core.await_latch(&latch);
            });
        }
        match core.agree(uid, copy.store.failure()) {
            Some(error) => Err(error),
            None => Ok(HostValue { copy }),
        }
    }
}

impl HostValue {
    /// Returns the elements in row-major order, as bytes in memory; empty if there are none.
    pub fn as_bytes(&self) -> &[u8] {
        bytes_of(&self.copy.store)
    }

    /// Returns the first element; `None` if there are none.
    pub fn first(&self) -> Option<Scalar> {
        self.iter().next()
    }

    /// Iterates over the elements in row-major order.
    pub fn iter(&self) -> impl Iterator<Item = Scalar> {
        let dtype = self.copy.dtype();
        let size = dtype.size();
        self.as_bytes().chunks_exact(size).map(move |bytes| {
            let mut bits = ScalarBits::default();
            bits.bytes[..size].copy_from_slice(bytes);
            bits.scalar(dtype)
        })
    }
}

impl DynArray {
    /// Requests the array's value without waiting for it.
    ///
    /// # Errors
    /// Returns an error if the runtime has finished or crashed.
    #[track_caller]
    pub fn request(&self) -> Result<Pending, Error> {
        let _call = Site::enter_caller();
        Ok(Pending(self.view.request()?))
    }

    /// Takes the turns of these arrays, for a call of several operations that changes them based on
    /// their contents. Until the result is dropped, operations of other threads that write to them
    /// wait. Returns `None` if another thread has one of them.
    pub fn begin_whole(arrays: &[&DynArray]) -> Option<Whole> {
        Whole::begin(&stores(arrays))
    }

    /// Takes the turns of these arrays like [`begin_whole`](Self::begin_whole), or registers that
    /// the calling thread waits for them.
    pub fn begin_whole_or_wait(arrays: &[&DynArray], waiting: &Waiting) -> TurnRequest {
        Whole::begin_or_wait(&stores(arrays), waiting)
    }

    /// Creates an array from the bytes of its elements, in row-major order. Any byte except 0 is
    /// true.
    ///
    /// # Errors
    /// Returns an error if the number of bytes does not match the shape.
    #[track_caller]
    pub fn from_bytes(
        runtime: &Runtime,
        dtype: DType,
        dims: &[usize],
        bytes: &[u8],
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let shape = checked(dims)?;
        if shape.checked_bytes(dtype.size()) != Some(bytes.len()) {
            let (bytes, dtype) = (bytes.len(), words::dtype(dtype));
            let why = format!("{bytes} bytes for shape {shape:?} of {dtype}");
            return Err(wrong("load", &why));
        }
        Ok(View::from_bytes(runtime.core(), dtype, shape, bytes)?.into())
    }

    /// Returns this array cast to another dtype, as NumPy's `astype`, or unchanged if it has it
    /// already.
    ///
    /// # Errors
    /// Returns an error if the runtime has finished or crashed.
    #[track_caller]
    pub fn cast(&self, dtype: DType) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.cast(dtype)?.into())
    }

    /// Returns `count` elements from `start` by `step`, of the dtype of `start`.
    ///
    /// # Errors
    /// Returns an error if there are too many.
    #[track_caller]
    pub fn arange(
        runtime: &Runtime,
        start: Scalar,
        step: Scalar,
        count: usize,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let dtype = start.dtype();
        let step = step.cast(dtype);
        let made = Generator::Arange { start, step };
        Ok(View::generated(runtime.core(), dtype, &[count], made)?.into())
    }

    /// Returns `count` numbers from `start` to `stop`, which is the last one or the first one after
    /// it.
    ///
    /// # Errors
    /// Returns an error if there are too many.
    #[track_caller]
    pub fn linspace(
        runtime: &Runtime,
        start: f64,
        stop: f64,
        count: usize,
        endpoint: bool,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let made = Generator::Linspace {
            start: Parameter(start),
            stop: Parameter(stop),
            count,
            endpoint,
        };
        Ok(View::generated(runtime.core(), DType::F64, &[count], made)?.into())
    }

    /// Returns a matrix with ones on a diagonal and zeros elsewhere.
    ///
    /// # Errors
    /// Returns an error if there are too many elements.
    #[track_caller]
    pub fn eye(
        runtime: &Runtime,
        dtype: DType,
        rows: usize,
        columns: usize,
        diagonal: isize,
    ) -> Result<DynArray, CallError> {
        let made = Generator::Eye { diagonal };
        let _call = Site::enter_caller();
        Ok(View::generated(runtime.core(), dtype, &[rows, columns], made)?.into())
    }

    /// Whether the two are views of one store.
    pub fn shares_store_with(&self, other: &DynArray) -> bool {
        Arc::ptr_eq(&self.view.store, &other.view.store)
    }

    /// Whether the two are the same elements of one store, in the same order.
    pub fn is_same_view_as(&self, other: &DynArray) -> bool {
        self.shares_store_with(other) && self.view.layout == other.view.layout
    }

    /// Returns the step between neighbours along each axis, in elements of the store.
    pub fn distances(&self) -> &[isize] {
        &self.view.layout.strides[..self.ndim()]
    }

    /// Whether the elements lie one after another in row-major order.
    pub fn is_contiguous(&self) -> bool {
        self.view.layout.is_contiguous()
    }

    /// Returns the number of the first element within the store.
    pub fn offset(&self) -> usize {
        self.view.layout.offset
    }
}
