//! Universal functions: dtypes as NumPy resolves them, and the class `ufunc`.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyComplex, PyDict, PyFloat, PyInt, PyTuple};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::kernel::{BinaryOp, UnaryOp, binary_of_one, unary_of_one};
use weft::program::{Value, ValueRef};

use crate::array::Array;
use crate::error::Raise;
use crate::kind::{self, NdArray, ResultArray, Source};
use crate::operand::{Code, Operand, OperandValue, WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT};
use crate::{dtype, frame, hooks, linear, pending, plain, run, whole};

mod op;
mod plans;
mod twin;

use op::{Kernel, Op};
use twin::Twin;

/// The dtypes of a call of a universal function.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    /// The dtype of each input, which may differ.
    inputs: [DType; 2],
    output: DType,
    /// Whether Weft has code for these dtypes.
    is_native: bool,
}

/// Returns Weft's function for a universal function of NumPy, found by its address.
fn by_address(py: Python<'_>, ufunc: &Bound<'_, PyAny>) -> PyResult<Option<Op>> {
    static KNOWN: PyOnceLock<FxHashMap<usize, (Op, Py<PyAny>)>> = PyOnceLock::new();
    let known = KNOWN.get_or_try_init(py, || {
        let mut known = FxHashMap::default();
        for op in Op::names().filter_map(Op::named) {
            let theirs = numpy(py, op.name())?;
            known.insert(theirs.as_ptr().addr(), (op, theirs.unbind()));
        }
        PyResult::Ok(known)
    })?;
    Ok(known.get(&ufunc.as_ptr().addr()).map(|(op, _)| *op))
}

/// NumPy's universal functions called with an array of Weft. Anything but a plain call is done in
/// Python.
#[pymethods]
impl Array {
    #[pyo3(signature = (ufunc, method, *inputs, **kwargs))]
    fn __array_ufunc__(
        slf: &Bound<'_, Array>,
        ufunc: &Bound<'_, PyAny>,
        method: &str,
        inputs: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let otherwise = || hooks::array_ufunc(slf.as_any(), ufunc, method, inputs, kwargs);
        if kwargs.is_some() || method != "__call__" {
            return otherwise();
        }
        let Some(op) = by_address(py, ufunc)?.filter(|op| op.inputs() == inputs.len()) else {
            return otherwise();
        };
        let first = inputs.get_item(0)?;
        let second = match op.kernel {
            Kernel::Unary(_) => None,
            Kernel::Binary(_) => Some(inputs.get_item(1)?),
        };
        let Some(left) = Operand::convert_common(&first)? else {
            return otherwise();
        };
        let right = match &second {
            None => None,
            Some(second) => match Operand::convert_common(second)? {
                None => return otherwise(),
                right => right,
            },
        };
        let codes = [left.code, right.as_ref().map_or(0, |right| right.code)];
        let _entered = frame::enter(py);
        match native(py, op, codes)? {
            Some(plan) => compute(py, op, plan, left, right),
            None => otherwise(),
        }
    }
}

/// Returns a function of the module `numpy`.
fn numpy<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let numpy = NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?;
    numpy.bind(py).getattr(name)
}

fn described<'py>(py: Python<'py>, code: Code) -> PyResult<Bound<'py, PyAny>> {
    Ok(match code {
        WEAK_INT => py.get_type::<PyInt>().into_any(),
        WEAK_FLOAT => py.get_type::<PyFloat>().into_any(),
        WEAK_COMPLEX => py.get_type::<PyComplex>().into_any(),
        known => dtype::to_numpy(py, DType::ALL[usize::from(known)])?.into_bound(py),
    })
}

/// Returns the dtypes that NumPy resolves for a function's inputs and outputs; `None` for each that
/// Weft lacks.
///
/// # Errors
/// Returns an error if NumPy has no such function for these inputs.
fn resolved(
    py: Python<'_>,
    name: &str,
    codes: &[Code],
    outputs: usize,
) -> PyResult<SmallVec<[Option<DType>; 4]>> {
    let mut given = Vec::with_capacity(codes.len() + outputs);
    for code in codes {
        given.push(described(py, *code)?);
    }
    given.resize(codes.len() + outputs, py.None().into_bound(py));
    let resolved = numpy(py, name)?.call_method1("resolve_dtypes", (PyTuple::new(py, given)?,))?;
    let dtypes = resolved.try_iter()?;
    dtypes.map(|one| dtype::from_numpy(&one?)).collect()
}

