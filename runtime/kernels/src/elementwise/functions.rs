//! Functions as steps of chains.

/// Declares the functions of a kind of operation: a static value for each, and conversions from the
/// operation to it and back.
macro_rules! by_op {
    ($Function:ident, $Op:ident) => {
        /// An operation as a function of chains.
        #[derive(Debug)]
        struct $Function($Op);

        static ALL: [$Function; $Op::ALL.len()] = {
            let mut all = [const { $Function($Op::ALL[0]) }; $Op::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = $Function($Op::ALL[at]);
                at += 1;
            }
            all
        };

        impl $Op {
            /// Returns the function as a step of chains.
            pub fn function(self) -> &'static dyn Function {
                &ALL[self as usize]
            }

            /// Returns the operation for which [`function`](Self::function) returned this function.
            pub fn of(function: &dyn Function) -> Option<$Op> {
                let function: &dyn std::any::Any = function;
                function.downcast_ref().map(|&$Function(op)| op)
            }
        }
    };
}

mod binary;
mod cast;
mod select;
mod unary;

pub use cast::cast;
pub use select::select;

use crate::chain::StepKind;
use crate::{BinaryOp, UnaryOp};

impl From<UnaryOp> for StepKind {
    fn from(op: UnaryOp) -> StepKind {
        op.function().into()
    }
}

impl From<BinaryOp> for StepKind {
    fn from(op: BinaryOp) -> StepKind {
        op.function().into()
    }
}

/// Returns the call of a function in Weft's own CUDA C.
fn call(name: &str, arguments: &[String]) -> String {
    format!("weft::{name}({})", arguments.join(", "))
}
