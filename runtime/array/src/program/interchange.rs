//! Memory that arrays share with other libraries of the process.
//!
//! While another library can access an array's memory, calls wait for their operations on that
//! array, so that each side sees earlier writes of the other. Such an array has no back buffer and
//! is not moved.

#![allow(
    unsafe_code,
    reason = "takes addresses from another library, and gives some away"
)]

use std::any::Any;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::DynArray;
use crate::dtype::DType;
use crate::lower::{View, checked};
use weft_core::define::StoreView;
use weft_core::error::{CallError, Error};
use weft_core::runtime::{Runtime, check_body};
use weft_core::site::Site;
use weft_core::words;

const ELSEWHERE: CallError = CallError::Runtime(
    "arrays of runs with GPUs or many ranks lie in several memories, and cannot be shared with other libraries; copy them",
);
const UNWRITTEN: CallError =
    CallError::Runtime("this array was never computed: its runtime ended first");
const ALREADY: CallError =
    CallError::Runtime("this memory already belongs to an array of Weft; use that one, or copy");

/// The address ranges that arrays currently share with other libraries.
static SHARED: Mutex<Vec<Range<usize>>> = Mutex::new(Vec::new());

fn shared() -> MutexGuard<'static, Vec<Range<usize>>> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An entry of [`SHARED`], with the owner of foreign memory.
struct Entry {
    range: Range<usize>,
    _owner: Option<Box<dyn Any + Send + Sync>>,
}

impl Entry {
    /// Creates an entry for memory of an array, which others may share already.
    fn for_array(range: Range<usize>) -> Entry {
        shared().push(range.clone());
        Entry {
            range,
            _owner: None,
        }
    }

    /// Creates an entry for memory of another library; `None` if an array already uses some of it.
    fn for_foreign(range: Range<usize>, owner: Box<dyn Any + Send + Sync>) -> Option<Entry> {
        let mut shared = shared();
        let overlaps = |known: &Range<usize>| known.start < range.end && range.start < known.end;
        if shared.iter().any(overlaps) {
            return None;
        }
        shared.push(range.clone());
        Some(Entry {
            range,
            _owner: Some(owner),
        })
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut shared = shared();
        if let Some(at) = shared.iter().position(|known| *known == self.range) {
            shared.swap_remove(at);
        }
    }
}

/// An array whose memory another library may use until this value is dropped.
pub struct Sharing {
    array: DynArray,
    entry: Option<Entry>,
}

impl Sharing {
    /// Waits until no operation uses the array, or the time is over. Returns whether no operation
    /// does.
    pub fn wait_for(&self, most: Duration) -> bool {
        let view = &self.array.view;
        view.core.wait_until_unused(&view.store, most)
    }

    /// Returns the address of the array's first element; `None` if the array has no elements. Call
    /// it after [`wait_for`](Self::wait_for) has returned `true`. The layout is
    /// [`DynArray::distances`].
    ///
    /// # Errors
    /// Returns an error if an operation that should have written the array failed.
    pub fn address(&mut self) -> Result<Option<*mut u8>, Error> {
        let StoreView {
            core,
            store,
            layout,
        } = &*self.array.view;
        core.check_stop()?;
        if let Some(failure) = store.failure() {
            return Err(core.failed(failure));
        }
        let Some(start) = store.start() else {
            return match store.shape.is_empty() {
                true => Ok(None),
                false => Err(UNWRITTEN.into()),
            };
        };
        self.entry
            .get_or_insert_with(|| Entry::for_array(start.addr()..start.addr() + store.bytes()));
        // A view without elements, such as a diagonal beyond the corner of a reversed matrix, may
        // begin anywhere.
        let offset = layout.offset.wrapping_mul(store.dtype.size());
        Ok(Some(start.wrapping_add(offset)))
    }
}

impl Drop for Sharing {
    fn drop(&mut self) {
        self.array.view.store.end_sharing();
    }
}

/// Checks that memory can be shared. `is_alone` is whether all operations run on CPUs of this rank.
fn check_shareable(is_alone: bool) -> Result<(), CallError> {
    is_alone.then_some(()).ok_or(ELSEWHERE)
}

