//! Floats.

use crate::dtype::{Complex, Float, Inexact, Number, Real};

macro_rules! float {
    ($($type:ty),*) => {
        $(impl Number for $type {
            type Magnitude = $type;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline]
            fn power(self, other: Self) -> Self {
                if other == 2.0 { self * self } else { self.powf(other) }
            }
            #[inline(always)]
            fn negative(self) -> Self {
                -self
            }
            #[inline(always)]
            fn reciprocal(self) -> Self {
                1.0 / self
            }
            #[inline(always)]
            fn absolute(self) -> Self {
                <$type>::abs(self)
            }
            #[inline(always)]
            fn sign(self) -> Self {
                if self > 0.0 {
                    1.0
                } else if self < 0.0 {
                    -1.0
                } else if self == 0.0 {
                    0.0
                } else {
                    self
                }
            }
        }

        impl Real for $type {
            #[inline]
            fn floor_divide(self, other: Self) -> Self {
                if other == 0.0 {
                    return self / other;
                }
                let remainder = self % other;
                let mut quotient = (self - remainder) / other;
                if remainder != 0.0 && (other < 0.0) != (remainder < 0.0) {
                    quotient -= 1.0;
                }
                if quotient == 0.0 {
                    return (0.0 as $type).copysign(self / other);
                }
                // The quotient is an integer except for rounding, so it is rounded to the nearest
                // one.
                let floor = quotient.floor();
                if quotient - floor > 0.5 { floor + 1.0 } else { floor }
            }
            #[inline]
            fn remainder(self, other: Self) -> Self {
                let remainder = self % other;
                if other == 0.0 {
                    remainder
                } else if remainder == 0.0 {
                    (0.0 as $type).copysign(other)
                } else if (other < 0.0) != (remainder < 0.0) {
                    remainder + other
                } else {
                    remainder
                }
            }
        }

        impl Inexact for $type {
            type Complex = Complex<$type>;

            #[inline(always)]
            fn divide(self, other: Self) -> Self {
                self / other
            }
        }

        impl Float for $type {
            #[inline(always)]
            fn round_half_even(self) -> Self {
                self.round_ties_even()
            }
            #[inline(always)]
            #[allow(clippy::eq_op, reason = "NaN is what differs from itself; this form becomes vector code")]
            fn fmin(self, other: Self) -> Self {
                if (self <= other) | (other != other) { self } else { other }
            }
            #[inline(always)]
            #[allow(clippy::eq_op, reason = "NaN is what differs from itself; this form becomes vector code")]
            fn fmax(self, other: Self) -> Self {
                if (self >= other) | (other != other) { self } else { other }
            }
        })*
    };
}

float!(f32, f64);
