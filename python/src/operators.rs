//! Python's operators on arrays.

#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "what pyo3 makes of methods that a macro declares"
)]

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType,
};
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::kernel::{BinaryOp, UnaryOp};

use crate::array::Array;
use crate::error::Raise;
use crate::kind::{self, NdArray, ResultArray};
use crate::operand::{Operand, numpy_ndarray};
use crate::{frame, hooks, known, linear, masked, run, ufunc};

/// Computes `left op right` for an array and another object; `NotImplemented` if the object's own
/// operator takes precedence.
fn binary(
    op: BinaryOp,
    slf: &Bound<'_, Array>,
    other: &Bound<'_, PyAny>,
    swapped: bool,
) -> PyResult<Py<PyAny>> {
    let py = slf.py();
    let is_number = slf.get().is_number();
    if is_number && op == BinaryOp::Mul && is_sequence(other) {
        return beside_number(op, slf, other, swapped);
    }
    let Some(other) = (match Operand::convert_other(other) {
        Err(_) if is_number => return beside_number(op, slf, other, swapped),
        Ok(None) if is_number => return beside_number(op, slf, other, swapped),
        found => found?,
    }) else {
        if hooks::is_deferred_to(other)? {
            let is_numpys = other.is_instance(numpy_ndarray(py)?)?;
            // A matrix of NumPy has left `other op slf` to this array. It computes with NumPy's.
            if swapped && is_numpys {
                let own = slf.call_method0(intern!(py, "__array__"))?;
                return Ok(known::compute(op, other, &own)?.unbind());
            }
            // A matrix computes no power in which it is the exponent.
            if !is_numpys || op != BinaryOp::Pow {
                return Ok(py.NotImplemented());
            }
        }
        let ufunc = py.import("weft.numpy")?.getattr(op.name())?;
        let own = slf.as_any();
        let args = if swapped { [other, own] } else { [own, other] };
        return hooks::call(&ufunc, &PyTuple::new(py, args)?, None);
    };
    let own = Operand::array(slf.get())?;
    let _entered = frame::enter(py);
    let (left, right) = if swapped { (other, own) } else { (own, other) };
    ufunc::binary(py, op, left, right)
}

/// Returns whether a power is computed by NumPy's `square`, which returns `int8` for booleans,
/// unlike `power`.
fn is_squared(slf: &Bound<'_, Array>, exponent: &Bound<'_, PyAny>) -> bool {
    slf.get().element_type() == DType::Bool
        && !slf.get().is_number()
        && exponent.is_exact_instance_of::<PyInt>()
        && exponent
            .extract::<i64>()
            .is_ok_and(|exponent| exponent == 2)
}

/// The function that NumPy's operator `**` computes for Python's numbers 0.5, 1 and -1 as exponents
/// of floats and complex numbers, instead of a power.
fn root_or_reciprocal(slf: &Bound<'_, Array>, exponent: &Bound<'_, PyAny>) -> Option<UnaryOp> {
    let dtype = slf.get().element_type();
    if slf.get().is_number() || !(dtype.is_float() || dtype.is_complex()) {
        return None;
    }
    let is_number =
        exponent.is_exact_instance_of::<PyFloat>() || exponent.is_exact_instance_of::<PyInt>();
    match exponent.extract::<f64>() {
        Ok(0.5) if is_number => Some(UnaryOp::Sqrt),
        Ok(1.0) if is_number => Some(UnaryOp::Positive),
        Ok(-1.0) if is_number => Some(UnaryOp::Reciprocal),
        _ => None,
    }
}

/// Returns whether an object is a sequence, which integers repeat.
fn is_sequence(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyList>()
        || object.is_instance_of::<PyTuple>()
        || object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
}

/// Computes `left op right` for a number and an object that only NumPy's scalars can compute with.
fn beside_number(
    op: BinaryOp,
    slf: &Bound<'_, Array>,
    other: &Bound<'_, PyAny>,
    swapped: bool,
) -> PyResult<Py<PyAny>> {
    let number = kind::known_number(slf)?;
    let number = number.bind(slf.py());
    let (left, right) = if swapped {
        (other, number)
    } else {
        (number, other)
    };
    Ok(known::compute(op, left, right)?.unbind())
}

fn unary(op: UnaryOp, slf: &Bound<'_, Array>) -> PyResult<Py<PyAny>> {
    let py = slf.py();
    let _entered = frame::enter(py);
    ufunc::unary(py, op, Operand::array(slf.get())?)
}

