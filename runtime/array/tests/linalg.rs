//! Linear algebra: results satisfy their equations within a multiple of the rounding error, for
//! matrices in any memory order, and matrices without a result are errors.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a mistake in a test must stop it"
)]

#[path = "support/runtimes.rs"]
mod support;

use ndarray::{Array2, s};
use proptest::prelude::*;
use support::{drawn, runtime};
use weft::dtype::{Complex, Float, Number};
use weft::error::{Cause, Defect};
use weft::{Array, Error, linalg};

/// The memory order of a matrix.
#[derive(Clone, Copy, Debug)]
enum Memory {
    Rows,
    Columns,
    /// Every second element of a larger matrix, backwards.
    Steps,
}

/// Returns a matrix of these values.
fn matrix<T: Float>(rows: usize, columns: usize, values: &[f64], memory: Memory) -> Array<T> {
    let values: Vec<T> = values.iter().map(|value| T::cast_from(*value)).collect();
    let whole = weft::from_slice(&values).reshape(&[rows, columns]);
    match memory {
        Memory::Rows => whole,
        Memory::Columns => whole.t().copy().t(),
        Memory::Steps => {
            let larger = weft::zeros::<T>(&[2 * rows, 2 * columns]);
            let view = larger.slice(s![..;-2, ..;-2]);
            view.assign(&whole);
            view
        }
    }
}

fn read<T: Float>(array: &Array<T>) -> Array2<f64> {
    let values = array.cast::<f64>().to_ndarray().unwrap();
    values.into_dimensionality().unwrap()
}

fn vector<T: Float>(array: &Array<T>) -> Vec<f64> {
    array.cast::<f64>().to_vec().unwrap()
}

fn complex_matrix<T: Number>(array: &Array<T>) -> Array2<C> {
    let values = array.cast::<C>().to_ndarray().unwrap();
    values.into_dimensionality().unwrap()
}

fn complex_vector<T: Number>(array: &Array<T>) -> Vec<C> {
    array.cast::<C>().to_vec().unwrap()
}

/// Returns the largest magnitude.
fn size(matrix: &Array2<f64>) -> f64 {
    matrix.iter().fold(0.0, |most, value| value.abs().max(most))
}

fn identity(n: usize) -> Array2<f64> {
    Array2::eye(n)
}

/// Asserts that an error is within the rounding bound: a multiple of the longer side, the unit of
/// the type, and the magnitude of the terms.
#[track_caller]
fn assert_small(error: &Array2<f64>, n: usize, epsilon: f64, scale: f64) {
    let bound = 20.0 * n.max(1) as f64 * epsilon * scale.max(1.0);
    assert!(size(error) <= bound, "{} is above {bound}", size(error));
}

fn memories() -> impl Strategy<Value = Memory> {
    prop_oneof![
        Just(Memory::Rows),
        Just(Memory::Columns),
        Just(Memory::Steps)
    ]
}

