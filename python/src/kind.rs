//! The two classes with deferred values: arrays, and numbers, which NumPy's functions return if a
//! result has no axes.

use std::ops::Deref;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use weft::DynArray;
use weft::dtype::{DType, Scalar};

use crate::array::Array;
use crate::error::Raise;
use crate::operand::numpy_generic;
use crate::{dtype, frame, hooks, interrupt, known, run};

/// The largest array, in elements, whose scalar results are waited for.
pub(crate) const FEW: usize = 8192;

/// An array, as in NumPy.
#[pyclass(
    frozen,
    extends = Array,
    name = "ndarray",
    module = "weft.numpy",
    subclass,
    sequence
)]
pub(crate) struct NdArray;

/// A number whose value is computed later. It never changes.
#[pyclass(
    frozen,
    freelist = 64,
    extends = Array,
    name = "number",
    module = "weft.numpy",
    subclass
)]
pub(crate) struct Number;

/// A class of numbers for each dtype, with NumPy's name, so that the class of a number tells its
/// dtype.
macro_rules! classes_by_dtype {
    ($($dtype:ident = $name:tt;)*) => {
        /// The classes that numbers are objects of.
        mod by_dtype {
            use pyo3::prelude::*;

            use super::Number;

            $(#[pyclass(frozen, freelist = 16, extends = Number, name = $name, module = "weft.numpy")]
            pub(super) struct $dtype;)*
        }

        fn bind_number(py: Python<'_>, array: Array) -> PyResult<Bound<'_, PyAny>> {
            let dtype = array.element_type();
            let number = PyClassInitializer::from(array).add_subclass(Number);
            Ok(match dtype {
                $(DType::$dtype => Bound::new(py, number.add_subclass(by_dtype::$dtype))?.into_any(),)*
            })
        }

        /// The classes of deferred numbers with their dtypes.
        #[pyfunction]
        pub(crate) fn number_classes(py: Python<'_>) -> PyResult<Vec<(Py<PyAny>, Bound<'_, PyType>)>> {
            Ok(vec![$((dtype::to_numpy(py, DType::$dtype)?, py.get_type::<by_dtype::$dtype>()),)*])
        }
    };
}

classes_by_dtype! {
    Bool = "bool";
    I8 = "int8";
    I16 = "int16";
    I32 = "int32";
    I64 = "int64";
    U8 = "uint8";
    U16 = "uint16";
    U32 = "uint32";
    U64 = "uint64";
    F16 = "float16";
    F32 = "float32";
    F64 = "float64";
    C64 = "complex64";
    C128 = "complex128";
}

#[pymethods]
impl Number {
    /// NumPy's class of numbers of this dtype, which `isinstance` takes into account.
    #[getter(__class__)]
    fn class<'py>(slf: &Bound<'py, Number>) -> PyResult<Bound<'py, PyAny>> {
        let dtype = slf.as_super().get().element_type();
        known::numpys_class(slf.py(), dtype)
    }
}

/// A new object of one of the two classes.
pub(crate) struct ResultArray(Array);

impl ResultArray {
    #[inline]
    pub(crate) fn own(inner: DynArray) -> ResultArray {
        ResultArray(Array::own(inner))
    }

    /// Creates a view of `of`. For a number, whose value must not change, creates a copy.
    pub(crate) fn view_of(of: &Bound<'_, Array>, inner: DynArray) -> PyResult<ResultArray> {
        Ok(ResultArray(match of.get().is_number() {
            true => Array::own(inner.copy().raise()?),
            false => Array::view_of(of, inner),
        }))
    }

    /// Wraps the result of a call on `of`: a view if both share a store, otherwise a new array.
    pub(crate) fn wrap(of: &Bound<'_, Array>, inner: DynArray) -> PyResult<ResultArray> {
        match inner.shares_store_with(of.get().layout()?) {
            true => ResultArray::view_of(of, inner),
            false => Ok(ResultArray::own(inner)),
        }
    }

    #[inline]
    pub(crate) fn bind<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.0.is_number() {
            return bind_number(py, self.0);
        }
        Ok(self.bind_array(py)?.into_any())
    }

    fn bind_array(self, py: Python<'_>) -> PyResult<Bound<'_, NdArray>> {
        Bound::new(py, PyClassInitializer::from(self.0).add_subclass(NdArray))
    }
}

impl From<Array> for ResultArray {
    fn from(array: Array) -> ResultArray {
        ResultArray(array)
    }
}

impl<'py> IntoPyObject<'py> for ResultArray {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.bind(py)
    }
}

