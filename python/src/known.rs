//! Numbers with known values: objects of classes derived from those of NumPy's scalars, so that
//! they are NumPy's numbers to Python and to libraries in C. Their operators compute with arrays of
//! Weft directly; NumPy's would first determine the kind of the other object.

#![allow(
    unsafe_code,
    reason = "classes with NumPy's as their bases are only in the C interface"
)]

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::OnceLock;

use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyImportError, PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use weft::dtype::{DType, Scalar, ScalarBits};
use weft::kernel::{BinaryOp, UnaryOp};

use crate::array::Array;
use crate::operand::Operand;
use crate::{dtype, frame, ufunc};

/// The offset of the value in NumPy's scalars: directly after the header of every object.
const VALUE: usize = size_of::<ffi::PyObject>();

const COUNT: usize = DType::ALL.len();

/// The addresses of classes, in the order of [`DType::ALL`], and of NumPy's two booleans. All are
/// kept forever.
struct Classes {
    /// 0 for booleans, because NumPy's class of booleans cannot be derived from.
    own: [usize; COUNT],
    numpys: [usize; COUNT],
    booleans: [usize; 2],
}

static CLASSES: OnceLock<Classes> = OnceLock::new();

const F64: usize = DType::F64 as usize;

/// Creates the classes, when the package is imported.
///
/// # Errors
/// Returns an error if the installed NumPy keeps values of scalars elsewhere.
pub(crate) fn register(py: Python<'_>, dtypes: &Bound<'_, PyTuple>) -> PyResult<()> {
    let mut classes = Classes {
        own: [0; COUNT],
        numpys: [0; COUNT],
        booleans: [0; 2],
    };
    let numpy = py.import("numpy")?;
    for (at, name) in ["False_", "True_"].into_iter().enumerate() {
        classes.booleans[at] = numpy.getattr(name)?.into_ptr().expose_provenance();
    }
    for (at, dtype) in dtypes.iter().enumerate() {
        let base = dtype.getattr("type")?.cast_into::<PyType>()?;
        if DType::ALL[at] != DType::Bool {
            let own = derived(&base, DType::ALL[at])?;
            classes.own[at] = own.into_ptr().expose_provenance();
        }
        classes.numpys[at] = base.into_ptr().expose_provenance();
    }
    // Another thread may have registered them first.
    let classes = CLASSES.get_or_init(|| classes);
    for dtype in DType::ALL {
        let value = Scalar::F64(1.0).cast(dtype);
        let made = classes.object(py, value)?;
        let expected = to_class(py, classes.numpys[dtype as usize]).call1((1,))?;
        if !made.bind(py).eq(&expected)? || convert(made.bind(py)) != Some(value) {
            return Err(PyImportError::new_err(format!(
                "this version of NumPy keeps values of {} where Weft does not find them",
                dtype::numpy_name(dtype)
            )));
        }
    }
    Ok(())
}

/// The class that derives from NumPy's scalar class of a dtype.
fn derived<'py>(base: &Bound<'py, PyType>, dtype: DType) -> PyResult<Bound<'py, PyAny>> {
    let py = base.py();
    let size: usize = base.getattr("__basicsize__")?.extract()?;
    if size < VALUE + dtype.size() {
        return Err(PyImportError::new_err(format!(
            "scalars of this version of NumPy are too small for {}",
            dtype::numpy_name(dtype)
        )));
    }
    let mut slots = slots();
    let mut spec = ffi::PyType_Spec {
        name: class_name(dtype).as_ptr(),
        basicsize: size as c_int,
        itemsize: 0,
        flags: ffi::Py_TPFLAGS_DEFAULT as c_uint,
        slots: slots.as_mut_ptr(),
    };
    let bases = PyTuple::new(py, [base])?;
    // SAFETY: attached; the slots end with an empty one, and their functions have the types that
    // CPython expects. It copies them.
    unsafe {
        let made = ffi::PyType_FromSpecWithBases(&raw mut spec, bases.as_ptr());
        Bound::from_owned_ptr_or_err(py, made)
    }
}

