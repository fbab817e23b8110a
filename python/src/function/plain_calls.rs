//! The plain calls, by the name of the function.

use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyString, PyTuple};
use weft::dtype::DType;
use weft::kernel::{BinaryOp, UnaryOp};

use super::{Given, Plain};
use crate::kind::{NdArray, Source};
use crate::plain::number;
use crate::{create, dtype, linear, plain, primitive, select};

/// The result of a plain call.
type Made = PyResult<Option<Py<PyAny>>>;

/// Declares plain calls: the name of the function, the names of its first parameters, a semicolon
/// after those without defaults, and the call. A name that begins with `/` is only a position.
macro_rules! plain_calls {
    ($($name:literal ($($required:literal),*; $($optional:literal),*) = $call:expr;)*) => {
        /// Returns the plain call of a function.
        pub(super) fn find(name: &str) -> Option<&'static Plain> {
            Some(match name {
                $($name => {
                    static PLAIN: Plain = Plain {
                        parameters: &[$($required,)* $($optional,)*],
                        required: <[&str]>::len(&[$($required),*]),
                        call: $call,
                    };
                    &PLAIN
                })*
                _ => return None,
            })
        }
    };
}

plain_calls! {
    "all" ("a"; "axis") = |of| reduce(of, "all");
    "allclose" ("a", "b"; "rtol", "atol") = |of| {
        let [relative, absolute] = tolerances(of);
        of.result(plain::allclose_plain(of.at(0), of.at(1), &relative, &absolute, false)?)
    };
    "angle" ("z";) = |of| of.result(plain::angle_plain(of.at(0))?);
    "any" ("a"; "axis") = |of| reduce(of, "any");
    "append" ("arr", "values";) = |of| {
        let is_line = |at| exact(of.at(at)).is_some_and(|array| array.as_super().get().ndim().is_ok_and(|ndim| ndim == 1));
        if !is_line(0) || !is_line(1) {
            return Ok(None);
        }
        let both = PyTuple::new(of.py, [of.at(0), of.at(1)])?;
        of.result(primitive::joined(&both, 0)?)
    };
    "arange" ("start"; "stop", "step") = |of| {
        of.result(plain::arange_plain(of.at(0), of.at(1), &of.integer(2, 1))?)
    };
    "argmax" ("a"; "axis") = |of| reduce(of, "argmax");
    "argmin" ("a"; "axis") = |of| reduce(of, "argmin");
    "argpartition" ("a", "kth"; "axis") = |of| {
        of.result(plain::partition_plain(of.at(0), of.at(1), &of.integer(2, -1), true)?)
    };
    "argsort" ("a"; "axis") = |of| of.result(plain::sort_plain(of.at(0), &of.integer(1, -1), true)?);
    "argwhere" ("a";) = |of| of.result(plain::argwhere_plain(of.at(0))?);
    "array" ("object";) = |of| match exact(of.at(0)) {
        Some(_) => copy(of),
        None => of.result(plain::array_plain(of.at(0))?),
    };
    "array_equal" ("a1", "a2";) = |of| of.result(plain::array_equal_plain(of.at(0), of.at(1))?);
    "array_equiv" ("a1", "a2";) = |of| of.result(plain::array_equiv_plain(of.at(0), of.at(1))?);
    "asarray" ("a";) = |of| match exact(of.at(0)) {
        Some(array) => of.result(Some(array.clone())),
        None => of.result(plain::array_plain(of.at(0))?),
    };
    "astype" ("/x", "/dtype";) = |of| of.result(plain::astype_plain(of.at(0), of.at(1))?);
    "atleast_1d" ("/arys";) = |of| of.result(plain::at_least_plain(of.at(0), 1)?);
    "atleast_2d" ("/arys";) = |of| of.result(plain::at_least_plain(of.at(0), 2)?);
    "atleast_3d" ("/arys";) = |of| of.result(plain::at_least_plain(of.at(0), 3)?);
    "average" ("a"; "axis", "weights") = |of| plain::average_plain(of.at(0), of.at(1), of.at(2));
    "bincount" ("/x"; "weights", "minlength") = |of| {
        of.result(plain::bincount_plain(of.at(0), of.at(1), &of.integer(2, 0))?)
    };
    "block" ("arrays";) = |of| of.result(plain::block_plain(of.at(0))?);
    "broadcast_to" ("array", "shape";) = |of| of.result(plain::broadcast_plain(of.at(0), of.at(1))?);
    "choose" ("a", "choices";) = |of| of.result(plain::choose_plain(of.at(0), of.at(1))?);
    "clip" ("a", "a_min", "a_max";) = |of| of.result(plain::clip_plain(of.at(0), of.at(1), of.at(2))?);
    "concatenate" ("/arrays"; "axis") = |of| match of.has(1) {
        false => of.result(primitive::joined(of.at(0), 0)?),
        true => match plain::integer(of.at(1)).and_then(|axis| usize::try_from(axis).ok()) {
            Some(axis) => of.result(primitive::joined(of.at(0), axis)?),
            None => Ok(None),
        },
    };
    "convolve" ("a", "v"; "mode") = |of| convolve(of, "full", false);
    "copy" ("a";) = |of| match exact(of.at(0)) {
        Some(_) => copy(of),
        None => Ok(None),
    };
    "copyto" ("dst", "src";) = |of| {
        of.written(plain::copyto_plain(of.at(0), of.at(1), None, None)?)
    };
    "correlate" ("a", "v"; "mode") = |of| convolve(of, "valid", true);
    "count_nonzero" ("a"; "axis") = |of| {
        if exact(of.at(0)).is_none() {
            return Ok(None);
        }
        if of.at(1).is_none()
            && let Some(count) = select::count_at_once(of.at(0).extract()?)?
        {
            return Ok(Some(count));
        }
        reduce(of, "count_nonzero")
    };
    "cross" ("a", "b";) = |of| of.result(plain::cross_plain(of.at(0), of.at(1))?);
    "cumprod" ("a"; "axis") = |of| of.result(plain::scan_plain(of.at(0), "cumprod", of.at(1))?);
    "cumsum" ("a"; "axis") = |of| of.result(plain::scan_plain(of.at(0), "cumsum", of.at(1))?);
    "delete" ("arr", "obj"; "axis") = |of| of.result(plain::delete_plain(of.at(0), of.at(1), of.at(2))?);
    "diagonal" ("a"; "offset") = |of| of.result(plain::diagonal_plain(of.at(0), &of.integer(1, 0))?);
    "diff" ("a"; "n", "axis") = |of| {
        of.result(plain::diff_plain(of.at(0), &of.integer(1, 1), &of.integer(2, -1))?)
    };
    "digitize" ("x", "bins";) = |of| of.result(plain::digitize_plain(of.at(0), of.at(1), false)?);
    "dot" ("a", "b";) = |of| linear::product(of.at(0), of.at(1));
    "dstack" ("tup";) = |of| of.result(plain::depth_stack_plain(of.at(0))?);
    "ediff1d" ("ary";) = |of| of.result(plain::ediff1d_plain(of.at(0))?);
    "einsum" ("/subscripts", "/operands", "/operands";) = |of| match of.at(0).cast::<PyString>() {
        Ok(subscripts) if !subscripts.to_str()?.contains(' ') => {
            let both = PyTuple::new(of.py, [of.at(1), of.at(2)])?;
            plain::einsum_plain(subscripts.to_str()?, &both)
        }
        _ => Ok(None),
    };
    "empty" ("shape"; "dtype") = |of| new(of, false, 0.0);
    "expand_dims" ("a", "axis";) = |of| of.result(plain::expand_plain(of.at(0), of.at(1))?);
    "fill_diagonal" ("a", "val";) = |of| {
        of.written(plain::fill_diagonal_plain(of.at(0), of.at(1), None)?)
    };
    "flatnonzero" ("a";) = |of| of.result(plain::flatnonzero_plain(of.at(0))?);
    "flip" ("m"; "axis") = |of| of.result(plain::flip_plain(of.at(0), of.at(1))?);
    "fliplr" ("m";) = |of| of.result(plain::flip_plain(of.at(0), &number(of.py, 1))?);
    "flipud" ("m";) = |of| of.result(plain::flip_plain(of.at(0), &number(of.py, 0))?);
    "full" ("shape", "fill_value";) = |of| {
        let value = of.at(1);
        match value.is_exact_instance_of::<PyFloat>() {
            true => of.result(create::new(of.at(0), DType::F64, true, value.extract()?)?),
            false => Ok(None),
        }
    };
    "full_like" ("a", "fill_value";) = |of| of.result(plain::full_like_plain(of.at(0), of.at(1))?);
    "hstack" ("tup";) = |of| match first_ndim(of.at(0)) {
        0 => Ok(None),
        1 => of.result(primitive::joined(of.at(0), 0)?),
        _ => of.result(primitive::joined(of.at(0), 1)?),
    };
    "imag" ("val";) = |of| of.result(plain::part_plain(of.at(0), "imag", UnaryOp::Imag)?);
    "inner" ("/a", "/b";) = |of| plain::inner_plain(of.at(0), of.at(1));
    "insert" ("arr", "obj", "values"; "axis") = |of| {
        of.result(plain::insert_plain(of.at(0), of.at(1), of.at(2), of.at(3))?)
    };
    "interp" ("x", "xp", "fp";) = |of| of.result(plain::interp_plain(of.at(0), of.at(1), of.at(2))?);
    "intersect1d" ("ar1", "ar2";) = |of| of.result(plain::intersect1d_plain(of.at(0), of.at(1))?);
    "isclose" ("a", "b"; "rtol", "atol") = |of| {
        let [relative, absolute] = tolerances(of);
        of.result(plain::isclose_plain(of.at(0), of.at(1), &relative, &absolute, false)?)
    };
    "iscomplex" ("x";) = |of| of.result(plain::compare_imag_plain(of.at(0), BinaryOp::NotEqual)?);
    "isin" ("element", "test_elements";) = |of| of.result(plain::isin_plain(of.at(0), of.at(1))?);
    "isreal" ("x";) = |of| of.result(plain::compare_imag_plain(of.at(0), BinaryOp::Equal)?);
    "lexsort" ("keys"; "axis") = |of| of.result(plain::lexsort_plain(of.at(0), &of.integer(1, -1))?);
    "linalg.cross" ("/x1", "/x2";) = |of| of.result(plain::cross_plain(of.at(0), of.at(1))?);
    "linalg.diagonal" ("/x";) = |of| of.result(plain::diagonal_plain(of.at(0), &number(of.py, 0))?);
    "linalg.matmul" ("/x1", "/x2";) = |of| linear::product(of.at(0), of.at(1));
    "linalg.matrix_norm" ("/x";) = |of| plain::euclidean_plain(of.at(0), true);
    "linalg.matrix_transpose" ("/x";) = |of| of.result(plain::matrix_transpose_plain(of.at(0))?);
    "linalg.multi_dot" ("arrays";) = |of| of.result(plain::multi_dot_plain(of.at(0))?);
    "linalg.norm" ("x";) = |of| plain::norm_plain(of.at(0));
    "linalg.outer" ("/x1", "/x2";) = |of| of.result(plain::outer_plain(of.at(0), of.at(1))?);
    "linalg.tensordot" ("a", "b";) = |of| {
        of.result(plain::tensordot_plain(of.at(0), of.at(1), &number(of.py, 2))?)
    };
    "linalg.trace" ("/x";) = trace;
    "linalg.vecdot" ("/x1", "/x2";) = |of| plain::vecdot_plain(of.at(0), of.at(1));
    "linalg.vector_norm" ("/x";) = |of| plain::euclidean_plain(of.at(0), false);
    "linspace" ("start", "stop"; "num") = |of| {
        of.result(plain::linspace_plain(of.at(0), of.at(1), &of.integer(2, 50), true)?)
    };
    "matrix_transpose" ("/x";) = |of| of.result(plain::matrix_transpose_plain(of.at(0))?);
    "max" ("a"; "axis") = |of| reduce(of, "max");
    "mean" ("a"; "axis") = |of| plain::mean_plain(of.at(0), of.at(1), false);
    "median" ("a"; "axis") = |of| plain::median_plain(of.at(0), of.at(1), false);
    "min" ("a"; "axis") = |of| reduce(of, "min");
    "moveaxis" ("a", "source", "destination";) = |of| {
        of.result(plain::moveaxis_plain(of.at(0), of.at(1), of.at(2))?)
    };
    "nan_to_num" ("x";) = |of| of.result(plain::nan_to_num_plain(of.at(0))?);
    "nanmax" ("a"; "axis") = |of| plain::nan_bound_plain(of.at(0), "nanmax", of.at(1), false);
    "nanmedian" ("a"; "axis") = |of| plain::median_plain(of.at(0), of.at(1), true);
    "nanmin" ("a"; "axis") = |of| plain::nan_bound_plain(of.at(0), "nanmin", of.at(1), false);
    "nanpercentile" ("a", "q"; "axis") = |of| plain::quantile_plain(of.at(0), of.at(1), 100.0, of.at(2), true);
    "nanquantile" ("a", "q"; "axis") = |of| plain::quantile_plain(of.at(0), of.at(1), 1.0, of.at(2), true);
    "nonzero" ("a";) = |of| of.result(plain::nonzero_plain(of.at(0))?);
    "ones" ("shape";) = |of| of.result(create::zeros(of.at(0), true, 1.0)?);
    "ones_like" ("a";) = |of| of.result(plain::full_like_plain(of.at(0), &number(of.py, 1))?);
    "outer" ("a", "b";) = |of| of.result(plain::outer_plain(of.at(0), of.at(1))?);
    "packbits" ("/a"; "axis", "bitorder") = |of| {
        of.result(plain::packbits_plain(of.at(0), of.at(1), &of.text(2, "big"))?)
    };
    "pad" ("array", "pad_width"; "mode") = |of| {
        of.result(plain::pad_plain(of.at(0), of.at(1), &of.text(2, "constant"))?)
    };
    "partition" ("a", "kth"; "axis") = |of| {
        of.result(plain::partition_plain(of.at(0), of.at(1), &of.integer(2, -1), false)?)
    };
    "percentile" ("a", "q"; "axis") = |of| plain::quantile_plain(of.at(0), of.at(1), 100.0, of.at(2), false);
    "place" ("arr", "mask", "vals";) = |of| {
        of.written(plain::place_plain(of.at(0), of.at(1), of.at(2))?)
    };
    "polyfit" ("x", "y", "deg";) = |of| of.result(plain::polyfit_plain(of.at(0), of.at(1), of.at(2))?);
    "polymul" ("a1", "a2";) = |of| of.result(plain::polymul_plain(of.at(0), of.at(1))?);
    "prod" ("a"; "axis") = |of| reduce(of, "prod");
    "put" ("a", "ind", "v";) = |of| {
        of.written(plain::put_plain(of.at(0), of.at(1), of.at(2), None)?)
    };
    "put_along_axis" ("arr", "indices", "values", "axis";) = |of| {
        of.written(plain::put_along_plain(of.at(0), of.at(1), of.at(2), of.at(3))?)
    };
    "putmask" ("a", "mask", "values";) = |of| {
        of.written(plain::putmask_plain(of.at(0), of.at(1), of.at(2))?)
    };
    "quantile" ("a", "q"; "axis") = |of| plain::quantile_plain(of.at(0), of.at(1), 1.0, of.at(2), false);
    "ravel" ("a";) = |of| of.result(plain::ravel_plain(of.at(0))?);
    "ravel_multi_index" ("multi_index", "dims";) = |of| of.result(plain::ravel_multi_plain(of.at(0), of.at(1), true)?);
    "real" ("val";) = |of| of.result(plain::part_plain(of.at(0), "real", UnaryOp::Real)?);
    "repeat" ("a", "repeats"; "axis") = |of| of.result(plain::repeat_plain(of.at(0), of.at(1), of.at(2))?);
    "reshape" ("/a", "shape";) = |of| of.result(plain::reshape_plain(of.at(0), of.at(1))?);
    "roots" ("p";) = |of| of.result(plain::roots_plain(of.at(0))?);
    "round" ("a"; "decimals") = |of| of.result(plain::round_plain(of.at(0), &of.integer(1, 0))?);
    "searchsorted" ("a", "v"; "side") = |of| match of.text(2, "left").cast::<PyString>() {
        Ok(side) => of.result(plain::searchsorted_plain(of.at(0), of.at(1), side.to_str()?)?),
        Err(_) => Ok(None),
    };
    "setxor1d" ("ar1", "ar2";) = |of| of.result(plain::setxor1d_plain(of.at(0), of.at(1))?);
    "sort" ("a"; "axis") = |of| of.result(plain::sort_plain(of.at(0), &of.integer(1, -1), false)?);
    "sort_complex" ("a";) = |of| of.result(plain::sort_complex_plain(of.at(0))?);
    "squeeze" ("a";) = |of| of.result(plain::squeeze_plain(of.at(0))?);
    "stack" ("arrays"; "axis") = |of| of.result(plain::stack_plain(of.at(0), &of.integer(1, 0))?);
    "std" ("a"; "axis") = |of| plain::var_plain(of.at(0), of.at(1), &number(of.py, 0), true, false);
    "sum" ("a"; "axis") = |of| reduce(of, "sum");
    "swapaxes" ("a", "axis1", "axis2";) = |of| {
        of.result(plain::swapaxes_plain(of.at(0), of.at(1), of.at(2))?)
    };
    "take" ("a", "indices"; "axis") = |of| of.result(plain::take_plain(of.at(0), of.at(1), of.at(2))?);
    "take_along_axis" ("arr", "indices"; "axis") = |of| {
        of.result(plain::take_along_plain(of.at(0), of.at(1), &of.integer(2, -1))?)
    };
    "tensordot" ("a", "b"; "axes") = |of| {
        of.result(plain::tensordot_plain(of.at(0), of.at(1), &of.integer(2, 2))?)
    };
    "tile" ("A", "reps";) = |of| of.result(plain::tile_plain(of.at(0), of.at(1))?);
    "trace" ("a"; "offset") = trace;
    "transpose" ("a";) = |of| of.result(plain::transpose_plain(of.at(0))?);
    "trapezoid" ("y";) = |of| plain::trapezoid_plain(of.at(0), PyFloat::new(of.py, 1.0).as_any());
    "tril" ("m"; "k") = |of| of.result(plain::triangle_plain(of.at(0), &of.integer(1, 0), false)?);
    "triu" ("m"; "k") = |of| of.result(plain::triangle_plain(of.at(0), &of.integer(1, 0), true)?);
    "union1d" ("ar1", "ar2";) = |of| of.result(plain::union1d_plain(of.at(0), of.at(1))?);
    "unique" ("ar";) = |of| of.result(plain::unique_plain(of.at(0))?);
    "unpackbits" ("/a"; "axis") = |of| {
        of.result(plain::unpackbits_plain(of.at(0), of.at(1), &of.text(2, "big"))?)
    };
    "unravel_index" ("indices", "shape";) = |of| match exact(of.at(0)) {
        Some(_) => of.result(plain::unravel_plain(of.at(0), of.at(1), true)?),
        None => of.result(plain::unravel_number(of.at(0), of.at(1))?),
    };
    "unstack" ("/x";) = |of| of.result(plain::unstack_plain(of.at(0))?);
    "unwrap" ("p"; "discont", "axis") = |of| match of.at(1).is_none() {
        true => of.result(plain::unwrap_plain(of.at(0), &of.integer(2, -1))?),
        false => Ok(None),
    };
    "vander" ("x"; "N", "increasing") = |of| {
        of.result(plain::vander_plain(of.at(0), of.at(1), of.at(2))?)
    };
    "var" ("a"; "axis") = |of| plain::var_plain(of.at(0), of.at(1), &number(of.py, 0), false, false);
    "vdot" ("/a", "/b";) = |of| plain::inner_plain(of.at(0), of.at(1));
    "vstack" ("tup";) = |of| match first_ndim(of.at(0)) {
        0 => Ok(None),
        1 => of.result(plain::stack_plain(of.at(0), &number(of.py, 0))?),
        _ => of.result(primitive::joined(of.at(0), 0)?),
    };
    "where" ("/condition"; "/x", "/y") = |of| match (of.has(1), of.has(2)) {
        (true, true) => of.result(primitive::selected(of.at(0), of.at(1), of.at(2))?),
        (false, false) => of.result(plain::nonzero_plain(of.at(0))?),
        _ => Ok(None),
    };
    "zeros" ("shape"; "dtype") = |of| new(of, true, 0.0);
    "zeros_like" ("a";) = |of| of.result(plain::full_like_plain(of.at(0), &number(of.py, 0))?);
}