/// Returns the dtypes that NumPy resolves for these inputs; `None` if Weft lacks one of them.
///
/// # Errors
/// Returns an error if NumPy has no such function for these inputs.
fn plan(py: Python<'_>, op: Op, codes: [Code; 2]) -> PyResult<Option<Plan>> {
    if let Some(known) = plans::get(op, codes) {
        return Ok(known);
    }
    let found = resolved(py, op.name(), &codes[..op.inputs()], 1)?;
    let plan = match found.as_slice() {
        [Some(input), Some(output)] => Some(([*input, *input], *output)),
        [Some(left), Some(right), Some(output)] => Some(([*left, *right], *output)),
        _ => None,
    };
    let plan = plan.map(|(inputs, output)| Plan {
        inputs,
        output,
        is_native: op.is_native(inputs, output),
    });
    plans::set(op, codes, plan);
    Ok(plan)
}

/// Whether a thread reports floating-point errors. If so, all calls go through Python, which checks
/// whether its own thread does.
static IS_CHECKED: AtomicBool = AtomicBool::new(false);

/// Sets whether all calls go through Python.
#[pyfunction]
pub(crate) fn set_checked(is_checked: bool) {
    IS_CHECKED.store(is_checked, Ordering::Relaxed);
}

/// Returns whether all calls go through Python.
pub(crate) fn is_checked() -> bool {
    IS_CHECKED.load(Ordering::Relaxed)
}

/// Returns the plan of a call, if Weft computes it itself.
fn native(py: Python<'_>, op: Op, codes: [Code; 2]) -> PyResult<Option<Plan>> {
    if is_checked() {
        return Ok(None);
    }
    Ok(plan(py, op, codes)?.filter(|plan| plan.is_native))
}

fn array(value: Value) -> PyResult<DynArray> {
    match value {
        Value::Array(array) => Ok(array),
        Value::Scalar(scalar) => DynArray::full(&run::current()?, &[], scalar).raise(),
    }
}

/// Computes the result of single values; `None` if it requires arrays.
fn compute_values(
    op: Op,
    plan: Plan,
    left: &Operand<'_>,
    right: Option<&Operand<'_>>,
) -> Option<Scalar> {
    let value = |operand: &Operand<'_>, dtype: DType| match operand.value {
        OperandValue::Scalar(value) if !value.is_beyond(dtype) => Some(value.cast(dtype)),
        _ => None,
    };
    let left = value(left, plan.inputs[0])?;
    let made = match op.kernel {
        Kernel::Unary(op) => unary_of_one(op, left)?,
        Kernel::Binary(kernel) => {
            let right = value(right?, plan.inputs[1])?;
            let right = match op.has_exponents() {
                true => right.cast(plan.inputs[0]),
                false => right,
            };
            binary_of_one(kernel, left, right)?
        }
    };
    Some(made.cast(plan.output))
}

/// Returns the function that NumPy computes for powers of an array with one real exponent: the
/// square for 2, and for 0.5 the root if the results are floats of 32 or 64 bits.
fn simple_power(
    op: Op,
    plan: Plan,
    left: &Operand<'_>,
    exponent: Option<&Operand<'_>>,
) -> Option<UnaryOp> {
    let is_power = op.kernel == Kernel::Binary(BinaryOp::Pow) && op.alias.is_none();
    if !is_power || matches!(left.value, OperandValue::Scalar(_)) {
        return None;
    }
    let OperandValue::Scalar(exponent) = exponent?.value else {
        return None;
    };
    let has_root = matches!(plan.output, DType::F32 | DType::F64);
    let is_inexact = plan.output.is_float() || plan.output.is_complex();
    match exponent.cast(DType::F64) {
        _ if exponent.dtype().is_complex() => None,
        Scalar::F64(2.0) if is_inexact => Some(UnaryOp::Square),
        Scalar::F64(0.5) if has_root => Some(UnaryOp::Sqrt),
        _ => None,
    }
}

