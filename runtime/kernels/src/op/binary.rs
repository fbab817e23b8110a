//! Functions of two elements.

use super::operations;
use crate::dtype::{DType, Promotion};

operations! {
    /// A function of two elements of the same type.
    BinaryOp {
        /// The sum; integers wrap, `bool` is "or".
        Add = "add",
        /// The difference; integers wrap.
        Sub = "subtract",
        /// The product; integers wrap, `bool` is "and".
        Mul = "multiply",
        /// The quotient of floats.
        Div = "divide",
        /// The quotient rounded to minus infinity; 0 for an integer over 0.
        FloorDiv = "floor_divide",
        /// The remainder with the divisor's sign; 0 for an integer over 0.
        Rem = "remainder",
        /// The remainder with the dividend's sign; 0 for an integer over 0.
        Fmod = "fmod",
        /// The first to the power of the second; an integer to a negative power is truncated.
        Pow = "power",
        /// The angle of the point (second, first), in radians.
        Atan2 = "arctan2",
        /// The length of the vector of both.
        Hypot = "hypot",
        /// The first with the sign of the second.
        CopySign = "copysign",
        /// The first times 2 to the power of the second, which is an integer.
        LdExp = "ldexp",
        /// The next number after the first in the direction of the second.
        NextAfter = "nextafter",
        /// 0 if the first is negative, 1 if it is positive, the second at 0.
        Heaviside = "heaviside",
        /// The natural logarithm of the sum of powers of e.
        LogAddExp = "logaddexp",
        /// The logarithm to base 2 of the sum of powers of 2.
        LogAddExp2 = "logaddexp2",
        /// The greatest common divisor.
        Gcd = "gcd",
        /// The least common multiple; it wraps.
        Lcm = "lcm",
        /// The smaller one; NaN if one is NaN.
        Minimum = "minimum",
        /// The larger one; NaN if one is NaN.
        Maximum = "maximum",
        /// The smaller one; the other one if one is NaN.
        FMin = "fmin",
        /// The larger one; the other one if one is NaN.
        FMax = "fmax",
        /// The complex number of a real part and an imaginary one.
        Complex = "complex",
        /// Whether both are equal.
        Equal = "equal",
        /// Whether they differ.
        NotEqual = "not_equal",
        /// Whether the first is smaller.
        Less = "less",
        /// Whether the first is smaller or equal.
        LessEqual = "less_equal",
        /// Whether the first is larger.
        Greater = "greater",
        /// Whether the first is larger or equal.
        GreaterEqual = "greater_equal",
        /// Whether both are not zero.
        LogicalAnd = "logical_and",
        /// Whether one is not zero.
        LogicalOr = "logical_or",
        /// Whether exactly one is not zero.
        LogicalXor = "logical_xor",
        /// The bits set in both.
        BitAnd = "bitwise_and",
        /// The bits set in one.
        BitOr = "bitwise_or",
        /// The bits set in exactly one.
        BitXor = "bitwise_xor",
        /// The first shifted left; 0 if the second is negative or too large.
        ShiftLeft = "left_shift",
        /// The first shifted right, keeping its sign.
        ShiftRight = "right_shift",
    }
}

impl BinaryOp {
    /// Returns the type of the result for two elements of type `input`; `None` if the function is
    /// not defined for this type without a cast (see [`input_dtype`](BinaryOp::input_dtype)).
    pub fn output_dtype(self, input: DType) -> Option<DType> {
        if self.input_dtype(input) != Some(input) {
            return None;
        }
        Some(match (self, input) {
            _ if self.is_predicate() => DType::Bool,
            (BinaryOp::Complex, DType::F32) => DType::C64,
            (BinaryOp::Complex, _) => DType::C128,
            _ => input,
        })
    }

    /// Returns the type to which two elements of the (promoted) type `input` must be cast, which is
    /// often the same; `None` if the function is not defined.
    ///
    /// These are NumPy's types, except that complex numbers have no order here.
    pub fn input_dtype(self, input: DType) -> Option<DType> {
        use BinaryOp::{
            Atan2, BitAnd, BitOr, BitXor, Complex, CopySign, Div, Equal, FMax, FMin, FloorDiv,
            Fmod, Gcd, Heaviside, Hypot, Lcm, LdExp, LogAddExp, LogAddExp2, Maximum, Minimum,
            NextAfter, NotEqual, Pow, Rem, ShiftLeft, ShiftRight, Sub,
        };
        match self {
            Equal | NotEqual => Some(input),
            Atan2 | Hypot | CopySign | LdExp | NextAfter | Heaviside | LogAddExp | LogAddExp2
            | FloorDiv | Rem | Fmod | Minimum | Maximum | FMin | FMax | Complex
                if input.is_complex() =>
            {
                None
            }
            _ if self.is_comparison() && input.is_complex() => None,
            // Parts of complex numbers have at least 32 bits.
            Complex => Some(DType::promote(input.inexact(), DType::F32)),
            Div if input.is_bool() || input.is_integer() => Some(DType::F64),
            Atan2 | Hypot | CopySign | LdExp | NextAfter | Heaviside | LogAddExp | LogAddExp2 => {
                Some(input.inexact())
            }
            FloorDiv | Rem | Fmod | Pow | ShiftLeft | ShiftRight if input.is_bool() => {
                Some(DType::I8)
            }
            Sub if input.is_bool() => None,
            BitAnd | BitOr | BitXor => (input.is_bool() || input.is_integer()).then_some(input),
            ShiftLeft | ShiftRight | Gcd | Lcm => input.is_integer().then_some(input),
            _ => Some(input),
        }
    }

    /// Whether this is one of the six comparisons.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(
            self,
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual
        )
    }

    /// Whether the result is a `bool` for all inputs.
    pub fn is_predicate(self) -> bool {
        use BinaryOp::{LogicalAnd, LogicalOr, LogicalXor};
        self.is_comparison() || matches!(self, LogicalAnd | LogicalOr | LogicalXor)
    }
}
