//! Running results along an axis.

use super::{ReduceOp, operations};
use crate::dtype::DType;

operations! {
    /// A function whose result at each position is that of all terms up to there.
    ScanOp {
        /// The running sum.
        CumSum = "cumsum",
        /// The running product.
        CumProd = "cumprod",
        /// The largest term so far; NaN after a NaN.
        CumMax = "cummax",
        /// The smallest term so far; NaN after a NaN.
        CumMin = "cummin",
    }
}

impl ScanOp {
    /// Returns the reduction of all elements up to each position.
    pub fn reduce(self) -> ReduceOp {
        match self {
            ScanOp::CumSum => ReduceOp::Sum,
            ScanOp::CumProd => ReduceOp::Prod,
            ScanOp::CumMax => ReduceOp::Max,
            ScanOp::CumMin => ReduceOp::Min,
        }
    }

    /// Returns the type of the results for elements of type `input`: that of their reduction,
    /// according to [`ReduceOp::output_dtype`].
    pub fn output_dtype(self, input: DType) -> DType {
        self.reduce().output_dtype(input)
    }
}
