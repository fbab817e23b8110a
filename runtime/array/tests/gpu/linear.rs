//! Products of vectors and matrices.

use ndarray::s;
use weft::dtype::Number;
use weft::random::seeded;
use weft::{Array, DynArray};

use super::harness::{Tolerance, Two, length};

/// Computes products of matrices and vectors of these sizes, in each order of axes.
fn products<T: Number>(make: impl Fn(&[usize]) -> Array<T>) -> Vec<DynArray> {
    let mut results = Vec::new();
    for [m, k, n] in [
        [1, 1, 1],
        [3, 5, 2],
        [70, 33, 65],
        [1, 300, 40],
        [257, 1, 129],
        [64, 128, 256],
    ] {
        let (a, b) = (make(&[m, k]), make(&[k, n]));
        let (at, bt) = (make(&[k, m]), make(&[n, k]));
        let v = make(&[k]);
        results.extend([
            a.dot(&b),
            at.t().dot(&b),
            a.dot(&bt.t()),
            at.t().dot(&bt.t()),
            a.dot(&v),
            at.t().dot(&v),
            v.dot(&b),
            v.dot(&v),
        ]);
    }
    // Views whose rows are not adjacent, and some whose elements are not either.
    let (a, b) = (make(&[40, 60]), make(&[60, 50]));
    results.push(a.slice(s![3..30, 5..45]).dot(&b.slice(s![..40, 7..])));
    results.push(a.slice(s![..;2, ..;3]).dot(&b.slice(s![..20, ..;-1])));
    results.push(a.slice(s![..;2, ..;3]).dot(&make(&[20])));
    results.into_iter().map(Array::into_dyn).collect()
}

#[test]
#[ignore = "needs a GPU"]
fn multiplies_float_matrices() {
    let two = Two::new();
    // Terms are positive, and a product adds up to 300 of them in its own order. A product in
    // TF32 would be off by a thousand units and more.
    two.compare("f64", Tolerance::Ulps(64.0), || {
        products(|dims| seeded(1).uniform::<f64>(dims))
    });
    two.compare("f32", Tolerance::Ulps(64.0), || {
        products(|dims| seeded(1).uniform::<f32>(dims))
    });
    two.compare("long", Tolerance::Ulps(256.0), || {
        let x = seeded(2).uniform::<f64>(&[length()]);
        let tall = seeded(3).uniform::<f64>(&[length() / 50, 50]);
        let by_columns = tall.t().dot(&x.slice(s![..length() / 50]));
        vec![x.dot(&x).into_dyn(), by_columns.into_dyn()]
    });
}

#[test]
#[ignore = "needs a GPU"]
fn multiplies_integer_matrices() {
    let two = Two::new();
    two.compare("i64", Tolerance::Exact, || {
        products(|dims| seeded(4).integers::<i64>(i64::MIN / 3, i64::MAX / 3, dims))
    });
    two.compare("u32", Tolerance::Exact, || {
        products(|dims| seeded(4).integers::<u32>(0, u32::MAX, dims))
    });
}

/// A system solved by conjugate gradients, with thousands of operations, whose result is nearly the
/// CPU's.
#[test]
#[ignore = "needs a GPU"]
fn conjugate_gradients_match_cpus() {
    let two = Two::new();
    two.compare("cg", Tolerance::Ulps(1e7), || {
        let n = 200;
        let a = weft::eye::<f64>(n, n, 0) * 4.0
            - weft::eye::<f64>(n, n, 1)
            - weft::eye::<f64>(n, n, -1);
        let b = seeded(6).uniform::<f64>(&[n]) + 1.0;
        let mut x = weft::zeros::<f64>(&[n]);
        let mut r = b.copy();
        let mut p = r.copy();
        let mut rsold = r.dot(&r);
        for _ in 0..40 {
            let ap = a.dot(&p);
            let alpha = &rsold / p.dot(&ap);
            x += &alpha * &p;
            r -= &alpha * &ap;
            let rsnew = r.dot(&r);
            p = &r + (&rsnew / &rsold) * &p;
            rsold = rsnew;
        }
        vec![x.into_dyn()]
    });
}
