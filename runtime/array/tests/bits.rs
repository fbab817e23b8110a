//! Floating-point results are bit for bit the same for any number of workers, and within the
//! documented bounds of the exact results.
#![allow(clippy::unwrap_used, reason = "a failed helper fails its test")]

#[path = "support/runtimes.rs"]
mod support;

use ndarray::s;
use weft::dtype::Element;
use weft::{Array, Runtime};

/// The number of elements of the vectors: many tiles of unequal lengths.
const N: usize = 10_007;

/// Returns a runtime that cuts operations of a few hundred elements.
fn runtime(processors: &str) -> Runtime {
    support::runtime(&format!(
        "{processors} --min-cpu-chunk 64 --min-omp-chunk 1000 --max-inline-chunk 0"
    ))
}

/// Returns the results of `program`, after checking that they are equal on 1, 2 and 4 workers and
/// on OMP groups.
fn same_everywhere(program: impl Fn() -> Vec<(&'static str, Vec<u64>)>) {
    let expected = runtime("--cpus 1").enter(&program);
    for processors in [
        "--cpus 1",
        "--cpus 2",
        "--cpus 4",
        "--cpus 4",
        "--omps 1 --ompthreads 3",
        "--omps 2 --ompthreads 2 --cpus 1",
    ] {
        let runtime = runtime(processors);
        let found = runtime.enter(&program);
        runtime.finish().unwrap();
        for ((name, expected), (_, found)) in expected.iter().zip(&found) {
            assert_eq!(expected, found, "{name} with {processors}");
        }
    }
}

trait Bits: Element {
    fn bits(self) -> u64;
}

impl Bits for f64 {
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

impl Bits for f32 {
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Bits for i64 {
    fn bits(self) -> u64 {
        self as u64
    }
}

fn bits<T: Bits>(array: &Array<T>) -> Vec<u64> {
    let values = array.to_vec().unwrap();
    values.into_iter().map(Bits::bits).collect()
}

#[test]
fn random_numbers_do_not_depend_on_worker_count() {
    same_everywhere(|| {
        let random = weft::random::seeded(11);
        vec![
            ("uniform f64", bits(&random.uniform::<f64>(&[N]))),
            ("uniform f32", bits(&random.uniform::<f32>(&[31, 77]))),
            ("normal f64", bits(&random.normal::<f64>(&[77, 31]))),
            ("normal f32", bits(&random.normal::<f32>(&[N]))),
            ("integers", bits(&random.integers::<i64>(-5, 1000, &[N]))),
        ]
    });
}

macro_rules! reductions {
    ($name:ident, $products:ident, $float:ty) => {
        #[test]
        fn $name() {
            same_everywhere(|| {
                let random = weft::random::seeded(12);
                let x = random.normal::<$float>(&[N]);
                let a = random.normal::<$float>(&[60, 173]);
                let every_third = x.slice(s![..;-3]);
                let tall = x.slice(s![..10_005]).reshape(&[2001, 5]);
                vec![
                    ("sum", bits(&x.sum())),
                    ("sum of a view", bits(&every_third.sum())),
                    ("sum of a transposed", bits(&a.t().sum())),
                    ("mean", bits(&x.mean())),
                    ("product", bits(&(0.001 * &x + 1.0).prod())),
                    ("min", bits(&x.min())),
                    ("argmax", bits(&x.argmax())),
                    ("sum along rows", bits(&a.sum_axis(1))),
                    ("sum along columns", bits(&a.sum_axis(0))),
                    ("mean along columns", bits(&a.mean_axis(0))),
                    ("sum along long columns", bits(&tall.sum_axis(0))),
                    ("sum along long rows", bits(&tall.t().sum_axis(1))),
                    ("product along long columns", bits(&(0.001 * &tall + 1.0).prod_axis(0))),
                    ("argmin along long columns", bits(&tall.argmin_axis(0))),
                ]
            });
        }

        #[test]
        fn $products() {
            same_everywhere(|| {
                let random = weft::random::seeded(13);
                let (x, y) = (random.normal::<$float>(&[N]), random.normal(&[N]));
                let a = random.normal::<$float>(&[213, 83]);
                let b = random.normal::<$float>(&[83, 205]);
                let narrow = random.normal::<$float>(&[83, 45]);
                let row = x.slice(s![..83]);
                let long = random.normal::<$float>(&[300, 70]);
                vec![
                    ("dot", bits(&x.dot(&y))),
                    ("dot of views", bits(&x.slice(s![..;2]).dot(&y.slice(s![..;-2])))),
                    ("matrix by vector", bits(&a.dot(&row))),
                    ("transposed by vector", bits(&b.t().dot(&row))),
                    ("matrix by matrix", bits(&a.matmul(&b))),
                    ("matrix by narrow matrix", bits(&a.matmul(&narrow))),
                    ("transposed by transposed", bits(&b.t().matmul(&a.t()))),
                    ("matrix by its transpose", bits(&long.matmul(&long.t()))),
                ]
            });
        }
    };
}

reductions!(
    f64_reductions_do_not_depend_on_workers,
    f64_products_do_not_depend_on_workers,
    f64
);
reductions!(
    f32_reductions_do_not_depend_on_workers,
    f32_products_do_not_depend_on_workers,
    f32
);

/// Returns `value` in units of 2^-scale, of which it must be a multiple.
fn units(value: f64, scale: i32) -> i128 {
    let scaled = value.to_bits();
    let exponent = ((scaled >> 52) & 0x7ff) as i32;
    if exponent == 0 {
        assert_eq!(value, 0.0, "too small for this");
        return 0;
    }
    let mantissa = i128::from((scaled & ((1 << 52) - 1)) | 1 << 52);
    let shift = exponent - 1075 + scale;
    let size = if shift >= 0 {
        mantissa << shift
    } else {
        assert_eq!(
            mantissa & ((1 << -shift) - 1),
            0,
            "{value} is not a multiple"
        );
        mantissa >> -shift
    };
    if value < 0.0 { -size } else { size }
}

/// Returns the documented bound of one step, in units of the rounding error of the sum of
/// magnitudes. It covers the partial sums of the tiles, and adding these up. One percent is added
/// for higher-order terms.
fn bound(terms: usize) -> f64 {
    let rounds = (terms as f64 / 512.0).log2().ceil().max(0.0);
    2.0 * (64.0 + 3.0 + rounds) * 1.01
}

/// Compares `found` with exact terms, all in units of 2^-scale.
fn within(what: &str, found: f64, terms: &[i128], roundings: f64, unit: f64, scale: i32) {
    let exact: i128 = terms.iter().sum();
    let size: i128 = terms.iter().map(|term| term.abs()).sum();
    let error = (units(found, scale) - exact).abs() as f64;
    let allowed = roundings * unit * size as f64;
    assert!(error <= allowed, "{what}: {error} is above {allowed}");
    let term = size as f64 / terms.len() as f64;
    assert!(allowed < term / 2.0, "{what}: a missing term would show");
}

const U64: f64 = 1.0 / (1u64 << 53) as f64;
const U32: f64 = 1.0 / (1u64 << 24) as f64;

#[test]
fn sums_and_products_are_within_the_documented_bound() {
    for processors in ["--cpus 1", "--cpus 4", "--omps 1 --ompthreads 3"] {
        let runtime = runtime(processors);
        runtime.enter(|| {
            // Uniform numbers are multiples of 2^-53 or 2^-24, and so is their distance from a
            // half. Sums and products of them are exact in 128 bits.
            let random = weft::random::seeded(14);
            let x = random.uniform::<f64>(&[N]) - 0.5;
            let y = random.uniform::<f64>(&[N]) - 0.5;
            let (xs, ys) = (x.to_vec().unwrap(), y.to_vec().unwrap());
            let single = |values: &[f64]| -> Vec<i128> {
                values.iter().map(|value| units(*value, 53)).collect()
            };
            let (exact_x, exact_y) = (single(&xs), single(&ys));
            within("sum", x.sum().item(), &exact_x, bound(N), U64, 53);
            let products: Vec<i128> = exact_x.iter().zip(&exact_y).map(|(x, y)| x * y).collect();
            let found = x.dot(&y).item();
            within("dot", found, &products, bound(N) + 1.0, U64, 106);

            let f = random.uniform::<f32>(&[N]) - 0.5;
            let fs = f.to_vec().unwrap();
            let exact_f: Vec<i128> = fs.iter().map(|value| units((*value).into(), 24)).collect();
            let found = f.sum().item().into();
            within("sum of f32", found, &exact_f, bound(N), U32, 24);

            // Each element of a matrix product.
            let (rows, inner, columns) = (41, 60, 37);
            let (a, b) = (
                x.slice(s![..(rows * inner) as isize]),
                y.slice(s![..(inner * columns) as isize]),
            );
            let (a, b) = (a.reshape(&[rows, inner]), b.reshape(&[inner, columns]));
            let product = a.matmul(&b).to_vec().unwrap();
            let first = a.dot(&b.slice(s![.., 0])).to_vec().unwrap();
            for row in 0..rows {
                for column in 0..columns {
                    let terms: Vec<i128> = (0..inner)
                        .map(|k| exact_x[row * inner + k] * exact_y[k * columns + column])
                        .collect();
                    let found = product[row * columns + column];
                    within("matmul", found, &terms, inner as f64 * 1.01, U64, 106);
                    if column == 0 {
                        within("matvec", first[row], &terms, bound(inner) + 1.0, U64, 106);
                    }
                }
            }
        });
        runtime.finish().unwrap();
    }
}
