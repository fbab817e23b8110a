//! The common base of arrays and numbers: attributes, and conversion to Python's numbers. Operators
//! and indexing have their own modules; methods are attached in Python.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::runtime::Whole as Turns;

use crate::error::Raise;
use crate::kind::{self, ResultArray, Source};
use crate::lazy::Lazy;
use crate::masked::Masked;
use crate::rolled::{Margins, Rolled};
use crate::{dtype, frame, known, pending, run, scalar, whole};

/// The base class of arrays and of deferred numbers.
#[pyclass(frozen, name = "Deferred", module = "weft._core", subclass, weakref)]
pub(crate) struct Array {
    inner: Inner,
    /// The elements in the shape assigned to `shape`, if any.
    reshaped: OnceLock<Box<Reshaped>>,
    /// The array that this one is a view of.
    base: Option<Py<Array>>,
    is_writeable: AtomicBool,
    /// Whether its memory belongs to another library, which allows no writes.
    is_locked: bool,
    is_number: bool,
    /// The part of another array that this array is a copy of, if any.
    part_of: OnceLock<Box<Part>>,
    /// The copy of this array with margins, which results of `np.roll` are views of.
    margins: OnceLock<Arc<Margins>>,
}

/// The array of the runtime.
enum Inner {
    /// Known from the start.
    Given(DynArray),
    /// Created on first use.
    Lazy(Box<Lazy>),
}

impl Inner {
    #[inline]
    fn get(&self) -> Option<&DynArray> {
        match self {
            Inner::Given(array) => Some(array),
            Inner::Lazy(lazy) => lazy.get(),
        }
    }

    /// Returns the array that does not exist in the runtime yet.
    #[inline]
    fn lazy(&self) -> Option<&Lazy> {
        match self {
            Inner::Lazy(lazy) if lazy.get().is_none() => Some(lazy),
            _ => None,
        }
    }
}

/// The array of which another array holds a part: the real or imaginary parts, or the bytes as
/// elements of another dtype.
///
/// An array's memory has one dtype, so the part is a copy that follows the whole. Writes to the
/// copy are written through to the whole, and the copy is refreshed after a write to the whole.
pub(crate) struct Part {
    whole: Py<Array>,
    /// Called with the whole; returns the copy.
    get: Py<PyAny>,
    /// Called with the whole and a copy; writes the copy to the whole.
    set: Py<PyAny>,
    /// The number of writes to the whole when the copy was made.
    seen: AtomicU64,
}

impl Part {
    /// Writes the part to the whole.
    fn write(&self, parts: &Bound<'_, Array>) -> PyResult<()> {
        let (py, whole) = (parts.py(), self.whole.get());
        let set = self.set.bind(py);
        match whole.copied_part() {
            Some(_) => set.call1((&self.whole, parts))?,
            // The copy is writable, even if the array no longer is.
            None => set.call1((ResultArray::own(whole.layout()?.clone()), parts))?,
        };
        Ok(())
    }

    /// Refreshes `copy`, which covers the whole part, from the current values of the whole.
    fn follow(&self, copy: &DynArray) -> PyResult<()> {
        let array = self.whole.get().inner()?;
        let is_seen = |writes| writes == Some(self.seen.load(Ordering::Relaxed));
        if is_seen(array.writes()) {
            return Ok(());
        }
        Python::attach(|py| {
            let mut written = vec![copy];
            self.whole.get().add_written(&mut written)?;
            let _turns = whole::begin_update(py, &written)?;
            let writes = array.writes();
            if is_seen(writes) {
                return Ok(());
            }
            let made = self.get.bind(py).call1((&self.whole,))?;
            let made = made.extract::<Source<'_>>()?;
            let made = made.get().first_inner()?;
            let _entered = frame::enter(py);
            // The shape of the whole may have changed.
            copy.assign(&made.reshape(copy.shape()).raise()?).raise()?;
            self.seen.store(writes.unwrap_or(0), Ordering::Relaxed);
            Ok(())
        })
    }
}

/// The arrays that the base array became, one for each assignment of a shape.
struct Reshaped {
    inner: DynArray,
    next: OnceLock<Box<Reshaped>>,
}

impl Array {
    /// The array of the runtime.
    ///
    /// # Errors
    /// Returns an error if the array is only a value so far, and the runtime cannot start.
    #[inline]
    pub(crate) fn inner(&self) -> PyResult<&DynArray> {
        pending::settle()?;
        self.follow()?;
        self.layout()
    }