/// Checks every function on matrices of `values`.
fn check<T: Float + linalg::Linear>(
    (rows, columns): (usize, usize),
    seed: u64,
    memory: Memory,
    epsilon: f64,
) {
    let n = rows.max(columns);
    let values = drawn(seed, rows * columns);
    let a = matrix::<T>(rows, columns, &values, memory);
    let a_read = read(&a);

    let (q, r) = linalg::qr(&a);
    let (q, r) = (read(&q), read(&r));
    assert_small(&(q.dot(&r) - &a_read), n, epsilon, 1.0);
    assert_small(&(q.t().dot(&q) - identity(q.ncols())), n, epsilon, 1.0);
    let below = r.indexed_iter().filter(|((row, column), _)| row > column);
    assert!(below.into_iter().all(|(_, value)| *value == 0.0));

    for full in [false, true] {
        let (u, s, vt) = linalg::svd(&a, full);
        let (u, s, vt) = (read(&u), vector(&s), read(&vt));
        assert!(s.windows(2).all(|pair| pair[0] >= pair[1]) && s.iter().all(|s| *s >= 0.0));
        assert_small(&(u.t().dot(&u) - identity(u.ncols())), n, epsilon, 1.0);
        assert_small(&(vt.dot(&vt.t()) - identity(vt.nrows())), n, epsilon, 1.0);
        let mut middle = Array2::zeros((u.ncols(), vt.nrows()));
        for (at, value) in s.iter().enumerate() {
            middle[(at, at)] = *value;
        }
        assert_small(&(u.dot(&middle).dot(&vt) - &a_read), n, epsilon, n as f64);
        let alone = vector(&linalg::svdvals(&a));
        let apart = s.iter().zip(&alone).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) <= 20.0 * n as f64 * epsilon * n as f64);
    }

    // A matrix with a dominant diagonal is far from singular.
    let mut square = drawn(seed + 1, rows * rows);
    for at in 0..rows {
        square[at * (rows + 1)] += 2.0 * rows as f64 * square[at * (rows + 1)].signum();
    }
    let square = matrix::<T>(rows, rows, &square, memory);
    let square_read = read(&square);
    let x = read(&linalg::solve(&square, &a));
    assert_small(&(square_read.dot(&x) - &a_read), rows, epsilon, rows as f64);
    let inverse = read(&linalg::inv(&square));
    assert_small(
        &(square_read.dot(&inverse) - identity(rows)),
        rows,
        epsilon,
        rows as f64,
    );
    let (sign, logarithm) = linalg::slogdet(&square);
    let (sign, logarithm) = (vector(&sign)[0], vector(&logarithm)[0]);
    let det = vector(&linalg::det(&square))[0];
    assert_eq!(sign, det.signum());
    let apart = (det.abs().ln() - logarithm).abs();
    let overflows = logarithm > f64::MAX.ln() && det.is_infinite();
    assert!(overflows || apart <= 40.0 * rows as f64 * epsilon * logarithm.abs().max(1.0));

    let symmetric = (&square_read + &square_read.t()) / 2.0;
    let values: Vec<f64> = symmetric.iter().copied().collect();
    // The upper triangle is not read.
    let mut lower = values.clone();
    for row in 0..rows {
        for column in row + 1..rows {
            lower[row * rows + column] = f64::NAN;
        }
    }
    let (values, vectors) = linalg::eigh(&matrix::<T>(rows, rows, &lower, memory));
    let (values, vectors) = (vector(&values), read(&vectors));
    assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
    assert_small(
        &(vectors.t().dot(&vectors) - identity(rows)),
        rows,
        epsilon,
        1.0,
    );
    let scaled = &vectors * &ndarray::Array1::from(values.clone());
    assert_small(
        &(symmetric.dot(&vectors) - scaled),
        rows,
        epsilon,
        rows as f64,
    );
    let alone = vector(&linalg::eigvalsh(&matrix::<T>(rows, rows, &lower, memory)));
    let apart = values.iter().zip(&alone).map(|(a, b)| (a - b).abs());
    assert!(apart.fold(0.0, f64::max) <= 20.0 * rows as f64 * epsilon * rows as f64);

    let (values, vectors) = linalg::eig(&square);
    let (values, vectors) = (complex_vector(&values), complex_matrix(&vectors));
    let scaled = &vectors * &ndarray::Array1::from(values.clone());
    let left = square_read.mapv(|value| C::new(value, 0.0)).dot(&vectors) - scaled;
    assert_small(
        &left.mapv(|value| value.norm()),
        rows,
        epsilon,
        4.0 * rows as f64,
    );
    for vector in vectors.columns() {
        let length: f64 = vector.iter().map(|value| value.norm_sqr()).sum();
        assert!((length - 1.0).abs() < 20.0 * rows as f64 * epsilon);
    }
    // The eigenvalues of a real matrix are real, or conjugate pairs.
    let imaginary: f64 = values.iter().map(|value| value.im).sum();
    assert_eq!(imaginary, 0.0);
    let sum: f64 = complex_vector(&linalg::eigvals(&square))
        .iter()
        .map(|value| value.re)
        .sum();
    let trace: f64 = square_read.diag().sum();
    assert!((sum - trace).abs() <= 40.0 * epsilon * (rows * rows) as f64);

    let mut positive = square_read.t().dot(&square_read);
    let positive_read = positive.clone();
    for row in 0..rows {
        for column in row + 1..rows {
            positive[(row, column)] = f64::NAN;
        }
    }
    let positive: Vec<f64> = positive.iter().copied().collect();
    let l = read(&linalg::cholesky(&matrix::<T>(
        rows, rows, &positive, memory,
    )));
    assert_small(
        &(l.dot(&l.t()) - &positive_read),
        rows,
        epsilon,
        size(&positive_read),
    );
    let above = l.indexed_iter().filter(|((row, column), _)| row < column);
    assert!(above.into_iter().all(|(_, value)| *value == 0.0));

    let b = matrix::<T>(rows, 2, &drawn(seed + 2, 2 * rows), memory);
    let (x, rank, _) = linalg::lstsq(&a, &b, None);
    assert_eq!(rank.item(), rows.min(columns) as i64);
    // The residual is orthogonal to the range of `a`.
    let left = read(&b) - a_read.dot(&read(&x));
    let smallest = vector(&linalg::svdvals(&a)).last().copied().unwrap_or(1.0);
    assert_small(&a_read.t().dot(&left), n, epsilon, n as f64 / smallest);
}

