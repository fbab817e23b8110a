//! Functions of all elements, or of those along one axis.

use super::operations;
use crate::dtype::{DType, Scalar};

operations! {
    /// A function of many elements.
    ReduceOp {
        /// The sum.
        Sum = "sum",
        /// The product.
        Prod = "prod",
        /// The smallest; NaN if one is NaN. Not defined for no elements.
        Min = "min",
        /// The largest; NaN if one is NaN. Not defined for no elements.
        Max = "max",
        /// The smallest that is not NaN; NaN if there is none. Not defined for no elements.
        FMin = "fmin",
        /// The largest that is not NaN; NaN if there is none. Not defined for no elements.
        FMax = "fmax",
        /// Whether one is not zero.
        Any = "any",
        /// Whether none is zero.
        All = "all",
        /// The number of those that are not zero.
        CountNonzero = "count_nonzero",
        /// The index of the first smallest one, or of the first NaN. Not defined for no elements.
        ArgMin = "argmin",
        /// The index of the first largest one, or of the first NaN. Not defined for no elements.
        ArgMax = "argmax",
    }
}

impl ReduceOp {
    /// Returns the type of the result, and of partial results, for elements of type `input`.
    ///
    /// Sums and products of `bool` and signed integers are `i64`, and of unsigned integers `u64`.
    /// Those of `f16` are `f32`, which the caller rounds. Indices and counts are `i64`.
    pub fn output_dtype(self, input: DType) -> DType {
        match self {
            ReduceOp::Sum | ReduceOp::Prod => match input {
                DType::Bool => DType::I64,
                integer if integer.is_signed_integer() => DType::I64,
                integer if integer.is_unsigned_integer() => DType::U64,
                other => other.accumulator(),
            },
            ReduceOp::Min | ReduceOp::Max | ReduceOp::FMin | ReduceOp::FMax => input,
            ReduceOp::Any | ReduceOp::All => DType::Bool,
            ReduceOp::CountNonzero | ReduceOp::ArgMin | ReduceOp::ArgMax => DType::I64,
        }
    }

    /// Whether the function is defined for elements of type `input`: complex numbers have no order.
    pub fn is_defined(self, input: DType) -> bool {
        use ReduceOp::{ArgMax, ArgMin, FMax, FMin, Max, Min};
        let is_ordered = matches!(self, Min | Max | FMin | FMax | ArgMin | ArgMax);
        !(input.is_complex() && is_ordered)
    }

    /// Returns the operation that combines partial results: the sum for counts, and otherwise the
    /// same operation.
    pub fn combining(self) -> ReduceOp {
        match self {
            ReduceOp::CountNonzero => ReduceOp::Sum,
            other => other,
        }
    }

    /// Returns the result for no elements of type `input`; `None` if there is none.
    pub fn reduce_empty(self, input: DType) -> Option<Scalar> {
        let dtype = self.output_dtype(input);
        match self {
            ReduceOp::Sum | ReduceOp::Any | ReduceOp::CountNonzero => Some(Scalar::zero(dtype)),
            ReduceOp::Prod | ReduceOp::All => Some(Scalar::one(dtype)),
            _ => None,
        }
    }

    /// Whether the result is an index. Partial results are then pairs of a value and an index.
    pub fn is_index(self) -> bool {
        matches!(self, ReduceOp::ArgMin | ReduceOp::ArgMax)
    }
}
