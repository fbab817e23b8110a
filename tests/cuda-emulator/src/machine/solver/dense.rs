//! The mathematics of LAPACK's routines that factor and solve, unblocked, over matrices by columns.

use super::scalar::{Complex64, Scalar};

/// A dense matrix by columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dense<S> {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) data: Vec<S>,
}

impl<S> std::ops::Index<(usize, usize)> for Dense<S> {
    type Output = S;

    fn index(&self, (row, column): (usize, usize)) -> &S {
        &self.data[row + column * self.rows]
    }
}

impl<S> std::ops::IndexMut<(usize, usize)> for Dense<S> {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut S {
        &mut self.data[row + column * self.rows]
    }
}

impl<S: Scalar> Dense<S> {
    pub(crate) fn zeros(rows: usize, columns: usize) -> Dense<S> {
        Dense {
            rows,
            columns,
            data: vec![S::ZERO; rows * columns],
        }
    }

    pub(super) fn identity(n: usize) -> Dense<S> {
        let mut made = Dense::zeros(n, n);
        for i in 0..n {
            made[(i, i)] = S::ONE;
        }
        made
    }

    /// The product of two columns, the first conjugated.
    pub(super) fn dot(&self, one: usize, other: usize) -> S {
        (0..self.rows)
            .map(|row| self[(row, one)].conj() * self[(row, other)])
            .sum()
    }

    /// `a = u^H u` in the upper triangle, or `a = l l^H` in the lower; returns `info`. NVIDIA does
    /// not document that imaginary parts on the diagonal are ignored, so they are a failure.
    pub(crate) fn potrf(&mut self, upper: bool) -> i32 {
        let at = |row: usize, column: usize| if upper { (column, row) } else { (row, column) };
        for j in 0..self.columns {
            let squares: f64 = (0..j).map(|k| self[at(j, k)].size().powi(2)).sum();
            let Complex64 { re, im } = self[at(j, j)].complex();
            let pivot = re - squares;
            if pivot.is_nan() || pivot <= 0.0 || im != 0.0 {
                self[at(j, j)] = S::from_real(pivot);
                return j as i32 + 1;
            }
            let pivot = S::from_real(pivot.sqrt());
            self[at(j, j)] = pivot;
            for i in j + 1..self.columns {
                let sum: S = (0..j).map(|k| self[at(i, k)] * self[at(j, k)].conj()).sum();
                self[at(i, j)] = (self[at(i, j)] - sum).over(pivot);
            }
        }
        0
    }

    /// `a = p l u`; returns for each row the one that it was exchanged with, from 1, and `info`.
    pub(crate) fn getrf(&mut self) -> (Vec<i64>, i32) {
        let (n, mut pivots, mut info) = (self.columns, Vec::new(), 0);
        for j in 0..n {
            let mut best = j;
            for i in j + 1..n {
                if self[(i, j)].size() > self[(best, j)].size() {
                    best = i;
                }
            }
            pivots.push(best as i64 + 1);
            for k in 0..n {
                self.data.swap(j + k * n, best + k * n);
            }
            let pivot = self[(j, j)];
            if pivot == S::ZERO {
                if info == 0 {
                    info = j as i32 + 1;
                }
                continue;
            }
            for i in j + 1..n {
                self[(i, j)] = self[(i, j)].over(pivot);
                for k in j + 1..n {
                    let part = self[(i, j)] * self[(j, k)];
                    self[(i, k)] -= part;
                }
            }
        }
        (pivots, info)
    }

    /// Solves `a x = b`, or with `transposed` `a^T x = b`, in place of `b`; this is the result of
    /// [`getrf`](Self::getrf).
    pub(crate) fn getrs(&self, pivots: &[i64], b: &mut Dense<S>, transposed: bool) {
        let n = self.columns;
        for side in 0..b.columns {
            let exchange = |b: &mut Dense<S>, i: usize| {
                let other = (pivots[i] - 1) as usize;
                b.data.swap(i + side * n, other + side * n);
            };
            if transposed {
                for i in 0..n {
                    let sum: S = (0..i).map(|k| self[(k, i)] * b[(k, side)]).sum();
                    b[(i, side)] = (b[(i, side)] - sum).over(self[(i, i)]);
                }
                for i in (0..n).rev() {
                    let sum: S = (i + 1..n).map(|k| self[(k, i)] * b[(k, side)]).sum();
                    b[(i, side)] -= sum;
                }
                (0..n).rev().for_each(|i| exchange(b, i));
            } else {
                (0..n).for_each(|i| exchange(b, i));
                for i in 0..n {
                    let sum: S = (0..i).map(|k| self[(i, k)] * b[(k, side)]).sum();
                    b[(i, side)] -= sum;
                }
                for i in (0..n).rev() {
                    let sum: S = (i + 1..n).map(|k| self[(i, k)] * b[(k, side)]).sum();
                    b[(i, side)] = (b[(i, side)] - sum).over(self[(i, i)]);
                }
            }
        }
    }

