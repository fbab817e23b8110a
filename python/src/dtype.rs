//! NumPy's dtype objects and Weft's element types.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyTuple, PyType};
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

/// Returns the element type that a class of Python or NumPy, or a usual name, denotes; `None` for
/// others, which NumPy converts.
pub(crate) fn from_class_or_name(object: &Bound<'_, PyAny>) -> PyResult<Option<DType>> {
    static CLASSES: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();
    let py = object.py();
    if let Ok(name) = object.cast_exact::<PyString>() {
        return Ok(from_name(name.to_str()?));
    }
    if object.cast::<PyType>().is_err() {
        let objects = OBJECTS.get(py).map_or(&[][..], Vec::as_slice);
        let found = objects.iter().position(|one| object.is(one));
        return Ok(found.map(|at| DType::ALL[at]));
    }
    if object.is(py.get_type::<PyFloat>()) {
        return Ok(Some(DType::F64));
    }
    if object.is(py.get_type::<PyInt>()) {
        return Ok(Some(DType::I64));
    }
    if object.is(py.get_type::<PyBool>()) {
        return Ok(Some(DType::Bool));
    }
    let classes = CLASSES.get_or_try_init(py, || {
        let class = |dtype: &DType| to_numpy(py, *dtype)?.getattr(py, "type");
        DType::ALL.iter().map(class).collect::<PyResult<Vec<_>>>()
    })?;
    let found = classes.iter().position(|class| object.is(class));
    Ok(found.map(|at| DType::ALL[at]))
}

/// Returns the element type of a usual name, such as `float32` or `f4`.
fn from_name(name: &str) -> Option<DType> {
    let code = |dtype: DType| match dtype {
        DType::Bool => "?",
        DType::I8 => "i1",
        DType::I16 => "i2",
        DType::I32 => "i4",
        DType::I64 => "i8",
        DType::U8 => "u1",
        DType::U16 => "u2",
        DType::U32 => "u4",
        DType::U64 => "u8",
        DType::F16 => "f2",
        DType::F32 => "f4",
        DType::F64 => "f8",
        DType::C64 => "c8",
        DType::C128 => "c16",
    };
    let named = |dtype: &DType| code(*dtype) == name || numpy_name(*dtype) == name;
    match name {
        "float" => Some(DType::F64),
        "int" => Some(DType::I64),
        _ => DType::ALL.into_iter().find(named),
    }
}

/// A dtype as an argument: a NumPy dtype object that Weft has an element type for.
#[derive(Clone, Copy)]
pub(crate) struct DTypeArgument(pub(crate) DType);

impl<'py> FromPyObject<'_, 'py> for DTypeArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<DTypeArgument> {
        match from_numpy(&object)? {
            Some(dtype) => Ok(DTypeArgument(dtype)),
            None => Err(pyo3::exceptions::PyTypeError::new_err(format!(
                "Weft's arrays cannot hold elements of {}",
                object.str()?
            ))),
        }
    }
}
