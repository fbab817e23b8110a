//! Conversion between all pairs of element types.

use super::{Complex, f16, half};

/// Conversion as by NumPy's `astype`. `bool` to a number is 0 or 1, and a number to `bool` is "not
/// zero" (NaN is true). Integers wrap. A float is truncated to an integer, saturating; NaN becomes
/// 0. A complex number becomes its real part, except for `bool`.
pub trait CastFrom<T> {
    /// Converts the value.
    fn cast_from(value: T) -> Self;
}

/// Converts a value by way of a third type.
#[inline(always)]
fn by_way_of<M: CastFrom<T>, T, U: CastFrom<M>>(value: T) -> U {
    U::cast_from(M::cast_from(value))
}

macro_rules! cast {
    ($($from:ty => $to:ty: $cast:expr;)*) => {
        $(impl CastFrom<$from> for $to {
            #[inline(always)]
            fn cast_from(value: $from) -> $to {
                $cast(value)
            }
        })*
    };
}

/// Implements conversions from one primitive number type to all others.
macro_rules! primitive {
    ($from:ty => $($to:ty),*) => {
        cast! {
            $($from => $to: |value| value as $to;)*
            $from => bool: |value| value != <$from>::default();
            bool => $from: |value| u8::from(value) as $from;
            $from => f16: |value| half::from_f64(value as f64);
            f16 => $from: |value: f16| value.to_f32() as $from;
            $from => Complex<f32>: |value| Complex::new(value as f32, 0.0);
            $from => Complex<f64>: |value| Complex::new(value as f64, 0.0);
            Complex<f32> => $from: |value: Complex<f32>| value.re as $from;
            Complex<f64> => $from: |value: Complex<f64>| value.re as $from;
        }
    };
}

macro_rules! primitives {
    ($($from:ty),*; $all:tt) => {
        $(primitives!(@ $from => $all);)*
    };
    (@ $from:ty => [$($to:ty),*]) => {
        primitive!($from => $($to),*);
    };
}

primitives!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64; [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64]);

cast! {
    bool => bool: |value| value;
    bool => f16: by_way_of::<f32, _, _>;
    bool => Complex<f32>: by_way_of::<f32, _, _>;
    bool => Complex<f64>: by_way_of::<f64, _, _>;
    f16 => bool: |value| value != f16::ZERO;
    f16 => f16: |value| value;
    f16 => Complex<f32>: by_way_of::<f32, _, _>;
    f16 => Complex<f64>: by_way_of::<f64, _, _>;
    Complex<f32> => bool: |value| value != Complex::new(0.0, 0.0);
    Complex<f32> => f16: by_way_of::<f32, _, _>;
    Complex<f32> => Complex<f32>: |value| value;
    Complex<f32> => Complex<f64>: |value: Complex<f32>| Complex::new(value.re.into(), value.im.into());
    Complex<f64> => bool: |value| value != Complex::new(0.0, 0.0);
    Complex<f64> => f16: by_way_of::<f64, _, _>;
    Complex<f64> => Complex<f32>: |value: Complex<f64>| Complex::new(value.re as f32, value.im as f32);
    Complex<f64> => Complex<f64>: |value| value;
}