/// The names of the classes are NumPy's.
fn class_name(dtype: DType) -> &'static CStr {
    match dtype {
        DType::Bool => c"numpy.bool",
        DType::I8 => c"numpy.int8",
        DType::I16 => c"numpy.int16",
        DType::I32 => c"numpy.int32",
        DType::I64 => c"numpy.int64",
        DType::U8 => c"numpy.uint8",
        DType::U16 => c"numpy.uint16",
        DType::U32 => c"numpy.uint32",
        DType::U64 => c"numpy.uint64",
        DType::F16 => c"numpy.float16",
        DType::F32 => c"numpy.float32",
        DType::F64 => c"numpy.float64",
        DType::C64 => c"numpy.complex64",
        DType::C128 => c"numpy.complex128",
    }
}

/// A class that is kept forever.
fn to_class(py: Python<'_>, address: usize) -> Bound<'_, PyAny> {
    // SAFETY: the address of an object to which a reference is kept; `register` exposed the pointer
    // that CPython gave.
    unsafe { Bound::from_borrowed_ptr(py, ptr::with_exposed_provenance_mut(address)) }
}

impl Classes {
    fn object(&self, py: Python<'_>, value: Scalar) -> PyResult<Py<PyAny>> {
        if let Scalar::Bool(value) = value {
            return Ok(to_class(py, self.booleans[usize::from(value)]).unbind());
        }
        let dtype = value.dtype();
        let class = ptr::with_exposed_provenance_mut(self.own[dtype as usize]);
        let bits = ScalarBits::from_scalar(&value);
        // SAFETY: attached. The class was created above. Its objects have room for the value where
        // NumPy expects it, which was checked when the class was created. No other code has the
        // object yet.
        unsafe {
            let made = ffi::PyType_GenericAlloc(class, 0);
            if made.is_null() {
                return Err(PyErr::fetch(py));
            }
            let to = made.cast::<u8>().add(VALUE);
            ptr::copy_nonoverlapping(bits.bytes.as_ptr(), to, dtype.size());
            Ok(Bound::from_owned_ptr(py, made).unbind())
        }
    }
}

/// The object of a value.
#[inline]
pub(crate) fn object(py: Python<'_>, value: Scalar) -> PyResult<Py<PyAny>> {
    match CLASSES.get() {
        Some(classes) => classes.object(py, value),
        None => Err(unregistered()),
    }
}

/// The value of an object of one of these classes, and of NumPy's booleans.
#[inline]
pub(crate) fn convert(object: &Bound<'_, PyAny>) -> Option<Scalar> {
    let classes = CLASSES.get()?;
    let class = object.get_type_ptr().addr();
    if class == classes.numpys[DType::Bool as usize] {
        return Some(Scalar::Bool(object.as_ptr().addr() == classes.booleans[1]));
    }
    let at = match class == classes.own[F64] {
        true => F64,
        false => classes.own.iter().position(|own| *own == class)?,
    };
    let dtype = DType::ALL[at];
    let mut bits = ScalarBits::default();
    // SAFETY: an object of one of the classes made above, whose value has that number of bytes
    // there and never changes.
    unsafe {
        let from = object.as_ptr().cast::<u8>().add(VALUE);
        ptr::copy_nonoverlapping(from, bits.bytes.as_mut_ptr(), dtype.size());
    }
    Some(bits.scalar(dtype))
}

/// Converts an object to NumPy's own object of the same value; other objects are unchanged.
fn plain<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let class = object.get_type_ptr().addr();
    let found = CLASSES.get().and_then(|classes| {
        let at = classes.own.iter().position(|own| *own == class)?;
        Some(classes.numpys[at])
    });
    match found {
        Some(numpys) => to_class(object.py(), numpys).call1((object,)),
        None => Ok(object.clone()),
    }
}

/// NumPy's own class of the scalars of a dtype.
pub(crate) fn numpys_class(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    match CLASSES.get() {
        Some(classes) => Ok(to_class(py, classes.numpys[dtype as usize])),
        None => Err(unregistered()),
    }
}

fn unregistered() -> PyErr {
    PyRuntimeError::new_err("weft._core is used without the package weft")
}

