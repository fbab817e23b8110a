//! Functions as steps of chains.

mod cast;
mod operation;
mod select;

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
