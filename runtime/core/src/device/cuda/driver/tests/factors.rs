//! Routines of cuSOLVER and cuBLAS that factor matrices, on a GPU or on the emulator.

use super::super::super::factor::{Factoring, Routine, Vectors};
use super::super::super::work::Address;
use super::super::*;
use super::machine::Machine;
use crate::dtype::{DType, Number};

/// A float type of the tests.
trait Float: Number + Into<f64> {
    fn nearest(value: f64) -> Self;
    const TOLERANCE: f64;
}

impl Float for f32 {
    fn nearest(value: f64) -> f32 {
        value as f32
    }
    const TOLERANCE: f64 = 1e-4;
}

impl Float for f64 {
    fn nearest(value: f64) -> f64 {
        value
    }
    const TOLERANCE: f64 = 1e-12;
}

/// Memory and routines of a machine.
struct Solving<T> {
    machine: Machine,
    dtype: DType,
    element: std::marker::PhantomData<T>,
}

impl<T: Float> Solving<T> {
    fn new(dtype: DType) -> Self {
        Solving {
            machine: Machine::new(),
            dtype,
            element: std::marker::PhantomData,
        }
    }

    fn device(&self, values: &[f64]) -> Address {
        let values: Vec<T> = values.iter().map(|&value| T::nearest(value)).collect();
        self.machine.device(&values)
    }

    fn read(&self, from: Address, count: usize) -> Vec<f64> {
        let values = self.machine.read::<T>(from, count);
        values.into_iter().map(Into::into).collect()
    }

    /// Runs a routine and returns its `info` values.
    fn run(&self, routine: Routine, verdicts: usize) -> Vec<i32> {
        let info = self.begin(routine, verdicts);
        self.machine.read::<i32>(info, verdicts)
    }

    /// Puts a routine into the stream; returns where its verdicts will be.
    fn begin(&self, routine: Routine, verdicts: usize) -> Address {
        let info = self.machine.device(&vec![-1_i32; verdicts]);
        let mut factoring = Factoring {
            routine,
            dtype: self.dtype,
            info,
            workspace: 0,
        };
        let driver = &self.machine.driver;
        let bytes = driver.workspace(self.machine.gpu, &factoring).unwrap();
        factoring.workspace = driver.allocate(self.machine.gpu, bytes.max(1)).unwrap();
        self.machine.issue(&Work::Factor(factoring));
        info
    }

    #[track_caller]
    fn near(&self, one: &[f64], other: &[f64]) {
        assert_eq!(one.len(), other.len());
        for (x, y) in one.iter().zip(other) {
            assert!((x - y).abs() < T::TOLERANCE, "{one:?}\n{other:?}");
        }
    }
}

/// Returns a regular matrix by columns, with a large diagonal.
fn matrix(rows: usize, columns: usize, salt: usize) -> Vec<f64> {
    let value = |at: usize| ((at * 7 + salt) % 11) as f64 / 11.0;
    let each = (0..rows * columns).map(|at| match at % rows == at / rows {
        true => value(at) + rows as f64,
        false => value(at),
    });
    each.collect()
}

/// Returns the product of two matrices by columns, `m` by `k` and `k` by `n`.
fn product(a: &[f64], b: &[f64], [m, k, n]: [usize; 3]) -> Vec<f64> {
    let at = |i: usize, j: usize| (0..k).map(|l| a[i + l * m] * b[l + j * k]).sum();
    (0..n)
        .flat_map(|j| (0..m).map(move |i| (i, j)))
        .map(|(i, j)| at(i, j))
        .collect()
}

fn transposed(a: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    let pairs = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    pairs.map(|(i, j)| a[i + j * rows]).collect()
}

/// Returns the matrix with zeros below the diagonal.
fn upper(a: &[f64], rows: usize) -> Vec<f64> {
    let each = a.iter().enumerate();
    each.map(|(at, &value)| if at % rows > at / rows { 0.0 } else { value })
        .collect()
}

