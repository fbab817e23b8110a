//! Quotients that are truncated to integers, and remainders.
//!
//! The loops compute remainders in `f64`, exactly unless the quotient is very large. Functions of
//! the dtype compute the others, and divide by 0; bits are the same.

use super::wide::Function2;
use crate::dtype::Float;
use crate::math::{self, Narrow};

#[inline(always)]
fn modulo<T: Narrow>(x: T, y: T) -> T {
    T::narrow(math::modulo(x.widen(), y.widen()))
}

#[inline(always)]
fn is_long<T: Narrow>(x: T, y: T) -> bool {
    math::is_long_quotient(x.widen(), y.widen())
}

/// The remainder with the sign of the dividend.
pub(super) struct Fmod;

impl<T: Float + Narrow> Function2<T> for Fmod {
    const HAS_RARE: bool = true;

    #[inline(always)]
    fn apply(x: T, y: T) -> T {
        modulo(x, y)
    }

    #[inline(always)]
    fn is_rare(x: T, y: T) -> bool {
        is_long(x, y)
    }

    fn rare(x: T, y: T) -> T {
        x % y
    }
}

/// The remainder with the sign of the divisor.
pub(super) struct Remainder;

impl<T: Float + Narrow> Function2<T> for Remainder {
    const HAS_RARE: bool = true;

    #[inline(always)]
    fn apply(x: T, y: T) -> T {
        let zero = T::zero();
        let rest = modulo(x, y);
        let moved = if (y < zero) == (rest < zero) {
            rest
        } else {
            rest + y
        };
        if rest == zero {
            zero.copysign(y)
        } else {
            moved
        }
    }

    #[inline(always)]
    fn is_rare(x: T, y: T) -> bool {
        is_long(x, y)
    }

    fn rare(x: T, y: T) -> T {
        x.remainder(y)
    }
}

/// The quotient rounded to minus infinity.
pub(super) struct FloorDivide;

impl<T: Float + Narrow> Function2<T> for FloorDivide {
    const HAS_RARE: bool = true;

    #[inline(always)]
    fn apply(x: T, y: T) -> T {
        let (zero, one) = (T::zero(), T::one());
        let rest = modulo(x, y);
        let quotient = (x - rest) / y;
        let is_uneven = (rest != zero) & ((y < zero) != (rest < zero));
        let quotient = if is_uneven { quotient - one } else { quotient };
        // The quotient is an integer up to rounding: the nearest one is wanted, not the one below.
        let below = quotient.floor();
        let nearest = if quotient - below > T::narrow(0.5) {
            below + one
        } else {
            below
        };
        if quotient == zero {
            zero.copysign(x / y)
        } else {
            nearest
        }
    }

    #[inline(always)]
    fn is_rare(x: T, y: T) -> bool {
        is_long(x, y)
    }

    fn rare(x: T, y: T) -> T {
        x.floor_divide(y)
    }
}

/// The greatest common divisor of two integers, of their magnitudes; 0 for two zeros.
pub(super) fn gcd(mut x: u64, mut y: u64) -> u64 {
    if x == 0 || y == 0 {
        return x | y;
    }
    // Stein's algorithm: differences of odd numbers, without their factors of 2.
    let shift = (x | y).trailing_zeros();
    x >>= x.trailing_zeros();
    loop {
        y >>= y.trailing_zeros();
        let (less, more) = (x.min(y), x.max(y));
        x = less;
        y = more - less;
        if y == 0 {
            return x << shift;
        }
    }
}

/// An integer with divisors.
pub(super) trait Divisible: Copy {
    /// The magnitude, also of the least number.
    fn size(self) -> u64;
    /// The lowest bits of a magnitude.
    fn from_size(size: u64) -> Self;
    /// The number of bits set in the magnitude.
    fn count(self) -> u8;
    /// The remainder with the sign of the dividend; 0 for a divisor of 0.
    fn modulo(self, other: Self) -> Self;
}

macro_rules! divisible {
    ($($type:ty, $size:expr;)*) => {
        $(impl Divisible for $type {
            #[inline(always)]
            fn size(self) -> u64 {
                u64::from($size(self))
            }
            #[inline(always)]
            fn from_size(size: u64) -> $type {
                size as $type
            }
            #[inline(always)]
            fn count(self) -> u8 {
                $size(self).count_ones() as u8
            }
            #[inline(always)]
            fn modulo(self, other: $type) -> $type {
                if other == 0 { 0 } else { self.wrapping_rem(other) }
            }
        })*
    };
}

divisible! {
    i8, i8::unsigned_abs;
    i16, i16::unsigned_abs;
    i32, i32::unsigned_abs;
    i64, i64::unsigned_abs;
    u8, |x: u8| x;
    u16, |x: u16| x;
    u32, |x: u32| x;
    u64, |x: u64| x;
}

/// The greatest common divisor of two integers; that of the least number and 0 wraps.
pub(super) fn greatest_divisor<T: Divisible>(x: T, y: T) -> T {
    T::from_size(gcd(x.size(), y.size()))
}

/// The least common multiple of two integers, which wraps; 0 if one is 0.
pub(super) fn least_multiple<T: Divisible>(x: T, y: T) -> T {
    let (x, y) = (x.size(), y.size());
    match gcd(x, y) {
        0 => T::from_size(0),
        common => T::from_size((x / common).wrapping_mul(y)),
    }
}
