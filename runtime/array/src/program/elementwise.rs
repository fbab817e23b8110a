//! Elementwise functions.

use super::{Array, DynArray, IntoValue, Value};
use crate::dtype::{Comparable, Element, Float, Inexact, Integer, Number, Real};
use crate::kernel::{BinaryOp, UnaryOp};
use crate::lower::View;
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Returns an elementwise function of one array. Integers become `f64` for real-valued
    /// functions.
    ///
    /// # Errors
    /// Returns an error if the function is not defined for the dtype.
    #[track_caller]
    pub fn unary(&self, op: UnaryOp) -> Result<DynArray, CallError> {
        Ok(self.view.unary(op, Site::caller())?.into())
    }

    /// Returns an elementwise function of two operands, which are broadcast and cast to one dtype.
    ///
    /// # Errors
    /// Returns an error if the shapes do not broadcast together, or the function is not defined for
    /// the dtypes.
    #[track_caller]
    pub fn binary(
        op: BinaryOp,
        left: impl Into<Value>,
        right: impl Into<Value>,
    ) -> Result<DynArray, CallError> {
        let (left, right) = (left.into(), right.into());
        Ok(View::binary(op, &left, &right, Site::caller())?.into())
    }

    /// Writes an elementwise function of two operands into this array.
    ///
    /// # Errors
    /// Returns an error if the operands do not broadcast to this array's shape, or the function is
    /// not defined for the dtypes.
    #[track_caller]
    pub fn binary_into(
        &self,
        op: BinaryOp,
        left: impl Into<Value>,
        right: impl Into<Value>,
    ) -> Result<(), CallError> {
        let (left, right) = (left.into(), right.into());
        self.view.binary_into(op, &left, &right, Site::caller())
    }

    /// Writes an elementwise function of `input` into this array.
    ///
    /// # Errors
    /// Returns an error if `input` does not broadcast to this array's shape, or the function is not
    /// defined for the dtype.
    #[track_caller]
    pub fn unary_into(&self, op: UnaryOp, input: &DynArray) -> Result<(), CallError> {
        self.view.unary_into(op, &input.view, Site::caller())
    }

    /// Returns `left` where the condition is true, and `right` elsewhere, as NumPy's `where`.
    ///
    /// # Errors
    /// Returns an error if the condition is not `bool`, or the shapes do not broadcast together.
    #[track_caller]
    pub fn select(
        condition: &DynArray,
        left: impl Into<Value>,
        right: impl Into<Value>,
    ) -> Result<DynArray, CallError> {
        let (left, right) = (left.into(), right.into());
        Ok(View::select(&condition.view, &left, &right, Site::caller())?.into())
    }
}

/// Returns the complex numbers with these real and imaginary parts; those of `f16` have parts of
/// `f32`.
///
/// # Panics
/// Panics at the caller's line if the shapes do not broadcast together.
#[track_caller]
pub fn complex<T: Float>(
    real: impl IntoValue<T>,
    imaginary: impl IntoValue<T>,
) -> Array<<T as Inexact>::Complex> {
    let (real, imaginary) = (real.into_value(), imaginary.into_value());
    Array::wrap(at_call(DynArray::binary(
        BinaryOp::Complex,
        real,
        imaginary,
    )))
}

/// Returns `left` where `condition` is true, and `right` elsewhere, as NumPy's `where`.
///
/// # Panics
/// Panics at the caller's line if the shapes do not broadcast together.
#[track_caller]
pub fn select<T: Element>(
    condition: &Array<bool>,
    left: impl IntoValue<T>,
    right: impl IntoValue<T>,
) -> Array<T> {
    let (left, right) = (left.into_value(), right.into_value());
    Array::wrap(at_call(DynArray::select(condition.as_dyn(), left, right)))
}

impl<T: Element> Array<T> {
    #[track_caller]
    fn unary<U: Element>(&self, op: UnaryOp) -> Array<U> {
        Array::wrap(at_call(self.as_dyn().unary(op)))
    }

    #[track_caller]
    fn try_binary<U: Element>(
        &self,
        op: BinaryOp,
        other: impl IntoValue<T>,
    ) -> Result<Array<U>, Error> {
        let made = DynArray::binary(op, self.as_dyn(), other.into_value())?;
        Ok(Array::wrap(made))
    }

