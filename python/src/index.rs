//! Basic indexing: integers, slices, `None` and the ellipsis. Anything else is done in Python.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyFloat, PyInt, PySlice, PyTuple};
use smallvec::SmallVec;
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::error::CallError;
use weft::program::{Value, Viewing};

use crate::array::Array;
use crate::error::Raise;
use crate::kind::{self, NdArray, ResultArray};
use crate::operand::{Operand, numpy_generic};
use crate::{frame, hooks, known, masked, plain, select};

/// One entry of a key.
pub(crate) enum Entry<'a, 'py> {
    Index(isize),
    Slice(Borrowed<'a, 'py, PySlice>),
    /// All elements along an axis.
    Whole,
    NewAxis,
    Ellipsis,
}

impl<'a, 'py> Entry<'a, 'py> {
    /// Parses an entry of a key; `None` if the key is not basic.
    pub(crate) fn parse(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Option<Entry<'a, 'py>>> {
        if object.is_exact_instance_of::<PyInt>() {
            return Ok(Some(Entry::Index(index(&object)?)));
        }
        if let Ok(slice) = object.cast::<PySlice>() {
            return Ok(Some(Entry::Slice(slice)));
        }
        if object.is_none() {
            return Ok(Some(Entry::NewAxis));
        }
        if object.is_instance_of::<PyEllipsis>() {
            return Ok(Some(Entry::Ellipsis));
        }
        if object.is_instance_of::<PyBool>() {
            return Ok(None);
        }
        if let Ok(array) = object.cast::<Array>() {
            return Ok(number(array.get()).map(Entry::Index));
        }
        if let Some(value) = known::convert(&object) {
            return Ok(place(value).map(Entry::Index));
        }
        let is_number = object.is_instance_of::<PyInt>()
            || (object.is_instance(numpy_generic(object.py())?)?
                && matches!(
                    object
                        .getattr("dtype")?
                        .getattr("kind")?
                        .extract::<String>()?
                        .as_str(),
                    "i" | "u"
                ));
        match is_number {
            true => Ok(Some(Entry::Index(index(&object)?))),
            false => Ok(None),
        }
    }
}

/// Returns the value of an integer array without axes, if it is available without waiting.
fn number(array: &Array) -> Option<isize> {
    place(array.value_now()?)
}

/// Returns the place that an integer denotes.
fn place(value: Scalar) -> Option<isize> {
    match value.dtype() {
        DType::Bool => None,
        _ => value.integer()?.try_into().ok(),
    }
}

fn index(object: &Bound<'_, PyAny>) -> PyResult<isize> {
    object.extract::<isize>().map_err(|_| {
        // NumPy's error for integers that fit 64 bits only when unsigned.
        let message = format!("cannot fit {object} into an index");
        match object.extract::<u64>() {
            Ok(_) => pyo3::exceptions::PyOverflowError::new_err(message),
            Err(_) => pyo3::exceptions::PyIndexError::new_err(message),
        }
    })
}

/// Returns the view that a basic key selects; `None` if the key is not basic.
pub(crate) fn view(array: &DynArray, key: &Bound<'_, PyAny>) -> PyResult<Option<DynArray>> {
    Ok(viewing(array, key)?.map(Viewing::done))
}

/// Returns the view that a basic key selects, before an array is created for it.
fn viewing<'a>(array: &'a DynArray, key: &Bound<'_, PyAny>) -> PyResult<Option<Viewing<'a>>> {
    let Ok(keys) = key.cast::<PyTuple>() else {
        let Some(entry) = Entry::parse(key.as_borrowed())? else {
            return Ok(None);
        };
        return pick(array, std::slice::from_ref(&entry)).map(Some);
    };
    let mut entries: SmallVec<[Entry<'_, '_>; 6]> = SmallVec::new();
    for object in keys.iter_borrowed() {
        match Entry::parse(object)? {
            Some(entry) => entries.push(entry),
            None => return Ok(None),
        }
    }
    pick(array, &entries).map(Some)
}

/// Returns whether a key selects a view even if it selects a single element.
fn has_ellipsis(key: &Bound<'_, PyAny>) -> bool {
    match key.cast::<PyTuple>() {
        Ok(keys) => keys
            .iter()
            .any(|entry| entry.is_instance_of::<PyEllipsis>()),
        Err(_) => key.is_instance_of::<PyEllipsis>(),
    }
}

/// Returns whether an entry of a key is an array.
fn has_array(key: &Bound<'_, PyAny>) -> bool {
    match key.cast::<PyTuple>() {
        Ok(keys) => keys.iter().any(|entry| entry.is_instance_of::<Array>()),
        Err(_) => key.is_instance_of::<Array>(),
    }
}

/// Returns the view that basic entries select.
pub(crate) fn pick<'a>(array: &'a DynArray, entries: &[Entry<'_, '_>]) -> PyResult<Viewing<'a>> {
    let error = pyo3::exceptions::PyIndexError::new_err::<String>;
    let named = |entry: &&Entry<'_, '_>| !matches!(entry, Entry::NewAxis | Entry::Ellipsis);
    let count = entries.iter().filter(named).count();
    let dots = entries
        .iter()
        .filter(|entry| matches!(entry, Entry::Ellipsis))
        .count();
    if dots > 1 {
        return Err(error(
            "an index can only have a single ellipsis ('...')".to_owned(),
        ));
    }
    if count > array.ndim() {
        return Err(error(format!(
            "too many indices for array: array is {}-dimensional, but {count} were indexed",
            array.ndim()
        )));
    }
    let mut view = array.viewing();
    let (mut axis, mut of) = (0, 0);
    for entry in entries {
        match entry {
            Entry::Index(at) => {
                let length = view.shape()[axis];
                let place = if *at < 0 { at + length as isize } else { *at };
                if place < 0 || place >= length as isize {
                    return Err(error(format!(
                        "index {at} is out of bounds for axis {of} with size {length}"
                    )));
                }
                view.at(axis, place).raise()?;
                of += 1;
            }
            Entry::Slice(slice) => {
                let length = view.shape()[axis];
                let range = slice.indices(length as isize)?;
                if range.slicelength != length || range.step != 1 {
                    view.range(axis, range.start, range.step, range.slicelength)
                        .raise()?;
                }
                axis += 1;
                of += 1;
            }
            Entry::Whole => (axis, of) = (axis + 1, of + 1),
            Entry::NewAxis => {
                view.insert(axis).raise()?;
                axis += 1;
            }
            Entry::Ellipsis => {
                let skipped = array.ndim() - count;
                axis += skipped;
                of += skipped;
            }
        }
    }
    Ok(view)
}