impl<'py> Given<'py> {
    /// Returns an argument, or the default `value`.
    fn integer(&self, at: usize, value: isize) -> Bound<'py, PyAny> {
        self.values[at]
            .clone()
            .unwrap_or_else(|| number(self.py, value))
    }

    /// Returns an argument, or the default text.
    fn text(&self, at: usize, text: &str) -> Bound<'py, PyAny> {
        let text = || PyString::intern(self.py, text).into_any();
        self.values[at].clone().unwrap_or_else(text)
    }
}

/// The sum of the diagonal of a matrix.
fn trace(of: &Given<'_>) -> Made {
    match plain::diagonal_plain(of.at(0), &of.integer(1, 0))? {
        Some(line) => plain::reduce_plain(&line.bind(of.py)?, "sum", &number(of.py, 0), false),
        None => Ok(None),
    }
}

/// Returns an object of the class of arrays itself.
fn exact<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, NdArray>> {
    object.cast_exact::<NdArray>().ok()
}

fn copy(of: &Given<'_>) -> Made {
    of.result(Some(primitive::copy(of.at(0).extract::<Source<'_>>()?)?))
}

fn reduce(of: &Given<'_>, name: &str) -> Made {
    plain::reduce_plain(of.at(0), name, of.at(1), false)
}

fn convolve(of: &Given<'_>, mode: &str, is_correlation: bool) -> Made {
    match of.text(2, mode).cast::<PyString>() {
        Ok(mode) => {
            let mode = mode.to_str()?;
            of.result(plain::convolve_plain(
                of.at(0),
                of.at(1),
                mode,
                is_correlation,
            )?)
        }
        Err(_) => Ok(None),
    }
}

/// Returns the relative and the absolute tolerance.
fn tolerances<'py>(of: &Given<'py>) -> [Bound<'py, PyAny>; 2] {
    let or = |at: usize, value| {
        let default = || PyFloat::new(of.py, value).into_any();
        of.values[at].clone().unwrap_or_else(default)
    };
    [or(2, 1e-5), or(3, 1e-8)]
}

/// Creates an array of zeros, or of elements to be written before they are read.
fn new(of: &Given<'_>, is_set: bool, value: f64) -> Made {
    let dtype = match of.has(1) {
        false => DType::F64,
        true => match dtype::from_class_or_name(of.at(1))? {
            Some(dtype) => dtype,
            None => return Ok(None),
        },
    };
    of.result(create::new(of.at(0), dtype, is_set, value)?)
}

/// Returns the number of axes of the first of several arrays in a list or tuple; 0 for other
/// objects.
fn first_ndim(arrays: &Bound<'_, PyAny>) -> usize {
    let first = plain::items(arrays).and_then(|items| items.into_iter().next());
    first
        .as_ref()
        .and_then(exact)
        .and_then(|array| array.as_super().get().ndim().ok())
        .unwrap_or(0)
}