fn computed(
    op: Op,
    plan: Plan,
    left: Operand<'_>,
    right: Option<Operand<'_>>,
) -> PyResult<DynArray> {
    let out = match (op.kernel, right) {
        (Kernel::Unary(op), _) => array(left.cast(plan.inputs[0])?)?.unary(op).raise()?,
        (Kernel::Binary(op), Some(right)) => {
            let (left, right) = pair(op, plan, left, right)?;
            DynArray::binary(op, left, right).raise()?
        }
        (Kernel::Binary(_), None) => return Err(PyTypeError::new_err("an operand is missing")),
    };
    match out.dtype() == plan.output {
        true => Ok(out),
        false => out.cast(plan.output).raise(),
    }
}

fn compute(
    py: Python<'_>,
    op: Op,
    plan: Plan,
    left: Operand<'_>,
    right: Option<Operand<'_>>,
) -> PyResult<Py<PyAny>> {
    check_truth(op, &left, right.as_ref())?;
    let is_deferred = left.is_deferred || right.as_ref().is_some_and(|right| right.is_deferred);
    let (op, right) = match simple_power(op, plan, &left, right.as_ref()) {
        Some(op) => (Op::from(op), None),
        None => (op, right),
    };
    if let Some(value) = compute_values(op, plan, &left, right.as_ref()) {
        return kind::wrap_value(py, value, is_deferred);
    }
    match at_once(op, plan, &left, right.as_ref()) {
        Some(array) => kind::wrap_array(py, array, is_deferred),
        None => kind::wrap_array(py, computed(op, plan, left, right)?, is_deferred),
    }
}

/// Computes the result of numbers with known values; `None` if it is computed in another
/// way.
pub(crate) fn binary_of_values(
    py: Python<'_>,
    op: BinaryOp,
    left: &Operand<'_>,
    right: &Operand<'_>,
) -> PyResult<Option<Py<PyAny>>> {
    let (OperandValue::Scalar(_), OperandValue::Scalar(_)) = (&left.value, &right.value) else {
        return Ok(None);
    };
    let op = Op::from(op);
    let Some(plan) = native(py, op, [left.code, right.code])? else {
        return Ok(None);
    };
    let made = compute_values(op, plan, left, Some(right));
    let is_deferred = left.is_deferred || right.is_deferred;
    made.map(|value| kind::wrap_value(py, value, is_deferred))
        .transpose()
}

/// Computes the result of arrays with few elements, if that is possible without waiting.
fn at_once(
    op: Op,
    plan: Plan,
    left: &Operand<'_>,
    right: Option<&Operand<'_>>,
) -> Option<DynArray> {
    let left = left.as_dtype(plan.inputs[0])?;
    let made = match (op.kernel, left) {
        (Kernel::Unary(op), ValueRef::Array(array)) => array.unary_at_once(op),
        (Kernel::Unary(_), ValueRef::Scalar(_)) => None,
        (Kernel::Binary(kernel), left) => {
            let right = match (op.has_exponents(), right?.as_dtype(plan.inputs[1])?) {
                (true, ValueRef::Scalar(value)) => ValueRef::Scalar(value.cast(plan.inputs[0])),
                (true, ValueRef::Array(_)) => return None,
                (false, right) => right,
            };
            DynArray::binary_at_once(kernel, left, right)
        }
    };
    made.filter(|made| made.dtype() == plan.output)
}

/// # Errors
/// Returns an error if a function of truth values is called with a Python integer that NumPy cannot
/// convert to `int64` first.
fn check_truth(op: Op, left: &Operand<'_>, right: Option<&Operand<'_>>) -> PyResult<()> {
    let is_of_truth =
        matches!(op.kernel, Kernel::Binary(op) if op.is_predicate() && !op.is_comparison());
    let beyond = [Some(left), right]
        .into_iter()
        .flatten()
        .find(|operand| is_of_truth && operand.is_beyond_int64());
    beyond.map_or(Ok(()), |operand| operand.check_fits(DType::I64))
}

/// Converts both operands to the dtypes of the function; one of them is an array.
fn pair(
    op: BinaryOp,
    plan: Plan,
    left: Operand<'_>,
    right: Operand<'_>,
) -> PyResult<(Value, Value)> {
    // A comparison of integers is exact: a Python integer need not fit the array's dtype. In a
    // comparison with booleans it is an `int64`.
    let codes = [left.code, right.code];
    let has_bool = codes.contains(&dtype::index(DType::Bool));
    let is_exact = op.is_comparison()
        && !has_bool
        && plan.inputs[0].is_integer()
        && (plan.inputs[0] != plan.inputs[1] || codes.contains(&WEAK_INT));
    let (left, right) = match is_exact {
        true => (left.value.into_value(), right.value.into_value()),
        false => (left.cast(plan.inputs[0])?, right.cast(plan.inputs[1])?),
    };
    let right = match (op, right) {
        (BinaryOp::LdExp, Value::Array(array)) => Value::Array(array.cast(plan.inputs[0]).raise()?),
        (BinaryOp::LdExp, Value::Scalar(value)) => Value::Scalar(value.cast(plan.inputs[0])),
        (_, right) => right,
    };
    Ok(match (left, right) {
        (left @ Value::Scalar(_), right @ Value::Scalar(_)) => (Value::Array(array(left)?), right),
        pair => pair,
    })
}

