//! Elementwise functions.

use std::sync::Arc;

use super::exact;
use super::{Array, DynArray, IntoValue, Value};
use crate::dtype::{Comparable, Element, Float, Inexact, Integer, Number, Real};
use crate::kernel::{BinaryOp, UnaryOp};
use crate::library;
use crate::shape::Shape;
use weft_core::error::{CallError, Error, at_call};
use weft_core::runtime::{Core, OTHER_RUNTIME};
use weft_core::site::Site;

/// The shape both broadcast to.
fn together(operation: &'static str, left: &Value, right: &Value) -> Result<Shape, CallError> {
    let (left, right) = (left.shape(), right.shape());
    Shape::broadcast(left, right).ok_or_else(|| CallError::Broadcast {
        operation,
        left: left.dims().to_vec(),
        right: right.dims().to_vec(),
    })
}

/// The runtime of the arrays among `values`, which must be one.
pub(super) fn core_of<'a>(values: &[&'a Value]) -> Result<&'a Arc<Core>, CallError> {
    let mut found: Option<&Arc<Core>> = None;
    for value in values {
        let Value::Array(array) = value else { continue };
        if found.is_some_and(|core| !Arc::ptr_eq(core, &array.core)) {
            return Err(OTHER_RUNTIME);
        }
        found = Some(&array.core);
    }
    found.ok_or(CallError::Runtime("an operation needs at least one array"))
}

impl DynArray {
    /// An elementwise function of one array. Integers become `f64` for real-valued functions.
    ///
    /// # Errors
    /// The function is not defined for the dtype.
    #[track_caller]
    pub fn unary(&self, op: UnaryOp) -> Result<DynArray, CallError> {
        self.unary_by(op, Site::caller())
    }

    pub(crate) fn unary_by(&self, op: UnaryOp, call: Site) -> Result<DynArray, CallError> {
        let undefined = || CallError::DType {
            operation: op.name(),
            dtype: self.dtype(),
        };
        let dtype = op.input_dtype(self.dtype()).ok_or_else(undefined)?;
        let input = self.cast_by(dtype, call)?;
        let result = op.output_dtype(dtype).ok_or_else(undefined)?;
        let out = DynArray::unwritten(&self.core, result, self.layout.shape, call)?;
        out.write(
            library::elementwise::unary(op),
            &[&Value::Array(input)],
            call,
        )?;
        Ok(out)
    }

    /// The complex conjugates, or the array itself if it is not complex.
    pub(super) fn conjugate(&self, call: Site) -> Result<DynArray, CallError> {
        if self.dtype().is_complex() {
            return self.unary_by(UnaryOp::Conj, call);
        }
        Ok(self.clone())
    }

    /// An elementwise function of two operands, which are broadcast and cast to one dtype.
    ///
    /// # Errors
    /// The shapes do not broadcast together, or the function is not defined for the dtypes.
    #[track_caller]
    pub fn binary(
        op: BinaryOp,
        left: impl Into<Value>,
        right: impl Into<Value>,
    ) -> Result<DynArray, CallError> {
        DynArray::binary_by(op, &left.into(), &right.into(), Site::caller())
    }

    pub(crate) fn binary_by(
        op: BinaryOp,
        left: &Value,
        right: &Value,
        call: Site,
    ) -> Result<DynArray, CallError> {
        if let Some(made) = DynArray::binary_at_once_by(op, left.into(), right.into(), call) {
            return Ok(made);
        }
        let common = left.common_dtype(right);
        if let Some(exact) = exact::compare(op, left, right, common, call)? {
            return Ok(exact);
        }
        let undefined = || CallError::DType {
            operation: op.name(),
            dtype: common,
        };
        let dtype = op.input_dtype(common).ok_or_else(undefined)?;
        let result = op.output_dtype(dtype).ok_or_else(undefined)?;
        let shape = together(op.name(), left, right)?;
        let core = core_of(&[left, right])?;
        let (mut first, mut second) = (None, None);
        let left = left.cast_into(dtype, call, &mut first)?;
        let right = right.cast_into(dtype, call, &mut second)?;
        let out = DynArray::unwritten(core, result, shape, call)?;
        out.write(library::elementwise::binary(op), &[left, right], call)?;
        Ok(out)
    }

    /// Writes an elementwise function of two operands into this array.
    ///
    /// # Errors
    /// The operands do not broadcast to this array's shape, or the function is not defined for the dtypes.
    #[track_caller]
    pub fn binary_into(
        &self,
        op: BinaryOp,
        left: impl Into<Value>,
        right: impl Into<Value>,
    ) -> Result<(), CallError> {
        self.binary_into_by(op, &left.into(), &right.into(), Site::caller())
    }