/// Creates an array object for functions of Rust.
pub(crate) fn new_array(py: Python<'_>, array: Array) -> PyResult<Bound<'_, Array>> {
    Ok(ResultArray(array).bind_array(py)?.into_super())
}

/// Returns the number of a value; a deferred one if an operand was deferred.
#[inline]
pub(crate) fn wrap_value(py: Python<'_>, value: Scalar, is_deferred: bool) -> PyResult<Py<PyAny>> {
    match is_deferred {
        true => Ok(ResultArray(Array::number(value)).bind(py)?.unbind()),
        false => known::object(py, value),
    }
}

/// Returns a result: an array, or a number if it has no axes.
///
/// The class of a number must not depend on how far the runtime has come. A result of a deferred
/// operand is deferred. Other results are waited for if the run has one process with CPUs only.
/// There a profile does not change the class of a result.
#[inline]
pub(crate) fn wrap_array(py: Python<'_>, made: DynArray, is_deferred: bool) -> PyResult<Py<PyAny>> {
    if made.ndim() > 0 {
        return Ok(ResultArray::own(made).bind(py)?.unbind());
    }
    number(py, made, is_deferred)
}

fn number(py: Python<'_>, made: DynArray, is_deferred: bool) -> PyResult<Py<PyAny>> {
    if !is_deferred && let Some(value) = value_of(py, &made)? {
        return known::object(py, value);
    }
    Ok(ResultArray(Array::deferred_number(made)).bind(py)?.unbind())
}

/// Returns the value of a result without axes. Waits for it if Python could see whether it is
/// known, because C code reads the contents of `float` objects directly.
fn value_of(py: Python<'_>, made: &DynArray) -> PyResult<Option<Scalar>> {
    if let Some(value) = made.result() {
        return Ok(Some(value));
    }
    if made.dtype() != DType::F64 || !made.is_computed_at_once() {
        return Ok(None);
    }
    let _entered = frame::enter_once(py);
    // Other errors are raised when the number is read, as for other results.
    interrupt::unless_raised(py, || Ok(run::read(py, made)?.first()))
}

/// Converts the result of a function of `count` elements: to a number if it has no axes, as in
/// NumPy.
#[pyfunction]
#[pyo3(signature = (object, count=0))]
pub(crate) fn as_result(object: &Bound<'_, PyAny>, count: usize) -> PyResult<Py<PyAny>> {
    let py = object.py();
    match object.cast::<Array>() {
        Ok(array) if !array.get().is_number() && array.get().ndim()? == 0 => {
            match array.get().value_now() {
                Some(value) => wrap_value(py, value, count > FEW),
                None => number(py, array.get().inner()?.clone(), count > FEW),
            }
        }
        _ => Ok(object.clone().unbind()),
    }
}

/// Waits for the number's value and returns it as NumPy's scalar.
#[pyfunction]
pub(crate) fn known_number(array: &Bound<'_, Array>) -> PyResult<Py<PyAny>> {
    let py = array.py();
    known::object(py, array.get().only(py)?)
}

/// Converts a number to an array without axes; returns arrays unchanged.
#[pyfunction]
pub(crate) fn as_array<'py>(array: Source<'py>) -> PyResult<Bound<'py, PyAny>> {
    let of = array.get();
    let _entered = frame::enter(array.py());
    match (of.is_number(), array.is_known) {
        (true, _) => ResultArray::own(of.inner()?.copy().raise()?).bind(array.py()),
        (false, true) => ResultArray::own(of.inner()?.clone()).bind(array.py()),
        (false, false) => Ok(array.array.into_any()),
    }
}

/// An operand of the package's functions, as an array. It was passed as an array or a number.
pub(crate) struct Source<'py> {
    array: Bound<'py, Array>,
    is_known: bool,
}

impl Source<'_> {
    /// Returns whether the operand was passed as a number.
    pub(crate) fn is_number(&self) -> bool {
        self.is_known || self.get().is_number()
    }

    /// Returns whether results are deferred: those of a deferred number, or of more than `few`
    /// elements.
    pub(crate) fn is_deferred_beyond(&self, few: usize) -> bool {
        let array = self.get();
        array.is_number() || array.layout().is_ok_and(|inner| inner.len() > few)
    }
}

impl<'py> Deref for Source<'py> {
    type Target = Bound<'py, Array>;

    fn deref(&self) -> &Bound<'py, Array> {
        &self.array
    }
}

impl<'py> FromPyObject<'_, 'py> for Source<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Source<'py>> {
        if let Ok(array) = object.cast::<Array>() {
            return Ok(Source {
                array: array.to_owned(),
                is_known: false,
            });
        }
        if let Some(value) = known::convert(&object) {
            return Ok(Source {
                array: new_array(object.py(), Array::lazy(value))?,
                is_known: true,
            });
        }
        let made = hooks::asarray(&object)?;
        match made.cast_into::<Array>() {
            Ok(array) => Ok(Source {
                array,
                is_known: object.is_instance(numpy_generic(object.py())?)?,
            }),
            Err(_) => Err(PyTypeError::new_err(format!(
                "Weft's arrays cannot hold what this '{}' does",
                object.get_type().name()?
            ))),
        }
    }
}
