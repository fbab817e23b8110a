//! Functions of one element.

#![allow(unsafe_code, reason = "a function is a promise about its loops")]

use std::hash::Hasher;

use super::super::unary_block;
use super::call;
use crate::UnaryOp;
use crate::chain::{Body, Function};
use crate::dtype::DType;

by_op!(Unary, UnaryOp);

// SAFETY: the loops are for these dtypes.
unsafe impl Function for Unary {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn inputs(&self) -> usize {
        1
    }

    fn output(&self, inputs: &[DType]) -> Option<DType> {
        match *inputs {
            [dtype] => self.0.output_dtype(dtype),
            _ => None,
        }
    }

    fn body(&self, inputs: &[DType]) -> Option<Body> {
        let block = unary_block(self.0, *inputs.first()?)?;
        Some(Body::Unary(block))
    }

    fn is_long(&self) -> bool {
        is_long(self.0)
    }

    fn gpu_name(&self) -> &str {
        short_name(self.0)
    }

    fn has_cuda(&self) -> bool {
        true
    }

    fn cuda(&self, arguments: &[String], _inputs: &[DType]) -> Option<String> {
        Some(call(self.0.name(), arguments))
    }

    fn hash_name(&self, state: &mut dyn Hasher) {
        state.write_isize(0);
        state.write_isize(self.0 as isize);
    }
}

/// Whether the function takes many instructions: exponentials, logarithms, trigonometry and the
/// cube root.
const fn is_long(op: UnaryOp) -> bool {
    use UnaryOp::{
        Acos, Acosh, Asin, Asinh, Atan, Atanh, Cbrt, Cos, Cosh, Exp, Exp2, Expm1, Log, Log1p, Log2,
        Log10, Sin, Sinh, Tan, Tanh,
    };
    matches!(
        op,
        Exp | Exp2
            | Expm1
            | Log
            | Log2
            | Log10
            | Log1p
            | Cbrt
            | Sin
            | Cos
            | Tan
            | Asin
            | Acos
            | Atan
            | Sinh
            | Cosh
            | Tanh
            | Asinh
            | Acosh
            | Atanh
    )
}

/// Returns the short name of a function of one element: C's name if NumPy's is long.
const fn short_name(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Positive => "pos",
        UnaryOp::Neg => "neg",
        UnaryOp::Abs => "abs",
        UnaryOp::Reciprocal => "recip",
        UnaryOp::Asin => "asin",
        UnaryOp::Acos => "acos",
        UnaryOp::Atan => "atan",
        UnaryOp::Asinh => "asinh",
        UnaryOp::Acosh => "acosh",
        UnaryOp::Atanh => "atanh",
        UnaryOp::LogicalNot => "not",
        UnaryOp::BitNot => "bitnot",
        other => other.name(),
    }
}
