//! Orthogonal factorisations: `a = q r`, singular values, eigenvalues.

use faer::linalg::solvers::Svd;
use faer::{Mat, MatMut, MatRef, Side};
use num_complex::Complex;

use crate::defect::Defect;
use crate::number::{Magnitude, Number};

pub(crate) fn qr<T: Number>(a: MatRef<'_, T>, mut q: MatMut<'_, T>, mut r: MatMut<'_, T>) {
    if a.nrows() == 0 || a.ncols() == 0 {
        return;
    }
    let factors = a.qr();
    q.copy_from(&factors.compute_thin_Q());
    let upper = factors.thin_R();
    for column in 0..r.ncols() {
        for row in 0..r.nrows() {
            let is_below = row > column;
            r[(row, column)] = if is_below {
                T::ZERO
            } else {
                upper[(row, column)]
            };
        }
    }
}

/// An iteration with elements that are not finite may not end.
fn check_finite<T: Number>(
    a: MatRef<'_, T>,
    is_read: impl Fn(usize, usize) -> bool,
) -> Result<(), Defect> {
    for column in 0..a.ncols() {
        for row in 0..a.nrows() {
            if is_read(row, column) && !a[(row, column)].parts().iter().all(|part| part.is_finite())
            {
                return Err(Defect::NoConvergence);
            }
        }
    }
    Ok(())
}

fn set_identity<T: Number>(mut out: MatMut<'_, T>) {
    for column in 0..out.ncols() {
        for row in 0..out.nrows() {
            out[(row, column)] = if row == column { T::ONE } else { T::ZERO };
        }
    }
}

/// Writes real values that `faer` has in the matrix's own type.
fn set_real<T: Number>(mut out: MatMut<'_, T::Real>, value: impl Fn(usize) -> T) {
    for at in 0..out.nrows() {
        let [real, _] = value(at).parts();
        out[(at, 0)] = T::Real::nearest(real);
    }
}

pub(crate) fn svd<T: Number>(
    a: MatRef<'_, T>,
    mut u: MatMut<'_, T>,
    s: MatMut<'_, T::Real>,
    mut vt: MatMut<'_, T>,
) -> Result<(), Defect> {
    if a.nrows() == 0 || a.ncols() == 0 {
        set_identity(u);
        set_identity(vt);
        return Ok(());
    }
    check_finite(a, |_, _| true)?;
    let is_thin = u.ncols() < u.nrows() || vt.nrows() < vt.ncols();
    let is_square = a.nrows() == a.ncols();
    let factors = match is_thin || is_square {
        false => a.svd(),
        true => a.thin_svd(),
    };
    let factors = factors.map_err(|_| Defect::NoConvergence)?;
    u.copy_from(factors.U());
    vt.copy_from(factors.V().adjoint().to_owned());
    set_real(s, |at| factors.S()[at]);
    Ok(())
}

pub(crate) fn svdvals<T: Number>(
    a: MatRef<'_, T>,
    mut s: MatMut<'_, T::Real>,
) -> Result<(), Defect> {
    if a.nrows() == 0 || a.ncols() == 0 {
        return Ok(());
    }
    check_finite(a, |_, _| true)?;
    let values = a.singular_values().map_err(|_| Defect::NoConvergence)?;
    for (at, value) in values.into_iter().enumerate() {
        s[(at, 0)] = value;
    }
    Ok(())
}

/// Returns the matrix without the imaginary parts of its diagonal. A Hermitian matrix has none, and
/// LAPACK ignores them.
pub(crate) fn real_diagonal<T: Number>(a: MatRef<'_, T>) -> Mat<T> {
    let mut own = a.to_owned();
    for at in 0..own.nrows() {
        let [real, _] = own[(at, at)].parts();
        own[(at, at)] = T::from_parts([real, 0.0]);
    }
    own
}

pub(crate) fn eigh<T: Number>(
    a: MatRef<'_, T>,
    values: MatMut<'_, T::Real>,
    mut vectors: MatMut<'_, T>,
) -> Result<(), Defect> {
    if a.nrows() == 0 {
        return Ok(());
    }
    check_finite(a, |row, column| row >= column)?;
    let eigen = real_diagonal(a)
        .self_adjoint_eigen(Side::Lower)
        .map_err(|_| Defect::NoConvergence)?;
    vectors.copy_from(eigen.U());
    set_real(values, |at| eigen.S()[at]);
    Ok(())
}