/// The classes, in the order of the dtypes that Weft has, booleans left out.
#[pyfunction]
pub(crate) fn known_classes(py: Python<'_>) -> Vec<Bound<'_, PyAny>> {
    let own = CLASSES.get().map(|classes| classes.own.as_slice());
    let own = own.unwrap_or_default().iter().filter(|own| **own != 0);
    own.map(|own| to_class(py, *own)).collect()
}

/// Runs the body of a slot.
fn guarded(run: impl FnOnce(Python<'_>) -> PyResult<Bound<'_, PyAny>>) -> *mut ffi::PyObject {
    Python::attach(|py| {
        let made = catch_unwind(AssertUnwindSafe(|| run(py)));
        let made = made.unwrap_or_else(|_| Err(PyRuntimeError::new_err("an operator panicked")));
        match made {
            Ok(made) => made.into_ptr(),
            Err(error) => {
                error.restore(py);
                ptr::null_mut()
            }
        }
    })
}

/// # Safety
/// `object` is a live object that CPython passes to a slot.
unsafe fn borrowed<'py>(py: Python<'py>, object: *mut ffi::PyObject) -> Bound<'py, PyAny> {
    // SAFETY: as the caller says.
    unsafe { Bound::from_borrowed_ptr(py, object) }
}

/// The operand, if it is a number or an array that Weft computes with. NumPy reports errors.
fn operand<'a>(object: &'a Bound<'_, PyAny>) -> Option<Operand<'a>> {
    Operand::convert_common(object).ok().flatten()
}

fn binary<'py>(
    op: BinaryOp,
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = left.py();
    if let (Some(left), Some(right)) = (operand(left), operand(right)) {
        if let Some(made) = ufunc::binary_of_values(py, op, &left, &right)? {
            return Ok(made.into_bound(py));
        }
        let _entered = frame::enter(py);
        return Ok(ufunc::binary(py, op, left, right)?.into_bound(py));
    }
    compute(op, &plain(left)?, &plain(right)?)
}

/// Computes `left op right` by Python's protocol.
pub(crate) fn compute<'py>(
    op: BinaryOp,
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    match op {
        BinaryOp::Add => left.add(right),
        BinaryOp::Sub => left.sub(right),
        BinaryOp::Mul => left.mul(right),
        BinaryOp::Div => left.div(right),
        BinaryOp::FloorDiv => left.floor_div(right),
        BinaryOp::Rem => left.rem(right),
        BinaryOp::Pow => left.pow(right, left.py().None()),
        BinaryOp::BitAnd => left.bitand(right),
        BinaryOp::BitOr => left.bitor(right),
        BinaryOp::BitXor => left.bitxor(right),
        BinaryOp::ShiftLeft => left.lshift(right),
        BinaryOp::ShiftRight => left.rshift(right),
        BinaryOp::Less => left.rich_compare(right, CompareOp::Lt),
        BinaryOp::LessEqual => left.rich_compare(right, CompareOp::Le),
        BinaryOp::Equal => left.rich_compare(right, CompareOp::Eq),
        BinaryOp::NotEqual => left.rich_compare(right, CompareOp::Ne),
        BinaryOp::Greater => left.rich_compare(right, CompareOp::Gt),
        BinaryOp::GreaterEqual => left.rich_compare(right, CompareOp::Ge),
        other => Err(PyTypeError::new_err(format!(
            "Python has no operator for {}",
            other.name()
        ))),
    }
}

fn unary<'py>(op: UnaryOp, of: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = of.py();
    let Some(operand) = operand(of) else {
        return Err(PyTypeError::new_err("the operand is not a number"));
    };
    let _entered = frame::enter(py);
    Ok(ufunc::unary(py, op, operand)?.into_bound(py))
}