/// Returns the index along each axis if a key of integers selects one element.
pub(crate) fn places(array: &DynArray, key: &Bound<'_, PyAny>) -> Option<SmallVec<[usize; 4]>> {
    let place = |object: &Bound<'_, PyAny>, length: usize| {
        let at = match object.is_exact_instance_of::<PyInt>() {
            true => object.extract::<isize>().ok()?,
            false => match known::convert(object) {
                Some(value) => self::place(value)?,
                None => number(object.cast::<Array>().ok()?.get())?,
            },
        };
        let at = if at < 0 { at + length as isize } else { at };
        usize::try_from(at).ok().filter(|at| *at < length)
    };
    let dims = array.shape();
    match key.cast::<PyTuple>() {
        Ok(keys) if keys.len() == dims.len() => keys
            .iter_borrowed()
            .zip(dims)
            .map(|(object, length)| place(&object, *length))
            .collect(),
        Err(_) if dims.len() == 1 => Some(SmallVec::from_slice(&[place(key, dims[0])?])),
        _ => None,
    }
}

#[pymethods]
impl Array {
    fn __getitem__(slf: &Bound<'_, Array>, key: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let inner = slf.get().inner()?;
        if let Some(places) = places(inner, key)
            && let Some(value) = inner.element(&places)
        {
            return kind::wrap_value(slf.py(), value, false);
        }
        if let Some(made) = masked::select(slf, key)? {
            return Ok(made.bind(slf.py())?.unbind());
        }
        if let Some(selected) = select::selected(inner, key)? {
            return Ok(selected);
        }
        match view(inner, key)? {
            // NumPy gives a number, which later writes to the array do not change: `t = a[i]; a[i]
            // = a[j]; a[j] = t`.
            Some(part) if part.ndim() == 0 && !has_ellipsis(key) => {
                let _entered = frame::enter(slf.py());
                kind::wrap_array(slf.py(), part.copy().raise()?, slf.get().is_number())
            }
            // An array as an index allocates a new array, even if the index has no axes.
            Some(part) if has_array(key) => {
                let _entered = frame::enter(slf.py());
                Ok(ResultArray::own(part.copy().raise()?)
                    .bind(slf.py())?
                    .unbind())
            }
            Some(part) => Ok(ResultArray::view_of(slf, part)?.bind(slf.py())?.unbind()),
            None => match plain::pick(slf, key, Some(0))? {
                Some(made) => Ok(made.bind(slf.py())?.unbind()),
                None => hooks::getitem(slf.as_any(), key),
            },
        }
    }
}

#[pymethods]
impl NdArray {
    fn __setitem__(
        slf: &Bound<'_, NdArray>,
        key: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        if masked::write_back(slf.as_super(), key, value)? {
            return Ok(());
        }
        Array::written(slf.as_super(), |slf| write(slf, key, value))
    }
}

