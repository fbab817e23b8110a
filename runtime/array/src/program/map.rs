//! Functions of a user's own of the elements at one index.

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
    /// The results of a function of these, broadcast together.
    ///
    /// # Errors
    /// There are as many inputs as the function has not, they have other dtypes or do not broadcast together.
    #[track_caller]
    pub fn map(function: &Elementwise, inputs: &[Value]) -> Result<DynArray, CallError> {
        let call = Site::caller();
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
        Ok(View::made(core, (dtype, shape), body, &inputs, call)?.into())
    }
}

impl<T: Element> Array<T> {
    /// The results of a function of these, broadcast together. The attribute `#[weft::elementwise]` calls it.
    ///
    /// # Errors
    /// Returns an error as [`DynArray::map`]; or the results are of another dtype.
    #[track_caller]
    pub fn map(function: &Elementwise, inputs: &[Value]) -> Result<Array<T>, Error> {
        Array::try_from(DynArray::map(function, inputs)?)
    }
}
