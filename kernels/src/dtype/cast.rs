//! Conversion between every two element types.

use super::{Complex, f16, half};

/// Conversion as NumPy's `astype`: `bool` to numbers is 0 or 1, numbers to `bool` is "not zero" (NaN is true), integers
/// wrap, a float goes to an integer by truncation, saturating, with NaN to 0, and a complex number to any other type but
/// `bool` by its real part.
pub trait CastFrom<T> {
    /// The value, converted.
    fn cast_from(value: T) -> Self;
}

/// One conversion after the other.
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

/// Conversions between one primitive number and all others.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::{DType, Scalar, numpy_name};
    use crate::testing::same;
    use crate::testing::scalars::wrap;

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

    /// What NumPy gives; how it was made is said in the file.
    const TABLE: &str = include_str!("cast/numpy.txt");

    /// A value as the table has it.
    fn value(dtype: DType, text: &str) -> Scalar {
        let float = |text: &str| text.parse::<f64>().unwrap();
        match text.split_once(',') {
            Some((re, im)) => Scalar::C128(Complex::new(float(re), float(im))).cast(dtype),
            None if dtype.is_float() => Scalar::F64(float(text)).cast(dtype),
            None => wrap(text.parse().unwrap(), dtype),
        }
    }

    #[test]
    fn casts_are_those_of_numpy() {
        let named = |name: &str| {
            DType::ALL
                .into_iter()
                .find(|&dtype| numpy_name(dtype) == name)
                .unwrap()
        };
        let mut seen = 0;
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split(' ').collect();
            let (from, to) = (named(words[0]), named(words[2]));
            let (got, wanted) = (value(from, words[1]).cast(to), value(to, words[3]));
            assert!(same(&got, &wanted), "{line}: {got:?}");
            seen += 1;
        }
        assert!(seen > 2000, "{seen} casts");
    }
}
