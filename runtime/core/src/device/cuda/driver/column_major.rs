//! Matrix products in cuBLAS's terms, which stores matrices by columns.

use super::super::work::{Address, Gemm, Matrix};

/// `cublasOperation_t`: how a product uses an operand.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transposition {
    No = 0,
    Yes = 1,
}

/// `C = op(A) op(B)` by columns: `C` is `m` by `n`, and each element is a sum of `k` products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Product {
    pub(super) m: i64,
    pub(super) n: i64,
    pub(super) k: i64,
    pub(super) a: Operand,
    pub(super) b: Operand,
    pub(super) c: Operand,
}

/// A matrix in memory, by columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operand {
    pub(super) transposition: Transposition,
    pub(super) start: Address,
    /// Distance between columns, in elements.
    pub(super) leading: i64,
}

impl Product {
    /// Converts a product. A matrix by rows is its transpose by columns, so `c = a b` by rows is
    /// `c' = b' a'` by columns, and no data is moved.
    pub(super) fn from_gemm(gemm: &Gemm) -> Self {
        Product {
            m: wide(gemm.columns),
            n: wide(gemm.rows),
            k: wide(gemm.inner),
            a: operand(&gemm.b, gemm.inner, gemm.columns),
            b: operand(&gemm.a, gemm.rows, gemm.inner),
            c: operand(&gemm.c, gemm.rows, gemm.columns),
        }
    }
}

fn operand(matrix: &Matrix, rows: usize, columns: usize) -> Operand {
    let (transposition, lines, length) = if matrix.is_transposed {
        (Transposition::Yes, columns, rows)
    } else {
        (Transposition::No, rows, columns)
    };
    // cuBLAS requires a step of at least a whole line even if there is only one line, whose step is
    // arbitrary.
    let leading = match lines {
        0 | 1 => matrix.step.max(length),
        _ => matrix.step,
    };
    Operand {
        transposition,
        start: matrix.start,
        leading: wide(leading.max(1)),
    }
}

fn wide(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;

    /// The product as cuBLAS's documentation defines it: element `(i, j)` of a matrix by columns is
    /// at `i + j leading`.
    fn reference(product: &Product, a: &[f64], b: &[f64], c: &mut [f64]) {
        let at = |operand: &Operand, data: &[f64], i: i64, j: i64| {
            let (i, j) = match operand.transposition {
                Transposition::No => (i, j),
                _ => (j, i),
            };
            data[usize::try_from(i + j * operand.leading).unwrap()]
        };
        for i in 0..product.m {
            for j in 0..product.n {
                let sum = (0..product.k)
                    .map(|l| at(&product.a, a, i, l) * at(&product.b, b, l, j))
                    .sum();
                c[usize::try_from(i + j * product.c.leading).unwrap()] = sum;
            }
        }
    }

    #[test]
    fn row_major_products_map_to_column_major_products() {
        for (rows, inner, columns) in [(2, 3, 4), (1, 5, 1), (4, 1, 3), (3, 4, 1), (1, 1, 6)] {
            for transposed in 0..4 {
                let matrix = |rows: usize, columns: usize, is_transposed: bool| Matrix {
                    start: 0,
                    // A single line has an arbitrary step.
                    step: match (is_transposed, rows, columns) {
                        (false, 1, _) | (true, _, 1) => 1,
                        (false, _, columns) => columns + 2,
                        (true, rows, _) => rows + 2,
                    },
                    is_transposed,
                };
                let gemm = Gemm {
                    dtype: DType::F64,
                    rows,
                    columns,
                    inner,
                    a: matrix(rows, inner, transposed & 1 != 0),
                    b: matrix(inner, columns, transposed & 2 != 0),
                    c: matrix(rows, columns, false),
                };
                let place = |matrix: &Matrix, row: usize, column: usize| {
                    if matrix.is_transposed {
                        column * matrix.step + row
                    } else {
                        row * matrix.step + column
                    }
                };
                let a: Vec<f64> = (0..100).map(f64::from).collect();
                let b: Vec<f64> = (0..100).map(|x| f64::from(x * x % 37)).collect();
                let mut c = vec![0.0; 100];
                let product = Product::from_gemm(&gemm);
                for operand in [product.a, product.b, product.c] {
                    assert!(operand.leading >= 1);
                }
                assert!(product.c.leading >= product.m);
                // The left matrix of cuBLAS is the right one of the product.
                reference(&product, &b, &a, &mut c);
                for row in 0..rows {
                    for column in 0..columns {
                        let sum: f64 = (0..inner)
                            .map(|l| a[place(&gemm.a, row, l)] * b[place(&gemm.b, l, column)])
                            .sum();
                        assert_eq!(
                            c[place(&gemm.c, row, column)],
                            sum,
                            "{gemm:?} {row} {column}"
                        );
                    }
                }
            }
        }
    }
}