fn symmetric(n: usize, salt: usize) -> Vec<f64> {
    let a = matrix(n, n, salt);
    product(&transposed(&a, n, n), &a, [n, n, n])
}

fn triangles<T: Float>(dtype: DType) {
    let solving = Solving::<T>::new(dtype);
    let n = 6;
    let a = symmetric(n, 1);
    let at = solving.device(&a);
    assert_eq!(solving.run(Routine::Potrf { n, a: at }, 1), [0]);
    let u = upper(&solving.read(at, n * n), n);
    let made = product(&transposed(&u, n, n), &u, [n, n, n]);
    let scale: Vec<f64> = made.iter().map(|x| x / 100.0).collect();
    solving.near(&scale, &a.iter().map(|x| x / 100.0).collect::<Vec<_>>());

    let (a, b) = (matrix(n, n, 3), matrix(n, 2, 5));
    let [at, sides] = [&a, &b].map(|values| solving.device(values));
    let pivots = solving.machine.device(&vec![0_i64; n]);
    assert_eq!(solving.run(Routine::Getrf { n, a: at, pivots }, 1), [0]);
    let solved = Routine::Getrs {
        n,
        sides: 2,
        a: at,
        pivots,
        b: sides,
    };
    assert_eq!(solving.run(solved, 1), [0]);
    let x = solving.read(sides, 2 * n);
    solving.near(&product(&a, &x, [n, n, 2]), &b);
    // The second pivot is 0; in the Cholesky factorization the second square is below 0.
    let singular = solving.device(&[1.0, 2.0, 2.0, 4.0]);
    let routine = Routine::Getrf {
        n: 2,
        a: singular,
        pivots,
    };
    assert_eq!(solving.run(routine, 1), [2]);
    let indefinite = solving.device(&[1.0, 2.0, 2.0, 1.0]);
    let routine = Routine::Potrf {
        n: 2,
        a: indefinite,
    };
    assert_eq!(solving.run(routine, 1), [2]);
    assert_eq!(solving.machine.driver.issued().products, 5);
}

fn batches<T: Float>(dtype: DType) {
    let solving = Solving::<T>::new(dtype);
    let (n, count) = (4, 3);
    let all: Vec<Vec<f64>> = (0..count).map(|salt| symmetric(n, salt)).collect();
    let sides: Vec<Vec<f64>> = (0..count).map(|salt| matrix(n, 2, salt)).collect();
    let addresses = |each: &[Vec<f64>]| -> (Vec<u64>, Address) {
        let each: Vec<u64> = each.iter().map(|values| solving.device(values)).collect();
        let all = solving.machine.device(&each);
        (each, all)
    };
    let (each, a) = addresses(&all);
    let routine = Routine::PotrfBatched { n, a, count };
    assert_eq!(solving.run(routine, count), [0; 3]);
    for (matrix, at) in all.iter().zip(each) {
        let u = upper(&solving.read(at, n * n), n);
        let made = product(&transposed(&u, n, n), &u, [n, n, n]);
        let pairs = made.iter().zip(matrix);
        assert!(
            pairs
                .into_iter()
                .all(|(x, y)| (x - y).abs() < 100.0 * T::TOLERANCE)
        );
    }
    let (_, a) = addresses(&all);
    let (each, b) = addresses(&sides);
    let pivots = solving.machine.device(&vec![0_i32; n * count]);
    let routine = Routine::GetrfBatched {
        n,
        a,
        pivots,
        count,
    };
    assert_eq!(solving.run(routine, count), [0; 3]);
    let routine = Routine::GetrsBatched {
        n,
        sides: 2,
        a,
        pivots,
        b,
        count,
    };
    solving.run(routine, count);
    for ((matrix, side), at) in all.iter().zip(&sides).zip(each) {
        let x = solving.read(at, 2 * n);
        let made = product(matrix, &x, [n, n, 2]);
        let pairs = made.iter().zip(side);
        assert!(
            pairs
                .into_iter()
                .all(|(x, y)| (x - y).abs() < 100.0 * T::TOLERANCE)
        );
    }
}

