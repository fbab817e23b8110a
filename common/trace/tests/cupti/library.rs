//! NVIDIA's library: its version, and its own iteration over a buffer.

use std::ffi::c_int;
use std::ops::Range;
use std::ptr::null_mut;

use libloading::{Library, Symbol};

use super::install::Install;

type GetVersion = unsafe extern "C" fn(*mut u32) -> c_int;
type GetNextRecord = unsafe extern "C" fn(*mut u8, usize, *mut *mut u8) -> c_int;

/// `CUPTI_ERROR_MAX_LIMIT_REACHED`: no record follows.
const MAX_LIMIT_REACHED: c_int = 12;

/// The library. It stays loaded, since it leaves a thread-local destructor that runs when the
/// thread ends.
pub(crate) struct Cupti(&'static Library);

impl Cupti {
    pub(crate) fn load(install: &Install) -> Cupti {
        // SAFETY: loading the library starts nothing.
        let library = unsafe { Library::new(&install.library) }.expect("a library that loads");
        Cupti(Box::leak(Box::new(library)))
    }

    pub(crate) fn version(&self) -> u32 {
        // SAFETY: the signature is that of `cupti_version.h`.
        let call: Symbol<'_, GetVersion> =
            unsafe { self.0.get(b"cuptiGetVersion\0") }.expect("a function of CUPTI");
        let mut version = 0;
        // SAFETY: the pointer is to a number.
        assert_eq!(unsafe { call(&mut version) }, 0);
        version
    }

    /// Returns the byte ranges of the records that the library finds in a buffer, and whether it
    /// reached the end.
    pub(crate) fn walk(&self, buffer: &mut [u64], length: usize) -> (Vec<Range<usize>>, bool) {
        assert!(length <= size_of_val(buffer));
        // SAFETY: the signature is that of `cupti_activity.h`.
        let next: Symbol<'_, GetNextRecord> =
            unsafe { self.0.get(b"cuptiActivityGetNextRecord\0") }.expect("a function of CUPTI");
        let first = buffer.as_mut_ptr().cast::<u8>();
        let mut record = null_mut();
        let mut starts = Vec::new();
        let code = loop {
            // SAFETY: the buffer has `length` bytes, and `record` is null or was set by the
            // library.
            let code = unsafe { next(first, length, &mut record) };
            if code != 0 {
                break code;
            }
            starts.push(record.addr() - first.addr());
            assert!(starts.len() <= length, "a walk without end");
        };
        let ends = starts.iter().copied().skip(1).chain([length]);
        let ranges = starts.iter().zip(ends).map(|(start, end)| *start..end);
        (ranges.collect(), code == MAX_LIMIT_REACHED)
    }
}
