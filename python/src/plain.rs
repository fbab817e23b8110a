//! Plain calls of NumPy's functions: of an array of Weft, with positional arguments of the usual
//! types and no keywords.
//!
//! The functions of `weft.numpy` try these first. Each returns `None` for a call that is not plain,
//! and has then done nothing: the Python code below it applies all of NumPy's rules.

mod axes;
mod bits;
mod border;
mod bound;
mod compare;
mod complex;
mod create;
mod difference;
mod insert;
mod matrix;
mod methods;
mod nonzero;
mod order;
mod place;
mod polynomial;
mod product;
mod quantile;
mod reduce;
mod sets;
mod shape;
mod table;
mod write;

pub(crate) use axes::{
    at_least_plain, depth_stack_plain, matrix_transpose_plain, moveaxis_plain, permute_plain,
    swapaxes_plain, transpose_plain,
};
pub(crate) use bits::{
    packbits, packbits_plain, ravel_multi_plain, unpackbits, unpackbits_plain, unravel_number,
    unravel_plain,
};
pub(crate) use border::{block_plain, pad_plain, triangle_plain};
pub(crate) use bound::{clip_plain, nan_to_num_plain, round_plain};
pub(crate) use compare::{allclose_plain, array_equal_plain, array_equiv_plain, isclose_plain};
pub(crate) use complex::{angle_plain, compare_imag_plain, part_plain};
pub(crate) use create::{arange_plain, array_plain, astype_plain, full_like_plain, linspace_plain};
pub(crate) use difference::{cross_plain, diff_plain, ediff1d_plain, gradient_plain, unwrap_plain};
pub(crate) use insert::{delete_plain, insert_plain};
pub(crate) use matrix::{euclidean_plain, multi_dot_plain, norm_plain, tensordot_plain};
pub(crate) use methods::{
    fill_plain, flatten_plain, item_plain, sort_in_place_plain, tolist_plain,
};
pub(crate) use nonzero::{argwhere_plain, flatnonzero_plain, nonzero_plain};
pub(crate) use order::{partition_plain, sort_complex_plain, sort_plain};
pub(crate) use place::{choose_plain, pick, take_along_plain, take_plain};
pub(crate) use polynomial::{polyfit_plain, polymul_plain, roots_plain, vander_plain};
pub(crate) use product::{
    convolve_plain, einsum_plain, inner_plain, matvec_plain, outer_plain, vecdot_plain,
    vecmat_plain,
};
pub(crate) use quantile::{median_plain, nan_bound_plain, quantile_plain};
pub(crate) use reduce::{
    average_plain, mean_plain, reduce_plain, scan_plain, trapezoid_plain, var_plain,
};
pub(crate) use sets::{intersect1d_plain, isin_plain, setxor1d_plain, union1d_plain, unique_plain};
pub(crate) use shape::{
    broadcast_plain, diagonal_plain, expand_plain, flip_plain, ravel_plain, repeat_plain,
    reshape_plain, squeeze_plain, stack_plain, tile_plain, unstack_plain,
};
pub(crate) use table::{
    bincount_plain, digitize_plain, interp_plain, lexsort_plain, polyval_plain, searchsorted_plain,
};
pub(crate) use write::{
    copyto_plain, fill_diagonal_plain, place_plain, put_along_plain, put_plain, putmask_plain,
};

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};
use smallvec::{SmallVec, smallvec};
use weft::dtype::DType;
use weft::shape::MAX_DIMS;

use crate::array::Array;
use crate::kind::NdArray;

/// Lengths or places along axes.
type Lengths = SmallVec<[isize; MAX_DIMS]>;

/// An object of the class of arrays itself: neither a number nor of a derived class.
fn array<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, Array>> {
    object.cast_exact::<NdArray>().ok().map(Bound::as_super)
}

/// A Python integer of this value.
pub(crate) fn number(py: Python<'_>, value: isize) -> Bound<'_, PyAny> {
    PyInt::new(py, value).into_any()
}

/// A Python integer that is not a boolean.
pub(crate) fn integer(object: &Bound<'_, PyAny>) -> Option<isize> {
    object.cast_exact::<PyInt>().ok()?.extract().ok()
}

/// The items of a list or tuple; `None` for other objects.
pub(crate) fn items<'py>(object: &Bound<'py, PyAny>) -> Option<SmallVec<[Bound<'py, PyAny>; 4]>> {
    match object.cast_exact::<PyTuple>() {
        Ok(tuple) => Some(tuple.iter().collect()),
        Err(_) => Some(object.cast_exact::<PyList>().ok()?.iter().collect()),
    }
}

/// An integer, or the integers of a tuple or list.
pub(crate) fn integers(object: &Bound<'_, PyAny>) -> Option<Lengths> {
    match items(object) {
        Some(items) => items.iter().map(integer).collect(),
        None => integer(object).map(|one| smallvec![one]),
    }
}

/// Returns whether the integers of a dtype are indices without a cast. Not all of `u64` fit the
/// type of indices.
fn can_index(dtype: DType) -> bool {
    dtype.is_integer() && dtype != DType::U64
}

/// A shape: an integer, or the integers of a tuple or list, none of them negative.
pub(crate) fn lengths(object: &Bound<'_, PyAny>) -> Option<SmallVec<[usize; MAX_DIMS]>> {
    let lengths = integers(object)?.into_iter();
    lengths.map(|length| usize::try_from(length).ok()).collect()
}

/// An axis, counted from the front; `None` if it is out of bounds.
fn axis_from_front(axis: isize, ndim: usize) -> Option<usize> {
    let axis = if axis < 0 { axis + ndim as isize } else { axis };
    usize::try_from(axis).ok().filter(|axis| *axis < ndim)
}

/// The axis argument of a function that also accepts `None`.
enum Axis {
    All,
    One(usize),
}

impl Axis {
    /// The axis that an argument names; `None` for tuples, other types and axes out of bounds.
    fn from_argument(object: &Bound<'_, PyAny>, ndim: usize) -> Option<Axis> {
        if object.is_none() {
            return Some(Axis::All);
        }
        axis_from_front(integer(object)?, ndim).map(Axis::One)
    }

    fn get(&self) -> Option<usize> {
        match self {
            Axis::All => None,
            Axis::One(axis) => Some(*axis),
        }
    }
}
