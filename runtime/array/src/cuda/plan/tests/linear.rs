//! Products.

use super::harness::{Cases, Expected, On, Tolerance, is_inexact, moderate, size, unit};
use super::reduce::shape;
use crate::cuda::DeviceTile;
use crate::cuda::linear::{LinearKernelKey, matmul};
use crate::dtype::{DType, Scalar};
use crate::kernel::linear;
use crate::kernel::testing::{Draw, Operand};
use crate::library;
use crate::shape::{Layout, Shape};
use weft_core::cuda::{Gemm, Matrix, Work};

const NUMBERS: [DType; 12] = [
    DType::I8,
    DType::I16,
    DType::U8,
    DType::U16,
    DType::I32,
    DType::I64,
    DType::U32,
    DType::U64,
    DType::F32,
    DType::F64,
    DType::C64,
    DType::C128,
];

/// Returns the allowed error of a product in another order: `columns` outputs for each row of terms
/// from `a` and `b`.
fn bounds(a: &Operand, b: &Operand, inner: usize, columns: usize) -> Option<Tolerance> {
    let dtype = a.dtype();
    let floats = |operand: &Operand| -> Vec<f64> { operand.values().iter().map(size).collect() };
    let (a, b) = (floats(a), floats(b));
    let steps = inner as f64 / 64.0 + 320.0;
    is_inexact(dtype).then(|| {
        Box::new(move |at: usize| {
            let (row, column) = (at / columns, at % columns);
            let size: f64 = (0..inner)
                .map(|k| a[row * inner + k] * b[k * columns + column])
                .sum();
            steps * unit(dtype) * size
        }) as Tolerance
    })
}

fn operand(draw: &mut Draw, dtype: DType, dims: &[usize]) -> Operand {
    Operand::new(draw, dtype, dims, false, |draw| moderate(draw, dtype))
}

fn dots(seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    for n in [1, 40, 5000, 30_001] {
        for dtype in NUMBERS {
            let (a, b) = (
                operand(&mut draw, dtype, &[n]),
                operand(&mut draw, dtype, &[n]),
            );
            let out = Operand::zeros(&[1], dtype);
            let mut wanted = out.with_bytes(&out.bytes());
            linear::dot(&a.tile(), &b.tile(), &mut wanted.tile_mut());
            let tolerance = bounds(&a, &b, n, 1);
            cases.add(
                format!("dot of {n} {dtype}"),
                library::linear::dot(),
                shape(&[n]),
                &[On::Tile(&a), On::Tile(&b), On::Tile(&out)],
                vec![Expected {
                    operand: 2,
                    values: wanted,
                    tolerance,
                }],
            );
        }
    }
    cases
}

fn matvecs(seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    let sizes = [
        [1, 1],
        [1, 9000],
        [3, 4096],
        [1500, 3],
        [130, 130],
        [64, 512],
        [5, 2051],
        [700, 40],
    ];
    for [m, n] in sizes {
        for dtype in NUMBERS {
            for way in 0..3 {
                // Row-major like Weft's own arrays, transposed, or any layout.
                let a = match way {
                    0 => row_major(&mut draw, dtype, &[m, n]),
                    1 => {
                        let a = row_major(&mut draw, dtype, &[n, m]);
                        transposed(a)
                    }
                    _ => operand(&mut draw, dtype, &[m, n]),
                };
                let x = match way {
                    2 => operand(&mut draw, dtype, &[n]),
                    _ => row_major(&mut draw, dtype, &[n]),
                };
                let out = Operand::new(&mut draw, dtype, &[m], true, |draw| draw.value(dtype));
                let mut wanted = out.with_bytes(&out.bytes());
                linear::matvec(&a.tile(), &x.tile(), &mut wanted.tile_mut());
                let tolerance = bounds(&a, &x, n, 1);
                cases.add(
                    format!("matvec of {dtype} {m} {n} {:?} {:?}", a.layout, x.layout),
                    library::linear::matvec(n),
                    shape(&[m]),
                    &[On::Tile(&a), On::Tile(&x), On::Tile(&out)],
                    vec![Expected {
                        operand: 2,
                        values: wanted,
                        tolerance,
                    }],
                );
            }
        }
    }
    cases
}

fn row_major(draw: &mut Draw, dtype: DType, dims: &[usize]) -> Operand {
    let values: Vec<Scalar> = (0..shape(dims).len())
        .map(|_| moderate(draw, dtype))
        .collect();
    Operand::from_values(dims, &values, dtype)
}

