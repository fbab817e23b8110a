//! Triangular factorisations: `a = p l u` with row exchanges for large pivots, and `a = l l^H`.

use faer::linalg::solvers::{DenseSolveCore, PartialPivLu, Solve};
use faer::{MatMut, MatRef, Side};

use crate::defect::Defect;
use crate::number::{Magnitude, Number};
use crate::orthogonal::real_diagonal;
use crate::small::Small;

/// The triangles of a matrix, unless a pivot is 0.
fn triangles<T: Number>(a: MatRef<'_, T>) -> Result<PartialPivLu<T>, Defect> {
    let lu = a.partial_piv_lu();
    match has_zero_pivot(&lu) {
        true => Err(Defect::Singular),
        false => Ok(lu),
    }
}

/// Whether a pivot is 0, as reported by LAPACK's `getrf`.
fn has_zero_pivot<T: Number>(lu: &PartialPivLu<T>) -> bool {
    let u = lu.U();
    (0..u.nrows()).any(|at| u[(at, at)] == T::ZERO)
}

pub(crate) fn solve<T: Number>(
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    mut x: MatMut<'_, T>,
) -> Result<(), Defect> {
    if a.nrows() == 0 || b.ncols() == 0 {
        return Ok(());
    }
    match Small::factor(a)? {
        Some(small) => small.solve(|row, column| b[(row, column)], x),
        None => x.copy_from(&triangles(a)?.solve(b)),
    }
    Ok(())
}

pub(crate) fn inv<T: Number>(a: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Defect> {
    if a.nrows() == 0 {
        return Ok(());
    }
    let unit = |row, column| if row == column { T::ONE } else { T::ZERO };
    match Small::factor(a)? {
        Some(small) => small.solve(unit, out),
        None => out.copy_from(&triangles(a)?.inverse()),
    }
    Ok(())
}

/// The determinant; 1 of a matrix without elements.
///
/// The exponent of the product is kept separately, so that the product overflows only if the
/// determinant does.
pub(crate) fn det<T: Number>(a: MatRef<'_, T>) -> T {
    let Some((pivots, is_odd)) = pivots(a) else {
        return T::ZERO;
    };
    let (mut product, mut power) = ([if is_odd { -1.0 } else { 1.0 }, 0.0], 0);
    for pivot in pivots {
        product = times(product, pivot);
        let size = product[0].abs().max(product[1].abs());
        if size.is_normal() {
            let exponent = exponent_of(size);
            // In two steps, because a power of two itself may be out of range.
            let [half, rest] = [exponent / 2, exponent - exponent / 2];
            product = product.map(|part| part * power_of_two(-half) * power_of_two(-rest));
            power += i64::from(exponent);
        }
    }
    // Beyond the range of exponents every result is 0 or infinite.
    let mut power = power.clamp(-3000, 3000) as i32;
    while power != 0 {
        let step = power.clamp(-1000, 1000);
        product = product.map(|part| part * power_of_two(step));
        power -= step;
    }
    T::from_parts(product)
}

/// The determinant's sign (of magnitude 1, or 0) and the logarithm of its magnitude.
pub(crate) fn slogdet<T: Number>(a: MatRef<'_, T>) -> (T, T::Real) {
    let Some((pivots, is_odd)) = pivots(a) else {
        return (T::ZERO, T::Real::nearest(f64::NEG_INFINITY));
    };
    let (mut sign, mut logarithm) = ([if is_odd { -1.0 } else { 1.0 }, 0.0], 0.0);
    for pivot in pivots {
        let size = pivot[0].hypot(pivot[1]);
        sign = times(sign, pivot.map(|part| part / size));
        logarithm += size.ln();
    }
    (T::from_parts(sign), T::Real::nearest(logarithm))
}

/// The pivots, and whether the number of row exchanges is odd; `None` if a pivot is 0.
fn pivots<T: Number>(a: MatRef<'_, T>) -> Option<(Vec<[f64; 2]>, bool)> {
    if a.nrows() == 0 {
        return Some((Vec::new(), false));
    }
    let lu = triangles(a).ok()?;
    let (exchanged, _) = lu.P().arrays();
    let mut seen = vec![false; exchanged.len()];
    let mut is_odd = false;
    for first in 0..exchanged.len() {
        // A cycle of n rows is n - 1 exchanges.
        let mut at = exchanged[first];
        while at != first && !seen[first] && !seen[at] {
            seen[at] = true;
            is_odd = !is_odd;
            at = exchanged[at];
        }
    }
    let u = lu.U();
    Some((
        (0..u.nrows()).map(|at| u[(at, at)].parts()).collect(),
        is_odd,
    ))
}

fn times([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    if b == 0.0 && d == 0.0 {
        // Without an infinity times 0.
        return [a * c, 0.0];
    }
    [a * c - b * d, a * d + b * c]
}

/// The power of two below a normal number.
fn exponent_of(value: f64) -> i32 {
    (value.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// 2 to a power from -1022 to 1023.
fn power_of_two(power: i32) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

pub(crate) fn cholesky<T: Number>(a: MatRef<'_, T>, mut l: MatMut<'_, T>) -> Result<(), Defect> {
    if a.nrows() == 0 {
        return Ok(());
    }
    let llt = real_diagonal(a)
        .llt(Side::Lower)
        .map_err(|_| Defect::NotPositiveDefinite)?;
    let lower = llt.L();
    // A pivot that is NaN is not positive either.
    if (0..lower.nrows()).any(|at| lower[(at, at)].parts()[0].is_nan()) {
        return Err(Defect::NotPositiveDefinite);
    }
    for column in 0..lower.ncols() {
        for row in 0..lower.nrows() {
            let value = lower[(row, column)];
            l[(row, column)] = if row < column { T::ZERO } else { value };
        }
    }
    Ok(())
}
