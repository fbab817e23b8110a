//! Results of `np.roll` that are not copied yet.
//!
//! Programs with periodic boundaries add rolled arrays. The first `roll` of an array by a few
//! places copies it once, with margins that repeat the other end ([`Wrapped`]). Each result is
//! then a view of this copy, which groups of operations read at an offset. If the program does
//! more with a result than computing with it, such as writing to it or slicing it, it becomes an
//! array of its own first ([`Array::inner`]).
//!
//! docs/decisions/rolled-views.md has the reasons.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use pyo3::prelude::*;
use smallvec::SmallVec;
use weft::DynArray;
use weft::dtype::DType;
use weft::program::Wrapped;
use weft::shape::MAX_DIMS;
use weft_config::launch::Launch;

use crate::array::Array;
use crate::error::Raise;
use crate::frame;
use crate::kind::ResultArray;

/// Arrays of up to this number of elements are copied: operations on them run at once.
const FEW: usize = 32_768;

/// The widest margin, in positions.
const WIDEST: usize = 8;

/// Shapes whose margins are remembered.
const SHAPES: usize = 16;

/// Limits of the wrapped copies that arrays keep for their next `roll`.
const KEPT: usize = 8;
const KEPT_BYTES: usize = 256 << 20;

type Shifts = SmallVec<[isize; MAX_DIMS]>;
type Widths = SmallVec<[usize; MAX_DIMS]>;

/// A result of `np.roll`, until an array of the runtime is needed.
pub(crate) struct Unset {
    dims: SmallVec<[usize; MAX_DIMS]>,
    dtype: DType,
    rolled: Mutex<Option<Arc<Rolled>>>,
}

impl Unset {
    /// Returns the number of elements along each axis.
    pub(crate) fn dims(&self) -> &[usize] {
        &self.dims
    }

    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Rolled>>> {
        self.rolled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the result; `None` after [`release`](Self::release).
    pub(crate) fn get(&self) -> Option<Arc<Rolled>> {
        self.lock().clone()
    }

    /// Releases the wrapped copy: the result has a store of its own.
    pub(crate) fn release(&self) {
        *self.lock() = None;
    }
}

impl From<Rolled> for Unset {
    fn from(rolled: Rolled) -> Unset {
        Unset {
            dims: rolled.view.shape().into(),
            dtype: rolled.view.dtype(),
            rolled: Mutex::new(Some(Arc::new(rolled))),
        }
    }
}

/// A view of a wrapped copy, which nothing writes.
pub(crate) struct Rolled {
    /// The elements. Programs must not write to them.
    pub(crate) view: DynArray,
    wrapped: Arc<Wrapped>,
    /// The number of places along each axis, relative to the copied array.
    shifts: Shifts,
    margins: Arc<Margins>,
}

impl Rolled {
    /// Copies the elements to a store of their own.
    pub(crate) fn copy(&self) -> PyResult<DynArray> {
        habit(self.view.shape(), |habit| habit.copied += 1);
        self.view.copy().raise()
    }
}

/// The wrapped copy of an array, while it has the array's elements.
#[derive(Default)]
pub(crate) struct Margins(Mutex<Latest>);

#[derive(Default)]
struct Latest {
    copy: Weak<Wrapped>,
    /// Keeps the copy until the array is dropped or written, or newer copies replace it.
    kept: Option<Arc<Wrapped>>,
    /// The number of writes to the array when it was copied.
    writes: u64,
}

impl Margins {
    fn lock(&self) -> MutexGuard<'_, Latest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the copy: the array has another shape.
    pub(crate) fn clear(&self) {
        *self.lock() = Latest::default();
    }

    /// Returns the copy of an array that has been written `writes` times.
    fn get(&self, writes: u64) -> Option<Arc<Wrapped>> {
        let mut latest = self.lock();
        if latest.writes != writes {
            *latest = Latest::default();
        }
        latest.copy.upgrade()
    }