/// The right operand of an in-place operator. Objects with universal functions of their own and
/// without elements are rejected. Python then tries the operator that is not in place, and assigns
/// its result.
struct Right<'py>(Bound<'py, PyAny>);

impl<'py> FromPyObject<'_, 'py> for Right<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Right<'py>> {
        let is_usual = object.is_instance_of::<Array>()
            || object.is_instance_of::<PyFloat>()
            || object.is_instance_of::<PyInt>();
        let py = object.py();
        if !is_usual {
            let class = object.get_type();
            let has = |name| class.hasattr(name);
            if has(intern!(py, "__array_ufunc__"))? && !has(intern!(py, "__array__"))? {
                return Err(PyTypeError::new_err("no operand in place"));
            }
        }
        Ok(Right(object.to_owned()))
    }
}

/// Calls a universal function in Python, which writes its result to `out`.
fn write_in_python(name: &str, out: &Bound<'_, Array>, args: &[&Bound<'_, PyAny>]) -> PyResult<()> {
    let py = out.py();
    let ufunc = py.import("weft.numpy")?.getattr(name)?;
    let kwargs = PyDict::new(py);
    kwargs.set_item("out", out)?;
    hooks::call(&ufunc, &PyTuple::new(py, args)?, Some(&kwargs)).map(drop)
}

fn in_place(op: BinaryOp, slf: &Bound<'_, Array>, other: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = slf.py();
    if masked::change(op, slf, other)? {
        return Ok(());
    }
    Array::written(slf, |slf| {
        let own = Operand::array(slf.get())?;
        let Some(other) = Operand::try_convert(other)? else {
            return write_in_python(op.name(), slf, &[slf.as_any(), other]);
        };
        let _entered = frame::enter(py);
        ufunc::binary_into(py, op, own, other, slf.get())
    })
}

/// Writes a function of each element of an array in its place.
fn unary_in_place(op: UnaryOp, slf: &Bound<'_, Array>) -> PyResult<()> {
    if ufunc::is_checked() {
        return write_in_python(op.name(), slf, &[slf.as_any()]);
    }
    Array::written(slf, |slf| {
        let inner = slf.get().inner()?;
        let _entered = frame::enter(slf.py());
        inner.assign(&inner.unary(op).raise()?).raise()
    })
}

/// Computes `left @ right`, one of which is an array.
fn product(slf: &Bound<'_, Array>, other: &Bound<'_, PyAny>, swapped: bool) -> PyResult<Py<PyAny>> {
    let own = slf.as_any();
    let (left, right) = if swapped { (other, own) } else { (own, other) };
    match linear::product(left, right)? {
        Some(made) => Ok(made),
        None => hooks::matmul(own, other, swapped),
    }
}

