//! Eigenvalues of Hermitian matrices, and singular values, by rotations.

use super::dense::Dense;
use super::scalar::Scalar;

/// More sweeps than any matrix of numbers needs.
const SWEEPS: usize = 60;

/// A rotation of two columns, of which the second is multiplied by a number of magnitude 1 before.
#[derive(Clone, Copy)]
struct Rotation<S> {
    cosine: f64,
    sine: f64,
    phase: S,
}

impl<S: Scalar> Rotation<S> {
    /// Returns the rotation that makes the Hermitian matrix with these elements diagonal.
    fn new(pp: f64, pq: S, qq: f64) -> Rotation<S> {
        let size = pq.size();
        let theta = (qq - pp) / (2.0 * size);
        let t = f64::copysign(1.0, theta) / (theta.abs() + theta.hypot(1.0));
        let cosine = 1.0 / t.hypot(1.0);
        Rotation {
            cosine,
            sine: cosine * t,
            phase: pq.conj().over(S::from_real(size)),
        }
    }

    fn turn(&self, x: S, y: S, phase: S) -> (S, S) {
        let (c, s) = (S::from_real(self.cosine), S::from_real(self.sine));
        let y = y * phase;
        (c * x - s * y, s * x + c * y)
    }
}

impl<S: Scalar> Dense<S> {
    /// Returns eigenvalues, the smallest first, and eigenvectors as columns; `None` if the
    /// iteration does not end. Only one triangle is read. NVIDIA does not document that imaginary
    /// parts on the diagonal are ignored, so there is no result with them.
    pub(crate) fn syevd(&self, upper: bool) -> Option<(Vec<f64>, Dense<S>)> {
        let n = self.columns;
        let mut a = self.clone();
        for column in 0..n {
            for row in 0..n {
                let is_read = if upper { row <= column } else { row >= column };
                if !is_read {
                    a[(row, column)] = self[(column, row)].conj();
                }
            }
        }
        if (0..n).any(|i| a[(i, i)].complex().im != 0.0) {
            return None;
        }
        let real = |value: S| value.complex().re;
        let mut vectors = Dense::identity(n);
        for _ in 0..SWEEPS {
            let mut changed = false;
            for p in 0..n {
                for q in p + 1..n {
                    let (pp, off, qq) = (real(a[(p, p)]), a[(p, q)], real(a[(q, q)]));
                    if off.size().is_nan() {
                        return None;
                    }
                    if off.size() <= 1e-17 * (pp.abs() * qq.abs()).sqrt()
                        || off.size() < f64::MIN_POSITIVE
                    {
                        continue;
                    }
                    changed = true;
                    let rotation = Rotation::new(pp, off, qq);
                    a.rotate(p, q, rotation);
                    for k in 0..n {
                        let phase = rotation.phase.conj();
                        (a[(p, k)], a[(q, k)]) = rotation.turn(a[(p, k)], a[(q, k)], phase);
                    }
                    vectors.rotate(p, q, rotation);
                }
            }
            if !changed {
                break;
            }
        }
        let values: Vec<f64> = (0..n).map(|i| real(a[(i, i)])).collect();
        if values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
        let sorted = vectors.picked(&order);
        Some((order.iter().map(|&at| values[at]).collect(), sorted))
    }

    fn rotate(&mut self, p: usize, q: usize, rotation: Rotation<S>) {
        for k in 0..self.rows {
            let (x, y) = (self[(k, p)], self[(k, q)]);
            (self[(k, p)], self[(k, q)]) = rotation.turn(x, y, rotation.phase);
        }
    }

    /// These columns, in this order.
    fn picked(&self, columns: &[usize]) -> Dense<S> {
        let mut made = Dense::zeros(self.rows, columns.len());
        for (to, &from) in columns.iter().enumerate() {
            for row in 0..self.rows {
                made[(row, to)] = self[(row, from)];
            }
        }
        made
    }

    /// The length of a column.
    fn length(&self, column: usize) -> f64 {
        self.dot(column, column).complex().re.sqrt()
    }

    /// Returns singular values, the largest first, with all left vectors as columns and right ones
    /// as conjugated rows; `None` if the iteration does not end. There are at least as many rows
    /// as columns.
    pub(crate) fn gesvd(&self) -> Option<(Dense<S>, Vec<f64>, Dense<S>)> {
        let (m, n) = (self.rows, self.columns);
        if self.data.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let (mut a, mut v) = (self.clone(), Dense::identity(n));
        for _ in 0..SWEEPS {
            let mut changed = false;
            for p in 0..n {
                for q in p + 1..n {
                    let [pp, qq] = [p, q].map(|j| a.dot(j, j).complex().re);
                    let pq = a.dot(p, q);
                    if pq.size() <= 1e-16 * (pp * qq).sqrt() || pq.size() < f64::MIN_POSITIVE {
                        continue;
                    }
                    changed = true;
                    let rotation = Rotation::new(pp, pq, qq);
                    a.rotate(p, q, rotation);
                    v.rotate(p, q, rotation);
                }
            }
            if !changed {
                break;
            }
        }
        let values: Vec<f64> = (0..n).map(|j| a.length(j)).collect();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&one, &other| values[other].total_cmp(&values[one]));
        let values: Vec<f64> = order.iter().map(|&at| values[at]).collect();
        let (a, v) = (a.picked(&order), v.picked(&order));
        let mut u = Dense::zeros(m, m);
        let largest = values.first().copied().unwrap_or(0.0);
        for j in 0..m {
            let own = (j < n && values[j] > 1e-14 * largest).then(|| S::from_real(values[j]));
            match own {
                Some(value) => (0..m).for_each(|i| u[(i, j)] = a[(i, j)].over(value)),
                None => u.complete(j),
            }
        }
        Some((u, values, v.adjoint()))
    }

    /// Makes column `j` a vector of length 1 that is orthogonal to all columns before it.
    fn complete(&mut self, j: usize) {
        for unit in 0..self.rows {
            for i in 0..self.rows {
                self[(i, j)] = if i == unit { S::ONE } else { S::ZERO };
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
            let length = self.length(j);
            if length > 0.5 / (self.rows as f64).sqrt() {
                (0..self.rows).for_each(|i| self[(i, j)] = self[(i, j)].over(S::from_real(length)));
                return;
            }
        }
    }
}