fn orthogonal<T: Float>(dtype: DType) {
    let solving = Solving::<T>::new(dtype);
    let (m, n) = (7, 4);
    let a = matrix(m, n, 2);
    let at = solving.device(&a);
    let tau = solving.device(&[0.0; 4]);
    assert_eq!(solving.run(Routine::Geqrf { m, n, a: at, tau }, 1), [0]);
    let factored = solving.read(at, m * n);
    let r: Vec<f64> = (0..n)
        .flat_map(|j| factored[j * m..j * m + n].to_vec())
        .collect();
    assert_eq!(
        solving.run(
            Routine::Orgqr {
                m,
                k: n,
                a: at,
                tau
            },
            1
        ),
        [0]
    );
    let q = solving.read(at, m * n);
    solving.near(&product(&q, &upper(&r, n), [m, n, n]), &a);

    for vectors in [Vectors::None, Vectors::Thin, Vectors::All] {
        let at = solving.device(&a);
        let [s, vt] = [4, 16].map(|count| solving.device(&vec![0.0; count]));
        let u = solving.device(&vec![0.0; m * m]);
        let given = |address| if vectors == Vectors::None { 0 } else { address };
        let routine = Routine::Gesvd {
            m,
            n,
            a: at,
            s,
            u: given(u),
            vt: given(vt),
            vectors,
        };
        assert_eq!(solving.run(routine, 1), [0]);
        let values = solving.read(s, n);
        assert!(values.is_sorted_by(|one, other| one >= other), "{values:?}");
        if vectors != Vectors::None {
            let mut scaled = solving.read(u, m * n);
            for (at, value) in scaled.iter_mut().enumerate() {
                *value *= values[at / m];
            }
            let vt = solving.read(vt, n * n);
            solving.near(&product(&scaled, &vt, [m, n, n]), &a);
        }
    }

    let a: Vec<f64> = symmetric(n, 4).iter().map(|x| x / 10.0).collect();
    for vectors in [false, true] {
        let (at, values) = (solving.device(&a), solving.device(&[0.0; 4]));
        let routine = Routine::Syevd {
            n,
            a: at,
            values,
            vectors,
        };
        assert_eq!(solving.run(routine, 1), [0]);
        let values = solving.read(values, n);
        assert!(values.is_sorted(), "{values:?}");
        if vectors {
            let v = solving.read(at, n * n);
            let scaled = v.iter().enumerate().map(|(at, x)| x * values[at / n]);
            let scaled: Vec<f64> = scaled.collect();
            solving.near(&product(&a, &v, [n, n, n]), &scaled);
        }
    }
}

/// The emulator looks at the host memory of each call when the routine runs.
#[test]
#[ignore = "needs a GPU"]
fn calls_in_flight_have_host_memory_of_their_own() {
    let solving = Solving::<f64>::new(DType::F64);
    for sizes in [[6, 6, 6, 6], [3, 40, 5, 40]] {
        let begun = sizes.map(|n| {
            let a = solving.device(&matrix(n, n, n));
            let pivots = solving.machine.device(&vec![0_i64; n]);
            solving.begin(Routine::Getrf { n, a, pivots }, 1)
        });
        for info in begun {
            assert_eq!(solving.machine.read::<i32>(info, 1), [0]);
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn factorizes_single_matrices() {
    triangles::<f64>(DType::F64);
    triangles::<f32>(DType::F32);
}

#[test]
#[ignore = "needs a GPU"]
fn factorizes_batches_of_matrices() {
    batches::<f64>(DType::F64);
    batches::<f32>(DType::F32);
}

#[test]
#[ignore = "needs a GPU"]
fn computes_orthogonal_vectors() {
    orthogonal::<f64>(DType::F64);
    orthogonal::<f32>(DType::F32);
}