    /// `a = q r` by reflections; returns their factors. The diagonal of `r` is real.
    pub(crate) fn geqrf(&mut self) -> Vec<S> {
        let mut factors = Vec::new();
        for j in 0..self.rows.min(self.columns) {
            let squares = (j + 1..self.rows).map(|i| self[(i, j)].size().powi(2));
            let (rest, first) = (squares.sum::<f64>(), self[(j, j)]);
            let Complex64 { re, im } = first.complex();
            if rest == 0.0 && im == 0.0 {
                factors.push(S::ZERO);
                continue;
            }
            let corner = -f64::copysign((first.size().powi(2) + rest).sqrt(), re);
            let corner = S::from_real(corner);
            let factor = (corner - first).over(corner);
            for i in j + 1..self.rows {
                self[(i, j)] = self[(i, j)].over(first - corner);
            }
            self[(j, j)] = corner;
            factors.push(factor);
            for k in j + 1..self.columns {
                self.reflect(j, k, factor.conj());
            }
        }
        factors
    }

    /// Reflects a column by the vector below the diagonal in column `j`.
    fn reflect(&mut self, j: usize, column: usize, factor: S) {
        let below: S = (j + 1..self.rows)
            .map(|i| self[(i, j)].conj() * self[(i, column)])
            .sum();
        let along = factor * (self[(j, column)] + below);
        self[(j, column)] -= along;
        for i in j + 1..self.rows {
            let part = along * self[(i, j)];
            self[(i, column)] -= part;
        }
    }

    /// Computes the first columns of `q`, one for each factor, in place of the reflections.
    pub(crate) fn orgqr(&mut self, factors: &[S]) {
        let mut q = Dense::zeros(self.rows, self.columns);
        for i in 0..self.columns.min(self.rows) {
            q[(i, i)] = S::ONE;
        }
        for (j, &factor) in factors.iter().enumerate().rev() {
            for column in 0..self.columns {
                let below: S = (j + 1..self.rows)
                    .map(|i| self[(i, j)].conj() * q[(i, column)])
                    .sum();
                let along = factor * (q[(j, column)] + below);
                q[(j, column)] -= along;
                for i in j + 1..self.rows {
                    q[(i, column)] -= along * self[(i, j)];
                }
            }
        }
        *self = q;
    }

    /// Returns the product with another matrix.
    pub(super) fn times(&self, other: &Dense<S>) -> Dense<S> {
        let mut made = Dense::zeros(self.rows, other.columns);
        for row in 0..self.rows {
            for column in 0..other.columns {
                let terms = (0..self.columns).map(|k| self[(row, k)] * other[(k, column)]);
                made[(row, column)] = terms.sum();
            }
        }
        made
    }

    /// Returns the conjugate transpose.
    pub(super) fn adjoint(&self) -> Dense<S> {
        let mut made = Dense::zeros(self.columns, self.rows);
        for row in 0..self.rows {
            for column in 0..self.columns {
                made[(column, row)] = self[(row, column)].conj();
            }
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random<S: Scalar>(rows: usize, columns: usize) -> Dense<S> {
        let mut state = (rows * 31 + columns) as u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 40) as f64 / (1 << 24) as f64 - 0.5
        };
        let each = (0..rows * columns).map(|_| S::from_parts(&[next(), next()]));
        Dense {
            data: each.collect(),
            rows,
            columns,
        }
    }

    fn assert_near<S: Scalar>(a: &Dense<S>, b: &Dense<S>) {
        assert_eq!((a.rows, a.columns), (b.rows, b.columns));
        for (&x, &y) in a.data.iter().zip(&b.data) {
            assert!((x - y).size() < 1e-10, "{a:?}\n{b:?}");
        }
    }

    fn scaled<S: Scalar>(a: &Dense<S>, values: &[f64]) -> Dense<S> {
        let mut made = Dense::zeros(a.rows, values.len());
        for (j, &value) in values.iter().enumerate() {
            (0..a.rows).for_each(|i| made[(i, j)] = a[(i, j)] * S::from_real(value));
        }
        made
    }

