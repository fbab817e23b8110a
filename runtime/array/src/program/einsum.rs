//! Einstein's summation convention: products of any number of arrays, summed over the axes that the
//! result does not name.

mod parse;

use parse::Subscripts;

use super::{Array, DynArray};
use crate::dtype::Number;
use crate::lower::{View, wrong};
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Returns the product of arrays, summed over the axes that the result does not name, as
    /// NumPy's `einsum`. Letters name axes, and `...` stands for unnamed axes. The axes of the
    /// result follow `->`. Without it, the result has each letter that occurs once, in alphabetical
    /// order.
    ///
    /// # Errors
    /// Returns an error if the subscripts are invalid or do not match the arrays, or too many axes
    /// are needed at once.
    #[track_caller]
    pub fn einsum(subscripts: &str, arrays: &[&DynArray]) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let ranks: Vec<usize> = arrays.iter().map(|array| array.ndim()).collect();
        let Subscripts { inputs, output } =
            Subscripts::parse(subscripts, &ranks).map_err(|why| wrong("einsum", &why))?;
        let views = arrays.iter().map(|array| &array.view);
        let inputs: Vec<_> = views.zip(inputs).collect();
        Ok(View::einsum(&inputs, &output)?.into())
    }
}

/// Returns the product of arrays, summed over the axes that the result does not name:
/// `einsum("ij,jk->ik", &[&a, &b])`. Letters name axes, and `...` stands for unnamed axes. Without
/// `->` the result has each letter that occurs once, in alphabetical order.
///
/// # Panics
/// Panics at the caller's line if the subscripts are invalid or do not match the arrays, or too
/// many axes are needed at once.
#[track_caller]
pub fn einsum<T: Number>(subscripts: &str, arrays: &[&Array<T>]) -> Array<T> {
    let arrays: Vec<&DynArray> = arrays.iter().map(|array| array.as_dyn()).collect();
    Array::wrap(at_call(DynArray::einsum(subscripts, &arrays)))
}
