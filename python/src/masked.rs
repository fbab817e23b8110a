//! Elements that a mask selects, before they are packed.
//!
//! `a[mask] += 1` reads the selected elements, changes them and writes them back. Packing and
//! unpacking need two counts, and the program waits for both. So `a[mask]` of a large array is
//! packed later: by the next call that uses any array. If that call changes the result in place by
//! a number, then the change is computed for all elements of `a`; and if the call after it writes
//! the result back, one pass writes the changed elements where the mask is set.
//!
//! Since every other call packs the elements first, no write to the array or to the mask comes
//! between. docs/decisions/masked-updates.md has the reasons.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::error::CallError;
use weft::kernel::BinaryOp;
use weft::runtime::is_in_body;
use weft::site::Site;

use crate::array::Array;
use crate::error::Raise;
use crate::kind::{NdArray, ResultArray};
use crate::pending::Pending;
use crate::rolled::is_single_rank;
use crate::{frame, interrupt, known, pending, ufunc};

/// Selections from arrays of up to this number of elements need no operation.
const FEW: usize = 32_768;

/// The time between two checks for signals while another thread packs a selection.
const CHECK: Duration = Duration::from_millis(50);

/// The elements that a mask selects from an array.
pub(crate) struct Masked {
    dtype: DType,
    /// The call that selected the elements.
    site: Site,
    state: Mutex<State>,
    /// Notified when a thread has packed the elements.
    packed: Condvar,
}

/// A selection that is not packed. Its arrays are released when it is packed.
#[derive(Clone)]
struct Selection {
    source: DynArray,
    mask: DynArray,
    /// The changed copy of the source that the elements are taken from, if any.
    changed: Option<DynArray>,
}

enum State {
    Selected(Selection),
    /// A thread packs the selection, and may wait without Python's lock.
    Packing(Selection, ThreadId),
    Packed(PyResult<DynArray>),
}

impl Selection {
    fn pack(&self) -> Result<DynArray, weft::Error> {
        let full = self.changed.as_ref().unwrap_or(&self.source);
        full.take_where(&self.mask)
    }

    /// Whether the elements are those of `other`.
    fn is_same_as(&self, other: &Selection) -> bool {
        match (&self.changed, &other.changed) {
            (None, None) => true,
            (Some(left), Some(right)) => left.is_same_view_as(right),
            _ => false,
        }
    }
}

impl Masked {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the selection unless a thread has begun to pack it.
    fn selection(&self) -> Option<Selection> {
        match &*self.lock() {
            State::Selected(selection) => Some(selection.clone()),
            State::Packing(..) | State::Packed(_) => None,
        }
    }

    /// Returns the selected elements, and packs them at the first call.
    pub(crate) fn packed(&self) -> PyResult<DynArray> {
        self.pack()?
    }

    /// Packs the elements unless they are packed.
    ///
    /// # Errors
    /// Returns an error if a signal's handler raised an exception: the elements are not packed. The
    /// result itself has errors of the runtime.
    fn pack(&self) -> PyResult<PyResult<DynArray>> {
        let me = thread::current().id();
        let selection = loop {
            let mut state = self.lock();
            match &*state {
                State::Packed(Ok(made)) => return Ok(Ok(made.clone())),
                State::Packed(Err(error)) => {
                    return Ok(Err(Python::attach(|py| error.clone_ref(py))));
                }
                State::Packing(selection, by) if *by == me => {
                    let selection = selection.clone();
                    drop(state);
                    return Ok(selection.pack().raise());
                }
                State::Packing(..) => {
                    drop(state);
                    self.wait()?;
                }
                State::Selected(selection) => {
                    let selection = selection.clone();
                    *state = State::Packing(selection.clone(), me);
                    break selection;
                }
            }
        };
        let mut packing = Packing {
            masked: self,
            after: Some(State::Selected(selection.clone())),
        };
        // No lock is held while the program waits for the number of elements.
        let made = {
            let _entered = self.site.enter();
            selection.pack()
        };
        let is_interrupted = matches!(
            &made,
            Err(weft::Error::Interrupted | weft::Error::Call(CallError::Interrupted))
        );
        match made.raise() {
            Err(error) if is_interrupted => Err(error),
            Err(error) => {
                let again = Python::attach(|py| error.clone_ref(py));
                packing.after = Some(State::Packed(Err(again)));
                Ok(Err(error))
            }
            Ok(made) => {
                packing.after = Some(State::Packed(Ok(made.clone())));
                Ok(Ok(made))
            }
        }
    }

    /// Waits until another thread has packed the elements, without Python's lock.
    fn wait(&self) -> PyResult<()> {
        Python::attach(|py| {
            py.detach(|| {
                let state = self.lock();
                if matches!(*state, State::Packing(..)) {
                    drop(self.packed.wait_timeout(state, CHECK));
                }
            });
            py.check_signals()
                .inspect_err(|raised| interrupt::note(py, raised))
        })
    }
}

