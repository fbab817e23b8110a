//! Conversion of the package's description of a task to its definition.

#![allow(unsafe_code, reason = "takes the address of a function")]

use std::ffi::c_void;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use weft::task::{Builder, DefinitionError, Foreign, ForeignFunction, Names};

use super::body::Takes;

pub(super) fn wrong(error: DefinitionError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn texts(of: &[String]) -> Vec<&str> {
    of.iter().map(String::as_str).collect()
}

/// Adds a constraint: its kind, followed by its operands.
pub(super) fn constrained(builder: Builder, constraint: &Bound<'_, PyTuple>) -> PyResult<Builder> {
    let kind: String = constraint.get_item(0)?.extract()?;
    Ok(match kind.as_str() {
        "align" => {
            let (_, names): (String, Vec<String>) = constraint.extract()?;
            builder.align(&texts(&names))
        }
        "broadcast" => {
            let (_, name, axes): (String, String, Vec<usize>) = constraint.extract()?;
            builder.broadcast_axes(&name, &axes)
        }
        "halo" => {
            let (_, name, low, high): (String, String, Vec<u32>, Vec<u32>) =
                constraint.extract()?;
            builder.halo(&name, &low, &high)
        }
        "scale" => {
            let (_, factors, small, large): (String, Vec<u32>, String, String) =
                constraint.extract()?;
            builder.scale(&factors, &small, &large)
        }
        "image" => {
            let (_, through, of, names, exact): (String, String, String, String, bool) =
                constraint.extract()?;
            let names = match names.as_str() {
                "ranges" => Names::Ranges,
                "offsets" => Names::Offsets,
                "coordinates" => Names::Coordinates,
                other => {
                    return Err(PyValueError::new_err(format!(
                        "image: names are ranges, offsets or coordinates, not {other:?}"
                    )));
                }
            };
            match exact {
                true => builder.exact_image(&through, &of, names),
                false => builder.image(&through, &of, names),
            }
        }
        "project" => {
            let (_, name, text): (String, String, String) = constraint.extract()?;
            builder.project_text(&name, &text)
        }
        other => return Err(PyTypeError::new_err(format!("{other}: no constraint"))),
    })
}

/// Parses the arguments of a Python function.
pub(super) fn takes(of: &[(String, usize)]) -> PyResult<Vec<Takes>> {
    let each = of.iter().map(|(what, at)| match what.as_str() {
        "given" => Ok(Takes::Given(*at)),
        "numpy" => Ok(Takes::NumPy(*at)),
        "context" => Ok(Takes::Context),
        "communicator" => Ok(Takes::Communicator),
        other => Err(PyTypeError::new_err(format!(
            "{other}: no argument of a body"
        ))),
    });
    each.collect()
}

/// Creates the body from a C function at an address, which is called with `user` and kept by
/// `owner`.
pub(super) fn foreign((address, user, owner): (usize, usize, Py<PyAny>)) -> PyResult<Foreign> {
    if address == 0 {
        return Err(PyValueError::new_err("the address of a body must not be 0"));
    }
    let address = std::ptr::with_exposed_provenance::<c_void>(address);
    // SAFETY: not null, and as large as the address of a function. By passing an address the
    // program promises a body of this type, as with `ctypes`.
    let function = unsafe { std::mem::transmute::<*const c_void, ForeignFunction>(address) };
    let user = std::ptr::with_exposed_provenance_mut::<c_void>(user);
    // SAFETY: as above; the owner keeps the function.
    let body = unsafe { Foreign::new(function, user) };
    // If a worker drops it, the reference is released later on a Python thread.
    Ok(body.with_owner(Box::new(owner)))
}
