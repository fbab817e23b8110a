//! The mathematics of LAPACK's routines, unblocked, over matrices by columns.

/// A dense matrix by columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dense {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) data: Vec<f64>,
}

impl std::ops::Index<(usize, usize)> for Dense {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.data[row + column * self.rows]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Dense {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.data[row + column * self.rows]
    }
}

/// More sweeps than any matrix of numbers needs.
const SWEEPS: usize = 60;

impl Dense {
    pub(crate) fn zeros(rows: usize, columns: usize) -> Dense {
        Dense {
            rows,
            columns,
            data: vec![0.0; rows * columns],
        }
    }

    fn identity(n: usize) -> Dense {
        let mut made = Dense::zeros(n, n);
        for i in 0..n {
            made[(i, i)] = 1.0;
        }
        made
    }

    /// The product of two columns.
    fn dot(&self, one: usize, other: usize) -> f64 {
        (0..self.rows)
            .map(|row| self[(row, one)] * self[(row, other)])
            .sum()
    }

    /// `a = u^T u` in the upper triangle, or `a = l l^T` in the lower; returns `info`.
    pub(crate) fn potrf(&mut self, upper: bool) -> i32 {
        let at = |row: usize, column: usize| if upper { (column, row) } else { (row, column) };
        for j in 0..self.columns {
            let squares: f64 = (0..j).map(|k| self[at(j, k)].powi(2)).sum();
            let pivot = self[at(j, j)] - squares;
            if pivot.is_nan() || pivot <= 0.0 {
                self[at(j, j)] = pivot;
                return j as i32 + 1;
            }
            let pivot = pivot.sqrt();
            self[at(j, j)] = pivot;
            for i in j + 1..self.columns {
                let sum: f64 = (0..j).map(|k| self[at(i, k)] * self[at(j, k)]).sum();
                self[at(i, j)] = (self[at(i, j)] - sum) / pivot;
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
                if self[(i, j)].abs() > self[(best, j)].abs() {
                    best = i;
                }
            }
            pivots.push(best as i64 + 1);
            for k in 0..n {
                self.data.swap(j + k * n, best + k * n);
            }
            let pivot = self[(j, j)];
            if pivot == 0.0 {
                if info == 0 {
                    info = j as i32 + 1;
                }
                continue;
            }
            for i in j + 1..n {
                self[(i, j)] /= pivot;
                for k in j + 1..n {
                    self[(i, k)] -= self[(i, j)] * self[(j, k)];
                }
            }
        }
        (pivots, info)
    }

    /// Solves `a x = b`, or with `transposed` `a^T x = b`, in place of `b`; this is the result of
    /// [`getrf`](Self::getrf).
    pub(crate) fn getrs(&self, pivots: &[i64], b: &mut Dense, transposed: bool) {
        let n = self.columns;
        for side in 0..b.columns {
            let exchange = |b: &mut Dense, i: usize| {
                let other = (pivots[i] - 1) as usize;
                b.data.swap(i + side * n, other + side * n);
            };
            if transposed {
                for i in 0..n {
                    let sum: f64 = (0..i).map(|k| self[(k, i)] * b[(k, side)]).sum();
                    b[(i, side)] = (b[(i, side)] - sum) / self[(i, i)];
                }
                for i in (0..n).rev() {
                    let sum: f64 = (i + 1..n).map(|k| self[(k, i)] * b[(k, side)]).sum();
                    b[(i, side)] -= sum;
                }
                (0..n).rev().for_each(|i| exchange(b, i));
            } else {
                (0..n).for_each(|i| exchange(b, i));
                for i in 0..n {
                    let sum: f64 = (0..i).map(|k| self[(i, k)] * b[(k, side)]).sum();
                    b[(i, side)] -= sum;
                }
                for i in (0..n).rev() {
                    let sum: f64 = (i + 1..n).map(|k| self[(i, k)] * b[(k, side)]).sum();
                    b[(i, side)] = (b[(i, side)] - sum) / self[(i, i)];
                }
            }
        }
    }

    /// `a = q r` by reflections; returns their factors.
    pub(crate) fn geqrf(&mut self) -> Vec<f64> {
        let mut factors = Vec::new();
        for j in 0..self.rows.min(self.columns) {
            let rest: f64 = (j + 1..self.rows).map(|i| self[(i, j)].powi(2)).sum();
            let first = self[(j, j)];
            if rest == 0.0 {
                factors.push(0.0);
                continue;
            }
            let corner = -f64::copysign((first * first + rest).sqrt(), first);
            let factor = (corner - first) / corner;
            for i in j + 1..self.rows {
                self[(i, j)] /= first - corner;
            }
            self[(j, j)] = corner;
            factors.push(factor);
            for k in j + 1..self.columns {
                self.reflect(j, k, factor);
            }
        }
        factors
    }

