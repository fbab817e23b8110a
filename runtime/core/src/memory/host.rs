//! Data that is copied between the program's own memory and stores.

#![allow(unsafe_code, reason = "copies between raw memory and typed vectors")]

use std::any::Any;
use std::hash::{Hash, Hasher};

use super::Store;
use crate::dtype::{DType, Element, ScalarBits};

/// Values of the program, kept until a task has copied them.
pub struct HostData {
    start: *const u8,
    dtype: DType,
    /// Owns the memory behind `start`.
    _values: Box<dyn Any + Send + Sync>,
}

// SAFETY: the values are owned here, are `Send` and `Sync` themselves, and are only read.
unsafe impl Send for HostData {}
// SAFETY: as above.
unsafe impl Sync for HostData {}

impl HostData {
    /// Takes ownership of values.
    pub fn new<T: Element>(values: Vec<T>) -> HostData {
        if !values
            .as_ptr()
            .addr()
            .is_multiple_of(align_of::<f64>().min(size_of::<T>()))
        {
            return HostData::aligned(&values);
        }
        let start = values.as_ptr().cast();
        // Moving the vector moves its header, not the elements.
        HostData {
            start,
            dtype: T::DTYPE,
            _values: Box::new(values),
        }
    }

    /// Copies values from their bytes in native order. For booleans, any byte but 0 is true.
    /// Returns `None` if the system has no memory for the copy.
    pub fn from_bytes(dtype: DType, bytes: &[u8]) -> Option<HostData> {
        let count = bytes.len().div_ceil(size_of::<u64>());
        let mut words: Vec<u64> = Vec::new();
        words.try_reserve_exact(count).ok()?;
        if let Some(last) = words.spare_capacity_mut().get_mut(..count)
            && let Some(last) = last.last_mut()
        {
            last.write(0);
        }
        // SAFETY: there is room for `count` words, which cannot overlap the bytes. The bytes fill
        // all words except for the end of the last one, which was written above.
        let copied = unsafe {
            std::ptr::copy_nonoverlapping(
                bytes.as_ptr(),
                words.as_mut_ptr().cast::<u8>(),
                bytes.len(),
            );
            words.set_len(count);
            std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), bytes.len())
        };
        if dtype.is_bool() {
            for byte in copied {
                *byte = u8::from(*byte != 0);
            }
        }
        Some(HostData {
            start: words.as_ptr().cast(),
            dtype,
            _values: Box::new(words),
        })
    }

    /// Copies values that are aligned for their parts but not for kernels.
    fn aligned<T: Element>(values: &[T]) -> HostData {
        let bytes = size_of_val(values);
        let mut words = vec![0u64; bytes.div_ceil(size_of::<u64>())];
        // SAFETY: there are enough words, and they cannot overlap the values.
        unsafe {
            std::ptr::copy_nonoverlapping(
                values.as_ptr().cast::<u8>(),
                words.as_mut_ptr().cast(),
                bytes,
            )
        };
        HostData {
            start: words.as_ptr().cast(),
            dtype: T::DTYPE,
            _values: Box::new(words),
        }
    }

    /// Returns the address of the first value, to be read only.
    pub fn start(&self) -> *const u8 {
        self.start
    }

    /// Hashes the `length` values by their bits.
    pub fn hash(&self, length: usize, hasher: &mut impl Hasher) {
        self.dtype.hash(hasher);
        // SAFETY: there are `length` values of this dtype, which have no padding and are only read.
        let bytes = unsafe { std::slice::from_raw_parts(self.start, length * self.dtype.size()) };
        bytes.hash(hasher);
    }

    /// Returns the type of the values.
    pub fn dtype(&self) -> DType {
        self.dtype
    }
}

/// Returns the bytes of all elements of a store that is no longer written.
///
/// As for [`copy_out`]: the caller has seen the end of the operation that wrote the whole store,
/// and no other operation will ever use it.
pub fn bytes_of(store: &Store) -> &[u8] {
    let bytes = store.shape.len() * store.dtype.size();
    match store.data(store.slot()) {
        // SAFETY: the instance holds `bytes` bytes, all written, and lives as long as the store.
        Some(data) => unsafe { std::slice::from_raw_parts(data, bytes) },
        None => &[],
    }
}

/// Copies out all elements of a store that is no longer written.
///
/// The caller has seen the end of the operation that wrote the whole store, and no other operation
/// will ever use it. Returns an empty vector if there is no data or the dtype differs.
pub fn copy_out<T: Element>(store: &Store) -> Vec<T> {
    let count = store.shape.len();
    let Some(data) = store.data(store.slot()).filter(|_| store.dtype == T::DTYPE) else {
        return Vec::new();
    };
    let mut values = Vec::with_capacity(count);
    // SAFETY: the instance holds `count` elements of `T`, aligned to a cache line, all written by
    // the operation whose end the caller has seen; the vector has room for them and cannot overlap.
    unsafe {
        std::ptr::copy_nonoverlapping(data.cast::<T>(), values.as_mut_ptr(), count);
        values.set_len(count);
    }
    values
}

/// Returns the bits of element number `at` of a store. No operation may use the store, and none may
/// be submitted meanwhile. Returns `None` if there is no data or no such element.
pub fn element_of(store: &Store, at: usize) -> Option<ScalarBits> {
    let data = store
        .data(store.slot())
        .filter(|_| at < store.shape.len())?;
    let size = store.dtype.size();
    let mut bits = ScalarBits::default();
    // SAFETY: the instance holds the element, which was written: a program cannot name a store that
    // was never written. Its writers have ended, and no other begins meanwhile. The bits have room
    // for every dtype.
    unsafe {
        std::ptr::copy_nonoverlapping(data.add(at * size), bits.bytes.as_mut_ptr(), size);
    }
    Some(bits)
}

/// Writes element number `at` of a store, under the conditions of [`element_of`]; the bits are of
/// the store's dtype. Returns `false` if there is no data or no such element.
pub fn set_element_of(store: &Store, at: usize, bits: &ScalarBits) -> bool {
    let Some(data) = store.data(store.slot()).filter(|_| at < store.shape.len()) else {
        return false;
    };
    let size = store.dtype.size();
    // SAFETY: as above; the store is not otherwise in use.
    unsafe {
        std::ptr::copy_nonoverlapping(bits.bytes.as_ptr(), data.add(at * size), size);
    }
    true
}
