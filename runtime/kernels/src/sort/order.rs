//! Sort keys: integers in the order of the elements.

use super::word::Word;
use crate::dtype::{Complex, Element, Number, f16};

/// Elements with an order: from the smallest to the largest, then NaN.
pub trait Ordered: Element {
    /// The type of keys.
    type Key: Copy + Ord;

    /// Returns the element's key, from which the element can be recovered. -0.0 comes before 0.0,
    /// and NaN after all numbers.
    fn key(self) -> Self::Key;

    /// Returns the element with this key. NaN loses its sign.
    fn from_key(key: Self::Key) -> Self;

    /// Returns the key, but with the same key for -0.0 and 0.0, as they are equal.
    fn rank(self) -> Self::Key;
}

/// Elements whose keys are words, which are sorted by their digits.
pub(crate) trait Digits: Ordered {
    /// A word as wide as the element.
    type Word: Word;

    /// Returns the word of a key or rank. Words have the same order.
    fn word(key: Self::Key) -> Self::Word;

    /// Returns the key with this word.
    fn key_of(word: Self::Word) -> Self::Key;

    /// Returns the element with these bits.
    fn of_bits(bits: Self::Word) -> Self;
}

macro_rules! digits {
    (signed: $($signed:ty, $key:ty => $word:ty: |$from:ident| $of:expr);*) => {$(
        impl Digits for $signed {
            type Word = $word;

            #[inline(always)]
            fn word(key: $key) -> $word {
                (key ^ <$key>::MIN).cast_unsigned()
            }
            #[inline(always)]
            fn key_of(word: $word) -> $key {
                word.cast_signed() ^ <$key>::MIN
            }
            #[inline(always)]
            fn of_bits($from: $word) -> $signed {
                $of
            }
        }
    )*};
    (unsigned: $($unsigned:ty => $word:ty: |$bits:ident| $of:expr);*) => {$(
        impl Digits for $unsigned {
            type Word = $word;

            #[inline(always)]
            fn word(key: $word) -> $word {
                key
            }
            #[inline(always)]
            fn key_of(word: $word) -> $word {
                word
            }
            #[inline(always)]
            fn of_bits($bits: $word) -> $unsigned {
                $of
            }
        }
    )*};
}

digits!(signed:
    i8, i8 => u8: |bits| bits.cast_signed();
    i16, i16 => u16: |bits| bits.cast_signed();
    i32, i32 => u32: |bits| bits.cast_signed();
    i64, i64 => u64: |bits| bits.cast_signed();
    f16, i16 => u16: |bits| f16::from_bits(bits);
    f32, i32 => u32: |bits| f32::from_bits(bits);
    f64, i64 => u64: |bits| f64::from_bits(bits));
digits!(unsigned:
    bool => u8: |bits| bits != 0;
    u8 => u8: |bits| bits;
    u16 => u16: |bits| bits;
    u32 => u32: |bits| bits;
    u64 => u64: |bits| bits);

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Ordered for $type {
            type Key = $type;

            #[inline(always)]
            fn key(self) -> $type {
                self
            }
            #[inline(always)]
            fn from_key(key: $type) -> $type {
                key
            }
            #[inline(always)]
            fn rank(self) -> $type {
                self
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Ordered for bool {
    type Key = u8;

    #[inline(always)]
    fn key(self) -> u8 {
        self.into()
    }
    #[inline(always)]
    fn from_key(key: u8) -> bool {
        key != 0
    }
    #[inline(always)]
    fn rank(self) -> u8 {
        self.into()
    }
}

macro_rules! floats {
    ($($type:ty, $key:ty);*) => {$(
        impl Ordered for $type {
            type Key = $key;

            // IEEE 754's total order on the bits, as in `total_cmp`: the magnitudes of negative
            // numbers are in inverse order.
            #[inline(always)]
            fn key(self) -> $key {
                let positive = if self.is_nan() { self.absolute() } else { self };
                let bits = positive.to_bits() as $key;
                bits ^ ((bits >> (<$key>::BITS - 1)) & <$key>::MAX)
            }
            #[inline(always)]
            fn from_key(key: $key) -> $type {
                let bits = key ^ ((key >> (<$key>::BITS - 1)) & <$key>::MAX);
                <$type>::from_bits(bits.cast_unsigned())
            }
            #[inline(always)]
            fn rank(self) -> $key {
                if self.is_nan() { <$key>::MAX } else { (self + <$type>::ZERO).key() }
            }
        }
    )*};
}

floats!(f16, i16; f32, i32; f64, i64);

/// Complex numbers are ordered by the real part, then by the imaginary part. Numbers without NaN
/// come first, then those with NaN as the imaginary part, then as the real part, then as both.
macro_rules! complex {
    ($($part:ty),*) => {$(
        impl Ordered for Complex<$part> {
            /// The last two parts are the key of the number itself.
            type Key = (u8, [<$part as Ordered>::Key; 2], [<$part as Ordered>::Key; 2]);

            #[inline(always)]
            fn key(self) -> Self::Key {
                let nans = 2 * u8::from(self.re.is_nan()) + u8::from(self.im.is_nan());
                (nans, [self.re.rank(), self.im.rank()], [self.re.key(), self.im.key()])
            }
            #[inline(always)]
            fn from_key((_, _, [re, im]): Self::Key) -> Self {
                Complex::new(<$part>::from_key(re), <$part>::from_key(im))
            }
            #[inline(always)]
            fn rank(self) -> Self::Key {
                (self + Self::ZERO).key()
            }
        }
    )*};
}

complex!(f32, f64);
