//! Functions of one element.

use super::operations;
use crate::dtype::{DType, Promotion};

operations! {
    /// A function of one element.
    UnaryOp {
        /// The element itself.
        Positive = "positive",
        /// Minus the element; integers wrap.
        Neg = "negative",
        /// The absolute value; that of the most negative integer is itself.
        Abs = "absolute",
        /// -1, 0 or 1; NaN for NaN.
        Sign = "sign",
        /// The element times itself.
        Square = "square",
        /// 1 over the element; truncated for integers, and 0 for 0.
        Reciprocal = "reciprocal",
        /// The square root.
        Sqrt = "sqrt",
        /// The cube root.
        Cbrt = "cbrt",
        /// e to the power of the element.
        Exp = "exp",
        /// 2 to the power of the element.
        Exp2 = "exp2",
        /// `exp(x) - 1`, precise near 0.
        Expm1 = "expm1",
        /// The natural logarithm.
        Log = "log",
        /// The logarithm to base 2.
        Log2 = "log2",
        /// The logarithm to base 10.
        Log10 = "log10",
        /// `log(1 + x)`, precise near 0.
        Log1p = "log1p",
        /// The sine of an angle in radians.
        Sin = "sin",
        /// The cosine of an angle in radians.
        Cos = "cos",
        /// The tangent of an angle in radians.
        Tan = "tan",
        /// The inverse sine, in radians.
        Asin = "arcsin",
        /// The inverse cosine, in radians.
        Acos = "arccos",
        /// The inverse tangent, in radians.
        Atan = "arctan",
        /// The hyperbolic sine.
        Sinh = "sinh",
        /// The hyperbolic cosine.
        Cosh = "cosh",
        /// The hyperbolic tangent.
        Tanh = "tanh",
        /// The inverse hyperbolic sine.
        Asinh = "arcsinh",
        /// The inverse hyperbolic cosine.
        Acosh = "arccosh",
        /// The inverse hyperbolic tangent.
        Atanh = "arctanh",
        /// Rounded to minus infinity.
        Floor = "floor",
        /// Rounded to infinity.
        Ceil = "ceil",
        /// Rounded to zero.
        Trunc = "trunc",
        /// Rounded to the nearest integer, halves to the even one.
        Round = "rint",
        /// The element without its whole part, with its sign.
        Fraction = "fraction",
        /// The element over a power of 2, from 0.5 up to 1; of 0, infinities and NaN themselves.
        Mantissa = "mantissa",
        /// The exponent of that power, an `i32`; of 0, infinities and NaN 0.
        Exponent = "exponent",
        /// The distance to the next number.
        Spacing = "spacing",
        /// The number of bits set in the magnitude, a `u8`.
        BitCount = "bitwise_count",
        /// Degrees to radians.
        Deg2rad = "deg2rad",
        /// Radians to degrees.
        Rad2deg = "rad2deg",
        /// Whether the element is NaN.
        IsNan = "isnan",
        /// Whether the element is an infinity.
        IsInf = "isinf",
        /// Whether the element is neither an infinity nor NaN.
        IsFinite = "isfinite",
        /// Whether the sign bit is set; for integers, whether they are below 0.
        SignBit = "signbit",
        /// Whether the element is zero.
        LogicalNot = "logical_not",
        /// The complex conjugate; a real number itself.
        Conj = "conjugate",
        /// The real part of a complex number; a real number itself.
        Real = "real",
        /// The imaginary part of a complex number; 0 for a real number.
        Imag = "imag",
        /// The angle to the positive real axis, in radians.
        Angle = "angle",
        /// The element with every bit inverted; for `bool`, the other value.
        BitNot = "invert",
    }
}

impl UnaryOp {
    /// Returns the type of the result for elements of type `input`; `None` if the function is not
    /// defined for this type without a cast (see [`input_dtype`](UnaryOp::input_dtype)).
    pub fn output_dtype(self, input: DType) -> Option<DType> {
        if self.input_dtype(input) != Some(input) {
            return None;
        }
        Some(match self {
            _ if self.is_predicate() => DType::Bool,
            UnaryOp::Abs | UnaryOp::Real | UnaryOp::Imag | UnaryOp::Angle => input.real(),
            UnaryOp::Exponent => DType::I32,
            UnaryOp::BitCount => DType::U8,
            _ => input,
        })
    }

    /// Returns the type to which elements of type `input` must be cast, which is often the same;
    /// `None` if the function is not defined.
    ///
    /// These are NumPy's types, except that `signbit` and `rint` take integers without a cast.
    pub fn input_dtype(self, input: DType) -> Option<DType> {
        use UnaryOp::{
            Abs, BitCount, BitNot, Cbrt, Ceil, Conj, Deg2rad, Exponent, Floor, Fraction, Imag,
            IsFinite, IsInf, IsNan, LogicalNot, Mantissa, Neg, Positive, Rad2deg, Real, Reciprocal,
            Round, Sign, SignBit, Spacing, Square, Trunc,
        };
        match self {
            Floor | Ceil | Trunc | SignBit | Cbrt | Deg2rad | Rad2deg | Fraction | Mantissa
            | Exponent | Spacing
                if input.is_complex() =>
            {
                None
            }
            LogicalNot | IsNan | IsInf | IsFinite | Abs | Floor | Ceil | Trunc | Round => {
                Some(input)
            }
            Real | Imag => Some(input),
            Positive | Neg | Sign => (!input.is_bool()).then_some(input),
            BitNot => (input.is_bool() || input.is_integer()).then_some(input),
            Square | Reciprocal | Conj | BitCount if input.is_bool() => Some(DType::I8),
            BitCount => input.is_integer().then_some(input),
            Square | Reciprocal | Conj => Some(input),
            SignBit if input.is_integer() => Some(input),
            _ => Some(input.inexact()),
        }
    }

    /// Whether the result is a `bool` for all inputs.
    pub fn is_predicate(self) -> bool {
        use UnaryOp::{IsFinite, IsInf, IsNan, LogicalNot, SignBit};
        matches!(self, IsNan | IsInf | IsFinite | SignBit | LogicalNot)
    }
}
