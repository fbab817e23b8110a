//! NumPy's dtype objects and Weft's element types.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use weft::dtype::DType;
use weft::words::Words;

use crate::known;

/// NumPy's dtype objects in the order of [`DType::ALL`].
static OBJECTS: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();

/// Takes NumPy's dtype objects, in the order bool, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8, c8,
/// c16.
#[pyfunction]
pub(crate) fn register_dtypes(py: Python<'_>, objects: Bound<'_, PyTuple>) -> PyResult<()> {
    let kept = objects.iter().map(Bound::unbind).collect();
    let _ = OBJECTS.set(py, kept);
    known::register(py, &objects)
}

/// NumPy's name.
pub(crate) fn numpy_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::I8 => "int8",
        DType::I16 => "int16",
        DType::I32 => "int32",
        DType::I64 => "int64",
        DType::U8 => "uint8",
        DType::U16 => "uint16",
        DType::U32 => "uint32",
        DType::U64 => "uint64",
        DType::F16 => "float16",
        DType::F32 => "float32",
        DType::F64 => "float64",
        DType::C64 => "complex64",
        DType::C128 => "complex128",
    }
}

/// Python's names of dtypes and casts, for messages.
pub(crate) const WORDS: Words = Words {
    dtype: numpy_name,
    cast: "astype",
    cast_to: |array, dtype| format!("{array}.astype(numpy.{})", numpy_name(dtype)),
    parameter: |name| format!("\"{name}\""),
    assign: |name| format!("`{name}[...] = values` writes to it, `{name} = values` does not"),
};

/// The number of an element type in [`DType::ALL`].
pub(crate) fn index(dtype: DType) -> u8 {
    dtype as u8
}

/// NumPy's object for an element type.
pub(crate) fn to_numpy(py: Python<'_>, dtype: DType) -> PyResult<Py<PyAny>> {
    match OBJECTS.get(py) {
        Some(objects) => Ok(objects[usize::from(index(dtype))].clone_ref(py)),
        None => Ok(py
            .import("numpy")?
            .call_method1("dtype", (numpy_name(dtype),))?
            .unbind()),
    }
}

/// Returns the element type of a NumPy dtype object; `None` if Weft has none for it.
pub(crate) fn from_numpy(object: &Bound<'_, PyAny>) -> PyResult<Option<DType>> {
    let py = object.py();
    if let Some(objects) = OBJECTS.get(py)
        && let Some(at) = objects.iter().position(|known| known.is(object))
    {
        return Ok(Some(DType::ALL[at]));
    }
    let name: String = object.getattr("name")?.extract()?;
    let is_native: bool = object.getattr("isnative")?.extract()?;
    let found = DType::ALL
        .into_iter()
        .find(|dtype| is_native && numpy_name(*dtype) == name);
    // `longlong` has the name of `long`; a structure has none of these.
    Ok(found)
}

/// A dtype as an argument: a NumPy dtype object that Weft has an element type for.
#[derive(Clone, Copy)]
pub(crate) struct Given(pub(crate) DType);

impl<'py> FromPyObject<'_, 'py> for Given {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Given> {
        match from_numpy(&object)? {
            Some(dtype) => Ok(Given(dtype)),
            None => Err(pyo3::exceptions::PyTypeError::new_err(format!(
                "Weft's arrays cannot hold elements of {}",
                object.str()?
            ))),
        }
    }
}
