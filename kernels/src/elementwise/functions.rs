//! The functions as steps of chains.

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

/// The call of a function of the CUDA C that comes with Weft.
fn call(name: &str, arguments: &[String]) -> String {
    format!("weft::{name}({})", arguments.join(", "))
}
