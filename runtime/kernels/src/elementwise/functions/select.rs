//! The selection between two values.

#![allow(unsafe_code, reason = "a function is a promise about its loops")]

use std::hash::Hasher;

use super::super::select_block;
use super::{call, cast};
use crate::chain::{Body, Function, StepKind};
use crate::dtype::DType;

/// The selection as a function of chains. The field gives the type a size, so that its address is
/// unique.
#[derive(Debug)]
struct Select(u8);

static SELECT: Select = Select(2);

/// Returns the function whose result is the second of three values if the first (of any dtype) is
/// not zero, and otherwise the third.
pub fn select() -> &'static dyn Function {
    &SELECT
}

// SAFETY: the loop chooses elements of the dtype of the values, which is also that of the result,
// by a `bool`. Other conditions are cast first.
unsafe impl Function for Select {
    fn name(&self) -> &str {
        "where"
    }

    fn inputs(&self) -> usize {
        3
    }

    fn output(&self, inputs: &[DType]) -> Option<DType> {
        match *inputs {
            [_, dtype, other] if dtype == other => Some(dtype),
            _ => None,
        }
    }

    fn body(&self, inputs: &[DType]) -> Option<Body> {
        match *inputs {
            [DType::Bool, dtype, _] => Some(Body::Ternary(select_block(dtype))),
            _ => None,
        }
    }

    fn before(&self, input: usize, inputs: &[DType]) -> Option<StepKind> {
        let is_number = self.is_condition(input) && inputs.first() != Some(&DType::Bool);
        is_number.then(|| cast(DType::Bool).into())
    }

    fn is_condition(&self, input: usize) -> bool {
        input == 0
    }

    fn has_cuda(&self) -> bool {
        true
    }

    fn cuda(&self, arguments: &[String], _inputs: &[DType]) -> Option<String> {
        Some(call("choose", arguments))
    }

    fn hash_name(&self, state: &mut dyn Hasher) {
        state.write_isize(self.0.into());
    }
}