macro_rules! slots {
    ({$($binary:ident $slot:ident = $op:ident;)*} {$($unary:ident $place:ident = $of:ident;)*}) => {
        $(unsafe extern "C" fn $binary(left: *mut ffi::PyObject, right: *mut ffi::PyObject) -> *mut ffi::PyObject {
            // SAFETY: CPython's operands.
            guarded(|py| unsafe { binary(BinaryOp::$op, &borrowed(py, left), &borrowed(py, right)) })
        })*

        $(unsafe extern "C" fn $unary(of: *mut ffi::PyObject) -> *mut ffi::PyObject {
            // SAFETY: CPython's operand.
            guarded(|py| unsafe { unary(UnaryOp::$of, &borrowed(py, of)) })
        })*

        /// The slots that the classes do not inherit.
        fn slots() -> Vec<ffi::PyType_Slot> {
            let slot = |slot: c_int, pfunc: *mut c_void| ffi::PyType_Slot { slot, pfunc };
            vec![
                $(slot(ffi::$slot, $binary as *mut c_void),)*
                $(slot(ffi::$place, $unary as *mut c_void),)*
                slot(ffi::Py_nb_power, power as *mut c_void),
                slot(ffi::Py_tp_richcompare, richcompare as *mut c_void),
                slot(ffi::Py_tp_hash, hash as *mut c_void),
                slot(ffi::Py_tp_repr, repr as *mut c_void),
                slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
                slot(0, ptr::null_mut()),
            ]
        }
    };
}

slots! {
    {
    add Py_nb_add = Add;
    subtract Py_nb_subtract = Sub;
    multiply Py_nb_multiply = Mul;
    true_divide Py_nb_true_divide = Div;
    floor_divide Py_nb_floor_divide = FloorDiv;
    remainder Py_nb_remainder = Rem;
    bit_and Py_nb_and = BitAnd;
    bit_or Py_nb_or = BitOr;
    bit_xor Py_nb_xor = BitXor;
    left_shift Py_nb_lshift = ShiftLeft;
    right_shift Py_nb_rshift = ShiftRight;
    }
    {
    negative Py_nb_negative = Neg;
    positive Py_nb_positive = Positive;
    absolute Py_nb_absolute = Abs;
    invert Py_nb_invert = BitNot;
    }
}

unsafe extern "C" fn power(
    left: *mut ffi::PyObject,
    right: *mut ffi::PyObject,
    modulo: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(|py| {
        // SAFETY: CPython's operands.
        let [left, right, modulo] =
            [left, right, modulo].map(|object| unsafe { borrowed(py, object) });
        match modulo.is_none() {
            true => binary(BinaryOp::Pow, &left, &right),
            false => plain(&left)?.pow(plain(&right)?, plain(&modulo)?),
        }
    })
}

unsafe extern "C" fn richcompare(
    left: *mut ffi::PyObject,
    right: *mut ffi::PyObject,
    op: c_int,
) -> *mut ffi::PyObject {
    guarded(|py| {
        // SAFETY: CPython's operands.
        let [left, right] = [left, right].map(|object| unsafe { borrowed(py, object) });
        let op =
            CompareOp::from_raw(op).ok_or_else(|| PyTypeError::new_err("an unknown comparison"))?;
        // Numbers are compared by NumPy; an array takes the comparison the other way round.
        match right.cast::<Array>() {
            Ok(array) => array.rich_compare(&left, mirrored(op)),
            Err(_) => plain(&left)?.rich_compare(plain(&right)?, op),
        }
    })
}

fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        same => same,
    }
}

unsafe extern "C" fn hash(object: *mut ffi::PyObject) -> ffi::Py_hash_t {
    Python::attach(|py| {
        let hash = || {
            // SAFETY: CPython's object.
            let object = unsafe { borrowed(py, object) };
            plain(&object).and_then(|plain| plain.hash())
        };
        let made = catch_unwind(AssertUnwindSafe(hash));
        let made = made.unwrap_or_else(|_| Err(PyRuntimeError::new_err("`hash` panicked")));
        made.unwrap_or_else(|error| {
            error.restore(py);
            -1
        })
    })
}

unsafe extern "C" fn repr(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: CPython's object.
    guarded(|py| unsafe { Ok(plain(&borrowed(py, object))?.repr()?.into_any()) })
}

unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: the last reference, of an object that `PyType_GenericAlloc` made, which holds one to
    // its class.
    unsafe {
        let class = ffi::Py_TYPE(object);
        ffi::PyObject_Free(object.cast());
        ffi::Py_DECREF(class.cast());
    }
}
