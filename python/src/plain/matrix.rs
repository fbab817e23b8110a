//! Norms and products of matrices of one dtype of floats.

use pyo3::prelude::*;
use smallvec::SmallVec;
use weft::DynArray;
use weft::dtype::DType;
use weft::kernel::{BinaryOp, ReduceOp, UnaryOp};

use super::{array, integer, items};
use crate::error::Raise;
use crate::kind::{self, FEW, ResultArray};
use crate::{frame, ufunc};

/// An array of floats of 32 or 64 bits that has elements.
fn floats<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<&'a DynArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let is_float = matches!(inner.dtype(), DType::F32 | DType::F64);
    Ok((is_float && !inner.is_empty() && !ufunc::is_checked()).then_some(inner))
}

/// `np.linalg.norm` of all elements: the root of the sum of their squares.
pub(crate) fn norm_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    let Some(of) = floats(object)? else {
        return Ok(None);
    };
    let _entered = frame::enter(object.py());
    let square = match of.ndim() {
        0 => return Ok(None),
        1 => of.matmul(of).raise()?,
        _ => square_sum(&of.reshape(&[of.len()]).raise()?)?,
    };
    root(object.py(), &square, of)
}

/// `np.linalg.vector_norm` of all elements, and `np.linalg.matrix_norm` of a matrix.
pub(crate) fn euclidean_plain(
    object: &Bound<'_, PyAny>,
    is_matrix: bool,
) -> PyResult<Option<Py<PyAny>>> {
    let Some(of) = floats(object)?.filter(|of| of.ndim() > 0) else {
        return Ok(None);
    };
    if is_matrix && of.ndim() != 2 {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    let square = match is_matrix {
        true => square_sum(of)?,
        false => square_sum(&of.reshape(&[of.len()]).raise()?)?,
    };
    root(object.py(), &square, of)
}

fn square_sum(of: &DynArray) -> PyResult<DynArray> {
    let squares = DynArray::binary(BinaryOp::Mul, of, of).raise()?;
    squares.reduce(ReduceOp::Sum, None).raise()
}

fn root(py: Python<'_>, square: &DynArray, of: &DynArray) -> PyResult<Option<Py<PyAny>>> {
    let made = square.unary(UnaryOp::Sqrt).raise()?;
    kind::wrap_array(py, made, of.len() > FEW).map(Some)
}

/// `np.linalg.multi_dot` of two or three matrices: in the order with fewer multiplications.
pub(crate) fn multi_dot_plain(objects: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let Some(objects) = items(objects) else {
        return Ok(None);
    };
    let mut matrices: SmallVec<[&DynArray; 4]> = SmallVec::new();
    for object in &objects {
        let Some(of) = floats(object)? else {
            return Ok(None);
        };
        let last = matrices.last();
        let fits = last.is_none_or(|last| {
            last.dtype() == of.dtype() && last.shape().get(1) == of.shape().first()
        });
        if of.ndim() != 2 || !fits {
            return Ok(None);
        }
        matrices.push(of);
    }
    let [a, b, rest @ ..] = matrices.as_slice() else {
        return Ok(None);
    };
    let _entered = frame::enter(objects[0].py());
    let made = match rest {
        [] => a.matmul(b),
        [c] => {
            let side = |of: &DynArray, axis: usize| of.shape()[axis] as f64;
            let (rows, inner) = (side(a, 0), side(a, 1));
            let (middle, columns) = (side(c, 0), side(c, 1));
            let last_first = inner * middle * columns + rows * inner * columns;
            let first_first = rows * inner * middle + rows * middle * columns;
            match last_first <= first_first {
                true => a.matmul(&b.matmul(c).raise()?),
                false => a.matmul(b).raise()?.matmul(c),
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(ResultArray::own(made.raise()?)))
}

/// `np.tensordot` over the last `count` axes of one array and the first ones of the other.
pub(crate) fn tensordot_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
    count: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(a), Some(b)) = (floats(left)?, floats(right)?) else {
        return Ok(None);
    };
    let Some(count) = integer(count).and_then(|count| usize::try_from(count).ok()) else {
        return Ok(None);
    };
    if a.dtype() != b.dtype() || count == 0 || count > a.ndim() || count > b.ndim() {
        return Ok(None);
    }
    let (rows, inner) = a.shape().split_at(a.ndim() - count);
    let (inner_of_b, columns) = b.shape().split_at(count);
    if inner != inner_of_b || rows.len() + columns.len() > weft::shape::MAX_DIMS {
        return Ok(None);
    }
    let _entered = frame::enter(left.py());
    let length: usize = inner.iter().product();
    let a = a.reshape(&[rows.iter().product(), length]).raise()?;
    let b = b.reshape(&[length, columns.iter().product()]).raise()?;
    let shape: SmallVec<[usize; 8]> = rows.iter().chain(columns).copied().collect();
    let made = a.matmul(&b).raise()?.reshape(&shape).raise()?;
    Ok(Some(ResultArray::own(made)))
}