/// Half of such a product is computed, and the rest is mirrored. The product must be that of any
/// other matrix, and exactly symmetric outside of the blocks of the diagonal.
fn symmetric<T: Float>(epsilon: f64) {
    for (rows, terms) in [(256, 64), (261, 90), (517, 65)] {
        let values = drawn(5, rows * terms);
        for memory in [Memory::Rows, Memory::Columns, Memory::Steps] {
            let a = matrix::<T>(rows, terms, &values, memory);
            let product = read(&a.matmul(&a.t()));
            let a = read(&a);
            assert_small(&(&product - &a.dot(&a.t())), terms, epsilon, terms as f64);
            assert_eq!(product[(rows - 1, 0)], product[(0, rows - 1)]);
        }
        // Views of one matrix that are not transposes of each other.
        let larger = matrix::<T>(rows, 2 * terms, &drawn(6, 2 * rows * terms), Memory::Rows);
        let [left, right] = [
            larger.slice(s![.., ..terms]),
            larger.slice(s![.., 1..=terms]),
        ];
        let product = read(&left.matmul(&right.t()));
        let wanted = read(&left).dot(&read(&right).t());
        assert_small(&(product - wanted), terms, epsilon, terms as f64);
        let one = matrix::<T>(1, terms, &values[..terms], Memory::Rows);
        let same = one.broadcast_to(&[rows, terms]);
        let product = read(&same.matmul(&same.t()));
        let wanted = read(&same).dot(&read(&same).t());
        assert_small(&(product - wanted), terms, epsilon, terms as f64);
        // The matrix is written after the call, and the product uses the earlier values.
        let a = matrix::<T>(rows, terms, &values, Memory::Rows);
        let (before, product) = (read(&a), a.matmul(&a.t()));
        a.fill(T::ZERO);
        let wanted = before.dot(&before.t());
        assert_small(&(read(&product) - wanted), terms, epsilon, terms as f64);
    }
}