/// Calls a function of NumPy that Weft lacks, or lacks for these dtypes.
fn elsewhere(py: Python<'_>, name: &str, operands: &[&Operand<'_>]) -> PyResult<Py<PyAny>> {
    let ufunc = py.import("weft.numpy")?.getattr(name)?;
    let mut args = Vec::new();
    for operand in operands {
        args.push(match &operand.value {
            OperandValue::Array(array) if operand.is_deferred => {
                kind::wrap_array(py, (*array).clone(), true)?
            }
            OperandValue::Array(array) => ResultArray::own((*array).clone()).bind(py)?.unbind(),
            OperandValue::Made(array) => ResultArray::own((**array).clone()).bind(py)?.unbind(),
            OperandValue::Scalar(value) if operand.code < WEAK_INT => {
                kind::wrap_value(py, *value, operand.is_deferred)?
            }
            OperandValue::Scalar(value) => crate::scalar::to_python(py, *value)?,
            OperandValue::Large(value) => value.object(py),
        });
    }
    hooks::call(&ufunc, &PyTuple::new(py, args)?, None)
}

pub(crate) fn unary(py: Python<'_>, op: UnaryOp, input: Operand<'_>) -> PyResult<Py<PyAny>> {
    let op = Op::from(op);
    match native(py, op, [input.code, 0])? {
        Some(plan) => compute(py, op, plan, input, None),
        None => elsewhere(py, op.name(), &[&input]),
    }
}

pub(crate) fn binary(
    py: Python<'_>,
    op: BinaryOp,
    left: Operand<'_>,
    right: Operand<'_>,
) -> PyResult<Py<PyAny>> {
    let op = Op::from(op);
    match native(py, op, [left.code, right.code])? {
        Some(plan) => compute(py, op, plan, left, Some(right)),
        None => elsewhere(py, op.name(), &[&left, &right]),
    }
}

/// `out op= right`.
pub(crate) fn binary_into(
    py: Python<'_>,
    op: BinaryOp,
    left: Operand<'_>,
    right: Operand<'_>,
    out: &Array,
) -> PyResult<()> {
    // A value of an array without axes is written at once.
    pending::settle()?;
    let plan = native(py, Op::from(op), [left.code, right.code])?;
    if let Some(plan) = plan
        && let Some(value) = compute_values(Op::from(op), plan, &left, Some(&right))
        && out.set_value(value)
    {
        return Ok(());
    }
    let out = out.inner()?;
    let Some(plan) = plan else {
        let _whole = whole::begin(py, &[out])?;
        let made = elsewhere(py, op.name(), &[&left, &right])?;
        let made = made.bind(py).extract::<Source<'_>>()?;
        check_cast(py, op.name(), made.get().inner()?.dtype(), out.dtype())?;
        return out.assign(made.get().inner()?).raise();
    };
    if let Err(error) = check_cast(py, op.name(), plan.output, out.dtype()) {
        left.check_fits(plan.inputs[0])?;
        right.check_fits(plan.inputs[1])?;
        return Err(error);
    }
    if plan.output == out.dtype() {
        if let Some(op) = simple_power(Op::from(op), plan, &left, Some(&right)) {
            let made = computed(Op::from(op), plan, left, None)?;
            return out.assign(&made).raise();
        }
        if let (Some(left), Some(right)) = (
            left.as_dtype(plan.inputs[0]),
            right.as_dtype(plan.inputs[1]),
        ) && out.set_binary_at_once(op, left, right)
        {
            return Ok(());
        }
        let (left, right) = pair(op, plan, left, right)?;
        return out.binary_into(op, left, right).raise();
    }
    let _whole = whole::begin(py, &[out])?;
    let made = computed(Op::from(op), plan, left, Some(right))?;
    hooks::check_parts(py, made.dtype(), out.dtype())?;
    out.assign(&made).raise()
}