    pub(crate) fn binary_into_by(
        &self,
        op: BinaryOp,
        left: &Value,
        right: &Value,
        call: Site,
    ) -> Result<(), CallError> {
        let common = left.common_dtype(right);
        if let Some(exact) = exact::compare(op, left, right, common, call)? {
            return self.assign_by(&Value::Array(exact), call);
        }
        let direct =
            op.input_dtype(common) == Some(common) && op.output_dtype(common) == Some(self.dtype());
        if !direct {
            let result = DynArray::binary_by(op, left, right, call)?;
            return self.assign_by(&Value::Array(result), call);
        }
        core_of(&[&Value::from(self), left, right])?;
        let (left, right) = (left.cast_by(common, call)?, right.cast_by(common, call)?);
        self.overwrite(library::elementwise::binary(op), &[&left, &right], call)?;
        Ok(())
    }

    /// Writes an elementwise function of `input` into this array.
    ///
    /// # Errors
    /// `input` does not broadcast to this array's shape, or the function is not defined for the dtype.
    #[track_caller]
    pub fn unary_into(&self, op: UnaryOp, input: &DynArray) -> Result<(), CallError> {
        self.unary_into_by(op, input, Site::caller())
    }

    pub(crate) fn unary_into_by(
        &self,
        op: UnaryOp,
        input: &DynArray,
        call: Site,
    ) -> Result<(), CallError> {
        if op.output_dtype(input.dtype()) != Some(self.dtype()) {
            let result = input.unary_by(op, call)?;
            return self.assign_by(&Value::Array(result), call);
        }
        core_of(&[&self.into(), &input.into()])?;
        self.overwrite(library::elementwise::unary(op), &[&input.into()], call)?;
        Ok(())
    }

    /// `left` where the condition is true, `right` elsewhere: NumPy's `where`.
    ///
    /// # Errors
    /// The condition is not `bool`, or the shapes do not broadcast together.
    #[track_caller]
    pub fn select(
        condition: &DynArray,
        left: impl Into<Value>,
        right: impl Into<Value>,
    ) -> Result<DynArray, CallError> {
        DynArray::select_by(condition, &left.into(), &right.into(), Site::caller())
    }

    pub(crate) fn select_by(
        condition: &DynArray,
        left: &Value,
        right: &Value,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let operation = "where";
        if !condition.dtype().is_bool() {
            return Err(CallError::DType {
                operation,
                dtype: condition.dtype(),
            });
        }
        let dtype = left.common_dtype(right);
        let (left, right) = (left.cast_by(dtype, call)?, right.cast_by(dtype, call)?);
        let condition = Value::from(condition);
        let core = core_of(&[&condition, &left, &right])?;
        let shape = together(operation, &left, &right)?;
        let shape = Shape::broadcast(shape, condition.shape()).ok_or_else(|| {
            let (left, right) = (condition.shape().dims().to_vec(), shape.dims().to_vec());
            CallError::Broadcast {
                operation,
                left,
                right,
            }
        })?;
        let out = DynArray::unwritten(core, dtype, shape, call)?;
        out.write(
            library::elementwise::select(),
            &[&condition, &left, &right],
            call,
        )?;
        Ok(out)
    }
}

/// The complex numbers with these real and imaginary parts; those of `f16` have parts of `f32`.
///
/// # Panics
/// At the caller's line if the shapes do not broadcast together.
#[track_caller]
pub fn complex<T: Float>(
    real: impl IntoValue<T>,
    imaginary: impl IntoValue<T>,
) -> Array<<T as Inexact>::Complex> {
    let (real, imaginary) = (real.into_value(), imaginary.into_value());
    Array::wrap(at_call(DynArray::binary_by(
        BinaryOp::Complex,
        &real,
        &imaginary,
        Site::caller(),
    )))
}

/// `left` where `condition` is true, `right` elsewhere: NumPy's `where`.
///
/// # Panics
/// At the caller's line if the shapes do not broadcast together.
#[track_caller]
pub fn select<T: Element>(
    condition: &Array<bool>,
    left: impl IntoValue<T>,
    right: impl IntoValue<T>,
) -> Array<T> {
    let (left, right) = (left.into_value(), right.into_value());
    Array::wrap(at_call(DynArray::select_by(
        condition.as_dyn(),
        &left,
        &right,
        Site::caller(),
    )))
}