/// The memory of a foreign array.
struct Span {
    /// The number of bytes from the lowest element to the first one.
    before: usize,
    /// The number of bytes from the lowest element to the end of the highest.
    bytes: usize,
    /// The step between neighbours along each axis, in elements.
    steps: Vec<isize>,
}

impl Span {
    /// # Errors
    /// Returns the reason why there can be no such array.
    fn try_new(
        size: usize,
        dims: &[usize],
        strides: &[isize],
        align: usize,
        first: usize,
    ) -> Result<Span, &'static str> {
        let steps = strides.iter().map(|step| {
            let is_whole = step.rem_euclid(size as isize) == 0;
            is_whole.then_some(step / size as isize)
        });
        let steps = steps.collect::<Option<Vec<isize>>>();
        let steps = steps.filter(|steps| steps.len() == dims.len() && first.is_multiple_of(align));
        let steps = steps.ok_or("its elements are not aligned")?;
        let (mut low, mut high) = (0_isize, 0_isize);
        for (extent, step) in dims.iter().zip(strides) {
            let way = isize::try_from(*extent - 1)
                .ok()
                .and_then(|steps| step.checked_mul(steps));
            let way = way.ok_or("its strides are too large")?;
            low = low
                .checked_add(way.min(0))
                .ok_or("its strides are too large")?;
            high = high
                .checked_add(way.max(0))
                .ok_or("its strides are too large")?;
        }
        let between = high.checked_sub(low).ok_or("its strides are too large")?;
        Ok(Span {
            before: low.unsigned_abs(),
            bytes: between.unsigned_abs() + size,
            steps,
        })
    }
}

impl DynArray {
    /// Starts to share the array's memory with another library, which gets it from
    /// [`Sharing::address`].
    ///
    /// # Errors
    /// Returns an error if the run has GPUs or many ranks, or the runtime has crashed.
    pub fn share(&self) -> Result<Sharing, CallError> {
        let StoreView { core, store, .. } = &*self.view;
        core.check_process()?;
        core.check_stop()?;
        check_body(store)?;
        check_shareable(core.is_on_cpus_alone())?;
        store.begin_sharing();
        Ok(Sharing {
            array: self.clone(),
            entry: None,
        })
    }

    /// Creates an array in memory of another library, with shape `dims` and steps of `strides`
    /// bytes along each axis. `owner` is dropped after the last use, on any thread.
    ///
    /// # Errors
    /// Returns an error if the memory belongs to an array already, the address or a stride does not
    /// fit the dtype, or the run has GPUs or several ranks.
    ///
    /// # Safety
    /// While `owner` lives, all elements must be readable and, if the array is written, writable.
    /// No other thread may write an element while an operation on the array is under way. Booleans
    /// must be 0 or 1.
    #[track_caller]
    pub unsafe fn from_memory(
        runtime: &Runtime,
        dtype: DType,
        dims: &[usize],
        strides: &[isize],
        first: *mut u8,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let core = runtime.core();
        check_shareable(core.is_on_cpus_alone())?;
        let shape = checked(dims)?;
        if shape.is_empty() {
            return Ok(View::unwritten(core, dtype, shape)?.into());
        }
        let size = dtype.size();
        let align = if dtype.is_complex() { size / 2 } else { size };
        let span = Span::try_new(size, dims, strides, align, first.addr()).map_err(|why| {
            let dtype = words::dtype(dtype);
            let why = format!("{why}: shape {dims:?} of {dtype}, strides {strides:?}");
            CallError::Shape {
                operation: "from_memory",
                why,
            }
        })?;
        let start = first.wrapping_sub(span.before);
        let range = start.addr()..start.addr() + span.bytes;
        let entry = Entry::for_foreign(range, owner).ok_or(ALREADY)?;
        let flat = View::unwritten(core, dtype, checked(&[span.bytes / size])?)?;
        // SAFETY: by the caller's promise, the elements exist as long as the entry.
        unsafe { flat.store.borrow(start, Box::new(entry)) };
        let mut layout = flat.layout;
        layout.offset = span.before / size;
        DynArray::from(flat.with_layout(layout)).strided(dims, &span.steps)
    }
}
