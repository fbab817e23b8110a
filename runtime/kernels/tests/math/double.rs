//! Functions as sums of two floats: about 100 bits, slowly.
//!
//! Sums and products are those of T. J. Dekker, *A floating-point technique for extending the
//! available precision* (1971), with fused products; functions are power series.

/// The sum of two floats, of which the second is below the last place of the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Double(pub(super) f64, pub(super) f64);

/// The natural logarithm of 2, and half of pi, as sums.
const LN_2: [f64; 3] = [
    std::f64::consts::LN_2,
    2.319_046_813_846_299_6e-17,
    5.707_708_438_416_212e-34,
];
const PI_2: [f64; 4] = [
    std::f64::consts::FRAC_PI_2,
    6.123_233_995_736_766e-17,
    -1.497_384_904_859_169_8e-33,
    5.562_271_104_316_826e-50,
];

impl Double {
    fn sum(a: f64, b: f64) -> Double {
        let sum = a + b;
        let back = sum - a;
        Double(sum, (a - (sum - back)) + (b - back))
    }

    fn product(a: f64, b: f64) -> Double {
        let product = a * b;
        Double(product, a.mul_add(b, -product))
    }

    fn plus(self, other: Double) -> Double {
        let Double(high, low) = Double::sum(self.0, other.0);
        let Double(lower, lowest) = Double::sum(self.1, other.1);
        let Double(high, low) = Double::sum(high, low + lower);
        Double::sum(high, low + lowest)
    }

    pub(super) fn minus(self, other: Double) -> Double {
        self.plus(Double(-other.0, -other.1))
    }

    fn times(self, other: Double) -> Double {
        let Double(high, low) = Double::product(self.0, other.0);
        Double::sum(high, low + (self.0 * other.1 + self.1 * other.0))
    }

    fn over(self, other: Double) -> Double {
        let first = Double(self.0 / other.0, 0.0);
        let rest = self.minus(first.times(other));
        let second = Double(rest.0 / other.0, 0.0);
        let rest = rest.minus(second.times(other));
        first.plus(second).plus(Double(rest.0 / other.0, 0.0))
    }

    fn scaled(self, factor: f64) -> Double {
        Double(self.0 * factor, self.1 * factor)
    }
}

const ONE: Double = Double(1.0, 0.0);

/// Returns `e^x - 1` and the power of two by which `e^x` must be multiplied.
fn parts(x: Double) -> (Double, i32) {
    let n = (x.0 * std::f64::consts::LOG2_E).round();
    let mut r = x;
    for part in LN_2 {
        r = r.minus(Double::product(n, part));
    }
    let r = r.scaled(1.0 / 256.0);
    let mut sum = Double(0.0, 0.0);
    for k in (1..=14).rev() {
        sum = ONE.plus(sum).times(r).over(Double(f64::from(k), 0.0));
    }
    for _ in 0..8 {
        sum = sum.scaled(2.0).plus(sum.times(sum));
    }
    (sum, n as i32)
}

fn exp_of(x: Double) -> Double {
    let (sum, n) = parts(x);
    let half = n / 2;
    ONE.plus(sum)
        .scaled(2f64.powi(half))
        .scaled(2f64.powi(n - half))
}

pub(super) fn exp(x: f64) -> Double {
    exp_of(Double(x, 0.0))
}

pub(super) fn exp2(x: f64) -> Double {
    exp_of(Double(x, 0.0).times(Double(LN_2[0], LN_2[1])))
}

pub(super) fn exp_m1(x: f64) -> Double {
    exp_m1_of(Double(x, 0.0))
}

fn exp_m1_of(x: Double) -> Double {
    match parts(x) {
        (sum, 0) => sum,
        _ => exp_of(x).minus(ONE),
    }
}

/// Computed by one step of Newton's method from the standard library's value.
fn ln_of(x: Double) -> Double {
    let near = Double(x.0.ln(), 0.0);
    let rest = x.times(exp_of(Double(-near.0, 0.0))).minus(ONE);
    near.plus(rest).minus(rest.times(rest).scaled(0.5))
}

pub(super) fn ln(x: f64) -> Double {
    // The scaled number is far from where sums of two floats lose bits.
    let shift = if x < 1e-200 { 600 } else { 0 };
    let scaled = Double(x * 2f64.powi(shift), 0.0);
    let shift = Double(f64::from(shift), 0.0);
    ln_of(scaled).minus(shift.times(Double(LN_2[0], LN_2[1])))
}

pub(super) fn ln_1p(x: f64) -> Double {
    if x.abs() > 1e-4 {
        return ln_of(Double::sum(1.0, x));
    }
    // ln(1 + x) = 2 artanh(x / (2 + x))
    let s = Double(x, 0.0).over(Double::sum(2.0, x));
    let square = s.times(s);
    let mut sum = Double(0.0, 0.0);
    for k in (0..8).rev() {
        sum = sum
            .times(square)
            .plus(ONE.over(Double(f64::from(2 * k + 1), 0.0)));
    }
    s.times(sum).scaled(2.0)
}

pub(super) fn log2(x: f64) -> Double {
    ln(x).over(Double(LN_2[0], LN_2[1]))
}

pub(super) fn log10(x: f64) -> Double {
    ln(x).over(Double(10f64.ln(), -2.170_756_223_382_249_4e-16))
}

pub(super) fn tanh(x: f64) -> Double {
    let e = exp_m1_of(Double(2.0 * x, 0.0));
    e.over(e.plus(Double(2.0, 0.0)))
}

