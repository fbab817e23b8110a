//! Functions of single values, and of lines of values.

use std::cmp::Ordering;

use ndarray::{ArrayD, Axis};
use weft::DynArray;
use weft::dtype::{Complex, DType, Element, Number, Real, Scalar, with_number, with_real};
use weft::kernel::{BinaryOp, ReduceOp};

use super::Mistake;

/// The bound of numbers' magnitudes.
const MAX: i64 = 17;

/// Compares two values of one type; complex numbers by the real part, then the imaginary one. NaN
/// of either sign come last.
pub(super) fn compare(a: &Scalar, b: &Scalar) -> Ordering {
    if let (Some(a), Some(b)) = (a.integer(), b.integer()) {
        return a.cmp(&b);
    }
    let (a, b): (Complex<f64>, Complex<f64>) = (a.to(), b.to());
    let order = |a: f64, b: f64| {
        let order = a.partial_cmp(&b);
        order.unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
    };
    order(a.re, b.re).then(order(a.im, b.im))
}

/// Whether a value is less than another one. Never true if one is NaN.
pub(super) fn is_less(a: &Scalar, b: &Scalar) -> bool {
    !is_nan(a) && !is_nan(b) && compare(a, b).is_lt()
}

fn is_nan(value: &Scalar) -> bool {
    let value: Complex<f64> = value.to();
    value.re.is_nan() || value.im.is_nan()
}

/// Computes a function of two values of one dtype, for which it is defined.
pub(super) fn binary(op: BinaryOp, a: &Scalar, b: &Scalar) -> Scalar {
    let dtype = a.dtype();
    let number = |add: bool, sub: bool| {
        with_number!(dtype, T => {
            let (a, b) = (a.to::<T>(), b.to::<T>());
            if add { a.plus(b).to_scalar() } else if sub { a.minus(b).to_scalar() } else { a.times(b).to_scalar() }
        }, else if add { Scalar::Bool(a.to::<bool>() | b.to::<bool>()) } else { Scalar::Bool(a.to::<bool>() & b.to::<bool>()) })
    };
    match op {
        BinaryOp::Add => number(true, false),
        BinaryOp::Sub => number(false, true),
        BinaryOp::Mul => number(false, false),
        BinaryOp::Minimum if compare(a, b).is_le() => *a,
        BinaryOp::Maximum if compare(a, b).is_ge() => *a,
        BinaryOp::Minimum | BinaryOp::Maximum => *b,
        BinaryOp::Equal => Scalar::Bool(!is_nan(a) && compare(a, b).is_eq()),
        BinaryOp::Less => Scalar::Bool(is_less(a, b)),
        BinaryOp::LogicalXor => Scalar::Bool(a.to::<bool>() != b.to::<bool>()),
        other => unreachable!("{other} is in no program"),
    }
}

/// Returns the value modulo [`MAX`]; each part of a complex number.
fn tamed(value: &Scalar) -> Scalar {
    let dtype = value.dtype();
    if dtype.is_complex() {
        let value: Complex<f64> = value.to();
        let part = |part: f64| part.rem_euclid(MAX as f64);
        return Scalar::C128(Complex::new(part(value.re), part(value.im))).cast(dtype);
    }
    with_real!(dtype, T => {
        value.to::<T>().remainder(Scalar::I64(MAX).to::<T>()).to_scalar()
    }, else *value)
}

/// Reduces numbers on both sides so that sums stay exact.
pub(super) fn tame(
    weft: &DynArray,
    eager: &ArrayD<Scalar>,
) -> Result<(DynArray, ArrayD<Scalar>), Mistake> {
    let rest = |array: &DynArray| DynArray::binary(BinaryOp::Rem, array, MAX);
    let weft = match weft.dtype() {
        complex if complex.is_complex() => {
            let part = |op| rest(&weft.unary(op)?);
            let (re, im) = (
                part(weft::kernel::UnaryOp::Real)?,
                part(weft::kernel::UnaryOp::Imag)?,
            );
            DynArray::binary(BinaryOp::Complex, &re, &im)?
        }
        dtype if dtype.is_bool() => weft.clone(),
        _ => rest(weft)?,
    };
    Ok((weft, eager.map(tamed)))
}

/// Reduces many values to one.
pub(super) fn reduce(op: ReduceOp, dtype: DType, values: &[Scalar]) -> Scalar {
    let out = match (op, dtype) {
        (ReduceOp::Sum | ReduceOp::Prod, DType::F16) => DType::F16,
        _ => op.output_dtype(dtype),
    };
    let fold = |start: Scalar, of: BinaryOp| {
        let terms = values.iter().map(|value| value.cast(out));
        terms.fold(start, |sum, value| binary(of, &sum, &value))
    };
    let best = |is_better: fn(Ordering) -> bool| {
        let better = |best: usize, at: usize| match is_better(compare(&values[at], &values[best])) {
            true => at,
            false => best,
        };
        (1..values.len()).fold(0, better)
    };
    let truths = || values.iter().filter(|value| value.to::<bool>()).count();
    match op {
        ReduceOp::Sum => fold(Scalar::zero(out), BinaryOp::Add),
        ReduceOp::Prod => fold(Scalar::one(out), BinaryOp::Mul),
        ReduceOp::Min => values[best(Ordering::is_lt)],
        ReduceOp::Max => values[best(Ordering::is_gt)],
        ReduceOp::FMin => best_number(values, Ordering::is_lt),
        ReduceOp::FMax => best_number(values, Ordering::is_gt),
        ReduceOp::ArgMin => Scalar::I64(best(Ordering::is_lt) as i64),
        ReduceOp::ArgMax => Scalar::I64(best(Ordering::is_gt) as i64),
        ReduceOp::Any => Scalar::Bool(truths() > 0),
        ReduceOp::All => Scalar::Bool(truths() == values.len()),
        ReduceOp::CountNonzero => Scalar::I64(truths() as i64),
    }
}

/// Returns the best value that is not NaN, or NaN.
fn best_number(values: &[Scalar], is_better: fn(Ordering) -> bool) -> Scalar {
    let numbers = values.iter().filter(|value| !is_nan(value));
    let best = numbers.reduce(|best, value| match is_better(compare(value, best)) {
        true => value,
        false => best,
    });
    *best.unwrap_or(&values[0])
}

/// Returns the running sums of each line along an axis.
pub(super) fn running_sums(dtype: DType, eager: &ArrayD<Scalar>, axis: usize) -> ArrayD<Scalar> {
    let out = match dtype {
        DType::F16 => DType::F16,
        other => ReduceOp::Sum.output_dtype(other),
    };
    let mut sums = eager.map(|value| value.cast(out));
    for mut line in sums.lanes_mut(Axis(axis)) {
        for at in 1..line.len() {
            line[at] = binary(BinaryOp::Add, &line[at - 1], &line[at]);
        }
    }
    sums
}

/// Returns the sorted order of each line along an axis. Equal values keep their order.
pub(super) fn orders(eager: &ArrayD<Scalar>, axis: usize) -> ArrayD<usize> {
    let mut orders = ArrayD::zeros(eager.raw_dim());
    for (mut order, line) in orders
        .lanes_mut(Axis(axis))
        .into_iter()
        .zip(eager.lanes(Axis(axis)))
    {
        let mut places: Vec<usize> = (0..line.len()).collect();
        places.sort_by(|a, b| compare(&line[*a], &line[*b]));
        for (to, place) in order.iter_mut().zip(places) {
            *to = place;
        }
    }
    orders
}
