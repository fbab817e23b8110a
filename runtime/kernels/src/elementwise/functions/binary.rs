//! Functions of two elements.

#![allow(unsafe_code, reason = "a function is a promise about its loops")]

use std::hash::Hasher;

use super::super::{binary_block, pair_block};
use super::call;
use crate::BinaryOp;
use crate::chain::{Block, Body, Function, Side};
use crate::dtype::DType;

by_op!(Binary, BinaryOp);

// SAFETY: the loops are for these dtypes.
unsafe impl Function for Binary {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn inputs(&self) -> usize {
        2
    }

    fn output(&self, inputs: &[DType]) -> Option<DType> {
        match *inputs {
            [dtype, other] if dtype == other => self.0.output_dtype(dtype),
            _ => None,
        }
    }

    fn body(&self, inputs: &[DType]) -> Option<Body> {
        let block = binary_block(self.0, *inputs.first()?)?;
        Some(Body::Binary(block))
    }

    fn paired(&self, next: &dyn Function, side: Side, inputs: [DType; 3]) -> Option<Block<4>> {
        // The result of a function that can be paired has the dtype of its inputs.
        pair_block(self.0, BinaryOp::of(next)?, side, inputs[0])
    }

    fn is_long(&self) -> bool {
        matches!(
            self.0,
            BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::LogAddExp | BinaryOp::LogAddExp2
        )
    }

    fn gpu_name(&self) -> &str {
        short_name(self.0)
    }

    fn has_cuda(&self) -> bool {
        true
    }

    fn cuda(&self, arguments: &[String], inputs: &[DType]) -> Option<String> {
        // Of zeros with different signs, NumPy returns the first for `f16`; the GPU's function of
        // `f32` returns the second.
        let is_swapped = matches!(self.0, BinaryOp::Minimum | BinaryOp::Maximum)
            && inputs.first() == Some(&DType::F16);
        match arguments {
            [first, second] if is_swapped => {
                Some(call(self.0.name(), &[second.clone(), first.clone()]))
            }
            _ => Some(call(self.0.name(), arguments)),
        }
    }

    fn hash_name(&self, state: &mut dyn Hasher) {
        state.write_isize(1);
        state.write_isize(self.0 as isize);
    }
}

/// Returns the short name of a function of two elements.
const fn short_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::Div => "div",
        BinaryOp::FloorDiv => "floordiv",
        BinaryOp::Rem => "rem",
        BinaryOp::Pow => "pow",
        BinaryOp::Atan2 => "atan2",
        BinaryOp::Minimum => "min",
        BinaryOp::Maximum => "max",
        BinaryOp::Equal => "eq",
        BinaryOp::NotEqual => "ne",
        BinaryOp::Less => "lt",
        BinaryOp::LessEqual => "le",
        BinaryOp::Greater => "gt",
        BinaryOp::GreaterEqual => "ge",
        BinaryOp::LogicalAnd => "and",
        BinaryOp::LogicalOr => "or",
        BinaryOp::LogicalXor => "xor",
        BinaryOp::BitAnd => "bitand",
        BinaryOp::BitOr => "bitor",
        BinaryOp::BitXor => "bitxor",
        BinaryOp::ShiftLeft => "shl",
        BinaryOp::ShiftRight => "shr",
        other => other.name(),
    }
}
