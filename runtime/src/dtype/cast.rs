//! Conversion between every two element types.

/// Conversion as NumPy's `astype`: `bool` to numbers is 0 or 1, numbers to `bool` is "not zero" (NaN is true),
/// integers wrap, and a float goes to an integer by truncation, saturating, with NaN to 0.
pub trait CastFrom<T> {
    /// The value, converted.
    fn cast_from(value: T) -> Self;
}

macro_rules! from_number {
    ($from:ty => $($to:ty),*) => {
        $(impl CastFrom<$from> for $to {
            #[inline(always)]
            fn cast_from(value: $from) -> $to {
                value as $to
            }
        })*
        impl CastFrom<$from> for bool {
            #[inline(always)]
            fn cast_from(value: $from) -> bool {
                value != <$from>::default()
            }
        }
        impl CastFrom<bool> for $from {
            #[inline(always)]
            fn cast_from(value: bool) -> $from {
                u8::from(value) as $from
            }
        }
    };
}

macro_rules! between {
    ($($from:ty),*; $all:tt) => {
        $(between!(@ $from => $all);)*
    };
    (@ $from:ty => [$($to:ty),*]) => {
        from_number!($from => $($to),*);
    };
}

between!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64; [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64]);

impl CastFrom<bool> for bool {
    #[inline(always)]
    fn cast_from(value: bool) -> bool {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_saturate_and_integers_wrap() {
        assert_eq!(i32::cast_from(1e20f64), i32::MAX);
        assert_eq!(u32::cast_from(-3.7f32), 0);
        assert_eq!(i64::cast_from(f64::NAN), 0);
        assert_eq!(i32::cast_from((1i64 << 32) + 5), 5);
        assert_eq!(u64::cast_from(-1i32), u64::MAX);
        assert!(bool::cast_from(f32::NAN));
        assert!(!bool::cast_from(-0.0f64));
        assert_eq!(f32::cast_from(true), 1.0);
    }
}
