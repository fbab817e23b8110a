//! The allowed distance of a result from NumPy's.

use weft::dtype::{Complex, DType, Scalar};

/// The allowed difference. All NaN are equal, regardless of their bits.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    /// No difference.
    Exact,
    /// No difference except in the sign of a zero, which NumPy's own vector code leaves open.
    Zeros,
    /// Like [`Bound::Zeros`], but if a part of a complex number is NaN, the other part is not
    /// compared.
    AnyNan,
    /// Like [`Bound::Ulps`], but an infinity may be NaN.
    Products(f64),
    /// This number of units in the last place; for complex numbers, of the larger part.
    Ulps(f64),
    /// This number of units in the last place of the largest element, for results of many terms.
    Whole(f64),
    /// This number of units in the last place of 1, for functions in which NumPy's own formula
    /// loses more.
    Ones(f64),
}

/// Returns the bound of a case.
pub(super) fn find(name: &str, dtype: DType) -> Bound {
    let is_complex = dtype.is_complex();
    match name {
        "minimum" | "maximum" | "fmin" | "fmax" => return Bound::Zeros,
        "unique" if is_complex => return Bound::AnyNan,
        // NumPy's vector code leaves out a rounding.
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
        // Complex functions consist of several real ones.
        "exp" | "exp2" | "expm1" | "log" | "log2" | "log10" | "log1p" | "sin" | "cos" | "tan"
        | "arcsin" | "arccos" | "arctan" | "sinh" | "cosh" | "tanh" | "arcsinh" | "arccosh"
        | "arctanh" | "sqrt"
            if is_complex =>
        {
            Bound::Ulps(4.0)
        }
        // Our error is at most one unit, and NumPy's is similar.
        "exp" | "exp2" | "expm1" | "log" | "log2" | "log10" | "log1p" | "sin" | "cos" | "tan"
        | "arcsin" | "arccos" | "arctan" | "sinh" | "cosh" | "tanh" | "arcsinh" | "arccosh"
        | "arctanh" | "cbrt" | "power" | "arctan2" | "hypot" | "angle" | "logspace"
        | "geomspace" | "logaddexp" | "logaddexp2" => Bound::Ulps(2.0),
        "rad2deg" | "deg2rad" => Bound::Ulps(1.0),
        "min" | "max" | "nanmin" | "nanmax" | "median" | "sort" | "unique" | "clip" => Bound::Zeros,
        // NumPy multiplies the elements only; 1 times an infinity has a NaN part.
        "prod" | "nanprod" | "cumprod" if is_complex => Bound::Products(4.0),
        // NumPy's factor is an f16.
        "fft" | "ifft" if dtype == DType::F16 => Bound::Whole(8192.0),
        "mean" | "var" | "std" | "nanmean" | "nanvar" | "nanstd" | "average" | "cov" | "norm"
        | "quantile" | "prod" | "nanprod" | "cumprod" => Bound::Whole(4.0),
        "solve" | "inv" | "det" | "slogdet" | "cholesky" | "svdvals" | "eigvalsh" | "lstsq"
        | "matrix" | "fft" | "ifft" | "rfft" | "irfft" | "fftn" | "ifftn" => Bound::Whole(16.0),
        _ => Bound::Exact,
    }
}

/// Returns the magnitude of a finite number; 0 for others.
fn size(value: &Scalar) -> f64 {
    let size = match *value {
        Scalar::C64(value) => f64::from(value.re.abs().max(value.im.abs())),
        Scalar::C128(value) => value.re.abs().max(value.im.abs()),
        other => other.to::<f64>().abs(),
    };
    if size.is_finite() { size } else { 0.0 }
}

/// Returns the largest finite magnitude of some elements.
pub(super) fn largest(values: &[Scalar]) -> f64 {
    values.iter().map(size).fold(0.0, f64::max)
}

/// Returns half of the distance between 1 and the next number, and between 0 and the next.
fn unit(dtype: DType) -> (f64, f64) {
    match dtype.real() {
        DType::F16 => (2f64.powi(-10), 2f64.powi(-24)),
        DType::F32 => (f32::EPSILON.into(), 2f64.powi(-149)),
        _ => (f64::EPSILON, f64::from_bits(1)),
    }
}

impl Bound {
    /// Whether `got` is acceptable for `wanted`, which has the same dtype, in an array whose
    /// largest element has this magnitude.
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
        // The C standard leaves the sign of a part open if the other part is NaN.
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