    /// Refreshes a copy of a part of another array from its current values.
    #[inline]
    fn follow(&self) -> PyResult<()> {
        match (self.part_of.get(), &self.base) {
            (None, None) => Ok(()),
            (Some(part), _) => part.follow(self.first_inner()?),
            (None, Some(base)) => match base.get().part_of.get() {
                Some(part) => part.follow(base.get().first_inner()?),
                None => Ok(()),
            },
        }
    }

    /// Returns the runtime's array without refreshing its elements.
    pub(crate) fn layout(&self) -> PyResult<&DynArray> {
        let (mut found, mut next) = (self.first_inner()?, self.reshaped.get());
        while let Some(later) = next {
            (found, next) = (&later.inner, later.next.get());
        }
        Ok(found)
    }

    /// Returns the runtime's array, if it exists already.
    pub(crate) fn inner_now(&self) -> Option<&DynArray> {
        self.inner.get()?;
        self.inner().ok()
    }

    fn first_inner(&self) -> PyResult<&DynArray> {
        match &self.inner {
            Inner::Given(array) => Ok(array),
            Inner::Lazy(lazy) => lazy.create(),
        }
    }

    /// Returns the runtime's array for reading. A result of `np.roll` stays a view of the copy with
    /// margins; it must not be written.
    ///
    /// # Errors
    /// As [`inner`](Array::inner).
    #[inline]
    pub(crate) fn values(&self) -> PyResult<Cow<'_, DynArray>> {
        match self.rolled_now() {
            Some(rolled) => Ok(Cow::Owned(rolled.view.clone())),
            None => self.inner().map(Cow::Borrowed),
        }
    }

    /// Returns the result of `np.roll`, unless it has become an array of the runtime.
    pub(crate) fn rolled_now(&self) -> Option<Arc<Rolled>> {
        self.inner.lazy()?.rolled()
    }

    /// Returns the selection, unless it has become an array of the runtime.
    pub(crate) fn masked_now(&self) -> Option<&Masked> {
        self.inner.lazy()?.masked()
    }

    /// Whether the array exists in the runtime.
    pub(crate) fn is_made(&self) -> bool {
        self.inner.get().is_some()
    }

    /// Creates an array that becomes one of the runtime on first use: an array without axes from a
    /// value, a result of `np.roll`, or a selection by a mask.
    pub(crate) fn lazy(origin: impl Into<Lazy>) -> Array {
        Array::from_inner(Inner::Lazy(Box::new(origin.into())))
    }

    /// Returns the place of the copy with margins.
    pub(crate) fn margins(&self) -> &Arc<Margins> {
        self.margins.get_or_init(Arc::default)
    }

    /// Creates a number from a value.
    pub(crate) fn number(value: Scalar) -> Array {
        Array {
            is_number: true,
            is_writeable: AtomicBool::new(false),
            ..Array::lazy(value)
        }
    }

    /// Creates a number whose value is computed later.
    pub(crate) fn deferred_number(inner: DynArray) -> Array {
        Array {
            is_number: true,
            is_writeable: AtomicBool::new(false),
            ..Array::own(inner)
        }
    }

    /// Returns whether this is a number, which never changes.
    #[inline]
    pub(crate) fn is_number(&self) -> bool {
        self.is_number
    }

    /// Returns the value of an array without axes if it is available without waiting.
    pub(crate) fn value_now(&self) -> Option<Scalar> {
        match self.inner.get() {
            None => self.inner.lazy()?.value(),
            Some(inner) => {
                self.follow().ok()?;
                inner.element(&[])
            }
        }
    }

    /// Sets the value of an array without axes, if that is possible without waiting. The value has
    /// the array's dtype.
    pub(crate) fn set_value(&self, value: Scalar) -> bool {
        if !self.is_writeable() {
            return false;
        }
        match &self.inner {
            Inner::Lazy(lazy) if lazy.set_value(value) => true,
            inner => inner
                .get()
                .is_some_and(|inner| inner.set_element(&[], value)),
        }
    }

    /// Returns the number of elements along each axis.
    pub(crate) fn dims(&self) -> PyResult<&[usize]> {
        match self.inner.lazy().and_then(Lazy::dims) {
            Some(dims) => Ok(dims),
            None => Ok(self.layout()?.shape()),
        }
    }

    /// Returns the type of the elements.
    pub(crate) fn element_type(&self) -> DType {
        match &self.inner {
            Inner::Given(array) => array.dtype(),
            Inner::Lazy(lazy) => lazy.dtype(),
        }
    }

    /// Replaces the array by one of another shape.
    fn set_inner(&self, inner: DynArray) {
        if let Some(margins) = self.margins.get() {
            margins.clear();
        }
        let mut made = Box::new(Reshaped {
            inner,
            next: OnceLock::new(),
        });
        let mut last = &self.reshaped;
        // Another thread may have assigned a shape in between; this one is added after it.
        while let Err(again) = last.set(made) {
            made = again;
            match last.get() {
                Some(later) => last = &later.next,
                None => return,
            }
        }
    }

    /// Creates an array that is not a view.
    #[inline]
    pub(crate) fn own(inner: DynArray) -> Array {
        Array::from_inner(Inner::Given(inner))
    }

    #[inline(always)]
    fn from_inner(inner: Inner) -> Array {
        Array {
            inner,
            reshaped: OnceLock::new(),
            base: None,
            is_writeable: AtomicBool::new(true),
            is_locked: false,
            is_number: false,
            part_of: OnceLock::new(),
            margins: OnceLock::new(),
        }
    }

    /// Creates a copy of a part of `whole`, made when the whole had been written `writes` times.
    /// See [`_set_part_of`](Self::_set_part_of) for `get` and `set`.
    pub(crate) fn part(
        whole: &Bound<'_, Array>,
        copy: DynArray,
        [get, set]: [Py<PyAny>; 2],
        writes: u64,
    ) -> Array {
        let part = Array {
            is_writeable: AtomicBool::new(whole.get().is_writeable()),
            ..Array::own(copy)
        };
        part._set_part_of(whole.clone().unbind(), get, set, writes);
        part
    }

    /// Creates an array whose memory must never be written.
    pub(crate) fn locked(inner: DynArray) -> Array {
        Array {
            is_writeable: AtomicBool::new(false),
            is_locked: true,
            ..Array::own(inner)
        }
    }

    /// Creates a view of `from_inner`.
    pub(crate) fn view_of(of: &Bound<'_, Array>, inner: DynArray) -> Array {
        let parent = of.get();
        let base = match &parent.base {
            Some(base) => base.clone_ref(of.py()),
            None => of.clone().unbind(),
        };
        Array {
            base: Some(base),
            is_writeable: AtomicBool::new(parent.is_writeable()),
            is_locked: parent.is_locked,
            ..Array::own(inner)
        }
    }

    pub(crate) fn is_writeable(&self) -> bool {
        self.is_writeable.load(Ordering::Relaxed)
    }

    pub(crate) fn set_read_only(self) -> Array {
        self.is_writeable.store(false, Ordering::Relaxed);
        self
    }

    /// Returns the part that this array or its base is a copy of, if any.
    pub(crate) fn copied_part(&self) -> Option<&Part> {
        let base = self.base.as_ref().and_then(|base| base.get().part_of.get());
        self.part_of.get().or(base).map(|part| &**part)
    }

    /// Keeps other threads from writing these arrays and the wholes they are parts of, if any of
    /// them has parts.
    pub(crate) fn begin_write(py: Python<'_>, arrays: &[&Array]) -> PyResult<Option<Turns>> {
        let has_parts = |array: &&Array| array.inner.get().is_some_and(DynArray::counts_writes);
        if !arrays.iter().any(has_parts) {
            return Ok(None);
        }
        Array::begin_change(py, arrays.iter().copied()).map(Some)
    }

    /// Takes the turns of these arrays and of the wholes they are parts of, so that no other thread
    /// writes a whole between reading it and writing its parts.
    pub(crate) fn begin_change<'a>(
        py: Python<'_>,
        arrays: impl Iterator<Item = &'a Array>,
    ) -> PyResult<Turns> {
        let mut written = Vec::new();
        for array in arrays {
            array.add_written(&mut written)?;
        }
        whole::begin(py, &written)
    }

    /// Adds the arrays that a write to this array changes: itself and the wholes that it is a part
    /// of.
    fn add_written<'a>(&'a self, written: &mut Vec<&'a DynArray>) -> PyResult<()> {
        written.push(self.first_inner()?);
        if let Some(base) = &self.base {
            written.push(base.get().first_inner()?);
        }
        match self.copied_part() {
            Some(part) => part.whole.get().add_written(written),
            None => Ok(()),
        }
    }

    /// Calls `write` to write the array. If the array is a copy of a part of another array, then
    /// writes that part to it.
    ///
    /// # Errors
    /// Returns an error if the array is read-only, or `write` fails.
    pub(crate) fn written(
        slf: &Bound<'_, Array>,
        write: impl FnOnce(&Bound<'_, Array>) -> PyResult<()>,
    ) -> PyResult<()> {
        let (py, array) = (slf.py(), slf.get());
        if !array.is_writeable() {
            return Err(PyValueError::new_err("assignment destination is read-only"));
        }
        let Some(part) = array.copied_part() else {
            let _turns = Array::begin_write(py, &[array])?;
            return write(slf);
        };
        let _turns = Array::begin_change(py, std::iter::once(array))?;
        array.follow()?;
        // Shares the elements, but may be written.
        write(&kind::new_array(py, Array::own(array.layout()?.clone()))?)?;
        let all = array.base.as_ref().map_or(array, |base| base.get());
        part.write(&kind::new_array(
            py,
            Array::own(all.first_inner()?.clone()),
        )?)
    }

    /// Returns the only element.
    pub(crate) fn only(&self, py: Python<'_>) -> PyResult<Scalar> {
        if let Some(value) = self.value_now() {
            return Ok(value);
        }
        let _entered = frame::enter(py);
        let value = run::read(py, self.inner()?)?;
        value
            .first()
            .ok_or_else(|| PyValueError::new_err("the array has no elements"))
    }

    fn single(&self, py: Python<'_>) -> PyResult<Scalar> {
        if !self.dims()?.is_empty() {
            return Err(PyTypeError::new_err(
                "only 0-dimensional arrays can be converted to Python scalars",
            ));
        }
        self.only(py)
    }
}

