//! The Rust types of array elements.

use std::fmt::Debug;

use super::{CastFrom, Complex, DType, Scalar, f16};

mod sealed {
    pub trait Sealed {}
}

/// A Rust type of array elements. Sealed: there is one for each [`DType`].
pub trait Element:
    sealed::Sealed
    + Copy
    + Default
    + Debug
    + PartialEq
    + Send
    + Sync
    + 'static
    + Into<Scalar>
    + CastFrom<bool>
    + CastFrom<i8>
    + CastFrom<i16>
    + CastFrom<i32>
    + CastFrom<i64>
    + CastFrom<u8>
    + CastFrom<u16>
    + CastFrom<u32>
    + CastFrom<u64>
    + CastFrom<f16>
    + CastFrom<f32>
    + CastFrom<f64>
    + CastFrom<Complex<f32>>
    + CastFrom<Complex<f64>>
{
    /// The dynamic type.
    const DTYPE: DType;
    /// 0, or false.
    const ZERO: Self;
    /// 1, or true.
    const ONE: Self;

    /// Returns the value as a dynamic scalar of the same type.
    fn to_scalar(self) -> Scalar;

    /// Returns the scalar's value, cast to this type as by [`Scalar::cast`].
    fn from_scalar(scalar: &Scalar) -> Self;

    /// Whether the value counts as true: not zero. NaN is true.
    fn is_true(self) -> bool;

    /// Whether the value is NaN; for a complex number, whether a part is NaN. Never true for an
    /// integer.
    #[inline(always)]
    #[allow(clippy::eq_op, reason = "NaN is what differs from itself")]
    fn is_not_a_number(self) -> bool {
        self != self
    }
}

macro_rules! element {
    ($($type:ty, $variant:ident, $zero:expr, $one:expr);*) => {
        $(impl sealed::Sealed for $type {}

        impl Element for $type {
            const DTYPE: DType = DType::$variant;
            const ZERO: Self = $zero;
            const ONE: Self = $one;

            #[inline(always)]
            fn to_scalar(self) -> Scalar {
                Scalar::$variant(self)
            }

            fn from_scalar(scalar: &Scalar) -> Self {
                match *scalar {
                    Scalar::Bool(value) => Self::cast_from(value),
                    Scalar::I8(value) => Self::cast_from(value),
                    Scalar::I16(value) => Self::cast_from(value),
                    Scalar::I32(value) => Self::cast_from(value),
                    Scalar::I64(value) => Self::cast_from(value),
                    Scalar::U8(value) => Self::cast_from(value),
                    Scalar::U16(value) => Self::cast_from(value),
                    Scalar::U32(value) => Self::cast_from(value),
                    Scalar::U64(value) => Self::cast_from(value),
                    Scalar::F16(value) => Self::cast_from(value),
                    Scalar::F32(value) => Self::cast_from(value),
                    Scalar::F64(value) => Self::cast_from(value),
                    Scalar::C64(value) => Self::cast_from(value),
                    Scalar::C128(value) => Self::cast_from(value),
                }
            }

            #[inline(always)]
            fn is_true(self) -> bool {
                self != Self::ZERO
            }
        })*
    };
}

element!(
    bool, Bool, false, true;
    i8, I8, 0, 1;
    i16, I16, 0, 1;
    i32, I32, 0, 1;
    i64, I64, 0, 1;
    u8, U8, 0, 1;
    u16, U16, 0, 1;
    u32, U32, 0, 1;
    u64, U64, 0, 1;
    f16, F16, f16::ZERO, f16::ONE;
    f32, F32, 0.0, 1.0;
    f64, F64, 0.0, 1.0;
    Complex<f32>, C64, Complex::new(0.0, 0.0), Complex::new(1.0, 0.0);
    Complex<f64>, C128, Complex::new(0.0, 0.0), Complex::new(1.0, 0.0)
);
