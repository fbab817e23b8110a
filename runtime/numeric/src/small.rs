//! Equations of few unknowns, solved without allocation: Gaussian elimination with row exchanges
//! for large pivots, as LAPACK's `getf2` and `getrs`.

use faer::{MatMut, MatRef};

use crate::defect::Defect;
use crate::number::Number;

/// The largest number of unknowns.
const MOST: usize = 8;

/// The factors of a small matrix: `p a = l u`.
pub(crate) struct Small<T> {
    count: usize,
    /// `u`, and below its diagonal `l` without its diagonal of 1.
    factors: [[T; MOST]; MOST],
    /// For each row of the factors, the row of the matrix.
    rows: [usize; MOST],
}

impl<T: Number> Small<T> {
    /// Factors a square matrix; `None` if it is not small.
    ///
    /// # Errors
    /// Returns an error if a pivot is 0.
    pub(crate) fn factor(a: MatRef<'_, T>) -> Result<Option<Small<T>>, Defect> {
        let count = a.nrows();
        if count > MOST {
            return Ok(None);
        }
        let mut rows = [0; MOST];
        let mut factors = [[T::ZERO; MOST]; MOST];
        for row in 0..count {
            rows[row] = row;
            for column in 0..count {
                factors[row][column] = a[(row, column)];
            }
        }
        for step in 0..count {
            let size = |row: usize| {
                let [real, imaginary] = factors[row][step].parts();
                real.abs() + imaginary.abs()
            };
            let larger = |most: usize, row: usize| if size(row) > size(most) { row } else { most };
            let pivot_row = (step + 1..count).fold(step, larger);
            factors.swap(step, pivot_row);
            rows.swap(step, pivot_row);
            let pivot = factors[step][step];
            if pivot == T::ZERO {
                return Err(Defect::Singular);
            }
            let (above, below) = factors.split_at_mut(step + 1);
            let eliminated = &above[step];
            for row in &mut below[..count - step - 1] {
                let factor = row[step] / pivot;
                row[step] = factor;
                for column in step + 1..count {
                    row[column] -= factor * eliminated[column];
                }
            }
        }
        Ok(Some(Small {
            count,
            factors,
            rows,
        }))
    }

    /// Writes the solution of `a x = b`, where `b` returns the element in a row and a column.
    pub(crate) fn solve(&self, b: impl Fn(usize, usize) -> T, mut x: MatMut<'_, T>) {
        for column in 0..x.ncols() {
            let mut values = [T::ZERO; MOST];
            for row in 0..self.count {
                let mut value = b(self.rows[row], column);
                for (before, factor) in self.factors[row][..row].iter().enumerate() {
                    value -= *factor * values[before];
                }
                values[row] = value;
            }
            for row in (0..self.count).rev() {
                let mut value = values[row];
                let after = row + 1..self.count;
                for (factor, known) in self.factors[row][after.clone()].iter().zip(&values[after]) {
                    value -= *factor * *known;
                }
                values[row] = value / self.factors[row][row];
                x[(row, column)] = values[row];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;

    /// The largest difference between `a x` and `b`, in units of the rounding of the largest terms.
    fn residual(a: &Mat<f64>, x: &Mat<f64>, b: &Mat<f64>) -> f64 {
        let product = a * x;
        let mut most = 0.0_f64;
        for column in 0..b.ncols() {
            for row in 0..b.nrows() {
                let terms: f64 = (0..a.ncols())
                    .map(|at| (a[(row, at)] * x[(at, column)]).abs())
                    .sum();
                let difference = (product[(row, column)] - b[(row, column)]).abs();
                most = most.max(difference / (terms.max(1e-300) * f64::EPSILON));
            }
        }
        most
    }

    #[test]
    fn solutions_of_few_equations_have_small_residuals() {
        let mut state = 1_u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
        };
        for count in 1..=MOST {
            for columns in [1, 3, 8] {
                let a = Mat::from_fn(count, count, |_, _| draw());
                let b = Mat::from_fn(count, columns, |_, _| draw());
                let mut x = Mat::zeros(count, columns);
                let Ok(Some(small)) = Small::factor(a.as_ref()) else {
                    panic!("{count} independent equations are a small problem");
                };
                small.solve(|row, column| b[(row, column)], x.as_mut());
                assert!(residual(&a, &x, &b) < 40.0, "{count} {columns}");
            }
        }
    }

    #[test]
    fn zero_pivots_are_singular_and_first_rows_of_zeros_are_exchanged() {
        let singular = Mat::from_fn(3, 3, |row, column| (row * column) as f64);
        assert!(matches!(
            Small::factor(singular.as_ref()),
            Err(Defect::Singular)
        ));
        let exchanged = Mat::from_fn(2, 2, |row, column| if row == column { 0.0 } else { 2.0 });
        let Ok(Some(small)) = Small::factor(exchanged.as_ref()) else {
            panic!("it is a permutation, twice");
        };
        let mut x = Mat::zeros(2, 1);
        small.solve(|row, _| row as f64, x.as_mut());
        assert_eq!([x[(0, 0)], x[(1, 0)]], [0.5, 0.0]);
        assert!(matches!(
            Small::factor(Mat::<f64>::zeros(MOST + 1, MOST + 1).as_ref()),
            Ok(None)
        ));
    }
}
