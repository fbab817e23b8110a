//! Polynomials by their coefficients, the highest power first.

use pyo3::prelude::*;
use pyo3::types::PyBool;
use smallvec::SmallVec;
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::kernel::{BinaryOp, ReduceOp, ScanOp, UnaryOp};
use weft::program::Overlap;

use super::compare::all;
use super::product::{convolved, pair};
use super::{array, integer};
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::{frame, run, ufunc};

/// The most coefficients of a polynomial whose roots are computed by a plain call.
const FEW: usize = 64;

/// A vector of `float64` that is not empty.
fn vector<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<&'a DynArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let is_plain = inner.ndim() == 1 && !inner.is_empty() && inner.dtype() == DType::F64;
    Ok(is_plain.then_some(inner))
}

/// A column of a vector's elements.
fn column(vector: &DynArray) -> PyResult<DynArray> {
    let mut view = vector.viewing();
    view.insert(1).raise()?;
    Ok(view.done())
}

/// The powers of a vector's elements, `count` of them from the highest, or with `is_increasing`
/// from 1.
fn powers(of: &DynArray, count: usize, is_increasing: bool) -> PyResult<DynArray> {
    let rows = of.len();
    let factors = column(of)?.broadcast_to(&[rows, count - 1]).raise()?;
    let others = factors.scan(ScanOp::CumProd, Some(1)).raise()?;
    let one = Scalar::I64(1).cast(of.dtype());
    let ones = DynArray::full(&run::current()?, &[rows, 1], one).raise()?;
    let parts = match is_increasing {
        true => [ones, others],
        false => {
            let mut view = others.viewing();
            view.range(1, count as isize - 2, -1, count - 1).raise()?;
            [view.done(), ones]
        }
    };
    DynArray::concatenate(&parts, 1).raise()
}

/// `np.vander` of a vector of real numbers, with two columns at least.
pub(crate) fn vander_plain(
    object: &Bound<'_, PyAny>,
    count: &Bound<'_, PyAny>,
    increasing: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let count = match count.is_none() {
        true => Some(inner.len()),
        false => integer(count).and_then(|count| usize::try_from(count).ok()),
    };
    let is_plain = inner.ndim() == 1
        && !inner.is_empty()
        && !inner.dtype().is_complex()
        && !ufunc::is_checked();
    let is_increasing = match increasing.cast_exact::<PyBool>() {
        Ok(increasing) => increasing.is_true(),
        Err(_) if increasing.is_none() => false,
        Err(_) => return Ok(None),
    };
    let Some(count) = count.filter(|count| is_plain && (2..1 << 40).contains(count)) else {
        return Ok(None);
    };
    let _entered = frame::enter(object.py());
    let dtype = match inner.dtype() {
        dtype if dtype.is_float() || dtype == DType::U64 => DType::F64,
        _ => DType::I64,
    };
    let made = powers(&inner.cast(dtype).raise()?, count, is_increasing)?;
    Ok(Some(ResultArray::own(made)))
}

/// `np.polymul` of two vectors of one real dtype, whose first coefficients are known.
pub(crate) fn polymul_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some((a, b)) = pair(left, right)? else {
        return Ok(None);
    };
    let _entered = frame::enter(left.py());
    match (trimmed(a)?, trimmed(b)?) {
        (Some(a), Some(b)) => convolved(&a, &b, Overlap::Full, false),
        _ => Ok(None),
    }
}

/// The coefficients from the first that is not 0; `None` if there is none, or it is not known.
fn trimmed(coefficients: &DynArray) -> PyResult<Option<DynArray>> {
    if coefficients.ndim() != 1 {
        return Ok(None);
    }
    let mut first = 0;
    loop {
        match coefficients.element(&[first]) {
            Some(value) if value.to::<f64>() == 0.0 => first += 1,
            Some(_) => break,
            None => return Ok(None),
        }
    }
    let mut view = coefficients.viewing();
    let count = coefficients.len() - first;
    view.range(0, first as isize, 1, count).raise()?;
    Ok(Some(view.done()))
}