impl<T: Element> Array<T> {
    #[track_caller]
    fn unary<U: Element>(&self, op: UnaryOp) -> Array<U> {
        Array::wrap(at_call(self.as_dyn().unary_by(op, Site::caller())))
    }

    #[track_caller]
    fn try_binary<U: Element>(
        &self,
        op: BinaryOp,
        other: impl IntoValue<T>,
    ) -> Result<Array<U>, Error> {
        let (left, right) = (Value::from(self.as_dyn()), other.into_value());
        Ok(Array::wrap(DynArray::binary_by(
            op,
            &left,
            &right,
            Site::caller(),
        )?))
    }

    /// Writes a function of two arrays, or an array and a value, into this array: NumPy's `out=`.
    ///
    /// # Panics
    /// At the caller's line if the operands do not stretch to this array's shape.
    #[track_caller]
    pub fn store<A: Element>(
        &self,
        op: BinaryOp,
        left: impl IntoValue<A>,
        right: impl IntoValue<A>,
    ) {
        let (left, right) = (left.into_value(), right.into_value());
        at_call(
            self.as_dyn()
                .binary_into_by(op, &left, &right, Site::caller()),
        );
    }

    /// Writes a function of an array into this array: NumPy's `out=`.
    ///
    /// # Panics
    /// At the caller's line if the input does not stretch to this array's shape.
    #[track_caller]
    pub fn store_unary<A: Element>(&self, op: UnaryOp, input: &Array<A>) {
        at_call(
            self.as_dyn()
                .unary_into_by(op, input.as_dyn(), Site::caller()),
        );
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
    /// The distance from zero.
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
    /// Rounded to the nearest integer, halves to the even one.
    rint = Round -> T;
    /// Whether it is NaN.
    isnan = IsNan -> bool;
    /// Whether it is infinite.
    isinf = IsInf -> bool;
    /// Whether it is neither infinite nor NaN.
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
    /// Whether its sign bit is set.
    signbit = SignBit -> bool;
}

macro_rules! binary_methods {
    ($bound:ident: $($(#[$doc:meta])* $name:ident, $try_name:ident = $op:ident -> $out:ty;)*) => {
        impl<T: $bound> Array<T> {
            $($(#[$doc])*
            ///
            /// # Panics
            /// At the caller's line if the shapes do not broadcast together.
            #[track_caller]
            #[must_use]
            pub fn $name(&self, other: impl IntoValue<T>) -> Array<$out> {
                at_call(self.try_binary(BinaryOp::$op, other))
            }

            $(#[$doc])*
            ///
            /// # Errors
            /// The shapes do not broadcast together.
            #[track_caller]
            pub fn $try_name(&self, other: impl IntoValue<T>) -> Result<Array<$out>, Error> {
                self.try_binary(BinaryOp::$op, other)
            })*
        }
    };
}

binary_methods! { Number:
    /// The sum; as the operator `+`.
    plus, try_add = Add -> T;
    /// The difference; as the operator `-`.
    minus, try_sub = Sub -> T;
    /// The product; as the operator `*`.
    times, try_mul = Mul -> T;
    /// This to the power of the other.
    power, try_power = Pow -> T;
}

binary_methods! { Real:
    /// The quotient, rounded down.
    floor_divide, try_floor_divide = FloorDiv -> T;
    /// The remainder, with the divisor's sign; as the operator `%`.
    remainder, try_rem = Rem -> T;
}

binary_methods! { Inexact:
    /// The quotient; as the operator `/`.
    over, try_div = Div -> T;
}

binary_methods! { Float:
    /// The angle of the point (other, this), in radians.
    arctan2, try_arctan2 = Atan2 -> T;
    /// The length of the hypotenuse.
    hypot, try_hypot = Hypot -> T;
    /// This with the sign of the other.
    copysign, try_copysign = CopySign -> T;
    /// The minimum; if one is NaN, the other.
    fmin, try_fmin = FMin -> T;
    /// The maximum; if one is NaN, the other.
    fmax, try_fmax = FMax -> T;
}

binary_methods! { Integer:
    /// Shifted left; 0 where the count is negative or too large.
    left_shift, try_left_shift = ShiftLeft -> T;
    /// Shifted right, keeping the sign.
    right_shift, try_right_shift = ShiftRight -> T;
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
    /// Whether this is smaller.
    less, try_less = Less -> bool;
    /// Whether this is smaller or equal.
    less_equal, try_less_equal = LessEqual -> bool;
    /// Whether this is larger.
    greater, try_greater = Greater -> bool;
    /// Whether this is larger or equal.
    greater_equal, try_greater_equal = GreaterEqual -> bool;
}
