//! Running results along an axis.

use super::{ReduceOp, operations};
use crate::dtype::DType;

operations! {
    /// A function that gives, at each position, the result of all terms up to there.
    ScanOp {
        /// The running sum.
        CumSum = "cumsum",
        /// The running product.
        CumProd = "cumprod",
    }
}

impl ScanOp {
    /// The function of many elements whose results up to each position these are.
    pub fn reduce(self) -> ReduceOp {
        match self {
            ScanOp::CumSum => ReduceOp::Sum,
            ScanOp::CumProd => ReduceOp::Prod,
        }
    }

    /// The type of the results for elements of type `input`: that of their sum, as [`ReduceOp::output_dtype`] has it.
    pub fn output_dtype(self, input: DType) -> DType {
        self.reduce().output_dtype(input)
    }
}
