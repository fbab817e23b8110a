//! Keys in which arrays or lists of integers, or masks of one axis, stand among slices, numbers,
//! `None` and the ellipsis.
//!
//! Other keys are left to the package: NumPy's rules for them are in Python.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};
use smallvec::SmallVec;
use weft::DynArray;
use weft::dtype::DType;
use weft::program::Value;
use weft::shape::{MAX_DIMS, Shape};

use crate::array::Array;
use crate::error::Raise;
use crate::index::{self, Entry};
use crate::run;

/// Axes of a view with their indices.
type Indices = SmallVec<[(usize, DynArray); 2]>;

/// A key as a view of the array, and the arrays that index axes of this view.
pub(crate) struct ArrayKey {
    view: DynArray,
    /// None of them is empty.
    indices: Indices,
    /// The shape of the selected elements.
    shape: SmallVec<[usize; 4]>,
}

/// An item of a key.
enum Item<'a, 'py> {
    Basic(Entry<'a, 'py>),
    Array(Borrowed<'a, 'py, PyAny>),
}

fn is_array_like(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<Array>() || object.is_exact_instance_of::<PyList>()
}

/// Whether a key contains an array or a list.
pub(crate) fn has_arrays(key: &Bound<'_, PyAny>) -> bool {
    match key.cast::<PyTuple>() {
        Ok(keys) => keys.iter_borrowed().any(|item| is_array_like(&item)),
        Err(_) => is_array_like(key),
    }
}

impl ArrayKey {
    /// Parses a key; `None` for keys without arrays, and for those left to the package.
    ///
    /// # Errors
    /// A number is out of bounds, or the key has too many items.
    pub(crate) fn parse(array: &DynArray, key: &Bound<'_, PyAny>) -> PyResult<Option<ArrayKey>> {
        let items: SmallVec<[Borrowed<'_, '_, PyAny>; 4]> = match key.cast::<PyTuple>() {
            Ok(keys) => keys.iter_borrowed().collect(),
            Err(_) => SmallVec::from_iter([key.as_borrowed()]),
        };
        if array.is_empty() {
            return Ok(None);
        }
        let Some(items) = classify(&items)? else {
            return Ok(None);
        };
        let Some(indices) = indices_of(array, &items)? else {
            return Ok(None);
        };
        let entries: SmallVec<[Entry<'_, '_>; 6]> = items
            .into_iter()
            .map(|item| match item {
                Item::Basic(entry) => entry,
                Item::Array(_) => Entry::Whole,
            })
            .collect();
        let view = index::pick(array, &entries)?.done();
        let Some(shape) = selected_shape(&view, &indices) else {
            return Ok(None);
        };
        Ok(Some(ArrayKey {
            view,
            indices,
            shape,
        }))
    }

    fn pairs(&self) -> SmallVec<[(usize, &DynArray); 2]> {
        self.indices
            .iter()
            .map(|(axis, index)| (*axis, index))
            .collect()
    }

    /// Returns a copy of the selected elements.
    pub(crate) fn take(&self) -> PyResult<DynArray> {
        match &self.indices[..] {
            [(axis, index)] => self.view.take(index, Some(*axis)).raise(),
            _ => self.view.take_at(&self.pairs()).raise(),
        }
    }

    /// Writes a number, or an array that broadcasts to the selected elements and has the array's
    /// dtype. Returns `false` and writes nothing for other arrays.
    pub(crate) fn put(&self, values: Value) -> PyResult<bool> {
        let values = match values {
            Value::Array(array) if array.dtype() != self.view.dtype() => return Ok(false),
            Value::Array(array) if array.shape() == &self.shape[..] => Value::Array(array),
            Value::Array(array) => match broadcasts(array.shape(), &self.shape) {
                true => Value::Array(array.broadcast_to(&self.shape).raise()?),
                false => return Ok(false),
            },
            number => number,
        };
        match &self.indices[..] {
            [(0, index)] => self.view.put(index, Some(0), values).raise()?,
            _ => self.view.put_at(&self.pairs(), values).raise()?,
        }
        Ok(true)
    }
}