    fn check_factors<S: Scalar>(m: usize, n: usize) {
        let a = random::<S>(m, n);
        let mut qr = a.clone();
        let factors = qr.geqrf();
        let mut r = Dense::zeros(n, n);
        for i in 0..n {
            (i..n).for_each(|j| r[(i, j)] = qr[(i, j)]);
            assert_eq!(r[(i, i)].complex().im, 0.0);
        }
        qr.orgqr(&factors);
        assert_near(&qr.times(&r), &a);
        assert_near(&qr.adjoint().times(&qr), &Dense::identity(n));
        let (u, s, vt) = a.gesvd().unwrap();
        assert_near(&u.adjoint().times(&u), &Dense::identity(m));
        assert_near(&scaled(&u, &s).times(&vt), &a);
        let mut square = a.adjoint().times(&a);
        (0..n).for_each(|i| square[(i, i)] = S::from_real(square[(i, i)].complex().re));
        let (values, vectors) = square.syevd(true).unwrap();
        let made = scaled(&vectors, &values).times(&vectors.adjoint());
        assert_near(&made, &square);
        for upper in [false, true] {
            let mut triangle = square.clone();
            assert_eq!(triangle.potrf(upper), 0);
            for (at, value) in triangle.data.iter_mut().enumerate() {
                let (row, column) = (at % n, at / n);
                if row != column && upper == (row > column) {
                    *value = S::ZERO;
                }
            }
            let other = triangle.adjoint();
            let made = if upper {
                other.times(&triangle)
            } else {
                triangle.times(&other)
            };
            assert_near(&made, &square);
        }
    }

    #[test]
    fn factors_multiply_to_the_matrix() {
        for (m, n) in [(1, 1), (4, 4), (7, 3), (5, 5)] {
            check_factors::<f64>(m, n);
            check_factors::<Complex64>(m, n);
        }
    }

    fn check_general<S: Scalar>(a: &Dense<S>) {
        let eigen = a.geev().unwrap();
        assert_eq!(eigen.values.len(), a.columns);
        for (value, vector) in eigen.values.iter().zip(&eigen.vectors) {
            for row in 0..a.rows {
                let terms = (0..a.columns).map(|k| a[(row, k)].complex() * vector[k]);
                let sum: Complex64 = terms.sum();
                assert!((sum - value * vector[row]).norm() < 1e-10, "{a:?} {value}");
            }
        }
        let pairs = eigen.values.iter().filter(|value| value.im > 0.0);
        let others = eigen.values.iter().filter(|value| value.im < 0.0);
        assert!(S::PARTS == 2 || pairs.map(Complex64::conj).eq(others.copied()));
    }

    #[test]
    fn eigenvectors_are_multiplied_by_eigenvalues() {
        for n in 1..9 {
            check_general(&random::<f64>(n, n));
            check_general(&random::<Complex64>(n, n));
            check_general(&Dense::<f64>::zeros(n, n));
            check_general(&Dense::<f64>::identity(n));
            let vectors = Dense::<f64>::identity(n).geev().unwrap().packed::<f64>();
            assert_eq!(vectors.clone().getrf().1, 0, "independent: {vectors:?}");
            // A cyclic permutation: QR steps with shifts from the matrix itself do not change it.
            let mut cycle = Dense::<f64>::zeros(n, n);
            (0..n).for_each(|i| cycle[(i, (i + 1) % n)] = 1.0);
            check_general(&cycle);
        }
    }

    fn check_solutions<S: Scalar>() {
        let (a, b) = (random::<S>(6, 6), random::<S>(6, 2));
        let mut lu = a.clone();
        let (pivots, info) = lu.getrf();
        assert_eq!(info, 0);
        let mut x = b.clone();
        lu.getrs(&pivots, &mut x, false);
        assert_near(&a.times(&x), &b);
        let mut x = b.clone();
        lu.getrs(&pivots, &mut x, true);
        let mut transposed = a.adjoint();
        for value in &mut transposed.data {
            *value = value.conj();
        }
        assert_near(&transposed.times(&x), &b);
    }

    #[test]
    fn solves_equations_from_both_sides() {
        check_solutions::<f64>();
        check_solutions::<Complex64>();
    }

    #[test]
    fn detects_singular_and_invalid_matrices() {
        assert_eq!(Dense::<f64>::zeros(3, 3).getrf().1, 1);
        assert_eq!(Dense::<f64>::zeros(3, 3).potrf(true), 1);
        let mut a = Dense::identity(3);
        a[(1, 1)] = -1.0;
        assert_eq!(a.potrf(false), 2);
        a[(1, 1)] = f64::NAN;
        assert!(a.gesvd().is_none() && a.syevd(true).is_none() && a.geev().is_none());
        let mut a = Dense::identity(3);
        a[(2, 2)] = Complex64::new(1.0, 1e-9);
        assert!(a.syevd(true).is_none());
        assert_eq!(a.potrf(true), 3);
    }
}
