//! Routines of cuSOLVER and cuBLAS that factor matrices, on a GPU or on the emulator.

use super::super::super::factor::{Factoring, Routine, Vectors};
use super::super::super::work::Address;
use super::super::*;
use super::machine::Machine;
use crate::dtype::{Complex, DType, Element};

/// A number of the references.
type C = Complex<f64>;

/// An element type of the tests.
trait Float: Element {
    /// The type of singular values.
    type Part: Element + Into<f64>;

    const TOLERANCE: f64;
    const IS_COMPLEX: bool;

    fn nearest(value: C) -> Self;
    fn wide(self) -> C;
}

macro_rules! floats {
    ($($part:ty: $tolerance:literal),*) => {
        $(impl Float for $part {
            type Part = $part;
            const TOLERANCE: f64 = $tolerance;
            const IS_COMPLEX: bool = false;

            fn nearest(value: C) -> $part {
                value.re as $part
            }

            fn wide(self) -> C {
                C::new(self.into(), 0.0)
            }
        }

        impl Float for Complex<$part> {
            type Part = $part;
            const TOLERANCE: f64 = $tolerance;
            const IS_COMPLEX: bool = true;

            fn nearest(value: C) -> Self {
                Complex::new(value.re as $part, value.im as $part)
            }

            fn wide(self) -> C {
                C::new(self.re.into(), self.im.into())
            }
        })*
    };
}

floats!(f32: 1e-4, f64: 1e-12);

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

    fn device(&self, values: &[C]) -> Address {
        let values: Vec<T> = values.iter().map(|&value| T::nearest(value)).collect();
        self.machine.device(&values)
    }

    fn read(&self, from: Address, count: usize) -> Vec<C> {
        let values = self.machine.read::<T>(from, count);
        values.into_iter().map(Float::wide).collect()
    }

    /// Takes memory for real values.
    fn parts(&self, count: usize) -> Address {
        self.machine.device(&vec![T::Part::ZERO; count])
    }

    fn read_parts(&self, from: Address, count: usize) -> Vec<f64> {
        let values = self.machine.read::<T::Part>(from, count);
        values.into_iter().map(Into::into).collect()
    }

    /// Returns a regular matrix by columns, with a large diagonal.
    fn matrix(&self, rows: usize, columns: usize, salt: usize) -> Vec<C> {
        let value = |at: usize| ((at * 7 + salt) % 11) as f64 / 11.0;
        let each = (0..rows * columns).map(|at| {
            let imaginary = if T::IS_COMPLEX {
                value(at + 3) - 0.5
            } else {
                0.0
            };
            match at % rows == at / rows {
                true => C::new(value(at) + rows as f64, imaginary),
                false => C::new(value(at), imaginary),
            }
        });
        each.collect()
    }

    /// Returns a positive definite matrix.
    fn definite(&self, n: usize, salt: usize) -> Vec<C> {
        let a = self.matrix(n, n, salt);
        let mut made = product(&adjoint(&a, n, n), &a, [n, n, n]);
        // Rounding may leave imaginary parts on the diagonal, which routines do not take.
        (0..n).for_each(|i| made[i * (n + 1)].im = 0.0);
        made
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
    fn near(&self, one: &[C], other: &[C]) {
        self.near_within(1.0, one, other);
    }

    #[track_caller]
    fn near_within(&self, scale: f64, one: &[C], other: &[C]) {
        assert_eq!(one.len(), other.len());
        for (x, y) in one.iter().zip(other) {
            let difference = (x - y).norm();
            assert!(difference < scale * T::TOLERANCE, "{one:?}\n{other:?}");
        }
    }
}

/// Returns the product of two matrices by columns, `m` by `k` and `k` by `n`.
fn product(a: &[C], b: &[C], [m, k, n]: [usize; 3]) -> Vec<C> {
    let at = |i: usize, j: usize| (0..k).map(|l| a[i + l * m] * b[l + j * k]).sum();
    (0..n)
        .flat_map(|j| (0..m).map(move |i| (i, j)))
        .map(|(i, j)| at(i, j))
        .collect()
}

/// Returns the conjugate transpose.
fn adjoint(a: &[C], rows: usize, columns: usize) -> Vec<C> {
    let pairs = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    pairs.map(|(i, j)| a[i + j * rows].conj()).collect()
}

/// Returns the matrix with zeros below the diagonal.
fn upper(a: &[C], rows: usize) -> Vec<C> {
    let each = a.iter().enumerate();
    let kept = |(at, &value)| match at % rows > at / rows {
        true => C::ZERO,
        false => value,
    };
    each.map(kept).collect()
}

/// Returns each column times its value.
fn scaled(a: &[C], values: &[C], rows: usize) -> Vec<C> {
    let each = a.iter().enumerate();
    each.map(|(at, x)| x * values[at / rows]).collect()
}

fn real(values: &[f64]) -> Vec<C> {
    values.iter().map(|&value| C::new(value, 0.0)).collect()
}