/// Returns the sine and the cosine.
fn turn(x: f64) -> (Double, Double) {
    let n = (x * std::f64::consts::FRAC_2_PI).round();
    let mut r = Double(x, 0.0);
    for part in PI_2 {
        r = r.minus(Double::product(n, part));
    }
    let square = r.times(r);
    let series = |first: i32| {
        let mut sum = Double(0.0, 0.0);
        for k in (0..14).rev() {
            let factors = f64::from((2 * k + first + 1) * (2 * k + first + 2));
            sum = ONE.minus(square.times(sum).over(Double(factors, 0.0)));
        }
        sum
    };
    let (sin, cos) = (r.times(series(1)), series(0));
    match n.rem_euclid(4.0) as u8 {
        0 => (sin, cos),
        1 => (cos, sin.scaled(-1.0)),
        2 => (sin.scaled(-1.0), cos.scaled(-1.0)),
        _ => (cos.scaled(-1.0), sin),
    }
}

pub(super) fn sin(x: f64) -> Double {
    turn(x).0
}

pub(super) fn cos(x: f64) -> Double {
    turn(x).1
}

pub(super) fn tan(x: f64) -> Double {
    let (sin, cos) = turn(x);
    sin.over(cos)
}

/// Returns `e^x - 1` and `1 - e^-x`, of a sum.
fn both_ways(x: Double) -> (Double, Double) {
    let e = exp_m1_of(x);
    // This avoids a quotient of numbers that are too large.
    let other = if x.0 > 100.0 {
        ONE
    } else {
        e.over(e.plus(ONE))
    };
    (e.scaled(0.5), other.scaled(0.5))
}

pub(super) fn sinh(x: f64) -> Double {
    let (up, down) = both_ways(Double(x.abs(), 0.0));
    up.plus(down).scaled(x.signum())
}

pub(super) fn cosh(x: f64) -> Double {
    let (up, down) = both_ways(Double(x.abs(), 0.0));
    up.minus(down).plus(ONE)
}

/// Returns the root of `f(y) = x` near `y`, from the value and the derivative of `f`. One step of
/// Newton's method squares the error.
fn newton(y: f64, miss: Double, slope: Double) -> Double {
    Double(y, 0.0).minus(miss.over(slope))
}

pub(super) fn atan(x: f64) -> Double {
    let y = x.atan();
    let (sin, cos) = turn(y);
    // The function is sin y - x cos y, and its derivative cos y + x sin y.
    let x = Double(x, 0.0);
    newton(y, sin.minus(x.times(cos)), cos.plus(x.times(sin)))
}

pub(super) fn asin(x: f64) -> Double {
    let y = x.asin();
    let (sin, cos) = turn(y);
    newton(y, sin.minus(Double(x, 0.0)), cos)
}

pub(super) fn acos(x: f64) -> Double {
    let y = x.acos();
    let (sin, cos) = turn(y);
    newton(y, Double(x, 0.0).minus(cos), sin)
}

/// Computes the square root by one step of Newton's method.
fn root(x: Double) -> Double {
    let near = x.0.sqrt();
    let miss = Double::product(near, near).minus(x);
    newton(near, miss, Double(2.0 * near, 0.0))
}

fn square(x: f64) -> Double {
    Double::product(x, x)
}

/// Returns `ln(1 + a)`.
fn ln_1p_of(a: Double) -> Double {
    if a.0.abs() > 1e-4 {
        return ln_of(ONE.plus(a));
    }
    // The terms from the square of the second part on are negligible.
    ln_1p(a.0).plus(Double(a.1 / (1.0 + a.0), 0.0))
}

pub(super) fn asinh(x: f64) -> Double {
    let t = Double(x.abs(), 0.0);
    let rest = square(x).over(ONE.plus(root(ONE.plus(square(x)))));
    ln_1p_of(t.plus(rest)).scaled(x.signum())
}

pub(super) fn acosh(x: f64) -> Double {
    let t = Double::sum(x, -1.0);
    ln_1p_of(t.plus(root(t.times(t).plus(t.scaled(2.0)))))
}

pub(super) fn atanh(x: f64) -> Double {
    let quotient = Double(2.0 * x.abs(), 0.0).over(Double::sum(1.0, -x.abs()));
    ln_1p_of(quotient).scaled(0.5 * x.signum())
}

pub(super) fn cbrt(x: f64) -> Double {
    let y = x.cbrt();
    let miss = square(y).times(Double(y, 0.0)).minus(Double(x, 0.0));
    newton(y, miss, square(y).scaled(3.0))
}

pub(super) fn pow(x: f64, y: f64) -> Double {
    exp_of(Double(y, 0.0).times(ln(x)))
}

pub(super) fn atan2(y: f64, x: f64) -> Double {
    let angle = y.atan2(x);
    let (sin, cos) = turn(angle);
    let (y, x) = (Double(y, 0.0), Double(x, 0.0));
    newton(
        angle,
        sin.times(x).minus(cos.times(y)),
        cos.times(x).plus(sin.times(y)),
    )
}

/// `ln(1 + e^-d)` for `d = x - y` from 0 to 30, and `x` plus that.
pub(super) fn ln_add_exp(x: f64, y: f64) -> (Double, Double) {
    let added = ln_of(ONE.plus(exp_of(Double::sum(y, -x))));
    (added, Double(x, 0.0).plus(added))
}

/// As [`ln_add_exp`], with logarithms to base 2 and powers of 2.
pub(super) fn log2_add_exp2(x: f64, y: f64) -> (Double, Double) {
    let ln_2 = Double(LN_2[0], LN_2[1]);
    let power = exp_of(Double::sum(y, -x).times(ln_2));
    let added = ln_of(ONE.plus(power)).over(ln_2);
    (added, Double(x, 0.0).plus(added))
}