/// Ends the packing of a selection when dropped, also by a panic.
struct Packing<'a> {
    masked: &'a Masked,
    /// The state that follows.
    after: Option<State>,
}

impl Drop for Packing<'_> {
    fn drop(&mut self) {
        if let Some(after) = self.after.take() {
            *self.masked.lock() = after;
        }
        self.masked.packed.notify_all();
    }
}

impl Pending for Masked {
    fn is_underway_here(&self) -> bool {
        matches!(&*self.lock(), State::Packing(_, by) if *by == thread::current().id())
    }

    fn settle(&self) -> PyResult<()> {
        self.pack().map(drop)
    }
}

/// Returns the runtime's array unless the object is a copy of a part of another array.
fn plain(array: &Array) -> Option<&DynArray> {
    (array.is_made() && array.copied_part().is_none())
        .then(|| array.layout().ok())
        .flatten()
}

/// `array[key]` for a mask of the shape of a large array; `None` for other keys and arrays.
pub(crate) fn select(
    array: &Bound<'_, Array>,
    key: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Ok(mask) = key.cast_exact::<NdArray>() else {
        return Ok(None);
    };
    let mask = mask.as_super().get();
    if mask.element_type() != DType::Bool || ufunc::is_checked() || is_in_body() {
        return Ok(None);
    }
    let (Some(source), Some(mask)) = (plain(array.get()), plain(mask)) else {
        return Ok(None);
    };
    let is_usual = source.len() > FEW
        && source.shape() == mask.shape()
        && !source.is_shared()
        && !mask.is_shared()
        // All ranks must make the same decision, but results may be dropped at different times on
        // each.
        && is_single_rank();
    if !is_usual {
        return Ok(None);
    }
    pending::settle()?;
    let selection = Selection {
        source: source.clone(),
        mask: mask.clone(),
        changed: None,
    };
    let masked = Arc::new(Masked {
        dtype: source.dtype(),
        site: frame::caller(array.py()),
        state: Mutex::new(State::Selected(selection)),
        packed: Condvar::new(),
    });
    let call: Arc<dyn Pending> = masked.clone();
    pending::defer(Arc::downgrade(&call));
    Ok(Some(Array::lazy(masked).into()))
}

/// Returns a number as an operand that leaves the array's dtype unchanged; `None` for others.
fn number_for(dtype: DType, op: BinaryOp, other: &Bound<'_, PyAny>) -> Option<Scalar> {
    let is_float = matches!(dtype, DType::F32 | DType::F64);
    let is_possible = match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => is_float || dtype.is_integer(),
        BinaryOp::Div => is_float,
        _ => false,
    };
    if !is_possible {
        return None;
    }
    if is_float && other.is_exact_instance_of::<PyFloat>() {
        return Some(Scalar::F64(other.extract().ok()?).cast(dtype));
    }
    if other.is_exact_instance_of::<PyInt>() {
        let number = Scalar::I64(other.extract().ok()?);
        return (!number.is_beyond(dtype)).then(|| number.cast(dtype));
    }
    known::convert(other).filter(|number| number.dtype() == dtype)
}

/// `array op= other` for a selection that is not packed and a number. Returns `false` and does
/// nothing for others.
pub(crate) fn change(
    op: BinaryOp,
    array: &Bound<'_, Array>,
    other: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let Some(masked) = array.get().masked_now().filter(|_| !ufunc::is_checked()) else {
        return Ok(false);
    };
    let (Some(number), Some(selection)) =
        (number_for(masked.dtype(), op, other), masked.selection())
    else {
        return Ok(false);
    };
    if !array.get().is_writeable() {
        return Ok(false);
    }
    let _entered = frame::enter(array.py());
    let before = selection.changed.as_ref().unwrap_or(&selection.source);
    let changed = DynArray::binary(op, before, number).raise()?;
    match &mut *masked.lock() {
        // Another thread may have changed or packed the selection in between.
        State::Selected(now) if now.is_same_as(&selection) => now.changed = Some(changed),
        _ => return Ok(false),
    }
    Ok(true)
}

/// `array[key] = value` for a changed selection of the array by this mask. Returns `false` and
/// writes nothing for others.
pub(crate) fn write_back(
    array: &Bound<'_, Array>,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let Ok(value) = value.cast_exact::<NdArray>() else {
        return Ok(false);
    };
    let (Some(masked), Ok(key)) = (value.as_super().get().masked_now(), key.cast::<Array>()) else {
        return Ok(false);
    };
    let Some(Selection {
        source,
        mask: by,
        changed: Some(changed),
    }) = masked.selection()
    else {
        return Ok(false);
    };
    let of = array.get();
    let (Some(target), Some(mask)) = (plain(of), plain(key.get())) else {
        return Ok(false);
    };
    let is_same = target.is_same_view_as(&source) && mask.is_same_view_as(&by);
    if !is_same || !of.is_writeable() {
        return Ok(false);
    }
    let _turns = Array::begin_write(array.py(), &[of])?;
    let _entered = frame::enter(array.py());
    target.putmask(mask, &changed).raise()?;
    Ok(true)
}
