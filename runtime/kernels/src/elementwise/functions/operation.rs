//! Functions of one element and of two.

#![allow(unsafe_code, reason = "a function is a promise about its loops")]

use std::any::Any;
use std::hash::Hasher;

use super::super::pair_block;
use crate::chain::{Block, Body, Function, Side};
use crate::dtype::DType;
use crate::{BinaryOp, UnaryOp};

/// Implements the functions of a kind of operation: a static value for each, and conversions from
/// the operation to it and back. `$kind` distinguishes the kinds in names of kernels.
macro_rules! by_op {
    ($Function:ident, $Op:ident, $inputs:literal, $Body:ident, $kind:literal $($paired:item)?) => {
        /// An operation as a function of chains.
        #[derive(Debug)]
        struct $Function($Op);

        impl $Op {
            /// Returns the function as a step of chains.
            pub fn function(self) -> &'static dyn Function {
                static ALL: [$Function; $Op::ALL.len()] = {
                    let mut all = [const { $Function($Op::ALL[0]) }; $Op::ALL.len()];
                    let mut at = 0;
                    while at < all.len() {
                        all[at] = $Function($Op::ALL[at]);
                        at += 1;
                    }
                    all
                };
                &ALL[self as usize]
            }

            /// Returns the operation for which [`function`](Self::function) returned this function.
            pub fn from_function(function: &dyn Function) -> Option<$Op> {
                let function: &dyn Any = function;
                function.downcast_ref().map(|&$Function(op)| op)
            }
        }

        // SAFETY: the loops are for these dtypes.
        unsafe impl Function for $Function {
            fn name(&self) -> &str {
                self.0.name()
            }

            fn inputs(&self) -> usize {
                $inputs
            }

            fn output(&self, inputs: &[DType]) -> Option<DType> {
                let inputs: [DType; $inputs] = inputs.try_into().ok()?;
                let is_one = inputs.iter().all(|dtype| *dtype == inputs[0]);
                is_one.then(|| self.0.output_dtype(inputs[0])).flatten()
            }

            fn body(&self, inputs: &[DType]) -> Option<Body> {
                let block = self.0.declaration().block(*inputs.first()?)?;
                Some(Body::$Body(block))
            }

            $($paired)?

            fn is_long(&self) -> bool {
                self.0.declaration().is_long
            }

            fn gpu_name(&self) -> &str {
                self.0.declaration().short
            }

            fn has_cuda(&self) -> bool {
                true
            }

            fn cuda(&self, arguments: &[String], inputs: &[DType]) -> Option<String> {
                Some(self.0.declaration().expression(arguments, *inputs.first()?))
            }

            fn cuda_definitions(&self) -> Option<&str> {
                self.0.declaration().cuda
            }

            fn hash_name(&self, state: &mut dyn Hasher) {
                state.write_isize($kind);
                state.write_isize(self.0 as isize);
            }
        }
    };
}

by_op!(Unary, UnaryOp, 1, Unary, 0);
by_op! {
    Binary, BinaryOp, 2, Binary, 1
    fn paired(&self, next: &dyn Function, side: Side, inputs: [DType; 3]) -> Option<Block<4>> {
        // The result of a function that can be paired has the dtype of its inputs.
        pair_block(self.0, BinaryOp::from_function(next)?, side, inputs[0])
    }
}