/// # Errors
/// Returns an error if NumPy would not write one dtype into the other by its rule `same_kind`.
fn check_cast(py: Python<'_>, name: &str, from: DType, to: DType) -> PyResult<()> {
    let kind = |dtype: DType| match dtype {
        DType::Bool => 0,
        _ if dtype.is_unsigned_integer() => 1,
        _ if dtype.is_signed_integer() => 2,
        _ if dtype.is_float() => 3,
        _ => 4,
    };
    if kind(from) <= kind(to) {
        return Ok(());
    }
    let class = py
        .import("numpy")?
        .getattr("_core")?
        .getattr("_exceptions")?
        .getattr("_UFuncOutputCastingError")?;
    let error = class.call1((
        numpy(py, name)?,
        "same_kind",
        dtype::to_numpy(py, from)?,
        dtype::to_numpy(py, to)?,
        0,
    ))?;
    Err(PyErr::from_value(error))
}

/// A universal function, as in NumPy. Anything but a plain call is done in Python.
#[pyclass(frozen, name = "ufunc", module = "weft.numpy", dict, weakref)]
pub(crate) struct Ufunc {
    #[pyo3(get, name = "__name__")]
    name: String,
    #[pyo3(get)]
    nin: usize,
    #[pyo3(get)]
    nout: usize,
    op: Option<Op>,
    /// A plain call of a function of vectors and matrices.
    product: Option<Product>,
    twin: Option<Twin>,
}

/// A function of two objects; `None` if the call is not plain.
type Product = fn(&Bound<'_, PyAny>, &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>>;

/// The only keyword `out`, if it names an array.
fn output<'py>(kwargs: &Bound<'py, PyDict>) -> PyResult<Option<Bound<'py, NdArray>>> {
    if kwargs.len() != 1 {
        return Ok(None);
    }
    let out = kwargs.get_item(intern!(kwargs.py(), "out"))?;
    Ok(out.and_then(|out| out.cast_into_exact::<NdArray>().ok()))
}

/// Returns whether `out` has the shape and dtype of a result, may be written, and is not part of
/// another array.
fn fits(
    plan: Plan,
    left: &Operand<'_>,
    right: Option<&Operand<'_>>,
    out: &Array,
) -> PyResult<bool> {
    let inner = out.inner()?;
    let own = |operand: &Operand<'_>| match &operand.value {
        OperandValue::Array(array) => {
            Some(array.shape() == inner.shape() || array.shape().is_empty())
        }
        OperandValue::Scalar(_) => Some(true),
        OperandValue::Made(_) | OperandValue::Large(_) => None,
    };
    let full = |operand: &Operand<'_>| match &operand.value {
        OperandValue::Array(array) => array.shape() == inner.shape(),
        _ => false,
    };
    let fits = own(left) == Some(true) && right.is_none_or(|right| own(right) == Some(true));
    let is_full = full(left) || right.is_some_and(full);
    Ok(fits
        && is_full
        && inner.ndim() > 0
        && plan.output == inner.dtype()
        && out.is_writeable()
        && out.copied_part().is_none())
}

/// Writes the result of a call to an array that [`fits`].
fn write(
    op: Op,
    plan: Plan,
    left: Operand<'_>,
    right: Option<Operand<'_>>,
    out: &Bound<'_, Array>,
) -> PyResult<()> {
    check_truth(op, &left, right.as_ref())?;
    Array::written(out, |out| match (op.kernel, right) {
        (Kernel::Binary(kernel), Some(right)) if op.alias.is_none() => {
            binary_into(out.py(), kernel, left, right, out.get())
        }
        (Kernel::Unary(kernel), None) => {
            let input = array(left.cast(plan.inputs[0])?)?;
            out.get().inner()?.unary_into(kernel, &input).raise()
        }
        (_, right) => {
            let made = computed(op, plan, left, right)?;
            out.get().inner()?.assign(&made).raise()
        }
    })
}