fn tuple<'py>(
    py: Python<'py>,
    numbers: impl Iterator<Item = isize>,
) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, numbers.collect::<Vec<_>>())
}

#[pymethods]
impl Array {
    /// Number of elements along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.dims()?)
    }

    /// Gives the array another shape: its elements must lie so that there is such a view.
    #[setter]
    fn set_shape(&self, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        let lengths = match shape.extract::<isize>() {
            Ok(length) => vec![length],
            Err(_) => shape.extract::<Vec<isize>>()?,
        };
        let inner = self.inner()?;
        let known: usize = lengths
            .iter()
            .filter_map(|length| usize::try_from(*length).ok())
            .product();
        let rest = inner.len().checked_div(known).unwrap_or(0);
        let unknown = lengths.iter().filter(|length| **length < 0).count();
        let dims: Vec<usize> = lengths
            .iter()
            .map(|length| usize::try_from(*length).unwrap_or(rest))
            .collect();
        if unknown > 1 || dims.iter().product::<usize>() != inner.len() {
            return Err(PyValueError::new_err(format!(
                "cannot reshape array of size {} into shape {lengths:?}",
                inner.len()
            )));
        }
        let _entered = frame::enter(shape.py());
        let made = inner.reshape(&dims).raise()?;
        if !made.shares_store_with(inner) {
            return Err(PyAttributeError::new_err(
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.",
            ));
        }
        self.set_inner(made);
        Ok(())
    }

    /// The NumPy type of the elements.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        dtype::to_numpy(py, self.element_type())
    }

    #[setter]
    fn set_dtype(&self, _dtype: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyAttributeError::new_err(
            "the dtype of an array of Weft does not change; use x.view(dtype) or x.astype(dtype)",
        ))
    }

    /// Number of axes.
    #[getter]
    pub(crate) fn ndim(&self) -> PyResult<usize> {
        Ok(self.dims()?.len())
    }

    /// Number of elements.
    #[getter]
    fn size(&self) -> PyResult<usize> {
        Ok(self.dims()?.iter().product())
    }

    /// The number of bytes of an element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.element_type().size()
    }

    /// The number of bytes of all elements.
    #[getter]
    fn nbytes(&self) -> PyResult<usize> {
        Ok(self.itemsize() * self.size()?)
    }

    /// The number of bytes between adjacent elements along each axis.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let size = self.itemsize() as isize;
        tuple(
            py,
            self.layout()?.distances().iter().map(|step| step * size),
        )
    }

    /// The array that this one is a view of.
    #[getter]
    fn base(&self, py: Python<'_>) -> Option<Py<Array>> {
        match self.part_of.get() {
            Some(part) => Some(part.whole.clone_ref(py)),
            None => self.base.as_ref().map(|base| base.clone_ref(py)),
        }
    }

    /// The whole that this array or its base is a copy of a part of, and the function that makes
    /// the copy.
    #[getter]
    fn _part_of(&self, py: Python<'_>) -> Option<(Py<Array>, Py<PyAny>)> {
        let part = self.copied_part()?;
        Some((part.whole.clone_ref(py), part.get.clone_ref(py)))
    }

    /// Returns a number that grows with each write to the store, starting with the first call.
    fn _writes(&self) -> PyResult<u64> {
        Ok(self.layout()?.writes().unwrap_or(0))
    }

    /// The number of the store, as in profiles.
    #[getter]
    fn _store(&self) -> PyResult<u64> {
        Ok(self.layout()?.store_uid().0.raw())
    }

    /// The number of the first element within the store.
    #[getter]
    fn _offset(&self) -> PyResult<usize> {
        Ok(self.layout()?.offset())
    }

    #[getter]
    fn _writeable(&self) -> bool {
        self.is_writeable()
    }

    /// Marks the array as a copy of a part of `whole`, made when the whole had been written
    /// `writes` times. `get(whole)` makes such a copy, in any shape, and `set(whole, copy)` writes
    /// one back.
    fn _set_part_of(&self, whole: Py<Array>, get: Py<PyAny>, set: Py<PyAny>, writes: u64) {
        // The array was created for this call, so the cell is empty.
        _ = self.part_of.set(Box::new(Part {
            whole,
            get,
            set,
            seen: AtomicU64::new(writes),
        }));
    }

    fn _set_writeable(&self, is_writeable: bool) -> PyResult<()> {
        let is_of_locked = |part: &Part| !part.whole.get().is_writeable();
        if is_writeable && (self.is_locked || self.copied_part().is_some_and(is_of_locked)) {
            return Err(PyValueError::new_err(
                "cannot set WRITEABLE flag to True of this array",
            ));
        }
        self.is_writeable.store(is_writeable, Ordering::Relaxed);
        Ok(())
    }

    /// The transpose.
    #[getter(T)]
    fn transposed(slf: &Bound<'_, Array>) -> PyResult<ResultArray> {
        let array = slf.get().inner()?;
        let axes: Vec<usize> = (0..array.ndim()).rev().collect();
        ResultArray::view_of(slf, array.permute(&axes).raise()?)
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        match self.size()? {
            1 => Ok(self.only(py)?.to::<bool>()),
            0 => Err(PyValueError::new_err(
                "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.",
            )),
            _ => Err(PyValueError::new_err(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
            )),
        }
    }

    fn __float__(&self, py: Python<'_>) -> PyResult<f64> {
        let value = self.single(py)?;
        if self.is_number && value.dtype().is_complex() {
            // NumPy's scalars warn, and return the real part.
            return known::object(py, value)?
                .bind(py)
                .call_method0("__float__")?
                .extract();
        }
        match value.dtype().is_complex() {
            true => Err(PyTypeError::new_err(
                "float() argument must be a string or a real number, not 'complex'",
            )),
            false => Ok(value.to::<f64>()),
        }
    }

    fn __int__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let value = self.single(py)?;
        if self.is_number && value.dtype().is_complex() {
            return known::object(py, value)?.call_method0(py, "__int__");
        }
        if value.dtype().is_complex() {
            return Err(PyTypeError::new_err(
                "int() argument must be a string, a bytes-like object or a real number, not 'complex'",
            ));
        }
        // Python rounds a float, and raises an error for NaN and infinity.
        let number = scalar::to_python(py, value)?;
        Ok(py
            .get_type::<pyo3::types::PyInt>()
            .call1((number,))?
            .unbind())
    }

    fn __complex__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let number = scalar::to_python(py, self.single(py)?)?;
        Ok(py
            .get_type::<pyo3::types::PyComplex>()
            .call1((number,))?
            .unbind())
    }

    fn __index__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if self.is_number && !self.element_type().is_integer() {
            let dtype = dtype::numpy_name(self.element_type());
            return Err(PyTypeError::new_err(format!(
                "'numpy.{dtype}' object cannot be interpreted as an integer; a function that expects a float takes float(x)"
            )));
        }
        if !self.dims()?.is_empty() || !self.element_type().is_integer() {
            return Err(PyTypeError::new_err(
                "only integer scalar arrays can be converted to a scalar index",
            ));
        }
        scalar::to_python(py, self.only(py)?)
    }

    /// The only element as a number of Python.
    fn _item(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if self.size()? != 1 {
            return Err(PyValueError::new_err(
                "can only convert an array of size 1 to a Python scalar",
            ));
        }
        scalar::to_python(py, self.only(py)?)
    }
}
