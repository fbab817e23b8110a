//! Complex numbers: the arithmetic of NumPy's loops, step by step. NumPy's own vector code leaves
//! out some roundings, so its results may differ in the last place.

use crate::dtype::{CastFrom, Complex, Inexact, Number, complex};

macro_rules! complex {
    ($($part:ty),*) => {
        $(impl Number for Complex<$part> {
            type Magnitude = $part;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                Complex::new(self.re + other.re, self.im + other.im)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                Complex::new(self.re - other.re, self.im - other.im)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                Complex::new(
                    self.re * other.re - self.im * other.im,
                    self.re * other.im + self.im * other.re,
                )
            }
            #[inline]
            fn power(self, other: Self) -> Self {
                Self::cast_from(complex::power(CastFrom::cast_from(self), CastFrom::cast_from(other)))
            }
            #[inline(always)]
            fn negative(self) -> Self {
                Complex::new(-self.re, -self.im)
            }
            #[inline(always)]
            fn absolute(self) -> $part {
                self.re.hypot(self.im)
            }
            #[inline]
            fn sign(self) -> Self {
                let size = self.absolute();
                if size == 0.0 {
                    return Complex::new(0.0, 0.0);
                }
                if size.is_finite() || size.is_nan() {
                    return Complex::new(self.re / size, self.im / size);
                }
                match (self.re.is_infinite(), self.im.is_infinite()) {
                    (true, true) => Complex::new(<$part>::NAN, <$part>::NAN),
                    (true, false) => Complex::new(self.re.signum(), 0.0),
                    (false, true) => Complex::new(0.0, self.im.signum()),
                    // The magnitude overflows, so both parts are halved.
                    (false, false) => Number::sign(Complex::new(self.re / 2.0, self.im / 2.0)),
                }
            }
            #[inline]
            fn reciprocal(self) -> Self {
                if self.im.abs() <= self.re.abs() {
                    let ratio = self.im / self.re;
                    let size = self.re + self.im * ratio;
                    Complex::new(1.0 / size, -ratio / size)
                } else {
                    let ratio = self.re / self.im;
                    let size = self.re * ratio + self.im;
                    Complex::new(ratio / size, -1.0 / size)
                }
            }
        }

        impl Inexact for Complex<$part> {
            type Complex = Self;

            /// Divides by Smith's method: Algorithm 116, "Complex division" (1962).
            #[inline]
            fn divide(self, other: Self) -> Self {
                let [re, im] = [other.re.abs(), other.im.abs()];
                if re >= im {
                    if re == 0.0 && im == 0.0 {
                        return Complex::new(self.re / re, self.im / re);
                    }
                    let ratio = other.im / other.re;
                    let scale = 1.0 / (other.re + other.im * ratio);
                    Complex::new((self.re + self.im * ratio) * scale, (self.im - self.re * ratio) * scale)
                } else {
                    let ratio = other.re / other.im;
                    let scale = 1.0 / (other.im + other.re * ratio);
                    Complex::new((self.re * ratio + self.im) * scale, (self.im * ratio - self.re) * scale)
                }
            }
        })*
    };
}

complex!(f32, f64);
