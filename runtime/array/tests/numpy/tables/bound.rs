//! How far a result may lie from NumPy's.

use weft::dtype::{Complex, DType, Scalar};

/// What is allowed beside equal bits. NaN is NaN, whatever its bits.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    /// Nothing.
    Exact,
    /// Nothing but the sign of a zero, which NumPy's own vector code leaves open.
    Zeros,
    /// As [`Bound::Zeros`]; and of complex numbers with a part that is NaN, nothing is said of the other part.
    AnyNan,
    /// As [`Bound::Ulps`]; but an infinity may be NaN.
    Products(f64),
    /// So many units in the last place; of complex numbers, of the larger part.
    Ulps(f64),
    /// So many units in the last place of the largest element, where many terms make one.
    Whole(f64),
    /// So many units in the last place of 1, where NumPy's own formula loses more.
    Ones(f64),
}

/// The bound of a case.
pub(super) fn of(name: &str, dtype: DType) -> Bound {
    let is_complex = dtype.is_complex();
    match name {
        "minimum" | "maximum" | "fmin" | "fmax" => return Bound::Zeros,
        "unique" if is_complex => return Bound::AnyNan,
        // NumPy's vector code leaves a rounding out.
        "multiply" | "square" | "divide" | "reciprocal" | "sign" | "absolute" if is_complex => {
            return Bound::Ulps(2.0);
        }
        "log1p" if is_complex => return Bound::Ones(2.0),
        // The error of the logarithm, times the exponent.
        "power" if is_complex => return Bound::Ulps(400.0),
        "sqrt" if !is_complex => return Bound::Exact,
        _ => {}
    }
    match name.split('_').next().unwrap_or(name) {
        // Complex functions are made of several real ones.
        "exp" | "exp2" | "expm1" | "log" | "log2" | "log10" | "log1p" | "sin" | "cos" | "tan"
        | "arcsin" | "arccos" | "arctan" | "sinh" | "cosh" | "tanh" | "arcsinh" | "arccosh"
        | "arctanh" | "sqrt"
            if is_complex =>
        {
            Bound::Ulps(4.0)
        }
        // Ours err by one unit at most, and NumPy's by about as much.
        "exp" | "exp2" | "expm1" | "log" | "log2" | "log10" | "log1p" | "sin" | "cos" | "tan"
        | "arcsin" | "arccos" | "arctan" | "sinh" | "cosh" | "tanh" | "arcsinh" | "arccosh"
        | "arctanh" | "cbrt" | "power" | "arctan2" | "hypot" | "angle" | "logspace"
        | "geomspace" => Bound::Ulps(2.0),
        "rad2deg" | "deg2rad" => Bound::Ulps(1.0),
        "min" | "max" | "nanmin" | "nanmax" | "median" | "sort" | "unique" | "clip" => Bound::Zeros,
        // NumPy multiplies by nothing but the elements; 1 times an infinity has a part that is NaN.
        "prod" | "nanprod" | "cumprod" if is_complex => Bound::Products(4.0),
        // NumPy's factor is one of f16.
        "fft" | "ifft" if dtype == DType::F16 => Bound::Whole(8192.0),
        "mean" | "var" | "std" | "nanmean" | "nanvar" | "nanstd" | "average" | "cov" | "norm"
        | "quantile" | "prod" | "nanprod" | "cumprod" => Bound::Whole(4.0),
        "solve" | "inv" | "det" | "slogdet" | "cholesky" | "svdvals" | "eigvalsh" | "lstsq"
        | "matrix" | "fft" | "ifft" | "rfft" | "irfft" | "fftn" | "ifftn" => Bound::Whole(16.0),
        _ => Bound::Exact,
    }
}

/// The distance of a number from zero that is finite; 0 of others.
fn size(value: &Scalar) -> f64 {
    let size = match *value {
        Scalar::C64(value) => f64::from(value.re.abs().max(value.im.abs())),
        Scalar::C128(value) => value.re.abs().max(value.im.abs()),
        other => other.to::<f64>().abs(),
    };
    if size.is_finite() { size } else { 0.0 }
}

/// The largest finite size of some elements.
pub(super) fn largest(values: &[Scalar]) -> f64 {
    values.iter().map(size).fold(0.0, f64::max)
}

/// Half of the distance of 1 and the next number, and of 0 and the next.
fn unit(dtype: DType) -> (f64, f64) {
    match dtype.real() {
        DType::F16 => (2f64.powi(-10), 2f64.powi(-24)),
        DType::F32 => (f32::EPSILON.into(), 2f64.powi(-149)),
        _ => (f64::EPSILON, f64::from_bits(1)),
    }
}

impl Bound {
    /// Whether `got` may stand for `wanted`, which has the same dtype, in an array whose largest element has this size.
    pub(super) fn allows(self, got: &Scalar, wanted: &Scalar, largest: f64) -> bool {
        let dtype = wanted.dtype();
        if !dtype.is_float() && !dtype.is_complex() {
            return got == wanted;
        }
        let (epsilon, least) = unit(dtype);
        let (got, wanted): (Complex<f64>, Complex<f64>) = (got.to(), wanted.to());
        let near = |ulps: f64, size: f64| ulps * (epsilon * size).max(least);
        let finite = |part: f64| if part.is_finite() { part.abs() } else { 0.0 };
        let size = finite(wanted.re).max(finite(wanted.im));
        let has_nan = |value: Complex<f64>| value.re.is_nan() || value.im.is_nan();
        let is_finite = wanted.re.is_finite() && wanted.im.is_finite();
        match self {
            Bound::AnyNan if has_nan(got) && has_nan(wanted) => return true,
            Bound::Products(_) if has_nan(got) && !is_finite => return true,
            _ => {}
        }
        let allowed = match self {
            Bound::Exact | Bound::Zeros | Bound::AnyNan => 0.0,
            Bound::Ulps(ulps) | Bound::Products(ulps) => near(ulps, size),
            Bound::Whole(ulps) => near(ulps, largest),
            Bound::Ones(ulps) => near(ulps, largest.max(1.0)),
        };
        // The C standard leaves the sign of a part beside NaN open.
        let is_signed = matches!(self, Bound::Exact | Bound::Ulps(_))
            && !(dtype.is_complex() && (wanted.re.is_nan() || wanted.im.is_nan()));
        let part = |got: f64, wanted: f64| match self {
            _ if got.is_nan() || wanted.is_nan() => got.is_nan() && wanted.is_nan(),
            _ if got == wanted => {
                got != 0.0 || !is_signed || got.is_sign_negative() == wanted.is_sign_negative()
            }
            _ if got.is_infinite() && got == -wanted => !is_signed,
            _ => (got - wanted).abs() <= allowed,
        };
        part(got.re, wanted.re) && part(got.im, wanted.im)
    }
}