fn triangles<T: Float>(dtype: DType) {
    let solving = Solving::<T>::new(dtype);
    let n = 6;
    let a = solving.definite(n, 1);
    let at = solving.device(&a);
    assert_eq!(solving.run(Routine::Potrf { n, a: at }, 1), [0]);
    let u = upper(&solving.read(at, n * n), n);
    let made = product(&adjoint(&u, n, n), &u, [n, n, n]);
    solving.near_within(100.0, &made, &a);

    let (a, b) = (solving.matrix(n, n, 3), solving.matrix(n, 2, 5));
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
    let singular = solving.device(&real(&[1.0, 2.0, 2.0, 4.0]));
    let routine = Routine::Getrf {
        n: 2,
        a: singular,
        pivots,
    };
    assert_eq!(solving.run(routine, 1), [2]);
    let indefinite = solving.device(&real(&[1.0, 2.0, 2.0, 1.0]));
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
    let all: Vec<Vec<C>> = (0..count).map(|salt| solving.definite(n, salt)).collect();
    let sides: Vec<Vec<C>> = (0..count).map(|salt| solving.matrix(n, 2, salt)).collect();
    let addresses = |each: &[Vec<C>]| -> (Vec<u64>, Address) {
        let each: Vec<u64> = each.iter().map(|values| solving.device(values)).collect();
        let all = solving.machine.device(&each);
        (each, all)
    };
    let (each, a) = addresses(&all);
    let routine = Routine::PotrfBatched { n, a, count };
    assert_eq!(solving.run(routine, count), [0; 3]);
    for (matrix, at) in all.iter().zip(each) {
        let u = upper(&solving.read(at, n * n), n);
        let made = product(&adjoint(&u, n, n), &u, [n, n, n]);
        solving.near_within(100.0, &made, matrix);
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
        solving.near_within(100.0, &made, side);
    }
}

fn orthogonal<T: Float>(dtype: DType) {
    let solving = Solving::<T>::new(dtype);
    let (m, n) = (7, 4);
    let a = solving.matrix(m, n, 2);
    let at = solving.device(&a);
    let tau = solving.device(&[C::ZERO; 4]);
    assert_eq!(solving.run(Routine::Geqrf { m, n, a: at, tau }, 1), [0]);
    let factored = solving.read(at, m * n);
    let r: Vec<C> = (0..n)
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
        let s = solving.parts(n);
        let [vt, u] = [n * n, m * m].map(|count| solving.device(&vec![C::ZERO; count]));
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
        let values = solving.read_parts(s, n);
        assert!(values.is_sorted_by(|one, other| one >= other), "{values:?}");
        if vectors != Vectors::None {
            let scaled = scaled(&solving.read(u, m * n), &real(&values), m);
            let vt = solving.read(vt, n * n);
            solving.near(&product(&scaled, &vt, [m, n, n]), &a);
        }
    }

    let a: Vec<C> = solving.definite(n, 4).iter().map(|x| x / 10.0).collect();
    for vectors in [false, true] {
        let (at, values) = (solving.device(&a), solving.parts(n));
        let routine = Routine::Syevd {
            n,
            a: at,
            values,
            vectors,
        };
        assert_eq!(solving.run(routine, 1), [0]);
        let values = solving.read_parts(values, n);
        assert!(values.is_sorted(), "{values:?}");
        if vectors {
            let v = solving.read(at, n * n);
            let scaled = scaled(&v, &real(&values), n);
            solving.near(&product(&a, &v, [n, n, n]), &scaled);
        }
    }
}

/// Eigenvalues of a matrix that is not Hermitian. Those of real matrices have conjugate pairs.
fn general<T: Float>(dtype: DType) {
    let solving = Solving::<T>::new(dtype);
    let n = 5;
    let mut a = solving.matrix(n, n, 6);
    // The first two rows and columns rotate.
    a[1].re = 4.0;
    a[n].re = -4.0;
    for with_vectors in [false, true] {
        let at = solving.device(&a);
        let pairs = 2 * n;
        let values = solving.parts(pairs);
        let vectors = with_vectors.then(|| solving.device(&vec![C::ZERO; n * n]));
        let routine = Routine::Geev {
            n,
            a: at,
            values,
            vectors,
        };
        assert_eq!(solving.run(routine, 1), [0]);
        let parts = solving.read_parts(values, pairs);
        let values: Vec<C> = parts
            .chunks(2)
            .map(|parts| C::new(parts[0], parts[1]))
            .collect();
        let trace: C = (0..n).map(|i| a[i * (n + 1)]).sum();
        solving.near_within(100.0, &[values.iter().sum()], &[trace]);
        let Some(vectors) = vectors else {
            continue;
        };
        let mut found = solving.read(vectors, n * n);
        if !T::IS_COMPLEX {
            let seconds: Vec<usize> = (0..n).filter(|&at| values[at].im < 0.0).collect();
            assert!(!seconds.is_empty(), "{values:?}");
            for second in seconds {
                assert_eq!(values[second - 1], values[second].conj());
                for row in 0..n {
                    let [re, im] = [second - 1, second].map(|column| found[row + column * n].re);
                    found[row + (second - 1) * n] = C::new(re, im);
                    found[row + second * n] = C::new(re, -im);
                }
            }
        }
        let made = product(&a, &found, [n, n, n]);
        solving.near_within(100.0, &made, &scaled(&found, &values, n));
        for vector in found.chunks(n) {
            let squares: f64 = vector.iter().map(Complex::norm_sqr).sum();
            assert!((squares - 1.0).abs() < 10.0 * T::TOLERANCE, "{vector:?}");
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
            let a = solving.device(&solving.matrix(n, n, n));
            let pivots = solving.machine.device(&vec![0_i64; n]);
            solving.begin(Routine::Getrf { n, a, pivots }, 1)
        });
        for info in begun {
            assert_eq!(solving.machine.read::<i32>(info, 1), [0]);
        }
    }
}

macro_rules! of_every_type {
    ($($test:ident = $of:ident;)*) => {
        $(#[test]
        #[ignore = "needs a GPU"]
        fn $test() {
            $of::<f64>(DType::F64);
            $of::<f32>(DType::F32);
            $of::<Complex<f64>>(DType::C128);
            $of::<Complex<f32>>(DType::C64);
        })*
    };
}

of_every_type! {
    factorizes_single_matrices = triangles;
    factorizes_batches_of_matrices = batches;
    computes_orthogonal_vectors = orthogonal;
    finds_eigenvalues_of_any_matrices = general;
}
