//! Eigenvalues and eigenvectors of any square matrices.

use super::dense::Dense;
use super::scalar::{Complex64, Scalar};

/// The maximum number of iterations for an eigenvalue. Finite matrices need fewer.
const ITERATIONS: usize = 100;

/// Eigenvalues with their vectors.
pub(crate) struct Eigen {
    pub(crate) values: Vec<Complex64>,
    pub(crate) vectors: Vec<Vec<Complex64>>,
}

impl Eigen {
    /// Returns the vectors as columns. For real matrices, two conjugate vectors are stored as a
    /// column of real and a column of imaginary parts.
    pub(crate) fn packed<S: Scalar>(&self) -> Dense<S> {
        let n = self.values.len();
        let mut made = Dense::zeros(n, n);
        for (column, value) in self.values.iter().enumerate() {
            let is_second = S::PARTS == 1 && value.im < 0.0;
            let vector = &self.vectors[column - usize::from(is_second)];
            for (row, &Complex64 { re, im }) in vector.iter().enumerate() {
                let parts = if is_second { [im, re] } else { [re, im] };
                made[(row, column)] = S::from_parts(&parts);
            }
        }
        made
    }
}

impl<S: Scalar> Dense<S> {
    /// The sum of squares of all elements, as a length.
    fn norm(&self) -> f64 {
        let squares = self.data.iter().map(|value| value.size().powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// The rows and columns before a number.
    fn leading(&self, count: usize) -> Dense<S> {
        let mut made = Dense::zeros(count, count);
        for column in 0..count {
            for row in 0..count {
                made[(row, column)] = self[(row, column)];
            }
        }
        made
    }

    /// Returns the eigenvalues and eigenvectors of length 1; of two conjugate ones of a real
    /// matrix, first that with the positive imaginary part. `None` if the iteration does not end.
    pub(crate) fn geev(&self) -> Option<Eigen> {
        if self.data.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let values = self.eigenvalues()?;
        let vector = |(at, &value)| self.eigenvector(at, value);
        let vectors = values.iter().enumerate().map(vector).collect();
        Some(Eigen { values, vectors })
    }

    /// Finds eigenvalues by QR steps with two shifts, which are real or conjugate for real
    /// matrices. One or two of them part when the elements before them have become 0.
    fn eigenvalues(&self) -> Option<Vec<Complex64>> {
        let small = f64::EPSILON * self.norm();
        let (mut a, mut values) = (self.clone(), Vec::new());
        let mut steps = 0;
        loop {
            let n = a.columns;
            let before = |rows: std::ops::Range<usize>, columns: usize| -> f64 {
                let rows = rows.flat_map(|row| (0..columns).map(move |column| (row, column)));
                rows.map(|at| a[at].size()).sum()
            };
            let parting = match n {
                0 => return Some(values),
                1 => 1,
                _ if before(n - 1..n, n - 1) <= small => 1,
                2 => 2,
                _ if before(n - 2..n, n - 2) <= small => 2,
                _ => 0,
            };
            let (sum, product) = a.last_pair();
            match parting {
                0 => {}
                1 => values.push(a[(n - 1, n - 1)].complex()),
                _ => values.extend(S::roots(sum, product)),
            }
            if parting > 0 {
                a = a.leading(n - parting);
                steps = 0;
                continue;
            }
            steps += 1;
            if steps > ITERATIONS {
                return None;
            }
            // Other shifts from time to time, since some matrices do not change by a step.
            let (sum, product) = match steps % 10 {
                0 => {
                    let size = a.norm();
                    (S::from_real(1.5 * size), S::from_real(0.7 * size * size))
                }
                _ => (sum, product),
            };
            let mut shifted = a.times(&a);
            for (at, value) in a.data.iter().enumerate() {
                shifted.data[at] -= sum * *value;
            }
            for i in 0..n {
                shifted[(i, i)] -= -product;
            }
            let factors = shifted.geqrf();
            shifted.orgqr(&factors);
            a = shifted.adjoint().times(&a).times(&shifted);
        }
    }

    /// Returns the sum and the product of the eigenvalues of the last two rows and columns.
    fn last_pair(&self) -> (S, S) {
        let n = self.columns;
        if n < 2 {
            return (S::ZERO, S::ZERO);
        }
        let [a, b] = [n - 2, n - 1].map(|column| self[(n - 2, column)]);
        let [c, d] = [n - 2, n - 1].map(|column| self[(n - 1, column)]);
        (a + d, a * d - b * c)
    }

    /// Returns the eigenvector of an eigenvalue, by inverse iteration. Equal eigenvalues get
    /// different vectors if there are any.
    fn eigenvector(&self, at: usize, value: Complex64) -> Vec<Complex64> {
        let n = self.columns;
        let data = self.data.iter().map(|value| value.complex()).collect();
        let mut shifted = Dense {
            data,
            rows: n,
            columns: n,
        };
        // Next to the eigenvalue, where the matrix is regular.
        let least = f64::EPSILON * self.norm().max(1e-100);
        for i in 0..n {
            shifted[(i, i)] -= value + least;
        }
        let (pivots, _) = shifted.getrf();
        for i in 0..n {
            if shifted[(i, i)] == Complex64::ZERO {
                shifted[(i, i)] = least.complex();
            }
        }
        let start = |row: usize| (((at * n + row + 1) as f64).sin() * 43_758.545_3).fract();
        let mut vector = Dense {
            data: (0..n).map(|row| start(row).complex()).collect(),
            rows: n,
            columns: 1,
        };
        for _ in 0..2 {
            shifted.getrs(&pivots, &mut vector, false);
            normalize(&mut vector.data);
        }
        vector.data
    }
}

/// Scales a vector to length 1 and its largest element to a real number.
fn normalize(vector: &mut [Complex64]) {
    let length = vector.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt();
    let largest = vector.iter().copied().fold(Complex64::ZERO, |one, other| {
        if other.norm() > one.norm() {
            other
        } else {
            one
        }
    });
    let is_real = vector.iter().all(|value| value.im == 0.0);
    let phase = match is_real {
        true => Complex64::ONE,
        false => largest.conj() / largest.norm(),
    };
    for value in vector {
        *value = *value * phase / length;
    }
}