    fn set(self: &Arc<Margins>, copy: &Arc<Wrapped>, writes: u64) {
        *self.lock() = Latest {
            copy: Arc::downgrade(copy),
            kept: Some(copy.clone()),
            writes,
        };
        // All ranks must make the same decision, so with several of them nothing depends on when
        // other arrays are dropped.
        if is_single_rank() {
            keep(self, copy.bytes());
        }
    }
}

/// Whether the run has one rank.
pub(crate) fn is_single_rank() -> bool {
    static IS_SINGLE: OnceLock<bool> = OnceLock::new();
    // A run whose launch cannot be read does not start.
    *IS_SINGLE.get_or_init(|| {
        let launch = Launch::detect().ok().flatten();
        launch.is_none_or(|launch| launch.size == 1)
    })
}

/// Copies that arrays keep, the oldest first, with their sizes in bytes.
static RECENT: Mutex<VecDeque<(Weak<Margins>, usize)>> = Mutex::new(VecDeque::new());

/// Adds a copy to those that are kept, and releases the oldest beyond the limits.
fn keep(margins: &Arc<Margins>, bytes: usize) {
    let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    recent.retain(|(other, _)| other.strong_count() > 0 && !other.ptr_eq(&Arc::downgrade(margins)));
    recent.push_back((Arc::downgrade(margins), bytes));
    let mut total: usize = recent.iter().map(|(_, bytes)| bytes).sum();
    while recent.len() > 1 && (recent.len() > KEPT || total > KEPT_BYTES) {
        let Some((oldest, bytes)) = recent.pop_front() else {
            return;
        };
        total -= bytes;
        if let Some(oldest) = oldest.upgrade() {
            oldest.lock().kept = None;
        }
    }
}

/// The use of rolled arrays of one shape so far.
struct Habit {
    shape: SmallVec<[usize; MAX_DIMS]>,
    /// The widest shifts along each axis.
    widths: Widths,
    /// Results that were views.
    viewed: usize,
    /// Of these, results that were copied later.
    copied: usize,
}

/// The use of rolled arrays of the latest shapes, the oldest first.
static HABITS: Mutex<VecDeque<Habit>> = Mutex::new(VecDeque::new());

/// Calls `use_habit` with the habit of a shape.
fn habit<R>(shape: &[usize], use_habit: impl FnOnce(&mut Habit) -> R) -> R {
    let mut habits = HABITS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = habits.iter().position(|habit| *habit.shape == *shape);
    let at = found.unwrap_or_else(|| {
        if habits.len() == SHAPES {
            habits.pop_front();
        }
        habits.push_back(Habit {
            shape: shape.into(),
            widths: SmallVec::from_elem(0, shape.len()),
            viewed: 0,
            copied: 0,
        });
        habits.len() - 1
    });
    use_habit(&mut habits[at])
}

/// Returns the margins for these shifts, and for earlier shifts of arrays of this shape; `None` if
/// copies are better, since a shift is large, or most results were copied later anyway.
fn widths(shape: &[usize], shifts: &[isize]) -> Option<Widths> {
    let is_small =
        |(shift, length): (&isize, &usize)| shift.unsigned_abs() <= WIDEST.min(length / 16);
    if !std::iter::zip(shifts, shape).all(is_small) {
        return None;
    }
    habit(shape, |habit| {
        if habit.copied > 4 + habit.viewed / 2 {
            return None;
        }
        habit.viewed += 1;
        for (width, shift) in std::iter::zip(&mut habit.widths, shifts) {
            *width = (*width).max(shift.unsigned_abs());
        }
        Some(habit.widths.clone())
    })
}

/// `np.roll` of an array by `shifts[axis]` places along each axis.
#[pyfunction]
pub(crate) fn roll(array: &Bound<'_, Array>, mut shifts: Vec<isize>) -> PyResult<ResultArray> {
    let (py, of) = (array.py(), array.get());
    let _entered = frame::enter(py);
    for (shift, &length) in std::iter::zip(&mut shifts, of.dims()?) {
        *shift = nearest(*shift, length);
    }
    if let Some(rolled) = of.rolled_now() {
        let total: Shifts = std::iter::zip(&rolled.shifts, &shifts)
            .zip(rolled.view.shape())
            .map(|((before, after), &length)| nearest(before + after, length))
            .collect();
        return match widths(rolled.view.shape(), &total) {
            Some(widths) => roll_again(&rolled, total, &widths),
            None => Ok(ResultArray::own(rolled.view.roll_axes(&shifts).raise()?)),
        };
    }
    let inner = of.inner()?;
    let copied = || inner.roll_axes(&shifts).raise().map(ResultArray::own);
    if inner.len() <= FEW || inner.is_shared() {
        return copied();
    }
    // Writes are counted from here on, which makes them slower: only for arrays with margins.
    let Some(widths) = widths(inner.shape(), &shifts) else {
        return copied();
    };
    let Some(writes) = inner.writes() else {
        return copied();
    };
    let margins = of.margins();
    if let Some(wrapped) = margins.get(writes)
        && let Some(made) = view(&wrapped, &shifts, margins)
    {
        return Ok(made);
    }
    let wrapped = Arc::new(Wrapped::new(inner, &widths).raise()?);
    margins.set(&wrapped, writes);
    view(&wrapped, &shifts, margins).map_or_else(copied, Ok)
}

/// Rolls a result of `roll`. `total` are the shifts relative to the copied array.
fn roll_again(rolled: &Rolled, total: Shifts, widths: &[usize]) -> PyResult<ResultArray> {
    if let Some(made) = view(&rolled.wrapped, &total, &rolled.margins) {
        return Ok(made);
    }
    // Margins along further axes, or wider ones. The wrapped copy still has the elements.
    let none: Shifts = total.iter().map(|_| 0).collect();
    let whole = rolled.wrapped.rolled(&none);
    let whole = whole.as_ref().unwrap_or(&rolled.view);
    let wrapped = Arc::new(Wrapped::new(whole, widths).raise()?);
    let writes = {
        let latest = rolled.margins.lock();
        latest
            .copy
            .ptr_eq(&Arc::downgrade(&rolled.wrapped))
            .then_some(latest.writes)
    };
    if let Some(writes) = writes {
        rolled.margins.set(&wrapped, writes);
    }
    view(&wrapped, &total, &rolled.margins)
        .map_or_else(|| whole.roll_axes(&total).raise().map(ResultArray::own), Ok)
}

/// Returns a result that is a view of a wrapped copy; `None` if its margins are too narrow.
fn view(wrapped: &Arc<Wrapped>, shifts: &[isize], margins: &Arc<Margins>) -> Option<ResultArray> {
    let rolled = Rolled {
        view: wrapped.rolled(shifts)?,
        wrapped: wrapped.clone(),
        shifts: shifts.into(),
        margins: margins.clone(),
    };
    Some(Array::lazy(rolled).into())
}

/// Returns the shift of least magnitude that has the same effect on an axis.
fn nearest(shift: isize, length: usize) -> isize {
    if length == 0 {
        return 0;
    }
    let shift = shift.rem_euclid(length as isize);
    if shift as usize > length / 2 {
        shift - length as isize
    } else {
        shift
    }
}