    /// Writes a function of two arrays, or of an array and a value, into this array, as NumPy's
    /// `out=`.
    ///
    /// # Panics
    /// Panics at the caller's line if the operands do not broadcast to this array's shape.
    #[track_caller]
    pub fn store<A: Element>(
        &self,
        op: BinaryOp,
        left: impl IntoValue<A>,
        right: impl IntoValue<A>,
    ) {
        let (left, right) = (left.into_value(), right.into_value());
        at_call(self.as_dyn().binary_into(op, left, right));
    }

    /// Writes a function of an array into this array, as NumPy's `out=`.
    ///
    /// # Panics
    /// Panics at the caller's line if the input does not broadcast to this array's shape.
    #[track_caller]
    pub fn store_unary<A: Element>(&self, op: UnaryOp, input: &Array<A>) {
        at_call(self.as_dyn().unary_into(op, input.as_dyn()));
    }
}

macro_rules! unary_methods {
    ($bound:ident: $($(#[$doc:meta])* $name:ident = $op:ident -> $out:ty;)*) => {
        impl<T: $bound> Array<T> {
            $($(#[$doc])*
            #[track_caller]
            #[must_use]
            pub fn $name(&self) -> Array<$out> {
                self.unary(UnaryOp::$op)
            })*
        }
    };
}

unary_methods! { Number:
    /// The magnitude.
    abs = Abs -> T::Magnitude;
    /// -1, 0 or 1; for a complex number, `x / |x|`.
    sign = Sign -> T;
    /// The square.
    square = Square -> T;
    /// The complex conjugate.
    conj = Conj -> T;
    /// The real part, as a new array.
    real = Real -> T::Magnitude;
    /// The imaginary part, as a new array; 0 for real numbers.
    imag = Imag -> T::Magnitude;
}

unary_methods! { Element:
    /// True where the value is 0 or false.
    logical_not = LogicalNot -> bool;
}

unary_methods! { Inexact:
    /// The reciprocal.
    reciprocal = Reciprocal -> T;
    /// The square root.
    sqrt = Sqrt -> T;
    /// `e` to the power of the value.
    exp = Exp -> T;
    /// 2 to the power of the value.
    exp2 = Exp2 -> T;
    /// `exp(x) - 1`, exact near 0.
    expm1 = Expm1 -> T;
    /// The natural logarithm.
    log = Log -> T;
    /// The logarithm to base 2.
    log2 = Log2 -> T;
    /// The logarithm to base 10.
    log10 = Log10 -> T;
    /// `log(1 + x)`, exact near 0.
    log1p = Log1p -> T;
    /// The sine of an angle in radians.
    sin = Sin -> T;
    /// The cosine of an angle in radians.
    cos = Cos -> T;
    /// The tangent of an angle in radians.
    tan = Tan -> T;
    /// The angle with this sine.
    arcsin = Asin -> T;
    /// The angle with this cosine.
    arccos = Acos -> T;
    /// The angle with this tangent.
    arctan = Atan -> T;
    /// The hyperbolic sine.
    sinh = Sinh -> T;
    /// The hyperbolic cosine.
    cosh = Cosh -> T;
    /// The hyperbolic tangent.
    tanh = Tanh -> T;
    /// The inverse hyperbolic sine.
    arcsinh = Asinh -> T;
    /// The inverse hyperbolic cosine.
    arccosh = Acosh -> T;
    /// The inverse hyperbolic tangent.
    arctanh = Atanh -> T;
    /// Rounded to the nearest integer, ties to even.
    rint = Round -> T;
    /// Whether the value is NaN.
    isnan = IsNan -> bool;
    /// Whether the value is infinite.
    isinf = IsInf -> bool;
    /// Whether the value is neither infinite nor NaN.
    isfinite = IsFinite -> bool;
    /// The angle to the positive real axis, in radians.
    angle = Angle -> T::Magnitude;
}

unary_methods! { Float:
    /// The cube root.
    cbrt = Cbrt -> T;
    /// Rounded down.
    floor = Floor -> T;
    /// Rounded up.
    ceil = Ceil -> T;
    /// Rounded to zero.
    trunc = Trunc -> T;
    /// Degrees to radians.
    deg2rad = Deg2rad -> T;
    /// Radians to degrees.
    rad2deg = Rad2deg -> T;
    /// Whether the sign bit is set.
    signbit = SignBit -> bool;
    /// The distance to the next number.
    spacing = Spacing -> T;
}

unary_methods! { Integer:
    /// The number of bits set in the magnitude.
    bitwise_count = BitCount -> u8;
}

macro_rules! binary_methods {
    ($bound:ident: $($(#[$doc:meta])* $name:ident, $try_name:ident = $op:ident -> $out:ty;)*) => {
        impl<T: $bound> Array<T> {
            $($(#[$doc])*
            ///
            /// # Panics
            /// Panics at the caller's line if the shapes do not broadcast together.
            #[track_caller]
            #[must_use]
            pub fn $name(&self, other: impl IntoValue<T>) -> Array<$out> {
                at_call(self.try_binary(BinaryOp::$op, other))
            }

            $(#[$doc])*
            ///
            /// # Errors
            /// Returns an error if the shapes do not broadcast together.
            #[track_caller]
            pub fn $try_name(&self, other: impl IntoValue<T>) -> Result<Array<$out>, Error> {
                self.try_binary(BinaryOp::$op, other)
            })*
        }
    };
}

binary_methods! { Number:
    /// The sum, like the operator `+`.
    plus, try_add = Add -> T;
    /// The difference, like the operator `-`.
    minus, try_sub = Sub -> T;
    /// The product, like the operator `*`.
    times, try_mul = Mul -> T;
    /// This value to the power of the other. Exponents of integers must not be negative. If an
    /// exponent is known at the call, a negative one is an error of the call. Otherwise it fails
    /// the operation, with [`Cause::Exponent`](weft_core::error::Cause::Exponent).
    power, try_power = Pow -> T;
}

binary_methods! { Real:
    /// The quotient, rounded down.
    floor_divide, try_floor_divide = FloorDiv -> T;
    /// The remainder, with the divisor's sign, like the operator `%`.
    remainder, try_rem = Rem -> T;
    /// The remainder, with the dividend's sign.
    fmod, try_fmod = Fmod -> T;
}

binary_methods! { Inexact:
    /// The quotient, like the operator `/`.
    over, try_div = Div -> T;
}

binary_methods! { Float:
    /// The angle of the point (other, this), in radians.
    arctan2, try_arctan2 = Atan2 -> T;
    /// The length of the hypotenuse.
    hypot, try_hypot = Hypot -> T;
    /// This value with the sign of the other.
    copysign, try_copysign = CopySign -> T;
    /// The next number after this in the direction of the other.
    nextafter, try_nextafter = NextAfter -> T;
    /// The step function: 0 for negative elements, 1 for positive ones, the other operand at 0.
    heaviside, try_heaviside = Heaviside -> T;
    /// The natural logarithm of the sum of powers of e.
    logaddexp, try_logaddexp = LogAddExp -> T;
    /// The logarithm to base 2 of the sum of powers of 2.
    logaddexp2, try_logaddexp2 = LogAddExp2 -> T;
    /// The minimum; if one is NaN, the other.
    fmin, try_fmin = FMin -> T;
    /// The maximum; if one is NaN, the other.
    fmax, try_fmax = FMax -> T;
}

binary_methods! { Integer:
    /// Shifted left; 0 if the count is negative or too large.
    left_shift, try_left_shift = ShiftLeft -> T;
    /// Shifted right, keeping the sign.
    right_shift, try_right_shift = ShiftRight -> T;
    /// The greatest common divisor.
    gcd, try_gcd = Gcd -> T;
    /// The least common multiple; it wraps.
    lcm, try_lcm = Lcm -> T;
}

binary_methods! { Element:
    /// Whether both are equal.
    equal, try_equal = Equal -> bool;
    /// Whether they differ.
    not_equal, try_not_equal = NotEqual -> bool;
    /// Whether neither is 0 or false.
    logical_and, try_logical_and = LogicalAnd -> bool;
    /// Whether at least one is neither 0 nor false.
    logical_or, try_logical_or = LogicalOr -> bool;
    /// Whether exactly one is 0 or false.
    logical_xor, try_logical_xor = LogicalXor -> bool;
}

binary_methods! { Comparable:
    /// The minimum; NaN if one is NaN.
    minimum, try_minimum = Minimum -> T;
    /// The maximum; NaN if one is NaN.
    maximum, try_maximum = Maximum -> T;
    /// Whether this value is smaller.
    less, try_less = Less -> bool;
    /// Whether this value is smaller or equal.
    less_equal, try_less_equal = LessEqual -> bool;
    /// Whether this value is larger.
    greater, try_greater = Greater -> bool;
    /// Whether this value is larger or equal.
    greater_equal, try_greater_equal = GreaterEqual -> bool;
}