#[pymethods]
impl Ufunc {
    /// Returns the function of this name in NumPy.
    #[new]
    fn new(name: String, nin: usize, nout: usize) -> Ufunc {
        let op = Op::named(&name);
        let product: Option<Product> = match name.as_str() {
            "matmul" => Some(linear::product),
            "matvec" => Some(plain::matvec_plain),
            "vecmat" => Some(plain::vecmat_plain),
            "vecdot" => Some(plain::vecdot_plain),
            _ => None,
        };
        let twin = Twin::named(&name);
        Ufunc {
            name,
            nin,
            nout,
            op,
            product,
            twin,
        }
    }

    /// Whether Weft has code for the function; otherwise it is composed of others, or NumPy's.
    #[getter]
    fn _is_native(&self) -> bool {
        self.op.is_some() || self.twin.is_some()
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        slf: &Bound<'_, Ufunc>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let of = slf.get();
        if kwargs.is_none()
            && args.len() == 2
            && let Some(product) = of.product
            && let Some(made) = product(&args.get_item(0)?, &args.get_item(1)?)?
        {
            return Ok(made);
        }
        let out = match kwargs {
            None => None,
            Some(kwargs) => match output(kwargs)? {
                None => return hooks::call(slf.as_any(), args, Some(kwargs)),
                out => out,
            },
        };
        let is_known = of.op.is_some() || (of.twin.is_some() && out.is_none());
        if args.len() != of.nin || !is_known {
            return hooks::call(slf.as_any(), args, kwargs);
        }
        let first = args.get_item(0)?;
        let second = match of.nin {
            1 => None,
            _ => Some(args.get_item(1)?),
        };
        let Some(left) = Operand::convert_other(&first)? else {
            return hooks::call(slf.as_any(), args, kwargs);
        };
        let right = match &second {
            None if left.is_beyond_int64() => return hooks::call(slf.as_any(), args, kwargs),
            None => None,
            Some(second) => match Operand::convert_other(second)? {
                None => return hooks::call(slf.as_any(), args, kwargs),
                right => right,
            },
        };
        let codes = [left.code, right.as_ref().map_or(0, |right| right.code)];
        let _entered = frame::enter(py);
        if let Some(twin) = of.twin
            && let Some(both) = twin.call(py, codes, &left, right.as_ref())?
        {
            return Ok(both.into_any().unbind());
        }
        let plan = match of.op {
            Some(op) => native(py, op, codes)?.map(|plan| (op, plan)),
            None => None,
        };
        let Some((op, plan)) = plan else {
            return hooks::call(slf.as_any(), args, kwargs);
        };
        match out {
            None => compute(py, op, plan, left, right),
            Some(out) => match fits(plan, &left, right.as_ref(), out.as_super().get())? {
                true => {
                    write(op, plan, left, right, out.as_super())?;
                    Ok(out.into_any().unbind())
                }
                false => hooks::call(slf.as_any(), args, kwargs),
            },
        }
    }

    fn __repr__(&self) -> String {
        format!("<ufunc '{}'>", self.name)
    }

    fn __reduce__(slf: &Bound<'_, Ufunc>) -> String {
        slf.get().name.clone()
    }
}

fn find_op(name: &str) -> PyResult<Op> {
    let also = UnaryOp::ALL.iter().find(|op| op.name() == name);
    let complex = (name == "complex").then_some(Op::from(BinaryOp::Complex));
    Op::named(name)
        .or(also.map(|op| Op::from(*op)))
        .or(complex)
        .ok_or_else(|| PyTypeError::new_err(format!("Weft has no function {name}")))
}

/// Applies a function to operands of its dtype; `TypeError` if Weft lacks it for that dtype.
#[pyfunction]
pub(crate) fn apply(py: Python<'_>, name: &str, args: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    let op = find_op(name)?;
    let _entered = frame::enter(py);
    let mut is_deferred = false;
    let mut operand = |at: usize| -> PyResult<Value> {
        let object = args.get_item(at)?;
        let operand = Operand::convert(&object)?;
        is_deferred |= operand.is_deferred;
        Ok(operand.value.into_value())
    };
    let made = match op.kernel {
        Kernel::Unary(op) => array(operand(0)?)?.unary(op).raise()?,
        Kernel::Binary(op) => {
            let (left, right) = (operand(0)?, operand(1)?);
            let (left, right) = match (left, right) {
                (left @ Value::Scalar(_), right @ Value::Scalar(_)) => {
                    (Value::Array(array(left)?), right)
                }
                pair => pair,
            };
            DynArray::binary(op, left, right).raise()?
        }
    };
    kind::wrap_array(py, made, is_deferred)
}