#[test]
fn multiplies_a_matrix_by_its_transpose() {
    runtime("--cpus 2").enter(|| {
        symmetric::<f64>(f64::EPSILON);
        symmetric::<f32>(f64::from(f32::EPSILON));
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn factors_multiply_to_the_matrix(
        rows in 1usize..24,
        columns in 1usize..24,
        seed in 1u64..1_000_000,
        memory in memories(),
    ) {
        runtime("--cpus 1").enter(|| {
            check::<f64>((rows, columns), seed, memory, f64::EPSILON);
            check::<f32>((rows, columns), seed, memory, f64::from(f32::EPSILON));
        });
    }
}

type C = Complex<f64>;

fn read_complex(array: &Array<C>) -> Array2<C> {
    array.to_ndarray().unwrap().into_dimensionality().unwrap()
}

/// Returns the conjugate transpose.
fn adjoint(matrix: &Array2<C>) -> Array2<C> {
    matrix.t().mapv(|value| value.conj())
}

#[track_caller]
fn assert_near(left: &Array2<C>, right: &Array2<C>) {
    let error = (left - right).mapv(|value| value.norm());
    assert_small(&error, left.nrows(), f64::EPSILON, 10.0);
}

#[test]
fn factorizes_complex_matrices() {
    runtime("--cpus 1").enter(|| {
        for (rows, columns) in [(1, 1), (7, 4), (5, 12), (9, 9)] {
            let values = drawn(9, 2 * rows * columns);
            let values: Vec<C> = values
                .chunks(2)
                .map(|part| C::new(part[0], part[1]))
                .collect();
            let a = weft::from_slice(&values).reshape(&[rows, columns]);
            let a_read = read_complex(&a);
            let eye = |n: usize| Array2::<C>::eye(n);

            let (q, r) = linalg::qr(&a);
            let (q, r) = (read_complex(&q), read_complex(&r));
            assert_near(&q.dot(&r), &a_read);
            assert_near(&adjoint(&q).dot(&q), &eye(q.ncols()));

            let (u, s, vt) = linalg::svd(&a, false);
            let (u, vt) = (read_complex(&u), read_complex(&vt));
            let scaled = &u * &ndarray::Array1::from(vector(&s)).mapv(|s| C::new(s, 0.0));
            assert_near(&scaled.dot(&vt), &a_read);

            let hermitian = a_read.dot(&adjoint(&a_read)) + eye(rows);
            let values: Vec<C> = hermitian.iter().copied().collect();
            // Imaginary parts of the diagonal are not read, and neither is the upper triangle.
            let turned = |at: usize, value: C| match at / rows == at % rows {
                true => value + C::new(0.0, 3.0),
                false => value,
            };
            let lower: Vec<C> = values
                .iter()
                .enumerate()
                .map(|(at, value)| turned(at, *value))
                .collect();
            let lower = weft::from_slice(&lower).reshape(&[rows, rows]);
            let alone = linalg::eigvalsh(&lower);
            let sum: f64 = vector(&alone).iter().sum();
            let trace: f64 = hermitian.diag().iter().map(|value| value.re).sum();
            assert!((sum - trace).abs() <= 1e-12 * trace.abs());
            let l = read_complex(&linalg::cholesky(&lower));
            assert_near(&l.dot(&adjoint(&l)), &hermitian);
            let h = weft::from_slice(&values).reshape(&[rows, rows]);
            let (values, vectors) = linalg::eigh(&h);
            let vectors = read_complex(&vectors);
            let values = ndarray::Array1::from(vector(&values)).mapv(|s| C::new(s, 0.0));
            assert_near(&hermitian.dot(&vectors), &(&vectors * &values));
            let (values, vectors) = linalg::eig(&h);
            let (values, vectors) = (complex_vector(&values), read_complex(&vectors));
            let scaled = &vectors * &ndarray::Array1::from(values);
            assert_near(&hermitian.dot(&vectors), &scaled);
            let values = ndarray::Array1::from(complex_vector(&linalg::eigvals(&h)));
            let l = read_complex(&linalg::cholesky(&h));
            assert_near(&l.dot(&adjoint(&l)), &hermitian);
            let x = read_complex(&linalg::solve(&h, &a));
            assert_near(&hermitian.dot(&x), &a_read);
            let det = linalg::det(&h).item();
            let product: C = values.iter().product();
            assert!((det - product).norm() <= 1e-12 * product.norm());
        }
        // A property of complex numbers only: i times the identity has the determinant i squared.
        let turned = weft::eye::<f64>(2, 2, 0).cast::<C>() * C::new(0.0, 1.0);
        assert_eq!(linalg::det(&turned).item(), C::new(-1.0, 0.0));
        let (sign, logarithm) = linalg::slogdet(&(&turned * C::new(3.0, 0.0)));
        assert!((sign.item() - C::new(-1.0, 0.0)).norm() < 1e-15);
        assert!((logarithm.item() - 9f64.ln()).abs() < 1e-15);
    });
}

#[test]
fn factorizes_large_matrices() {
    runtime("--cpus 2").enter(|| check::<f64>((150, 90), 7, Memory::Rows, f64::EPSILON));
}

#[test]
fn stack_results_match_single_matrices_for_any_worker_count() {
    let dims = [3, 40, 6, 6];
    let values = drawn(3, dims.iter().product());
    let made = |words: &str| {
        runtime(words).enter(|| {
            let a = weft::from_slice(&values).reshape(&dims);
            let (q, r) = linalg::qr(&a);
            let stacked = [
                linalg::inv(&a),
                linalg::det(&a).reshape(&[3, 40, 1, 1]),
                q,
                r,
            ];
            let single = a.slice(s![2, 17, .., ..]);
            let (q, r) = linalg::qr(&single);
            let alone = [
                linalg::inv(&single),
                linalg::det(&single).reshape(&[1, 1]),
                q,
                r,
            ];
            for (stacked, alone) in stacked.iter().zip(&alone) {
                let part = stacked.slice(s![2, 17, .., ..]);
                assert_eq!(part.to_vec().unwrap(), alone.to_vec().unwrap());
            }
            stacked.map(|array| array.to_vec().unwrap())
        })
    };
    let expected = made("--cpus 1");
    for words in [
        "--cpus 2 --min-cpu-chunk 500",
        "--cpus 3 --min-cpu-chunk 100 --max-inline-chunk 0",
    ] {
        assert_eq!(made(words), expected, "{words}");
    }
}

#[test]
fn broadcasts_stacks_and_right_hand_sides() {
    runtime("--cpus 2").enter(|| {
        let a = weft::eye::<f64>(3, 3, 0) * 2.0;
        let b = weft::arange(6.0).reshape(&[2, 3, 1]);
        let x = linalg::solve(&a, &b);
        assert_eq!(x.shape(), [2, 3, 1]);
        assert_eq!(x.to_vec().unwrap(), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]);
        let stack = a.broadcast_to(&[4, 3, 3]);
        let x = linalg::solve(&stack, &weft::from_slice(&[2.0, 4.0, 6.0]));
        assert_eq!(x.shape(), [4, 3]);
        assert_eq!(x.to_vec().unwrap(), [1.0, 2.0, 3.0].repeat(4));
        // Integers are treated as `f64`.
        let whole = weft::from_slice(&[1i64, 2, 3, 4]).reshape(&[2, 2]);
        let det: Array<f64> = whole.as_dyn().det().unwrap().try_into().unwrap();
        assert!((det.item() + 2.0).abs() < 1e-15);
    });
}

#[test]
fn matrix_powers_match_products() {
    runtime("--cpus 1").enter(|| {
        let a = weft::from_slice(&[1.0, 1.0, 1.0, 0.0]).reshape(&[2, 2]);
        let power = |n| linalg::matrix_power(&a, n).to_vec().unwrap();
        assert_eq!(power(0), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(power(1), [1.0, 1.0, 1.0, 0.0]);
        assert_eq!(power(10), [89.0, 55.0, 55.0, 34.0]);
        assert_eq!(power(-2), [1.0, -1.0, -1.0, 2.0]);
        let copy = linalg::matrix_power(&a, 1);
        a.fill(7.0);
        assert_eq!(copy.to_vec().unwrap(), [1.0, 1.0, 1.0, 0.0]);
    });
}

#[test]
fn determinant_avoids_intermediate_overflow() {
    runtime("--cpus 1").enter(|| {
        let diagonal = [1e200, 1e-300, 1e200, 1e-100, -3.0];
        let a = weft::eye::<f64>(5, 5, 0) * &weft::from_slice(&diagonal);
        let det = linalg::det(&a).item();
        assert!((det + 3.0).abs() < 1e-14, "{det}");
        assert_eq!(linalg::det(&(&a * 1e300)).item(), f64::NEG_INFINITY);
        assert_eq!(linalg::det(&(&a * 1e-300)).item(), 0.0);
        let exchanged =
            weft::from_slice(&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]).reshape(&[3, 3]);
        assert_eq!(linalg::det(&exchanged).item(), 1.0);
        assert_eq!(linalg::det(&exchanged.slice(s![..;-1, ..])).item(), -1.0);
    });
}

#[test]
fn empty_matrices_give_neutral_results() {
    runtime("--cpus 1").enter(|| {
        let none = weft::zeros::<f64>(&[0, 0]);
        assert_eq!(linalg::det(&none).item(), 1.0);
        assert_eq!(linalg::slogdet(&none).1.item(), 0.0);
        assert_eq!(linalg::inv(&none).shape(), [0, 0]);
        let tall = weft::zeros::<f64>(&[3, 0]);
        let (u, s, vt) = linalg::svd(&tall, true);
        assert_eq!((s.shape(), vt.shape()), (&[0][..], &[0, 0][..]));
        assert_eq!(read(&u), identity(3));
        let (x, rank, _) = linalg::lstsq(&weft::zeros::<f64>(&[0, 2]), &weft::zeros(&[0]), None);
        assert_eq!((x.to_vec().unwrap(), rank.item()), (vec![0.0; 2], 0));
        let none_of_a_stack = weft::zeros::<f64>(&[0, 2, 2]);
        assert_eq!(linalg::inv(&none_of_a_stack).to_vec().unwrap(), []);
    });
}

#[test]
fn lstsq_finds_minimum_norm_solution() {
    runtime("--cpus 1").enter(|| {
        let a = weft::ones::<f64>(&[2, 2]);
        let (x, rank, s) = linalg::lstsq(&a, &weft::from_slice(&[2.0, 2.0]), None);
        assert_eq!(rank.item(), 1);
        assert!(vector(&x).iter().all(|x| (x - 1.0).abs() < 1e-14));
        assert!((vector(&s)[0] - 2.0).abs() < 1e-14 && vector(&s)[1] < 1e-14);
    });
}

/// Returns the defect in the error of reading an array, with the line of the call that failed.
#[track_caller]
fn defect<T: weft::dtype::Element>(array: &Array<T>) -> (u32, Vec<usize>, Defect) {
    match array.to_vec() {
        Err(Error::Failed(failure)) => match &failure.cause {
            Cause::Matrix { index, defect } => (failure.location.line(), index.clone(), *defect),
            cause => panic!("{cause}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn singular_matrix_fails_at_its_line_and_run_continues() {
    let runtime = runtime("--cpus 2");
    runtime.enter(|| {
        let singular = weft::from_slice(&[1.0, 2.0, 2.0, 4.0]).reshape(&[2, 2]);
        let inverse = linalg::inv(&singular);
        let line = line!() - 1;
        let found = defect(&(inverse + 1.0));
        assert_eq!(found, (line, vec![], Defect::Singular));
        let b = weft::ones::<f64>(&[2]);
        let x = linalg::solve(&singular, &b);
        let line = line!() - 1;
        assert_eq!(defect(&x), (line, vec![], Defect::Singular));
        assert_eq!(linalg::det(&singular).item(), 0.0);
        assert_eq!(linalg::slogdet(&singular).0.item(), 0.0);
        assert_eq!(linalg::slogdet(&singular).1.item(), f64::NEG_INFINITY);

        let stack = weft::zeros::<f64>(&[2, 3, 2, 2]);
        stack.assign(weft::eye::<f64>(2, 2, 0));
        stack.slice(s![1, 2, .., ..]).assign(&singular);
        let error = linalg::inv(&stack).to_vec().unwrap_err().to_string();
        assert!(
            error.contains("the matrix at [1, 2] of the stack is singular"),
            "{error}"
        );

        for values in [
            [1.0, 0.0, 2.0, 1.0],
            [-1.0, 0.0, 0.0, 1.0],
            [1.0, 0.0, 1.0, 1.0],
            [f64::NAN, 0.0, 0.0, 1.0],
        ] {
            let a = weft::from_slice(&values).reshape(&[2, 2]);
            let (_, _, defect) = defect(&linalg::cholesky(&a));
            assert_eq!(defect, Defect::NotPositiveDefinite, "{values:?}");
        }
        for value in [f64::NAN, f64::INFINITY] {
            let a = weft::full(&[3, 3], value);
            assert_eq!(defect(&linalg::svdvals(&a)).2, Defect::NoConvergence);
            assert_eq!(defect(&linalg::svd(&a, true).0).2, Defect::NoConvergence);
            assert_eq!(defect(&linalg::eigh(&a).1).2, Defect::NoConvergence);
            assert_eq!(defect(&linalg::eigvals(&a)).2, Defect::NoConvergence);
        }
        assert!(linalg::inv(&weft::full(&[2, 2], f64::NAN)).to_vec().is_ok());
    });
    assert!(runtime.finish().is_err());
}

#[test]
fn rejects_invalid_arguments_at_the_call() {
    runtime("--cpus 1").enter(|| {
        let (wide, vector) = (weft::ones::<f64>(&[2, 3]), weft::ones::<f64>(&[2]));
        let told = |error: Error| error.to_string();
        assert!(
            told(linalg::try_inv(&wide).unwrap_err())
                .contains("inv: shape [2, 3] is not that of a square matrix")
        );
        assert!(told(linalg::try_qr(&vector).unwrap_err()).contains("fewer than two axes"));
        let eye = weft::eye::<f64>(3, 3, 0);
        assert!(
            told(linalg::try_solve(&eye, &vector).unwrap_err()).contains("number of equations")
        );
        let stacks = (weft::ones::<f64>(&[2, 3, 3]), weft::ones::<f64>(&[4, 3, 1]));
        assert!(told(linalg::try_solve(&stacks.0, &stacks.1).unwrap_err()).contains("broadcast"));
        assert!(linalg::try_matrix_power(&stacks.0, 2).is_err());
    });
}