    /// Reflects a column by the vector below the diagonal in column `j`.
    fn reflect(&mut self, j: usize, column: usize, factor: f64) {
        let below: f64 = (j + 1..self.rows)
            .map(|i| self[(i, j)] * self[(i, column)])
            .sum();
        let along = factor * (self[(j, column)] + below);
        self[(j, column)] -= along;
        for i in j + 1..self.rows {
            let part = along * self[(i, j)];
            self[(i, column)] -= part;
        }
    }

    /// Computes the first columns of `q`, one for each factor, in place of the reflections.
    pub(crate) fn orgqr(&mut self, factors: &[f64]) {
        let mut q = Dense::zeros(self.rows, self.columns);
        for i in 0..self.columns.min(self.rows) {
            q[(i, i)] = 1.0;
        }
        for (j, factor) in factors.iter().enumerate().rev() {
            for column in 0..self.columns {
                let below: f64 = (j + 1..self.rows)
                    .map(|i| self[(i, j)] * q[(i, column)])
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

    /// Returns eigenvalues, the smallest first, and eigenvectors as columns, by rotations; `None`
    /// if they do not converge. Only one triangle is read.
    pub(crate) fn syevd(&self, upper: bool) -> Option<(Vec<f64>, Dense)> {
        let n = self.columns;
        let mut a = self.clone();
        for column in 0..n {
            for row in 0..n {
                let is_read = if upper { row <= column } else { row >= column };
                if !is_read {
                    a[(row, column)] = self[(column, row)];
                }
            }
        }
        let mut vectors = Dense::identity(n);
        for _ in 0..SWEEPS {
            let mut changed = false;
            for p in 0..n {
                for q in p + 1..n {
                    let off = a[(p, q)];
                    if off.is_nan() {
                        return None;
                    }
                    if off.abs() <= 1e-17 * (a[(p, p)].abs() * a[(q, q)].abs()).sqrt()
                        || off.abs() < f64::MIN_POSITIVE
                    {
                        continue;
                    }
                    changed = true;
                    let (c, s) = rotation(a[(p, p)], off, a[(q, q)]);
                    for k in 0..n {
                        let (x, y) = (a[(k, p)], a[(k, q)]);
                        (a[(k, p)], a[(k, q)]) = (c * x - s * y, s * x + c * y);
                    }
                    for k in 0..n {
                        let (x, y) = (a[(p, k)], a[(q, k)]);
                        (a[(p, k)], a[(q, k)]) = (c * x - s * y, s * x + c * y);
                    }
                    vectors.rotate(p, q, c, s);
                }
            }
            if !changed {
                break;
            }
        }
        let values: Vec<f64> = (0..n).map(|i| a[(i, i)]).collect();
        if values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
        let sorted = vectors.picked(&order);
        Some((order.iter().map(|&at| values[at]).collect(), sorted))
    }

    fn rotate(&mut self, p: usize, q: usize, c: f64, s: f64) {
        for k in 0..self.rows {
            let (x, y) = (self[(k, p)], self[(k, q)]);
            (self[(k, p)], self[(k, q)]) = (c * x - s * y, s * x + c * y);
        }
    }

    /// These columns, in this order.
    fn picked(&self, columns: &[usize]) -> Dense {
        let mut made = Dense::zeros(self.rows, columns.len());
        for (to, &from) in columns.iter().enumerate() {
            for row in 0..self.rows {
                made[(row, to)] = self[(row, from)];
            }
        }
        made
    }

    /// Returns singular values, the largest first, with all left vectors as columns and right ones
    /// as rows, by rotations of columns; `None` if they do not converge. There are at least as many
    /// rows as columns.
    pub(crate) fn gesvd(&self) -> Option<(Dense, Vec<f64>, Dense)> {
        let (m, n) = (self.rows, self.columns);
        if self.data.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let (mut a, mut v) = (self.clone(), Dense::identity(n));
        for _ in 0..SWEEPS {
            let mut changed = false;
            for p in 0..n {
                for q in p + 1..n {
                    let [pp, pq, qq] = [a.dot(p, p), a.dot(p, q), a.dot(q, q)];
                    if pq.abs() <= 1e-16 * (pp * qq).sqrt() || pq.abs() < f64::MIN_POSITIVE {
                        continue;
                    }
                    changed = true;
                    let (c, s) = rotation(pp, pq, qq);
                    a.rotate(p, q, c, s);
                    v.rotate(p, q, c, s);
                }
            }
            if !changed {
                break;
            }
        }
        let values: Vec<f64> = (0..n).map(|j| a.dot(j, j).sqrt()).collect();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&one, &other| values[other].total_cmp(&values[one]));
        let values: Vec<f64> = order.iter().map(|&at| values[at]).collect();
        let (a, v) = (a.picked(&order), v.picked(&order));
        let mut u = Dense::zeros(m, m);
        let largest = values.first().copied().unwrap_or(0.0);
        for j in 0..m {
            let own = (j < n && values[j] > 1e-14 * largest).then(|| values[j]);
            match own {
                Some(value) => (0..m).for_each(|i| u[(i, j)] = a[(i, j)] / value),
                None => u.complete(j),
            }
        }
        let mut vt = Dense::zeros(n, n);
        for i in 0..n {
            for j in 0..n {
                vt[(i, j)] = v[(j, i)];
            }
        }
        Some((u, values, vt))
    }

    /// Makes column `j` a vector of length 1 that is orthogonal to all columns before it.
    fn complete(&mut self, j: usize) {
        for unit in 0..self.rows {
            for i in 0..self.rows {
                self[(i, j)] = if i == unit { 1.0 } else { 0.0 };
            }
            // Twice, since the rounded result of the first time may not be orthogonal.
            for _ in 0..2 {
                for k in 0..j {
                    let along = self.dot(k, j);
                    for i in 0..self.rows {
                        let part = along * self[(i, k)];
                        self[(i, j)] -= part;
                    }
                }
            }
            let length = self.dot(j, j).sqrt();
            if length > 0.5 / (self.rows as f64).sqrt() {
                (0..self.rows).for_each(|i| self[(i, j)] /= length);
                return;
            }
        }
    }
}

/// Cosine and sine of the rotation that makes the symmetric matrix with these elements diagonal.
fn rotation(pp: f64, pq: f64, qq: f64) -> (f64, f64) {
    let theta = (qq - pp) / (2.0 * pq);
    let t = f64::copysign(1.0, theta) / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    (c, c * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(rows: usize, columns: usize) -> Dense {
        let mut state = (rows * 31 + columns) as u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 40) as f64 / (1 << 24) as f64 - 0.5
        };
        let data = (0..rows * columns).map(|_| next()).collect();
        Dense {
            rows,
            columns,
            data,
        }
    }

    fn product(a: &Dense, b: &Dense) -> Dense {
        let mut c = Dense::zeros(a.rows, b.columns);
        for i in 0..a.rows {
            for j in 0..b.columns {
                c[(i, j)] = (0..a.columns).map(|k| a[(i, k)] * b[(k, j)]).sum();
            }
        }
        c
    }

    fn transposed(a: &Dense) -> Dense {
        let mut c = Dense::zeros(a.columns, a.rows);
        for i in 0..a.rows {
            for j in 0..a.columns {
                c[(j, i)] = a[(i, j)];
            }
        }
        c
    }

    fn assert_near(a: &Dense, b: &Dense) {
        assert_eq!((a.rows, a.columns), (b.rows, b.columns));
        for (x, y) in a.data.iter().zip(&b.data) {
            assert!((x - y).abs() < 1e-10, "{a:?}\n{b:?}");
        }
    }

    #[test]
    fn factors_multiply_to_the_matrix() {
        for (m, n) in [(1, 1), (4, 4), (7, 3), (5, 5)] {
            let a = random(m, n);
            let mut qr = a.clone();
            let factors = qr.geqrf();
            let mut r = Dense::zeros(n, n);
            for i in 0..n {
                (i..n).for_each(|j| r[(i, j)] = qr[(i, j)]);
            }
            qr.orgqr(&factors);
            assert_near(&product(&qr, &r), &a);
            assert_near(&product(&transposed(&qr), &qr), &Dense::identity(n));
            let (u, s, vt) = a.gesvd().unwrap();
            assert_near(&product(&transposed(&u), &u), &Dense::identity(m));
            let mut scaled = Dense::zeros(m, n);
            (0..n).for_each(|j| (0..m).for_each(|i| scaled[(i, j)] = u[(i, j)] * s[j]));
            assert_near(&product(&scaled, &vt), &a);
            let square = product(&transposed(&a), &a);
            let (values, vectors) = square.syevd(true).unwrap();
            let mut scaled = vectors.clone();
            (0..n).for_each(|j| (0..n).for_each(|i| scaled[(i, j)] *= values[j]));
            assert_near(&product(&scaled, &transposed(&vectors)), &square);
        }
    }

    #[test]
    fn solves_equations_from_both_sides() {
        let (a, b) = (random(6, 6), random(6, 2));
        let mut lu = a.clone();
        let (pivots, info) = lu.getrf();
        assert_eq!(info, 0);
        let mut x = b.clone();
        lu.getrs(&pivots, &mut x, false);
        assert_near(&product(&a, &x), &b);
        let mut x = b.clone();
        lu.getrs(&pivots, &mut x, true);
        assert_near(&product(&transposed(&a), &x), &b);
    }

    #[test]
    fn detects_singular_and_invalid_matrices() {
        assert_eq!(Dense::zeros(3, 3).getrf().1, 1);
        assert_eq!(Dense::zeros(3, 3).potrf(true), 1);
        let mut a = Dense::identity(3);
        a[(1, 1)] = -1.0;
        assert_eq!(a.potrf(false), 2);
        a[(1, 1)] = f64::NAN;
        assert!(a.gesvd().is_none() && a.syevd(true).is_none());
    }
}
