//! User functions of the elements at one index.

use smallvec::SmallVec;
use weft_core::define::Elementwise;
use weft_core::error::{CallError, Error};
use weft_core::site::Site;
use weft_core::words;

use super::{Array, DynArray, Value};
use crate::dtype::Element;
use crate::lower::{Input, View, core_of};
use crate::shape::Shape;

impl DynArray {
    /// Applies a function to `inputs`, broadcast together.
    ///
    /// # Errors
    /// Returns an error if the number of inputs is not that of the function, they have other
    /// dtypes, or they do not broadcast together.
    #[track_caller]
    pub fn map(function: &Elementwise, inputs: &[Value]) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let operation = function.name();
        let inputs: SmallVec<[Input<'_>; 4]> = inputs.iter().map(Input::from).collect();
        let dtypes: SmallVec<[_; 4]> = inputs.iter().map(|input| input.dtype()).collect();
        let dtype = match inputs.len() == function.inputs() {
            true => function.output(&dtypes),
            false => None,
        };
        let dtype = dtype.ok_or_else(|| {
            let why = format!(
                "it is not defined for elements of {}",
                words::dtypes(&dtypes)
            );
            CallError::Shape { operation, why }
        })?;
        let mut shape = Shape::SCALAR;
        for input in &inputs {
            let own = input.shape();
            shape = Shape::broadcast(shape, own).ok_or_else(|| CallError::Broadcast {
                operation,
                left: shape.dims().to_vec(),
                right: own.dims().to_vec(),
            })?;
        }
        let (core, body) = (core_of(&inputs)?, function.body().clone());
        Ok(View::compute(core, (dtype, shape), body, &inputs)?.into())
    }
}

impl<T: Element> Array<T> {
    /// Applies a function to `inputs`, broadcast together. The attribute `#[weft::elementwise]`
    /// calls it.
    ///
    /// # Errors
    /// Returns an error like [`DynArray::map`], and if the results have another dtype.
    #[track_caller]
    pub fn map(function: &Elementwise, inputs: &[Value]) -> Result<Array<T>, Error> {
        Array::try_from(DynArray::map(function, inputs)?)
    }
}
