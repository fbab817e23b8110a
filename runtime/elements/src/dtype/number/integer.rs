//! Integers, which wrap as in NumPy.

use crate::dtype::{Integer, Number, Real};

macro_rules! integer {
    ($($type:ty, $absolute:expr, $sign:expr, $floor_divide:expr, $remainder:expr, $invert:expr);* $(;)?) => {
        $(impl Number for $type {
            type Magnitude = $type;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline]
            fn power(self, other: Self) -> Self {
                #[allow(unused_comparisons, reason = "always false for the unsigned types")]
                if other < 0 {
                    return $invert(self, other);
                }
                let (mut result, mut base, mut exponent) = (1 as $type, self, other);
                while exponent != 0 {
                    if exponent & 1 == 1 {
                        result = result.wrapping_mul(base);
                    }
                    base = base.wrapping_mul(base);
                    exponent >>= 1;
                }
                result
            }
            #[inline(always)]
            fn negative(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn reciprocal(self) -> Self {
                if self == 0 { 0 } else { (1 as $type).wrapping_div(self) }
            }
            #[inline(always)]
            fn absolute(self) -> Self {
                $absolute(self)
            }
            #[inline(always)]
            fn sign(self) -> Self {
                $sign(self)
            }
        }

        impl Real for $type {
            #[inline(always)]
            fn floor_divide(self, other: Self) -> Self {
                if other == 0 {
                    return 0;
                }
                $floor_divide(self, other)
            }
            #[inline(always)]
            fn remainder(self, other: Self) -> Self {
                if other == 0 {
                    return 0;
                }
                $remainder(self, other)
            }
        }

        impl Integer for $type {
            #[inline(always)]
            fn bit_and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn bit_or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn bit_xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn bit_not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn shift_left(self, other: Self) -> Self {
                if (other as u64) < u64::from(<$type>::BITS) { self.wrapping_shl(other as u32) } else { 0 }
            }
            #[inline(always)]
            fn shift_right(self, other: Self) -> Self {
                #[allow(unused_comparisons, reason = "always false for the unsigned types")]
                if (other as u64) < u64::from(<$type>::BITS) {
                    self.wrapping_shr(other as u32)
                } else if self < 0 {
                    !0
                } else {
                    0
                }
            }
        })*
    };
}

macro_rules! floor_divide_signed {
    ($type:ty) => {
        |a: $type, b: $type| {
            let quotient = a.wrapping_div(b);
            let uneven = a.wrapping_rem(b) != 0 && (a < 0) != (b < 0);
            quotient - <$type>::from(uneven)
        }
    };
}

macro_rules! remainder_signed {
    ($type:ty) => {
        |a: $type, b: $type| {
            let remainder = a.wrapping_rem(b);
            if remainder != 0 && (remainder < 0) != (b < 0) {
                remainder + b
            } else {
                remainder
            }
        }
    };
}

macro_rules! invert_signed {
    ($type:ty) => {
        |base: $type, exponent: $type| match base {
            1 => 1,
            -1 if exponent & 1 == 0 => 1,
            -1 => -1,
            _ => 0,
        }
    };
}

integer!(
    i8, i8::wrapping_abs, i8::signum, floor_divide_signed!(i8), remainder_signed!(i8), invert_signed!(i8);
    i16, i16::wrapping_abs, i16::signum, floor_divide_signed!(i16), remainder_signed!(i16), invert_signed!(i16);
    i32, i32::wrapping_abs, i32::signum, floor_divide_signed!(i32), remainder_signed!(i32), invert_signed!(i32);
    i64, i64::wrapping_abs, i64::signum, floor_divide_signed!(i64), remainder_signed!(i64), invert_signed!(i64);
    u8, |a| a, |a: u8| a.min(1), |a: u8, b: u8| a / b, |a: u8, b: u8| a % b, |_, _| 0;
    u16, |a| a, |a: u16| a.min(1), |a: u16, b: u16| a / b, |a: u16, b: u16| a % b, |_, _| 0;
    u32, |a| a, |a: u32| a.min(1), |a: u32, b: u32| a / b, |a: u32, b: u32| a % b, |_, _| 0;
    u64, |a| a, |a: u64| a.min(1), |a: u64, b: u64| a / b, |a: u64, b: u64| a % b, |_, _| 0;
);