/// Separates arrays from other items; `None` if the key is left to the package.
fn classify<'a, 'py>(
    items: &[Borrowed<'a, 'py, PyAny>],
) -> PyResult<Option<SmallVec<[Item<'a, 'py>; 4]>>> {
    let mut found: SmallVec<[Item<'a, 'py>; 4]> = SmallVec::new();
    for item in items {
        let is_array = match item.cast::<Array>() {
            Ok(array) => array
                .get()
                .inner_now()
                .is_some_and(|array| array.ndim() > 0),
            Err(_) => item.is_exact_instance_of::<PyList>(),
        };
        found.push(match is_array {
            true => Item::Array(*item),
            false => match Entry::parse(*item)? {
                Some(entry) => Item::Basic(entry),
                None => return Ok(None),
            },
        });
    }
    // NumPy treats numbers as arrays if the key also contains arrays. If a slice, `None` or an
    // ellipsis separates them, the selected axes come first.
    let is_advanced =
        |item: &Item<'_, '_>| matches!(item, Item::Array(_) | Item::Basic(Entry::Index(_)));
    let first = found.iter().position(is_advanced).unwrap_or(0);
    let last = found.iter().rposition(is_advanced).unwrap_or(0);
    let between = &found[first..=last];
    let has_number = |item: &Item<'_, '_>| matches!(item, Item::Basic(Entry::Index(_)));
    let has_ellipsis = |item: &Item<'_, '_>| matches!(item, Item::Basic(Entry::Ellipsis));
    let is_together = between.iter().all(is_advanced);
    let is_plain = is_together
        || !between
            .iter()
            .any(|item| has_number(item) || has_ellipsis(item));
    let has_array = found.iter().any(|item| matches!(item, Item::Array(_)));
    let is_valid = found.iter().filter(|item| has_ellipsis(item)).count() <= 1;
    Ok((has_array && is_plain && is_valid).then_some(found))
}

/// Returns the arrays of indices with their axes of the view; `None` if the key is left to the
/// package.
fn indices_of(array: &DynArray, items: &[Item<'_, '_>]) -> PyResult<Option<Indices>> {
    let is_named =
        |item: &&Item<'_, '_>| !matches!(item, Item::Basic(Entry::NewAxis | Entry::Ellipsis));
    let Some(skipped) = array
        .ndim()
        .checked_sub(items.iter().filter(is_named).count())
    else {
        return Ok(None);
    };
    let mut indices = SmallVec::new();
    // Axes of the array and of the view.
    let (mut of, mut at) = (0, 0);
    for item in items {
        match item {
            Item::Basic(Entry::Index(_)) => of += 1,
            Item::Basic(Entry::NewAxis) => at += 1,
            Item::Basic(Entry::Ellipsis) => (of, at) = (of + skipped, at + skipped),
            Item::Basic(Entry::Slice(_) | Entry::Whole) => (of, at) = (of + 1, at + 1),
            Item::Array(object) => {
                let Some(index) = index_of(object, array.shape()[of])? else {
                    return Ok(None);
                };
                indices.push((at, index));
                (of, at) = (of + 1, at + 1);
            }
        }
    }
    Ok(Some(indices))
}

/// Returns the indices along an axis of a length; `None` if there are none, or if the package has
/// to check them.
fn index_of(object: &Bound<'_, PyAny>, length: usize) -> PyResult<Option<DynArray>> {
    let Ok(array) = object.cast::<Array>() else {
        let integer_of = |one: Bound<'_, PyAny>| {
            let at = match one.is_exact_instance_of::<PyInt>() {
                true => one.extract::<i64>().ok()?,
                false => return None,
            };
            (-(length as i64) <= at && at < length as i64).then_some(at)
        };
        let list = object.cast::<PyList>()?;
        let integers: Option<Vec<i64>> = list.iter().map(integer_of).collect();
        return match integers {
            Some(integers) if !integers.is_empty() => {
                let dims = [integers.len()];
                let made = DynArray::from_vec(&run::current()?, &dims, integers);
                made.raise().map(Some)
            }
            _ => Ok(None),
        };
    };
    let Some(index) = array.get().inner_now().filter(|index| !index.is_empty()) else {
        return Ok(None);
    };
    match index.dtype() {
        DType::Bool if index.shape() == [length] => {
            let found = index.nonzero().raise()?;
            Ok(found.into_iter().next().filter(|found| !found.is_empty()))
        }
        dtype if dtype.is_integer() && dtype != DType::U64 => Ok(Some(index.clone())),
        _ => Ok(None),
    }
}

/// Returns the shape of the elements that arrays select in a view; `None` if the arrays have
/// different shapes, or the elements have too many axes.
fn selected_shape(view: &DynArray, indices: &[(usize, DynArray)]) -> Option<SmallVec<[usize; 4]>> {
    let mut picked = Shape::SCALAR;
    for (_, index) in indices {
        picked = Shape::broadcast(picked, Shape::new(index.shape())?)?;
    }
    let first = indices[0].0;
    let is_together = indices
        .iter()
        .enumerate()
        .all(|(k, (axis, _))| *axis == first + k);
    let place = if is_together { first } else { 0 };
    let is_kept = |axis: &usize| indices.iter().all(|(indexed, _)| indexed != axis);
    let kept = (0..view.ndim()).filter(is_kept);
    let mut shape: SmallVec<[usize; 4]> = kept.map(|axis| view.shape()[axis]).collect();
    shape.insert_many(place, picked.dims().iter().copied());
    let is_empty = view.is_empty();
    (shape.len() <= MAX_DIMS && !is_empty).then_some(shape)
}

/// Whether an array of one shape broadcasts to another shape.
fn broadcasts(shape: &[usize], to: &[usize]) -> bool {
    let pairs = shape.iter().rev().zip(to.iter().rev());
    shape.len() <= to.len()
        && pairs
            .into_iter()
            .all(|(own, length)| *own == 1 || own == length)
}