pub(crate) fn eigvalsh<T: Number>(
    a: MatRef<'_, T>,
    mut values: MatMut<'_, T::Real>,
) -> Result<(), Defect> {
    if a.nrows() == 0 {
        return Ok(());
    }
    check_finite(a, |row, column| row >= column)?;
    let found = real_diagonal(a)
        .self_adjoint_eigenvalues(Side::Lower)
        .map_err(|_| Defect::NoConvergence)?;
    for (at, value) in found.into_iter().enumerate() {
        values[(at, 0)] = value;
    }
    Ok(())
}

/// Returns the factor that scales a vector to length 1 and makes its largest element real. Real
/// vectors stay real.
fn unit(vector: impl Iterator<Item = [f64; 2]>) -> Complex<f64> {
    let (mut squares, mut largest, mut is_real) = (0.0, Complex::new(0.0, 0.0), true);
    for [real, imaginary] in vector {
        let value = Complex::new(real, imaginary);
        squares += value.norm_sqr();
        is_real &= imaginary == 0.0;
        if value.norm_sqr() > largest.norm_sqr() {
            largest = value;
        }
    }
    let length = f64::sqrt(squares);
    match (length > 0.0, is_real) {
        (false, _) => Complex::new(1.0, 0.0),
        (true, true) => Complex::new(1.0 / length, 0.0),
        (true, false) => largest.conj() / (largest.norm() * length),
    }
}

pub(crate) fn eig<T: Number>(
    a: MatRef<'_, T>,
    mut values: MatMut<'_, Complex<T::Real>>,
    mut vectors: MatMut<'_, Complex<T::Real>>,
) -> Result<(), Defect>
where
    Complex<T::Real>: Number,
{
    if a.nrows() == 0 {
        return Ok(());
    }
    check_finite(a, |_, _| true)?;
    let eigen = a.eigen().map_err(|_| Defect::NoConvergence)?;
    for column in 0..a.nrows() {
        values[(column, 0)] = eigen.S()[column];
        let vector = (0..a.nrows()).map(|row| eigen.U()[(row, column)].parts());
        let scale = unit(vector.clone());
        for (row, [real, imaginary]) in vector.enumerate() {
            let scaled = Complex::new(real, imaginary) * scale;
            vectors[(row, column)] = Number::from_parts([scaled.re, scaled.im]);
        }
    }
    Ok(())
}

pub(crate) fn eigvals<T: Number>(
    a: MatRef<'_, T>,
    mut values: MatMut<'_, Complex<T::Real>>,
) -> Result<(), Defect> {
    if a.nrows() == 0 {
        return Ok(());
    }
    check_finite(a, |_, _| true)?;
    let found = a.eigenvalues().map_err(|_| Defect::NoConvergence)?;
    for (at, value) in found.into_iter().enumerate() {
        values[(at, 0)] = value;
    }
    Ok(())
}

/// Writes the shortest least-squares solution and the singular values; returns the rank.
pub(crate) fn lstsq<T: Number>(
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    mut x: MatMut<'_, T>,
    s: MatMut<'_, T::Real>,
    cutoff: f64,
) -> Result<i64, Defect> {
    if a.nrows() == 0 || a.ncols() == 0 {
        x.fill(T::ZERO);
        return Ok(0);
    }
    check_finite(a, |_, _| true)?;
    let factors: Svd<T> = a.thin_svd().map_err(|_| Defect::NoConvergence)?;
    let value = |at: usize| factors.S()[at].parts()[0];
    let smallest = cutoff * value(0);
    let rank = (0..s.nrows()).filter(|at| value(*at) > smallest).count();
    let mut along: Mat<T> = factors.U().adjoint() * b;
    for column in 0..along.ncols() {
        for at in 0..along.nrows() {
            let part = along[(at, column)];
            let scaled = part.parts().map(|part| part / value(at));
            along[(at, column)] = if at < rank {
                T::from_parts(scaled)
            } else {
                T::ZERO
            };
        }
    }
    x.copy_from(factors.V() * along);
    set_real(s, |at| factors.S()[at]);
    Ok(rank as i64)
}