/// `np.polyfit` of two vectors of `float64`, unless the powers of `x` are nearly dependent.
pub(crate) fn polyfit_plain(
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
    degree: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(values)) = (vector(x)?, vector(y)?) else {
        return Ok(None);
    };
    let count = integer(degree).and_then(|degree| usize::try_from(degree).ok());
    let Some(count) = count.map(|degree| degree + 1) else {
        return Ok(None);
    };
    let fits = of.len() == values.len() && (2..=of.len()).contains(&count);
    if !fits || ufunc::is_checked() {
        return Ok(None);
    }
    let py = x.py();
    let _entered = frame::enter(py);
    let binary = |op, left: &DynArray, right: &DynArray| DynArray::binary(op, left, right).raise();
    let with =
        |op, left: &DynArray, value: f64| DynArray::binary(op, left, Scalar::F64(value)).raise();
    // The sum with 0 takes the sign from zeros, as in NumPy.
    let (of, values) = (
        with(BinaryOp::Add, of, 0.0)?,
        with(BinaryOp::Add, values, 0.0)?,
    );
    let columns = powers(&of, count, false)?;
    let squares = binary(BinaryOp::Mul, &columns, &columns)?;
    let squares = squares.reduce(ReduceOp::Sum, Some(0)).raise()?;
    let scale = squares.unary(UnaryOp::Sqrt).raise()?;
    let columns = binary(BinaryOp::Div, &columns, &scale)?;
    let (u, s, v) = columns.svd(false).raise()?;
    let mut largest = s.viewing();
    largest.range(0, 0, 1, 1).raise()?;
    let least = with(
        BinaryOp::Mul,
        &largest.done(),
        of.len() as f64 * f64::EPSILON,
    )?;
    if !all(py, &binary(BinaryOp::Greater, &s, &least)?)? {
        return Ok(None);
    }
    let inverse = DynArray::binary(BinaryOp::Div, Scalar::F64(1.0), &s).raise()?;
    let parts = u.permute(&[1, 0]).raise()?;
    let parts = parts.matmul(&column(&values)?).raise()?;
    let parts = binary(BinaryOp::Mul, &column(&inverse)?, &parts)?;
    let made = v.permute(&[1, 0]).raise()?.matmul(&parts).raise()?;
    let made = made.reshape(&[count]).raise()?;
    Ok(Some(ResultArray::own(binary(
        BinaryOp::Div,
        &made,
        &scale,
    )?)))
}

/// The elements of a vector of `float64`, which is waited for.
fn numbers(py: Python<'_>, vector: &DynArray) -> PyResult<SmallVec<[f64; 8]>> {
    let values = run::read(py, vector)?;
    let (values, _) = values.as_bytes().as_chunks();
    Ok(values
        .iter()
        .map(|bytes| f64::from_ne_bytes(*bytes))
        .collect())
}

/// `np.roots` of a few finite coefficients of `float64`, of which the first and the last are not 0.
pub(crate) fn roots_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let Some(of) = vector(object)?.filter(|of| (2..=FEW).contains(&of.len())) else {
        return Ok(None);
    };
    if ufunc::is_checked() {
        return Ok(None);
    }
    let py = object.py();
    let _entered = frame::enter(py);
    let given = numbers(py, of)?;
    let (first, rest) = (given[0], &given[1..]);
    let side = rest.len();
    // The companion matrix, whose eigenvalues are the roots.
    let mut companion = vec![0.0; side * side];
    for (at, value) in rest.iter().enumerate() {
        companion[at] = -value / first;
        if at > 0 {
            companion[at * side + at - 1] = 1.0;
        }
    }
    let is_finite = companion.iter().all(|value| value.is_finite());
    if !is_finite || first == 0.0 || rest[side - 1] == 0.0 {
        return Ok(None);
    }
    let runtime = run::current()?;
    let companion = DynArray::from_vec(&runtime, &[side, side], companion).raise()?;
    let roots = companion.eigvals().raise()?;
    let imaginary = numbers(py, &roots.unary(UnaryOp::Imag).raise()?)?;
    let made = match imaginary.iter().all(|part| *part == 0.0) {
        true => roots.unary(UnaryOp::Real).raise()?,
        false => roots,
    };
    Ok(Some(ResultArray::own(made)))
}