fn transposed(mut operand: Operand) -> Operand {
    operand.layout = operand.layout.transpose();
    operand
}

fn matmuls(seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    for [m, k, n] in [
        [2, 3, 2],
        [5, 70, 3],
        [65, 16, 129],
        [64, 64, 64],
        [200, 33, 7],
    ] {
        for dtype in NUMBERS {
            // Steps of 2, which cuBLAS does not support.
            let mut wide = |rows: usize, columns: usize| {
                let mut both = row_major(&mut draw, dtype, &[rows, 2 * columns]);
                both.layout = both.layout.slice(1, None, None, 2).unwrap();
                both
            };
            let (a, b, out) = (wide(m, k), wide(k, n), wide(m, n));
            let mut wanted = out.with_bytes(&out.bytes());
            linear::matmul(&a.tile(), &b.tile(), &mut wanted.tile_mut());
            let tolerance = bounds(&a, &b, k, n);
            cases.add(
                format!("matmul of {dtype} {m} {k} {n}"),
                library::linear::matmul(k),
                shape(&[m, n]),
                &[On::Tile(&a), On::Tile(&b), On::Tile(&out)],
                vec![Expected {
                    operand: 2,
                    values: wanted,
                    tolerance,
                }],
            );
        }
    }
    cases
}

#[test]
fn computes_dot_products() {
    dots(1).check();
}

#[test]
fn multiplies_matrices_by_vectors() {
    matvecs(2).check();
}

#[test]
fn multiplies_matrices_by_matrices() {
    matmuls(3).check();
}

fn tile(layout: Layout) -> DeviceTile {
    DeviceTile {
        start: 1 << 20,
        dtype: DType::F64,
        layout,
    }
}

fn gemm(a: Layout, b: Layout, c: Layout) -> Option<Gemm> {
    match matmul(&tile(a), &tile(b), &tile(c)) {
        Some(Work::Gemm(gemm)) => Some(gemm),
        Some(Work::Kernel(launch)) => {
            assert!(launch.kernel.library_source::<LinearKernelKey>().is_some());
            None
        }
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn uses_cublas_for_operands_with_a_dense_axis() {
    let plain = |dims: [usize; 2]| Layout::contiguous(Shape::new(&dims).unwrap());
    let all = gemm(plain([3, 4]), plain([4, 5]), plain([3, 5])).unwrap();
    assert_eq!((all.rows, all.columns, all.inner), (3, 5, 4));
    let matrix = |step, is_transposed| Matrix {
        start: 1 << 20,
        step,
        is_transposed,
    };
    assert_eq!(
        [all.a, all.b, all.c],
        [matrix(4, false), matrix(5, false), matrix(5, false)]
    );
    // A transposed factor is used in place.
    let left = gemm(plain([4, 3]).transpose(), plain([4, 5]), plain([3, 5])).unwrap();
    assert_eq!([left.a, left.b], [matrix(3, true), matrix(5, false)]);
    // The transpose of a result is computed as the transposed product.
    let turned = gemm(plain([3, 4]), plain([4, 5]), plain([5, 3]).transpose()).unwrap();
    assert_eq!((turned.rows, turned.columns, turned.inner), (5, 3, 4));
    assert_eq!(
        [turned.a, turned.b, turned.c],
        [matrix(5, true), matrix(4, true), matrix(3, false)]
    );
    // A view of some rows and columns keeps the steps of the whole.
    let part = plain([10, 20]).tile(&[2, 3], &[5, 7]);
    let of_part = gemm(part, plain([4, 5]), plain([3, 5])).unwrap();
    assert_eq!(
        of_part.a,
        Matrix {
            start: (1 << 20) + 8 * 43,
            step: 20,
            is_transposed: false
        }
    );
    // Backward, repeated and spaced elements are left to Weft's own kernel.
    for view in [
        plain([3, 4]).slice(0, None, None, -1).unwrap(),
        plain([1, 4])
            .broadcast_to(Shape::new(&[3, 4]).unwrap())
            .unwrap(),
        plain([3, 8]).slice(1, None, None, 2).unwrap(),
    ] {
        assert_eq!(gemm(view, plain([4, 5]), plain([3, 5])), None, "{view:?}");
    }
}

/// Returns all kernels, for the compiler.
pub(super) fn all() -> Vec<Cases> {
    vec![dots(4), matvecs(5), matmuls(6)]
}
