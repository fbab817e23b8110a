//! Elements that a mask selects, before they are packed.
//!
//! `a[mask] += 1` reads the selected elements, changes them and writes them back. To pack and to
//! unpack them takes two counts, and the program waits for both. So `a[mask]` of a large array is
//! packed later: by the next call that uses any array. If that call changes the result in place by
//! a number, then the change is computed for all elements of `a`; and if the call after it writes
//! the result back, one pass writes the changed elements where the mask is set.
//!
//! Since every other call packs the elements first, no write to the array or to the mask comes
//! between. docs/decisions/masked-updates.md has the reasons.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::kernel::BinaryOp;
use weft::site::Site;

use crate::array::Array;
use crate::error::Raise;
use crate::kind::{Made, NdArray};
use crate::{frame, known, ufunc};

/// Selections from arrays of up to this number of elements need no operation.
const FEW: usize = 32_768;

/// The elements that a mask selects from an array.
pub(crate) struct Masked {
    /// The array.
    source: DynArray,
    mask: DynArray,
    /// The call that selected the elements.
    site: Site,
    state: Mutex<State>,
}

enum State {
    /// The selected elements are those of the source.
    Selected,
    /// The selected elements are those of a changed copy of the source.
    Changed(DynArray),
    /// The selected elements, packed.
    Packed(PyResult<DynArray>),
}

/// The selection that the next call packs, if any.
static PENDING: Mutex<Weak<Masked>> = Mutex::new(Weak::new());
static IS_PENDING: AtomicBool = AtomicBool::new(false);

/// Packs the pending selection, if any.
///
/// # Errors
/// The program was interrupted. Other errors are raised when the result is used.
#[inline]
pub(crate) fn settle() -> PyResult<()> {
    if IS_PENDING.load(Ordering::Acquire) {
        return settle_pending();
    }
    Ok(())
}

#[cold]
fn settle_pending() -> PyResult<()> {
    let pending = {
        let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
        IS_PENDING.store(false, Ordering::Release);
        std::mem::take(&mut *pending)
    };
    let Some(masked) = pending.upgrade() else {
        return Ok(());
    };
    match masked.packed() {
        Err(error) if Python::attach(|py| error.is_instance_of::<PyKeyboardInterrupt>(py)) => {
            Err(error)
        }
        _ => Ok(()),
    }
}

impl Masked {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the array that has the selected elements in its places; `None` if they are packed.
    fn full(&self) -> Option<DynArray> {
        match &*self.lock() {
            State::Selected => Some(self.source.clone()),
            State::Changed(full) => Some(full.clone()),
            State::Packed(_) => None,
        }
    }

    pub(crate) fn dtype(&self) -> DType {
        self.source.dtype()
    }

    /// Returns the selected elements, and packs them at the first call.
    pub(crate) fn packed(&self) -> PyResult<DynArray> {
        // No lock is held while the program waits for the number of elements.
        if let Some(full) = self.full() {
            let made = {
                let _entered = self.site.enter();
                full.take_where(&self.mask).raise()
            };
            let mut state = self.lock();
            if !matches!(*state, State::Packed(_)) {
                *state = State::Packed(made);
            }
        }
        match &*self.lock() {
            State::Packed(Ok(made)) => Ok(made.clone()),
            State::Packed(Err(error)) => Err(Python::attach(|py| error.clone_ref(py))),
            // A packed selection stays packed.
            State::Selected | State::Changed(_) => self.source.take_where(&self.mask).raise(),
        }
    }
}

/// Returns the runtime's array unless the object is a copy of a part of another array.
fn plain(array: &Array) -> Option<&DynArray> {
    (array.is_made() && array.copied_part().is_none())
        .then(|| array.layout().ok())
        .flatten()
}

/// `array[key]` for a mask of the shape of a large array; `None` for other keys and arrays.
pub(crate) fn select(array: &Bound<'_, Array>, key: &Bound<'_, PyAny>) -> PyResult<Option<Made>> {
    let Ok(mask) = key.cast_exact::<NdArray>() else {
        return Ok(None);
    };
    let mask = mask.as_super().get();
    if mask.element_type() != DType::Bool || ufunc::is_checked() {
        return Ok(None);
    }
    let (Some(source), Some(mask)) = (plain(array.get()), plain(mask)) else {
        return Ok(None);
    };
    let is_usual = source.len() > FEW
        && source.shape() == mask.shape()
        && !source.is_shared()
        && !mask.is_shared();
    if !is_usual {
        return Ok(None);
    }
    settle()?;
    let masked = Arc::new(Masked {
        source: source.clone(),
        mask: mask.clone(),
        site: frame::caller(array.py()),
        state: Mutex::new(State::Selected),
    });
    *PENDING.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&masked);
    IS_PENDING.store(true, Ordering::Release);
    Ok(Some(Array::masked(masked).into()))
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
    known::of(other).filter(|number| number.dtype() == dtype)
}

/// `array op= other` for a selection that is not packed and a number. Returns `false` and does
/// nothing for others.
pub(crate) fn change(
    op: BinaryOp,
    array: &Bound<'_, Array>,
    other: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let Some(masked) = array.get().masked_now() else {
        return Ok(false);
    };
    let (Some(number), Some(full)) = (number_for(masked.dtype(), op, other), masked.full()) else {
        return Ok(false);
    };
    if !array.get().is_writeable() {
        return Ok(false);
    }
    let _entered = frame::enter(array.py());
    let changed = DynArray::binary(op, &full, number).raise()?;
    let mut state = masked.lock();
    if matches!(*state, State::Packed(_)) {
        return Ok(false);
    }
    *state = State::Changed(changed);
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
    let changed = match &*masked.lock() {
        State::Changed(full) => full.clone(),
        State::Selected | State::Packed(_) => return Ok(false),
    };
    let of = array.get();
    let (Some(target), Some(mask)) = (plain(of), plain(key.get())) else {
        return Ok(false);
    };
    let is_same = target.is_same_view_as(&masked.source) && mask.is_same_view_as(&masked.mask);
    if !is_same || !of.is_writeable() {
        return Ok(false);
    }
    let _turns = Array::begin_write(array.py(), &[of])?;
    let _entered = frame::enter(array.py());
    target.putmask(mask, &changed).raise()?;
    Ok(true)
}
