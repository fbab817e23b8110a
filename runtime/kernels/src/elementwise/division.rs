//! Quotients of integers in vector code: processors divide vectors of floats, but not of integers.
//!
//! For integers below 2^51 the truncated quotient of floats is exact: a quotient just below an
//! integer differs from it by more than the rounding error. Its product with the divisor has at
//! most as many bits as the dividend. Larger integers are left to the functions of the dtype.

use super::quotient::Divisible;
use super::wide::Function2;
use crate::dtype::Integer;

/// Added to an integer of magnitude below 2^51, leaves it in the low bits of the sum.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// An integer that a float stands for.
pub(super) trait Divided: Integer + Divisible {
    /// Whether there are numbers of 2^51 and more.
    const IS_LARGE: bool;

    /// The number as a float; its magnitude is below 2^51.
    fn widen(self) -> f64;
    /// The lowest bits of an integer of magnitude below 2^51.
    fn narrow(value: f64) -> Self;
    /// Whether the magnitude is 2^51 or more.
    fn is_large(self) -> bool;
}

macro_rules! divided {
    ($($type:ty)*) => {
        $(impl Divided for $type {
            const IS_LARGE: bool = false;

            #[inline(always)]
            fn widen(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn narrow(value: f64) -> $type {
                (value + SHIFT).to_bits() as $type
            }
            #[inline(always)]
            fn is_large(self) -> bool {
                false
            }
        })*
    };
}

divided!(i8 i16 i32 u8 u16 u32);

macro_rules! divided_large {
    ($($type:ty, $least:literal, $most:literal;)*) => {
        $(impl Divided for $type {
            const IS_LARGE: bool = true;

            #[inline(always)]
            fn widen(self) -> f64 {
                f64::from_bits(SHIFT.to_bits().wrapping_add(self as u64)) - SHIFT
            }
            #[inline(always)]
            fn narrow(value: f64) -> $type {
                (value + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()) as $type
            }
            #[inline(always)]
            fn is_large(self) -> bool {
                // Consecutive numbers, starting with the least one, which becomes 0.
                (self as u64).wrapping_sub($least as u64) > $most
            }
        })*
    };
}

divided_large! {
    i64, -0x7_ffff_ffff_ffffi64, 0xf_ffff_ffff_fffeu64;
    u64, 0u64, 0x7_ffff_ffff_ffffu64;
}

/// The truncated quotient, and the remainder; unspecified for a divisor of 0.
#[inline(always)]
fn divided<T: Divided>(x: T, y: T) -> (f64, f64) {
    let (x, y) = (x.widen(), y.widen());
    let quotient = (x / y).trunc();
    (quotient, x - quotient * y)
}

/// Whether the remainder and the divisor have different signs.
#[inline(always)]
fn is_opposed(rest: f64, divisor: f64) -> bool {
    (rest != 0.0) & ((rest < 0.0) != (divisor < 0.0))
}

#[inline(always)]
fn unless_zero<T: Divided>(divisor: T, value: f64) -> T {
    if divisor == T::ZERO {
        T::ZERO
    } else {
        T::narrow(value)
    }
}

macro_rules! functions {
    ($($name:ident = $method:ident, |$quotient:ident, $rest:ident, $divisor:ident| $value:expr;)*) => {
        $(
            pub(super) struct $name;

            impl<T: Divided> Function2<T> for $name {
                const HAS_RARE: bool = T::IS_LARGE;

                #[inline(always)]
                fn apply(x: T, y: T) -> T {
                    let ($quotient, $rest) = divided(x, y);
                    let $divisor = y.widen();
                    unless_zero(y, $value)
                }

                #[inline(always)]
                fn is_rare(x: T, y: T) -> bool {
                    x.is_large() | y.is_large()
                }

                fn rare(x: T, y: T) -> T {
                    x.$method(y)
                }
            }
        )*
    };
}

functions! {
    Fmod = modulo, |_quotient, rest, _divisor| rest;
    Remainder = remainder, |_quotient, rest, divisor| if is_opposed(rest, divisor) { rest + divisor } else { rest };
    FloorDivide = floor_divide, |quotient, rest, divisor| if is_opposed(rest, divisor) { quotient - 1.0 } else { quotient };
}
