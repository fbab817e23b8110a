//! Conversions to other dtypes.

#![allow(unsafe_code, reason = "a function is a promise about its loops")]

use std::hash::Hasher;

use super::super::cast_block;
use super::call;
use crate::chain::{Body, Function};
use crate::dtype::DType;

/// The conversion to a dtype as a function of chains.
#[derive(Debug)]
struct Cast {
    to: DType,
    name: &'static str,
}

/// The conversions, in the order of [`DType::ALL`].
static ALL: [Cast; DType::ALL.len()] = {
    use DType::{Bool, C64, C128, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    [
        to(Bool, "cast_bool"),
        to(I8, "cast_i8"),
        to(I16, "cast_i16"),
        to(I32, "cast_i32"),
        to(I64, "cast_i64"),
        to(U8, "cast_u8"),
        to(U16, "cast_u16"),
        to(U32, "cast_u32"),
        to(U64, "cast_u64"),
        to(F16, "cast_f16"),
        to(F32, "cast_f32"),
        to(F64, "cast_f64"),
        to(C64, "cast_complex64"),
        to(C128, "cast_complex128"),
    ]
};

const fn to(to: DType, name: &'static str) -> Cast {
    Cast { to, name }
}

/// Returns the function that converts a value to another dtype.
pub fn cast(to: DType) -> &'static dyn Function {
    &ALL[to as usize]
}

// SAFETY: the loop is for these dtypes. A value that has the dtype already is the result.
unsafe impl Function for Cast {
    fn name(&self) -> &str {
        self.name
    }

    fn inputs(&self) -> usize {
        1
    }

    fn output(&self, _inputs: &[DType]) -> Option<DType> {
        Some(self.to)
    }

    fn body(&self, inputs: &[DType]) -> Option<Body> {
        match *inputs {
            [from] if from == self.to => Some(Body::Same),
            [from] => Some(Body::Unary(cast_block(from, self.to))),
            _ => None,
        }
    }

    fn has_cuda(&self) -> bool {
        true
    }

    fn cuda(&self, arguments: &[String], _inputs: &[DType]) -> Option<String> {
        Some(call(&format!("to_{}", self.to.name()), arguments))
    }

    fn hash_name(&self, state: &mut dyn Hasher) {
        state.write_isize(3);
        state.write_isize(self.to as isize);
    }
}