/// The methods of an operator: plain, with swapped operands, and in place.
macro_rules! operators {
    ($($plain:ident, $swapped:ident, $in_place:ident = $op:ident;)*) => {
        #[pymethods]
        impl NdArray {
            $(fn $in_place(slf: &Bound<'_, NdArray>, other: Right<'_>) -> PyResult<()> {
                in_place(BinaryOp::$op, slf.as_super(), &other.0)
            })*

            fn __ipow__(
                slf: &Bound<'_, NdArray>,
                other: Right<'_>,
                _modulo: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<()> {
                match root_or_reciprocal(slf.as_super(), &other.0) {
                    Some(op) => unary_in_place(op, slf.as_super()),
                    None => in_place(BinaryOp::Pow, slf.as_super(), &other.0),
                }
            }

            fn __len__(slf: &Bound<'_, NdArray>) -> PyResult<usize> {
                match slf.as_super().get().dims()?.first() {
                    Some(length) => Ok(*length),
                    None => Err(PyTypeError::new_err("len() of unsized object")),
                }
            }
        }

        #[pymethods]
        impl Array {
            $(fn $plain(slf: &Bound<'_, Array>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                binary(BinaryOp::$op, slf, other, false)
            }

            fn $swapped(slf: &Bound<'_, Array>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                binary(BinaryOp::$op, slf, other, true)
            })*

            fn __matmul__(slf: &Bound<'_, Array>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                product(slf, other, false)
            }

            fn __rmatmul__(slf: &Bound<'_, Array>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                product(slf, other, true)
            }

            fn __neg__(slf: &Bound<'_, Array>) -> PyResult<Py<PyAny>> {
                unary(UnaryOp::Neg, slf)
            }

            fn __pos__(slf: &Bound<'_, Array>) -> PyResult<Py<PyAny>> {
                unary(UnaryOp::Positive, slf)
            }

            fn __abs__(slf: &Bound<'_, Array>) -> PyResult<Py<PyAny>> {
                unary(UnaryOp::Abs, slf)
            }

            fn __invert__(slf: &Bound<'_, Array>) -> PyResult<Py<PyAny>> {
                unary(UnaryOp::BitNot, slf)
            }

            fn __pow__(
                slf: &Bound<'_, Array>,
                other: &Bound<'_, PyAny>,
                modulo: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<Py<PyAny>> {
                if slf.get().is_number() && modulo.is_some_and(|modulo| !modulo.is_none()) {
                    return Ok(slf.py().NotImplemented());
                }
                if let Some(op) = root_or_reciprocal(slf, other) {
                    return unary(op, slf);
                }
                if is_squared(slf, other) {
                    let square = slf.py().import("weft.numpy")?.getattr("square")?;
                    return hooks::call(&square, &PyTuple::new(slf.py(), [slf])?, None);
                }
                binary(BinaryOp::Pow, slf, other, false)
            }

            fn __rpow__(
                slf: &Bound<'_, Array>,
                other: &Bound<'_, PyAny>,
                _modulo: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<Py<PyAny>> {
                binary(BinaryOp::Pow, slf, other, true)
            }

            fn __richcmp__(
                slf: &Bound<'_, Array>,
                other: &Bound<'_, PyAny>,
                op: CompareOp,
            ) -> PyResult<Py<PyAny>> {
                let op = match op {
                    CompareOp::Lt => BinaryOp::Less,
                    CompareOp::Le => BinaryOp::LessEqual,
                    CompareOp::Eq => BinaryOp::Equal,
                    CompareOp::Ne => BinaryOp::NotEqual,
                    CompareOp::Gt => BinaryOp::Greater,
                    CompareOp::Ge => BinaryOp::GreaterEqual,
                };
                let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
                if is_equality && other.is_none() && slf.get().is_number() {
                    // As of NumPy's scalars, one object is not the other to Python.
                    let differs = PyBool::new(slf.py(), op == BinaryOp::NotEqual);
                    return Ok(differs.to_owned().into_any().unbind());
                }
                if is_equality && is_no_number(other) {
                    return all_differ(slf, op == BinaryOp::Equal);
                }
                match binary(op, slf, other, false) {
                    Err(error) if is_equality && has_no_loop(slf.py(), &error)? => {
                        all_differ(slf, op == BinaryOp::Equal)
                    }
                    made => made,
                }
            }
        }
    };
}

operators! {
    __add__, __radd__, __iadd__ = Add;
    __sub__, __rsub__, __isub__ = Sub;
    __mul__, __rmul__, __imul__ = Mul;
    __truediv__, __rtruediv__, __itruediv__ = Div;
    __floordiv__, __rfloordiv__, __ifloordiv__ = FloorDiv;
    __mod__, __rmod__, __imod__ = Rem;
    __and__, __rand__, __iand__ = BitAnd;
    __or__, __ror__, __ior__ = BitOr;
    __xor__, __rxor__, __ixor__ = BitXor;
    __lshift__, __rlshift__, __ilshift__ = ShiftLeft;
    __rshift__, __rrshift__, __irshift__ = ShiftRight;
}

/// Returns whether an error means that a universal function is not defined for its operands, such
/// as numbers and strings.
fn has_no_loop(py: Python<'_>, error: &PyErr) -> PyResult<bool> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.import(py, "numpy._core._exceptions", "_UFuncNoLoopError")?;
    Ok(error.is_instance(py, class))
}

/// Returns whether no element can equal an object: `None` or a string.
fn is_no_number(object: &Bound<'_, PyAny>) -> bool {
    object.is_none() || object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>()
}

/// Computes `array == other` or `array != other` for an object that no element equals.
fn all_differ(slf: &Bound<'_, Array>, is_equal: bool) -> PyResult<Py<PyAny>> {
    let py = slf.py();
    let value = Scalar::Bool(!is_equal);
    let inner = slf.get().inner()?;
    if inner.ndim() == 0 {
        return kind::wrap_value(py, value, false);
    }
    let _entered = frame::enter(py);
    let made = DynArray::full(&run::current()?, inner.shape(), value).raise()?;
    Ok(ResultArray::own(made).bind(py)?.unbind())
}