/// Writes a value to one element, if that is possible without waiting.
fn set_element(array: &DynArray, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> bool {
    let number = match value.cast::<Array>() {
        Ok(number) => number.get().value_now(),
        // A Python float is written unchanged; integers may not fit, and other kinds are refused.
        Err(_) if value.is_exact_instance_of::<PyFloat>() => {
            value.extract::<f64>().ok().map(Scalar::F64)
        }
        Err(_) => known::convert(value),
    };
    let (Some(number), Some(places)) = (number, places(array, key)) else {
        return false;
    };
    array.set_element(&places, number)
}

/// Converts a float to an integer as Python does; `None` if it is not finite or does not fit 64
/// bits.
fn whole_of(value: Scalar) -> Option<Scalar> {
    let whole = value.to::<f64>().trunc();
    (whole.abs() < 2f64.powi(63)).then(|| Scalar::F64(whole).cast(DType::I64))
}

/// Returns the value of a number to be written to elements of `dtype`; `None` if NumPy has to
/// convert it, as NaN to an integer, or a complex number.
fn scalar_of(object: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<Scalar>> {
    let Some(value) = known::convert(object) else {
        return Ok(None);
    };
    let own = value.dtype();
    if own.is_complex() && !dtype.is_complex() {
        return Ok(None);
    }
    let whole = match own.is_float() && dtype.is_integer() {
        true => match whole_of(value) {
            Some(whole) => whole,
            None => return Ok(None),
        },
        false => value,
    };
    // NumPy writes scalars to unsigned elements bit by bit.
    let is_wrapped = dtype.is_unsigned_integer();
    match whole.is_beyond(dtype) && !is_wrapped {
        true => Err(crate::error::call(CallError::Value {
            value: whole,
            dtype,
        })),
        false => Ok(Some(whole)),
    }
}

/// `slf[key] = value`.
fn write(slf: &Bound<'_, Array>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let (py, array) = (slf.py(), slf.get());
    if set_element(array.inner()?, key, value) || select::set_selected(array.inner()?, key, value)?
    {
        return Ok(());
    }
    let Some(target) = viewing(array.inner()?, key)? else {
        return hooks::setitem(slf.as_any(), key, value);
    };
    // `x[key] += y` ends with an assignment of the view to itself.
    if let Ok(other) = value.cast::<Array>()
        && other
            .get()
            .inner_now()
            .is_some_and(|other| target.is(other))
    {
        return Ok(());
    }
    let target = target.done();
    let is_element = target.ndim() == 0 && !has_ellipsis(key);
    if let Ok(other) = value.cast::<Array>()
        && other.get().is_number()
        && target.dtype().is_integer()
        && other.get().element_type() != target.dtype()
    {
        // Values that do not fit, or are not finite, are errors.
        let number = kind::known_number(other)?;
        return write(slf, key, number.bind(py));
    }
    if let Ok(other) = value.cast::<Array>() {
        let other = other.get().inner()?;
        let is_bool = target.dtype() == DType::Bool;
        // NumPy converts a single element to a truth value.
        if is_element && other.ndim() > 0 && !(is_bool && other.len() == 1) {
            return Err(match target.dtype().is_complex() {
                true => PyTypeError::new_err(
                    "only 0-dimensional arrays can be converted to Python scalars",
                ),
                false => PyValueError::new_err("setting an array element with a sequence."),
            });
        }
        if target.shape() == other.shape() {
            hooks::check_parts(py, other.dtype(), target.dtype())?;
            let _entered = frame::enter(py);
            return target.assign(other).raise();
        }
    }
    if let Some(number) = scalar_of(value, target.dtype())? {
        let _entered = frame::enter(py);
        return target.assign(number.cast(target.dtype())).raise();
    }
    let number = match crate::scalar::python(value)? {
        // Python refuses NaN and infinity as integers, and complex numbers as real ones.
        Some(number) if number.dtype().is_complex() && !target.dtype().is_complex() => None,
        Some(number) if number.dtype().is_float() && target.dtype().is_integer() => {
            match whole_of(number) {
                Some(whole) if whole.is_beyond(target.dtype()) => {
                    return Err(crate::error::call(CallError::Value {
                        value: whole,
                        dtype: target.dtype(),
                    }));
                }
                whole => whole.map(|_| number),
            }
        }
        Some(number) if number.dtype().is_float() && !target.dtype().is_float() => {
            number.to::<f64>().is_finite().then_some(number)
        }
        number => number,
    };
    if number.is_some() {
        let operand = Operand::convert(value)?;
        let _entered = frame::enter(py);
        let Value::Scalar(number) = operand.cast(target.dtype())? else {
            return Ok(());
        };
        return target.assign(number).raise();
    }
    hooks::setitem(slf.as_any(), key, value)
}
